"""View cf_structure_puts over members of a group, of which one has queue statistics and another accounting alone."""

from __future__ import annotations

import datetime as dt
from typing import Any

from mqstat.sql import sqlfile
from tests.house import views_as_tables

START = dt.datetime(2026, 5, 21, 10)


def structure_puts(tables: dict[str, list[dict[str, Any]]]) -> dict[str, tuple[Any, ...]]:
    """Bytes of a message, puts per second and busiest hour for each queue manager, from rows of the views that the view
    reads.
    """
    connection = views_as_tables()
    connection.execute("BEGIN")
    try:
        for name, rows in tables.items():
            for row in rows:
                names, marks = ", ".join(row), ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {name} ({names}) VALUES ({marks})", list(row.values()))
        text = sqlfile.views()["cf_structure_puts"].select
        found = connection.execute(
            f"SELECT qmgr, group_message_bytes, group_puts_per_s, busiest_hour_local FROM ({text})"
        )
        return {row[0]: row[1:] for row in found.fetchall()}
    finally:
        connection.execute("ROLLBACK")


def member(qmgr: str, qsg: str | None = "QSG1") -> dict[str, Any]:
    return {"lpar": "SYSA", "qmgr": qmgr, "qsg": qsg, "cf_structure": "APPL"}


def counted(qmgr: str, minutes: int, puts: int, length: int, **others: Any) -> dict[str, Any]:
    """An interval of 15 minutes of one queue."""
    start = START + dt.timedelta(minutes=minutes)
    times = {"interval_start_utc": start, "interval_start_local": start, "interval_seconds": 900.0}
    return {**member(qmgr), **times, "messages_put": puts, "put_bytes": puts * length, **others}


def accounted(qmgr: str, seconds: int, puts: int, length: int) -> dict[str, Any]:
    """A queue block of an accounting interval that began at the hour."""
    times = {
        "interval_start_utc": START,
        "interval_start_local": START,
        "interval_end_utc": START + dt.timedelta(seconds=seconds),
    }
    return {**member(qmgr), **times, "valid_puts": puts, "put_bytes": puts * length}


def test_members_are_added_hour_by_hour() -> None:
    """Two queues of one interval are over its time once; the hour of the most puts counts; a member alone in its group
    has its own.
    """
    rows = [
        counted("MQ01", 0, 900, 100),
        counted("MQ01", 0, 900, 100),
        counted("MQ02", 0, 900, 400),
        counted("MQ01", 60, 900, 100),
    ]
    found = structure_puts({
        "cf_structure": [member("MQ01"), member("MQ02"), member("MQ03", None), member("MQ01")],
        "queue_statistics": [*rows, {**counted("MQ03", 0, 1800, 7), "qsg": None}, {**counted("MQ01", 0, 9000, 9), "cf_structure": None}],
    })  # fmt: skip
    assert found == {"MQ01": (175.0, 3.0, START), "MQ02": (175.0, 3.0, START), "MQ03": (7.0, 2.0, START)}


def test_accounting_counts_for_a_member_without_statistics() -> None:
    """Its intervals overlap, so that an hour has at most 3600 seconds; of fewer than 10 seconds there is no rate."""
    found = structure_puts({
        "cf_structure": [member("MQ01"), member("MQ02")],
        "queue_statistics": [counted("MQ01", 0, 900, 100)],
        "queue_use": [accounted("MQ01", 900, 5000, 9), accounted("MQ02", 10, 20, 100)],
    })  # fmt: skip
    assert found["MQ01"] == (100.0, 3.0, START)
    assert structure_puts({"cf_structure": [member("MQ02")], "queue_use": [accounted("MQ02", 9, 20, 50)]})["MQ02"] == (
        50.0,
        None,
        None,
    )
    assert structure_puts({"cf_structure": [member("MQ02")], "queue_use": [accounted("MQ02", 7199, 7200, 50)]})[
        "MQ02"
    ] == (50.0, 2.0, START)
    assert structure_puts({"cf_structure": [member("MQ02")]})["MQ02"] == (None, None, None)
