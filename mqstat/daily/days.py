"""The report of one local day of a dataset."""

from __future__ import annotations

import dataclasses
import datetime as dt
import hashlib
import json
from typing import TYPE_CHECKING

from mqstat.base.errors import MqstatError
from mqstat.daily.config import Config
from mqstat.daily.state import Day
from mqstat.dataset.manifest import Manifest
from mqstat.dataset.store import day_of, reading
from mqstat.render.format import Options
from mqstat.render.formats import formats as known
from mqstat.render.formats import needs_of
from mqstat.sql.site import Site

if TYPE_CHECKING:
    from mqstat.assemble.model import Finding, Report
    from mqstat.sql.database import Database

LISTED_FINDINGS = 20
"""Findings that the mail lists one by one."""


def data_of(manifest: Manifest) -> dict[dt.date, str]:
    """A checksum over the inputs with data of each day of a dataset: it changes when a dump adds data to the day, and not when files are merged or details dropped."""
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


LATE = dt.timedelta(minutes=1)
"""Time after midnight in which the last interval of the previous day is still being written."""


def only_late(config: Config, day: dt.date) -> bool:
    """Whether a day has only the accounting that was written at the end of the last interval of the previous day."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    with reading(config.dataset) as dataset:
        files = dataset.days(day, day).get("record", ())
        last = [pc.max(pq.read_table(file, columns=["written_local"])["written_local"]).as_py() for file in files]
    known = [moment for moment in last if moment is not None]
    return bool(known) and max(known) < dt.datetime.combine(day, dt.time()) + LATE


def names_of(day: dt.date, formats: tuple[str, ...]) -> dict[str, str]:
    """The names of a day's files by format."""
    return {name: f"mqstat-{day}{known()[name].endings[0]}" for name in formats}


def make(config: Config, day: dt.date, data: str, site: Site) -> Day:
    """Write the report of a day in every configured format, each file atomically.

    Raises UsageError when a file cannot be written, MqstatError when the report cannot be computed.
    """
    import duckdb

    from mqstat.intake.open_data import open_data

    files = names_of(day, config.formats)
    try:
        with open_data(dataset=config.dataset, days=[day], site=site.on(day)) as database:
            return _make(config, database, day, data, files)
    except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
        raise MqstatError(
            f"The report of {day} could not be computed ({str(error).strip().splitlines()[0]}); the dataset is unchanged. "
            "Free some space for temporary files and run it again."
        ) from None
    except OSError as error:
        raise MqstatError(
            f"There is no space for temporary files ({error.strerror}); free some space and run it again."
        ) from None


def _make(config: Config, database: Database, day: dt.date, data: str, files: dict[str, str]) -> Day:
    from mqstat.assemble.baseline import usual_baseline
    from mqstat.assemble.health import health_report
    from mqstat.assemble.usual import add_history
    from mqstat.render.write import write_file
    from mqstat.sql.plans import ask

    history = None
    if config.baseline_days:
        history = add_history(database, config.dataset, day, config.baseline_days, site=database.site)
    needs = needs_of(config.formats)
    report = health_report(
        database,
        None,
        database.site,
        (),
        config.damage_limit_percent,
        page="page" in needs,
        monitored="monitored" in needs,
    )
    if history is not None:
        report = dataclasses.replace(report, baseline=usual_baseline(database, history))
    for name_of_format, name in files.items():
        write_file(report, config.reports / name, name_of_format, Options(follow=False))
    qmgrs = ask(database, "SELECT DISTINCT lpar, qmgr FROM qmgr ORDER BY lpar, qmgr").fetchall()
    return report_state(report, data, tuple((lpar or "", qmgr or "") for lpar, qmgr in qmgrs), files)


def report_state(report: Report, data: str, qmgrs: tuple[tuple[str, str], ...], files: dict[str, str]) -> Day:
    """What the index and the mail show of a report."""
    from mqstat.base.formatting import clean
    from mqstat.daily.mail import WIDTH
    from mqstat.judge.model import SEVERITIES
    from mqstat.render.card_text import card_lines, symptoms

    first = report.findings[:1]
    return Day(
        data,
        report.return_code,
        {name: report.counts[name] for name in SEVERITIES},
        tuple(clean(_line(finding)) for finding in report.findings[:LISTED_FINDINGS]),
        tuple((clean(lpar), clean(qmgr)) for lpar, qmgr in qmgrs),
        files,
        tuple(clean(f"{label}: {text}") for label, text in report.gaps),
        report.state,
        tuple(
            "".join(text for text, _ in line).rstrip()
            for finding in first
            for line in card_lines(finding, report, WIDTH, whole=False)
        ),
        sum(1 + len(list(symptoms(finding, report))) for finding in first),
        report.accepted,
    )


def _line(finding: Finding) -> str:
    """A finding in one line, with its figure and its time."""
    from mqstat.base.formatting import plural
    from mqstat.render.card_text import headed

    figure = finding.subjects[0].figure or finding.summary
    more = [plural(len(finding.others), "more subject")] if finding.others else []
    return "; ".join([f"{finding.severity.upper()} {headed(finding)}: {figure}", *more, *finding.expired])
