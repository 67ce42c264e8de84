"""Retention by class: periods, holds, what is dropped, and the hourly sums that stay."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path
from typing import Any

import pytest

from mqstat.base.errors import ConfigError, UsageError
from mqstat.cli import run as command
from mqstat.daily.config import load_config
from mqstat.dataset.classes import class_of
from mqstat.dataset.manifest import Manifest
from mqstat.dataset.prune import days_of
from mqstat.dataset.retention import Period, Policy, parse_hold, parse_period, plan
from mqstat.dataset.store import open_dataset
from mqstat.fixtures.day import intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.intake.open_data import open_data
from tests.installation import Installation, dump, installed_fixture, real_fixture  # noqa: F401 - fixtures

NEWEST = dt.date(2026, 5, 21)
DAYS = (NEWEST - dt.timedelta(days=500), NEWEST - dt.timedelta(days=60), NEWEST - dt.timedelta(days=20), NEWEST)
LATER = dt.date(2026, 5, 22)


@pytest.fixture(name="made", scope="module")
def made_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset with an hour of statistics and accounting on each of four days."""
    root = tmp_path_factory.mktemp("retention")
    records = []
    for day in DAYS:
        records += intervals(QueueManager("MQ01", "SYS1"), dt.datetime.combine(day, dt.time(8)), 3)
    (root / "a.smf").write_bytes(smf_file(records))
    assert command(["ingest", str(root / "a.smf"), "--into", str(root / "data"), "--jobs", "1"]) == 0
    return root / "data"


@pytest.fixture(scope="module")
def pruned(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That dataset without the accounting of the first two days, whose files are deleted."""
    folder = Path(shutil.copytree(made, tmp_path_factory.mktemp("pruned") / "data"))
    for keep in ("--retention", "116=30d"), ("--before", "2000-01-01"):  # the second one deletes the files
        assert command(["prune", str(folder), *keep]) == 0
    return folder


def manifest_of(folder: Path) -> Manifest:
    return open_dataset(folder).manifest


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("1 day", NEWEST),
        ("30d", dt.date(2026, 4, 22)),
        ("1 month", dt.date(2026, 4, 22)),
        ("13 months", dt.date(2025, 4, 22)),
        ("3m", dt.date(2026, 2, 22)),
        ("2 years", dt.date(2024, 5, 22)),
        ("9999 years", dt.date.min),
    ],
)
def test_periods(text: str, first: dt.date) -> None:
    assert parse_period(text).first_kept(NEWEST) == first


def test_a_month_ends_at_the_last_day_of_a_shorter_one() -> None:
    assert Period("", months=1).first_kept(dt.date(2026, 3, 31)) == dt.date(2026, 3, 1)


@pytest.mark.parametrize("text", ["", "30", "0 days", "-1 days", "1.5 months", "30 weeks", "9999999 days"])
def test_what_is_not_a_period(text: str) -> None:
    with pytest.raises(UsageError, match="is not a period; write 30 days"):
        parse_period(text)


@pytest.mark.parametrize(
    "text", ["", "2026-02-30", "2026-03-05..2026-03-01", "march", "2026-03-01..", "2026-03-01reason"]
)
def test_what_is_not_a_hold(text: str) -> None:
    with pytest.raises(UsageError, match="is not a day or a range of days"):
        parse_hold(text)
    assert parse_hold("2026-03-01..2026-03-05 incident 4711").reason == "incident 4711"


def test_the_classes_of_tables() -> None:
    assert {name: class_of(name) for name in ("qpst", "qest_structure", "wtas", "wq_cf", "qcst", "record", "qwhs", "source", "nothing")} == {
        "qpst": "115", "qest_structure": "115", "wtas": "116", "wq_cf": "116", "qcst": "116",
        "record": "", "qwhs": "", "source": "", "nothing": "",
    }  # fmt: skip


def test_what_a_policy_drops(made: Path) -> None:
    """Accounting goes first; table record and whole days go with the class that is kept longest, and what is on hold
    stays.
    """
    manifest = manifest_of(made)

    def dropped(policy: Policy, keep: tuple[dt.date, ...] = ()) -> dict[str, list[dt.date]]:
        return {step.name: list(step.days) for step in plan(manifest, policy, LATER, keep)}

    month, year = parse_period("30 days"), parse_period("13 months")
    both = {"115": year, "116": month}
    assert dropped(Policy()) == {}
    assert dropped(Policy({"116": month})) == {"116": list(DAYS[:2])}, "without a period for 115 its days stay"
    assert dropped(Policy(both)) == {"116": [DAYS[1]], "all": [DAYS[0]]}
    assert dropped(Policy({"115": month, "116": year})) == {"115": [DAYS[1]], "all": [DAYS[0]]}
    assert dropped(Policy(both), (DAYS[1],)) == {"all": [DAYS[0]]}
    assert dropped(Policy(both, (parse_hold(f"{DAYS[0]}..{DAYS[1]} case"),))) == {}
    (step,) = plan(manifest, Policy({"116": month}, (parse_hold(str(DAYS[0])),)), LATER)
    assert {class_of(entry.table) for entry in step.files} == {"116"}
    assert step.text("would drop").startswith(f"would drop class 116 of {DAYS[1]}: {step.records} records, ")


# ----------------------------------------------------------------------------------------------------------- daily runs


def configured(installed: Installation, periods: str) -> None:
    installed.configure(retention=periods, reports='formats = ["text"]\nbaseline_days = 0')


@pytest.mark.parametrize(
    "words",
    [
        ["--retention", "117=30d"],
        ["--retention", "116"],
        ["--retention", "116=soon"],
        ["--hold", "x", "--keep", "3"],
        ["--keep", "3", "--retention", "116=3d"],
    ],
)
def test_options_that_are_not_valid(made: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["prune", str(made), *words]) == 16
    assert capsys.readouterr().err.count("\n") == 1


def test_prune_keeps_days_on_hold(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(made, tmp_path / "data")
    assert command(["prune", str(tmp_path / "data"), "--keep", "1", "--hold", f"{DAYS[0]}..{DAYS[1]}"]) == 0
    assert days_of(manifest_of(tmp_path / "data")) == [DAYS[0], DAYS[1], DAYS[3]]
    assert capsys.readouterr().out.startswith(f"dropped {DAYS[2]}: ")


@pytest.mark.slow
def test_days_on_hold_stay(installed: Installation) -> None:
    old = NEWEST - dt.timedelta(days=40)
    configured(installed, f'115 = "30 days"\n116 = "30 days"\nhold = ["{old} incident"]')
    for name, day in (("a", NEWEST), ("old", old), ("other", old - dt.timedelta(days=1))):
        installed.arrive(f"{name}.smf", dump(day))
    for _ in range(4):
        assert installed.run()[0] == 0
    assert days_of(manifest_of(installed.dataset)) == [old, NEWEST]
    assert command(["daily", "--check", str(installed.config)]) == 0
    assert f"115 30 days, 116 30 days; on hold: {old}..{old} (incident)" in installed.capsys.readouterr().out


@pytest.mark.slow
def test_a_shorter_retention_is_announced_one_run_ahead(installed: Installation) -> None:
    old, second = NEWEST - dt.timedelta(days=40), NEWEST - dt.timedelta(days=10)
    for name, day in (("a", NEWEST), ("old", old), ("second", second)):
        installed.arrive(f"{name}.smf", dump(day))
    assert installed.run()[0] == 0
    for days, so_far, dropped_day in ((30, "all days", old), (5, "115 30 days, 116 30 days", second)):
        configured(installed, f'115 = "{days} days"\n116 = "{days} days"')
        present = days_of(manifest_of(installed.dataset))
        code, output = installed.run()
        assert code == 0
        sentence = f"The retention is new: 115 {days} days, 116 {days} days, so far {so_far}. Nothing is dropped for it in this run."
        assert sentence in output
        mail = " ".join((installed.reports / "mail.txt").read_text().split())
        assert sentence in mail
        assert f"! The next run drops {dropped_day}: " in mail
        assert days_of(manifest_of(installed.dataset)) == present
        code, output = installed.run()
        assert code == 0
        assert f"dropped {dropped_day}: " in output
        assert days_of(manifest_of(installed.dataset)) == [day for day in present if day != dropped_day]
        assert "The retention is new" not in installed.run()[1]
    installed.check()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('116 = "30"', 'line 9: retention.116 must be a period in quotes, such as "30 days"'),
        ("116 = 30", "line 9: retention.116 must be a period"),
        ('hold = ["yesterday"]', "line 9: retention.hold must be a list of days or ranges"),
        ('117 = "30 days"', "line 9: retention.117 is not known"),
        ('116 = "20 days"', "line 9: retention.116 is 20 days, so there are no 28 days to compare with"),
    ],
)
def test_faults_of_the_configuration(tmp_path: Path, keys: str, message: str) -> None:
    path = tmp_path / "daily.toml"
    path.write_text(
        f'[inbox]\nfolder = "inbox"\n[dataset]\nfolder = "dataset"\n[reports]\nfolder = "reports"\n\n[retention]\n{keys}\n'
    )
    with pytest.raises(ConfigError) as fault:
        load_config(path)
    assert message in str(fault.value)


@pytest.mark.slow
def test_a_dropped_class_is_not_shown_as_collected(
    made: Path, pruned: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """View collectionand the head of the report state that a retention dropped the class, on which date, and how much
    of it.
    """
    folder = Path(shutil.copytree(pruned, tmp_path / "data"))
    query = (
        "SELECT record_class, coverage_state, records, records_dropped, dropped_on FROM collection WHERE records > 0"
    )

    def states(dataset: Path, days: list[dt.date] | None = None) -> dict[str, tuple[Any, ...]]:
        with open_data(dataset=dataset, days=days) as database:
            return {row[0]: row[1:] for row in database.ask(query).fetchall()}

    before, of_a_day = states(made), states(made, [DAYS[0]])
    on = dt.date.fromisoformat(manifest_of(folder).dropped[0].on)
    whole, day = states(folder), states(folder, [DAYS[0]])
    statistics = [name for name in before if name.startswith("115.")]
    assert [whole[name] for name in statistics] == [before[name] for name in statistics]
    for name in sorted({*before} - {*statistics}):
        assert day[name] == ("dropped by retention", of_a_day[name][1], of_a_day[name][1], on)
        assert whole[name][0] == "dropped in part"
        assert whole[name][1] == before[name][1] == 2 * whole[name][2]
    capsys.readouterr()
    for verbose in ([], ["-v"]):
        assert command(["report", "--from", str(folder), "--date", str(DAYS[0]), *verbose]) in (0, 4, 8)
        text = " ".join(capsys.readouterr().out.split())
        assert "dropped by retention 116.0 class 1 accounting" in text
        assert f"on {on}" in text
    assert command(["report", "--from", str(folder)]) in (0, 4, 8)
    text = " ".join(capsys.readouterr().out.split())
    assert "dropped in part 116.0 class 1 accounting" in text
    assert {row[2:] for row in states(folder, [NEWEST]).values()} == {(0, None)}
