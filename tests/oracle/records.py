"""Records, the statistics intervals that they belong to, and queue managers."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from tests.oracle import Data, Row, view
from tests.oracle.formulas import (
    HOUR,
    MINUTE,
    SECOND,
    computed,
    first,
    grouped,
    groups,
    joined,
    known,
    level,
    mode,
    quantile,
    where,
)

QMGR = "lpar qmgr"
CUT = "lpar qmgr interval_start_utc"
CUTS = ("115.1", "115.2", "115.201", "115.215", "115.216")
"""The classes whose records have the start and length of the statistics interval in QWHS."""


@view("record", "record_id")
def record(data: Data) -> list[Row]:
    return data.raw("record")


@view("record_doubt", "record_id")
def record_doubt(data: Data) -> list[Row]:
    """Undamaged records that touch damaged bytes, and of which no undamaged record of the same level has the number
    before or after.
    """
    damaged = data.raw("damage")
    begins = {(row["source_id"], row["damage_offset"]) for row in damaged}
    ends = {(row["source_id"], row["damage_offset"] + row["damage_bytes"]) for row in damaged}
    undamaged = [row for row in data.raw("record") if row["damage"] is None]
    kind = ("lpar", "qmgr", "resource_manager", "instrumentation_id")
    numbers = {(*(row[name] for name in kind), row["instrumentation_sequence"], row["mq_version"]) for row in undamaged}
    out = []
    for row in undamaged:
        at, own = row["source_offset"], [row[name] for name in kind]
        near = [(row["instrumentation_sequence"] or 0) + step for step in (-1, 1)]
        confirmed = None not in own and any(
            number > 0 and (*own, number, row["mq_version"]) in numbers for number in near
        )
        touches = (row["source_id"], at) in ends or (row["source_id"], at + row["input_bytes"]) in begins
        if touches and not confirmed:
            out.append(row)
    return out


def confirmed_rows(data: Data, of_level: bool) -> list[Row]:
    """The records of a queue manager (and level, then only those with a standard header) that has a record without
    doubt, or two undamaged ones.
    """
    doubt = {row["record_id"] for row in data.view("record_doubt")}
    out = []
    every = [
        row for row in data.raw("record") if not of_level or row["record_class"] not in ("115.5", "115.6", "115.7")
    ]
    for rows in groups(every, "lpar qmgr mq_version" if of_level else QMGR).values():
        undamaged = [row for row in rows if row["damage"] is None]
        if len(undamaged) > 1 or any(row["record_id"] not in doubt for row in undamaged):
            out += rows
    return sorted(out, key=lambda row: row["record_id"])


@view("record_duplicate", "record_id")
def record_duplicate(data: Data) -> list[Row]:
    every = data.every("record")
    first = {}
    for row in data.raw("record"):
        first[row["record_hash"]] = row["record_id"]
    again = [row for row in every if row["record_id"] in data.repeated]
    return computed(
        ({**row, "first_record_id": first[row["record_hash"]]} for row in again),
        "cut_start_utc = record_start_utc if smf_type == 115 else None",
    )


@view("channel_interval", "record_id")
def channel_interval(data: Data) -> list[Row]:
    """The records of the channel initiator start 0.1 to 0.3 ms later than the cut and end within 1 ms: the cut whose
    end differs least, at most 1 second.
    """
    cuts = groups(data.view("interval_cut"), QMGR)
    out = []
    for row in data.raw("record"):
        if row["record_class"] in ("115.231", "116.10") and row["damage"] is None:
            near = [
                (abs(cut["interval_end_utc"] - row["interval_end_utc"]), cut["interval_start_utc"])
                for cut in cuts.get((row["lpar"], row["qmgr"]), ())
                if row["interval_end_utc"] is not None
            ]
            best = min(near, default=None)
            out.append({**row, "cut_start_utc": best[1] if best and best[0] <= SECOND else None})
    return out


@view("record_interval", "record_id")
def record_interval(data: Data) -> list[Row]:
    """A class of 115 is written every interval; 115.5 to 115.7 have the interval that ends when they are written."""
    classes = (*CUTS, "115.240", "115.5", "115.6", "115.7")
    rows = [row for row in data.raw("record") if row["record_class"] in classes and row["damage"] is None]
    return computed(rows, "cut_start_utc = interval_start_utc") + data.view("channel_interval")


@view("chinit_interval", "record_id")
def chinit_interval(data: Data) -> list[Row]:
    continued = data.by("chinit_continuation", "record_id")
    rows = where(data.view("channel_interval"), "record_class == '115.231'")
    rows = [row for row in rows if (row["record_id"],) not in continued]
    for row in rows:
        row["interval_start_utc_of_cut"] = row["cut_start_utc"]
    cuts = {(c["lpar"], c["qmgr"], c["interval_start_utc"]): c for c in data.view("interval_cut")}
    rows = joined(rows, cuts, "lpar qmgr cut_start_utc", "shortest_judged_seconds startup_interval suspect_first")
    return computed(with_qsg(data, rows), "fragment = interval_us / 1e6 < shortest_judged_seconds")


@view("queue_manager_move", "lpar qmgr interval_start_utc")
def queue_manager_move(data: Data) -> list[Row]:
    out: list[Row] = []
    for members in groups(data.view("interval_cut"), "qmgr").values():
        ordered = sorted(members, key=lambda row: (row["interval_start_utc"], row["lpar"]))
        moves = [
            {**row, "from_lpar": before["lpar"], "from_end_utc": before["interval_end_utc"], "apart": row["interval_start_utc"] - before["interval_end_utc"]}
            for before, row in pairwise(ordered)
            if None not in (before["lpar"], row["lpar"]) and before["lpar"] != row["lpar"]
        ]  # fmt: skip
        for row in moves:
            row["away_seconds"] = max(0.0, row["apart"] / SECOND)
            row["at_once"] = any(other["apart"] < -60 * SECOND for other in moves)
        out += moves
    return out


@view("interval_cut", "lpar qmgr interval_start_utc")
def interval_cut(data: Data) -> list[Row]:
    doubt = {row["record_id"] for row in data.view("record_doubt")}
    records = [row for row in data.raw("record") if row["interval_start_utc"] is not None and row["damage"] is None]
    starts = defaultdict(set)
    for row in records:
        if row["record_class"] == "115.240":
            starts[row["lpar"], row["qmgr"]].add(row["interval_start_utc"])
    rows = []
    for (lpar, qmgr), mine in groups([r for r in records if r["record_class"] in CUTS], QMGR).items():
        startups = starts[lpar, qmgr]
        cuts = []
        for (start,), members in groups(mine, "interval_start_utc").items():
            one = min(members, key=lambda row: row["record_id"])
            end = one["interval_end_utc"]
            cuts.append({
                **one, "interval_seconds": one["interval_us"] / 1e6,
                "startup_interval": start in startups,
                "confirmed": len(members) > 1 or one["record_id"] not in doubt,
                "suspect_first": any(start < other < end for other in startups),
            })  # fmt: skip
        cuts.sort(key=lambda row: row["interval_start_utc"])
        rows += _neighbours(cuts)
    return rows


def _neighbours(cuts: list[Row]) -> list[Row]:
    """The columns of the cuts of one queue manager that depend on the cuts before and after them, and on all."""
    lengths = [c["interval_seconds"] for c in cuts if not c["startup_interval"]]
    short = [length for length in lengths if 0.9 <= length < 10]
    medians = [quantile((length for length in lengths if length >= 10), 0.5)]
    medians += [quantile(short, 0.5)] if len(short) >= 3 and 10 * sum(short) >= sum(lengths) else []
    usual = first(*medians)
    for number, cut in enumerate(cuts):
        cut["median_interval_seconds"] = usual
        cut["shortest_judged_seconds"] = min([10.0, *(value / 2 for value in medians if value is not None)])
        cut["previous_end_utc"] = cuts[number - 1]["interval_end_utc"] if number else None
        cut["gap_confirmed"] = cut["confirmed"] and (number == 0 or cuts[number - 1]["confirmed"])
        cut["next_start_utc"] = cuts[number + 1]["interval_start_utc"] if number + 1 < len(cuts) else None
    return computed(
        cuts,
        """
        gap_seconds = (interval_start_utc - previous_end_utc) / 1e6
        gap_intervals = gap_seconds / median_interval_seconds
        first_in_data = previous_end_utc is None or gap_seconds > 2
        last_in_data = next_start_utc is None or (next_start_utc - interval_end_utc) / 1e6 > 2
        usual_interval_seconds = rounded(median_interval_seconds) * 1.0
        length_deviation_pct = 100 * magnitude(interval_seconds - median_interval_seconds) / median_interval_seconds
        overlap_seconds = -gap_seconds if gap_seconds < 0 else None
        restart_seen = startup_interval or suspect_first or first(first_in_data and previous_end_utc is not None and interval_seconds < 0.5 * median_interval_seconds, False)
        fragment = interval_seconds < shortest_judged_seconds
        baseline_ok = not fragment and not startup_interval and not suspect_first
        """,
    )


def with_qsg(data: Data, rows: list[Row]) -> list[Row]:
    """The rows with the queue-sharing group of their queue manager."""
    return joined(rows, data.by("queue_sharing_group", "lpar", "qmgr"), QMGR, "qsg")


def in_interval(data: Data, rows: list[Row], text: str = "") -> list[Row]:
    """Rows of a statistics interval with its flags, its length in seconds, and further columns."""
    cuts = data.by("interval_cut", *CUT.split())
    rows = with_qsg(data, joined(rows, cuts, CUT, "fragment startup_interval suspect_first"))
    return computed(rows, "interval_seconds = interval_us / 1e6\n" + text.strip("\n") if not text else _after(text))


def _after(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    indent = " " * (len(lines[0]) - len(lines[0].lstrip()))
    return "\n".join([f"{indent}interval_seconds = interval_us / 1e6", *lines])


@view("interval", "lpar qmgr interval_start_utc")
def interval(data: Data) -> list[Row]:
    counted = groups(data.view("record_interval"), "lpar qmgr cut_start_utc")
    rows = with_qsg(data, data.view("interval_cut"))
    for row in rows:
        members = counted.get((row["lpar"], row["qmgr"], row["interval_start_utc"]), [])
        for name in ("115.1", "115.2", "115.5", "115.6", "115.7", "115.201", "115.215", "115.216", "115.231", "116.10"):
            column = f"records_{name.replace('.', '_')}"
            row[column] = sum(member["record_class"] == name for member in members)
    return rows


@view("queue_sharing_group", "lpar qmgr")
def queue_sharing_group(data: Data) -> list[Row]:
    """QWHX names the group from 10.0 on; before that QCCT (QCCTQSGN) and QQST (QQSTQSGN) do."""
    found: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for table, column, source in (
        ("record", "qsg", "qwhx"),
        ("qcct", "chinit_qsg", "qcct"),
        ("qqst", "queue_qsg", "qqst"),
    ):
        for row in data.raw(table):
            if row["lpar"] is not None and row["qmgr"] is not None:
                found[row["lpar"], row["qmgr"]][source].add(row[column])
    out = []
    for (lpar, qmgr), sources in found.items():
        named = {source: max(filter(None, values), default=None) for source, values in sources.items()}
        best = next((source for source in ("qwhx", "qcct", "qqst") if named.get(source)), None)
        out.append({"lpar": lpar, "qmgr": qmgr, "qsg": named[best] if best else None, "qsg_from": best or "not known"})
    return out


@view("qmgr", "lpar qmgr")
def qmgr(data: Data) -> list[Row]:
    out = grouped(
        where(confirmed_rows(data, of_level=False), "lpar is not None and qmgr is not None"), QMGR,
        """
        first_written_local = min(written_local)
        last_written_local = max(written_local)
        gmt_offset_minutes = mode(gmt_offset_minutes)
        """,
    )  # fmt: skip
    by_qmgr = groups(confirmed_rows(data, of_level=True), QMGR)
    cuts = groups(data.view("interval_cut"), QMGR)
    structures, db2 = groups(data.raw("qest_structure"), QMGR), groups(data.raw("q5st"), QMGR)
    for row in out:
        key = row["lpar"], row["qmgr"]
        levels = sorted({r["mq_version"] for r in by_qmgr.get(key, ()) if r["mq_version"]}, key=level)
        row["mq_versions"] = ", ".join(levels) or None
        row["highest_mq_level"] = level(levels[-1]) if levels else None
        row["intervals"] = len(cuts.get(key, ()))
        row["statistics_hours"] = sum(c["interval_seconds"] for c in cuts.get(key, ())) / 3600
        calls = sum((s["single_calls"] or 0) + (s["multiple_calls"] or 0) for s in structures.get(key, ()))
        active = max((d["db2_servers_active"] or 0 for d in db2.get(key, ())), default=0) > 0
        row["shared_queue_hint"] = calls > 0 or active if key in structures or key in db2 else None
    return joined(out, data.by("queue_sharing_group", "lpar", "qmgr"), QMGR, "qsg qsg_from")


@view("record_count", "lpar qmgr hour_local record_class mq_version header_release qsg gmt_offset_minutes")
def record_count(data: Data) -> list[Row]:
    doubt = {row["record_id"] for row in data.view("record_doubt")}
    rows = computed(
        ({**row, "doubted": row["record_id"] in doubt} for row in data.raw("record") if row["qmgr"] is not None),
        """
        hour_local = hour(written_local)
        hour_start_utc = hour_local - gmt_offset_minutes * MINUTE
        mq_level = level(mq_version)
        """,
    )
    by = "lpar qmgr qsg mq_version mq_level header_release smf_type subtype record_class gmt_offset_minutes hour_start_utc hour_local"
    return grouped(
        rows, by,
        """
        records = count()
        undamaged_records = count(where=damage is None)
        confirmed_records = count(where=damage is None and not doubted)
        bytes = sum(record_bytes)
        max_record_bytes = max(record_bytes)
        spanned_records = count(where=segments > 1)
        first_written_local = min(written_local)
        last_written_local = max(written_local)
        """,
    )  # fmt: skip


@view("record_volume", "lpar qmgr hour_start_utc hour_local smf_type subtype")
def record_volume(data: Data) -> list[Row]:
    blocks: dict[tuple[object, ...], int] = defaultdict(int)
    own = {row["record_id"]: row for row in data.raw("record")}
    for row in data.raw("wtas"):
        written = own[row["record_id"]]
        local = written["written_local"] // HOUR * HOUR
        offset = written["gmt_offset_minutes"]
        blocks[row["lpar"], row["qmgr"], None if offset is None else local - offset * MINUTE, local] += row[
            "queue_blocks"
        ]
    rows = grouped(
        data.view("record_count"), "lpar qmgr hour_start_utc hour_local smf_type subtype",
        """
        records = sum(records)
        bytes = sum(bytes)
        max_record_bytes = max(max_record_bytes)
        spanned_records = sum(spanned_records)
        mean_record_bytes = bytes / records
        """,
    )  # fmt: skip
    for row in rows:
        key = row["lpar"], row["qmgr"], row["hour_start_utc"], row["hour_local"]
        row["queue_blocks"] = blocks.get(key) if (row["smf_type"], row["subtype"]) == (116, 1) else None
    return with_qsg(data, rows)


__all__ = ["known", "mode"]
