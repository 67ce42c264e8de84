"""Unattended daily runs: what `mqstat daily` does with a folder of dumps, whatever is in it and whatever gets in the way."""

from __future__ import annotations

import datetime as dt
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from mqstat.base.atomic_write import replacing
from mqstat.cli import run as command
from mqstat.daily import days, index
from mqstat.daily import inbox as arriving
from mqstat.daily import run as running
from mqstat.daily import state as states
from mqstat.daily.config import FORMATS, KEYS, Config, example, load_config
from mqstat.dataset.prune import days_of
from mqstat.dataset.store import LOCK as DATASET_LOCK
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.errors import ConfigError
from mqstat.fixtures.day import at_times, intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios.pool_exhausted import EXHAUSTED
from tests.browser import Chromium
from tests.support import call, tables_in

DAY = dt.date(2026, 5, 21)
NEXT = DAY + dt.timedelta(days=1)
OLD = 10 * 24 * 3600
"""Seconds: long before anything is still being written."""


@cache
def dump(day: dt.date = DAY, qmgr: str = "MQ01", lpar: str = "SYS1", bad: bool = False, hours: int = 2) -> bytes:
    """A short morning of a queue manager; a bad one has a pool without buffers at 8:30."""
    changes = at_times({"08:30": {"qpst": {2: EXHAUSTED}}} if bad else {})
    start = dt.datetime.combine(day, dt.time(8))
    return smf_file(intervals(QueueManager(qmgr, lpar), start, 2 * hours, changes, with_accounting=False))


@dataclass
class Installation:
    """A folder with a configuration, an inbox, and what becomes of them."""

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
        """Everything in the reports folder but the lock."""
        return {p.name: p.read_bytes() for p in sorted(self.reports.iterdir()) if p.name != running.LOCK}

    def check(self) -> None:
        """The dataset is sound, and nothing half-written lies about."""
        result = verify(self.dataset)
        assert result.problems == []
        assert not [remark for remark in result.remarks if "dropped" not in remark]
        assert not list(self.reports.glob(".*.part"))


@pytest.fixture
def real(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Installation:
    """An empty inbox, and a configuration that makes a text report."""
    installation = Installation(tmp_path, capsys)
    (tmp_path / "inbox").mkdir()
    installation.configure()
    return installation


@pytest.fixture
def installed(real: Installation, monkeypatch: pytest.MonkeyPatch) -> Installation:
    """The same with sketches in the place of reports, each of which would take two seconds."""
    monkeypatch.setattr(days, "make", sketch)
    return real


def sketch(config: Config, day: dt.date, data: str, _: object) -> states.Day:
    """The records of a day instead of its report; two findings where a pool had no buffers."""
    tables = tables_in(open_dataset(config.dataset).days(day, day))
    waits = sum(tables["qpst"]["no_buffer_waits"].to_pylist())
    records = tables["record"].select(["lpar", "qmgr", "written_local", "source_offset"]).to_pylist()
    files = days.names_of(day, config.formats)
    for name in files.values():
        with replacing(config.reports / name) as stream:
            stream.write("".join(f"{record}\n" for record in records) * 20)  # as long as a page
    qmgrs = sorted({(record["lpar"], record["qmgr"]) for record in records})
    findings = ("CRITICAL BP001 a pool", "CRITICAL BP002 a pool") if waits else ()
    return states.Day(data, 8 if waits else 0, {"critical": len(findings)}, findings, tuple(qmgrs), files)


def report_of(day: dt.date, ending: str = "txt") -> str:
    return f"mqstat-{day}.{ending}"


# ------------------------------------------------------------------------------------------------------------- an ordinary night


def test_a_night(real: Installation) -> None:
    real.configure(reports='formats = ["html", "text", "json", "markdown", "csv", "openmetrics"]\nbaseline_days = 0')
    real.arrive("SMF.D260521", dump(bad=True))
    code, output = real.run()
    assert code == 8, output
    steps = [line.split()[0] for line in output.splitlines()]
    assert steps == ["inbox", "ingest", "report", "index", "end"]
    assert output.splitlines()[-1] == "end      return code 8: critical findings"
    have = set(real.files())
    assert have == {
        *(report_of(DAY, ending) for ending in ("html", "txt", "json", "md", "csv", "prom")),
        "index.html", "mail.txt", "latest.prom", states.NAME,
    }  # fmt: skip
    text = (real.reports / report_of(DAY)).read_text()
    assert "BP001" in text
    assert json.loads((real.reports / report_of(DAY, "json")).read_text())["return_code"] == 8
    assert (real.reports / report_of(DAY, "html")).read_text().startswith("<!doctype html>")
    assert (real.reports / "latest.prom").read_bytes() == (real.reports / report_of(DAY, "prom")).read_bytes()
    mail = (real.reports / "mail.txt").read_text().splitlines()
    assert re.fullmatch(rf"Subject: MQ {DAY}: 2 critical.* \(return code 8\)", mail[0])
    assert mail[1] == ""
    assert any("BP001" in line for line in mail)
    assert max(map(len, mail)) <= 78 or mail[-1].startswith("Reports:")
    real.check()


def test_the_same_night_again_changes_nothing(installed: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dump that was ingested is not even opened again; the code is that of the night."""
    installed.arrive("SMF.D260521", dump(bad=True))
    code, _ = installed.run()
    before = installed.files()
    with monkeypatch.context() as patch:
        patch.setattr(arriving, "find_sources", lambda *_: pytest.fail("a known file was opened"))
        again, output = installed.run()
    assert (again, code) == (8, 8)
    assert "1 file: 0 new, 1 known" in output
    assert f"{DAY}: up to date: 2 critical" in output
    assert installed.files() == before
    assert installed.run()[0] == 8


def test_a_copy_under_another_name_is_known_by_its_content(installed: Installation) -> None:
    installed.arrive("a.smf", dump())
    assert installed.run()[0] == 0
    before = installed.files()[report_of(DAY)]
    installed.arrive("b.smf", dump())
    code, output = installed.run()
    assert code == 0
    assert "b.smf: already in the dataset as source 1 (a.smf); nothing added" in output
    assert f"{DAY}: up to date" in output
    assert installed.files()[report_of(DAY)] == before
    assert len(open_dataset(installed.dataset).manifest.sources) == 1


def test_a_memory_that_is_lost_costs_time_only(installed: Installation) -> None:
    installed.arrive("a.smf", dump(bad=True))
    installed.run()
    before = installed.files()
    for damage in (b"", b"{}", b'{"version": 99}', b'{"version": 1, "days": {"x": 1}, "seen": {}}', b"\xff\xfe"):
        (installed.reports / states.NAME).write_bytes(damage)
        code, output = installed.run()
        assert code == 8
        assert "the inbox is read again" in output
        assert installed.files() == before


def test_a_report_that_was_deleted_comes_back(installed: Installation) -> None:
    installed.arrive("a.smf", dump())
    installed.run()
    before = installed.files()
    (installed.reports / report_of(DAY)).unlink()
    code, output = installed.run()
    assert code == 0
    assert "written again because a file was missing" in output
    assert installed.files() == before


# -------------------------------------------------------------------------------------------------- nothing, half of it, too late


def test_an_empty_folder(installed: Installation) -> None:
    code, output = installed.run()
    assert code == 4
    assert f"No data for {DAY} has arrived; there is no data yet." in output
    assert not installed.dataset.exists()
    index = (installed.reports / "index.html").read_text()
    assert "No day has a report yet" in index
    assert f"No data for {DAY} has arrived" in index
    assert (
        (installed.reports / "mail.txt")
        .read_text()
        .startswith(f"Subject: MQ {DAY}: no data has arrived (return code 4)\n\n")
    )


def test_the_dump_of_yesterday_is_missing(installed: Installation) -> None:
    installed.arrive("a.smf", dump())
    assert installed.run()[0] == 0
    code, output = installed.run(NEXT + dt.timedelta(days=1))
    assert code == 4
    assert f"No data for {NEXT} has arrived; the newest day with data is {DAY}." in output
    index = (installed.reports / "index.html").read_text()
    assert f"Fri {NEXT}: no data" in index
    assert installed.run(NEXT)[0] == 0, "the day before has its report still"


def test_a_dump_that_comes_late_makes_the_report_of_its_day_again(installed: Installation) -> None:
    installed.arrive("mq01.smf", dump())
    installed.arrive("next.smf", dump(NEXT))
    code, output = installed.run(NEXT + dt.timedelta(days=1))
    assert code == 0
    untouched = (installed.reports / report_of(NEXT)).stat().st_mtime_ns
    installed.arrive("mq02.smf", dump(DAY, "MQ02", bad=True))
    code, output = installed.run(NEXT + dt.timedelta(days=1))
    assert code == 8
    assert f"{DAY}: written again because more data has arrived: 2 critical" in output
    assert "MQ02" in (installed.reports / report_of(DAY)).read_text()
    assert (installed.reports / report_of(NEXT)).stat().st_mtime_ns == untouched
    assert f"- {DAY}: 2 critical" in (installed.reports / "mail.txt").read_text()
    installed.check()


def test_what_was_reported_a_night_ago_does_not_count_again(installed: Installation) -> None:
    """The last interval of a day comes with the dump of the next one, and makes its report again: nobody is called twice for it."""
    installed.arrive("a.smf", dump(bad=True))
    assert installed.run()[0] == 8
    installed.arrive("b.smf", dump(DAY, "MQ02") + dump(NEXT))
    code, output = installed.run(NEXT + dt.timedelta(days=1))
    assert f"{DAY}: written again" in output
    assert code == 0


def test_two_days_at_once(real: Installation) -> None:
    """In one dump and in two, with a queue manager each: the reports are the same as if they had come one by one."""
    real.arrive("both.smf", dump() + dump(NEXT))
    code, output = real.run(NEXT + dt.timedelta(days=1))
    assert code == 0
    assert f"report   {DAY}: " in output
    assert f"report   {NEXT}: " in output
    for day in (DAY, NEXT):
        text = (real.reports / report_of(day)).read_text()
        assert f"{day} 08:00:00 to 10:00:00" in text
        assert str(NEXT if day == DAY else DAY) not in text
    rows = (real.reports / "index.html").read_text()
    assert rows.index(str(NEXT)) < rows.index(f"Thu {DAY}")
    real.check()


def test_damage_of_another_day_is_excluded(installed: Installation) -> None:
    installed.arrive("good.smf", dump())
    installed.arrive("cut.smf", dump(NEXT)[:-100])
    assert installed.run(NEXT + dt.timedelta(days=1))[0] in (4, 12)
    dataset = open_dataset(installed.dataset)
    damaged = tables_in(dataset.days(NEXT, NEXT))
    assert damaged["source"]["source_name"].to_pylist() == ["cut.smf"]
    assert damaged["damage"].num_rows == 1
    sound = tables_in(dataset.days(DAY, DAY))
    assert sound["source"]["source_name"].to_pylist() == ["good.smf"]
    assert "damage" not in sound
    assert sorted(dataset.days(DAY, NEXT)) == sorted(dataset.files)
    assert command(["report", "--from", str(installed.dataset), "--date", str(DAY)]) == 0, (
        "as a report of that day shows"
    )


@pytest.mark.parametrize("missing", [1, 3_000])
def test_a_half_copied_dump_waits_for_its_rest(installed: Installation, missing: int) -> None:
    whole = dump()
    installed.arrive("a.smf", whole[:-missing], age=600)
    code, output = installed.run()
    assert code == 4
    assert "a.smf: is truncated" in output
    assert (
        open_dataset(installed.dataset).manifest.sources == []
        if (installed.dataset / "manifest.json").exists()
        else True
    )
    installed.arrive("a.smf", whole, age=60)
    code, output = installed.run()
    assert code == 0, output
    assert len(open_dataset(installed.dataset).manifest.sources) == 1
    installed.check()


def test_a_cut_dump_is_taken_in_the_end_and_replaced_when_the_whole_one_comes(installed: Installation) -> None:
    whole = dump()
    installed.arrive("a.smf", whole[: len(whole) // 2 + 500], age=21 * 3600)
    code, output = installed.run()
    assert code in (4, 12), output
    assert "a.smf: added as source 1" in output
    half = (installed.reports / report_of(DAY)).read_text()
    installed.arrive("a.smf", whole)
    code, output = installed.run()
    assert code == 0, output
    assert "in place of source 1, which was its beginning" in output
    assert (installed.reports / report_of(DAY)).read_text() != half
    installed.check()
    alone = Installation(installed.root / "alone", installed.capsys)
    (alone.root / "inbox").mkdir(parents=True)
    alone.configure()
    alone.arrive("a.smf", whole)
    assert alone.run()[0] == 0
    assert alone.files()[report_of(DAY)] == installed.files()[report_of(DAY)]


def test_a_file_that_is_being_written_is_waited_for(installed: Installation) -> None:
    installed.configure(inbox="settle_seconds = 3600")
    installed.arrive("a.smf", dump(), age=2)
    code, output = installed.run()
    assert code == 4
    assert "a.smf: is still being written; the next run reads it" in output
    assert installed.run()[0] == 4
    installed.arrive("a.smf", dump())
    assert installed.run()[0] == 0


def test_a_run_waits_while_a_file_grows(tmp_path: Path) -> None:
    path = tmp_path / "a.smf"
    path.write_bytes(b"1")
    os.utime(path, (time.time() + 500, time.time() + 500))  # the clock of a file server that is ahead
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) <= 3:
            path.write_bytes(b"1" * (len(pauses) + 1))
            os.utime(path, (time.time() + 500, time.time() + 500))
        time.sleep(0.05)

    files, _ = arriving.files_of(tmp_path, ["*"])
    ready, moving = arriving.settled(files, 0.2, 5, pause)
    assert [file.size for file in ready] == [4]
    assert moving == []
    assert len(pauses) > 3
    path.unlink()
    assert arriving.settled(files, 0.2, 0, pause) == ([], [])


def test_an_empty_file_is_looked_at_again(installed: Installation) -> None:
    installed.arrive("a.smf", b"", age=60)
    code, output = installed.run()
    assert code == 4
    assert "a.smf: is still empty; the next run checks it again." in output
    installed.arrive("a.smf", dump())
    assert installed.run()[0] == 0


def test_a_file_that_is_not_a_dump_is_reported_every_time_and_stops_nothing(installed: Installation) -> None:
    installed.arrive("notes.txt", b"This is not a dump. " * 300)
    code, output = installed.run()
    assert code == 12
    assert "notes.txt: It is text, not an SMF dump." in output
    installed.arrive("sub/SYS1/a.smf", dump())
    for _ in range(2):
        code, output = installed.run()
        assert code == 12
        assert "notes.txt: It is text, not an SMF dump." in output
    installed.configure(inbox='settle_seconds = 0\nfiles = ["*.SMF"]')
    assert installed.run()[0] == 0


def test_a_file_that_takes_too_long_is_left_and_the_next_is_read(installed: Installation) -> None:
    """A tar whose size field leads far past its end, and a file that cannot be read in time, do not hold up the others."""
    import io
    import tarfile

    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        info = tarfile.TarInfo("a.smf")
        info.size = 100
        archive.addfile(info, io.BytesIO(dump()[:100]))
    data = bytearray(stream.getvalue())
    data[124:136] = b"\x80" + (1 << 62).to_bytes(11, "big")
    data[148:156] = b" " * 8
    data[148:156] = f"{sum(data[:512]):06o}\0 ".encode()
    installed.arrive("a.tar", bytes(data))
    installed.arrive("sub/SYS1/b.smf", dump())
    _, output = installed.run()
    assert "b.smf: added as source" in output
    installed.configure(inbox="settle_seconds = 0\nfile_minutes = 0.0000001")
    installed.arrive("c.smf.gz", gzip.compress(dump()[:5000]))
    code, output = installed.run()
    assert code == 12
    assert "c.smf.gz: the time limit for one file passed" in output


def test_unfinished_names_are_left_alone(installed: Installation) -> None:
    for name in (".a.smf.x1Y2", "a.smf.part", "b.smf.filepart", ".hidden/c.smf"):
        installed.arrive(name, dump())
    code, output = installed.run()
    assert code == 4
    assert "0 files: 0 new, 0 known, 4 others ignored" in output


def test_an_archive_counts_as_known_with_all_that_is_in_it(installed: Installation) -> None:
    import io
    import zipfile

    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("mq01.smf", dump())
        archive.writestr("mq02.smf", dump(DAY, "MQ02"))
    installed.arrive("both.zip", whole.getvalue())
    assert installed.run()[0] == 0
    code, output = installed.run()
    assert code == 0
    assert "0 new, 1 known" in output
    assert len(open_dataset(installed.dataset).manifest.sources) == 2


# ------------------------------------------------------------------------------------------------------------- days that go


def test_old_days_go(installed: Installation) -> None:
    installed.configure(dataset="keep_days = 2", reports='formats = ["text"]\nbaseline_days = 0\nkeep_days = 3')
    for number in range(5):
        day = DAY + dt.timedelta(days=number)
        installed.arrive(f"{day}.smf", dump(day, hours=1))
        code, _ = installed.run(day + dt.timedelta(days=1))
        assert code == 0
        installed.check()
    known = [DAY + dt.timedelta(days=number) for number in range(5)]
    assert days_of(open_dataset(installed.dataset).manifest) == known[3:]
    assert [name for name in installed.files() if name.endswith(".txt") and name != "mail.txt"] == list(
        map(report_of, known[2:])
    )
    code, output = installed.run(known[-1] + dt.timedelta(days=1))
    assert code == 0
    assert "5 files: 0 new, 5 known" in output, "dumps of days that are gone are not read again"
    assert "prune" not in output
    state, _ = states.load(installed.reports)
    assert sorted(state.days) == known[2:]


def test_a_dump_that_is_too_late_is_dropped_at_once(installed: Installation) -> None:
    installed.configure(dataset="keep_days = 2")
    installed.arrive("a.smf", dump())
    assert installed.run()[0] == 0
    old = DAY - dt.timedelta(days=40)
    installed.arrive("old.smf", dump(old))
    code, output = installed.run()
    assert code == 0
    assert f"dropped {old}: " in output
    assert not (installed.reports / report_of(old)).exists()
    assert installed.run()[1].count("known") == 1
    installed.check()


def test_a_clock_that_is_wrong_drops_nothing(installed: Installation) -> None:
    installed.configure(dataset="keep_days = 2")
    installed.arrive("a.smf", dump())
    installed.arrive("b.smf", dump(DAY - dt.timedelta(days=1)))
    for today in (NEXT, dt.date(2099, 1, 1), dt.date(1970, 1, 1)):
        installed.run(today)
        assert len(days_of(open_dataset(installed.dataset).manifest)) == 2
    assert (installed.reports / report_of(DAY)).exists()


def test_days_of_the_future_have_no_report(installed: Installation) -> None:
    future = NEXT + dt.timedelta(days=300)
    installed.arrive("a.smf", dump() + dump(future))
    code, output = installed.run()
    assert f"{future}: this day is in the future but has records: no report" in output
    assert not (installed.reports / report_of(future)).exists()
    assert code == 0


def test_a_day_that_is_not_over_is_reported_so_far(installed: Installation) -> None:
    installed.arrive("a.smf", dump() + dump(NEXT, hours=1))
    code, output = installed.run()
    assert code == 0
    assert f"{NEXT}: no findings, return code 0, the day is not complete yet" in output
    assert "the day is not complete yet" in (installed.reports / "index.html").read_text()
    assert "the day is not complete yet" not in installed.run()[1], "and not written again without new data"


def test_accounting_written_at_midnight_makes_no_day(installed: Installation) -> None:
    evening = dt.datetime.combine(DAY, dt.time(23))
    installed.arrive("evening.smf", smf_file(intervals(QueueManager(), evening, 2)))
    code, text = installed.run(NEXT)
    assert code == 0
    assert f"{DAY}: " in text
    assert f"{NEXT}: only accounting of the previous day, written at midnight: no report" in text
    assert not (installed.reports / report_of(NEXT)).exists()
    code, text = installed.run(NEXT + dt.timedelta(days=1))
    assert code == 4
    assert f"No data for {NEXT} has arrived; the newest day with data is {DAY}." in text
    installed.arrive("morning.smf", dump(NEXT))
    installed.run(NEXT + dt.timedelta(days=1))
    assert (installed.reports / report_of(NEXT)).exists()


@pytest.mark.parametrize(("day", "hours"), [(dt.date(2026, 3, 29), 23), (dt.date(2026, 10, 25), 25)])
def test_days_when_the_clocks_change(installed: Installation, day: dt.date, hours: int) -> None:
    """A whole day of 23 or 25 hours, in the records of the hours before and after the change: one report, of that day alone."""
    owner = QueueManager("MQ01", "SYS1", gmt_offset_minutes=60 if hours == 23 else 120)
    later = QueueManager("MQ01", "SYS1", gmt_offset_minutes=120 if hours == 23 else 60)
    before, after = (2, 42) if hours == 23 else (3, 44)
    start = dt.datetime.combine(day, dt.time())
    records = intervals(owner, start, 2 * before, with_accounting=False)
    records += intervals(later, start + dt.timedelta(hours=3 if hours == 23 else 2), after, with_accounting=False)
    installed.arrive("a.smf", smf_file(records))
    code, output = installed.run(day + dt.timedelta(days=1))
    assert code <= 8, output
    assert re.findall(r"^report +(\S+):", output, re.MULTILINE) == [str(day)]
    assert sorted(states.load(installed.reports)[0].days) == [day]


def test_queue_managers_that_are_expected(installed: Installation) -> None:
    installed.configure(expect='qmgrs = ["MQ01", "SYS1.MQ01", "sys2.mq02", "MQ03"]')
    installed.arrive("a.smf", dump())
    code, output = installed.run()
    assert code == 4
    assert f"No data for sys2.mq02, MQ03 on {DAY}." in output
    assert f"! No data for sys2.mq02, MQ03 on {DAY}." in (installed.reports / "mail.txt").read_text()
    installed.arrive("b.smf", dump(DAY, "MQ02", "SYS2") + dump(DAY, "MQ03", "SYS2"))
    assert installed.run()[0] == 0


# ------------------------------------------------------------------------------------------------ two runs, killed, and out of space


def test_two_runs_at_the_same_time(installed: Installation) -> None:
    installed.configure(top="wait_seconds = 60")
    installed.arrive("a.smf", dump(bad=True))
    installed.arrive("b.smf", dump(DAY, "MQ02"))
    arguments = [sys.executable, "-m", "mqstat", "daily", str(installed.config), "--today", str(NEXT)]
    both = [subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    output = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [8, 8], output
    assert sorted("0 new, 2 known" in out for out, _ in output) == [False, True], (
        "one works, the other finds all of it done"
    )
    assert len(open_dataset(installed.dataset).manifest.sources) == 2
    installed.check()


def test_a_run_that_does_not_end_is_reported(installed: Installation) -> None:
    from filelock import FileLock

    installed.reports.mkdir()
    installed.arrive("a.smf", dump())
    with FileLock(installed.reports / running.LOCK):
        done = call("daily", installed.config, "--today", str(NEXT))
    assert done.returncode == 16
    assert b"another mqstat daily is running here and did not end within 0 seconds; nothing was done." in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert not installed.dataset.exists()


def test_another_writer_of_the_dataset_is_reported(installed: Installation) -> None:
    from filelock import FileLock

    installed.arrive("a.smf", dump())
    installed.run()
    installed.arrive("b.smf", dump(NEXT))
    with FileLock(installed.dataset / DATASET_LOCK):
        done = call("daily", installed.config, "--today", str(NEXT))
    assert done.returncode == 16
    assert b"another mqstat is writing" in done.stderr
    assert "mqstat daily failed (return code 16)" in (installed.reports / "mail.txt").read_text()
    assert installed.run(NEXT)[0] == 0


@pytest.mark.parametrize("point", ["ingest", "report", "state", "index"])
def test_a_run_that_dies_anywhere_is_made_good_by_the_next(
    installed: Installation, point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import mqstat.intake.ingest

    calm = Installation(installed.root / "calm", installed.capsys)
    (calm.root / "inbox").mkdir(parents=True)
    calm.configure()
    for each in (calm, installed):
        each.arrive("a.smf", dump(bad=True))
        each.arrive("b.smf", dump(NEXT))
    assert calm.run(NEXT)[0] == 8
    installed.configure()

    def die(*_: object, **__: object) -> None:
        raise RuntimeError

    where = {
        "ingest": (mqstat.intake.ingest, "_line"),  # after the first source was published
        "report": (days, "make"),
        "state": (states, "save"),
        "index": (index, "render_index"),
    }[point]
    with monkeypatch.context() as patch:
        patch.setattr(*where, die)
        assert installed.run(NEXT)[0] == 16
    assert verify(installed.dataset).problems == []
    assert not (installed.reports / "mail.txt").exists(), "no mail of a night that did not end"
    assert installed.run(NEXT)[0] == 8
    installed.check()
    same = {name: content for name, content in installed.files().items() if name not in (states.NAME, "mail.txt")}
    assert same == {name: content for name, content in calm.files().items() if name not in (states.NAME, "mail.txt")}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB; the test is skipped with a reason if it cannot be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not shutil.which("mount"):
        pytest.skip("a small file system cannot be mounted: there is no command mount")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"a small file system cannot be mounted: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=False)


def fill(folder: Path, leave: int) -> Path:
    """Fill a file system up to some bytes."""
    path = folder / "ballast"
    path.write_bytes(b"")
    status = os.statvfs(folder)
    path.write_bytes(b"x" * max(0, status.f_bavail * status.f_frsize - leave))
    return path


@pytest.mark.parametrize(
    ("where", "leave"), [("dataset", 0), ("dataset", 20_000), ("dataset", 300_000), ("reports", 0), ("reports", 20_000)]
)
def test_a_full_disk(installed: Installation, small_disk: Path, where: str, leave: int) -> None:
    """One sentence, return code 16, a sound dataset; when there is space again, all of it is made good."""
    formats = 'formats = ["html", "text"]\nbaseline_days = 0'
    folder = f'folder = "{small_disk / where}"\n'
    installed.configure(
        **({"dataset": folder, "reports": formats} if where == "dataset" else {"reports": folder + formats})
    )
    config = load_config(installed.config)
    installed.arrive("a.smf", dump(hours=1))
    assert installed.run()[0] == 0
    before = [source.sha256 for source in open_dataset(config.dataset).manifest.sources]
    ballast = fill(small_disk, leave)
    more = b"" if where == "reports" else dump(NEXT, "MQ02", hours=6) + dump(NEXT, "MQ03", hours=6)
    installed.arrive("b.smf", dump(NEXT, bad=True) + more)
    today = NEXT + dt.timedelta(days=1)
    if leave:
        code, output = installed.run(today)
        output = output[output.find("mqstat: ") :]
    else:  # with real reports, and as a process: what it prints is all there is
        done = call("daily", installed.config, "--today", str(today))
        code, output = done.returncode, done.stderr.decode()
    if leave < 300_000:
        assert code == 16, output
    if code == 16:
        assert output.startswith("mqstat: ")
        assert output.count("\n") == 1
        assert "space" in output
        assert "unexpected" not in output
    assert verify(config.dataset).problems == []
    assert [source.sha256 for source in open_dataset(config.dataset).manifest.sources][:1] == before
    ballast.unlink()
    code, output = installed.run(today)
    assert code == 8, output
    assert verify(config.dataset).problems == []
    assert (config.reports / report_of(NEXT)).is_file()
    assert not list(config.reports.glob(".*.part"))


# --------------------------------------------------------------------------------------------------------------- configuration


def test_the_configuration_to_begin_with(installed: Installation) -> None:
    installed.config.unlink()
    assert command(["daily", "--init", str(installed.config)]) == 0
    assert installed.config.read_text() == example()
    assert command(["daily", "--init", str(installed.config)]) == 16
    assert "already exists" in installed.capsys.readouterr().err
    assert command(["daily", "--check", str(installed.config)]) == 0
    assert "daily.toml is valid" in installed.capsys.readouterr().out
    names = [key.name for keys in KEYS.values() for key in keys]
    assert re.findall(r"^#?(\w+) = ", example(), re.MULTILINE) == names
    installed.config.write_text(re.sub(r"^#(\w+ = )", r"\1", example(), flags=re.MULTILINE))
    assert load_config(installed.config).qmgrs == ("MQ01", "SYS2.MQ02")


VALID = """wait_seconds = 5
[inbox]
folder = "inbox"
[dataset]
folder = "dataset"
[reports]
folder = "reports"
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (VALID + "keep_dayz = 3\n", "daily.toml, line 8: reports.keep_dayz is not known; did you mean keep_days."),
        ("wait = 5\n" + VALID, "daily.toml, line 1: wait is not known; did you mean wait_seconds."),
        ("keep_days = 5\n" + VALID, "line 1: keep_days is not known; it belongs in [dataset] or [reports]."),
        (VALID + "[report]\n", "line 8: report is not known; did you mean reports."),
        (VALID + "keep_days = -1\n", "line 8: reports.keep_days must be a whole number, 0 or more."),
        (VALID + 'keep_days = "30"\n', "line 8: reports.keep_days must be a whole number"),
        (VALID + "keep_days = true\n", "line 8: reports.keep_days must be a whole number"),
        (VALID + 'formats = ["html", "pdf"]\n', f"line 8: reports.formats must be a list of one or more of {', '.join(FORMATS)}."),
        (VALID + "formats = []\n", "line 8: reports.formats must be a list of one or more"),
        (VALID + "damage_limit_percent = 101\n", "line 8: reports.damage_limit_percent must be a number from 0 to 100."),
        (VALID + "baseline_days = 121\n", "line 8: reports.baseline_days is 121; at most 120 days are allowed."),
        (VALID + "[inbox.more]\n", "line 8: inbox.more is not known"),
        (VALID + '[expect]\nqmgrs = "MQ01"\n', "line 9: expect.qmgrs must be a list of texts"),
        ('time_zone = "Europe/Atlantis"\n' + VALID, "line 1: time_zone must be the name of a time zone"),
        ('time_zone = "../../etc/passwd"\n' + VALID, "line 1: time_zone must be the name of a time zone"),
        ("jobs = 0\n" + VALID, "line 1: jobs must be a whole number, 1 or more."),
        ("inbox = 3\n", "line 1: inbox must be a table: write [inbox] on a line of its own."),
        (VALID.replace('folder = "inbox"', ""), "line 2: inbox.folder is missing; specify the folder."),
        ("", "daily.toml: inbox.folder is missing"),
        (VALID.replace('"reports"', '"inbox/reports"'), "line 7: reports.folder lies in inbox.folder; the three folders must be separate."),
        (VALID.replace('"inbox"', '"."'), "lies in inbox.folder"),
        (VALID.replace('"dataset"', '"x/../reports"'), "must be separate"),
        (VALID.replace('"dataset"\n', '"dataset"\nkeep_days = 28\n'), "line 6: dataset.keep_days is 28, so there are no 28 days to compare with"),
        (VALID + "keep_days = \n", "daily.toml, line 8: the configuration is not TOML"),
        (VALID + 'folder = "twice"\n', "daily.toml, line 8: the configuration is not TOML"),
        ('[inbox]\nfolder = "D:\\smf"\n', "daily.toml, line 2: the configuration is not TOML"),
    ],
)  # fmt: skip
def test_faults_of_a_configuration_name_the_line(installed: Installation, text: str, message: str) -> None:
    installed.config.write_text(text, encoding="utf-8")
    code, output = installed.run()
    assert code == 16
    assert message in output
    assert output.count("\n") == 1
    assert not installed.reports.exists()
    assert not installed.dataset.exists()


def test_a_configuration_that_cannot_be_read(installed: Installation) -> None:
    installed.config.unlink()
    code, output = installed.run()
    assert code == 16
    assert "mqstat daily --init" in output
    installed.config.write_bytes(b"\xff\xfe\x00")
    assert "it is not UTF-8 text" in installed.run()[1]


def test_no_inbox(installed: Installation) -> None:
    (installed.root / "inbox").rmdir()
    code, output = installed.run()
    assert code == 16
    assert "does not exist; is the file system mounted? Nothing was done." in output
    assert not installed.reports.exists()
    (installed.root / "inbox").write_text("")
    assert "is no folder" in installed.run()[1]


def test_a_site_file_with_a_fault_stops_before_anything_is_done(installed: Installation) -> None:
    (installed.root / "site.toml").write_text("[site]\nactive_logz = 3\n")
    installed.configure(reports='formats = ["text"]\nbaseline_days = 0\nsite = "site.toml"')
    installed.arrive("a.smf", dump())
    code, output = installed.run()
    assert code == 16
    assert "site.toml, line 2" in output
    assert not installed.dataset.exists()


def test_an_invalid_date(installed: Installation) -> None:
    assert installed.run("yesterday")[0] == 16


def test_the_calendar_is_that_of_the_time_zone(installed: Installation) -> None:
    dates = set()
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):  # 25 hours apart
        installed.configure(top=f'time_zone = "{zone}"')
        dates.add(load_config(installed.config).today())
    assert len(dates) == 2


# ---------------------------------------------------------------------------------------------------------------------- the index


def test_names_of_strangers_are_shown_literally(installed: Installation) -> None:
    day = states.Day(
        "x",
        8,
        {"critical": 1},
        ('CRITICAL BP001 <script>alert(1)</script> "\u202e',),
        (("<b>", "MQ'1"),),
        {"html": "a.html"},
    )
    state = states.State({DAY: day})
    path = installed.root / "index.html"
    with path.open("w", encoding="utf-8") as stream:
        index.render_index(index.index_rows(state, NEXT), NEXT, ["<i>note</i>"], stream)
    text = path.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "<i>" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "\u202e" not in text
    assert " style=" not in text
    assert not re.findall(r"(?:src|href)=\"(?!a\.html|#|data:,)", text)


def test_the_index_does_not_grow_without_bound(installed: Installation) -> None:
    day = states.Day("x", 0, {}, (), (("SYS1", "MQ01"),), {"html": "a.html"})
    state = states.State({dt.date(1990, 1, 1): day, DAY: day, DAY - dt.timedelta(days=3): day})
    rows = index.index_rows(state, NEXT + dt.timedelta(days=1))
    assert [row.day for row in rows[:5]] == [DAY + dt.timedelta(days=number) for number in (1, 0, -1, -2, -3)]
    assert len(rows) == 6
    assert index.index_rows(states.State(), NEXT) == []


def test_a_day_of_which_hardly_anything_was_judged_is_not_green() -> None:
    day = states.Day("x", 0, {}, (), (("SYS1", "MQ01"),), {"html": "a.html"}, (), "partly judged")
    (row,) = index.index_rows(states.State({DAY: day}), NEXT)
    assert (row.state, row.word) == ("partly judged", "partly judged")
    assert "no findings, partly judged, return code 0" in index.mail(DAY, day, [], {}, 0)


def test_a_missing_inbox_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        arriving.files_of(tmp_path / "nowhere", ["*"])


def test_dumps_as_the_jobs_ship_them(installed: Installation) -> None:
    """With RDW alone, as FTP sends them, and in blocks with BDW and RDW, as they lie in the file that sftp sends."""
    records = intervals(QueueManager("MQ01", "SYS1"), dt.datetime.combine(DAY, dt.time(8)), 2, with_accounting=False)
    installed.arrive("ftp.smf", smf_file(records))
    assert installed.run()[0] == 0
    installed.arrive("sftp.smf", smf_file(records, framing="bdw", spanned="vbs"))
    code, output = installed.run()
    assert code == 0, output
    first, second = open_dataset(installed.dataset).manifest.sources
    assert (first.framing, second.framing) == ("rdw", "bdw")
    assert first.ledger["records"] == second.ledger["records"]


def test_the_index_in_a_browser(tmp_path: Path, chromium: Chromium | None) -> None:
    """No message of the console, no request, no finding of axe-core, readable in the dark, in print and on a telephone."""
    if chromium is None:
        pytest.skip("chromium is not installed: the index was not opened in a browser")
    finding = "CRITICAL BP001 MQ01 buffer pool 2: Buffer pool 2 (50000 buffers) ran out of buffers 17 times (limit 0)."
    files = {"html": "mqstat.html", "text": "mqstat.txt"}
    bad = states.Day("x", 8, {"critical": 1, "warning": 2}, (finding,), (("SYS1", "MQ01"), ("SYS2", "MQ02")), files)
    clear, warned = (
        states.Day("x", 0, {}, (), (("SYS1", "MQ01"),), files),
        states.Day("x", 4, {"warning": 1}, (finding,), (), files),
    )
    back = [0, 2, 3, 40, 80]
    reported = dict(
        zip((DAY - dt.timedelta(days=number) for number in back), [bad, clear, warned, clear, bad], strict=True)
    )
    path = tmp_path / "index.html"
    with path.open("w", encoding="utf-8") as stream:
        rows = index.index_rows(states.State(reported), NEXT, ["MQ01", "MQ03"])
        index.render_index(rows, NEXT, [f"No data for MQ03 on {DAY}."], stream)
    faults = [*chromium.faults(path), *chromium.thorough_faults(path)]
    assert [fault for fault in faults if "=mqstat." not in fault] == [], "only links to the reports lead out of it"
