"""Queues by statistics and by accounting, and what their use costs."""

from __future__ import annotations

import itertools
from fnmatch import fnmatchcase
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.applications import sums
from tests.oracle.formulas import computed, first, grouped, groups, joined, known, quantile, where
from tests.oracle.periods import keyed
from tests.oracle.pools import site
from tests.oracle.queue_purpose import own_of
from tests.oracle.queue_statistics import named, with_kind, with_maxdepth
from tests.oracle.records import CUT, QMGR, with_qsg
from tests.oracle.tasks import DYNAMIC

QUEUE, USER = "lpar qmgr base_name", "lpar qmgr base_name application connection_type_name"


@view("queue_statistics_total", QUEUE)
def queue_statistics_total(data: Data) -> list[Row]:
    rows = [{**row, "base_name": DYNAMIC.sub("*", row["queue"])} for row in data.view("queue_statistics")]
    rows = computed(
        rows,
        """
        complete = not depth_unknown
        low = first(depth_low, depth)
        high = first(depth_high, depth)
        """,
    )
    out = grouped(
        rows, "lpar qmgr qsg base_name",
        sums("messages_put destructive_gets put_failures put1_failures gets_no_message gets_truncated get_wait_failures get_wait_redrives expired_messages rolled_back_puts rolled_back_gets".split())
        + """
statistics_puts = sum(puts + put1s)
statistics_gets = sum(destructive_gets)
depth_low = min(low)
depth_high = max(high)
oldest_message_s = max(oldest_message_s)
seconds_since_last_get = min(seconds_since_last_get)
input_handles_high = max(input_handles_high)
no_reader_intervals = count(where=no_reader)
page_set_id = top(page_set_id, interval_start_utc, -record_id, where=page_set_id is not None)
pool_id = top(pool_id, interval_start_utc, -record_id, where=pool_id is not None)
cf_structure = max(cf_structure)
shared_queue = any(shared_queue)
depth_last = top(depth, interval_start_utc, record_id, where=complete)
sized = sum(greatest(messages_put, 1), where=message_bytes_average is not None)
message_bytes_average = nearest(sum(message_bytes_average * greatest(messages_put, 1)) / sized)
got_short = sum(greatest(destructive_gets, 1), where=queue_time_short_us is not None)
queue_time_short_us = nearest(sum(queue_time_short_us * greatest(destructive_gets, 1)) / got_short)
got_long = sum(greatest(destructive_gets, 1), where=queue_time_long_us is not None)
queue_time_long_us = nearest(sum(queue_time_long_us * greatest(destructive_gets, 1)) / got_long)
uncommitted_intervals = count(where=uncommitted)
never_got = all(never_got)
""",
    )  # fmt: skip
    return with_kind(data, out, "base_name")


@view("shared_queue_open", QUEUE)
def shared_queue_open(data: Data) -> list[Row]:
    """Z17 and MP16: an open of a shared queue that is open already takes 1 us of CPU."""
    waits: dict[Any, dict[int, int]] = {}
    for row in data.view("task_latch"):
        waits.setdefault(row["record_id"], {})[row["latch_class"]] = row["latch_class_wait_us"] or 0
    rows = where(data.view("queue_use"), "is_shared and base_name is not None")
    users: dict[tuple[Any, ...], set[int]] = {}
    for row in rows:
        users.setdefault((row["lpar"], row["qmgr"], row["base_name"]), set()).add(row["task_record_id"])
    out = grouped(
        rows, QUEUE,
        sums("opens opens_without_cf opens_with_cf open_et_us open_cpu_us closes closes_without_cf closes_with_cf close_et_us close_cpu_us".split())
        + """
cf_structure = max(cf_structure)
open_cf_pct = 100 * opens_with_cf / sum(opens, where=opens_without_cf is not None)
average_open_et_us = open_et_us / opens
average_open_cpu_us = open_cpu_us / opens
average_open_wait_us = greatest(0, open_et_us - open_cpu_us) / opens
close_cf_pct = 100 * closes_with_cf / sum(closes, where=closes_without_cf is not None)
average_close_cpu_us = close_cpu_us / closes
applications = distinct(application)
saving_cpu_s = (open_cpu_us + close_cpu_us - 2 * opens_with_cf) / 1e6    # catalogue, cf/open_close
""",
    )  # fmt: skip
    most = keyed(
        grouped(
            grouped(rows, f"{QUEUE} application", "opens = sum(opens)"), QUEUE, "top_application = earliest(application, -opens, application)"
        ), QUEUE,
    )  # fmt: skip
    out = joined(out, most, QUEUE, "top_application")
    for row in out:
        mine = [waits.get(task, {}) for task in users[row["lpar"], row["qmgr"], row["base_name"]]]
        row["latch_11_us"], row["latch_15_us"] = (
            sum(waited) if (waited := [wait[number] for wait in mine if number in wait]) else None
            for number in (11, 15)
        )
    return out


@view("queue_application", "lpar qmgr queue_group application_group connection_type_name")
def queue_application(data: Data) -> list[Row]:
    groups_of = {}
    for row in data.view("queue_use"):
        groups_of[row["lpar"], row["qmgr"], row["queue_group"], row["application"], row["connection_type_name"]] = row[
            "application_group"
        ]
    rows = []
    for row in where(data.view("queue_application_total"), "not is_topic"):
        group = groups_of[row["lpar"], row["qmgr"], row["base_name"], row["application"], row["connection_type_name"]]
        rows.append(
            {
                **row,
                "queue_group": row["base_name"],
                "application_group": group,
                "by_design": by_design(row["base_name"], group),
            }
        )
    return grouped(
        rows, "lpar qmgr queue_group application_group connection_type_name",
        sums("opens open_et_us open_cpu_us open_suspend_us closes close_cpu_us gets get_cpu_us get_bytes valid_gets gets_without_message get_errors specific_gets any_gets browses messages_skipped get_page_set_reads puts put1s valid_puts selector_opens readlist_requests move_requests queue_records".split())
        + "is_shared = any(is_shared)\ndepth_high = max(depth_high)\nis_temporary_dynamic = any(is_temporary_dynamic)\nmodel_queue = max(model_queue)\nread_by_design = any(by_design)\nindex_type = max(index_type)",
    )  # fmt: skip


@view("queue_group_use", "lpar qmgr queue_group")
def queue_group_use(data: Data) -> list[Row]:
    rows = grouped(
        data.view("queue_application"), "lpar qmgr queue_group application_group",
        sums("gets valid_gets browses readlist_requests move_requests selector_opens valid_puts gets_without_message".split())
        + "is_shared = any(is_shared)\nindex_type = max(index_type)",
    )  # fmt: skip
    out = []
    for (lpar, qmgr, group), members in groups(rows, "lpar qmgr queue_group").items():

        def top(column: str, members: list[Row] = members) -> str | None:
            found = [(-(row[column] or 0), row["application_group"]) for row in members if (row[column] or 0) > 0]
            return min(found)[1] if found else None

        out.append({
            "lpar": lpar, "qmgr": qmgr, "queue_group": group,
            "put_application": top("valid_puts"), "get_application": top("valid_gets"), "empty_get_application": top("gets_without_message"),
            "scan_application": top("readlist_requests"),
        })  # fmt: skip
    totals = keyed(
        grouped(
            rows, "lpar qmgr queue_group",
            sums("gets valid_gets browses readlist_requests move_requests selector_opens".split())
            + "is_shared = any(is_shared)\nindex_type = max(index_type)\nreadlist_per_move = readlist_requests / move_requests",
        ), "lpar qmgr queue_group",
    )  # fmt: skip
    return [{**totals[row["lpar"], row["qmgr"], row["queue_group"]], **row} for row in out]


@view("queue_waste", USER)
def queue_waste(data: Data) -> list[Row]:
    """MP1J: a get without a message on a queue with an AMS policy takes 22 us more."""
    facts = site(data)
    rows = computed(
        joined(
            data.view("queue_application_total"),
            data.by("accounting_missed", "lpar", "qmgr"),
            QMGR,
            "counted_puts accounted_puts put_coverage_pct",
        ),
        """
        gets_per_valid_get = gets / valid_gets
        valid_get_pct = 100 * valid_gets / gets
        average_get_cpu_us = get_cpu_us / gets
        empty_get_cpu_s = average_get_cpu_us * gets_without_message / 1e6
        """,
    )
    for row in rows:
        row["intercepted"] = bool(named(row["base_name"], facts.get((row["lpar"], row["qmgr"]), {}).get("ams_queues")))
    baseline = {
        key: quantile((row["get_cpu_us"] / row["gets"] for row in of), 0.1)
        for key, of in groups(
            where(data.view("queue_total"), "messages_skipped == pages_skipped == 0 and gets > 0"), QMGR
        ).items()
    }
    for row in rows:
        row["baseline_get_cpu_us"] = baseline.get((row["lpar"], row["qmgr"]), 10)
    return computed(
        rows,
        """
        ams_waste_cpu_s = 22 * gets_without_message / 1e6 if intercepted else None
        scan_cpu_s = greatest(0, get_cpu_us - gets * baseline_get_cpu_us) / 1e6 if messages_skipped + pages_skipped > gets else None
        kept_open = least(1, (puts + put1s + gets) / (100 * opens)) if opens > 0 else 1
        open_close_cpu_s = (open_cpu_us + close_cpu_us) * (1 - kept_open) / 1e6
        put1_extra_cpu_s = greatest(0, put1_cpu_us - put1s * put_cpu_us / puts) / 1e6 if puts > 0 else None
        waste_cpu_s = first(empty_get_cpu_s, 0) + first(scan_cpu_s, 0) + first(open_close_cpu_s, 0) + first(put1_extra_cpu_s, 0)
        waste_share_pct = 100 * waste_cpu_s * 1e6 / queue_mq_cpu_us
        """,
    )


@view("queue_cost", QUEUE)
def queue_cost(data: Data) -> list[Row]:
    whole = keyed(grouped(data.view("task"), QMGR, "all_cpu_us = sum(mq_cpu_us)"), QMGR)
    rows = computed(
        joined(where(data.view("queue_total"), "not is_topic"), whole, QMGR, "all_cpu_us"),
        """
        pages_skipped_per_get = pages_skipped / gets
        get_share_of_cpu_pct = 100 * get_cpu_us / all_cpu_us
        queue_share_of_cpu_pct = 100 * queue_mq_cpu_us / all_cpu_us
        queue_calls = opens + closes + gets + puts + put1s + inquires + sets
        cpu_per_call_us = queue_mq_cpu_us / queue_calls
        moved = valid_puts + valid_gets
        persistent = persistent_gets + persistent_mqputs + persistent_mqput1s > moved / 2
        """,
    )
    for row in rows:
        size = (row["put_bytes"] + row["get_bytes"]) / max(row["moved"], 1)
        row["size_class"] = sum(size >= kib * 1024 for kib in (8, 64, 512, 4096)) if row["moved"] else 0
    out = []
    for members in groups(rows, "lpar qmgr is_shared persistent size_class").values():
        for row in members:
            peers = [other for other in members if other is not row]
            row["peer_calls"], peer_cpu = (
                sum(other[name] for other in peers) for name in ("queue_calls", "queue_mq_cpu_us")
            )
            row["peer_cpu_per_call_us"] = peer_cpu / row["peer_calls"] if row["peer_calls"] else None
            out.append(row)
    return computed(out, "cost_ratio = cpu_per_call_us / peer_cpu_per_call_us")


def by_design(queue: str | None, application: str | None) -> bool:
    """Whether a job of MQ reads all of a queue of its own."""
    reader = own_of(queue).get("own_reader")
    return reader is not None and fnmatchcase(application or "", reader)


@view("queue_index", USER)
def queue_index(data: Data) -> list[Row]:
    rows = joined(
        [
            {**row, "by_design": by_design(row["base_name"], row["application"])}
            for row in data.view("queue_application_total")
        ],
        data.by("accounting_missed", "lpar", "qmgr"),
        QMGR,
        "counted_puts accounted_puts put_coverage_pct",
    )
    rows = computed(
        rows,
        """
        skipped_per_get = messages_skipped / gets
        average_get_cpu_us = get_cpu_us / gets
        cpu_per_skip_us = get_cpu_us / messages_skipped
        max_gets_per_s_one_task = 1e6 / average_get_cpu_us
        readlist_per_move = readlist_requests / move_requests
        expected_get_cpu_us = 10                    # catalogue, queue/index_advisor: a parameter of its own
        scan_cpu_s = greatest(0, get_cpu_us - expected_get_cpu_us * gets) / 1e6
        plain = index_type == 'None' and specific_gets > 0 and not selector_opens > 0
        indxtype = 'define INDXTYPE (shared queue)' if plain and is_shared else 'define INDXTYPE' if plain and skipped_per_get > 1 else None
        selector = 'selector scans' if selector_opens > 0 and (is_shared or messages_skipped > 0) else None
        group = 'group id as get-next' if index_type == 'GroupId' and any_gets > 0 else None
        skips = 'skips without an id' if skipped_per_get > 1 and any_gets >= specific_gets and not selector_opens > 0 else None
        pages = 'empty pages' if pages_skipped > gets else None
        """,
    )
    for row in rows:
        reasons = (row[name] for name in ("selector", "indxtype", "group", "skips", "pages"))
        row["advice_text"] = "; ".join(filter(None, reasons)) or None
    return where(
        rows,
        "(specific_gets > 0 or messages_skipped > 0 or selector_opens > 0 or pages_skipped > gets) and not by_design",
    )


@view("queue_page_set_reads", QUEUE)
def queue_page_set_reads(data: Data) -> list[Row]:
    """The hour in which a restart was seen and the next one are left out: the pools are empty then."""
    restarts = {
        (row["lpar"], row["qmgr"], (row["interval_start_utc"]) // 3_600_000_000 * 3_600_000_000 + hours * 3_600_000_000)
        for row in data.view("interval_cut")
        if row["restart_seen"]
        for hours in (0, 1)
    }
    rows = [
        row for row in data.view("queue_hour")
        if (row["lpar"], row["qmgr"], row["hour_start_utc"]) not in restarts and not row["is_shared"]
    ]  # fmt: skip
    out = grouped(
        rows, QUEUE,
        "get_page_set_reads = sum(get_page_set_reads)\nvalid_gets = sum(valid_gets)\nreads_per_get = get_page_set_reads / valid_gets",
    )  # fmt: skip
    places = data.by("queue_total", *QUEUE.split())
    for row in out:
        place = places[row["lpar"], row["qmgr"], DYNAMIC.sub("*", row["base_name"])]
        row["page_set_id"], row["pool_id"] = place["page_set_id"], place["pool_id"]
    return out


@view("queue_streamed", f"{CUT} queue")
def queue_streamed(data: Data) -> list[Row]:
    out = []
    for members in groups(where(data.view("queue_statistics"), "streamed_messages > 0"), "lpar qmgr queue").values():
        del members
    for members in groups(data.view("queue_statistics"), "lpar qmgr queue").values():
        rows = sorted(members, key=lambda row: row["interval_start_utc"])
        for before, row, after in zip(rows, rows[1:], rows[2:], strict=False):
            if all((r["streamed_messages"] or 0) > 0 for r in (before, row, after)) and not row["rolled_back_puts"]:
                out.append(
                    {
                        **row,
                        "streamed_share": row["streamed_messages"] / row["messages_put"]
                        if row["messages_put"]
                        else None,
                    }
                )
    return out


@view("temporary_queue_use", "lpar qmgr model_queue application connection_type_name")
def temporary_queue_use(data: Data) -> list[Row]:
    """MP16: MQOPEN of a predefined queue takes 2 us of CPU."""
    covered = {
        key: (max(r["task_interval_end_utc"] for r in rows) - min(r["task_interval_start_utc"] for r in rows)) / 60e6
        for key, rows in groups(data.raw("wtas"), QMGR).items()
    }
    rows = computed(
        where(data.view("queue_use"), "is_temporary_dynamic"),
        "model_queue = open_name\nmoved = first(valid_puts, 0) + first(valid_gets, 0)",
    )
    out = grouped(
        with_qsg(data, rows), "lpar qmgr qsg application connection_type_name model_queue",
        sums("opens open_et_us open_cpu_us open_suspend_us close_cpu_us".split())
        + """
temporary_queues = distinct(base_name)
messages = sum(moved)
messages_per_queue = messages / temporary_queues
average_open_et_us = open_et_us / opens
average_open_cpu_us = open_cpu_us / opens
average_open_suspend_us = open_suspend_us / opens
open_suspend_share_pct = 100 * open_suspend_us / open_et_us
queue_mq_cpu_s = sum(queue_mq_cpu_us) / 1e6
extra_cpu_s = greatest(0, open_cpu_us - 2 * opens) / 1e6
shared = any(is_shared)
managed_subscription = any(starts(base_name, 'SYSTEM.MANAGED.'))
""",
    )  # fmt: skip
    tasks = data.by("decoded.wtas", "record_id")
    of = groups(rows, "lpar qmgr application connection_type_name model_queue")
    for row in out:
        mine = of[tuple(row[name] for name in "lpar qmgr application connection_type_name model_queue".split())]
        logs = [
            tasks[number,]["page_set_0_logs"]
            for number in {block["task_record_id"] for block in mine}
            if (number,) in tasks
        ]
        row["page_set_0_logs"] = sum(known(logs)) if known(logs) else None
        minutes = covered.get((row["lpar"], row["qmgr"]))
        row["temporary_queues_per_min"] = row["temporary_queues"] / minutes if minutes else None
    return out


@view("queue_map", USER)
def queue_map(data: Data) -> list[Row]:
    purposes = data.by("site_queue", "lpar", "qmgr", "queue")
    partners: dict[tuple[Any, ...], str] = {}
    for row in data.view("channel"):
        if row["channel_name"] is not None and row["partner_name"] is not None:
            address = f" from {row['connection_name']}" if row["connection_name"] is not None else ""
            key = (row["lpar"], row["qmgr"], row["channel_name"] + address)
            partners[key] = max(partners.get(key, ""), row["partner_name"])
    rows = computed(
        data.view("queue_application_total"),
        """
        put_mib = put_bytes / MIB
        get_mib = get_bytes / MIB
        persistent_put_pct = 100 * (persistent_mqputs + persistent_mqput1s) / valid_puts
        destructive = first(valid_destructive_gets, valid_gets)
        direction = 'puts and gets' if valid_puts > 0 and destructive > 0 else 'puts' if valid_puts > 0 else 'gets' if destructive > 0 else
            'browses' if browses > 0 else 'opens only'
        """,
    )
    for row in rows:
        row["partner_name"] = partners.get((row["lpar"], row["qmgr"], row["application"]))
        purpose = purposes[row["lpar"], row["qmgr"], row["base_name"]]
        row["queue_class"] = (
            "shared"
            if row["is_shared"]
            else "temporary"
            if row["is_temporary_dynamic"]
            else "topic"
            if row["is_topic"]
            else "local"
        )
        row["is_transmission"] = purpose["queue_kind"].endswith("transmission")
        row["sending_channels"] = purpose["sending_channels"]
    return rows


@view("queue_depth", "lpar qmgr queue")
def queue_depth(data: Data) -> list[Row]:
    every = keyed(
        grouped(
            data.view("queue_statistics"),
            "lpar qmgr queue",
            "messages_put = sum(messages_put)\ndestructive_gets = sum(destructive_gets)\nput_bytes = sum(put_bytes)\nshared_queue = any(shared_queue)\n"
            "takes_persistent = any(persistent_messages_put > 0)\npage_set_id = max(page_set_id)\ncf_structure = max(cf_structure)",
        ),
        "lpar qmgr queue",
    )
    out: list[Row] = []
    partial = dict(every)
    indexed = {(row["lpar"], row["qmgr"], row["base_name"]): row["index_type"] for row in data.view("queue_total")}
    for key, members in groups(where(data.view("queue_statistics"), "not depth_unknown"), "lpar qmgr queue").items():
        del partial[key]
        rows = sorted(members, key=lambda row: row["interval_start_utc"])
        depths = [row["depth"] for row in rows]
        hours = (rows[-1]["interval_end_utc"] - rows[0]["interval_end_utc"]) / 3.6e9
        highest = [first(row["depth_high"], row["depth"]) for row in rows]
        most = max(known(highest), default=None)
        start, end = next(iter(known(depths)), None), next(iter(known(depths[::-1])), None)
        rising = sum(after > before for before, after in itertools.pairwise(depths) if None not in (before, after))
        compared = len(known(depths[:-1]))
        out.append({
            "lpar": key[0], "qmgr": key[1], "queue": key[2], "intervals": len(rows), "depth_first": start, "depth_last": end,
            "depth_high": most, "depth_low": min(known(first(row["depth_low"], row["depth"]) for row in rows), default=None),
            "depth_high_at_utc": None if most is None else rows[highest.index(most)]["interval_start_utc"],
            "growth_per_h": (end - start) / hours if hours and start is not None and end is not None else None,
            "oldest_message_s": max((r["oldest_message_s"] for r in rows if r["oldest_message_s"] is not None), default=None),
            "input_handles_high": max((h for r in rows if (h := first(r["input_handles_high"], r["input_handles"])) is not None), default=None),
            "queue_time_long_us": max((r["queue_time_long_us"] for r in rows if r["queue_time_long_us"] is not None), default=None),
            "intervals_rising_pct": None if len(rows) < 2 else 100 * rising / compared if compared else 0,
            "intervals_without_reader": sum(row["input_handles"] == 0 and (row["depth"] or 0) > 0 for row in rows),
            "index_type": indexed.get((*key[:2], DYNAMIC.sub("*", key[2]))),
            **{name: every[key][name] for name in every[key] if name not in ("lpar", "qmgr", "queue")},
        })  # fmt: skip
    rooms = {}
    for place, members in groups(data.view("page_set"), "lpar qmgr page_set_id").items():
        ordered = sorted(members, key=lambda row: row["interval_start_utc"])
        used, unused = (known(row[name] for row in ordered) for name in ("used_pages", "unused_pages"))
        rooms[place] = {"room": unused[-1] if unused and used and used[-1] > used[0] else None}
    out = joined(out, rooms, "lpar qmgr page_set_id", "room")
    out = computed(
        with_maxdepth(data, with_kind(data, out, "queue"), "queue"),
        """
        pages_each = 1 + greatest(0, ceil((first(put_bytes / messages_put, 0) - 3635) / 4048))        # MP16: pages of a message on a page set
        hours_to_page_set_full = room / (growth_per_h * pages_each) if growth_per_h > 0 else None
        share_of_max_depth_pct = 100 * depth_high / maxdepth
        expiry_scan_cpu_us = 5 * depth_last if shared_queue else None        # catalogue, queue_statistics/depth
        restart_index_messages = depth_last if not shared_queue and index_type != 'None' and takes_persistent else None
        shape = 'building up' if depth_last > depth_first and intervals_rising_pct > 70 else 'never empty' if depth_low > 0 else
            'empty' if depth_high == 0 else 'drains' if depth_last == 0 else 'holds messages'
        """,
    )
    names = out[0] if out else {}
    for key, row in partial.items():
        row["index_type"] = indexed.get((*key[:2], DYNAMIC.sub("*", key[2])))
    rest = with_maxdepth(data, with_kind(data, [*partial.values()], "queue"), "queue")
    return out + [{**dict.fromkeys(names), "intervals": 0, "intervals_without_reader": 0, **row} for row in rest]


__all__ = ["quantile"]
