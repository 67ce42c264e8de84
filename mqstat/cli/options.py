"""Arguments and options that several commands share, and small helpers around them."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
import typer.main

from mqstat.base.errors import ONE_DATASET, UsageError
from mqstat.base.formats import choice
from mqstat.base.inputs import Inputs, as_typed, naming, source_command, typing
from mqstat.base.object_store import is_uri
from mqstat.base.phase import shown
from mqstat.base.return_codes import CLEAR
from mqstat.cli.option_texts import TEXTS
from mqstat.render.format import NARROWEST, TEXT_WIDTH
from mqstat.render.formats import formats

if TYPE_CHECKING:
    from mqstat.base.selection import Selection
    from mqstat.dataset.place import Home
    from mqstat.dataset.store import AnyOpened
    from mqstat.intake.open_data import Columns
    from mqstat.intake.workers import Progress
    from mqstat.parsers.framing import Framing
    from mqstat.sources.source import Source
    from mqstat.sql.workspace import Workspace

Function = TypeVar("Function", bound=Callable[..., int])

# --- what a command declares


def option(
    key: str,
    parser: Callable[[str], Any] | None = None,
    *,
    least: float | None = None,
    most: float | None = None,
    complete: Callable[[], Collection[str]] | None = None,
    choices: str = "",
    **more: Any,
) -> Any:
    """An option of a command, for `Annotated`: its key in `TEXTS`, what makes the value of its text, and limits of a
    number.
    """
    flags = [word for word in key.split() if word.startswith("-")]
    metavar = key.rsplit(maxsplit=1)[-1]
    return typer.Option(
        *flags,
        metavar=None if metavar in flags else metavar,
        help=TEXTS[key].replace("{choices}", choices),
        parser=_parsed(flags[0], parser, least, most),
        min=least,
        max=most,
        autocompletion=_completion(complete),
        **more,
    )


def argument(
    key: str, parser: Callable[[str], Any] | None = None, *, complete: Callable[[], Collection[str]] | None = None
) -> Any:
    """An argument of a command, as `option`."""
    name = key.rsplit(maxsplit=1)[-1]
    return typer.Argument(
        metavar=name, help=TEXTS[key], parser=_parsed(name, parser), autocompletion=_completion(complete)
    )


def _completion(words: Callable[[], Collection[str]] | None) -> Callable[[str], list[str]] | None:
    """Completion from names that are computed when they are needed."""
    if words is None:
        return None

    def complete(incomplete: str) -> list[str]:
        return [word for word in words() if word.startswith(incomplete)]

    return complete


def _parsed(
    name: str, parser: Callable[[str], Any] | None, least: float | None = None, most: float | None = None
) -> Callable[[str], Any] | None:
    """The parser of an option or argument; UsageError with its name if the text has no such value, or one beyond its
    limits.
    """
    if parser is None:
        return None

    def parse(text: str) -> Any:
        from mqstat.base.formatting import exact_text

        if parser is Path and is_uri(text):
            raise UsageError(f"{name} {text}: this must be a local file or folder, not a URI.")
        try:
            value = parser(text)
        except ValueError:
            raise UsageError(f"{name} {text}: write a {'whole ' if parser is int else ''}number.") from None
        if least is not None and value < least:
            raise UsageError(f"{name} {text}: write {exact_text(least)} or more.")
        if most is not None and value > most:
            raise UsageError(f"{name} {text}: write {exact_text(most)} or less.")
        return value

    return parse


def home_of(word: str) -> Home:
    """Where a dataset is: a folder, or a place in an object store (`s3://bucket/key`)."""
    from mqstat.dataset import place

    return place.home_of(word)


def format_option(names: Collection[str]) -> Any:
    """The option --format of a command that writes these formats."""
    return option("--format FORMAT", choices=choice(names))


def write_option(names: Collection[str]) -> Any:
    """The option --write of a command that writes these formats."""
    endings = [known.endings[0] for known in map(formats().__getitem__, names) if known.endings]
    return option("--write FILE", Path, choices=" ".join(endings))


Dumps = Annotated[list[str], argument("DUMP...")]
Dump = Annotated[str, argument("DUMP")]
OptionalDumps = Annotated[list[str], argument("[DUMP...]")]
FromOption = Annotated[list[Path], option("--from DIR", home_of)]  # a list, so that `only_dataset` refuses a second one
FolderArgument = Annotated[Path | None, argument("[DIR]", home_of)]
OneFromOption = Annotated[list[Path], option("dataset --from DIR", home_of)]
QmgrOption = Annotated[list[str], option("--qmgr NAME")]
LparOption = Annotated[list[str], option("--lpar NAME")]
SinceOption = Annotated[str | None, option("--since TIME")]
UntilOption = Annotated[str | None, option("--until TIME")]
DateOption = Annotated[str | None, option("--date DATE")]
OnlyOption = Annotated[list[str], option("--only TYPE")]
SiteOption = Annotated[Path | None, option("--site FILE", Path)]
FramingOption = Annotated[str | None, option("--framing FRAMING")]
JobsOption = Annotated[int | None, option("--jobs N", int, least=1)]
OutputOption = Annotated[Path | None, option("--output PATH", Path)]
SchemaOption = Annotated[bool, option("--schema")]
WidthOption = Annotated[int | None, option("--width N", int, least=NARROWEST)]
RawOption = Annotated[bool, option("--raw")]
DamageLimitOption = Annotated[float, option("--damage-limit PERCENT", float, least=0.0, most=100.0)]
WaitOption = Annotated[float, option("--wait SECONDS", float, least=0)]

# --- what a command reads


def _data_options(
    dumps: OptionalDumps = [],
    datasets: FromOption = [],
    qmgr: QmgrOption = [],
    lpar: LparOption = [],
    since: SinceOption = None,
    until: UntilOption = None,
    date: DateOption = None,
    site: SiteOption = None,
    framing: FramingOption = None,
    jobs: JobsOption = None,
) -> None:
    """The arguments and options of `Data`."""


@cache
def data_parameters() -> Mapping[str, Any]:
    """The parameters of `Data` by name, for every command that reads dumps or a dataset."""
    app = typer.Typer(add_completion=False)
    app.command()(_data_options)
    return {str(parameter.name): parameter for parameter in typer.main.get_command(app).params}


def reading(*without: str) -> Callable[[Function], Function]:
    """A command that has the parameters of `Data`, after those that it declares, and gets them as `context.obj`."""

    def mark(function: Function) -> Function:
        vars(function)[READING] = frozenset(without)
        return function

    return mark


READING = "without"
"""The attribute of the function of such a command: the parameters of `Data` that it does not have."""


def only_dataset(homes: Sequence[Home]) -> Home | None:
    """The dataset of --from; None without one. UsageError if it was given twice."""
    if len(homes) > 1:
        raise UsageError(f"--from names one dataset, not {' and '.join(map(str, homes))}: {ONE_DATASET}.")
    return homes[0] if homes else None


@dataclass(frozen=True)
class Data:
    """Input of a command: dumps or a dataset, the selection, and the site file."""

    dumps: Sequence[str] = ()
    datasets: Sequence[Home] = ()
    qmgr: Sequence[str] = ()
    lpar: Sequence[str] = ()
    since: str | None = None
    until: str | None = None
    date: str | None = None
    site: Path | None = None
    framing: str | None = None
    jobs: int | None = None
    damages: list[tuple[int, str]] = field(default_factory=list, repr=False)
    """Return code and sentence for the damage of each database that was opened."""

    @property
    def given(self) -> bool:
        """Whether there is anything to read."""
        return bool(self.dumps or self.datasets)

    @property
    def dataset(self) -> Home | None:
        """The dataset to read; None without one. UsageError if there are several."""
        return only_dataset(self.datasets)

    def _options(self) -> Sequence[tuple[str, str]]:
        """The options that select and judge, for the commands that are printed."""
        several = [(f"--{name}", value) for name in ("qmgr", "lpar") for value in getattr(self, name)]
        single = [(f"--{name}", getattr(self, name)) for name in ("since", "until", "date", "site", "framing")]
        return [*several, *((name, str(value)) for name, value in single if value is not None)]

    def selection(self, only: Sequence[str] = ()) -> Selection:
        """The record types, LPARs, queue managers and the period; UsageError when the options contradict each other."""
        from mqstat.base.selection import make

        return make(only, self.qmgr, self.since, self.until, self.date, self.lpar)

    @contextmanager
    def open(
        self,
        *,
        columns: Columns | None = None,
        checksums: bool = False,
        views: bool | Collection[str] = False,
        selection: Selection | None = None,
        dataset: AnyOpened | None = None,
    ) -> Iterator[Workspace]:
        """The data as a database (`mqstat.intake.open_data`), with progress and remarks on standard error; `dataset` =
        the dataset, which is open.
        """
        from mqstat.intake.open_data import open_data
        from mqstat.sql.site import load_site

        inputs = Inputs(self.dumps, None if self.dataset is None else str(self.dataset), self._options())
        with (
            naming(inputs),
            _phases(),
            open_data(
                self.dumps,
                dataset or self.dataset,
                selection=self.selection() if selection is None else selection,
                site=None if self.site is None else load_site(self.site),
                columns=None if columns is None else lambda: with_damage(columns()),
                framing=framing_of(self.framing),
                jobs=self.jobs,
                checksums=checksums,
                views=views,
                progress=progress,
                remark=remark,
            ) as database,
        ):
            damage = damage_of(database)
            if damage is not None:
                self.damages.append(damage)
            yield database

    def return_code(self, code: int = CLEAR) -> int:
        """The return code of a command that does not state damage itself: damage raises it and is named on standard
        error.
        """
        for text in dict.fromkeys(text for _, text in self.damages if text):
            remark(text)
        return max([code, *(damage for damage, _ in self.damages)])


def with_damage(columns: Mapping[str, Collection[str]]) -> Mapping[str, Collection[str]]:
    """The columns to decode, and those with the damage of the inputs."""
    from mqstat.sources.verdict import SOURCE_COLUMNS

    return {**columns, "source": {*columns.get("source", ()), *SOURCE_COLUMNS, "source_id", "source_name"}}


def damage_of(database: Workspace) -> tuple[int, str] | None:
    """Return code and sentence for the damage of the inputs of a database; None without inputs."""
    from mqstat.base.return_codes import damage_text
    from mqstat.sources.verdict import SOURCE_COLUMNS, stored_code

    columns = ", ".join(("source_id", "source_name", *SOURCE_COLUMNS))
    sources = database.rows(f"SELECT {columns} FROM decoded.source ORDER BY source_id")  # noqa: S608 - our own names
    if not sources:
        return None
    total = {
        name: sum(row[name] or 0 for row in sources) for name in ("source_bytes", "bytes_damaged", "records_damaged")
    }
    names = [row["source_name"] for row in sources if row["bytes_damaged"] or row["records_damaged"]]
    first = next((row for row in sources if row["source_name"] in names), sources[0])
    with typing():
        ledger = as_typed(source_command(["ledger"], first["source_name"], first["source_id"])) or "mqstat ledger DUMP"
    text = damage_text(names, total["source_bytes"], total["bytes_damaged"], total["records_damaged"], ledger)
    return max(stored_code(sources), database.input_code), text


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

    return Framing(word)


def sources_of(dumps: list[str], *, refuse: bool = True) -> Iterator[Source]:
    """The inputs named on the command line; without `refuse`, also inputs that only the doctor can use."""
    from mqstat.sources.source import find_sources

    return find_sources(dumps, refuse=refuse)


@contextmanager
def _phases() -> Iterator[None]:
    """Within it, standard error shows what is being done on one line, if it is a terminal."""
    if not _is_drawn():
        yield
        return
    columns = shutil.get_terminal_size().columns

    def show(text: str) -> None:
        sys.stderr.write(f"\r\x1b[2K{text[: columns - 1]}")
        sys.stderr.flush()

    token = shown.set(show)
    try:
        yield
    finally:
        shown.reset(token)
        show("")


def _is_drawn() -> bool:
    """Whether standard error is a terminal that may get escape sequences."""
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR")


@contextmanager
def progress(label: str) -> Iterator[Progress | None]:
    """A progress bar with rate and time left on standard error when it is a terminal; nothing otherwise."""
    if not _is_drawn():
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
