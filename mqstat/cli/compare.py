"""Command compare: two dumps, two datasets, or two periods of one dataset side by side."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from mqstat.base.errors import UsageError
from mqstat.base.return_codes import CLEAR, UNUSABLE
from mqstat.cli.options import (
    Data,
    OutputOption,
    RawOption,
    WidthOption,
    argument,
    format_option,
    home_of,
    only_dataset,
    option,
    reading,
    write_option,
)
from mqstat.cli.output import requested_formats, write_all
from mqstat.cli.periods import selection_of
from mqstat.render.formats import formats_of

if TYPE_CHECKING:
    from mqstat.base.selection import Selection
    from mqstat.dataset.place import Home
    from mqstat.sql.workspace import Workspace


@reading("dumps", "datasets", "site")
def compare(
    context: typer.Context,
    before: Annotated[str, argument("compare A")],
    after: Annotated[str, argument("compare B")],
    datasets: Annotated[list[Path], option("compare --from DIR", home_of)] = [],
    format: Annotated[str, format_option(formats_of("compare"))] = "text",
    output: OutputOption = None,
    write: Annotated[list[Path], write_option(formats_of("compare"))] = [],
    width: WidthOption = None,
    raw: RawOption = False,
) -> int:
    """Compare A (before a change) with B (after it): causes first, with effect sizes, and what appeared, vanished or
    changed.
    """
    data: Data = replace(context.obj, datasets=datasets)
    from mqstat.assemble import compare as comparing
    from mqstat.assemble.baseline import compared_report
    from mqstat.intake.open_data import columns_of
    from mqstat.sql.database import open_workspace
    from mqstat.sql.opened import Opened

    requested_formats("compare", format, output, write)
    columns = columns_of(comparing.QUERIES)
    chosen = data.selection()
    dataset = only_dataset(datasets)
    if dataset is not None and (chosen.since or chosen.until):
        raise UsageError("With --from, A and B are the periods: remove --since, --until and --date.")

    periods = [
        selection_of(word, chosen, what) if dataset is not None else chosen
        for word, what in ((before, "A"), (after, "B"))
    ]

    def side(word: str, period: Selection, stack: ExitStack, other: Workspace | None = None) -> Workspace:
        if dataset is not None:
            return stack.enter_context(
                data.open(selection=period, dataset=None if other is None else other.opened.dataset)
            )
        home = home_of(word)
        if _is_dataset(home):
            return stack.enter_context(replace(data, datasets=[cast("Path", home)]).open())
        return stack.enter_context(replace(data, dumps=[word]).open(columns=columns))

    with ExitStack() as stack:
        first = side(before, periods[0], stack)
        databases = [first, side(after, periods[1], stack, first)]
        extents = [comparing.extent(database) for database in databases]
        sides = comparing.match(extents[0], extents[1])
        measured = [
            comparing.measure(databases[0], "before", sides.rows, sources=sides.sources),
            comparing.measure(databases[1], "after", sides.rows),
        ]
    # A folder name does not describe its content, and would make the same input look different elsewhere.
    names = (before, after) if dataset is not None else (Path(before).name or "A", Path(after).name or "B")
    with open_workspace(Opened({})) as database:
        comparing.fill(database, measured)
        write_all(compared_report(database, sides, names), format, output, write, width=width, raw=raw)
    return data.return_code(CLEAR if any(extent.hours for extent in extents) else UNUSABLE)


def _is_dataset(home: Home) -> bool:
    from mqstat.base.object_store import stored_file
    from mqstat.dataset.snapshot import is_dataset

    if not isinstance(home, Path):
        with suppress(OSError):
            if stored_file(home.uri) is not None:
                return False  # one object is a dump; a server of HTTP cannot list
    return is_dataset(home)
