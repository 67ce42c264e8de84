"""Commands that write or check a dataset: ingest, verify, prune, compact, delta."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mqstat.base.errors import UsageError
from mqstat.base.return_codes import CLEAR, DAMAGE_LIMIT_PCT, UNUSABLE, WARNING
from mqstat.cli.options import (
    DamageLimitOption,
    DateOption,
    Dumps,
    FolderArgument,
    FramingOption,
    JobsOption,
    LparOption,
    OneFromOption,
    OnlyOption,
    QmgrOption,
    SinceOption,
    UntilOption,
    WaitOption,
    framing_of,
    home_of,
    option,
    progress,
    sources_of,
)

if TYPE_CHECKING:
    from mqstat.dataset.place import Home
    from mqstat.dataset.retention import Policy


def ingest(
    dumps: Dumps,
    into: Annotated[Path, option("ingest --into DIR", home_of)],
    only: OnlyOption = [],
    qmgr: QmgrOption = [],
    lpar: LparOption = [],
    since: SinceOption = None,
    until: UntilOption = None,
    date: DateOption = None,
    framing: FramingOption = None,
    jobs: JobsOption = None,
    wait: WaitOption = 0,
    damage_limit: DamageLimitOption = DAMAGE_LIMIT_PCT,
) -> int:
    """Decode dumps into a Parquet dataset: one folder per table, partitioned by local date. Dumps that were ingested before are skipped."""
    from mqstat.base.formatting import on_one_line
    from mqstat.base.selection import make
    from mqstat.intake import ingest as ingesting

    done = ingesting.ingest(
        sources_of(dumps),
        into,
        make(only, qmgr, since, until, date, lpar),
        framing=framing_of(framing),
        jobs=jobs,
        wait_seconds=wait,
        progress=progress,
        report=lambda outcome: typer.echo(on_one_line(outcome.text)),
    )
    if len(done.lines) > 1:
        typer.echo(done.summary())
    return done.return_code(damage_limit)


def folder_of(folder: Home | None, datasets: Sequence[Home]) -> Home:
    """The dataset named as DIR or with --from DIR; UsageError unless it is one dataset."""
    given = [*([] if folder is None else [folder]), *datasets]
    if len(given) != 1:
        raise UsageError("Specify one dataset: DIR or --from DIR.")
    if isinstance(given[0], Path) and given[0].is_file():
        raise UsageError(f"{given[0]}: this is a file, not a dataset; mqstat ledger and mqstat doctor check dumps.")
    return given[0]


def _local(home: Home, what: str) -> Path:
    """The folder of a dataset; UsageError for one in an object store, which cannot do this."""
    if not isinstance(home, Path):
        raise UsageError(f"{home}: {what} needs a dataset in a local folder.")
    return home


def verify(
    folder: FolderArgument = None,
    dataset: OneFromOption = [],
    rebuild: Annotated[bool, option("--rebuild")] = False,
    rows: Annotated[bool, option("--rows")] = False,
    views: Annotated[Path | None, option("--views FILE", Path)] = None,
    against: Annotated[list[str], option("--against DUMP")] = [],
    public_key: Annotated[Path | None, option("verify --public-key PEM", Path)] = None,
    signature: Annotated[Path | None, option("--signature FILE", Path)] = None,
    allow_unsigned: Annotated[bool, option("--allow-unsigned")] = False,
    expect_generation: Annotated[int, option("--expect-generation N", int, least=0, show_default=False)] = 0,
    framing: FramingOption = None,
    jobs: JobsOption = None,
) -> int:
    """Check that the files, row counts, checksums and ledgers of a dataset match its manifest, and optionally its signature, and its rows with the original dumps."""
    from mqstat.base.formatting import on_one_line, plural
    from mqstat.dataset.verification import verify as check

    chosen = folder_of(folder, dataset)
    if signature is not None and public_key is None:
        raise UsageError("--signature FILE is checked with a public key: add --public-key PEM.")
    if allow_unsigned and public_key is None:
        raise UsageError("--allow-unsigned concerns a signature: add --public-key PEM.")
    lost = 0
    if views is not None:
        _local(chosen, "--views")
    if rebuild:
        from mqstat.dataset.rebuild import rebuild as rebuild_manifest

        rebuilt = rebuild_manifest(_local(chosen, "--rebuild"))
        lost = len(rebuilt.problems)
        for text in [*(f"problem: {p}" for p in rebuilt.problems), *(f"remark: {r}" for r in rebuilt.remarks)]:
            typer.echo(on_one_line(text))
        typer.echo(f"manifest rebuilt: {plural(rebuilt.sources, 'source')}, {plural(rebuilt.files, 'file')}.")
    result = check(
        chosen,
        public_key,
        signature,
        allow_unsigned=allow_unsigned,
        expect_generation=expect_generation,
        rows=rows or bool(against),
    )
    files = (
        sorted({*chosen.glob("*.duckdb"), *([views] if views is not None else [])}) if isinstance(chosen, Path) else []
    )
    if files:
        from mqstat.share.view_check import view_problems

        for path in files:
            problems, remarks = view_problems(_local(chosen, "--views"), path)
            result.problems += problems
            result.remarks += remarks
    for problem in result.problems:
        typer.echo(on_one_line(f"problem: {problem}"))
    for remark in result.remarks:
        typer.echo(on_one_line(f"remark: {remark}"))
    state = plural(len(result.problems), "problem") if result.problems else "clean"
    counts = (result.sources, "source"), (result.files, "file"), (result.rows, "row")
    typer.echo(f"{', '.join(plural(*count) for count in counts)}: {state}.")
    code = UNUSABLE if result.problems or lost else CLEAR
    return max(code, _compare(chosen, against, framing, jobs)) if against else code


def _compare(folder: Home, dumps: list[str], framing: str | None, jobs: int | None) -> int:
    """Compare a dataset with dumps, print the results and the first differences, and return the highest code."""
    from mqstat.base.formatting import on_one_line
    from mqstat.intake.against import compare

    code = CLEAR
    for result in compare(folder, sources_of(dumps), framing=framing_of(framing), jobs=jobs, progress=progress):
        for difference in result.differences:
            typer.echo(on_one_line(f"difference: {difference}"))
        typer.echo(on_one_line(result.text()))
        code = max(code, result.return_code)
    return code


def prune(
    folder: FolderArgument = None,
    dataset: OneFromOption = [],
    keep: Annotated[int | None, option("--keep DAYS", int, least=1)] = None,
    before: Annotated[str | None, option("--before DATE")] = None,
    by_class: Annotated[list[str], option("--retention CLASS=PERIOD")] = [],
    hold: Annotated[list[str], option("--hold DAY[..DAY]")] = [],
    rollup: Annotated[bool, option("--rollup/--no-rollup")] = True,
    dry_run: Annotated[bool, option("--dry-run")] = False,
    wait: WaitOption = 0,
) -> int:
    """Remove old days from a dataset. Their files stay in DIR/_retired for two days, for programs that are reading them."""
    from mqstat.dataset import prune as pruning
    from mqstat.dataset import retention
    from mqstat.dataset.folders import HOURS
    from mqstat.dataset.store import open_dataset

    if sum((keep is not None, before is not None, bool(by_class))) != 1:
        raise UsageError("Specify one of --keep DAYS, --before DATE and --retention CLASS=PERIOD.")
    chosen = folder_of(folder, dataset)
    policy = retention.policy_of(by_class, hold, rollup)
    known = pruning.days_of(open_dataset(chosen).manifest)
    if by_class and policy.rollup:
        _local(chosen, ROLLUP)
    if by_class:
        _prune_by_class(chosen, policy, dry_run, wait)
        return 0
    if keep is not None:
        first = pruning.first_kept(known, keep, dt.date.today())
    else:
        from mqstat.base.selection import parse_day

        first = parse_day(before or "", "--before")
    done = (
        pruning.prune(chosen, first, keep=policy.on_hold(known), wait_seconds=wait, dry_run=dry_run)
        if first
        else pruning.Pruned()
    )
    keeper = "_retired" if isinstance(chosen, Path) else "the store"
    later = f"; {keeper} keeps the files for {HOURS} hours" if done.files and not dry_run else ""
    typer.echo(done.text("would drop" if dry_run else "dropped") + later + ".")
    return 0


ROLLUP = "--retention with hourly sums (see --no-rollup)"


def _prune_by_class(folder: Home, policy: Policy, dry_run: bool, wait: float) -> None:
    """Drop what a retention by class no longer keeps, or only list it, a sentence for each class."""
    from mqstat.dataset import retention
    from mqstat.dataset.store import open_dataset

    steps = retention.plan(open_dataset(folder).manifest, policy, dt.date.today())
    if not dry_run and steps:
        if policy.rollup:
            from mqstat.intake.rollup import roll_up

            roll_up(_local(folder, ROLLUP), steps, wait)
        retention.drop(folder, steps, wait)
    for step in steps:
        typer.echo(step.text("would drop" if dry_run else "dropped") + ".")
    if not steps:
        typer.echo("nothing to drop.")


def compact(folder: FolderArgument = None, dataset: OneFromOption = [], wait: WaitOption = 0) -> int:
    """Merge the small files of a dataset: one file for each table and day. Ingest does so when a day is over; this command does it now."""
    from mqstat.base.formatting import on_one_line
    from mqstat.dataset.compact import compact as merge

    done = merge(folder_of(folder, dataset), wait_seconds=wait)
    for text in done.skipped:
        typer.echo(on_one_line(f"problem: {text}"))
    typer.echo(f"{done.text()}.")
    return WARNING if done.skipped else CLEAR


def delta(folder: FolderArgument = None, dataset: OneFromOption = [], wait: WaitOption = 0) -> int:
    """Make a Delta table of each table of a dataset, in DIR/_delta; every later ingest, prune and compact keeps them up to date."""
    from mqstat.base.formatting import plural
    from mqstat.dataset import delta as deltas
    from mqstat.dataset.store import open_dataset, writing

    chosen = _local(folder_of(folder, dataset), "mqstat delta")
    open_dataset(chosen)  # a new folder is not made
    with writing(chosen, wait) as manifest:
        made = deltas.make(chosen, manifest)
    typer.echo(f"{plural(made, 'Delta table')} in {chosen / deltas.DELTA}.")
    return CLEAR
