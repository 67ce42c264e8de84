"""Days on which a record class is missing in part have the verdicts of tests/missing_in_part.toml, trouble or not."""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Callable, Sequence
from operator import itemgetter
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from mqstat.assemble.health import health_report
from mqstat.base.grouping import grouped_by
from mqstat.fixtures.coverage_stories import without
from mqstat.fixtures.day import DAY, HALF_HOUR
from mqstat.fixtures.frame import smf_file
from mqstat.sql.site import parse_site
from tests import missing_in_part as days
from tests.costs import cache
from tests.house import cure
from tests.report_checks import valid_json, written
from tests.support import file_of, invoke, reading

Row = dict[str, Any]
pytestmark = pytest.mark.slow
TABLE = tomllib.loads(Path(__file__).with_name("missing_in_part.toml").read_text())
CODES = {"info": 0, "warning": 4, "critical": 8}
CURE = "compare with the comments in tests/missing_in_part.toml"


@cache
def judged(build: Callable[..., bytes], *given: Any) -> tuple[dict[str, Any], dict[str, list[Row]]]:
    """The report of a dump as JSON, and its findings by queue manager."""
    with reading(file_of(build(*given), Path(mkdtemp())), site=parse_site(days.SITE, "site.toml")) as db:
        data = valid_json(written(health_report(db), "json"))
        return data, grouped_by(db.rows("SELECT * FROM finding"), itemgetter("qmgr"))


def local(moment: dt.datetime | None) -> str | None:
    """The local time of the day of a clock in UTC; 24:00 at its end."""
    if moment is None:
        return None
    since = moment + dt.timedelta(minutes=days.OWNER.gmt_offset_minutes) - days.SLOTS[0]
    hours, minutes = divmod(since // dt.timedelta(minutes=1), 60)
    return f"{hours:02d}:{minutes:02d}"


def due_of(row: Row) -> set[tuple[Any, ...]]:
    """What the table states about a rule."""
    return {tuple(row[name] for name in ("state", "judged", "slots", "from", "to"))}


def seen_of(rows: list[Row], rule: str) -> set[tuple[Any, ...]]:
    """The same of its findings, without subjects that it cannot judge."""
    return {
        (row["state"], row["slots_judged"], row["slots"], local(row["judged_from_utc"]), local(row["judged_to_utc"]))
        for row in rows
        if row["rule_id"] == rule and row["outcome"] != "no-data"
    }


def breaches(rows: list[Row]) -> dict[str, str]:
    """Rules in breach with their severity."""
    return {row["rule_id"]: row["severity"] for row in rows if row["outcome"] == "breach"}


def code_of(rows: list[Row]) -> int:
    """What a queue manager adds to the return code."""
    return max((CODES[severity] for severity in breaches(rows).values()), default=0)


def differences(name: str, due: Sequence[Any], got: Sequence[Any]) -> list[str]:
    return [f"{name}: {is_} instead of {wanted}" for wanted, is_ in zip(due, got, strict=True) if wanted != is_]


SHAPES = pytest.mark.parametrize("shape", [shape for shape in days.MISSING if shape != "nothing"])


@SHAPES
def test_a_day_has_its_verdict(shape: str) -> None:
    table = [row for row in TABLE["day"] if row["shape"] == shape]
    data, findings = judged(days.dump, shape, False, *(row["class"] for row in table))
    bad = differences("all", [max(row["code"] for row in table)], [data["return_code"]])
    for row in table:
        rows = findings[days.NAMES[row["class"]]]
        rules = {row["finding"], *row["also"]} - {""}
        got = [seen_of(rows, row["rule"]), breaches(rows).keys(), code_of(rows)]
        bad += differences(row["class"], [due_of(row), rules, row["code"]], got)
        kinds = set(days.KINDS.get(row["class"], (row["class"],)))
        parts = [each for each in rows if (each["rule_id"], each["state"]) == (row["rule"], "clear in part")]
        bad += [
            row["class"]
            for each in parts
            if not kinds & set(each["missing_classes"]) or "; no 11" not in each["advice"]
        ]
    assert not bad, cure(CURE, bad)


@SHAPES
def test_trouble_in_the_missing_part_leaves_no_trace(shape: str) -> None:
    """The dumps are equal to the byte, and so is all output."""
    assert days.dump(shape, True) == days.dump(shape, False)


def test_a_complete_day_shows_the_trouble() -> None:
    """Each rule of the table is in breach, in both half hours with trouble if it judges intervals, and no other."""
    data, findings = judged(days.dump, "nothing", True)
    expected = {(days.NAMES[row["class"]], row["rule"]) for row in TABLE["day"]}
    rows = [row for owned in findings.values() for row in owned]
    found = [row for row in rows if row["outcome"] == "breach"]
    assert {(row["qmgr"], row["rule_id"]) for row in found} == expected
    assert {row["intervals_breached"] for row in found if row["intervals_checked"] > 1} == {2}
    assert data["return_code"] == 8
    assert "partial" not in {row["outcome"] for row in rows}


def test_quiet_days_stay_quiet() -> None:
    data, findings = judged(days.quiet_dump)
    bad = differences("days", [*days.QUIET, days.LOST], [row["day"] for row in TABLE["quiet"]])
    for number, row in enumerate(TABLE["quiet"], 1):
        name = f"N{number:03d}"
        rows = findings[name]
        partial = [tile["area"] for tile in data["tiles"] if tile["qmgr"] == name and tile["state"] == "clear in part"]
        clear = [each for each in rows if each["outcome"] == "clear" and each["slots"] is not None]
        due = [set(row["breach"]), row["code"], row["areas"], bool(row["areas"]), {(row["slots"], row["slots"])}]
        got = [
            breaches(rows).keys(), code_of(rows), sorted(partial), "partial" in {each["outcome"] for each in rows},
            {(each["slots_judged"], each["slots"]) for each in clear},
        ]  # fmt: skip
        bad += differences(row["day"], due, got)
        if "rule" in row:
            bad += differences(row["day"], [due_of(row)], [seen_of(rows, row["rule"])])
    assert not bad, cure(CURE, bad)


def test_a_class_that_is_missing_in_its_usual_hours_is_noticed(tmp_path: Path) -> None:
    """Class 3 accounting stops at 10:00 on the fifth day: with the four days before it in a dataset CV019 reports it,
    alone it cannot.
    """
    dates = [DAY + dt.timedelta(days=number) for number in range(-4, 1)]
    slots = [day + hour * HALF_HOUR for day in dates for hour in range(16, 24)]
    stopped = DAY + dt.timedelta(hours=10)
    records = [
        record
        for start in slots
        for record in without(days.half_hour(start), *(days.KINDS["116.1"] if start >= stopped else ()))
    ]
    dump = file_of(smf_file(records), tmp_path)
    assert invoke("ingest", dump, "--into", tmp_path / "data").returncode == 0
    given = ("report", "--from", tmp_path / "data", "--date", str(DAY.date()))
    assert "0 days known, 4 needed" in invoke(*given, "--finding", f"CV019/{days.OWNER.name}").stdout
    text = " ".join(invoke(*given, "--baseline", "7d", "-v").stdout.split())
    assert "No 116.1 (class 3 accounting) in 2 hours of the day, the first at 10:00" in text
    assert "4 of the last 4 days had records then" in text
