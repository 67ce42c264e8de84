"""The table finding_day of a dataset: kept, verified, rebuilt and redacted like the rest of it, and what its rows are
made from.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from mqstat.assemble.finding_rows import limits_checksum
from mqstat.assemble.history import history, memory
from mqstat.cli import run as command
from mqstat.daily.days import judge_again
from mqstat.dataset import finding_day
from mqstat.dataset.prune import prune
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.sql.site import Site, parse_site
from tests.finding_days import Planted, day, plant, rows_of
from tests.installation import DAY, NEXT, dump


def rows_in(folder: Path) -> int:
    return sum(entry.rows for entry in open_dataset(folder).manifest.computed)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Two days of records, and what was judged on them."""
    folder = tmp_path / "dataset"
    (tmp_path / "a.smf").write_bytes(dump(bad=True) + dump(NEXT))
    assert command(["ingest", str(tmp_path / "a.smf"), "--into", str(folder)]) == 0
    judge_again(folder, [DAY, NEXT], NEXT + dt.timedelta(days=1), Site())
    return folder


def test_a_rule_has_its_subjects_in_breach_or_one_row(dataset: Path) -> None:
    rows = finding_day.read_day(dataset, open_dataset(dataset).manifest, DAY).to_pylist()
    breaches = [row for row in rows if row["state"] == "breach"]
    assert {row["rule_id"] for row in breaches} >= {"BP001", "BP002"}
    assert all(
        row["subject"] and row["severity"] and row["observed"] is not None
        for row in breaches
        if row["rule_id"] == "BP001"
    )
    others = [(row["rule_id"], row["lpar"], row["qmgr"]) for row in rows if row["state"] != "breach"]
    assert len(others) == len(set(others)) > 100
    assert {row["state"] for row in rows} >= {"breach", "clear", "not collected", "needs a site fact"}
    assert {row["subject"] for row in rows if row["state"] != "breach"} == {None}
    clear = next(
        row
        for row in finding_day.read_day(dataset, open_dataset(dataset).manifest, NEXT).to_pylist()
        if row["rule_id"] == "BP001"
    )
    assert (clear["state"], clear["observed"], clear["qmgr"], clear["is_complete"]) == ("clear", 0.0, "MQ01", True)
    assert {each.rule_id for each in history(dataset, NEXT).ended} >= {"BP001", "BP002"}


def test_it_stays_when_records_are_merged_or_dropped(dataset: Path) -> None:
    before = memory(dataset)
    assert verify(dataset).problems == []
    assert command(["compact", str(dataset)]) == 0
    assert memory(dataset) == before
    prune(dataset, NEXT)
    assert command(["prune", str(dataset), "--retention", "115=1 day", "--retention", "116=1 day"]) == 0
    assert memory(dataset) == before
    assert verify(dataset).problems == []
    assert rows_in(dataset) > 200


def test_a_changed_file_is_reported_and_left_out(dataset: Path) -> None:
    plant(dataset, [Planted("BP002", "B", "MQ01", "SYS1")], 1)
    [entry] = [entry for entry in open_dataset(dataset).manifest.computed if "2026-05" in entry.path]
    (dataset / entry.path).write_bytes((dataset / entry.path).read_bytes()[:-1] + b"?")
    assert entry.path in verify(dataset).problems[0]
    assert finding_day.changed_files(dataset, open_dataset(dataset).manifest) == [entry.path]
    assert set(memory(dataset).days) == {day(1)}
    judge_again(dataset, [DAY], NEXT, Site())
    assert set(memory(dataset).days) == {DAY, day(1)}
    assert entry.path in verify(dataset).problems[0], "the change stays visible"


def test_a_dataset_without_it(tmp_path: Path) -> None:
    (tmp_path / "a.smf").write_bytes(dump())
    assert command(["ingest", str(tmp_path / "a.smf"), "--into", str(tmp_path / "dataset")]) == 0
    assert memory(tmp_path / "dataset").days == {}
    assert history(tmp_path / "dataset", DAY).cards == {}
    assert memory(tmp_path / "missing").days == {}


def test_the_same_rows_are_not_published_twice(tmp_path: Path) -> None:
    findings = [Planted("LG004", "BB", "<b>"), Planted("BP002", "cB", subjects=3)]
    plant(tmp_path / "d", findings, 2)
    before = open_dataset(tmp_path / "d").manifest.generation
    plant(tmp_path / "d", findings, 2)
    assert open_dataset(tmp_path / "d").manifest.generation == before
    assert rows_in(tmp_path / "d") == 6
    assert history(tmp_path / "d", day(2)).of("LG004", "SYS1", "<b>").word == "2nd day in a row"


def test_rows_of_a_day_that_arrive_late_change_what_depends_on_them(tmp_path: Path) -> None:
    findings = [Planted("BP002", "cBcccccBcc"), Planted("LG004", "ccccccccBB")]
    plant(tmp_path / "d", findings, 10)
    before = {number: history(tmp_path / "d", day(number)).checksum for number in range(1, 11)}
    finding_day.publish(tmp_path / "d", {day(2): rows_of([Planted("BP002", "cc"), Planted("LG004", "cc")], 2)})
    changed = [number for number in before if history(tmp_path / "d", day(number)).checksum != before[number]]
    assert changed == [2, 3, 8], "the day, the one on which it was gone, the one on which it came again"
    assert history(tmp_path / "d", day(8)).of("BP002", "SYS1", "MQ01").word == "new"


def test_a_queue_manager_that_moves_to_another_lpar_is_the_same(tmp_path: Path) -> None:
    moved = [Planted("BP002", "cB  "), Planted("BP002", "  BB", lpar="SYS2")]
    plant(tmp_path / "d", moved, 4)
    assert history(tmp_path / "d", day(4)).of("BP002", "SYS2", "MQ01").word == "3rd day in a row"
    several = [Planted("BP002", "cBcc", "MQ02"), Planted("BP002", "ccBB", "MQ02", "SYS2")]
    plant(tmp_path / "e", several, 4)
    assert history(tmp_path / "e", day(3)).of("BP002", "SYS2", "MQ02").word == "new"


def test_a_day_that_is_not_over_decides_nothing(tmp_path: Path) -> None:
    plant(tmp_path / "d", [Planted("BP002", "cBBB"), Planted("LG004", "cBcB")], 4, incomplete=[3])
    shown = history(tmp_path / "d", day(3))
    assert [card.word for card in shown.cards.values()] == [""]
    assert shown.ended == ()
    last = history(tmp_path / "d", day(4))
    assert {rule: card.word for (rule, _), card in last.cards.items()} == {
        "BP002": "2nd day in a row",
        "LG004": "2nd day in a row",
    }


def test_what_changes_the_checksum_of_limits() -> None:
    def of(text: str, rule_id: str = "BP004", owner: tuple[str, str] = ("SYS1", "MQ01")) -> str:
        return limits_checksum(rule_id, owner, parse_site(text, "site.toml"))

    plain = of("")
    override = '[rules.BP004{}]\nstealable_pct_min = 10.0\nreason = "agreed"\n'
    assert of(override.format("")) != plain
    assert of(override.format(".qmgr.MQ01")) != plain
    assert of(override.format(".qmgr.MQ02")) == plain
    assert of(override.format(".qmgr.MQ01")) == of(
        override.format(".qmgr.MQ01").replace("agreed", "for another reason")
    )
    assert of('[rules.BP004.qmgr.MQ01]\noff = true\nreason = "batch"\n') != plain
    assert of('[rules.BP004]\nseverity = "info"\nreason = "batch"\n') == plain, "it is in breach with any severity"
    assert of("[site]\nactive_log_mb = 4096\n") == plain, "a fact that it does not read"
    assert of("[site]\nactive_log_mb = 4096\n", "LG010") != of("", "LG010")
