"""Slots in which a queue manager ran, the record classes that are there in each, and the holes of a class.

Sources: definitions of the catalogue (ran, slot, a class is there), and the descriptions of the columns. Each slot is
compared with each time of a class.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import DAY, HOUR, MINUTE, SECOND, groups, known, quantile
from tests.oracle.records import QMGR

STATISTICS = ("115.1", "115.2", "115.5", "115.6", "115.7", "115.201", "115.215", "115.216", "115.231")
CLASSES = (*STATISTICS, "116.0", "116.1", "116.10")
STORAGE = ("115.5", "115.6", "115.7")
BASIC = ("has_115_1", "has_115_2", "has_115_215")
CALLS = "opens closes gets puts put1s inquires sets".split()
LATER_CALLS = "subscribes callbacks statuses".split()
DAY_2000 = 10_957 * DAY
Span = tuple[int, int]
Owner = tuple[Any, ...]


def _span(row: Row) -> tuple[int | None, int | None]:
    """The time of a record: its interval; of a 116.0 when it was written, of a 115.240 when it began, of storage
    records the minute before they were written.
    """
    name, begun = row["record_class"], row["record_start_utc"]
    if name == "116.0":
        return row["header_stck_utc"], row["header_stck_utc"]
    first, last = row["interval_start_utc"], row["interval_end_utc"]
    if name in STORAGE:
        written, offset = row["written_local"], row["gmt_offset_minutes"]
        utc = None if written is None or offset is None else written - round(offset) * MINUTE
        minute = None if utc is None else utc - MINUTE
        return minute if first is None else first, utc if last is None else last
    if begun is not None:
        first = begun
        last = last if row["record_us"] is None else begun + row["record_us"]
    return first, begun if name == "115.240" else last


def _runs(spans: Iterable[Span], apart: int) -> Iterator[Span]:
    """Times put together that begin at most so long after the end of an earlier one."""
    made: list[int] = []
    for first, last in sorted(spans):
        if made and first <= made[1] + apart:
            made[1] = max(made[1], last)
        else:
            if made:
                yield made[0], made[1]
            made = [first, last]
    if made:
        yield made[0], made[1]


@view("class_time", "lpar qmgr record_class first_utc")
def class_time(data: Data) -> list[Row]:
    """Undamaged records of a queue manager; accounting that begins in one minute is one piece."""
    pieces: dict[tuple[Any, ...], list[tuple[int, int, int | None]]] = defaultdict(list)
    for row in data.raw("record"):
        name = "116.1" if row["record_class"] == "116.2" else row["record_class"]
        if row["damage"] is not None or row["lpar"] is None or row["qmgr"] is None or name not in (*CLASSES, "115.240"):
            continue
        if row["smf_type"] == 115 and row["record_us"] is not None and not 1 <= row["record_us"] <= DAY:
            continue
        first, last = _span(row)
        if first is not None and last is not None and last >= first:
            minute = first // MINUTE if name in ("116.0", "116.1") else first
            pieces[row["lpar"], row["qmgr"], name, minute].append((first, last, row["header_stck_utc"]))
    of_class: dict[tuple[Any, ...], list[Span]] = defaultdict(list)
    written: dict[tuple[Any, ...], list[tuple[int, int | None]]] = defaultdict(list)
    for (*key, _), rows in pieces.items():
        first = min(row[0] for row in rows)
        of_class[tuple(key)].append((first, max(row[1] for row in rows)))
        written[tuple(key)] += [(first, row[2]) for row in rows]
    return [
        {
            "lpar": key[0], "qmgr": key[1], "record_class": key[2], "first_utc": first, "last_utc": last,
            "first_written_utc": min(known(stck for at, stck in written[key] if first <= at <= last), default=None),
        }
        for key, spans in of_class.items() for first, last in _runs(spans, 2 * SECOND)
    ]  # fmt: skip


def _rounded(value: float) -> int:
    return math.floor(value + 0.5)


def _stretches(data: Data, owner: Owner, times: list[Row], usual: float) -> list[Span]:
    """Times without a hole of more than the usual interval; a hole across which the numbers of a kind run on, and none
    is missing, is not one.
    """
    runs = [
        row
        for row in data.view("record_sequence")
        if (row["lpar"], row["qmgr"]) == owner and row["sequence_state"] == "judged" and row["counter"] > 0
    ]
    gaps = [
        row
        for row in data.view("sequence_gap")
        if (row["lpar"], row["qmgr"]) == owner and row["missing_numbers"] > row["damaged_records"]
    ]

    def goes_on(run: Row, before: int, first: int) -> bool:
        """Whether a run has numbers on both sides of a hole and lacks none in it."""
        same = [gap for gap in gaps if (gap["run"], gap["counter"]) == (run["run"], run["counter"])]
        inside = [
            gap
            for gap in same
            if gap["after_utc"] > before + 2 * SECOND and (gap["before_utc"] is None or gap["before_utc"] < first)
        ]
        return run["first_stck_utc"] <= before + 2 * SECOND and run["last_stck_utc"] > first and not inside

    out: list[Span] = []
    for first, last in sorted((row["first_utc"], row["last_utc"]) for row in times):
        if out:
            begun, before = out[-1]
            if first - before <= usual * SECOND or any(goes_on(run, before, first) for run in runs):
                out[-1] = begun, max(before, last)
                continue
        out.append((first, last))
    return out


def _slots(stretches: list[Span], cuts: list[Row], usual: float, written: int | None) -> Iterator[Row]:
    """Statistics intervals, and pieces of the usual length where a stretch has no interval."""
    for number, (begin, end) in enumerate(stretches, 1):
        later = stretches[number][0] if number < len(stretches) else math.inf
        mine = [cut for cut in cuts if begin <= cut["interval_start_utc"] < later]
        seen = begin
        marks = [(cut["interval_start_utc"], cut["interval_end_utc"]) for cut in mine]
        for cut in mine:
            yield {
                "first": cut["interval_start_utc"], "last": cut["interval_end_utc"], "stretch": number,
                "begun": cut["startup_interval"] or cut["suspect_first"],
            }  # fmt: skip
        for first, last in sorted([*marks, (end, end)]):
            bare = first - seen
            if bare >= 0.5 * usual * SECOND and first <= end:
                many = max(1, _rounded(bare / (usual * SECOND)))
                for place in range(min(many, 100_000)):
                    edges = seen + bare * place // many, seen + bare * (place + 1) // many
                    if written is not None and edges[1] + SECOND >= written:
                        yield {"first": edges[0], "last": edges[1], "stretch": number, "begun": False}
            seen = max(seen, last)


def _channel_spans(data: Data, owner: Owner) -> list[Span]:
    """When channels are known to have run: from the start that the first record of an instance has to its last record.

    After the last record of all channels, to the last 115.231, if one of the last record had not stopped up to the
    first that counts fewer active channels.
    """
    rows = [row for row in data.raw("qcst") if (row["lpar"], row["qmgr"]) == owner]
    instances = groups(rows, "channel_name connection_name channel_start_utc").values()
    spans, ends = [], []
    for of_instance in instances:
        starts = known([*(row["interval_start_utc"] for row in of_instance), of_instance[0]["channel_start_utc"]])
        last = max(known(row["interval_end_utc"] for row in of_instance), default=None)
        if starts and last is not None:
            spans.append((min(starts), last))
            ends.append((last, any(row["channel_stop_utc"] is None for row in of_instance if row["interval_end_utc"] == last)))  # fmt: skip
    latest = max((last for last, _ in ends), default=None)
    if latest is not None and any(running for last, running in ends if last == latest):
        counts = [row for row in data.raw("qcct") if (row["lpar"], row["qmgr"]) == owner]
        timed = [row for row in counts if row["interval_end_utc"] is not None and row["active_channels"] is not None]
        after = [row for row in timed if row["interval_end_utc"] > latest + SECOND]
        before = [
            (row["interval_end_utc"], row["active_channels"])
            for row in timed
            if row["interval_end_utc"] <= latest + SECOND
        ]
        if after and before:
            fewer = [row["interval_start_utc"] for row in after if row["active_channels"] < max(before)[1]]
            spans.append((latest, min(fewer, default=max(row["interval_end_utc"] for row in timed))))
    return list(_runs(spans, 0))


def _common(slot: Row, span: Span) -> int:
    return int(min(slot["last"], span[1]) - max(slot["first"], span[0]))


def _is_half(slot: Row, spans: Iterable[Span]) -> bool:
    common = [_common(slot, span) for span in spans]
    touching = [each for each in common if each >= 0]
    return bool(touching) and 2 * sum(touching) >= slot["last"] - slot["first"]


def _is_touched(slot: Row, spans: Iterable[Span]) -> bool:
    """The clocks of accounting and statistics differ by microseconds: less than a second in common is nothing, unless
    the time itself is shorter.
    """
    return any(0 <= _common(slot, span) >= min(SECOND, span[1] - span[0]) for span in spans)


def _without_class1(slots: list[Row], spans: list[Span]) -> set[int]:
    """The starts of the slots in which class 1 accounting is missing."""
    if not spans or not slots:
        return set()
    begin, end = min(slot["first"] for slot in slots), max(slot["last"] for slot in slots)
    inside = [(before[1], after[0]) for before, after in pairwise(sorted(spans))]
    first, last = min(span[0] for span in spans), max(span[1] for span in spans)
    long = max(HOUR, 3 * max((to - since for since, to in inside), default=0))
    holes = [(begin, first - SECOND, 0)] if first - begin >= long else []
    holes += [(last - SECOND, end, 0)] if end - last >= long else []
    usual = quantile([to - since for since, to in inside], 0.5) or 0
    holes += [(since - SECOND, to - SECOND, 1_000) for since, to in inside if to - since >= max(2 * HOUR, 3 * usual)]
    out: set[int] = set()
    for since, to, least in holes:
        within = [slot for slot in slots if slot["first"] >= since and slot["last"] <= to]
        if all((slot["calls"] or 0) >= least for slot in within):
            out |= {slot["first"] for slot in within}
    return out


def _added(rows: list[Row], names: list[str], later: list[str]) -> int | None:
    """The sum of counters; a row without one of the first is not counted."""
    made = [
        sum(row[name] for name in names) + sum(row[name] or 0 for name in later)
        for row in rows if all(row[name] is not None for name in names)
    ]  # fmt: skip
    return sum(made) if made else None


@view("slot", "lpar qmgr slot_start_utc")
def slot(data: Data) -> list[Row]:
    counted = groups(data.raw("qmst"), "lpar qmgr interval_start_utc")
    cuts = groups(data.view("interval_cut"), QMGR)
    out: list[Row] = []
    for owner, times in groups(data.view("class_time"), QMGR).items():
        every = cuts.get(owner, [])
        median = next((cut["median_interval_seconds"] for cut in every if cut["median_interval_seconds"]), None)
        chinit = [(row["last_utc"] - row["first_utc"]) / 1e6 for row in times if row["record_class"] in ("115.231", "116.10")]  # fmt: skip
        usual = median or quantile(chinit, 0.5) or 1800.0
        mine = [cut for cut in every if cut["interval_us"] is not None and 1 <= cut["interval_us"] <= DAY]
        written = min(known(row["first_written_utc"] for row in times), default=None)
        made = sorted(_slots(_stretches(data, owner, times, usual), mine, usual, written), key=lambda each: (each["first"], each["last"]))  # fmt: skip
        for number, each in enumerate(made):
            beside = [made[place]["stretch"] if 0 <= place < len(made) else None for place in (number - 1, number + 1)]
            is_whole = each["last"] - each["first"] >= 0.5 * usual * SECOND
            each["counts"] = beside == [each["stretch"]] * 2 and not each["begun"] and is_whole
            rows = counted.get((*owner, each["first"]), [])
            each["calls"] = _added(rows, CALLS, LATER_CALLS)
            each["moved"] = _added(rows, ["puts", "put1s", "gets"], [])
        out += _flagged(data, owner, made, times)
    return out


def _flagged(data: Data, owner: Owner, made: list[Row], times: list[Row]) -> Iterator[Row]:
    """The classes of each slot; where fewer than three slots count, a class that has a record is there in all."""
    spans: dict[str, list[Span]] = defaultdict(list)
    for row in times:
        spans[row["record_class"]].append((row["first_utc"], row["last_utc"]))
    is_short = sum(each["counts"] for each in made) < 3
    channels, without = _channel_spans(data, owner), _without_class1(made, spans.get("116.0", []))
    for each in made:
        there = {name: name in spans and (is_short or _is_half(each, spans[name])) for name in CLASSES}
        there["115.216"] |= "115.216" in spans and each["moved"] == 0
        there["116.0"] = "116.0" in spans and (is_short or each["first"] not in without)
        few = each["calls"] is not None and each["calls"] < 1_000
        there["116.1"] = "116.1" in spans and (is_short or few or _is_touched(each, spans["116.1"]))
        there["116.10"] |= "116.10" in spans and not _is_half(each, channels)
        yield {
            "lpar": owner[0], "qmgr": owner[1], "slot_start_utc": each["first"], "slot_end_utc": each["last"],
            "slot_seconds": (each["last"] - each["first"]) / 1e6, "stretch": each["stretch"], "is_counted": is_short or each["counts"],
            **{f"has_{name.replace('.', '_')}": found for name, found in there.items()}, "mqi_calls": each["calls"],
        }  # fmt: skip


@view("class_hole", "lpar qmgr record_class hole_start_utc")
def class_hole(data: Data) -> list[Row]:
    """Slots one after the other without a class that has records; the next stretch begins another hole."""
    times = data.view("class_time")
    classes = {(row["lpar"], row["qmgr"], row["record_class"]) for row in times}
    out: list[Row] = []
    of_owner = groups(data.view("slot"), QMGR)
    for owner in groups(times, QMGR):
        slots = sorted(of_owner.get(owner, []), key=lambda row: row["slot_start_utc"])
        counted = [row for row in slots if row["is_counted"]]
        about = _About(data, owner)
        for name in CLASSES:
            if (*owner, name) not in classes:
                continue
            flag = f"has_{name.replace('.', '_')}"
            holes = [hole for hole in _holes(slots, flag) if any(slots[number]["is_counted"] for number in hole)]
            ends = [(row["first_utc"], row["last_utc"]) for row in times if (row["lpar"], row["qmgr"], row["record_class"]) == (*owner, name)]  # fmt: skip
            found = [about.hole(slots, counted, hole, flag, ends) for hole in holes] or [NO_HOLE]
            out += [_key(owner, name, counted) | hole for hole in found]
    return out


NO_HOLE: Row = {
    **dict.fromkeys(("hole_start_utc", "hole_end_utc", "hole_start_local", "hole_end_local", "active_channels_last")),
    **dict.fromkeys(("is_at_start", "is_at_end", "begun_before"), False),
    "missing_slots": 0, "missing_share_pct": 0.0, "slots_with_basic": 0,
}  # fmt: skip


def _key(owner: Owner, name: str, counted: list[Row]) -> Row:
    return {"lpar": owner[0], "qmgr": owner[1], "record_class": name, "slots": len(counted)}


def _holes(slots: list[Row], flag: str) -> list[list[int]]:
    """The numbers of slots without a class, by hole."""
    out: list[list[int]] = []
    for number, row in enumerate(slots):
        if not row[flag]:
            before = slots[number - 1] if number else None
            if before and not before[flag] and before["stretch"] == row["stretch"]:
                out[-1].append(number)
            else:
                out.append([number])
    return out


WORK = ("115.216", "116.0", "116.1")
"""Classes that are written only where there is work."""


@view("measured_class_hour", "lpar qmgr record_class day_number hour_of_day")
def measured_class_hour(data: Data) -> list[Row]:
    """Notes of the view: by the local hour in which a slot begins; 1,000 calls are work."""
    about = {owner: _About(data, owner) for owner in groups(data.view("slot"), QMGR)}
    hours: dict[tuple[Any, ...], list[bool]] = defaultdict(list)
    for row in data.view("slot"):
        owner = row["lpar"], row["qmgr"]
        local = about[owner].local(row["slot_start_utc"]) if row["is_counted"] else None
        if local is None:
            continue
        day, hour = divmod((local - DAY_2000) // HOUR, 24)
        for name in CLASSES:
            if name != "116.10" and (name not in WORK or (row["mqi_calls"] or 0) >= 1000):
                hours[*owner, name, day, hour].append(row[f"has_{name.replace('.', '_')}"])
    names = ("lpar", "qmgr", "record_class", "day_number", "hour_of_day")
    return [{**dict(zip(names, key, strict=True)), "is_there": any(there)} for key, there in hours.items()]


class _About:
    """What else is known of a queue manager: when it began, its clock and its active channels."""

    def __init__(self, data: Data, owner: Owner) -> None:
        cuts = [row for row in data.view("interval_cut") if (row["lpar"], row["qmgr"]) == owner]
        self.cuts = sorted(cuts, key=lambda row: row["interval_start_utc"])
        levels = [(row["mq_version"], row["interval_start_utc"]) for row in self.cuts]
        self.begun = {row["interval_start_utc"] for row in self.cuts if row["restart_seen"]} | {
            start for (old, _), (new, start) in pairwise(levels) if old is not None and new is not None and old != new
        }
        self.active = [
            (row["interval_end_utc"], row["active_channels"])
            for row in data.raw("qcct")
            if (row["lpar"], row["qmgr"]) == owner and row["interval_end_utc"] is not None
        ]
        self.offset = next(
            row["gmt_offset_minutes"] for row in data.view("qmgr") if (row["lpar"], row["qmgr"]) == owner
        )

    def local(self, at: int) -> int | None:
        """A time on the clock of the last interval that began before it."""
        for cut in reversed(self.cuts):
            if cut["interval_start_local"] is not None and cut["interval_start_utc"] <= at:
                return int(at + cut["interval_start_local"] - cut["interval_start_utc"])
        return None if self.offset is None else at + round(self.offset) * MINUTE

    def hole(self, slots: list[Row], counted: list[Row], hole: list[int], flag: str, spans: list[Span]) -> Row:
        """The columns of a hole."""
        missing = [slots[number] for number in hole if slots[number]["is_counted"]]
        start, end = slots[hole[0]]["slot_start_utc"], max(slots[number]["slot_end_utc"] for number in hole)
        before = slots[hole[0] - 1] if hole[0] else None
        earlier = [(at, active) for at, active in self.active if at <= start + SECOND]
        latest = max((at for at, _ in earlier), default=None)
        seen = max((span for span in spans if span[0] <= start), default=None)
        since = min(before["slot_end_utc"], seen[1]) - 2 * SECOND if before and before[flag] and seen else None
        seconds = sum(row["slot_seconds"] for row in missing), sum(row["slot_seconds"] for row in counted)
        return {
            "hole_start_utc": start, "hole_end_utc": end, "hole_start_local": self.local(start), "hole_end_local": self.local(end),
            "missing_slots": len(missing), "missing_share_pct": 100 * seconds[0] / seconds[1],
            "slots_with_basic": sum(any(row[name] for name in BASIC) for row in missing),
            "is_at_start": not any(row[flag] for row in slots[: hole[0]]),
            "is_at_end": not any(row[flag] for row in slots[hole[-1] :]),
            "begun_before": since is not None and any(since <= at <= start for at in self.begun),
            "active_channels_last": max(known(active for at, active in earlier if at == latest), default=None),
        }  # fmt: skip
