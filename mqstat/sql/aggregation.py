"""How the values of a column are aggregated, from its kind and unit."""

from __future__ import annotations

from mqstat.sql.columns import Column

LINEAGE = ("record_id", "source_id", "section")
"""Keys of single records: aggregated rows do not have them."""

RATES = frozenset("per_s per_min per_h mib_per_s mib_per_h".split())

_ADDED = frozenset("count pages blocks bytes buffers kib mib gib".split())
_BY_KIND = {"counter": "sum", "duration": "sum", "low": "min", "high": "max", "gauge": "mean"}
_SAME = frozenset("setting text flag code key".split())


def aggregation(column: Column) -> str:
    """How the values of a column are aggregated: sum, min, max, mean, share, weighted:column, same, first, last or none."""
    if column.over:
        return column.over
    if column.name in LINEAGE:
        return "none"
    if column.kind in _SAME or column.unit in ("text", "flag", "id"):
        return "same"
    if column.kind in _BY_KIND:
        return _BY_KIND[column.kind]
    if column.kind == "clock":
        return {"interval_start_utc": "min", "interval_start_local": "min", "interval_end_utc": "max"}.get(
            column.name, "none"
        )
    if column.unit in RATES or column.unit == "percent":
        return "mean"
    return "sum" if column.unit in _ADDED else "none"
