"""Latch waits of applications, task times that cannot be, and incomplete accounting."""

from __future__ import annotations

from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import computed, grouped, groups, joined, where
from tests.oracle.periods import keyed

CLASS = "lpar qmgr application latch_class"


@view("latch_application", CLASS)
def latch_application(data: Data) -> list[Row]:
    """WTASLMAX and WTASLWET; a wait longer than the accounting interval of its task is no wait."""
    tasks = data.by("task", "record_id")
    columns = "application task_interval_us task_interval_start_utc longest_latch_holder longest_latch_class"
    records = grouped(
        joined(data.view("task"), data.by("decoded.wtas", "record_id"), "record_id", "has_latches"), "lpar qmgr application",
        "task_records = count(where=has_latches)",
    )  # fmt: skip
    rows = joined(data.raw("wtas_latch"), tasks, "record_id", columns)
    longest = {
        record: {each["latch_class"] for each in mine if each["latch_class_longest_us"] == top}
        for (record,), mine in groups(where(data.every("wtas_latch"), "latch_class_waits > 0"), "record_id").items()  # its holder is that of a wait carried over too
        for top in [max((each["latch_class_longest_us"] for each in mine if each["latch_class_longest_us"] is not None), default=None)]
    }  # fmt: skip
    rows = computed(
        rows,
        """
        latch_class_wait_us = latch_class_wait_us if latch_class_wait_us <= task_interval_us else None
        latch_class_longest_us = latch_class_longest_us if latch_class_longest_us <= task_interval_us else None
        """,
    )
    out = []
    for row in joined(
        grouped(
            where(rows, "latch_class_waits > 0 or latch_class_wait_us > 0"), CLASS,
            """
            waiting_records = count()
            latch_class_waits = sum(latch_class_waits)
            latch_class_wait_us = sum(latch_class_wait_us)
            average_latch_wait_us = latch_class_wait_us / latch_class_waits
            latch_longest_us = max(latch_class_longest_us)
            latch_longest_record_id = earliest(record_id, -latch_class_longest_us, record_id)
            latch_longest_utc = earliest(task_interval_start_utc, -latch_class_longest_us, record_id)
            """,
        ), keyed(records, "lpar qmgr application"), "lpar qmgr application", "task_records",
    ):  # fmt: skip
        mine = groups(rows, CLASS)[tuple(row[name] for name in CLASS.split())]
        number = max(1, row["task_records"] // 100)
        waits = sorted((each["latch_class_wait_us"] or 0 for each in mine), reverse=True)
        task: dict[str, Any] = tasks.get((row["latch_longest_record_id"],)) or {}
        row["wait_of_1_pct_records"], row["wait_of_1_pct_us"] = number, waits[number - 1] if number <= len(waits) else 0
        row["latch_longest_holder"] = (
            task.get("longest_latch_holder")
            if row["latch_class"]
            in longest.get(row["latch_longest_record_id"], ())  # two classes may have waited equally long
            else None
        )
        out.append(row)
    return computed(
        joined(out, data.by("latch_class", "latch_class"), "latch_class", "latch_name likely_cause"),
        "latch_name = first(latch_name, 'class ' + text(latch_class))\nlikely_cause = first(likely_cause, 'not known')",
    )
