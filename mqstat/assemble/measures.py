"""Figures for a monitoring system, from the views: by queue manager, pool, page set, structure and log copy, in base
units.
"""

# ruff: noqa: S608 - statements are built from names of views and columns of this package

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mqstat.assemble.model import Figure, Monitored
from mqstat.sql import sqlfile
from mqstat.sql.schemas import quoted
from mqstat.sql.workspace import Workspace

UNITS: Mapping[str, tuple[str, float]] = {
    "percent": ("ratio", 0.01), "us": ("seconds", 1e-6), "s": ("seconds", 1), "kib": ("bytes", 1024), "mib": ("bytes", 1 << 20),
    "gib": ("bytes", 1 << 30), "bytes": ("bytes", 1), "mib_per_s": ("bytes_per_second", 1 << 20), "per_s": ("per_second", 1), "count": ("", 1),
    "buffers": ("", 1), "pages": ("", 1), "ratio": ("ratio", 1), "ms": ("seconds", 1e-3),
}  # fmt: skip
"""The base unit of each unit, and the conversion factor."""

_SUFFIXES = ("_mib_per_s", "_per_s", "_pct", "_us", "_ms", "_s", "_mib", "_kib", "_bytes", "_seconds")


@dataclass(frozen=True)
class Measured:
    """A view, its key columns with their labels, and its figures, each with whether low or high values are bad."""

    view: str
    name: str
    keys: Mapping[str, str]
    lowest: tuple[str, ...] = ()
    highest: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.lowest, *self.highest)


MEASURED = (
    Measured(
        "interval_headline", "", {}, ("available_31_mib", "adapters_idle"),
        (
            "puts_per_s", "gets_per_s", "mqi_calls_per_s", "log_created_mib_per_s", "logger_task_busy_pct", "log_buffer_waits", "checkpoints",
            "log_reads_archive", "cf_redrive_pct", "db2_queue_high", "sos_set", "active_channels_pct", "adapter_busiest_pct",
            "dispatcher_busiest_pct", "ssl_busiest_pct",
        ),
    ),
    Measured("buffer_pool", "buffer_pool", {"pool_id": "pool"}, ("lowest_free_pct",), ("no_buffer_waits", "synchronous_write_hits", "pages_read")),
    Measured("page_set", "page_set", {"page_set_id": "page_set", "pool_id": "pool"}, (), ("used_pct", "full_count", "grown_pages")),
    Measured("log_copy", "log_copy", {"log_copy": "copy"}, (), ("longest_write_us", "longest_wait_us")),
    Measured("cf_structure", "structure", {"cf_structure": "structure"}, (), ("cf_calls_per_s", "structure_fulls")),
    Measured("smds", "smds", {"cf_structure": "structure"}, ("buffers_free_low",), ("smds_used_high_pct", "pool_waits", "busy_buffer_waits")),
    Measured("channel_initiator", "channel_initiator", {}, (), ("current_channels", "current_channels_pct", "chinit_31_pct", "chinit_64_pct")),
)  # fmt: skip
"""The figures. To add a figure, add its column name; name, unit and help text come from its view."""


def query(measured: Measured) -> str:
    """The query for the figures of a view: newest and worst of each subject.

    Startup, suspect and very short intervals do not count for the worst, as in report overview/peaks.
    """
    keys = ["lpar", "qmgr", *measured.keys]
    ends = {name: "min" if name in measured.lowest else "max" for name in measured.columns}
    selected = ", ".join(
        f"{end}(v.{quoted(name)}) FILTER (v.interval_start_utc = v.newest_start)::DOUBLE AS {quoted('newest_' + name)}, "
        f"{end}(v.{quoted(name)}) FILTER (i.baseline_ok IS NOT FALSE)::DOUBLE AS {quoted('worst_' + name)}"
        for name, end in ends.items()
    )
    read = ", ".join(map(quoted, [*keys, "interval_start_utc", *measured.columns]))
    by = ", ".join(f"v.{quoted(key)}" for key in keys)
    return f"""
        SELECT {by}, {selected}
        FROM (SELECT {read}, max(interval_start_utc) OVER (PARTITION BY lpar, qmgr) AS newest_start FROM {quoted(measured.view)}) AS v
        LEFT JOIN interval_cut AS i
          ON i.lpar = v.lpar AND i.qmgr = v.qmgr AND i.interval_start_utc = v.interval_start_utc
        GROUP BY {by}
        ORDER BY {by}
    """


EXTENTS = "SELECT lpar, qmgr, epoch(min(interval_start_utc)) AS first, epoch(max(interval_end_utc)) AS last FROM interval_cut GROUP BY lpar, qmgr ORDER BY lpar, qmgr"
"""The query for the first and last moment of the statistics intervals of each queue manager."""

COLLECTED = """
    SELECT c.lpar, c.qmgr, c.record_class,
      CASE c.coverage_state WHEN 'not collected' THEN 0 ELSE coalesce(1 - h.missing / nullif(h.slots, 0), c.presence_pct / 100, 1) END AS collected
    FROM collection AS c
    LEFT JOIN (
      SELECT lpar, qmgr, record_class, sum(missing_slots) AS missing, any_value(slots) AS slots FROM class_hole GROUP BY lpar, qmgr, record_class
    ) AS h ON h.lpar = c.lpar AND h.qmgr = c.qmgr AND h.record_class = c.record_class
    WHERE c.coverage_state <> 'not in this release' ORDER BY c.lpar, c.qmgr, c.record_class
"""
"""The query for the share of the slots that have each class."""


def monitored(database: Workspace) -> Monitored:
    """All that a monitoring system gets in addition to findings and inputs."""
    extents, collected = (tuple(database.ask_rows(text)) for text in (EXTENTS, COLLECTED))
    return Monitored(tuple(figures(database)), extents, collected)


def figures(database: Workspace) -> Iterator[Figure]:
    """All figures, grouped by column, in the order of MEASURED and of the subjects."""
    for measured in MEASURED:
        rows = database.ask_rows(query(measured))
        described = sqlfile.views()[measured.view].columns
        for column in measured.columns:
            unit, factor = UNITS[described[column].unit]
            for row in rows:
                yield Figure(
                    full_name(measured.name, column),
                    unit,
                    described[column].doc,
                    column in measured.lowest,
                    {"lpar": _text(row["lpar"]), "qmgr": _text(row["qmgr"])}
                    | {label: _text(row[key]) for key, label in measured.keys.items()},
                    _scaled(row["newest_" + column], factor),
                    _scaled(row["worst_" + column], factor),
                )


def full_name(subject: str, column: str) -> str:
    """The name of a figure without its unit: the subject and the column name, without repeated words."""
    bare = next((column.removesuffix(end) for end in _SUFFIXES if column.endswith(end)), column)
    bare = bare.removeprefix(subject + "_") if subject else bare
    return "_".join(part for part in ("mqstat", subject, bare) if part)


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
