"""Arguments and options that several commands share, and small helpers around them."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec, cast, get_args, get_type_hints

import typer
from typer.models import ArgumentInfo

from mqstat.base.errors import UsageError
from mqstat.base.formats import choice
from mqstat.base.removed import ONE_DATASET, refuse_removed
from mqstat.render.format import NARROWEST, TEXT_WIDTH
from mqstat.render.formats import formats

if TYPE_CHECKING:
    from mqstat.base.selection import Selection
    from mqstat.dataset.place import Home
    from mqstat.intake.open_data import Columns
    from mqstat.intake.workers import Progress
    from mqstat.parsers.framing import Framing
    from mqstat.sources.source import Source
    from mqstat.sql.workspace import Workspace

Own = ParamSpec("Own")

Dumps = Annotated[
    list[str],
    typer.Argument(
        metavar="DUMP...",
        help="SMF dumps: files, folders, archives (zip, tar), compressed files (gz, zst, bz2, lz4, xz), or - for standard input.",
        show_default=False,
    ),
]
Dump = Annotated[
    str,
    typer.Argument(
        metavar="DUMP",
        help="An SMF dump: a file, an archive, a compressed file, or - for standard input.",
        show_default=False,
    ),
]
OptionalDumps = Annotated[
    list[str],
    typer.Argument(
        metavar="[DUMP...]",
        help="SMF dumps: files, folders, archives, compressed files, or - for standard input.",
        show_default=False,
    ),
]
SiteOption = Annotated[
    Path | None,
    typer.Option(
        "--site",
        metavar="FILE",
        help="Site file (TOML): facts, limits and severities of this site.",
        show_default=False,
    ),
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        metavar="PATH",
        help="Write to this file instead of standard output. Parquet and CSV of several reports need a folder.",
        show_default=False,
    ),
]
WidthOption = Annotated[
    int | None,
    typer.Option(
        "--width",
        metavar="N",
        min=60,
        help="Width of text output in columns [default: COLUMNS, else 132].",
        show_default=False,
    ),
]
RawOption = Annotated[
    bool,
    typer.Option(
        "--raw",
        help="Write CSV texts exactly as recorded, with control characters and with texts that a spreadsheet would run as a formula.",
    ),
]


def format_option(names: Collection[str]) -> Any:
    """The option --format of a command that writes these formats."""
    return typer.Option("--format", metavar="FORMAT", help=f"{choice(names)}.")


SchemaOption = Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of --format json and exit.")]


def write_option(names: Collection[str]) -> Any:
    """The option --write of a command that writes these formats."""
    endings = [known.endings[0] for known in map(formats().__getitem__, names) if known.endings]
    return typer.Option(
        "--write",
        metavar="FILE",
        help=f"Also write this file; the format follows the file extension ({' '.join(endings)}). Repeatable.",
        show_default=False,
    )


FramingOption = Annotated[
    str | None,
    typer.Option(
        "--framing",
        metavar="FRAMING",
        help="Framing of the records, if mqstat does not recognise it: rdw, bdw, no-rdw or length-prefixed.",
        show_default=False,
    ),
]
QmgrOption = Annotated[
    list[str],
    typer.Option("--qmgr", metavar="NAME", help="Only this queue manager. Repeatable.", show_default=False),
]
OnlyOption = Annotated[
    list[str],
    typer.Option(
        "--only", metavar="TYPE", help="Only this SMF type: 115 (statistics) or 116 (accounting).", show_default=False
    ),
]
SinceOption = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="TIME",
        help="Only from this local date or time, such as 2026-01-31 or 2026-01-31T08:00.",
        show_default=False,
    ),
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="TIME",
        help="Only before this local time; a date alone includes that day.",
        show_default=False,
    ),
]
DateOption = Annotated[
    str | None,
    typer.Option("--date", metavar="DATE", help="Only this local day, such as 2026-05-21.", show_default=False),
]
LparOption = Annotated[
    list[str],
    typer.Option("--lpar", metavar="NAME", help="Only this LPAR. Repeatable.", show_default=False),
]


def home_of(word: str) -> Home:
    """Where a dataset is: a folder, or a place in an object store (`s3://bucket/key`)."""
    from mqstat.dataset import place

    return place.home_of(word)


def only_dataset(homes: Sequence[Home]) -> Home | None:
    """The dataset of --from; None without one. UsageError if it was given twice."""
    if len(homes) > 1:
        raise UsageError(f"--from names one dataset, not {' and '.join(map(str, homes))}: {ONE_DATASET}.")
    return homes[0] if homes else None


def from_option(text: str) -> Any:
    """The option --from of a command; it is a list, so that `only_dataset` refuses a second one."""
    return typer.Option("--from", metavar="DIR", help=text, show_default=False, parser=home_of)


FromOption = Annotated[
    list[Path],
    from_option("Read this dataset (created by mqstat ingest) instead of dumps: a folder, or s3://BUCKET/KEY."),
]
OneFromOption = Annotated[
    list[Path], from_option("The dataset (created by mqstat ingest): a folder, or s3://BUCKET/KEY.")
]
JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        metavar="N",
        min=1,
        help="Worker processes that decode dumps [default: one per processor].",
        show_default=False,
    ),
]
DamageLimitOption = Annotated[
    float,
    typer.Option(
        "--damage-limit",
        metavar="PERCENT",
        min=0.0,
        max=100.0,
        help="Up to this percentage of damaged bytes the return code is 4; above it, 12.",
    ),
]


@dataclass(frozen=True)
class Data:
    """Input of a command: dumps or a dataset, the selection, and the site file."""

    dumps: OptionalDumps = field(default_factory=list)
    datasets: FromOption = field(default_factory=list)
    qmgr: QmgrOption = field(default_factory=list)
    lpar: LparOption = field(default_factory=list)
    since: SinceOption = None
    until: UntilOption = None
    date: DateOption = None
    site: SiteOption = None
    framing: FramingOption = None
    jobs: JobsOption = None

    @property
    def given(self) -> bool:
        """Whether there is anything to read."""
        return bool(self.dumps or self.datasets)

    @property
    def dataset(self) -> Home | None:
        """The dataset to read; None without one. UsageError if there are several."""
        return only_dataset(self.datasets)

    def selection(self) -> Selection:
        """The LPARs, queue managers and the period; UsageError when the options contradict each other."""
        from mqstat.base.selection import make

        return make((), self.qmgr, self.since, self.until, self.date, self.lpar)

    def open(
        self,
        *,
        columns: Columns | None = None,
        checksums: bool = False,
        views: bool | Collection[str] = False,
        selection: Selection | None = None,
    ) -> AbstractContextManager[Workspace]:
        """The data as a database (`mqstat.intake.open_data`), with progress and remarks on standard error."""
        from mqstat.intake.open_data import open_data
        from mqstat.sql.site import load_site

        return _noting_damage(
            open_data(
                self.dumps,
                self.dataset,
                selection=self.selection() if selection is None else selection,
                site=None if self.site is None else load_site(self.site),
                columns=None if columns is None else lambda: with_damage(columns()),
                framing=framing_of(self.framing),
                jobs=self.jobs,
                checksums=checksums,
                views=views,
                progress=progress,
                remark=remark,
            )
        )


DAMAGE_COLUMNS = (
    "source_id",
    "source_name",
    "source_bytes",
    "bytes_damaged",
    "records_damaged",
    "records_decoded",
    "records_duplicate",
)


def with_damage(columns: Mapping[str, Collection[str]]) -> Mapping[str, Collection[str]]:
    """The columns to decode, and those with the damage of the inputs."""
    return {**columns, "source": {*columns.get("source", ()), *DAMAGE_COLUMNS}}


_DAMAGES: ContextVar[list[tuple[int, str]]] = ContextVar("damages")
"""Return code and sentence for the damage of each database that the command opened."""


@contextmanager
def _noting_damage(opening: AbstractContextManager[Workspace]) -> Iterator[Workspace]:
    """Note the damage of the inputs of a database for the return code of the command."""
    with opening as database:
        noted = _DAMAGES.get(None)
        damage = None if noted is None else damage_of(database)  # None: the command states the damage itself
        if noted is not None and damage is not None:
            noted.append(damage)
        yield database


def damage_of(database: Workspace) -> tuple[int, str] | None:
    """Return code and sentence for the damage of the inputs of a database; None without inputs."""
    from mqstat.base.return_codes import damage_text, of_damage

    sources = database.rows(f"SELECT {', '.join(DAMAGE_COLUMNS)} FROM decoded.source ORDER BY source_id")  # noqa: S608 - our own names
    if not sources:
        return None
    total = {name: sum(row[name] or 0 for row in sources) for name in DAMAGE_COLUMNS[2:]}
    code = of_damage(
        records_decoded=total["records_decoded"] + total["records_duplicate"],
        input_bytes=total["source_bytes"],
        damaged_bytes=total["bytes_damaged"],
        damaged_records=total["records_damaged"],
    )
    names = [row["source_name"] for row in sources if row["bytes_damaged"] or row["records_damaged"]]
    text = damage_text(names, total["source_bytes"], total["bytes_damaged"], total["records_damaged"])
    return max(code, database.input_code), text


READS = ("dumps", "datasets")
"""Order in help: inputs first, then the command's own options, then the selection."""


def reads_data(
    command: Callable[Concatenate[Data, Own], int] | None = None,
    *,
    without: Collection[str] = (),
    states_damage: bool = False,
) -> Callable[..., Any]:
    """Add the arguments and options of Data to a command, except those in `without`.

    A command that itself declares one of them receives it both in Data and as a parameter. Damage of the inputs raises the return code and is named in
    a sentence on standard error, unless the command itself `states_damage` by its own options and in its output.
    """
    if command is None:
        return lambda given: reads_data(given, without=without, states_damage=states_damage)
    run: Callable[..., int] = command
    hints = get_type_hints(Data, include_extras=True)
    shared = [each for each in fields(Data) if each.name not in without]
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    taken = {parameter.name for parameter in own}
    added = [
        inspect.Parameter(
            each.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=[] if callable(each.default_factory) else each.default,
            annotation=hints[each.name],
        )
        for each in shared
        if each.name not in taken
    ]
    positional = [parameter for parameter in own if _is_argument(parameter)]
    before = [parameter for parameter in added if parameter.name in READS]
    options = [parameter for parameter in own if parameter not in positional]
    parameters = [*positional, *before, *options, *(parameter for parameter in added if parameter not in before)]

    def called(**given: Any) -> int:
        data = Data(**{each.name: given[each.name] for each in shared})
        damages: list[tuple[int, str]] = []
        token = _DAMAGES.set(damages)
        try:
            code = run(data, **{name: value for name, value in given.items() if name in taken})
        finally:
            _DAMAGES.reset(token)
        if states_damage:
            return code
        for text in dict.fromkeys(text for _, text in damages if text):
            remark(text)
        return max([code, *(damage for damage, _ in damages)])

    made: Any = wraps(command)(called)
    made.__signature__ = inspect.Signature(
        [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters], return_annotation=int
    )
    made.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return cast("Callable[..., int]", made)


def _is_argument(parameter: inspect.Parameter) -> bool:
    return any(isinstance(argument, ArgumentInfo) for argument in get_args(parameter.annotation))


def columns_of_text(width: int | None) -> int:
    """Width of text output: the option, else COLUMNS, else 132."""
    if width is not None:
        return width
    columns = os.environ.get("COLUMNS", "")
    return max(NARROWEST, int(columns)) if columns.isdigit() else TEXT_WIDTH


def remark(text: str) -> None:
    """A sentence on standard error."""
    from mqstat.base.formatting import on_one_line

    sys.stderr.write(f"mqstat: {on_one_line(text)}\n")


def checked_format(name: str, output: Path | None, names: Collection[str]) -> str:
    """The format of --format; UsageError if it is not in `names`, or cannot be written to the output."""
    if name not in names:
        refuse_removed("format", name)
        raise UsageError(f"--format {name}: choose {choice(names)}.")
    known = formats().get(name)
    if known is not None and output is None and not known.is_stream:
        raise UsageError(f"--format {name} writes files: add --output DIR, or --output FILE for a single report.")
    if known is not None and output is None and "page" in known.needs and sys.stdout.isatty():
        raise UsageError(f"--format {name} writes a page for a browser; a terminal cannot show it: add --output FILE.")
    return name


def framing_of(word: str | None) -> Framing | None:
    """The framing that a user named; UsageError for an unknown word."""
    if word is None:
        return None
    from mqstat.parsers.framing import Framing

    try:
        return Framing(word)
    except ValueError:
        raise UsageError(f"--framing {word}: choose rdw, bdw, no-rdw or length-prefixed.") from None


def sources_of(dumps: list[str], *, refuse: bool = True) -> Iterator[Source]:
    """The inputs named on the command line; without `refuse`, also inputs that only the doctor can use."""
    from mqstat.sources.source import find_sources

    return find_sources(dumps, refuse=refuse)


@contextmanager
def progress(label: str, *, quiet: bool = False) -> Iterator[Progress | None]:
    """A progress bar with rate and time left on standard error when it is a terminal; nothing otherwise."""
    if quiet or not sys.stderr.isatty() or os.environ.get("NO_COLOR"):  # a bar is drawn with escape sequences
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
    from rich.progress import Progress as Bar
    from rich.text import Text

    from mqstat.base.formatting import escaped

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(str(Text(escaped(label))), total=None)

        def step(done: int, total: int | None) -> None:
            bar.update(task, completed=done, total=total)

        yield step
