"""Rules judged in shards: which queue managers are together, and that no finding is lost, added or changed: a rule
states what it is judged over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqstat.api.spark import shards
from mqstat.intake.open_data import open_data
from mqstat.judge import judging
from mqstat.sql.site import parse_site
from mqstat.sql.workspace import Workspace
from tests.estates import judged, judged_together

NAMES = st.sampled_from(["A", "B", "C", "D", None])
MEMBERS = st.dictionaries(
    st.tuples(NAMES, NAMES), st.tuples(st.integers(0, 99), st.frozensets(st.sampled_from(["G1", "G2"])))
)


@given(MEMBERS, st.integers(1, 4))
def test_shards_are_closed(given_members: dict[Any, Any], count: int) -> None:
    """Each pair is in one shard, with all members of its groups."""
    members = [(place, records, groups) for place, (records, groups) in given_members.items()]
    parts = shards.split(members, count)
    assert len(parts) <= count
    shard_of: dict[str, int] = {}
    for place, _, groups in members:
        (own,) = [number for number, (column, names) in enumerate(parts) if place[column == "qmgr"] in names]
        for group in groups:
            assert shard_of.setdefault(group, own) == own


def at_once(work: list[shards.Work]) -> Callable[[], list[shards.Found]]:
    """Shards that are judged when they are submitted."""
    results = [shards.judge_shard(*each) for each in work]
    return lambda: results


def found(database: Workspace, count: int) -> tuple[pa.Table, list[str], dict[str, Any]]:
    """The findings, the counts of those that represent others, and the tables of rows in breach."""
    rows = shards.judge(database, count, at_once).rows
    names = list(database.arrow("SELECT * FROM decoded.finding LIMIT 0").schema.names)
    order = "ORDER BY rule_id, lpar, qmgr, subject, to_json(f)::VARCHAR"
    findings = database.arrow(f"SELECT * FROM decoded.finding AS f {order}")
    marked = {
        name: sorted(map(str, database.execute(f'SELECT * FROM temp."breach_{name}"').fetchall()))
        for name in judging.breach_tables(database)
    }
    assert names
    return findings, sorted(map(str, rows)), marked


@pytest.mark.parametrize(("name", "over"), [*((name, "group") for name in judged_together()), ("calls", "qmgr")])
def test_shards_find_what_one_process_finds(
    name: str, over: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """qmgr: members of a group are in shards of their own, where only rules over one queue manager are judged."""
    estate = judged(name)
    dump = tmp_path / "estate.smf"
    dump.write_bytes(estate.dump)
    site = parse_site(estate.site, "site.toml")
    if over == "qmgr":
        monkeypatch.setattr(shards, "OVER", {over})
        monkeypatch.setattr(shards, "split", alone)
    results = []
    for count in (1, 4):
        with open_data([str(dump)], site=site) as database:
            results.append(found(database, count))
    (whole, listed, marked), (united, listed_united, marked_united) = results
    differences = [
        (before["rule_id"], before["lpar"], before["qmgr"], before["subject"], key, before[key], after[key])
        for before, after in zip(whole.to_pylist(), united.to_pylist(), strict=True)
        for key in before
        if before[key] != after[key]
    ]
    assert not differences, differences[:5]
    assert listed_united == listed
    assert marked_united == marked


def alone(members: Sequence[shards.Member], count: int, split: Any = shards.split) -> Any:
    """The shards if no queue manager is a member of a group."""
    return split([(place, records, frozenset()) for place, records, _ in members], count)
