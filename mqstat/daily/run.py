"""One run of `mqstat daily`, step by step. Every step logs one line; a run can be repeated at any time.

Nothing is lost and nothing is done twice, wherever a run ends: dumps are identified by their content, a day's report is written if its data has
changed since or a file of it is missing, and old days go in one step.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from mqstat.assemble import history
from mqstat.base import return_codes
from mqstat.base.atomic_write import not_a_link
from mqstat.base.errors import ConfigError, MqstatError
from mqstat.base.formatting import findings_text, number_text, pasted, plural
from mqstat.base.selection import Selection
from mqstat.daily import days, inbox, integrity, outputs
from mqstat.daily import state as states
from mqstat.daily.config import Config
from mqstat.daily.current import Run
from mqstat.daily.outcome import MAIL, MEANING, write_failure, write_outcome, write_status
from mqstat.dataset import finding_day, retention
from mqstat.dataset import prune as pruning
from mqstat.dataset.store import day_of
from mqstat.intake.staging import Input
from mqstat.parsers.framing import Framing
from mqstat.sources.source import Source
from mqstat.sql.site import Site, load_site

LOCK = ".daily.lock"


def run(run: Run) -> int:
    """Do everything; returns the return code. MqstatError if it cannot continue: results so far are kept."""
    config = run.config
    if not config.reports.is_dir():
        _inputs(config)  # a first run without its inbox or with an invalid site file creates nothing
    with _alone(config):
        try:
            (config.reports / MAIL).unlink(missing_ok=True)  # an old mail must not be sent if this run fails
            site, files, others = _inputs(config)
            state, why = states.load(config.reports)
            if why:
                run.log("state", f"{why}; the inbox is read again and reports are written again")
            _recall(run, state)
            policy = _policy(run, state)
            _prune(run, state, policy)
            before = {entry.path for entry in run.manifest().files}
            _ingest(run, state, files, others)
            sound = integrity.check_new_rows(run, before)
            _prune(run, state, policy)
            _reports(run, state, site)
            _forget(run, state)
            if sound:
                integrity.sign(run)
            outputs.load_databases(run, site)
            state.retention = run.config.retention.texts()
            write_outcome(run, state, site)
        except MqstatError as error:
            write_failure(run, error)
            raise
        except OSError as error:
            failure = MqstatError(f"{config.reports}: cannot be written ({error.strerror or error}).")
            write_failure(run, failure)
            raise failure from None
        except BaseException as error:
            write_status(run, None, return_codes.FAILED, f"The run was interrupted ({type(error).__name__}).")
            raise
    code = run.codes.highest
    run.log("end", f"return code {code}: {MEANING[code]} ({run.codes.text()})")
    return code


def _inputs(config: Config) -> tuple[Site, list[inbox.File], int]:
    """The site file, the files of the inbox and the number of ignored ones; MqstatError if one of them, or the key, cannot be read."""
    integrity.check_key(config)
    site = load_site(config.site) if config.site else Site()
    return site, *inbox.files_of(config.inbox, config.files)


@contextmanager
def _alone(config: Config) -> Iterator[None]:
    """Hold the lock of the reports folder; MqstatError if another run holds it and does not end in time."""
    try:
        config.reports.mkdir(parents=True, exist_ok=True)
        lock = FileLock(not_a_link(config.reports / LOCK))
        lock.acquire(timeout=config.wait_seconds)
    except Timeout:
        raise MqstatError(
            f"{config.reports}: another mqstat daily is running here and did not end within {config.wait_seconds} seconds; nothing was done."
        ) from None
    except OSError as error:
        raise ConfigError(f"The reports folder {config.reports} cannot be written ({error.strerror}).") from None
    try:
        yield
    finally:
        lock.release()


# ------------------------------------------------------------------------------------------------------------------ the dataset


def _recall(run: Run, state: states.State) -> None:
    """Without a record of what was reported, days older than the reports that are kept, and days past the retention, count as reported."""
    if state.reported is None:
        data = days.data_of(run.manifest())
        first = _first_report(run, set(data))
        old = {day for day in data if first is not None and day < first}
        old |= {day for step in retention.plan(run.manifest(), run.config.retention, run.today) for day in step.days}
        state.reported = {day: data[day] for day in old} | {day: entry.data for day, entry in state.days.items()}


def _policy(run: Run, state: states.State) -> retention.Policy:
    """The retention of this run. One that drops more than that of the run before is only announced: the next run applies it."""
    policy = run.config.retention
    known = state.retention
    if known == policy.texts():
        return policy
    manifest = run.manifest()
    before = dataclasses.replace(
        policy, periods={name: retention.parse_period(text) for name, text in (known or {}).items()}
    )
    before_drops = {entry.path for step in retention.plan(manifest, before, run.today) for entry in step.files}
    steps = retention.plan(manifest, policy, run.today)
    if {entry.path for step in steps for entry in step.files} <= before_drops:
        return policy
    so_far = f", so far {before.text()}" if known is not None else ""
    run.note(
        "prune",
        f"The retention is new: {policy.text()}{so_far}. Nothing is dropped for it in this run.",
        return_codes.CLEAR,
    )
    for step in steps:
        run.note("prune", f"{step.text('The next run drops')}.", return_codes.CLEAR)
    return before


def _prune(run: Run, state: states.State, policy: retention.Policy) -> None:
    """Remove what is too old: before an ingest, which may need the space, and after it. Days with data that no report has shown are kept."""
    config, manifest = run.config, run.manifest()
    data, reported = days.data_of(manifest), state.reported or {}
    steps = retention.plan(manifest, policy, run.today)
    run.kept = sorted({day for step in steps for day in step.days if reported.get(day) != data[day]})
    steps = retention.plan(manifest, policy, run.today, run.kept) if run.kept else steps
    if not steps:
        return
    if policy.rollup:
        from mqstat.intake.rollup import changed_files, roll_up

        changed = changed_files(config.dataset, manifest, {day for step in steps for day in step.days})
        if changed:
            changed_days = {day for entry in changed if (day := day_of(entry)) is not None}
            steps = retention.plan(manifest, policy, run.today, {*run.kept, *changed_days})
            text = (
                f"{changed[0].path} is missing or was changed since it was written: {_listed(sorted(changed_days))} {'is' if len(changed_days) == 1 else 'are'} not dropped; "
                f"mqstat verify {pasted(str(config.dataset))} lists such files."
            )
            if text not in run.notes:
                run.note("prune", text, return_codes.WARNING)
        views = roll_up(config.dataset, steps, config.wait_seconds)
        if views:
            run.log("rollup", f"hourly sums of {', '.join(views)} added to {config.dataset / 'rollup'}")
    retention.drop(config.dataset, steps, config.wait_seconds)
    for step in steps:
        run.dropped = sorted({*run.dropped, *step.days})
        run.log("prune", f"{step.text('dropped')} (retention: {policy.text()})")


def _ingest(run: Run, state: states.State, files: list[inbox.File], others: int) -> None:
    """Add new dumps to the dataset."""
    from mqstat.intake.ingest import Outcome, ingest

    config = run.config
    contents = frozenset(source.sha256 for source in run.manifest().sources)
    new = [file for file in files if not inbox.known(file, state.seen, contents)]
    left = f", {plural(others, 'other')} ignored" if others else ""
    run.log("inbox", f"{plural(len(files), 'file')}: {len(new)} new, {len(files) - len(new)} known{left}")
    state.seen = {file.name: state.seen[file.name] for file in files if file not in new}
    if not new:
        states.save(config.reports, state)
        return
    ready = _at_rest(run, new)
    by_path = {file.path: file for file in ready}
    refused: list[inbox.File] = []

    def note_refused(file: inbox.File, source: Source) -> None:
        if file.size == 0 and _young(file, config):
            run.note("wait", f"{file.name}: is still empty; the next run checks it again.", return_codes.WARNING)
        else:
            refused.append(file)
            text = f"{source.fault} It stays in the inbox and is reported every run until you move it."
            run.note("refused", text, source.code)

    def hold(each: Input) -> str | None:
        own = each.source.file if each.source is not None else None
        file = by_path.get(own) if isinstance(own, Path) else None
        if file is None or not inbox.cut(each.result) or not _young(file, config):
            return None
        return (
            f"is truncated. Is the transfer still running, or did it fail? mqstat reads it as it is when it is "
            f"{number_text(config.rest_hours)} hours old (inbox.rest_hours)."
        )

    def report(outcome: Outcome) -> None:
        if outcome.state == "refused":
            run.note("refused", outcome.text, outcome.code)
        elif outcome.state == "held":
            run.note("wait", outcome.text, return_codes.WARNING)
        else:
            run.log("ingest", outcome.text)

    done = ingest(
        inbox.sources(ready, note_refused, 60 * config.file_minutes or None),
        config.dataset,
        Selection(),
        framing=Framing(config.framing) if config.framing else None,
        jobs=config.jobs,
        wait_seconds=config.wait_seconds,
        progress=run.progress,
        hold=hold,
        report=report,
    )
    checksums: dict[Path, list[str | None]] = {}
    for outcome in done.outcomes:
        if isinstance(outcome.file, Path):
            in_dataset = outcome.state in ("added", "there")
            checksums.setdefault(outcome.file, []).append(outcome.sha256 if in_dataset else None)
    for path, digest in checksums.items():
        file = by_path[path]
        if None not in digest and file not in refused:
            state.seen[file.name] = [file.size, file.changed, *digest]
    states.save(config.reports, state)
    run.raise_to(done.return_code(config.damage_limit_percent))


def _at_rest(run: Run, new: list[inbox.File]) -> list[inbox.File]:
    """The new files that have stopped changing; the others are reported."""
    config, reported = run.config, False

    def pause(seconds: float) -> None:
        nonlocal reported
        if not reported:
            run.log(
                "wait",
                f"for files that changed within the last {number_text(config.settle_seconds)} seconds, at most {config.wait_seconds} seconds",
            )
        reported = True
        run.pause(seconds)

    ready, moving = inbox.settled(new, config.settle_seconds, config.wait_seconds, pause)
    for file in moving:
        run.note("wait", f"{file.name}: is still being written; the next run reads it.", 4)
    return ready


def _young(file: inbox.File, config: Config) -> bool:
    """Whether the rest of a truncated dump may still arrive."""
    return time.time() - file.changed / 1e9 < 3600 * config.rest_hours


# ------------------------------------------------------------------------------------------------------------------ the reports


def _reports(run: Run, state: states.State, site: Site) -> None:
    """Write the report of every day whose data has changed since its last report, or that lacks a file."""
    data = days.data_of(run.manifest())
    last = run.today + dt.timedelta(days=1)  # in the time zone of the queue managers it may already be tomorrow
    first = _first_report(run, {*data, *state.days})
    if run.rebuild_history:
        _rebuild_history(run, site, [day for day in sorted(data) if day <= last])
    reported = state.reported = {day: old for day, old in (state.reported or {}).items() if day in data}
    for day in sorted(data):
        if day > last:
            run.log("report", f"{day}: this day is in the future but has records: no report; is a clock wrong?")
        elif first is None or day >= first or reported.get(day) != data[day]:
            _report(run, state, site, day, data[day])
    _refresh(run, state, site, data)
    if run.kept:
        run.note(
            "prune",
            f"{_listed(run.kept)} {'is' if len(run.kept) == 1 else 'are'} older than the retention ({run.config.retention.text()}) "
            "and had data without a report: kept for this run and its reports. The next run drops them.",
            return_codes.CLEAR,
        )


def _listed(known: list[dt.date]) -> str:
    """Days as text: up to three, otherwise the first, the last and their number."""
    if len(known) <= 3:
        return ", ".join(map(str, known))
    return f"{len(known)} days from {known[0]} to {known[-1]}"


def _report(run: Run, state: states.State, site: Site, day: dt.date, data: str) -> None:
    config, had = run.config, state.days.get(day)
    whole = had is not None and all(
        (config.reports / name).is_file() for name in states.names_of(day, config.formats).values()
    )
    filled = had is not None and set(outputs.of_days(config)) <= set(had.outputs)
    if (
        had is not None
        and had.data == data
        and whole
        and filled
        and not had.faults
        and had.is_complete == (day < run.today)
    ):
        return
    if days.only_late(config, day):
        run.log("report", f"{day}: only accounting of the previous day, written at midnight: no report")
        state.reported = {**(state.reported or {}), day: data}
        return
    why = ""
    if had is not None:
        reason = (
            "more data has arrived"
            if had.data != data
            else "a file was missing"
            if not whole
            else "an output could not be written"
            if had.faults
            else "an output was added"
            if not filled
            else "the day is over"
        )
        why = f"written again because {reason}: "
    _make(run, state, site, day, data, why)


def _make(run: Run, state: states.State, site: Site, day: dt.date, data: str, why: str) -> None:
    """Write the report of a day, and note it."""
    config, had = run.config, state.days.get(day)
    made = days.make(config, day, data, site, is_complete=day < run.today)
    for text in made.faults:
        run.note_output(f"{day}: {text}")
    state.days[day] = run.made[day] = made
    state.reported = {**(state.reported or {}), day: data}
    states.save(config.reports, state)
    so_far = ", the day is not complete yet" if day >= run.today else ""
    run.log(
        "report",
        f"{day}: {why}{findings_text(made.counts)}, return code {made.code}{so_far}: {', '.join(made.files.values())}",
    )
    # Do not report again what the previous run reported only because the last interval of the day came late.
    if day != run.yesterday and (had is None or made.code > had.code):
        run.codes = dataclasses.replace(run.codes, other_days=max(run.codes.other_days or 0, made.code))


def _rebuild_history(run: Run, site: Site, known: list[dt.date]) -> None:
    """Judge days again for the history; other days of the history stay as they are."""
    whole = [day for day in known if not days.only_late(run.config, day)]
    days.judge_again(run.config, whole, run.today, site)
    run.log("history", f"judged again: {_listed(whole)}" if whole else "no day with data")


REFRESHED = 7
"""Reports that one run writes again only because the history that they show has changed."""


def _refresh(run: Run, state: states.State, site: Site, data: Mapping[dt.date, str]) -> None:
    """Write reports again whose findings have another history now, because data of an earlier day arrived late; the newest first, at most REFRESHED."""
    changed = finding_day.changed_files(run.config.dataset, run.manifest())
    if changed:
        run.note(
            "history",
            f"{changed[0]} is missing or was changed since it was written: the history of its days is not known. "
            "mqstat daily CONFIG --rebuild-history judges the days again whose data is in the dataset.",
            return_codes.WARNING,
        )
    known = history.memory(run.config.dataset).days
    stale = [
        day
        for day, entry in sorted(state.days.items(), reverse=True)
        if day in data and day in known and entry.history != known[day].checksum
    ]
    for day in stale[:REFRESHED]:
        _make(run, state, site, day, data[day], "written again because the history of its findings has changed: ")
    if stale[REFRESHED:]:
        left = ", ".join(map(str, stale[REFRESHED:]))
        run.log(
            "report",
            f"{left}: the history of the findings has changed; the next runs write them again, {REFRESHED} each",
        )


def _first_report(run: Run, known: set[dt.date]) -> dt.date | None:
    """The first day whose report is kept; None if all are kept."""
    keep = run.config.keep_reports
    return pruning.first_kept(known, keep, run.today) if keep else None


def _forget(run: Run, state: states.State) -> None:
    """Remove the reports of days that are too old, and missing reports from the list."""
    folder, first = run.config.reports, _first_report(run, set(state.days))
    old = sorted(day for day in state.days if first is not None and day < first and day not in run.made)
    for day in old:
        for name in state.days[day].files.values():
            (folder / name).unlink(missing_ok=True)
        del state.days[day]
    if old:
        run.log(
            "prune",
            f"dropped the reports of {plural(len(old), 'day')} before {first} (reports.keep_days = {run.config.keep_reports})",
        )
    for day, entry in list(state.days.items()):
        present = {format_name: name for format_name, name in entry.files.items() if (folder / name).is_file()}
        if not present:
            del state.days[day]
