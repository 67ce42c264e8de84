"""An installation of the daily job: its folders, its configuration, the dumps that arrive, and its fixtures."""

from __future__ import annotations

import datetime as dt
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics_families
from prometheus_client.parser import text_string_to_metric_families as prometheus_families

from mqstat.base.atomic_write import replacing
from mqstat.cli import run as command
from mqstat.daily import days, status
from mqstat.daily import run as running
from mqstat.daily import state as states
from mqstat.daily.config import Config
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures.day import HALF_HOUR, SECONDS, Changes, at_times, intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios.pool_exhausted import EXHAUSTED
from tests.costs import cache
from tests.support import tables_in

DAY = dt.date(2026, 5, 21)
NEXT = DAY + dt.timedelta(days=1)
OLD = 10 * 24 * 3600
"""Age in seconds of files that are no longer being written."""


def changes_of(bad: bool) -> Changes:
    """A pool without buffers at 8:30, or nothing."""
    return at_times({"08:30": {"qpst": {2: EXHAUSTED}}} if bad else {})


@cache
def whole_dump(day: dt.date = DAY, qmgr: str = "MQ01", lpar: str = "SYS1", bad: bool = False, hours: int = 2) -> bytes:
    """A short morning of a queue manager with all of its statistics; a bad one has a pool without buffers at 8:30."""
    start = dt.datetime.combine(day, dt.time(8))
    owner = QueueManager(qmgr, lpar)
    return smf_file(intervals(owner, start, 2 * hours, changes_of(bad), with_accounting=False))


@cache
def dump(day: dt.date = DAY, qmgr: str = "MQ01", lpar: str = "SYS1", bad: bool = False, hours: int = 2) -> bytes:
    """The same with the records of two kinds only, which are enough for sketches of reports: every kind has tables, and
    each is a file.
    """
    owner, records, changes = QueueManager(qmgr, lpar), [], changes_of(bad)
    for number in range(2 * hours):
        start = dt.datetime.combine(day, dt.time(8)) + number * HALF_HOUR
        records += owner.interval(start, SECONDS, overrides=changes(start), kinds=(1, 215))
    return smf_file(records)


@dataclass
class Installation:
    """A folder with a configuration, an inbox, and the results of runs."""

    root: Path
    capsys: pytest.CaptureFixture[str]

    @property
    def config(self) -> Path:
        return self.root / "daily.toml"

    @property
    def dataset(self) -> Path:
        return self.root / "dataset"

    @property
    def reports(self) -> Path:
        return self.root / "reports"

    def configure(self, **tables: str) -> None:
        """Write a configuration; keys are tables (`top` is the beginning of the file)."""
        given = {
            "inbox": "settle_seconds = 0",
            "dataset": "",
            "reports": 'formats = ["text"]\nbaseline_days = 0',
        } | tables
        lines = [given.pop("top", "wait_seconds = 0")]
        for name, keys in given.items():
            folder = f'folder = "{name}"' if name in ("inbox", "dataset", "reports") and "folder =" not in keys else ""
            lines += [f"[{name}]", folder, keys]
        self.config.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def arrive(self, name: str, content: bytes, age: float = OLD) -> Path:
        """A file that was copied into the inbox some time ago."""
        path = self.root / "inbox" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        moment = time.time() - age
        os.utime(path, (moment, moment))
        return path

    def run(self, today: dt.date | str = NEXT, *arguments: str) -> tuple[int, str]:
        """Return code and output of a run."""
        code = command(["daily", str(self.config), "--today", str(today), *arguments])
        captured = self.capsys.readouterr()
        return code, captured.out + captured.err

    def files(self) -> dict[str, bytes]:
        """Everything in the reports folder except the lock and the files with the time of the run."""
        others = (running.LOCK, status.STATUS, status.METRICS)
        return {p.name: p.read_bytes() for p in sorted(self.reports.iterdir()) if p.name not in others}

    def status(self) -> dict[str, Any]:
        """The content of status.json."""
        document: dict[str, Any] = json.loads((self.reports / status.STATUS).read_text())
        return document

    def metrics(self, path: Path | None = None) -> dict[str, float]:
        """The metrics of the last run, without labels, by name; the text is valid for both parsers."""
        text = (path or self.reports / status.METRICS).read_text()
        families = [*openmetrics_families(text)]
        assert [family.name for family in prometheus_families(text)] == [family.name for family in families]
        return {sample.name: sample.value for family in families for sample in family.samples if not sample.labels}

    def check(self) -> None:
        """The dataset is valid, and there are no partly written files."""
        result = verify(self.dataset)
        assert result.problems == []
        assert not [remark for remark in result.remarks if "dropped" not in remark]
        assert not list(self.reports.glob(".*.part"))


@pytest.fixture(name="real")
def real_fixture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Installation:
    """An empty inbox and a configuration for text reports."""
    installation = Installation(tmp_path, capsys)
    (tmp_path / "inbox").mkdir()
    installation.configure()
    return installation


@pytest.fixture(name="installed")
def installed_fixture(real: Installation, monkeypatch: pytest.MonkeyPatch) -> Installation:
    """The same with short summaries instead of reports, which would take two seconds each."""
    monkeypatch.setattr(days, "make", sketch)
    return real


def sketch(config: Config, day: dt.date, data: str, _: object, *, is_complete: bool = True) -> states.Day:
    """The records of a day instead of its report; two findings where a pool had no buffers."""
    tables = tables_in(open_dataset(config.dataset.folder).days(day, day))
    waits = sum(tables["qpst"]["no_buffer_waits"].to_pylist())
    records = tables["record"].select(["lpar", "qmgr", "written_local", "source_offset"]).to_pylist()
    files = states.names_of(day, config.reports.formats)
    for name in files.values():
        with replacing(config.reports.folder / name) as stream:
            stream.write("".join(f"{record}\n" for record in records) * 20)  # the size of a page
    qmgrs = sorted({(record["lpar"], record["qmgr"]) for record in records})
    findings = ("CRITICAL BP001 a pool", "CRITICAL BP002 a pool") if waits else ()
    counts = {"critical": len(findings)}
    key = days.key_of(data, "", is_complete=is_complete)
    return states.Day(key, 8 if waits else 0, counts, findings, tuple(qmgrs), files)


def report_of(day: dt.date, ending: str = "txt") -> str:
    return f"mqstat-{day}.{ending}"
