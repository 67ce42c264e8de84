"""One run of `mqstat daily`, step by step. Every step logs one line; a run can be repeated at any time.

Nothing is lost and nothing is done twice, wherever a run ends: dumps are identified by their content, a day's report is
written if its data has changed since or a file of it is missing, and old days go in one step.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from mqstat.assemble import history
from mqstat.base import return_codes
from mqstat.base.atomic_write import not_a_link
from mqstat.base.errors import ConfigError, DatasetError, MqstatError, NoDataError
from mqstat.base.formatting import findings_text, number_text, pasted, plural
from mqstat.base.selection import Selection
from mqstat.daily import days, inbox, outputs
from mqstat.daily import state as states
from mqstat.daily.config import Config
from mqstat.daily.current import Run
from mqstat.daily.mail import failure
from mqstat.daily.outcome import MAIL, MEANING, write_failure, write_outcome, write_status
from mqstat.daily.send import last_mail, send
from mqstat.dataset import finding_day, retention, store
from mqstat.dataset import prune as pruning
from mqstat.dataset.row_check import check_rows
from mqstat.intake.staging import Input
from mqstat.parsers.framing import Framing
from mqstat.sources.source import Source
from mqstat.sql.site import Site, load_site

LOCK = ".daily.lock"

SHOWN = 5
"""Problems of rows that the mail of a run lists."""


def run(run: Run) -> int:
    """Do everything; returns the return code. MqstatError if it cannot continue: results so far are kept."""
    config = run.config
    with ExitStack() as stack:
        try:
            if not config.reports.folder.is_dir():
                _inputs(config)  # a first run without its inbox or with an invalid site file creates nothing
            stack.enter_context(_alone(config))
        except MqstatError as error:
            run.raise_to(error.return_code)
            send(run, failure(run.yesterday, error.return_code, str(error)), error=str(error))
            raise
        try:
            _work(run)
        except MqstatError as error:
            write_failure(run, error)
            raise
        except OSError as error:
            fault = MqstatError(f"{config.reports.folder}: cannot be written ({error.strerror or error}).")
            write_failure(run, fault)
            raise fault from None
        except BaseException as error:
            text = f"The run was interrupted ({type(error).__name__}); see its log."
            write_status(run, None, return_codes.FAILED, text)
            if isinstance(error, Exception):
                send(run, failure(run.yesterday, return_codes.FAILED, text), error=text)
            raise
    code = run.codes.highest
    origin = f" ({run.codes.text()})" if code else ""
    run.log("end", f"return code {code}: {MEANING[code]}{origin}")
    return code


def _work(run: Run) -> None:
    """All steps of a run that holds the lock."""
    folder = run.config.reports.folder
    (folder / MAIL).unlink(missing_ok=True)  # an old mail must not be sent if this run fails
    for text in last_mail(folder).unsent if run.config.mail else ():
        run.note("mail", text, return_codes.CLEAR)
    site, files, others = _inputs(run.config)
    state, why = states.load(folder)
    if why:
        run.log("state", f"{why}; the inbox is read again and reports are written again")
    states.add_died(folder, state)
    _recall(run, state)
    policy = _policy(run, state)
    _prune(run, state, policy)
    suspects = _ingest(run, state, files, others)
    _prune(run, state, policy)
    _reports(run, state, site)
    _forget(run, state)
    outputs.write_copies(run, site)
    state.retention = run.config.policy.texts()
    write_outcome(run, state, site)
    for file in suspects:  # the results of this run are complete, should it die here
        _read(run, state, [file])


def _inputs(config: Config) -> tuple[Site, list[inbox.File], int]:
    """The site file, the files of the inbox and the number of ignored ones; MqstatError if one of them cannot be
    read.
    """
    site = load_site(config.reports.site) if config.reports.site else Site()
    return site, *inbox.files_of(config.inbox.folder, config.inbox.files)


@contextmanager
def _alone(config: Config) -> Iterator[None]:
    """Hold the lock of the reports folder; MqstatError if another run holds it and does not end in time."""
    try:
        config.reports.folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(not_a_link(config.reports.folder / LOCK))
        lock.acquire(timeout=config.wait_seconds)
    except Timeout:
        raise MqstatError(
            f"{config.reports.folder}: another mqstat daily is running here and did not end within {config.wait_seconds} seconds; nothing was done."
        ) from None
    except OSError as error:
        raise ConfigError(f"The reports folder {config.reports.folder} cannot be written ({error.strerror}).") from None
    try:
        yield
    finally:
        lock.release()


# ---------------------------------------------------------------------------------------------------------- the dataset


def _recall(run: Run, state: states.State) -> None:
    """Without a record of what was reported, days older than the reports that are kept, and days past the retention,
    count as reported.
    """
    if state.reported is None:
        data = days.data_of(run.manifest())
        first = _first_report(run, set(data))
        old = {day for day in data if first is not None and day < first}
        old |= {day for step in retention.plan(run.manifest(), run.config.policy, run.today) for day in step.days}
        state.reported = {day: data[day] for day in old}


def _policy(run: Run, state: states.State) -> retention.Policy:
    """The retention of this run. One that drops more than that of the run before is only announced: the next run
    applies it.
    """
    policy = run.config.policy
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
    """Remove what is too old: before an ingest, which may need the space, and after it. Days with data that no report
    has shown are kept.
    """
    config, manifest = run.config, run.manifest()
    data, reported = days.data_of(manifest), state.reported or {}
    steps = retention.plan(manifest, policy, run.today)
    run.kept = sorted({day for step in steps for day in step.days if reported.get(day) != data[day]})
    steps = retention.plan(manifest, policy, run.today, run.kept) if run.kept else steps
    if not steps:
        return
    for path in retention.drop(config.dataset.folder, steps, config.wait_seconds):
        run.note("prune", f"{pruning.changed_text(path)}.", return_codes.WARNING)
    for step in steps:
        run.dropped = sorted({*run.dropped, *step.days})
        run.log("prune", f"{step.text('dropped')} (retention: {policy.text()})")


def _ingest(run: Run, state: states.State, files: list[inbox.File], others: int) -> list[inbox.File]:
    """Add new dumps to the dataset; returns those in which a run died, which are read when all else is done."""
    config = run.config
    manifest = run.manifest()  # what was taken out of the dataset is not read again either
    contents = frozenset(source.sha256 for source in manifest.sources)
    contents |= {source.sha256 for source in manifest.dropped_sources}
    new = [file for file in files if not inbox.known(file, state.seen, contents)]
    left = f", {plural(others, 'other')} ignored" if others else ""
    run.log("inbox", f"{plural(len(files), 'file')}: {len(new)} new, {len(files) - len(new)} known{left}")
    state.seen = {file.name: state.seen[file.name] for file in files if file not in new}
    died = {file.name: state.died[file.name] for file in new if file.name in state.died}
    state.died = {
        file.name: died[file.name]
        for file in new
        if file.name in died and (died[file.name].size, died[file.name].changed) == (file.size, file.changed)
    }
    states.save(config.reports.folder, state)
    states.note_reading(config.reports.folder, {})
    ready = _at_rest(run, new) if new else []
    suspects = [file for file in ready if file.name in state.died]
    _read(run, state, [file for file in ready if file not in suspects])
    for file in suspects:
        run.note(
            "refused",
            f"{file.name}: a run of mqstat died while it read this file, for want of memory or because it was ended. It is read once a day, "
            f"after everything else. Diagnose it: mqstat doctor {pasted(str(file.path))}",
            return_codes.UNUSABLE,
        )
    return [file for file in suspects if state.died[file.name].tried != run.today]


def _read(run: Run, state: states.State, ready: list[inbox.File]) -> None:
    """Read files that are at rest into the dataset, and check the rows; which ones is noted before, should the run
    die.
    """
    from mqstat.intake.ingest import Outcome, ingest
    from mqstat.intake.publication import Terms

    if not ready:
        return
    config = run.config
    by_path = {file.path: file for file in ready}
    before = {entry.path for entry in run.manifest().files}
    refused: set[inbox.File] = set()
    reading: set[inbox.File] = set()

    def note_refused(file: inbox.File, source: Source) -> None:
        if file.size == 0 and _young(file, config):
            run.note(
                "wait",
                f"{file.name}: is empty. Is the transfer still running? The next run reads it again; when it is "
                f"{number_text(config.inbox.rest_hours)} hours old (inbox.rest_hours), it cannot be used.",
                return_codes.WARNING,
            )
        else:
            refused.add(file)
            run.note("refused", f"not added: {source.fault}", source.code)

    def hold(each: Input) -> str | None:
        own = each.source.file if each.source is not None else None
        file = by_path.get(own) if isinstance(own, Path) else None
        if file is None:
            return None
        if not inbox.cut(each.result) or not _young(file, config):
            run.note_damage(each.name, file.path, each.result.part.ledger)
            return None
        return (
            f"is truncated. Is the transfer still running, or did it fail? mqstat reads it as it is when it is "
            f"{number_text(config.inbox.rest_hours)} hours old (inbox.rest_hours)."
        )

    def report(outcome: Outcome) -> None:
        if isinstance(outcome.file, Path):
            reading.discard(by_path[outcome.file])
        if outcome.state == "refused":
            run.note("refused", outcome.text, outcome.code)
        elif outcome.state == "held":
            run.note("wait", outcome.text, return_codes.WARNING)
        else:
            run.log("ingest", outcome.text)

    def noted(sources: Iterator[Source]) -> Iterator[Source]:
        for source in sources:
            if isinstance(source.file, Path) and source.file in by_path:
                reading.add(by_path[source.file])
                note()
            yield source

    def note() -> None:
        tried = run.today if len(reading) == 1 else None
        states.note_reading(
            config.reports.folder, {each.name: states.Died(each.size, each.changed, tried) for each in reading}
        )

    try:
        done = ingest(
            noted(inbox.sources(ready, note_refused, 60 * config.inbox.file_minutes or None)),
            config.dataset.folder,
            Selection(),
            framing=Framing(config.inbox.framing) if config.inbox.framing else None,
            jobs=config.jobs,
            wait_seconds=config.wait_seconds,
            progress=run.progress,
            terms=Terms(hold),
            report=report,
        )
    except (DatasetError, OSError, KeyboardInterrupt):  # not for want of memory
        states.note_reading(config.reports.folder, {})
        raise
    states.note_reading(config.reports.folder, {})
    contents_of: dict[Path, list[str]] = {}
    dropped = {source.sha256 for source in run.manifest().dropped_sources}
    for outcome in done.outcomes:
        if isinstance(outcome.file, Path):
            contents_of.setdefault(outcome.file, []).append(outcome.sha256 or "")
            is_known = outcome.state in ("added", "there") or outcome.sha256 in dropped
            if outcome.sha256 is None or not is_known:
                refused.add(by_path[outcome.file])
    for path, read in contents_of.items():
        file = by_path[path]
        state.died.pop(file.name, None)
        if file not in refused:
            state.seen[file.name] = states.Seen(file.size, file.changed, tuple(read))
    states.save(config.reports.folder, state)
    run.raise_to(done.return_code(config.reports.damage_limit_percent))
    _check_rows(run, before)


def _check_rows(run: Run, before: Collection[str]) -> None:
    """Check the rows of all files that the dataset has now and had not `before`; what does not fit is reported."""
    manifest = run.manifest()
    added = [entry for entry in manifest.files if entry.path not in before]
    if not added:
        return
    problems = check_rows(store.opened_as(run.config.dataset.folder, manifest), added).problems
    for text in problems[:SHOWN]:
        run.note("verify", text, return_codes.UNUSABLE)
    if not problems:
        run.log("verify", f"{plural(sum(entry.rows for entry in added), 'new row')} checked")


def _at_rest(run: Run, new: list[inbox.File]) -> list[inbox.File]:
    """The new files that have stopped changing; the others are reported."""
    config, reported = run.config, False

    def pause(seconds: float) -> None:
        nonlocal reported
        if not reported:
            run.log(
                "wait",
                f"for files that changed within the last {number_text(config.inbox.settle_seconds)} seconds, at most {config.wait_seconds} seconds",
            )
        reported = True
        run.pause(seconds)

    ready, moving = inbox.settled(new, config.inbox.settle_seconds, config.wait_seconds, pause)
    for file in moving:
        run.note("wait", f"{file.name}: is still being written; the next run reads it.", 4)
    return ready


def _young(file: inbox.File, config: Config) -> bool:
    """Whether the rest of a truncated dump may still arrive."""
    return time.time() - file.changed / 1e9 < 3600 * config.inbox.rest_hours


# ---------------------------------------------------------------------------------------------------------- the reports


def _reports(run: Run, state: states.State, site: Site) -> None:
    """Write the report of each day with new data, then those whose key has changed since they were written, the newest
    first.
    """
    data = days.data_of(run.manifest())
    last = run.today + dt.timedelta(days=1)  # in the time zone of the queue managers it may already be tomorrow
    first = _first_report(run, {*data, *state.days})
    if run.rebuild_history:
        _rebuild_history(run, site, [day for day in sorted(data) if day <= last])
    reported = state.reported = {day: old for day, old in (state.reported or {}).items() if day in data}
    for day in sorted(data):
        is_kept = first is None or day >= first
        if day > last and day not in state.days:
            run.log("report", f"{day}: this day is in the future but has records: no report; is a clock wrong?")
        elif reported.get(day) == data[day] and (day in state.days or not is_kept):
            continue
        elif days.only_late(run.config, day):
            run.log("report", f"{day}: only accounting of the previous day, written at midnight: no report")
            reported[day] = data[day]
        else:
            reported[day] = data[day]  # saved with the report
            _report(run, state, site, day, data[day])
    _update(run, state, site, data)
    if run.kept:
        run.note(
            "prune",
            f"{_listed(run.kept)} {'is' if len(run.kept) == 1 else 'are'} older than the retention ({run.config.policy.text()}) "
            "and had data without a report: kept for this run and its reports. The next run drops them.",
            return_codes.CLEAR,
        )


def _update(run: Run, state: states.State, site: Site, data: Mapping[dt.date, str]) -> None:
    """Write the reports again of which something is missing, whose day has ended, or whose history has changed."""
    dataset = run.config.dataset.folder
    changed = finding_day.changed_files(dataset, run.manifest())
    if changed:
        run.note(
            "history",
            f"{changed[0]} is missing or was changed since it was written: the history of its days is not known. "
            f"Judge the days again whose data is in the dataset: {run.command} --rebuild-history",
            return_codes.WARNING,
        )
    known = history.memory(dataset).days
    manifest = run.manifest()
    if manifest.dropped_sources and not changed:
        for day in sorted(state.days.keys() - data.keys() - known.keys()):
            if finding_day.read_day(dataset, manifest, day).num_rows:
                continue  # its rows were pruned
            _remove_report(run, state, day)
            run.log("report", f"{day}: removed: its inputs were taken out of the dataset")
    for day, entry in sorted(state.days.items(), reverse=True):
        if day in run.made or day not in data or (changed and day not in known):
            continue
        past = known[day].checksum if day in known else ""
        missing = days.missing_of(run.config, day, entry)
        # The report of a day that is over stays if the clock of the machine goes back.
        valid = {days.key_of(data[day], past, missing, is_complete=each) for each in (True, day < run.today)}
        if entry.key not in valid:
            _report(run, state, site, day, data[day])


def _listed(known: list[dt.date]) -> str:
    """Days as text: up to three, otherwise the first, the last and their number."""
    if len(known) <= 3:
        return ", ".join(map(str, known))
    return f"{len(known)} days from {known[0]} to {known[-1]}"


def _report(run: Run, state: states.State, site: Site, day: dt.date, data: str) -> None:
    """Write the report of a day, and note it."""
    config, had = run.config, state.days.get(day)
    try:
        made = days.make(config, day, data, site, is_complete=day < run.today)
    except NoDataError:
        if day in days.data_of(run.manifest()):
            raise
        run.log("report", f"{day}: another command has dropped this day meanwhile: no report")
        return
    for text in made.faults:
        run.note_output(f"{day}: {text}")
    state.days[day] = run.made[day] = made
    states.save(config.reports.folder, state)
    so_far = ", the day is not complete yet" if day >= run.today else ""
    run.log(
        "report",
        f"{day}: {'written again: ' if had else ''}{findings_text(made.counts)}, return code {made.code}{so_far}: {', '.join(made.files.values())}",
    )
    # Do not report again what the previous run reported only because the last interval of the day came late.
    if day != run.yesterday and (had is None or made.code > had.code):
        run.codes = msgspec.structs.replace(run.codes, other_days=max(run.codes.other_days or 0, made.code))


def _rebuild_history(run: Run, site: Site, known: list[dt.date]) -> None:
    """Judge days again for the history; other days of the history stay as they are."""
    whole = [day for day in known if not days.only_late(run.config, day)]
    days.judge_again(run.config.dataset.folder, whole, run.today, site, run.config.wait_seconds)
    run.log("history", f"judged again: {_listed(whole)}" if whole else "no day with data")


def _first_report(run: Run, known: set[dt.date]) -> dt.date | None:
    """The first day whose report is kept; None if all are kept."""
    keep = run.config.reports.keep_days
    return pruning.first_kept(known, keep, run.today) if keep else None


def _remove_report(run: Run, state: states.State, day: dt.date) -> None:
    for name in state.days.pop(day).files.values():
        (run.config.reports.folder / name).unlink(missing_ok=True)


def _forget(run: Run, state: states.State) -> None:
    """Remove the reports of days that are too old, and missing reports from the list."""
    folder, first = run.config.reports.folder, _first_report(run, set(state.days))
    old = sorted(day for day in state.days if first is not None and day < first and day not in run.made)
    for day in old:
        _remove_report(run, state, day)
    if old:
        run.log(
            "prune",
            f"dropped the reports of {plural(len(old), 'day')} before {first} (reports.keep_days = {run.config.reports.keep_days})",
        )
    for day, entry in list(state.days.items()):
        present = {format_name: name for format_name, name in entry.files.items() if (folder / name).is_file()}
        if not present:
            del state.days[day]
