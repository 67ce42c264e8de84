"""Pictures and charts: pictures match their headers, steps have the worst value of their intervals, and SVG is small,
safe and reproducible.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqstat.assemble.check import with_others
from mqstat.assemble.head import local_times
from mqstat.assemble.page_model import Curve, DayRow, Grid, Limit, Picture, Series
from mqstat.assemble.pictures import MOST_SERIES, MOST_STEPS, STEP_SECONDS, make_steps, pictures, queries, stepped
from mqstat.assemble.table_model import LocalTimes
from mqstat.base.areas import AREAS
from mqstat.base.errors import SqlFileError
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.pipeline import columns_to_decode
from mqstat.judge.engine import run_rules
from mqstat.judge.model import rules
from mqstat.render.html import scales
from mqstat.render.html.charts import chart_data, heat_map_svg, picture_svg, sparkline_svg
from mqstat.render.html.figures import stated
from mqstat.render.html.svg import TOLERANCE_PX, points
from mqstat.sql import sqlfile
from mqstat.sql.needs import HEAD_VIEWS, health_columns
from mqstat.sql.site import parse_site
from tests.house import views_as_tables
from tests.opening import open_database
from tests.support import file_of, reading

PICTURES = sqlfile.pictures()
EVERYTHING = "rich_estate"

each_picture = pytest.mark.parametrize("unit", PICTURES.values(), ids=list(PICTURES))


# --------------------------------------------------------------------------------------------------------- the registry


@each_picture
def test_a_picture_matches_its_header(unit: sqlfile.SqlFile) -> None:
    head = unit.header
    assert unit.area in AREAS
    assert head["report"] in sqlfile.reports()
    assert head.get("note", ".").endswith(".")
    for limit in head.get("limits", ()):
        if "rule" in limit:
            assert limit["threshold"] in rules()[limit["rule"]].thresholds
            assert limit["rule"] in head["rules"], "a limit whose breaches are not marked"
    described = views_as_tables().execute(f"SELECT * FROM ({unit.text.rstrip()}) LIMIT 0").description
    names = [column[0] for column in described]
    assert tuple(names[:6]) == sqlfile.PICTURE_COLUMNS
    limits = {limit["column"] for limit in head.get("limits", ()) if "column" in limit}
    keys = {key for name in head.get("rules", ()) if name in rules() for key in rules()[name].row_key}
    assert set(names[6:]) <= limits | keys | {"judged_by"}, "a column that nothing reads"
    assert limits <= set(names)
    assert keys <= set(names), "breaches cannot be found without the keys of their rule"


HEADER = """/*---
id = "log/x"
title = "X"
question = "X?"
kind = "line"
unit = "percent"
worst = "lowest"
report = "log/rate"
needs = ["log"]
---*/
SELECT 1
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "line"', 'kind = "pie"', "key kind is 'pie'"),
        ('worst = "lowest"', 'worst = "best"', "key worst is 'best'"),
        ('unit = "percent"', 'unit = "%"', "key unit is '%'"),
        ('title = "X"', "", "key title is missing"),
        ('needs = ["log"]', 'needs = ["log"]\nlimits = [{ text = "x" }]', "limits, number 1, must name"),
        ('needs = ["log"]', 'needs = ["log"]\nlimits = [3]', "limits, number 1, must be a table"),
        ('needs = ["log"]', 'needs = ["log"]\nlimits = [{ rul = "BP004", text = "x" }]', "key rul is unknown"),
        ('id = "log/x"', 'id = "x"', "key id is 'x', but the location of the file requires 'log/x'"),
    ],
)
def test_a_wrong_header_is_one_sentence(old: str, new: str, message: str) -> None:
    sqlfile.parse(HEADER, "picture", "reports/pictures/log/x.sql")
    with pytest.raises(SqlFileError, match=re.escape(message)):
        sqlfile.parse(HEADER.replace(old, new), "picture", "reports/pictures/log/x.sql")


# ---------------------------------------------------------------------------------------------------------- from a dump


def judging() -> set[str]:
    """The rules whose breaches pictures mark, and those that silence them."""
    named = {rule_id for unit in PICTURES.values() for rule_id in unit.header.get("rules", ())}
    return with_others(named & rules().keys())


def drawn(name: str, folder: Path, *sites: str) -> list[tuple[Picture, ...]]:
    """The pictures of a scenario, decoded as for a report made directly from it: under its own site file, and under
    others.
    """
    dump = file_of(SCENARIOS[name].build(), folder, f"{name}.smf")
    facts = parse_site(SCENARIOS[name].site, "site.toml")
    with reading(dump, columns_to_decode(health_columns()), site=facts) as db:
        run_rules(db, facts, only=judging(), then=[*HEAD_VIEWS, *queries()])
        qmgrs = db.ask_rows("SELECT lpar, qmgr, first_written_local, last_written_local FROM qmgr ORDER BY lpar, qmgr")
        times = local_times(db, qmgrs)
        return [pictures(db, site, times) for site in (facts, *(parse_site(text, "site.toml") for text in sites))]


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> tuple[Picture, ...]:
    return drawn(EVERYTHING, tmp_path_factory.mktemp("pictures"))[0]


def test_every_picture_is_drawn_by_a_scenario(everything: tuple[Picture, ...]) -> None:
    assert {picture.picture_id for picture in everything} == set(PICTURES)
    order = [(AREAS.index(picture.area), picture.picture_id) for picture in everything]
    assert order == sorted(order)


def test_a_picture_is_complete(everything: tuple[Picture, ...]) -> None:
    for picture in everything:
        count = len(picture.grid.starts)
        assert 1 < count <= MOST_STEPS[picture.kind]
        assert 1 <= len(picture.series) <= MOST_SERIES[picture.kind]
        assert picture.lpar
        assert picture.qmgr
        for series in picture.series:
            assert len(series.values) == count
            assert any(value is not None for value in series.values)
            assert all(series.values[step] is not None for step in series.breached)


def test_what_the_site_declares_is_a_limit(everything: tuple[Picture, ...]) -> None:
    limits = {limit.value for picture in everything if picture.picture_id == "log/rate" for limit in picture.limits}
    assert limits == {400.0}


SITE = """
[rules.BP004]
stealable_pct_min = 20.0
reason = "more room"
[rules.BP004.subject."buffer pool 3"]
stealable_pct_min = 2.0
reason = "it is always full"
[rules.BP003]
off = true
reason = "not here"
"""


@pytest.mark.slow
def test_breaches_and_limits_are_those_of_the_rules_and_of_the_site(tmp_path: Path) -> None:
    own, other = ([picture for picture in pictures if picture.picture_id == "buffer_pool/free"] for pictures in drawn("pool_exhausted", tmp_path, SITE))  # fmt: skip
    (free,) = own
    assert [(series.name, len(series.breached)) for series in free.series][:2] == [
        ("pool 2", 1),
        (free.series[1].name, 0),
    ]
    (step,) = free.series[0].breached
    assert free.grid.starts[step].strftime("%H:%M") == "10:30"
    assert free.series[0].values[step] == 0.0
    assert [(limit.value, limit.rule_id) for limit in free.limits] == [(15.0, "BP004"), (5.0, "BP003")]
    assert [(limit.value, limit.text) for limit in other[0].limits] == [
        (20.0, "deferred writes below"),
        (2.0, "buffer pool 3: deferred writes below"),
    ]
    assert other[0].series == free.series


@pytest.mark.slow
def test_a_rule_marks_only_the_series_that_it_judges(tmp_path: Path) -> None:
    (drawn_picture,) = drawn("chinit_storage", tmp_path)
    marked = {
        (picture.qmgr, series.name)
        for picture in drawn_picture
        for series in picture.series
        if series.breached and picture.picture_id == "channel_initiator/storage"
    }
    assert marked == {("MQ01", "64-bit"), ("MQ02", "31-bit"), ("MQ03", "31-bit")}


def test_a_rule_without_its_key_in_the_picture_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It must not look like a picture without a breach."""
    unit = PICTURES["log/write_time"]
    wrong = dataclasses.replace(unit, text=unit.text.replace(", log_copy, io_type\n", ", log_copy\n"))
    monkeypatch.setattr(sqlfile, "pictures", lambda: {unit.id: wrong})
    with pytest.raises(SqlFileError, match="breaches of LG004 cannot be marked: the columns io_type are missing"):
        drawn("healthy_day", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "picture_id", "expected"),
    [
        ("adapters_waiting", "log/write_time", ["slow above 1,000 µs (LG004): 1 of 10 steps", "LG004 not in breach (it needs at least 10 % of the intervals)"]),
        ("consumer_stopped", "log/write_time", ["LG004 in breach"]),
        ("pool_exhausted", "buffer_pool/free", ["BP002 in breach", "BP003 reported by BP001, BP002", "BP004 reported by BP001, BP002"]),
        ("channels_troubled", "channel_initiator/channels", ["CN002 in breach"]),
        ("healthy_day", "log/write_time", []),
    ],
)  # fmt: skip
def test_what_a_curve_shows_and_what_a_rule_decided_are_two_statements(
    scenario: str, picture_id: str, expected: list[str], tmp_path: Path
) -> None:
    texts = [stated(picture) for picture in drawn(scenario, tmp_path)[0] if picture.picture_id == picture_id]
    assert any(set(expected) <= set(text) for text in texts), texts
    if not expected:
        assert not any(texts)


def test_a_limit_of_every_series_is_passed_by_all_of_them() -> None:
    limit = Limit(15.0, "all below", "BP004", every=True)
    drawing = picture({"a": [10, 10, 20, 20], "b": [10, 20, 10, 20]})
    assert drawing.beyond(limit) == {0}
    assert drawing.beyond(dataclasses.replace(limit, every=False)) == {0, 1, 2}
    assert dataclasses.replace(drawing, left_out=1).beyond(limit) == frozenset()
    other = dataclasses.replace(
        drawing, series=tuple(dataclasses.replace(each, judged_by="BP003") for each in drawing.series)
    )
    assert other.beyond(dataclasses.replace(limit, every=False)) == frozenset()


def test_what_was_not_collected_has_no_picture(everything: tuple[Picture, ...]) -> None:
    with open_database({}, views=False) as db:
        assert pictures(db, None, local_times(db, [])) == ()
    assert {picture.qmgr for picture in everything if picture.area == "smds"} == {"MQ01", "MQ02"}


# ------------------------------------------------------------------------------------------------------------ the steps

DAY = dt.datetime(2026, 5, 21)


@given(
    st.integers(0, 86_400 * 3), st.integers(60, 86_400 * 400), st.floats(1, 90_000), st.sampled_from([2, 96, 288]), st.integers(-12, 14)
)  # fmt: skip
def test_steps_cover_the_period_and_are_few(start: int, span: int, usual: float, most: int, offset: int) -> None:
    first = DAY + dt.timedelta(seconds=start)
    last = first + dt.timedelta(seconds=span)
    local = first + dt.timedelta(hours=offset)
    seconds, origin, count = make_steps(first, last, usual, most, local)
    assert count <= most
    assert seconds in STEP_SECONDS
    assert origin <= first
    assert first - origin < dt.timedelta(seconds=seconds)
    if seconds < STEP_SECONDS[-1]:
        assert origin + dt.timedelta(seconds=seconds * count) >= last
    begins = local - (first - origin)
    assert (begins - DAY) % dt.timedelta(seconds=min(seconds, 86_400)) == dt.timedelta(0)


def test_a_day_has_the_steps_that_it_is_recorded_in() -> None:
    for usual, most, expected in ((60, 288, 300), (300, 288, 300), (900, 288, 900), (1795, 288, 1800), (300, 96, 900), (7200, 96, 7200)):  # fmt: skip
        seconds, _, count = make_steps(DAY, DAY + dt.timedelta(days=1), usual, most, DAY)
        assert (seconds, count) == (expected, 86_400 // expected)
    assert make_steps(DAY, DAY + dt.timedelta(days=30), 300, 288, DAY)[::2] == (10_800, 240)


def steps_of(
    intervals: Sequence[tuple[str, int, float, float, bool]],
    width: int,
    count: int,
    kind: str = "line",
    worst: str = "lowest",
) -> list[dict[str, Any]]:
    """What the query makes of intervals: series, start and length in seconds, value, breached."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE picture_row (lpar VARCHAR, qmgr VARCHAR, series VARCHAR, interval_start_utc TIMESTAMP, interval_seconds DOUBLE, "
            "value DOUBLE, breached BOOLEAN, judged_by VARCHAR)"
        )
        for series, start, seconds, value, breached in intervals:
            at = DAY + dt.timedelta(seconds=start)
            connection.execute("INSERT INTO picture_row VALUES ('L', NULL, ?, ?, ?, ?, ?, NULL)", [series, at, seconds, value, breached])  # fmt: skip
        connection.execute(
            "CREATE TABLE picture_grid AS SELECT 'L' AS lpar, NULL::VARCHAR AS qmgr, ?::BIGINT AS width_us, ?::TIMESTAMP AS origin_utc, ?::BIGINT AS steps",
            [width * 1_000_000, DAY, count],
        )
        cursor = connection.execute(stepped(kind, worst))
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def test_a_step_has_the_worst_of_its_intervals() -> None:
    intervals = [("a", 300 * n, 300.0, float(10 - n), n == 4) for n in range(6)]
    (low,) = steps_of(intervals, 900, 2)
    assert (low["steps"], low["shown"], low["hit"]) == ([0, 1], [8.0, 5.0], [1])
    (high,) = steps_of(intervals, 900, 2, worst="highest")
    assert high["shown"] == [10.0, 7.0]


def test_a_long_interval_fills_its_steps_and_a_short_one_is_not_lost() -> None:
    (row,) = steps_of([("a", 0, 1800.0, 1.0, False), ("a", 1800, 3.0, 9.0, False)], 300, 8)
    assert (row["steps"], row["shown"]) == ([0, 1, 2, 3, 4, 5, 6], [1.0] * 6 + [9.0])
    assert row["hit"] is None


def test_a_timer_that_drifts_leaves_no_gap() -> None:
    intervals = [("a", n * 1807, 1807.0, float(n), False) for n in range(40)]
    (row,) = steps_of(intervals, 1800, 41)
    assert row["steps"] == list(range(40))
    assert set(row["shown"]) == {float(n) for n in range(40)}


def test_series_that_matter_come_first_and_the_others_are_counted() -> None:
    intervals = [(f"task {n}", 0, 300.0, float(n), n == 3) for n in range(30)]
    rows = steps_of(intervals, 300, 1, worst="highest")
    assert [row["series"] for row in rows] == ["task 3", *(f"task {n}" for n in range(29, 22, -1))]
    assert {row["series_in_all"] for row in rows} == {30}
    assert len(steps_of(intervals, 300, 1, "strip")) == MOST_SERIES["strip"]


# ----------------------------------------------------------------------------------------------------------- the charts


def grid(count: int, seconds: int, start: dt.datetime = DAY, offset: int = 120) -> Grid:
    """Steps from a local time on."""
    starts = tuple(start + dt.timedelta(seconds=seconds * n) for n in range(count))
    return Grid(starts, tuple(start - dt.timedelta(minutes=offset) for start in starts), seconds)


def picture(series: Mapping[str, Sequence[float | None]], **changes: Any) -> Picture:
    """A picture of a day; steps below 15 are in breach."""
    count = len(next(iter(series.values())))
    made = tuple(
        Series(name, tuple(values), frozenset(n for n, v in enumerate(values) if v is not None and v < 15))
        for name, values in series.items()
    )
    limits = (Limit(15.0, "low below", "BP004"), Limit(5.0, "nearly none below", "BP003"))
    base = Picture(
        "buffer_pool/free", "buffer_pool", "Stealable buffers", "Low?", "line", "percent", "SYSA", "MQ01", grid(count, 86_400 // count), made,
        limits, "lowest", "buffer_pool/usage",
    )  # fmt: skip
    return dataclasses.replace(base, **changes)


NOISE = [55 + 40 * ((n * 7919) % 101) / 101 for n in range(288)]
HOSTILE = '<script>alert("x")</script>\u202e\x07&amp;\' onload="x"'


def elements(svg: str) -> Iterator[ElementTree.Element]:
    """All elements of an SVG that must be well formed."""
    return ElementTree.fromstring(svg).iter()  # noqa: S314 - made by us


def charts() -> dict[str, str]:
    """A chart of each kind, with hostile names."""
    values: list[float | None] = [*NOISE[:100], *[3.0] * 20, None, *NOISE[:167]]
    series: dict[str, Sequence[float | None]] = {HOSTILE: values, "pool 1": NOISE}
    curve = Curve(tuple(values[:96]), 15.0, frozenset({3, 4, 90}), HOSTILE)
    states = ("clear", "clear", "critical", "warning", None, "info", "broken", "idle")
    day = (DayRow("log", HOSTILE, HOSTILE, states), DayRow("smds", "SYSA", "MQ02", states[::-1]))
    return {
        "lines": picture_svg(picture(series, title=HOSTILE, limits=(Limit(15.0, HOSTILE, "BP004"),))),
        "strip": picture_svg(picture(series, kind="strip", qmgr=HOSTILE)),
        "spark": sparkline_svg(curve, grid(96, 900)),
        "overview": heat_map_svg(day, grid(8, 3600)),
    }


@pytest.mark.parametrize("name", ["lines", "strip", "spark", "overview"])
def test_a_chart_conforms_to_a_strict_policy(name: str) -> None:
    svg = charts()[name]
    assert svg == charts()[name]
    allowed = {"svg", "g", "path", "line", "text", "a", "title", "desc"}
    for element in elements(svg):
        tag = element.tag.rpartition("}")[2]
        assert tag in allowed
        for key, value in element.attrib.items():
            assert key not in ("id", "style", "class") or (tag, key) == ("svg", "class")
            assert not key.startswith("on")
            if key in ("fill", "stroke"):
                assert value == "none" or re.fullmatch(r"var\(--[a-z0-9-]+\)", value)
            if key.endswith("href"):
                assert value == "#report-buffer_pool-usage"
    assert "\u202e" not in svg
    assert "\x07" not in svg
    assert "url(" not in svg


@pytest.mark.parametrize("name", ["lines", "strip", "spark", "overview"])
def test_a_chart_describes_what_it_shows(name: str) -> None:
    svg = charts()[name]
    root = next(elements(svg))
    links = [element for element in elements(svg) if element.tag.endswith("}a")]
    # An image has no links inside; where there are some, it is a group.
    assert root.get("role") == ("group" if links else "img")
    assert root.get("aria-label")
    assert root[0].tag.endswith("title")
    for link in links:
        assert " at " in (link.get("aria-label") or "")
        assert link[0].text == link.get("aria-label")


def test_hostile_names_are_shown_as_they_are() -> None:
    texts = [element.text or "" for element in elements(charts()["lines"]) if element.tag.endswith(("text", "desc"))]
    assert any('<script>alert("x")</scr' in text for text in texts)


def test_breaches_are_marked_by_shape_and_link() -> None:
    values = [50.0] * 100 + [4.0, 2.0, 4.0] + [50.0] * 50 + [14.0] + [50.0] * 134
    svg = picture_svg(picture({"pool 1": values}))
    labels = [element.get("aria-label") for element in elements(svg) if element.tag.endswith("}a")]
    assert labels == [
        "pool 1: 2 % at 08:25, in breach 08:20 to 08:35",
        "pool 1: 14 % at 12:45, in breach 12:45 to 12:50",
    ]
    assert "low below 15 % (BP004)" in svg
    assert "in breach: pool 1, in 4 steps of 5 min" in svg


def test_a_limit_far_above_does_not_flatten_the_picture() -> None:
    svg = picture_svg(
        picture({"current": [12.0] * 20}, unit="count", worst="highest", limits=(Limit(9999, "MAXCHL", ""),))
    )
    assert "beyond this picture: MAXCHL 9,999" in svg


def test_points_without_neighbours_are_seen() -> None:
    svg = picture_svg(picture({"pool 1": [None, 40.0, None, 50.0, 60.0, None, 70.0]}))
    (dots,) = [e for e in elements(svg) if e.get("fill") == "var(--series-1)"]
    assert (dots.get("d") or "").count("M") == 2


def test_a_picture_is_small() -> None:
    four = picture_svg(picture({f"pool {n}": NOISE[n:] + NOISE[:n] for n in range(4)}))
    assert len(four) < 25_000
    strip = picture_svg(picture({f"task {n}": (NOISE[n:] + NOISE[:n])[:96] for n in range(12)}, kind="strip"))
    assert len(strip) < 30_000
    level = picture_svg(picture({f"pool {n}": [99.9 + n / 1000] * 288 for n in range(4)}))
    assert len(level) < 8_000
    assert len(sparkline_svg(Curve(tuple(NOISE[:96]), 10.0, frozenset(), ""), grid(96, 900))) < 2_500


def test_the_data_of_a_chart_has_positions() -> None:
    made = picture({"pool 1": [50.0, None, 1 / 3]}, title="X")
    data = chart_data(made)
    assert data["times"] == ["00:00", "08:00", "16:00"]
    assert data["series"] == [{"name": "pool 1", "values": [50, None, 0.333333], "breached": [2]}]
    assert data["href"] == "#report-buffer_pool-usage"
    root = next(elements(picture_svg(made)))
    assert [float(part) for part in (root.get("viewBox") or "").split()[2:]] == data["size"]
    plot = data["plot"]
    assert plot["x"] + plot["width"] <= data["size"][0]
    assert plot["y"] + plot["height"] <= data["size"][1]


@given(
    st.lists(st.one_of(st.none(), st.floats(0, 100), st.sampled_from([0.0, 50.0, 50.1, 50.2])), min_size=1, max_size=60)
)
def test_a_line_with_fewer_points_is_the_same_line(values: list[float | None]) -> None:
    px = 1.5
    lines: list[list[tuple[float, float]]] = [[]]
    for x, y in points(values, px):
        if y is not None:
            lines[-1].append((x, y))
        else:
            lines.append([])
    for step, value in enumerate(values):
        segments = [line for line in lines if line and line[0][0] <= step + 0.5 <= line[-1][0]]
        assert len(segments) == (value is not None)
        if value is None:
            continue
        (line,) = segments
        interpolated = next((y for x, y in line if x == step + 0.5), None)
        if interpolated is None:
            (x1, y1), (x2, y2) = next(pair for pair in pairwise(line) if pair[0][0] < step + 0.5 < pair[1][0])  # fmt: skip
            interpolated = y1 + (y2 - y1) * (step + 0.5 - x1) / (x2 - x1)
        assert abs(interpolated - value) * px <= TOLERANCE_PX + 0.01


@pytest.mark.parametrize("values", [[], [None], [0.0], [None, None, 5.0], [5.0] * 3, [-1.0, -2.0]])
def test_a_sparkline_accepts_any_values(values: list[float | None]) -> None:
    for limit in (None, 0.0, 1e9):
        svg = sparkline_svg(
            Curve(tuple(values), limit, frozenset(range(len(values))), "x"), grid(max(1, len(values)), 900)
        )
        assert list(elements(svg))


def test_the_overview_shows_states_by_height_and_letter() -> None:
    states = [*["clear"] * 4, *["critical"] * 2, *["warning"] * 2]
    svg = heat_map_svg([DayRow("log", "SYSA", "MQ01", tuple(states))], grid(8, 3600))
    widths = {
        element.get("stroke"): element.get("stroke-width") for element in elements(svg) if element.get("stroke-width")
    }
    assert {name: widths[f"var(--state-{name})"] for name in ("clear", "warning", "critical")} == {
        "clear": "2.6",
        "warning": "10.7",
        "critical": "13",
    }
    assert [element.text for element in elements(svg) if element.text in ("C", "W")].count("C") == 2
    assert "Warnings or worse in: MQ01 on SYSA, Log." in svg
    assert "No warning at any time." in heat_map_svg([DayRow("log", "L", "Q", ("clear", None))], grid(2, 3600))


def test_names_of_rows_show_what_differs() -> None:
    def names(*rows: tuple[str, str]) -> list[str]:
        svg = heat_map_svg([DayRow(area, "SYSA", qmgr, ("clear",) * 4) for area, qmgr in rows], grid(4, 3600))
        return [e.text or "" for e in elements(svg) if e.tag.endswith("text") and not re.match(r"\d\d:", e.text or "")][:-1]  # fmt: skip

    assert names(("log", "MQ01"), ("smds", "MQ01")) == ["Log", "SMDS"]
    assert names(("", "MQ01"), ("", "MQ02")) == ["MQ01 on SYSA", "MQ02 on SYSA"]
    assert names(("log", "MQ01"), ("smds", "MQ01"), ("log", "MQ02")) == [
        "Log",
        "SMDS",
        "Log",
        "MQ01 on SYSA",
        "MQ02 on SYSA",
    ]


# ----------------------------------------------------------------------------------------------------------- the scales


@given(st.floats(1e-6, 1e15), st.sampled_from([0.0, 0.1, 0.9, 3.0]))
def test_an_axis_takes_all_values_with_few_ticks_and_0(highest: float, below: float) -> None:
    ticks = scales.ticks_between(-below * highest, highest)
    assert ticks[-1] >= highest * (1 - 1e-9)
    assert ticks[0] <= -below * highest * (1 - 1e-9)
    assert 0 in ticks
    assert 2 <= len(ticks) <= 7
    assert len(set(scales.tick_texts(ticks))) == len(ticks)


def test_numbers_are_short() -> None:
    format_tick = scales.tick_format([0, 50_000, 150_000])
    assert [format_tick(0), format_tick(50_000), format_tick(150_000)] == ["0", "50k", "150k"]
    assert scales.tick_format([0, 2.5])(2.5) == "2.5"
    assert scales.tick_format([0, 2000])(2000) == "2,000"


@pytest.mark.parametrize(
    ("count", "seconds", "start", "expected"),
    [
        (288, 300, DAY, ["00:00", "03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00"]),
        (240, 10_800, DAY, ["25 May", "1 Jun", "8 Jun", "15 Jun"]),
        (2, 1800, DAY.replace(hour=9, minute=30), ["09:30", "10:00"]),
        (12, 3600, DAY.replace(hour=18), ["18:00", "20:00", "22:00", "22 May", "02:00", "04:00"]),
    ],
)
def test_ticks_of_time_are_round(count: int, seconds: int, start: dt.datetime, expected: list[str]) -> None:
    assert list(scales.time_ticks(grid(count, seconds, start)).values()) == expected


def test_a_day_on_which_the_clock_changes_has_its_local_times() -> None:
    first = dt.datetime(2026, 10, 25)
    utc = [first - dt.timedelta(hours=2) + dt.timedelta(hours=n) for n in range(25)]
    local = [time + dt.timedelta(hours=2 if n < 3 else 1) for n, time in enumerate(utc)]
    labels = list(scales.time_ticks(Grid(tuple(local), tuple(utc), 3600)).values())
    assert labels == ["00:00 (UTC+2)", "03:00 (UTC+1)", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00"]
    night = [value[:6] for value in (local, utc)]
    labels = list(scales.time_ticks(Grid(tuple(night[0]), tuple(night[1]), 3600)).values())
    assert labels == ["00:00 (UTC+2)", "01:00", "02:00", "02:00 (UTC+1)", "03:00", "04:00"]
    assert scales.end_moment(Grid(tuple(local), tuple(utc), 3600), 24) == "24:00"


def test_axes_of_two_zones_have_their_offset() -> None:
    """Each picture shows the local time of its queue manager, and which one that is."""
    times = LocalTimes({("SYSA", "MQA1"): ((DAY, 60),), ("SYSB", "MQB1"): ((DAY, -300),)}, one_day=True)
    utc = tuple(DAY + dt.timedelta(hours=12 + number) for number in range(4))
    for place, expected in ((("SYSA", "MQA1"), "13:00 (UTC+1)"), (("SYSB", "MQB1"), "07:00 (UTC-5)")):
        local = tuple(times.local(*place, one) or one for one in utc)
        mine = Grid(local, utc, 3600, times.several_zones(utc))
        labels = list(scales.time_ticks(mine).values())
        assert labels[0] == expected
        assert not any("UTC" in label for label in labels[1:])
        assert all("UTC" in scales.moment(step, mine) for step in range(4))
    same = LocalTimes({("SYSA", "MQA1"): ((DAY, 60),), ("SYSB", "MQB1"): ((DAY, 60),)}, one_day=True)
    assert not same.several_zones(utc)
