"""The line of every rule and the tile of every area and queue manager: what decides them, and what they show if nothing
could be judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from mqstat.assemble.conditions import finding_text
from mqstat.assemble.lines import rule_lines, tiles
from mqstat.assemble.page_model import Curve, RuleLine, Tile
from mqstat.assemble.table_model import LocalTimes
from mqstat.base.areas import AREAS
from mqstat.judge.engine import run_rules
from mqstat.judge.model import rules
from mqstat.judge.states import STATUSES as STATES
from mqstat.judge.states import rule_states, status
from mqstat.sql.schemas import view_schema
from mqstat.sql.sqlfile import order_of
from tests.cases import START, case_database
from tests.estates import in_tiers
from tests.outputs import Outputs

ORDER = f"ORDER BY {order_of('overview/findings')}"
TIMES = LocalTimes({("SYS1", name): ((START, 60),) for name in ("MQ01", "MQ02", "MQ03")}, one_day=True)
POOL: Mapping[str, Any] = {
    "n": [0, 1, 2, 3],
    "pool_id": 1,
    "buffers": 100,
    "no_buffer_waits": 0,
    "deferred_write_starts": 0,
}
CLASSES = [
    {"qmgr": name, "record_class": "115.215", "records": 4, "command_to_collect": "START TRACE(STAT) CLASS(1)"}
    for name in ("MQ01", "MQ02")
]
CASE: Mapping[str, Any] = {
    "given": {
        "qmgr": [{"qmgr": name} for name in ("MQ01", "MQ02", "MQ03")],
        "collection": [*CLASSES, {**CLASSES[0], "qmgr": "MQ03", "records": 0}],
        "buffer_pool": [
            {**POOL, "lowest_free_pct": 80.0},
            {**POOL, "n": 4, "lowest_free_pct": 0.0, "no_buffer_waits": 7},
            {**POOL, "n": [0, 1, 2, 3, 4], "pool_id": 2, "lowest_free_pct": 9.0},
            {**POOL, "qmgr": "MQ02", "lowest_free_pct": 40.0},
            {**POOL, "qmgr": "MQ02", "pool_id": 3, "lowest_free_pct": 30.0},
        ],
    }
}
ONLY = ("BP001", "BP004", "BP009", "LG011", "CH004", "CH002")


def judged(case: Mapping[str, Any], only: tuple[str, ...] = ONLY) -> tuple[dict[str, RuleLine], list[Tile]]:
    """Lines by rule, and the tiles, of a case."""
    with case_database(case, only) as db:
        run_rules(db, only=only)
        rows = db.rows(f"SELECT * FROM finding {ORDER}")
        managers = [(row["lpar"], row["qmgr"]) for row in db.rows("SELECT lpar, qmgr FROM qmgr ORDER BY lpar, qmgr")]
        parts = rule_states(rows, managers)
        return {line.rule_id: line for line in rule_lines(parts, TIMES, managers)}, list(tiles(parts, TIMES, managers))


def test_every_rule_has_a_line_in_the_order_of_the_areas() -> None:
    lines, _ = judged(CASE)
    assert set(lines) == set(rules())
    order = [(AREAS.index(line.area), line.rule_id) for line in lines.values()]
    assert order == sorted(order)


def test_a_breach_names_its_worst_place_and_counts_the_others() -> None:
    lines, _ = judged(CASE)
    line = lines["BP001"]
    assert (line.state, line.value, line.limit, line.where, line.when, line.share, line.breached_subjects) == (
        "critical", "7", "> 0", "MQ01 buffer pool 1", "03:00", "1 of 5", 1,
    )  # fmt: skip
    assert line.text == (
        "7 waits for a buffer (> limit 0), MQ01 buffer pool 1 at 03:00, in 1 of 5 intervals; "
        "not judged on MQ03: no 115.215 records; collect them with START TRACE(STAT) CLASS(1)"
    )
    assert line.command == "START TRACE(STAT) CLASS(1)"
    assert lines["BP004"].state == "warning"
    assert lines["BP004"].where == "MQ01 buffer pool 2"


def test_a_green_line_has_the_figure_that_is_nearest_to_its_limit() -> None:
    case = {
        "given": {"buffer_pool": [{**POOL, "lowest_free_pct": 80.0}, {**POOL, "pool_id": 5, "lowest_free_pct": 30.0}]}
    }
    lines, _ = judged(case)
    line = lines["BP004"]
    assert (line.state, line.where, line.share, line.breached_subjects) == ("clear", "MQ01 buffer pool 5", "", 0)
    assert line.text == "lowest share of stealable buffers 30 % (>= limit 15 %), MQ01 buffer pool 5 at 01:00"


def test_unjudged_lines_show_the_missing_data() -> None:
    lines, _ = judged(CASE)
    assert (lines["BP009"].state, lines["BP009"].fact) == ("needs a site fact", "pool_role")
    assert lines["BP009"].text == "not given in the site file: pool_role"
    assert lines["LG011"].fact == "active_logs, active_log_mb"
    assert (lines["CH004"].state, lines["CH004"].text) == ("off", "off unless the site switches it on")
    assert lines["CH002"].state == "not collected"
    assert not lines["CH002"].value


def test_what_the_site_switches_off_shows_the_reason() -> None:
    site = '[rules.BP001]\noff = true\nreason = "pools of a test system"\n'
    lines, drawn = judged({**CASE, "site": site})
    assert (lines["BP001"].state, lines["BP001"].text) == (
        "off",
        "switched off by the site: pools of a test system",
    )
    assert {tile.state for tile in drawn if tile.rule_id == "BP001"} == set()


def test_a_rule_that_is_off_as_a_whole_is_off_on_every_queue_manager() -> None:
    _, drawn = judged(CASE, ("CH004",))
    assert [(tile.qmgr, tile.state) for tile in drawn] == [(name, "off") for name in ("MQ01", "MQ02", "MQ03")]


def test_a_fact_of_the_site_switches_its_rules_on() -> None:
    case = {"given": {**CASE["given"]}, "site": '[site]\npool_role = { 1 = "short" }\n'}
    lines, _ = judged(case)
    assert lines["BP009"].state != "needs a site fact"
    assert lines["BP009"].fact == ""


def test_without_records_there_is_nothing_to_judge() -> None:
    counter = {"area": "buffer_pool", "activity_counter": "page gets", "is_collected": True}
    given = {"buffer_pool": [{**POOL, "buffers": 0}], "collection": CLASSES[:1], "qmgr": [{"qmgr": "MQ01"}]}
    for page_gets, state in ((0.0, "idle"), (5.0, "not judged")):
        case = {"given": {**given, "area_activity": [{**counter, "activity_value": page_gets}]}}
        lines, drawn = judged(case, ("BP001",))
        assert lines["BP001"].state == state
        assert [(tile.area, tile.qmgr, tile.state) for tile in drawn] == [("buffer_pool", "MQ01", state)]
    empty = rule_lines([], TIMES, [])
    assert {line.state for line in empty} == {"not collected"}
    assert tiles([], TIMES, []) == ()


def test_a_tile_is_an_area_on_a_queue_manager() -> None:
    _, drawn = judged(CASE)
    states = {(tile.area, tile.qmgr): (tile.state, tile.rule_id) for tile in drawn}
    assert states["buffer_pool", "MQ01"] == ("critical", "BP001")
    assert states["buffer_pool", "MQ02"] == ("clear", "BP004")
    assert states["buffer_pool", "MQ03"][0] == "not collected"
    (worst,) = [tile for tile in drawn if (tile.area, tile.qmgr) == ("buffer_pool", "MQ01")]
    assert worst.text.endswith("; 1 more")
    assert (worst.judged, worst.rules) == (2, 3)


def test_a_broken_rule_comes_first() -> None:
    manager = {
        "lpar": "SYS1",
        "qmgr": "MQ01",
        "subject": None,
        "breached_pct": 50.0,
        "observed": 1.0,
        "limit_value": 0.0,
        "operator": ">",
        "weight": "delay",
        "distance": 2.0,
    }
    broken = {**manager, "rule_id": "BP002", "state": "broken", "severity": "info"}
    breach = {**manager, "rule_id": "BP001", "state": "breach", "severity": "critical"}
    decided = status(rule_states([breach, broken], [("SYS1", "MQ01")]))
    assert decided is not None
    assert (decided.state, decided.row, decided.breaches) == ("broken", broken, (breach,))
    assert status([]) is None


def test_hostile_names_are_shown_without_their_controls() -> None:
    rows = [{**POOL, "qmgr": "M\x1b[2J", "lpar": "S\u202e1", "no_buffer_waits": 1}]
    lines, drawn = judged({"given": {"buffer_pool": rows}}, ("BP001",))
    assert lines["BP001"].where == "M?[2J buffer pool 1"
    assert "\x1b" not in lines["BP001"].text + drawn[0].text
    assert drawn[0].qmgr == "M\x1b[2J"  # a name of the model; who prints it cleans it


def test_a_curve_goes_with_its_rule() -> None:
    curve = Curve((1.0, None), 2.0, frozenset(), "buffer pool 1")
    with case_database(CASE, ["BP001"]) as db:
        run_rules(db, only=["BP001"])
        rows = db.rows("SELECT * FROM finding")
    managers = [("SYS1", f"MQ0{number}") for number in (1, 2, 3)]
    lines = {line.rule_id: line for line in rule_lines(rule_states(rows, managers), TIMES, managers, {"BP001": curve})}
    assert lines["BP001"].curve is curve
    assert lines["BP002"].curve is None


# ------------------------------------------------------------------------------------------------------------ scenarios


@pytest.mark.parametrize("name", in_tiers(["missing_classes", "old_release", "damaged_transfer"]))
def test_lines_and_tiles_agree_with_findings(name: str, outputs: Outputs) -> None:
    """In the JSON of the report, which has everything in the model (tests/test_formats.py)."""
    report = outputs.scenario(name).document
    lines, tiles, findings = report["rules"], report["tiles"], report["findings"]
    assert {line["rule_id"] for line in lines} == set(rules())
    assert {line["state"] for line in lines} | {tile["state"] for tile in tiles} <= set(STATES)
    assert {line["rule_id"]: line["state"] for line in lines if line["places"]} == {
        rule_id: min((f["severity"] for f in findings if f["rule_id"] == rule_id), key=STATES.index)
        for rule_id in {finding["rule_id"] for finding in findings}
    }
    assert {line["rule_id"]: line["places"] for line in lines if line["places"]} == {
        rule_id: sum(len(finding["subjects"]) for finding in findings if finding["rule_id"] == rule_id)
        for rule_id in {finding["rule_id"] for finding in findings}
    }
    # Every area that is asked for has a tile on every queue manager, and the worst of them is the verdict of the area.
    areas = {rule.area for rule in rules().values() if rule.default_on}
    qmgrs = {(tile["lpar"], tile["qmgr"]) for tile in tiles if tile["qmgr"]}
    assert qmgrs
    assert {(tile["area"], tile["lpar"], tile["qmgr"]) for tile in tiles if tile["qmgr"]} == {
        (a, *q) for a in areas for q in qmgrs
    }
    for verdict, area in zip(report["verdict"], (area for area in AREAS if area in areas), strict=True):
        worst = min((tile["state"] for tile in tiles if tile["area"] == area), key=STATES.index)
        assert (verdict["rule_area"], verdict["state"]) == (area, worst)


def test_a_green_figure_beyond_its_limit_shows_why_it_is_green() -> None:
    pool = {**POOL, "synchronous_write_hits": 0, "no_buffer_waits": 0}
    lines, _ = judged(
        {
            "given": {
                "buffer_pool": [
                    {**pool, "lowest_free_pct": 76.0},
                    {**pool, "pool_id": 5, "lowest_free_pct": 0.0, "synchronous_write_hits": 12},
                ]
            }
        },
        ("BP001", "BP002", "BP003", "BP004"),
    )
    assert (lines["BP003"].state, lines["BP003"].where) == ("clear", "MQ01 buffer pool 5")
    assert lines["BP003"].text == (
        "lowest share of stealable buffers 0 % (<= limit 5 %), MQ01 buffer pool 5 at 01:00; clear: 12 synchronous writes"
    )
    assert lines["BP004"].share == "reported by BP002"
    row: dict[str, Any] = dict.fromkeys(view_schema("finding").names)
    row |= {
        "state": "clear",
        "outcome": "clear",
        "observed": 9.0,
        "limit_value": 15.0,
        "intervals_checked": 48,
        "clear_because": None,
    }

    def why(rule_id: str, **changes: Any) -> str:
        return finding_text({**row, "rule_id": rule_id, **changes}, TIMES, many_lpars=False).why

    shares = [rule.id for rule in rules().values() if rule.judge.kind == "share"]
    runs = [rule.id for rule in rules().values() if rule.judge.kind == "consecutive"]
    assert why(shares[0]) == ""
    assert why(shares[0], clear_because="share", intervals_breached=2).startswith("2 of 48 intervals, breach needs ")
    assert why(shares[0], clear_because="share", intervals_breached=2).endswith(" %")
    assert why(runs[0], clear_because="consecutive", intervals_breached=1).endswith(" of five minutes or more in a row")


def test_a_time_of_several_queue_managers_is_local_if_they_have_the_same() -> None:
    """The total of a report has no queue manager; its times are local, like its heading, unless the queue managers
    differ at that moment.
    """
    noon = START.replace(hour=12)
    assert TIMES.local(None, None, noon) == noon + timedelta(hours=1)
    zones = LocalTimes(
        {
            ("SYS1", "MQ01"): ((START, 60), (noon, 120)),
            ("SYS2", "MQ01"): ((START, 60),),
            ("SYS2", "MQ02"): ((START, 60),),
        },
        one_day=True,
    )
    assert zones.local(None, "MQ01", noon) is None
    assert zones.local(None, None, noon - timedelta(seconds=1)) == noon + timedelta(minutes=60, seconds=-1)
    assert zones.local("SYS2", None, noon) == noon + timedelta(hours=1)
    assert zones.zone("SYS1", None, noon) == " (UTC+2)"
    # A time has its offset if most queue managers have another one: a page has the clock of most of them.
    other = LocalTimes({("SYS0", "MQ00"): ((START, 0),), **zones.changes}, one_day=True)
    assert other.usual == ("SYS1", "MQ01")
    assert (other.text("SYS0", "MQ00", START), other.text("SYS2", "MQ01", START)) == ("00:00 (UTC)", "01:00")
    assert (zones.local("SYS3", "MQ09", noon), LocalTimes({}).local(None, None, noon)) == (None, None)
    # An expected member without records has no LPAR: its times are those of the others, as long as they agree.
    assert TIMES.text(None, "MQ09", noon) == "13:00"
    assert (zones.local(None, "MQ09", noon), zones.text(None, "MQ09", noon)) == (None, "12:00Z")
