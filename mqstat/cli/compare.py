"""Command compare: two dumps, two datasets, or two periods of one dataset side by side."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mqstat.cli.options import (
    FormatOption,
    FramingOption,
    JobsOption,
    OutputOption,
    QmgrOption,
    WriteOption,
    form_of_word,
)
from mqstat.cli.periods import selection_of
from mqstat.cli.reading import opened, opened_for
from mqstat.errors import UsageError

if TYPE_CHECKING:
    from mqstat.database import Database
    from mqstat.selection import Selection


def compare(
    before: Annotated[
        str,
        typer.Argument(
            metavar="A", help="A dump or a dataset; with --from a date or a period of days (D..D).", show_default=False
        ),
    ],
    after: Annotated[
        str, typer.Argument(metavar="B", help="What A is compared with, in the same way.", show_default=False)
    ],
    place: Annotated[
        Path | None,
        typer.Option("--from", metavar="DIR", help="The dataset that both periods are in.", show_default=False),
    ] = None,
    format: FormatOption = "text",
    output: OutputOption = None,
    write: WriteOption = [],  # noqa: B006 - typer reads the default and never changes it
    qmgr: QmgrOption = [],  # noqa: B006 - as above
    framing: FramingOption = None,
    jobs: JobsOption = None,
) -> int:
    """What moved between A and B, before and after a change: causes first, with effect sizes; and what appeared, vanished or was set otherwise."""
    from mqstat import compare as comparing
    from mqstat.cli.report import write_all
    from mqstat.database import open_database
    from mqstat.render.baseline import compared_report
    from mqstat.render.write import FORMS, form_of
    from mqstat.selection import make
    from mqstat.site import Site

    forms = [form for form in FORMS if form != "openmetrics"]
    for form in (format, *map(form_of, write)):
        if form == "openmetrics":
            raise UsageError(
                "compare has no openmetrics: a monitoring system compares by itself what report and check give it."
            )
    form_of_word(format, output, forms)
    columns = opened_for(comparing.QUERIES)

    everything = make([], qmgr, None, None)
    chosen_days = [
        selection_of(word, qmgr, what) if place else everything for word, what in ((before, "A"), (after, "B"))
    ]

    def side(word: str, chosen: Selection, stack: ExitStack) -> Database:
        if place is not None:
            return stack.enter_context(opened([], place, chosen, Site()))
        if _is_dataset(word):
            return stack.enter_context(opened([], Path(word), chosen, Site()))
        return stack.enter_context(opened([word], None, chosen, Site(), framing, jobs, columns=columns))

    with ExitStack() as stack:
        databases = [side(word, chosen, stack) for word, chosen in zip((before, after), chosen_days, strict=True)]
        extents = [comparing.extent(database) for database in databases]
        sides = comparing.match(extents[0], extents[1])
        measured = [
            comparing.measure(database, name, sides.rows)
            for database, name in zip(databases, ("before", "after"), strict=True)
        ]
    # A folder says nothing about what is in it, and would make the same input look different elsewhere.
    names = (before, after) if place is not None else (Path(before).name or "A", Path(after).name or "B")
    with open_database({}, views=False) as database:
        comparing.fill(database, measured)
        write_all(compared_report(database, sides, names), format, output, write)
    return 0 if any(extent.hours for extent in extents) else 12


def _is_dataset(word: str) -> bool:
    from mqstat.dataset.manifest import NAME

    return (Path(word) / NAME).is_file()
