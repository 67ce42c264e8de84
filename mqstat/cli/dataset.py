"""Commands that write or check a dataset: ingest, verify, prune, drop, compact."""

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
    Data,
    Dumps,
    FolderArgument,
    FramingOption,
    JobsOption,
    OneFromOption,
    OnlyOption,
    WaitOption,
    argument,
    framing_of,
    home_of,
    option,
    progress,
    reading,
    sources_of,
)

if TYPE_CHECKING:
    from mqstat.dataset.place import Home
    from mqstat.dataset.retention import Policy


@reading("dumps", "datasets", "site")
def ingest(
    context: typer.Context,
    dumps: Dumps,
    into: Annotated[Path, option("ingest --into DIR", home_of)],
    only: OnlyOption = [],
    wait: WaitOption = 0,
    damage_limit: DamageLimitOption = DAMAGE_LIMIT_PCT,
    replace: Annotated[str | None, option("--replace SOURCE")] = None,
    force: Annotated[bool, option("--force")] = False,
    again: Annotated[bool, option("--again")] = False,
) -> int:
    """Decode dumps into a Parquet dataset: one folder per table, partitioned by local date. Dumps that were ingested
    before are skipped.
    """
    from mqstat.base.formatting import on_one_line
    from mqstat.intake import ingest as ingesting
    from mqstat.intake.publication import Terms

    data: Data = context.obj
    if force and replace is None:
        raise UsageError("--force needs --replace SOURCE.")
    done = ingesting.ingest(
        sources_of(dumps),
        into,
        data.selection(only),
        framing=framing_of(data.framing),
        jobs=data.jobs,
        wait_seconds=wait,
        progress=progress,
        terms=Terms(again=again, replace=replace, force=force),
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


def verify(
    folder: FolderArgument = None,
    dataset: OneFromOption = [],
    rows: Annotated[bool, option("--rows")] = False,
    against: Annotated[list[str], option("--against DUMP")] = [],
    expect_generation: Annotated[int, option("--expect-generation N", int, least=0, show_default=False)] = 0,
    framing: FramingOption = None,
    jobs: JobsOption = None,
) -> int:
    """Check that a dataset is what its last step states (files, row counts, checksums, ledgers, Delta tables), and
    optionally its rows with the original dumps.
    """
    from mqstat.assemble.frozen_folder import is_folder
    from mqstat.base.formatting import on_one_line, plural
    from mqstat.dataset.verification import verify as check

    chosen = folder_of(folder, dataset)
    if isinstance(chosen, Path) and is_folder(chosen):
        if rows or against:
            raise UsageError(
                f"{chosen}: is a frozen folder, which is checked by its checksums alone; remove the options."
            )
        return _verify_frozen(chosen)
    result = check(chosen, expect_generation=expect_generation, rows=rows or bool(against))
    for problem in result.problems:
        typer.echo(on_one_line(f"problem: {problem}"))
    for remark in result.remarks:
        typer.echo(on_one_line(f"remark: {remark}"))
    state = plural(len(result.problems), "problem") if result.problems else "clean"
    counts = (result.sources, "source"), (result.files, "file"), (result.rows, "row")
    typer.echo(f"{', '.join(plural(*count) for count in counts)}: {state}.")
    code = UNUSABLE if result.problems else CLEAR
    return max(code, _compare(chosen, against, framing, jobs)) if against else code


def _verify_frozen(folder: Path) -> int:
    """Check a frozen folder and print what is wrong; the return code."""
    from mqstat.assemble.frozen_check import check_folder
    from mqstat.base.formatting import on_one_line, plural

    done = check_folder(folder)
    for problem in done.problems:
        typer.echo(on_one_line(f"problem: {problem}"))
    typer.echo(f"{plural(done.files, 'file')}: {plural(len(done.problems), 'problem') if done.problems else 'clean'}.")
    return UNUSABLE if done.problems else CLEAR


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
    dry_run: Annotated[bool, option("--dry-run")] = False,
    now: Annotated[bool, option("--now")] = False,
    wait: WaitOption = 0,
) -> int:
    """Remove old days from a dataset. Their files stay for two days, for programs that are reading them."""
    from mqstat.dataset import prune as pruning
    from mqstat.dataset import retention
    from mqstat.dataset.steps import KEPT_HOURS, Writer
    from mqstat.dataset.store import open_dataset

    if sum((keep is not None, before is not None, bool(by_class))) != 1:
        raise UsageError("Specify one of --keep DAYS, --before DATE and --retention CLASS=PERIOD.")
    chosen = folder_of(folder, dataset)
    policy = retention.policy_of(by_class, hold)
    known = pruning.days_of(open_dataset(chosen).manifest)
    is_now = now and not dry_run
    if is_now:
        Writer(chosen).delete_left()  # so that a full disk has space for the step
    if by_class:
        code = _prune_by_class(chosen, policy, dry_run, wait)
    else:
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
        later = f"; the files stay for {KEPT_HOURS} hours" if done.files and not dry_run and not now else ""
        typer.echo(done.text("would drop" if dry_run else "dropped") + later + ".")
        code = _changed(done.changed)
    if is_now:
        Writer(chosen).delete_left()
    return code


def _changed(paths: Sequence[str]) -> int:
    """Name the files that were changed before they were dropped; the return code."""
    from mqstat.dataset.prune import changed_text

    for path in paths:
        typer.echo(f"problem: {changed_text(path)}.")
    return WARNING if paths else CLEAR


def _prune_by_class(folder: Home, policy: Policy, dry_run: bool, wait: float) -> int:
    """Drop what a retention by class no longer keeps, or only list it, a sentence for each class; the return code."""
    from mqstat.dataset import retention
    from mqstat.dataset.store import open_dataset

    steps = retention.plan(open_dataset(folder).manifest, policy, dt.date.today())
    changed = retention.drop(folder, steps, wait) if steps and not dry_run else []
    for step in steps:
        typer.echo(step.text("would drop" if dry_run else "dropped") + ".")
    if not steps:
        typer.echo("nothing to drop.")
    return _changed(changed)


def drop(
    source: Annotated[str, argument("drop SOURCE")],
    folder: FolderArgument = None,
    dataset: OneFromOption = [],
    reason: Annotated[str, option("--reason TEXT", show_default=False)] = "",
    wait: WaitOption = 0,
) -> int:
    """Take an input out of a dataset, as if it had never been there. Its content is not added again without --again."""
    from mqstat.base.formatting import on_one_line, plural
    from mqstat.dataset import drop as dropping

    chosen = folder_of(folder, dataset)
    entry, days = dropping.drop(chosen, source, reason, wait)
    typer.echo(
        on_one_line(f"{entry.name}: source {entry.source_id} was taken out; {plural(len(days), 'day')} changed.")
    )
    return CLEAR


def compact(folder: FolderArgument = None, dataset: OneFromOption = [], wait: WaitOption = 0) -> int:
    """Merge the small files of a dataset: one file for each table and day. Ingest does so when a day is over; this
    command does it now.
    """
    from mqstat.base.formatting import on_one_line
    from mqstat.dataset.compact import compact as merge

    done = merge(folder_of(folder, dataset), wait_seconds=wait)
    for text in done.skipped:
        typer.echo(on_one_line(f"problem: {text}"))
    typer.echo(f"{done.text()}.")
    return WARNING if done.skipped else CLEAR
