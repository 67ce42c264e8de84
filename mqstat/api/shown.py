"""How open data is shown: in `repr` and in notebooks; and the order of the columns of a view."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from mqstat.base.formatting import clean, plural
from mqstat.sql.sqlfile import SqlFile
from mqstat.sql.workspace import Workspace

_FIRST = ("lpar", "qmgr")
_ORIGIN = ("qsg", "mq_version", "source_id", "record_id")
_TIMES = ("date", "interval_start_local", "interval_start_utc", "interval_end_utc")
_NAMES = 5


@dataclass(frozen=True)
class Summary:
    """What open data holds: queue managers as (LPAR, queue manager, records, first and last local time), and inputs."""

    queue_managers: Sequence[tuple[str | None, str | None, int, dt.datetime | None, dt.datetime | None]]
    inputs: int

    def text(self) -> str:
        """In one line, such as `3 queue managers (MQPA, MQPB, MQW1), 2026-05-20 22:00 to 2026-05-21 22:00, 1 input`."""
        names = [clean(name or "no name") for _, name, *_ in self.queue_managers]
        more = ["..."] if len(names) > _NAMES else []
        parts = [f"{plural(len(names), 'queue manager')} ({', '.join(names[:_NAMES] + more)})"]
        first = [start for *_, start, _ in self.queue_managers if start is not None]
        last = [end for *_, end in self.queue_managers if end is not None]
        if first and last:
            parts.append(f"{min(first):%Y-%m-%d %H:%M} to {max(last):%Y-%m-%d %H:%M}")
        return ", ".join([*parts, plural(self.inputs, "input")])

    def html(self, name: str) -> str:
        """As a table with a row for each queue manager."""
        cells = [
            (lpar or "", qmgr or "", f"{records:,}", *("" if at is None else f"{at:%Y-%m-%d %H:%M}" for at in times))
            for lpar, qmgr, records, *times in self.queue_managers
        ]
        head = "".join(f"<th>{text}</th>" for text in ("LPAR", "Queue manager", "Records", "First", "Last"))
        rows = "".join(f"<tr>{''.join(f'<td>{escape(clean(text))}</td>' for text in row)}</tr>" for row in cells)
        caption = f"{escape(clean(name))}, {plural(self.inputs, 'input')}"
        return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def summary_of(database: Workspace) -> Summary:
    """What the open database holds."""
    rows = database.execute(
        "SELECT lpar, qmgr, count(*), min(written_local), max(written_local) FROM decoded.record "
        "WHERE qmgr IS NOT NULL GROUP BY lpar, qmgr ORDER BY qmgr, lpar"
    ).fetchall()
    ((inputs,),) = database.execute("SELECT count(*) FROM decoded.source").fetchall()
    return Summary(rows, inputs)


def key_columns_first(view: SqlFile) -> list[str]:
    """The columns of a view: what a row is about (LPAR, queue manager, other keys, interval), then all others in the
    order of the view.
    """
    keys = [
        column.name
        for column in view.columns.values()
        if column.kind == "key" and column.name not in (*_FIRST, *_ORIGIN, *_TIMES)
    ]
    wanted = [name for name in (*_FIRST, *keys, *_TIMES) if name in view.columns]
    return [*wanted, *(name for name in view.columns if name not in wanted)]
