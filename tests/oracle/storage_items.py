"""What takes storage by published figures, and how much of the storage in use this explains.

Sources: MP16 (capacity planning and tuning, September 2024) and V92 (MQ 9.2 performance report): KB for each object.
Catalogue, calculators chinit-storage-31bit, csa-usage, qmgr-31bit-storage, index-storage, security-storage and
smds-buffer-storage.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import groups, known, where
from tests.oracle.records import QMGR

PRIVATE, HIGH, COMMON = "31-bit private", "64-bit private", "common"
MP16 = "MP16, '{}'"
CLIENTS = (
    "How many SVRCONN channels can a channel initiator support?",
    "How many clients can I connect to my queue manager?",
)
CHANNELS = (
    "How many channels can a channel initiator support?",
    "How many channels can I run to or from my queue manager?",
)
CONNECTIONS = "V92, 'How much storage does a connection use?'"

FIGURES: dict[int, tuple[str, str, float | None, str]] = {
    1: (COMMON, "CSA of the queue manager", 6 * 1024, MP16.format("Initial CSA (and ECSA) usage")),
    2: (COMMON, "CSA of connections", 2.47, MP16.format("CSA usage per connection")),
    3: (COMMON, "CSA, 1 conversation", 4.9, MP16.format("CSA usage per connection")),
    4: (COMMON, "CSA, 2 to 9 conversations", 3, MP16.format("CSA usage per connection")),
    5: (COMMON, "CSA, 10 or more conversations", 2.7, MP16.format("CSA usage per connection")),
    6: (PRIVATE, "open handles", 4, MP16.format("Object handles")),
    7: (PRIVATE, "connections", 15, CONNECTIONS),
    8: (PRIVATE, "connections, 1 conversation", 24, CONNECTIONS),
    9: (PRIVATE, "connections, shared channels", 16.3, CONNECTIONS),
    10: (PRIVATE, "buffer pools below the bar", 4, "size of a buffer"),
    11: (PRIVATE, "QSG base", 27 * 1024, MP16.format("Shared queue")),
    12: (PRIVATE, "QSG structures", 800, MP16.format("Shared queue")),
    13: (PRIVATE, "class 3 accounting", 8, MP16.format("Storage Usage")),
    14: (HIGH, "queue indexes, messages", 136 / 1024, MP16.format("Indexed queue considerations")),
    15: (HIGH, "queue indexes, queues", 47, MP16.format("Use of indexed queues")),
    16: (HIGH, "buffer pools above the bar", 4, "size of a buffer"),
    17: (HIGH, "SMDS buffers", None, MP16.format("Tuning SMDS")),
    18: (HIGH, "security cache, users", 8.8, MP16.format("Queue manager security")),
    19: (HIGH, "security cache, further queues", 405 / 1024, MP16.format("Queue manager security")),
    20: (PRIVATE, "adapter tasks", 150, MP16.format("Channel initiator task storage usage")),
    21: (PRIVATE, "dispatcher tasks", 102, MP16.format("Channel initiator task storage usage")),
    22: (PRIVATE, "TLS tasks", 1485, MP16.format("Channel initiator task storage usage")),
    31: (PRIVATE, "TLS", 30, MP16.format("Does SSL make a difference to the number of channels I can run?")),
    32: (HIGH, "client message buffers", None, MP16.format("MQ 9.4: 64-bit storage usage for SVRCONN channels")),
}
"""Item: storage area, what it is for, KiB of one object, source."""
BY_LEVEL: dict[int, tuple[str, tuple[str, str], dict[int, float]]] = {
    23: ("message channels, up to 1 KiB", CHANNELS, {0: 91, 90300: 90}),
    24: ("message channels, up to 32 KiB", CHANNELS, {0: 100, 90300: 100}),
    25: ("message channels, up to 64 KiB", CHANNELS, {0: 109, 90300: 109}),
    26: ("message channels, up to 4 MiB", CHANNELS, {0: 1141, 90300: 1127}),
    27: ("client channels, no sharing", CLIENTS, {0: 82, 90300: 86}),
    28: ("client channels, 1 conversation", CLIENTS, {0: 156, 90200: 157, 90300: 168, 90400: 164}),
    29: ("shared client conversations", CLIENTS, {0: 24.3, 90100: 24.6, 90200: 24.1, 90300: 22.3, 90400: 21.9}),
    30: ("channels without accounting", CLIENTS, {0: 82, 90300: 86}),
}
"""Channels: KiB by the first MQ level of a figure; those of 9.3 and later are from MP16, earlier ones from V92."""
UNCOUNTED = (18, 19, 32)
"""SMF has neither users, nor queues by user, nor the sizes of client messages."""
IN_QUEUE_STATISTICS = (6, 14, 15)
LAST = 999_999


@view("storage_figure", "item_number level_from")
def storage_figure(data: Data) -> list[Row]:
    out = []
    for number in (*FIGURES, *BY_LEVEL):
        if number in FIGURES:
            area, item, each, source = FIGURES[number]
            steps = [(90_400 if number == 32 else 0, LAST, each, source)]
        else:
            item, (late, early), levels = BY_LEVEL[number]
            area, starts = PRIVATE, [*levels, LAST]
            steps = [
                (start, end, levels[start], MP16.format(late) if start >= 90_300 else f"V92, '{early}'")
                for start, end in pairwise(starts)
            ]
        out += [
            {
                "item_number": number, "address_space": "queue manager" if number < 20 else "channel initiator", "storage_area": area, "item": item,
                "kib_each": each, "counted_by_smf": number not in UNCOUNTED, "counted_since": 90_300 if number in IN_QUEUE_STATISTICS else 0,
                "level_from": start, "level_below": end, "figure_source": source,
            }
            for start, end, each, source in steps
        ]  # fmt: skip
    return out


def _latest(rows: Iterable[Row]) -> list[Row]:
    """The rows of the last interval of each queue manager."""
    out = []
    for members in groups(rows, QMGR).values():
        last = max(row["interval_start_utc"] for row in members)
        out += [row for row in members if row["interval_start_utc"] == last]
    return out


def _of(rows: Iterable[Row]) -> dict[tuple[Any, ...], list[Row]]:
    return groups(_latest(rows), QMGR)


def _channel_items(chinit: Row | None, channels: list[Row] | None, traced: bool) -> dict[int, tuple[int, str | None]]:
    """Connections and channels by kind: item with quantity and bound. Channels that accounting does not list have no
    kind.
    """
    running = [row for row in channels or () if row["channel_stop_utc"] is None]
    clients = [(row["shared_conversations"] or 0) for row in running if row["is_client"]]
    unknown = max(0, (chinit["current_channels"] or 0 if chinit else 0) - len(running))
    single = clients.count(1)
    few, many = sum(n for n in clients if 2 <= n <= 9), sum(n for n in clients if n >= 10)
    plain = len(running) - sum(n > 0 for n in clients) + unknown
    items: dict[int, tuple[int, str | None]] = {
        2: (plain, "at least"), 3: (single, None), 4: (few, None), 5: (many, None), 7: (plain, "at least"), 8: (single, None),
        9: (few + many, None), 13: ((plain + single + few + many) if traced else 0, None), 30: (unknown, "at least"),
    }  # fmt: skip
    if channels is None:
        return items | dict.fromkeys(range(23, 30), (0, None))
    sizes = [(row["average_channel_message_bytes"] or 0) for row in running if row["is_message_channel"]]
    tops = (1024, 32 * 1024, 64 * 1024)
    return items | {
        23: (sum(size <= tops[0] for size in sizes), None), 24: (sum(tops[0] < size <= tops[1] for size in sizes), None),
        25: (sum(tops[1] < size <= tops[2] for size in sizes), None), 26: (sum(size > tops[2] for size in sizes), "at most"),
        27: (clients.count(0), "at least"), 28: (single, "at least"), 29: (few + many, "at least"),
        31: (sum(bool(row["uses_tls"]) for row in running), None),
    }  # fmt: skip


@view("storage_use", f"{QMGR} item_number")
def storage_use(data: Data) -> list[Row]:
    """The last interval of each kind of record; a class that is not there leaves its items out."""
    chinits, channels = _of(data.view("channel_initiator")), _of(data.view("channel"))
    queues, pools = _of(data.view("queue_statistics")), _of(data.view("buffer_pool"))
    smds, structures = _of(data.view("smds")), _of(data.view("cf_structure"))
    present = {(r["lpar"], r["qmgr"], r["record_class"]) for r in data.view("collection") if r["present"]}
    indexed = {
        (r["lpar"], r["qmgr"], r["base_name"]) for r in data.view("queue_use") if r["index_type"] not in (None, "None")
    }
    out: list[Row] = []
    for one in data.view("qmgr"):
        place = one["lpar"], one["qmgr"]

        def add(
            number: int, quantity: Any, at: Any = None, bound: str | None = None, each: float | None = None
        ) -> None:
            out.append({"lpar": place[0], "qmgr": place[1], "item_number": number, "quantity": quantity,  # noqa: B023
                        "quantity_at_utc": at, "quantity_bound": bound, "kib_of_one": each})  # fmt: skip

        add(1, 1)
        add(11, int(one["qsg"] is not None))
        chinit, mine = next(iter(chinits.get(place, ())), None), channels.get(place)
        at_channels = mine[0]["interval_start_utc"] if mine else None
        at = chinit["interval_start_utc"] if chinit else at_channels
        if chinit or mine:
            for number, (quantity, bound) in _channel_items(chinit, mine, (*place, "116.1") in present).items():
                add(number, quantity, at_channels if mine and number in (*range(23, 30), 31) else at, bound)
        else:
            for number in (3, 4, 5, 8, 9, *range(23, 30)):
                add(number, 0)
        if chinit:
            for number, name in ((20, "adapters"), (21, "dispatchers"), (22, "ssl_tasks")):
                add(number, chinit[name], at)
        if own := queues.get(place):
            at = own[0]["interval_start_utc"]
            handles = [
                None if None in (r["input_handles"], r["output_handles"]) else r["input_handles"] + r["output_handles"]
                for r in own
            ]
            add(6, sum(known(handles)) if known(handles) else None, at, "at least" if None in handles else None)
            if (*place, "116.1") in present:
                ordered = [r for r in own if (*place, r["queue"]) in indexed and not r["shared_queue"]]
                add(14, sum(known(r["depth"] for r in ordered)), at, "at least")
                add(15, len(ordered), at, "at least")
        if own := pools.get(place):
            at = own[0]["interval_start_utc"]
            add(10, sum(known(r["buffers"] for r in own if not r["above_bar"])), at)
            add(16, sum(known(r["buffers"] for r in own if r["above_bar"])), at)
        if (*place, "115.2") in present:
            own = structures.get(place, [])
            add(
                12,
                len({r["cf_structure"] for r in own if r["structure_number"] != 0}),
                own[0]["interval_start_utc"] if own else None,
            )
            own = smds.get(place, [])
            buffers = sum(r["smds_buffers"] for r in own)
            each = sum(r["smds_buffers"] * r["buffer_bytes"] for r in own) / 1024 / buffers if buffers else None
            add(17, buffers, own[0]["interval_start_utc"] if own else None, each=each)
    return out


def _measured(data: Data) -> dict[tuple[Any, ...], tuple[float | None, int]]:
    """MiB in use, and the start of its interval, by queue manager, address space and area: QSRS of the queue manager,
    QCCT of the channel initiator.
    """
    found: dict[tuple[Any, ...], tuple[float | None, int]] = {}
    for key, (row, *_) in _of(data.view("storage_region")).items():
        at = row["interval_start_utc"]
        used = row["used_64_bytes"] if row["memlimit_set"] else None
        for area, size in ((PRIVATE, row["used_31_bytes"]), (HIGH, used)):
            found[(*key, "queue manager", area)] = (None if size is None else size / (1 << 20), at)
    for key, (row, *_) in _of(data.view("channel_initiator")).items():
        for area, name in ((PRIVATE, "chinit_31_mib"), (HIGH, "chinit_64_mib")):
            found[(*key, "channel initiator", area)] = (row[name], row["interval_start_utc"])
    return found


def _state(figure: Row, use: Row | None, own_level: int | None) -> str:
    if not figure["counted_by_smf"]:
        return "not in SMF"
    if use is None or use["quantity"] is None:
        early = own_level is not None and own_level < figure["counted_since"]
        return "not in this release" if early else "not collected"
    return str(use["quantity_bound"] or "estimated")


@view("storage_estimate", f"{QMGR} address_space item")
def storage_estimate(data: Data) -> list[Row]:
    """Quantity x KiB by item with objects; sums by address space and area."""
    uses, measured = data.by("storage_use", *QMGR.split(), "item_number"), _measured(data)
    rows: list[Row] = []
    for one in data.view("qmgr"):
        place = {"lpar": one["lpar"], "qmgr": one["qmgr"]}
        own_level = one["highest_mq_level"]
        for figure in where(
            data.view("storage_figure"), f"level_from <= {own_level or 0} and level_below > {own_level or 0}"
        ):
            use = uses.get((*place.values(), figure["item_number"]))
            number = use["quantity"] if use else None
            if number == 0:
                continue
            of_one = use["kib_of_one"] if use else None
            each = figure["kib_each"] if of_one is None else of_one
            rows.append({
                **place, **{name: figure[name] for name in ("address_space", "storage_area", "item", "figure_source")}, "quantity": number,
                "quantity_at_utc": use["quantity_at_utc"] if use else None, "kib_each": each,
                "estimated_mib": None if None in (number, each) else number * each / 1024, "estimate_state": _state(figure, use, own_level),
            })  # fmt: skip
    for key, members in groups(rows, f"{QMGR} address_space storage_area").items():
        estimates = [row["estimated_mib"] for row in members]
        total = sum(known(estimates)) if known(estimates) else None
        size, at = measured.get(key, (None, None))
        for row in members:
            row |= {
                "estimated_total_mib": total, "items_missing": estimates.count(None), "measured_mib": size,
                "measured_at_utc": None if size is None else at, "explained_pct": None if total is None or not size else 100 * total / size,
            }  # fmt: skip
    return rows
