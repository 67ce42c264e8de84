"""The usual range of a rule's own figure, for its chart."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path

from mqstat.assemble.curves import figure_of, make_grid, usual_bands
from mqstat.assemble.head import local_times
from mqstat.assemble.usual import add_history
from mqstat.base.selection import Selection
from mqstat.intake.open_data import open_data
from mqstat.judge.engine import run_rules
from mqstat.judge.model import rules
from tests.oracle_data import opened
from tests.planted_month import FIRST, OUTAGE, month

QMGRS = "SELECT * FROM qmgr"
DECLARED = {rule.id: rule.key_figure for rule in rules().values() if rule.key_figure is not None}


def test_a_rule_judges_the_key_figure_that_it_declares() -> None:
    """All amounts of the data differ, so that two figures are equal only if they are the same."""
    assert len(DECLARED) > 10
    with opened("rich_estate", "differ") as db:
        grid = make_grid(db, local_times(db, db.ask_rows(QMGRS)))
        run_rules(db, db.site, set(DECLARED), grid=grid)
        figures: dict[tuple[str, str, str, str], Counter[float]] = {}
        query = """
            SELECT v.lpar, v.qmgr, v.subject, k.metric, k.metric_unit, v.measured_value, v.measured_weight
            FROM figure_value AS v JOIN figure_kind AS k ON k.figure_number = v.figure_number
        """
        for row in db.ask_rows(query):
            scale = row["measured_weight"] / 3600 if row["metric_unit"] == "per_h" else 1
            key = (row["lpar"], row["qmgr"], row["metric"], row["subject"])
            figures.setdefault(key, Counter())[round(row["measured_value"] * scale, 6)] += 1
        steps = db.rows("SELECT rule_id, lpar, qmgr, subject, step, observed FROM rule_step WHERE observed IS NOT NULL")
    judged = set()
    for step in steps:
        figure = figure_of(rules()[step["rule_id"]], step["subject"])
        assert figure is not None
        known = figures.get((step["lpar"], step["qmgr"], *figure), Counter())
        assert round(step["observed"], 6) in known, (step, known)
        judged.add(step["rule_id"])
    assert set(DECLARED) <= judged


def test_without_history_there_is_no_band() -> None:
    with opened("healthy_day") as db:
        times = local_times(db, db.ask_rows(QMGRS))
        wanted = [("LG002", *manager, "logger task") for manager in times.changes]
        assert wanted
        assert usual_bands(db, make_grid(db, times), times, wanted) == {}


def test_the_band_of_the_second_outage(tmp_path: Path) -> None:
    """Synchronous writes are usually 0, with a least change of 1 in an hour; the lowest free share has the range of the
    day's hour.
    """
    days = [FIRST + dt.timedelta(days=number) for number in range(max(OUTAGE.days) - FIRST.day + 1)]
    dataset = month(tmp_path, days)
    start = dt.datetime.combine(days[-1], dt.time())
    selection = Selection(since=start, until=start + dt.timedelta(days=1))
    owner = ("SYS1", "MQ01", "buffer pool 3")
    wanted = [(rule_id, *owner) for rule_id in ("BP001", "BP002", "BP003")]
    with open_data(dataset=dataset, selection=selection) as db:
        add_history(db, days[-1], 13)
        times = local_times(db, db.ask_rows(QMGRS))
        grid = make_grid(db, times)
        bands = usual_bands(db, grid, times, wanted)
        (hour,) = db.ask_rows("SELECT * FROM usual_figure WHERE subject = 'buffer pool 3' AND figure_number = 32 AND usual_hour = 15")  # fmt: skip
    assert set(bands) == {("BP002", *owner), ("BP003", *owner)}  # BP001 judges no key figure of a pool
    writes, free = bands["BP002", *owner], bands["BP003", *owner]
    assert len(writes[0]) == len(grid.starts) == 24
    assert set(writes[0]) == {0}
    assert set(writes[1]) == {1}
    assert (free[0][15], free[1][15]) == (hour["usual_low"], hour["usual_high"])
