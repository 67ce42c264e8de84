"""Who did it: the applications and queues whose work explains findings (view finding_work, report overview/culprits)."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.rules import run_rules
from mqstat.rules.model import rules
from mqstat.sql.plans import rows
from mqstat.sql.site import parse_site
from tests.support import START, file_of, reading
from tests.test_published_shared import opened, use

HALF_HOUR = timedelta(minutes=30)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The work of the findings of a scenario in which a pool fills, log writes are slow and a page set grows."""
    story = SCENARIOS["consumer_stopped"]
    dump = file_of(story.build(), tmp_path_factory.mktemp("culprits"))
    with reading(dump, site=parse_site(story.site, "site.toml") if story.site else None) as db:
        run_rules(db)
        return rows(db, "SELECT * FROM finding_work ORDER BY rule_id, subject, work_rank")


def test_the_queue_that_nobody_reads_leads(work: list[dict[str, Any]]) -> None:
    first = {(row["rule_id"], row["subject"]): row for row in work if row["work_rank"] == 1}
    pool = first["BP002", "buffer pool 3"]
    assert (pool["base_name"], pool["application"], pool["work_measure"]) == (
        "ORDERS.ENTRY",
        "WEBSHOP.SVRCONN",
        "pages put",
    )
    assert pool["channel_name"] == "WEBSHOP.SVRCONN"
    assert first["LG001", "log buffers"]["work_measure"] == "log bytes"
    assert first["LG001", "log buffers"]["base_name"] is None


def test_shares_add_up_and_the_most_comes_first(work: list[dict[str, Any]]) -> None:
    groups = defaultdict(list)
    for row in work:
        groups[row["lpar"], row["qmgr"], row["rule_id"], row["subject"]].append(row)
    assert len(groups) > 3
    for listed in groups.values():
        assert sum(row["work_share_pct"] for row in listed) == pytest.approx(100)
        assert [row["work_rank"] for row in listed] == list(range(1, len(listed) + 1))
        named = [row["work_value"] for row in listed if row["work_rank"] < 4]
        assert named == sorted(named, reverse=True)
        assert all((row["work_others"] is not None) == (row["work_rank"] == 4) for row in listed)


def test_rules_with_a_measure_exist() -> None:
    with opened() as db:
        measured = rows(db, "SELECT rule_id, work_unit FROM finding_measure")
    assert {row["rule_id"] for row in measured} <= set(rules())
    assert len({row["rule_id"] for row in measured}) == len(measured) > 20


@pytest.mark.parametrize(("size", "pages"), [(100, 1), (3_635, 1), (3_636, 2), (3_635 + 4_048, 2), (3_635 + 4_049, 3)])
def test_pages_of_a_message(size: int, pages: int, tmp_path: Path) -> None:
    """A message takes one page up to 3,635 bytes, and another one for each 4,048 bytes more; one that a waiting getter takes needs none."""
    block = use(
        "PRIVATE.QUEUE", cf_structure=None, queue_disposition_code=0, page_set_raw=3, pool_raw=2, valid_puts=10, put_bytes=10 * size,
        mqputs_to_waiting_getter=4, valid_gets=1, valid_destructive_gets=1, queue_type_code=1,
    )  # fmt: skip
    with opened(
        wq=[block], wtas=[{"task_interval_start_utc": START, "task_interval_end_utc": START + HALF_HOUR}]
    ) as db:
        made = {row["work_measure"]: row["work_value"] for row in rows(db, "SELECT * FROM interval_work")}
    assert made["pages put"] == 6 * pages
    assert made["pages kept"] == 9 * pages
