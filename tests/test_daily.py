"""Unattended daily runs: `mqstat daily` over folders of dumps with any content."""

from __future__ import annotations

import datetime as dt
import gzip
import html
import json
import os
import re
import shlex
import shutil
import time
from itertools import count
from pathlib import Path

import pytest

from mqstat.cli import run as command
from mqstat.daily import days, status
from mqstat.daily import inbox as arriving
from mqstat.daily import run as running
from mqstat.daily import state as states
from mqstat.daily.config import Config
from mqstat.daily.mail import mail
from mqstat.daily.state import Day
from mqstat.daily.status import Codes
from mqstat.dataset.prune import days_of
from mqstat.dataset.store import open_dataset
from mqstat.fixtures.damage import with_line_ends
from mqstat.fixtures.day import intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.intake.open_data import open_data
from mqstat.sql.site import Site
from tests.installation import DAY, NEXT, Installation, dump, installed_fixture, real_fixture, report_of, whole_dump  # noqa: F401 - fixtures

# ---------------------------------------------------------------------------------------------------- an ordinary night


def test_a_night(real: Installation) -> None:
    real.configure(reports='formats = ["html", "text", "json", "markdown", "csv", "openmetrics"]\nbaseline_days = 0')
    real.arrive("SMF.D260521", whole_dump(bad=True))
    code, output = real.run()
    assert code == 8, output
    steps = [line.split()[0] for line in output.splitlines()]
    assert steps == ["inbox", "ingest", "verify", "report", "index", "end"]
    assert output.splitlines()[-1] == "end      return code 8: critical findings (the report of the day has 8)"
    have = set(real.files())
    assert have == {
        *(report_of(DAY, ending) for ending in ("html", "txt", "json", "md", "csv", "prom")),
        "index.html", "mail.txt", states.NAME,
    }  # fmt: skip
    text = (real.reports / report_of(DAY)).read_text()
    assert "BP001" in text
    assert json.loads((real.reports / report_of(DAY, "json")).read_text())["return_code"] == 8
    assert (real.reports / report_of(DAY, "html")).read_text().startswith("<!doctype html>")
    assert (real.reports / "latest.prom").read_text().endswith((real.reports / report_of(DAY, "prom")).read_text())
    assert real.metrics()["mqstat_return_code"] == real.metrics()["mqstat_daily_day_return_code"] == 8
    mail = (real.reports / "mail.txt").read_text().splitlines()
    assert re.fullmatch(rf"Subject: MQ {DAY}: 2 critical.* \(return code 8\): MQ01", mail[0])
    assert mail[1] == ""
    assert any("BP001" in line for line in mail)
    assert "Return code 8: the report of the day has 8." in mail
    assert max(map(len, mail)) <= 78 or mail[-2].startswith("Report:")
    real.check()


@pytest.mark.parametrize(
    ("size", "changed", "contents", "known"),
    [(5, 7, {"a", "b"}, True), (6, 7, {"a", "b"}, False), (5, 8, {"a", "b"}, False), (5, 7, {"a"}, False)],
)
def test_a_file_is_known_while_it_does_not_change_and_the_dataset_has_it(
    size: int, changed: int, contents: set[str], known: bool
) -> None:
    file = arriving.File(Path("dump"), "dump", size, changed)
    assert arriving.known(file, {"dump": states.Seen(5, 7, ("a", "b"))}, frozenset(contents)) is known
    assert not arriving.known(file, {}, frozenset(contents))


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


@pytest.mark.slow
def test_a_dump_that_was_taken_out_is_not_read_again(installed: Installation) -> None:
    """The report of a day that has no data any more goes; a copy of the dump is named once."""
    installed.arrive("a.smf", dump())
    installed.arrive("b.smf", dump(NEXT))
    today = NEXT + dt.timedelta(days=1)
    assert installed.run(today)[0] == 0
    assert command(["drop", "a.smf", str(installed.dataset)]) == 0
    code, output = installed.run(today)
    assert code == 0, output
    assert "2 files: 0 new, 2 known" in output
    assert f"{DAY}: removed: its inputs were taken out of the dataset" in output
    assert [day for day in (DAY, NEXT) if (installed.reports / report_of(day)).exists()] == [NEXT]
    installed.arrive("copy.smf", dump())
    named = [installed.run(today) for _ in range(2)]
    assert [(code, "its content was taken out of the dataset" in output) for code, output in named] == [
        (4, True),
        (0, False),
    ]


@pytest.mark.slow
def test_a_lost_state_file_costs_only_time(installed: Installation) -> None:
    installed.arrive("a.smf", dump(bad=True))
    installed.run()
    before = installed.files()
    for damage in (b"", b"{}", b'{"version": 99}', b'{"version": 1, "days": {"x": 1}, "seen": {}}', b"\xff\xfe"):
        (installed.reports / states.NAME).write_bytes(damage)
        code, output = installed.run()
        assert code == 8
        assert "the inbox is read again" in output
        assert installed.files() == before


@pytest.mark.slow
def test_links_in_the_folder_of_reports_are_replaced_and_not_followed(installed: Installation) -> None:
    """Who may create files in the folder cannot choose what a run overwrites."""
    installed.arrive("a.smf", dump())
    installed.run()
    outside = installed.root / "outside"
    outside.mkdir()
    written = [path for path in installed.reports.iterdir() if path.name != running.LOCK]
    for path in (*written, installed.reports / report_of(NEXT)):
        other = outside / path.name
        if path.exists():
            path.rename(other)
        else:
            other.write_bytes(b"of somebody else")
        path.symlink_to(other)
    before = {path.name: path.read_bytes() for path in outside.iterdir()}
    assert len(before) >= 6
    installed.arrive("b.smf", dump(NEXT, bad=True))
    assert installed.run(NEXT + dt.timedelta(days=1))[0] == 8
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == before
    assert [path.name for path in installed.reports.iterdir() if path.is_symlink()] == []


@pytest.mark.slow
def test_a_deleted_report_is_written_again(installed: Installation) -> None:
    installed.arrive("a.smf", dump())
    installed.run()
    before = installed.files()
    (installed.reports / report_of(DAY)).unlink()
    code, output = installed.run()
    assert code == 0
    assert "written again: " in output
    assert installed.files() == before


@pytest.mark.slow
def test_printed_commands_run_in_any_folder(
    real: Installation, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of log, mail, index and status.json, also when the configuration was given with a relative path."""
    import zipfile

    real.configure(reports='formats = ["text"]\nbaseline_days = 0')
    real.arrive("dumps of tonight/a.smf", dump() + b"\0\x40" + b"x" * 62)
    real.arrive("notes.txt", b"This is not a dump. " * 300)
    with zipfile.ZipFile(real.root / "inbox" / "b.zip", "w") as archive:
        archive.writestr("c.pdf", b"%PDF-1.4" * 100)
    monkeypatch.chdir(real.root)
    printed = ""
    for _ in range(2):
        command(["daily", "daily.toml", "--today", str(NEXT)])
        captured = real.capsys.readouterr()
        written = [(real.reports / name).read_text() for name in ("mail.txt", "index.html")]
        printed += "\n".join([captured.out, captured.err, *written, *real.status()["remarks"], ""])
        for entry in open_dataset(real.dataset).manifest.computed:
            (real.dataset / entry.path).unlink(missing_ok=True)
    command(["daily", "absent.toml"])
    printed += real.capsys.readouterr().err
    commands = set(re.findall(r"(?m)(?:: |^ *)(mqstat [a-z].*?)(?:<.*)?$", printed))
    assert {shlex.split(text)[1] for text in commands} == {"daily", "doctor", "ledger", "report", "site"}
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    for text in commands:
        assert command(shlex.split(html.unescape(text))[1:]) != 16, text
        real.capsys.readouterr()


# ---------------------------------------------------------------------------------------- nothing, half of it, too late


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


@pytest.mark.parametrize(
    ("name", "words"), [("manifest.jsonl", "of a former format"), ("record/a.parquet", "no table publish")]
)
def test_a_folder_that_is_no_dataset_is_refused_without_a_dump_too(
    installed: Installation, name: str, words: str
) -> None:
    file = installed.dataset / name
    file.parent.mkdir(parents=True)
    file.touch()
    code, output = installed.run()
    assert code == 16
    assert words in output
    assert [path for path in installed.dataset.rglob("*") if path.is_file()] == [file]


def test_the_dump_of_yesterday_is_missing(installed: Installation) -> None:
    installed.arrive("a.smf", dump())
    assert installed.run()[0] == 0
    code, output = installed.run(NEXT + dt.timedelta(days=1))
    assert code == 4
    assert f"No data for {NEXT} has arrived; the newest day with data is {DAY}." in output
    index = (installed.reports / "index.html").read_text()
    assert f"Fri {NEXT}: no data" in index
    assert installed.run(NEXT)[0] == 0, "the day before has its report still"


@pytest.mark.slow
def test_a_dump_that_comes_late_makes_the_report_of_its_day_again(installed: Installation) -> None:
    installed.arrive("mq01.smf", dump())
    installed.arrive("next.smf", dump(NEXT))
    code, output = installed.run(NEXT + dt.timedelta(days=1))
    assert code == 0
    untouched = (installed.reports / report_of(NEXT)).stat().st_mtime_ns
    installed.arrive("mq02.smf", dump(DAY, "MQ02", bad=True))
    code, output = installed.run(NEXT + dt.timedelta(days=1))
    assert code == 8
    assert f"{DAY}: written again: 2 critical" in output
    assert "MQ02" in (installed.reports / report_of(DAY)).read_text()
    assert (installed.reports / report_of(NEXT)).stat().st_mtime_ns == untouched
    assert f"- {DAY}: 2 critical" in (installed.reports / "mail.txt").read_text()
    installed.check()


@pytest.mark.slow
def test_findings_of_the_previous_night_are_not_reported_again(installed: Installation) -> None:
    """The last interval of a day comes with the dump of the next one, and its report is written again, without a second
    alert.
    """
    installed.arrive("a.smf", dump(bad=True))
    assert installed.run()[0] == 8
    installed.arrive("b.smf", dump(DAY, "MQ02") + dump(NEXT))
    code, output = installed.run(NEXT + dt.timedelta(days=1))
    assert f"{DAY}: written again" in output
    assert code == 0


@pytest.mark.slow
def test_two_days_at_once(real: Installation) -> None:
    """In one dump and in two, with a queue manager each: the reports are the same as if they had come one by one."""
    real.arrive("both.smf", whole_dump() + whole_dump(NEXT))
    code, output = real.run(NEXT + dt.timedelta(days=1))
    assert code == 0
    assert f"report   {DAY}: " in output
    assert f"report   {NEXT}: " in output
    for day in (DAY, NEXT):
        text = (real.reports / report_of(day)).read_text()
        assert f"{day} 08:00 to 10:00 local" in text
        assert str(NEXT if day == DAY else DAY) not in text
    rows = (real.reports / "index.html").read_text()
    assert rows.index(str(NEXT)) < rows.index(f"Thu {DAY}")
    real.check()


@pytest.mark.slow
def test_damage_of_another_day_is_excluded(installed: Installation) -> None:
    installed.arrive("good.smf", whole_dump())
    installed.arrive("cut.smf", whole_dump(NEXT)[:-100])
    assert installed.run(NEXT + dt.timedelta(days=1))[0] in (4, 12)
    dataset = open_dataset(installed.dataset)
    for day, name, spans in ((NEXT, "cut.smf", 1), (DAY, "good.smf", 0)):
        with open_data(dataset=installed.dataset, days=[day]) as database:
            assert database.rows("SELECT source_name FROM source") == [{"source_name": name}]
            assert database.rows("SELECT count(*) AS spans FROM damage") == [{"spans": spans}]
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
    assert not (installed.dataset / "publish").exists() or not open_dataset(installed.dataset).manifest.sources
    installed.arrive("a.smf", whole, age=60)
    code, output = installed.run()
    assert code == 0, output
    assert len(open_dataset(installed.dataset).manifest.sources) == 1
    installed.check()


@pytest.mark.slow
def test_a_truncated_dump_is_finally_ingested_and_later_replaced(installed: Installation) -> None:
    whole = dump()
    installed.arrive("a.smf", whole[: len(whole) // 2 + 500], age=21 * 3600)
    code, output = installed.run()
    assert code in (4, 12), output
    assert "a.smf: added as source 1" in output
    half = (installed.reports / report_of(DAY)).read_text()
    installed.arrive("a.smf", whole)
    code, output = installed.run()
    assert code == 0, output
    assert "in place of source 1, of which it has all undamaged records" in output
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
    assert "a.smf: is empty. Is the transfer still running? The next run reads it again; " in output
    installed.arrive("a.smf", dump())
    assert installed.run()[0] == 0


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_file_that_takes_too_long_is_left_and_the_next_is_read(installed: Installation) -> None:
    """A tar whose size field leads far past its end, and a file that cannot be read in time, do not hold up the
    others.
    """
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


# --------------------------------------------------------------------------------------------------------- days that go


@pytest.mark.slow
def test_old_days_are_removed(installed: Installation) -> None:
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


@pytest.mark.slow
def test_days_past_the_retention_are_reported_before_they_are_dropped(installed: Installation) -> None:
    """A dump that is too late for both retentions: its day stays for the run that read it, which names it in log, mail,
    status and metrics.
    """
    installed.configure(dataset="keep_days = 2", reports='formats = ["text"]\nbaseline_days = 0\nkeep_days = 2')
    installed.arrive("a.smf", dump())
    assert installed.run()[0] == 0
    old = DAY - dt.timedelta(days=40)
    installed.arrive("old.smf", dump(old, bad=True))
    code, output = installed.run()
    assert code == 8, "the report of the day counts"
    kept = f"{old} is older than the retention (115 2 days, 116 2 days) and had data without a report"
    assert kept in output
    assert kept in " ".join((installed.reports / "mail.txt").read_text().replace("\n  ", " ").split())
    assert f"- {old}: 2 critical, return code 8" in (installed.reports / "mail.txt").read_text()
    assert (installed.reports / report_of(old)).exists()
    assert days_of(open_dataset(installed.dataset).manifest) == [old, DAY]
    assert installed.status()["kept_days"] == [str(old)]
    assert installed.status()["return_codes"] == {"run": 0, "day": 0, "other_days": 8}
    assert installed.metrics()["mqstat_daily_days_kept"] == 1
    code, output = installed.run()
    assert code == 0
    assert f"dropped {old}: " in output
    assert (installed.status()["kept_days"], installed.status()["dropped_days"]) == ([], [str(old)])
    assert installed.metrics()["mqstat_daily_days_dropped"] == 1
    assert not (installed.reports / report_of(old)).exists()
    assert "prune" not in installed.run()[1]
    installed.check()


@pytest.mark.slow
def test_a_killed_run_drops_nothing_that_it_has_not_reported(
    installed: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed.configure(dataset="keep_days = 2")
    installed.arrive("a.smf", dump())
    assert installed.run()[0] == 0
    old = DAY - dt.timedelta(days=40)
    installed.arrive("old.smf", dump(old))
    with monkeypatch.context() as patch:
        patch.setattr(days, "make", lambda *_: 1 / 0)
        assert installed.run()[0] == 16
    code, output = installed.run()
    assert code == 0
    assert "dropped" not in output
    assert (installed.reports / report_of(old)).exists()
    assert f"dropped {old}: " in installed.run()[1]


@pytest.mark.slow
def test_a_lost_state_file_reports_no_day_again_whose_report_is_too_old(installed: Installation) -> None:
    installed.configure(reports='formats = ["text"]\nbaseline_days = 0\nkeep_days = 1')
    for number in range(3):
        installed.arrive(f"{number}.smf", dump(DAY + dt.timedelta(days=number)))
        installed.run(DAY + dt.timedelta(days=number + 1))
    (installed.reports / states.NAME).unlink()
    _, output = installed.run(DAY + dt.timedelta(days=3))
    assert re.findall(r"^report +(\S+):", output, re.MULTILINE) == [str(DAY + dt.timedelta(days=2))]


# --------------------------------------------------------------------------------------------------- what programs read


def test_every_run_leaves_a_heartbeat(installed: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also a run that fails at any step; the end of the last success stays, and the metrics of the day go with its
    report.
    """
    exporter = installed.root / "textfile"
    exporter.mkdir()
    reports = 'folder = "reports"\nformats = ["text", "openmetrics"]\nbaseline_days = 0\nmetrics_folder = "textfile"'
    installed.configure(reports=reports)
    installed.arrive("a.smf", dump(bad=True))
    sketch = days.make

    def with_metrics(config: Config, day: dt.date, data: str, site: Site, *, is_complete: bool) -> states.Day:
        made = sketch(config, day, data, site, is_complete=is_complete)
        text = f"# HELP mqstat_return_code Code.\n# TYPE mqstat_return_code gauge\nmqstat_return_code {made.code}.0\n# EOF\n"
        (config.reports.folder / made.files["openmetrics"]).write_text(text)
        return made

    monkeypatch.setattr(days, "make", with_metrics)
    assert status.now().tzinfo is dt.UTC
    # A clock of its own: metrics have hundredths of a second, and the clock of a machine may be set while this runs.
    begun = dt.datetime.combine(NEXT, dt.time(3), dt.UTC)
    readings = (begun + number * dt.timedelta(minutes=1) for number in count())
    monkeypatch.setattr(status, "now", lambda: next(readings))
    code, output = installed.run()
    assert code == 8, output
    good = installed.metrics()
    codes = {name: good.get(f"mqstat_daily_{name}") for name in ("return_code", "run_return_code", "day_return_code")}
    assert codes == {"return_code": 8, "run_return_code": 0, "day_return_code": 8}
    success = good["mqstat_daily_last_success_timestamp_seconds"]
    assert good["mqstat_daily_start_timestamp_seconds"] == begun.timestamp()
    assert success == begun.timestamp() + 60
    assert success == good["mqstat_daily_last_run_timestamp_seconds"]
    assert good["mqstat_return_code"] == 8
    assert installed.metrics(exporter / "mqstat.prom") == good
    assert installed.status()["findings"] == {"critical": 2}

    def broken(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    def ended(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    (installed.root / "inbox").rename(installed.root / "gone")
    failures: list[tuple[object, str, object]] = [(states, "VERSION", states.VERSION), (states, "save", broken)]
    failures.append((arriving, "files_of", ended))
    for number, failure in enumerate(failures, 1):
        if number == 2:
            (installed.root / "gone").rename(installed.root / "inbox")
        with monkeypatch.context() as patch:
            patch.setattr(*failure)
            assert installed.run()[0] >= 16
        failed = installed.metrics(exporter / "mqstat.prom")
        assert failed == installed.metrics()
        assert failed["mqstat_daily_return_code"] == failed["mqstat_daily_run_return_code"] == 16, number
        assert failed["mqstat_daily_last_run_timestamp_seconds"] == success + 120 * number
        assert failed["mqstat_daily_last_success_timestamp_seconds"] == success
        assert "mqstat_return_code" not in failed, "no findings of an older run"
        assert installed.status()["error"]
    code, _ = installed.run(NEXT + dt.timedelta(days=1))
    assert code == 4
    late = installed.metrics()
    assert late["mqstat_daily_run_return_code"] == 4, "no data of yesterday"
    assert "mqstat_daily_day_return_code" not in late
    assert late["mqstat_daily_last_success_timestamp_seconds"] == success + 120 * (len(failures) + 1)
    shutil.rmtree(exporter)
    code, output = installed.run()
    assert code == 8
    assert "The metrics could not be written to" in output
    assert installed.metrics()["mqstat_daily_run_return_code"] == 4


@pytest.mark.slow
def test_a_wrong_clock_removes_no_days(installed: Installation) -> None:
    installed.configure(dataset="keep_days = 2")
    installed.arrive("a.smf", dump())
    installed.arrive("b.smf", dump(DAY - dt.timedelta(days=1)))
    for today in (NEXT, dt.date(2099, 1, 1), dt.date(1970, 1, 1)):
        installed.run(today)
        assert len(days_of(open_dataset(installed.dataset).manifest)) == 2
    assert (installed.reports / report_of(DAY)).exists()


def test_a_clock_that_goes_back_changes_no_report(installed: Installation) -> None:
    """The reports of days that were over stay, whatever today is."""
    installed.arrive("a.smf", dump())
    assert installed.run()[0] == 0
    report = installed.reports / report_of(DAY)
    before = report.stat().st_mtime_ns
    for today in (DAY, DAY - dt.timedelta(days=10)):
        code, output = installed.run(today)
        assert code == 4
        assert f"the first day with data is {DAY}: is a clock wrong?" in output
        assert " report " not in output
        assert report.stat().st_mtime_ns == before


def test_days_of_the_future_have_no_report(installed: Installation) -> None:
    future = NEXT + dt.timedelta(days=300)
    installed.arrive("a.smf", dump() + dump(future))
    code, output = installed.run()
    assert f"{future}: this day is in the future but has records: no report" in output
    assert not (installed.reports / report_of(future)).exists()
    assert code == 0


@pytest.mark.slow
def test_a_day_that_is_not_over_is_reported_so_far(installed: Installation) -> None:
    installed.arrive("a.smf", dump() + dump(NEXT, hours=1))
    code, output = installed.run()
    assert code == 0
    assert f"{NEXT}: no findings, return code 0, the day is not complete yet" in output
    assert "the day is not complete yet" in (installed.reports / "index.html").read_text()
    assert "the day is not complete yet" not in installed.run()[1], "and not written again without new data"
    output = installed.run(NEXT + dt.timedelta(days=1))[1]
    assert f"{NEXT}: written again" in output
    assert "the day is not complete yet" not in (installed.reports / "index.html").read_text()
    assert "written again" not in installed.run(NEXT + dt.timedelta(days=1))[1]


def test_a_mail_lists_what_the_card_of_the_first_finding_does_not_show() -> None:
    """The card shows the finding and its symptoms, which are the next ones."""
    day = Day(
        "data", 8, {"critical": 3, "warning": 0, "info": 0}, ("first", "symptom", "other"), (("SYS1", "MQ01"),), {"text": "a.txt"},
        first=("the card", "with its symptom"), in_first=2,
    )  # fmt: skip
    text = mail(DAY, day, (), {}, Codes())
    assert [line for line in text.splitlines() if line.startswith("- ")] == ["- other"]
    assert text.index("the card") < text.index("- other")


@pytest.mark.slow
def test_accounting_written_at_midnight_adds_no_day(installed: Installation) -> None:
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


@pytest.mark.slow
@pytest.mark.parametrize(("day", "hours"), [(dt.date(2026, 3, 29), 23), (dt.date(2026, 10, 25), 25)])
def test_days_when_the_clocks_change(installed: Installation, day: dt.date, hours: int) -> None:
    """A whole day of 23 or 25 hours, in the records of the hours before and after the change: one report, of that day
    alone.
    """
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


@pytest.mark.slow
def test_queue_managers_that_are_expected(installed: Installation) -> None:
    installed.configure(expect='qmgrs = ["MQ01", "SYS1.MQ01", "sys2.mq02", "MQ03"]')
    installed.arrive("a.smf", dump())
    code, output = installed.run()
    assert code == 4
    assert f"No data for sys2.mq02, MQ03 on {DAY}." in output
    assert f"! No data for sys2.mq02, MQ03 on {DAY}." in (installed.reports / "mail.txt").read_text()
    installed.arrive("b.smf", dump(DAY, "MQ02", "SYS2") + dump(DAY, "MQ03", "SYS2"))
    assert installed.run()[0] == 0


@pytest.mark.slow
def test_a_ruined_file_is_never_added(real: Installation) -> None:
    """It is named every night until it goes; the good dump under its name is then all that the dataset has."""
    real.configure(reports='formats = ["text"]\nbaseline_days = 0')
    ruined = real.arrive("a.smf", with_line_ends(whole_dump()))
    content = ruined.read_bytes()
    for _ in range(2):
        code, output = real.run()
        assert code == 12, output
        assert "not added: a.smf is ruined: Line feeds in the dump were changed" in output
        assert "mqstat doctor" in (real.reports / "mail.txt").read_text()
        assert any("a.smf is ruined" in text for text in real.status()["remarks"])
        assert "a.smf is ruined" in (real.reports / "index.html").read_text()
        assert ruined.read_bytes() == content
        assert not list(real.dataset.glob("record/*.parquet"))
    real.arrive("a.smf", whole_dump())
    assert real.run()[0] in (0, 4)
    assert len(open_dataset(real.dataset).manifest.sources) == 1


@pytest.mark.slow
def test_a_file_that_was_read_after_a_death_is_suspected_no_longer(real: Installation) -> None:
    path = real.arrive("a.smf", b"This is no dump.\n" * 500)
    real.arrive("b.smf", dump())
    real.reports.mkdir(exist_ok=True)
    state = path.stat()
    states.note_reading(real.reports, {"a.smf": states.Died(state.st_size, state.st_mtime_ns, None)})
    (_, first), (code, second) = real.run(), real.run()
    assert "a run of mqstat died" in first
    assert (code, "a run of mqstat died" in second, "not added: a.smf" in second) == (12, False, True)


@pytest.mark.slow
def test_a_file_in_which_a_run_dies_costs_the_others_one_run(
    real: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read after everything else, once a day, and is named with 12 until it goes."""
    from mqstat.intake.pipeline import recognise

    real.configure(reports='formats = ["text"]\nbaseline_days = 0')
    fatal = real.arrive("a.smf", whole_dump(qmgr="MQ02"))
    real.arrive("b.smf", whole_dump())
    tries: list[int] = []

    class Killed(BaseException):
        pass

    def dies(source: object, framing: object) -> object:
        if source.file == fatal:  # type: ignore[attr-defined]
            tries.append(1)
            raise Killed
        return recognise(source, framing)  # type: ignore[arg-type]

    monkeypatch.setattr("mqstat.intake.ingest.recognise", dies)
    with pytest.raises(Killed):
        real.run()
    for _ in range(2):
        code, output = real.run()
        assert code == 12
        assert "a.smf: a run of mqstat died while it read this file" in output
        assert (real.reports / report_of(DAY)).exists()
        assert any("a.smf" in text for text in real.status()["remarks"])
        assert "a.smf" in (real.reports / "mail.txt").read_text()
    assert len(tries) == 1
    with pytest.raises(Killed):
        real.run(NEXT + dt.timedelta(days=1))
    assert len(tries) == 2
    assert real.run(NEXT + dt.timedelta(days=1))[0] == 12
    monkeypatch.setattr("mqstat.intake.ingest.recognise", recognise)
    real.run(NEXT + dt.timedelta(days=2))
    assert len(open_dataset(real.dataset).manifest.sources) == 2
