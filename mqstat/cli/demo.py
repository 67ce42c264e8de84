"""The command demo: the bundled sample, its report and its page in a folder of their own."""

from __future__ import annotations

import sys
from pathlib import Path

from mqstat.base.errors import UsageError
from mqstat.cli.options import Data, WidthOption

FOLDER, DUMP, PAGE = Path("mqstat-demo"), "sample.smf", "report.html"
"""The folder of the demo in the current folder, and its files."""

NEXT = """
The page:  {page}
           Open it in a browser; it needs no network.
The dump:  {dump}, a made-up day of three queue managers with a few problems.

Next, on your own dump (binary transfer, RECFM=VBS or VB): mqstat report YOUR.DUMP --write report.html
"""
"""What to open, and what comes next."""


def demo(width: WidthOption = None) -> int:
    """Build the bundled sample dump, print its report and write its page, in the new folder mqstat-demo.

    Nothing is overwritten: if the folder exists, the command ends with 16. Otherwise it returns 0, whatever the
    findings of the sample are.
    """
    try:
        FOLDER.mkdir()
    except FileExistsError:
        raise UsageError(
            f"{FOLDER} exists and the demo overwrites nothing: delete or rename it, or run mqstat demo in another folder."
        ) from None
    except OSError as error:
        raise UsageError(f"{FOLDER} cannot be created: {error.strerror}.") from None
    from mqstat.assemble.health import health_report
    from mqstat.cli.output import write_all
    from mqstat.fixtures.scenarios import find
    from mqstat.render.formats import needs_of

    dump, page = FOLDER / DUMP, FOLDER / PAGE
    dump.write_bytes(find("sample").build())
    data = Data(dumps=[str(dump)])
    with data.open(checksums="checksums" in needs_of({"text", "html"})) as database:
        write_all(health_report(database, data.selection(), database.site, page=True), "text", None, [page], width)
    sys.stdout.write(NEXT.format(page=page, dump=dump))
    return 0
