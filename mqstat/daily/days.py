"""The report of one local day of a dataset."""

from __future__ import annotations

import dataclasses
import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mqstat.base.errors import MqstatError
from mqstat.base.inputs import Inputs, as_typed, naming, typing
from mqstat.daily import outputs
from mqstat.daily.config import Config
from mqstat.daily.state import Day, names_of
from mqstat.dataset.manifest import Manifest
from mqstat.dataset.store import day_of, open_dataset
from mqstat.render.format import Options
from mqstat.render.formats import needs_of
from mqstat.sql.site import Site

if TYPE_CHECKING:
    from mqstat.assemble.finding import Finding
    from mqstat.assemble.history import History
    from mqstat.assemble.model import Report
    from mqstat.sql.workspace import Workspace

LISTED_FINDINGS = 20
"""Findings that the mail lists one by one."""


def data_of(manifest: Manifest) -> dict[dt.date, str]:
    """A checksum over the inputs with data of each day of a dataset: it changes when a dump adds data to the day, and
    not when files are merged or details dropped.
    """
    contents = {
        source.source_id: f"{source.sha256} {json.dumps(source.selection, sort_keys=True)}\n"
        for source in manifest.sources
    }
    texts: dict[dt.date, set[str]] = {}
    for entry in manifest.files:
        day = day_of(entry)
        if day is not None:
            texts.setdefault(day, set()).update(contents[number] for number in entry.source_ids if number in contents)
    return {day: hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()[:32] for day, lines in texts.items()}


def key_of(data: str, history: str, missing: Iterable[str] = (), *, is_complete: bool) -> str:
    """The key of all that the report of a day depends on: the checksums of its data and of the history of its findings,
    whether the day is over, and what of it is `missing`.
    """
    return hashlib.sha256(json.dumps([data, history, is_complete, sorted(missing)]).encode()).hexdigest()[:32]


def missing_of(config: Config, day: dt.date, entry: Day) -> list[str]:
    """The files and outputs of a day that the configuration names and that are not there."""
    files = names_of(day, config.reports.formats).values()
    absent = [name for name in files if not (config.reports.folder / name).is_file()]
    return absent + [name for name in outputs.of_days(config) if name not in entry.outputs]


LATE = dt.timedelta(minutes=1)
"""Time after midnight in which the last interval of the previous day is still being written."""


def only_late(config: Config, day: dt.date) -> bool:
    """Whether a day has only the accounting that was written at the end of the last interval of the previous day."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    dataset = open_dataset(config.dataset.folder)
    files = dataset.days(day, day).get("record", ())
    last = [pc.max(pq.read_table(file, columns=["written_local"])["written_local"]).as_py() for file in files]
    known = [moment for moment in last if moment is not None]
    return bool(known) and max(known) < dt.datetime.combine(day, dt.time()) + LATE


def make(config: Config, day: dt.date, data: str, site: Site, *, is_complete: bool = True) -> Day:
    """Add what was judged on a day to the history in the dataset, and write its report in every configured format, each
    file atomically.

    `is_complete` = the day is over.
    Raises UsageError when a file cannot be written, MqstatError when the report cannot be computed.
    """
    from mqstat.intake.open_data import open_data

    files = names_of(day, config.reports.formats)
    with (
        _with_space(f"The report of {day} could not be computed"),
        naming(Inputs(dataset=str(config.dataset.folder.resolve()), options=tuple(_options(config, day)))),
        open_data(dataset=config.dataset.folder, days=[day], site=site.on(day)) as database,
    ):
        made, past = _make(config, database, day, data, files, is_complete=is_complete)
        faults = tuple(outputs.write_day(config, database, day, past))
        return msgspec.structs.replace(made, faults=faults, outputs=() if faults else outputs.of_days(config))


def _options(config: Config, day: dt.date) -> Iterator[tuple[str, str]]:
    yield "--date", day.isoformat()
    if config.reports.site is not None:
        yield "--site", str(config.reports.site.resolve())


def judge_again(dataset: Path, days: Iterable[dt.date], today: dt.date, site: Site, wait_seconds: float = 0) -> None:
    """Judge days and replace what the history in the dataset has of them, a month at a time. MqstatError if a day
    cannot be judged.
    """
    from mqstat.assemble.finding_rows import judged_rows
    from mqstat.dataset import finding_day

    for _, in_month in groupby(sorted(days), key=lambda day: (day.year, day.month)):
        judged = {}
        for day in in_month:
            with _with_space(f"{day} could not be judged"):
                judged[day] = judged_rows(dataset, day, site, is_complete=day < today)
        finding_day.publish(dataset, judged, wait_seconds)


@contextmanager
def _with_space(failed: str) -> Iterator[None]:
    """Report a lack of space for temporary files as MqstatError that begins with `failed`."""
    import duckdb

    try:
        yield
    except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
        raise MqstatError(
            f"{failed} ({str(error).strip().splitlines()[0]}); the dataset is unchanged. "
            "Free some space for temporary files and run it again."
        ) from None
    except OSError as error:
        raise MqstatError(
            f"There is no space for temporary files ({error.strerror}); free some space and run it again."
        ) from None


def _make(
    config: Config, database: Workspace, day: dt.date, data: str, files: dict[str, str], *, is_complete: bool
) -> tuple[Day, History]:
    """The report of a day, and the history of its findings."""
    from mqstat.assemble.baseline import usual_baseline
    from mqstat.assemble.finding_rows import finding_rows
    from mqstat.assemble.health import health_report
    from mqstat.assemble.history import history
    from mqstat.assemble.usual import add_history
    from mqstat.dataset import finding_day
    from mqstat.judge.states import rule_states
    from mqstat.render.write import write_file

    usual = None
    if config.reports.baseline_days:
        usual = add_history(database, day, config.reports.baseline_days, site=database.site)
    needs = needs_of(config.reports.formats)
    report = health_report(
        database,
        None,
        database.site,
        (),
        config.reports.damage_limit_percent,
        page="page" in needs,
        monitored="monitored" in needs,
        compared=usual is not None,
    )
    if usual is not None:
        report = dataclasses.replace(report, baseline=usual_baseline(database, usual))
    qmgrs = database.ask("SELECT DISTINCT lpar, qmgr FROM qmgr ORDER BY lpar, qmgr").fetchall()
    judged = finding_rows(rule_states(report.outcomes, qmgrs), qmgrs, database.site, day, is_complete=is_complete)
    finding_day.publish(config.dataset.folder, {day: judged}, config.wait_seconds)
    past = history(config.dataset.folder, day)
    report = dataclasses.replace(report, history=past, links=links_of(day))
    for name_of_format, name in files.items():
        write_file(report, config.reports.folder / name, name_of_format, Options(follow=False))
    key = key_of(data, past.checksum, is_complete=is_complete)
    return report_state(report, key, tuple((lpar or "", qmgr or "") for lpar, qmgr in qmgrs), files), past


def links_of(day: dt.date) -> tuple[tuple[str, str], ...]:
    """The links of a page to the index, and through it to the days before and after."""
    around = (("previous day", day - dt.timedelta(days=1)), ("next day", day + dt.timedelta(days=1)))
    return (*((label, f"index.html#d{other}") for label, other in around), ("index", "index.html"))


def report_state(report: Report, key: str, qmgrs: tuple[tuple[str, str], ...], files: dict[str, str]) -> Day:
    """What the index and the mail show of a report."""
    from mqstat.assemble.finding import accepted_text
    from mqstat.assemble.finding_tree import trees
    from mqstat.base.formatting import clean
    from mqstat.daily.mail import WIDTH
    from mqstat.judge.model import SEVERITIES
    from mqstat.render.card_text import brief_card
    from mqstat.render.first_screen import CARD_LINES

    first = trees(report.findings)[:1]
    worst = [finding for finding in report.findings for tree in first if finding.severity == tree.lead.severity]
    with typing():  # who reads the mail is on this machine
        lines = tuple(
            "".join(text for text, _ in line).rstrip()
            for tree in first
            for line in brief_card(tree, report, WIDTH, 2 * CARD_LINES)  # a mail is longer than a screen
        )
        remarks = tuple(clean(as_typed(f"{label}: {text}")) for label, text in report.gaps)
    return Day(
        key,
        report.return_code,
        {name: report.counts[name] for name in SEVERITIES},
        findings=tuple(clean(_line(finding)) for finding in report.findings[:LISTED_FINDINGS]),
        qmgrs=tuple((clean(lpar), clean(qmgr)) for lpar, qmgr in qmgrs),
        files=files,
        remarks=remarks,
        state=report.state,
        worst=tuple(dict.fromkeys(clean(name) for finding in worst for name in finding.qmgrs or [finding.location])),
        first=lines,
        in_first=sum(len(tree.findings) for tree in first),
        accepted=tuple(map(accepted_text, report.accepted)),
    )


def _line(finding: Finding) -> str:
    """A finding in one line, with its figure and its time."""
    from mqstat.base.formatting import plural
    from mqstat.render.card_text import headed

    figure = finding.subjects[0].figure or finding.summary
    more = [plural(len(finding.others), "more subject")] if finding.others else []
    return "; ".join([f"{finding.severity.upper()} {headed(finding)}: {figure}", *more, *finding.expired])
