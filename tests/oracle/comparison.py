"""What changed between two sides: settings, figures, and the subjects that changed most (catalogue, report
overview/compare).

The rows of both sides are measured elsewhere (`tests.oracle.figures`); a comparison reads them from the tables
`side_figure` and `side_setting`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import groups, known
from tests.oracle.records import QMGR

SETTING = ("lpar", "qmgr", "subject_kind", "subject", "setting")
THERE = ("there", "", "yes", None)
LISTED = ("115.1", "115.2", "115.201", "115.215", "115.216", "115.231", "116.0", "116.1", "116.10")
"""The classes that commands and parameters switch on."""


def _number(value: Any, *, whole: bool = False) -> tuple[Any, Any]:
    """The text of a number, and the number."""
    return (None, None) if value is None else (str(int(value) if whole else value), float(value))


def _flag(value: bool | None) -> tuple[Any, Any]:
    return None if value is None else "yes" if value else "no", None


def _of_pool(row: Row) -> list[tuple[Any, ...]]:
    buffers = ("buffers", "buffers", *_number(row["buffers"]))
    return [
        THERE,
        buffers,
        ("above the bar", "", *_flag(row["above_bar"])),
        ("page-fixed", "", *_flag(row["page_fixed"])),
    ]


def _of_page_set(row: Row) -> list[tuple[Any, ...]]:
    pool = None if row["pool_id"] is None else str(row["pool_id"])
    method = ("expansion", "", row["expansion_method"], None)
    return [THERE, ("buffer pool", "", pool, None), method, ("encrypted", "", *_flag(row["encrypted"]))]


def _of_smds(row: Row) -> list[tuple[Any, ...]]:
    sizes = (
        ("buffers", "buffers", *_number(row["smds_buffers"])),
        ("buffer size", "bytes", *_number(row["buffer_bytes"])),
    )
    return [THERE, *sizes, ("encrypted", "", *_flag(row["smds_encrypted"]))]


CHINIT = {
    "adapters": "adapters", "dispatchers": "dispatchers", "TLS tasks": "ssl_tasks", "MAXCHL": "max_channels", "ACTCHL": "max_active_channels",
    "TCPCHL": "max_tcp_channels",
}  # fmt: skip


def _of_chinit(row: Row) -> list[tuple[Any, ...]]:
    counts = [(name, "count", *_number(row[column])) for name, column in CHINIT.items()]
    limit = row["chinit_64_limit_mib"]
    return [THERE, *counts, ("MEMLIMIT", "mib", _number(limit, whole=True)[0], _number(limit)[1])]


def _of_storage(row: Row) -> list[tuple[Any, ...]]:
    limit = row["memlimit_mib"]
    return [
        ("MEMLIMIT", "mib", _number(limit, whole=True)[0], _number(limit)[1]),
        ("31-bit region", "bytes", *_number(row["region_31_bytes"])),
    ]


@view("measured_setting", " ".join(SETTING) + " setting_value")
def measured_setting(data: Data) -> list[Row]:
    """Every value of a setting with the first and the last interval that has it."""
    found: list[Row] = []

    def add(row: Row, kind: str, subject: str, given: Iterable[tuple[Any, ...]], first: Any, last: Any) -> None:
        for setting, unit, value, number in given:
            if value is not None:
                found.append({
                    "lpar": row["lpar"], "qmgr": row["qmgr"], "subject_kind": kind, "subject": subject, "setting": setting, "setting_unit": unit,
                    "setting_value": value, "setting_number": number, "first": first, "last": last,
                })  # fmt: skip

    members = data.by("queue_sharing_group", "lpar", "qmgr")
    for row in data.view("interval_cut"):
        group = (members.get((row["lpar"], row["qmgr"])) or {}).get("qsg")
        of_manager = [THERE, ("MQ level", "", row["mq_version"], None), ("queue-sharing group", "", group, None)]
        add(row, "queue manager", "", of_manager, row["interval_start_local"], row["interval_start_local"])
    for row in data.view("record_count"):
        if row["record_class"] in LISTED:
            add(
                row,
                "records",
                f"records {row['record_class']}",
                [THERE],
                row["first_written_local"],
                row["last_written_local"],
            )
    for name, kind, subject, settings in (
        ("buffer_pool", "buffer pool", "pool_id", _of_pool), ("page_set", "page set", "page_set_id", _of_page_set),
        ("cf_structure", "structure", "cf_structure", lambda _: [THERE]), ("smds", "SMDS", "cf_structure", _of_smds),
        ("channel_initiator", "channel initiator", "", _of_chinit), ("storage_region", "storage", "", _of_storage),
        ("db2", "Db2", "", lambda row: [("Db2 servers", "count", *_number(row["db2_servers"]))]),
    ):  # fmt: skip
        for row in data.view(name):
            if name != "buffer_pool" or row["buffers"] > 0:
                at = row["interval_start_local"]
                add(row, kind, f"{kind} {row[subject]}" if subject else kind, settings(row), at, at)
    out = []
    for rows in groups(found, " ".join(SETTING) + " setting_value").values():
        first, last = (
            min(known(r["first"] for r in rows), default=None),
            max(known(r["last"] for r in rows), default=None),
        )
        out.append({**rows[0], "first_seen_local": first, "last_seen_local": last})
    return [{name: value for name, value in row.items() if name not in ("first", "last")} for row in out]


def _change(one: float | None, other: float | None) -> float | None:
    """Change in percent of the value before, whatever its sign."""
    return None if one is None or other is None or not one else 100 * (other - one) / abs(one)


@view("compare_setting", " ".join(SETTING))
def compare_setting(data: Data) -> list[Row]:
    """The last value of each side. What one side cannot show did not change: other settings of what is on one side
    only, subjects of a kind that one side has no records of, and anything of a queue manager that one side does not
    have.
    """
    last: dict[tuple[Any, ...], dict[str, Row]] = {}
    rows = data.raw("side_setting")
    for key, members in groups(rows, " ".join(SETTING)).items():
        sides = groups(members, "side_name")
        last[key] = {name: max(given, key=operator.itemgetter("last_seen_local")) for (name,), given in sides.items()}
    if {row["side_name"] for row in rows} != {"before", "after"}:
        return []
    seen: dict[tuple[Any, ...], set[str]] = {}
    for (lpar, qmgr, kind, _, setting), of_sides in last.items():
        if setting == "there":
            seen.setdefault((lpar, qmgr, kind), set()).update(of_sides)
    both = {key for key, names in seen.items() if len(names) == 2}
    out = []
    for key, found in last.items():
        lpar, qmgr, kind, _, setting = key
        before, after = found.get("before"), found.get("after")
        values = [side["setting_value"] if side else None for side in (before, after)]
        of_manager = kind == "queue manager" and setting == "there"
        if setting == "there":
            counts = of_manager or (
                (lpar, qmgr, "queue manager") in both and (kind == "records" or (lpar, qmgr, kind) in both)
            )
        else:
            counts = (lpar, qmgr, "queue manager") in both and None not in values
        if counts and values[0] != values[1]:
            unit = max(side["setting_unit"] for side in found.values())
            out.append({
                **dict(zip(SETTING, key, strict=True)), "setting_unit": unit, "change": "appeared" if before is None else "vanished" if after is None else "changed",
                "before_value": values[0], "after_value": values[1],
                "setting_change_pct": _change(*(side["setting_number"] if side else None for side in (before, after))),
                "seen_since_local": after["first_seen_local"] if after else None, "seen_last_local": before["last_seen_local"] if before else None,
            })  # fmt: skip
    return out


CLOSEST = ("week", "day", "all")
FIGURE = "lpar qmgr subject figure_number"
NOTEWORTHY_PCT, HALF, ERRORS, ENOUGH = 6, 0.5, 3, 4
"""V92: a difference of up to 6 % is noise; half the spread, three standard errors and four intervals are limits of the
comparison itself."""


def _effect(whole: list[Row], pairs: list[tuple[Row, Row]]) -> tuple[float, float, float]:
    """Difference of the means, variance of the values within each hour, and of the hours' means around the midpoint of
    before and after.
    """
    weighted = [
        (
            b["figure_count"] + a["figure_count"],
            a["figure_mean"] - b["figure_mean"],
            (b["figure_variance"] + a["figure_variance"]) / 2,
        )
        for b, a in pairs
    ]
    if not weighted:
        before, after = whole
        step = after["figure_mean"] - before["figure_mean"]
        weighted = [(1, step, (before["figure_variance"] + after["figure_variance"]) / 2)]
    total = sum(weight for weight, _, _ in weighted)
    return (
        math.fsum(weight * step for weight, step, _ in weighted) / total,
        math.fsum(weight * within for weight, _, within in weighted) / total,
        math.fsum(weight * (step / 2) ** 2 for weight, step, _ in weighted) / total,
    )


def _compared(before: Row | None, after: Row | None, pairs: list[tuple[Row, Row]], kind: Row) -> Row:
    """The columns of a figure that come from both sides; null where one side lacks it."""
    means: list[Any] = [side["figure_mean"] if side else None for side in (before, after)]
    counts = [side["figure_count"] if side else 0 for side in (before, after)]
    out: Row = {
        "before_mean": means[0], "after_mean": means[1], "before_p95": before["figure_p95"] if before else None, "after_p95": after["figure_p95"] if after else None,
        "before_intervals": counts[0], "after_intervals": counts[1], "change_pct": _change(*means), "effect_size": None, "noteworthy": False,
        "appeared": before is None, "vanished": after is None,
    }  # fmt: skip
    if before is None or after is None or None in means:
        return out
    step, within, between = _effect([before, after], pairs)
    if abs(step) <= max(1e-9 * max(map(abs, means)), 1e-100):
        return out | {"effect_size": 0.0}
    effect = step / math.sqrt(within + between)
    change = out["change_pct"]
    large = abs(change) > NOTEWORTHY_PCT if change is not None else means[1] != 0
    chance = ERRORS * math.sqrt(within * (1 / counts[0] + 1 / counts[1]))
    certain = kind["is_setting"] or (min(counts) >= ENOUGH and abs(step) > chance)
    return out | {
        "effect_size": effect,
        "noteworthy": large and abs(effect) > HALF and abs(means[1] - means[0]) >= kind["least_change"] and certain,
    }


@view("compare_figure", FIGURE)
def compare_figure(data: Data) -> list[Row]:
    kinds = data.by("figure_kind", "figure_number")
    levels: dict[tuple[Any, ...], set[str]] = {}
    for row in data.raw("side_setting"):
        if row["setting"] == "MQ level":
            levels.setdefault((row["lpar"], row["qmgr"], row["side_name"]), set()).add(row["setting_value"])
    out = []
    for place, members in groups(data.raw("side_figure"), QMGR).items():
        sides = {
            name: {r["side_name"] for r in rows if r["slot"] is None}
            for (name,), rows in groups(members, "slot_by").items()
        }
        way = next((name for name in CLOSEST if len(sides.get(name, ())) == 2), None)
        for key, rows in groups([row for row in members if row["slot_by"] == way and way], FIGURE).items():
            by = {(row["side_name"], row["slot"]): row for row in rows}
            before, after = (by.get((name, None)) for name in ("before", "after"))
            slots = [row["slot"] for row in rows if row["slot"] is not None and row["side_name"] == "before"]
            pairs = [(by["before", slot], by["after", slot]) for slot in slots if ("after", slot) in by]
            kind = kinds.get((key[3],))
            if (before or after) and kind:
                named = {
                    name: ", ".join(sorted(levels.get((*place, name), ()))) or None for name in ("before", "after")
                }
                out.append({
                    **kind, **dict(zip(FIGURE.split(), key, strict=True)), **_compared(before, after, pairs, kind),
                    "mq_level_before": named["before"], "mq_level_after": named["after"],
                })  # fmt: skip
    return out


def _text(value: float) -> str:
    """All digits of a whole number or of one from 100 on without its fraction, three significant digits of another."""
    if abs(value) >= 100 or value == round(value):
        return f"{math.copysign(math.floor(abs(value) + 0.5), value):,.0f}"
    if abs(value) < 1e-6:
        return f"{value:.3g}"
    return f"{value:,.{2 - math.floor(math.log10(abs(value)))}f}".rstrip("0").rstrip(".")


def _by_percent(change: float | None, most: float = 300) -> str:
    if change is None:
        return ""
    return f" ({1 + change / 100:.1f} times)" if change >= most else f" ({change:+.0f} %)"


def _figure_text(row: Row) -> str:
    before, after = (_text(row[name] * row["shown_scale"]) for name in ("before_mean", "after_mean"))
    unit = f" {row['shown_unit']}" if row["shown_unit"] else ""
    return f"{row['metric_name']} {before}{unit} before, {after} after{_by_percent(row['change_pct'])}"


def _setting_text(row: Row) -> str:
    if row["setting"] == "there":
        if row["subject_kind"] == "records":
            return "collected only after" if row["change"] == "appeared" else "collected only before"
        return str(row["change"])
    numeric = [
        f"{int(value):,}" if row["setting_unit"] and value.lstrip("-").isdigit() else value
        for value in (row["before_value"], row["after_value"])
    ]
    unit = {"mib": " MiB", "bytes": " bytes"}.get(row["setting_unit"], "")
    return f"{row['setting']} {numeric[0]} before, {numeric[1]} after{unit}{_by_percent(row['setting_change_pct'], math.inf)}"


@view("compare_moved", "lpar qmgr subject")
def compare_moved(data: Data) -> list[Row]:
    """What was added, removed or changed comes first, then figures by effect, then totals of queue managers; up to four
    changes are named.
    """
    pieces: list[Row] = []
    for row in data.view("compare_figure"):
        if row["noteworthy"] and not row["is_setting"]:
            rank = 3 if row["subject_kind"] == "queue manager" else 2
            pieces.append({**row, "rank": rank, "effect": abs(row["effect_size"]), "change": row["change_pct"],
                           "place": 100 + row["figure_number"], "words": _figure_text(row)})  # fmt: skip
    for members in groups(data.view("compare_setting"), "lpar qmgr subject").values():
        ordered = sorted(members, key=lambda row: (row["setting"] != "there", row["setting"]))
        pieces += [{**row, "rank": 1, "effect": 2.0, "change": row["setting_change_pct"], "place": place, "words": _setting_text(row)}
                   for place, row in enumerate(ordered, 1)]  # fmt: skip
    out = []
    for key, members in groups(pieces, "lpar qmgr subject").items():
        members.sort(key=lambda piece: (piece["rank"], -piece["effect"], piece["place"]))
        decides = [piece for piece in members if piece["change"] is not None]
        strongest = max(decides, key=lambda piece: (piece["effect"], -piece["place"]), default=None)
        more = f"; and {len(members) - 4} more" if len(members) > 4 else ""
        out.append({
            **dict(zip(("lpar", "qmgr", "subject"), key, strict=True)), "rank": members[0]["rank"], "moved_effect": max(p["effect"] for p in members),
            "moved_change_pct": strongest["change"] if strongest else None, "moved_figures": len(members),
            "moved_class": {1: "changed", 2: "figures", 3: "totals"}[members[0]["rank"]], "moved_text": "; ".join(p["words"] for p in members[:4]) + more,
        })  # fmt: skip

    def order(row: Row) -> tuple[Any, ...]:
        change = row["moved_change_pct"]
        size = -math.inf if change is None else -abs(round(change, 6))
        itself = row["rank"] == 1 and row["subject"] == ""
        return (row["rank"], not itself, -round(row["moved_effect"], 6), size, row["lpar"], row["qmgr"], row["subject"])

    out.sort(key=order)
    for number, row in enumerate(out, 1):
        row["moved_rank"] = number
    return out
