"""What was collected: record classes, members of queue-sharing groups, and the share of the work that accounting
shows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import HOUR, SECOND, computed, first, grouped, groups, joined, level, where
from tests.oracle.periods import keyed
from tests.oracle.pools import site
from tests.oracle.records import QMGR, with_qsg

EXPECTED = {
    "115.1": "base", "115.2": "base", "115.5": "base", "115.6": "base", "115.7": "base", "115.201": "9.0.0", "115.215": "8.0.0",
    "115.216": "9.3.0", "115.231": "8.0.0", "116.0": "base", "116.1": "base", "116.10": "8.0.0",
}  # fmt: skip
"""The first release that writes a class (catalogue, view collection)."""
HOLDS = {
    "115.1": "log and storage", "115.2": "messages, data, topics, coupling facility, SMDS, Db2", "115.5": "storage pools", "115.6": "storage getmains",
    "115.7": "storage region", "115.201": "page sets", "115.215": "buffer pools", "115.216": "queues", "115.231": "channel initiator",
    "116.0": "class 1 accounting", "116.1": "class 3 accounting", "116.2": "class 3 accounting, continued", "116.10": "channel accounting",
    "115.240": "internal to MQ",
}  # fmt: skip
COMMANDS = {
    "115.231": "START TRACE(STAT) CLASS(4)", "115.216": "START TRACE(STAT) CLASS(5); ALTER QMGR STATQ(ON)", "116.0": "START TRACE(ACCTG) CLASS(1)",
    **dict.fromkeys(("116.1", "116.2"), "START TRACE(ACCTG) CLASS(3); ALTER QMGR ACCTQ(ON)"), "116.10": "START TRACE(ACCTG) CLASS(4); ALTER QMGR STATCHL(MEDIUM)",
    **dict.fromkeys(("115.5", "115.6", "115.7", "115.201"), "START TRACE(STAT) CLASS(2,3)"),
    **dict.fromkeys(("115.1", "115.2", "115.215"), "START TRACE(STAT) CLASS(1)"),
}  # fmt: skip
"""The command that starts the collection of a class (catalogue, report overview/coverage)."""


@view("record_class", "record_class")
def record_class(data: Data) -> list[Row]:
    """The trace, its class and the attribute are the parts of the command."""
    out = []
    for name, holds in HOLDS.items():
        command = COMMANDS.get(name)
        parts = re.fullmatch(r"START TRACE\((\w+)\) CLASS\(([\d,]+)\)(?:; ALTER QMGR (\w+)\(\w+\))?", command or "")
        since = EXPECTED.get(name)
        out.append({
            "record_class": name, "class_holds": holds, "expected_since": since, "command_to_collect": command,
            "since_level": None if since is None else 0 if since == "base" else level(since),
            "by_interval": since is not None and name not in ("116.0", "116.1"),
            **dict(zip(("trace", "trace_class", "attribute"), parts.groups() if parts else (None,) * 3, strict=True)),
        })  # fmt: skip
    return out


@view("collection", "lpar qmgr record_class")
def collection(data: Data) -> list[Row]:
    seen = keyed(
        grouped(
            [row for row in data.raw("record") if row["qmgr"] is not None], "lpar qmgr record_class",
            "records = count()\nbytes = sum(record_bytes)\nfirst_written_local = min(written_local)\nlast_written_local = max(written_local)",
        ), "lpar qmgr record_class",
    )  # fmt: skip
    found: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    for row in data.view("record_interval"):
        if row["cut_start_utc"] is not None:
            found[row["lpar"], row["qmgr"], row["record_class"]].add(row["cut_start_utc"])
    cuts = {
        key: {row["interval_start_utc"] for row in rows}
        for key, rows in groups(data.view("interval_cut"), QMGR).items()
    }
    lost: dict[tuple[Any, ...], int] = defaultdict(int)
    for row in data.view("interval_lost"):
        lost[row["lpar"], row["qmgr"]] += row["lost_intervals"] or 0
    out = []
    for one in data.view("qmgr"):
        mine = one["lpar"], one["qmgr"]
        for name in sorted({*EXPECTED, *(key[2] for key in seen if key[:2] == mine)}):
            given = seen.get((*mine, name), {})
            timed = name.startswith("115.") and name != "115.240"
            out.append({
                **dict.fromkeys(("first_written_local", "last_written_local")), "records": 0, "bytes": 0, **given,
                "lpar": mine[0], "qmgr": mine[1], "record_class": name,
                "intervals_expected": len(cuts.get(mine, ())) + lost[mine] if timed and name in EXPECTED else None,
                "intervals_present": len(found[(*mine, name)] & cuts.get(mine, set())) if (timed or name == "116.10") and name in EXPECTED else None,
            })  # fmt: skip
    written = {(row["lpar"], row["qmgr"], row["record_class"]) for row in out if row["records"]}
    lacks = groups(data.view("class_hole"), QMGR)
    levels, dropped = data.by("qmgr", "lpar", "qmgr"), data.by("decoded.dropped_class", "lpar", "qmgr", "record_class")
    for row in out:
        since = EXPECTED.get(row["record_class"])
        row["expected_since"], row["class_holds"], row["command_to_collect"] = (
            since,
            HOLDS.get(row["record_class"], "unknown to mqstat"),
            COMMANDS.get(row["record_class"]),
        )
        others = [
            name for name, command in COMMANDS.items() if command == row["command_to_collect"] and name != "115.201"
        ]
        is_single = row["record_class"] in others and not row["records"]
        if is_single and any((row["lpar"], row["qmgr"], name) in written for name in others):
            row["command_to_collect"] = None
        own = levels[row["lpar"], row["qmgr"]]["highest_mq_level"]
        row["applicable"] = since in (None, "base") or row["records"] > 0 or (own is not None and own >= level(since))
        detail = dropped.get((row["lpar"], row["qmgr"], row["record_class"])) or {}
        holes = [
            hole for hole in lacks.get((row["lpar"], row["qmgr"]), []) if hole["record_class"] == row["record_class"]
        ]
        slots, share = (sum(hole[name] for hole in holes) for name in ("missing_slots", "missing_share_pct"))
        row["in_part"] = slots >= 2 and share >= 5
        row["records_dropped"], row["dropped_on"] = detail.get("records", 0), detail.get("dropped_on")
        row["qsg"] = levels[row["lpar"], row["qmgr"]]["qsg"]
    return computed(
        out,
        """
        present = records > 0
        presence_pct = 100 * intervals_present / intervals_expected
        coverage_state = 'not in this release' if not applicable else 'not collected' if records == 0 else
          'dropped by retention' if records_dropped == records else 'dropped in part' if records_dropped > 0 else
          'not decoded' if expected_since is None and record_class != '116.2' else 'collected in part' if in_part else 'collected (event driven)' if intervals_expected is None else 'collected'
        """,
    )


BASIC, STORAGE = ("115.1", "115.2", "115.215"), ("115.7", "115.201")


@view("coverage_qmgr", QMGR)
def coverage_qmgr(data: Data) -> list[Row]:
    """Catalogue, rules CV001 to CV007: what is missing of the classes that the level of the queue manager writes."""
    counted = data.by("collection", "lpar", "qmgr", "record_class")
    accounted, facts = data.by("coverage_connection", "lpar", "qmgr"), site(data)
    active = keyed(grouped(data.raw("qcct"), QMGR, "most = max(active_channels)"), QMGR)
    out = []
    for one in data.view("qmgr"):
        key, own = (one["lpar"], one["qmgr"]), one["highest_mq_level"]
        records = {name: counted[*key, name]["records"] for name in EXPECTED}
        written = {name: counted[*key, name]["applicable"] for name in EXPECTED}
        basic = [name for name in BASIC if written[name] and not records[name]]
        known = bool(records["115.1"])
        storage = [
            name for name in STORAGE if written[name] and not records[name] and (name != "115.7" or own >= 80_000)
        ]  # fmt: skip
        tasks = accounted.get(key)
        out.append({
            **{name: one[name] for name in ("lpar", "qmgr", "qsg", "mq_versions")},
            "records": sum(row["records"] for row in data.view("collection") if (row["lpar"], row["qmgr"]) == key),
            "basic_classes_missing": len(basic), "basic_classes_missing_names": ", ".join(basic) or None,
            "basic_classes_there": sum(records[name] > 0 for name in BASIC),
            "storage_classes_missing": len(storage) if known else None, "storage_classes_missing_names": ", ".join(storage) or None if known else None,
            "storage_trace_started": "115.201" not in storage and bool(records["115.5"] or records["115.6"]) if known else None,
            **{f"records_{name.replace('.', '_')}": records[name] if written[name] else None for name in ("115.216", "115.231", "116.1", "116.10")},
            "channel_work": records["116.10"] + (tasks["channel_connections"] if tasks else 0) if tasks or records["116.10"] or records["115.231"] else None,
            "active_channels_high": (active.get(key) or {}).get("most"), "no_class3_declared": bool((facts.get(key) or {}).get("no_class3")),
        })  # fmt: skip
    return out


@view("group_member", "lpar qmgr qsg")
def group_member(data: Data) -> list[Row]:
    """The members of a group are those with records and those that the site expects (expected_members) and that have no
    records in any group.

    `site init` gives one list for the whole site, so a queue manager of another group is not missing in this one. Those
    of no group are together.
    """
    members: dict[str | None, dict[str, str | None]] = defaultdict(dict)
    stated = set()
    facts, reporting = site(data), {row["qmgr"] for row in data.view("queue_sharing_group")}
    for row in data.view("queue_sharing_group"):
        known = members[row["qsg"]].get(row["qmgr"])
        members[row["qsg"]][row["qmgr"]] = min(known or row["lpar"], row["lpar"])
        fact = facts.get((row["lpar"], row["qmgr"])) or {}
        names = set(fact.get("expected_members") or ())
        stated |= {fact.get("qsg") or row["qsg"]} if names else set()
        for name in names - reporting:
            members[fact.get("qsg") or row["qsg"]].setdefault(name, None)
    return [
        {"lpar": lpar, "qmgr": name, "qsg": qsg, "members_stated": qsg is not None and qsg in stated}
        for qsg, names_of in members.items() for name, lpar in names_of.items()
    ]  # fmt: skip


@view("coverage_member_hour", "lpar qmgr hour_utc")
def coverage_member_hour(data: Data) -> list[Row]:
    """Queue managers of no group are counted together where the site expects more of them. Intervals of more than a day
    are damage.
    """
    covered: dict[Any, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    empty = dict.fromkeys(
        ("hour_utc", "covered_seconds", "group_covered_seconds", "members_in_qsg", "members_reporting")
    )
    out = [{**empty, **row} for row in data.view("queue_sharing_group") if row["qsg"] is None]
    for row in with_qsg(data, data.view("interval_cut")):
        start, end = row["interval_start_utc"], row["interval_end_utc"]
        for hour in range(start // HOUR * HOUR, end, HOUR) if end - start <= 24 * HOUR else ():
            covered[row["qsg"], row["qmgr"]][hour] += (min(end, hour + HOUR) - max(start, hour)) / 1e6
    for (group,), members in groups(data.view("group_member"), "qsg").items():
        names = {row["qmgr"]: row["lpar"] for row in members}
        hours = sorted({hour for name in names for hour in covered[group, name]})
        for hour in hours:
            seconds = {name: covered[group, name].get(hour, 0.0) for name in names}
            out += [
                {
                    "lpar": lpar, "qmgr": name, "qsg": group, "hour_utc": hour, "covered_seconds": seconds[name], "group_covered_seconds": max(seconds.values()),
                    "members_in_qsg": len(names), "members_reporting": sum(value > 0 for value in seconds.values()),
                }
                for name, lpar in names.items() if group is not None or lpar is None
            ]  # fmt: skip
    return out


def _counted(rows: list[Row], seen: int) -> int | None:
    """Puts and gets of QMST. Gets of callbacks are only in QIST, with those of the data manager itself: they count as
    far as the other collection shows gets.
    """
    if not rows:
        return None
    puts, gets = sum(row["puts"] + row["put1s"] for row in rows), sum(row["gets"] for row in rows)
    return int(puts + max(gets, min(sum(row["dm_gets"] or 0 for row in rows), seen)))


@view("coverage_calls", "lpar qmgr seen_by")
def coverage_calls(data: Data) -> list[Row]:
    """MQPUT, MQPUT1 and MQGET of the statistics in the time of the other collection; of channels QCCTNOAC and the
    instances of QCST.
    """
    counted = groups(joined(data.raw("qmst"), data.by("decoded.qist", "record_id"), "record_id", "dm_gets"), QMGR)
    used = keyed(
        grouped(
            data.view("queue_use"), QMGR,
            "puts = sum(puts + put1s)\ngets = sum(gets)\nunaccounted = distinct(base_name, where=no_accounting)",
        ), QMGR,
    )  # fmt: skip
    statistics, blocks = groups(data.raw("qqst"), QMGR), groups(data.view("queue_use"), QMGR)
    out = []

    def add(
        key: tuple[Any, ...],
        seen_by: str,
        counted: int | None,
        seen: int,
        unaccounted: int | None = None,
        lacking: list[str] | None = None,
        *,
        period: int | None,
    ) -> None:
        out.append({
            "lpar": key[0], "qmgr": key[1], "seen_by": seen_by, "calls_counted": counted, "calls_in_period": period, "calls_seen": seen, "no_accounting_queues": unaccounted,
            "unaccounted_queues": None if lacking is None else len(lacking), "unaccounted_names": ", ".join(lacking[:10]) if lacking else None,
        })  # fmt: skip

    def lacking(key: tuple[Any, ...], start: Any, end: Any) -> list[str] | None:
        """Queues whose calls in 115.216 of the time of accounting are in no queue block, the busiest first."""
        calls: dict[str, int] = defaultdict(int)
        for q in statistics.get(key, ()):
            if (
                q["interval_start_utc"] >= start - SECOND
                and q["interval_end_utc"] <= end + SECOND
                and not q["queue"].startswith("SYSTEM.")
            ):
                calls[q["queue"]] += (q["puts"] or 0) + (q["put1s"] or 0) + (q["destructive_gets"] or 0)
        seen = {block["base_name"] for block in blocks.get(key, ())}
        busy = sorted((-count, name) for name, count in calls.items() if count >= 100 and name not in seen)
        return [name for _, name in busy] if calls else None

    for row in grouped(
        data.raw("wtas"), QMGR, "start = min(task_interval_start_utc)\nend = max(task_interval_end_utc)"
    ):
        key = row["lpar"], row["qmgr"]
        inside = [
            r for r in counted.get(key, ())
            if r["interval_start_utc"] >= row["start"] - SECOND and r["interval_end_utc"] <= row["end"] + SECOND
        ]  # fmt: skip
        mine = used.get(key) or {"puts": 0, "gets": 0, "unaccounted": 0}
        if inside:
            add(
                key,
                "task accounting",
                _counted(inside, mine["gets"]),
                mine["puts"] + mine["gets"],
                mine["unaccounted"],
                lacking(key, row["start"], row["end"]),
                period=_counted(counted[key], mine["gets"]),
            )
    for key, rows in groups([row for row in data.raw("qqst") if row["puts"] is not None], QMGR).items():
        inside = [
            r for r in counted.get(key, ()) if r["interval_start_utc"] in {row["interval_start_utc"] for row in rows}
        ]
        both = {row["interval_start_utc"] for row in inside}
        seen = [row for row in rows if row["interval_start_utc"] in both]
        gets = sum(row["destructive_gets"] for row in seen)
        if inside:
            calls = gets + sum(row["puts"] + row["put1s"] for row in seen)
            add(key, "queue statistics", _counted(inside, gets), calls, period=_counted(counted[key], gets))
    active = {(r["lpar"], r["qmgr"], r["interval_start_utc"]): r["active_channels"] for r in data.raw("qcct")}
    for key, rows in groups(data.raw("qcst"), QMGR).items():
        instances = groups(rows, "interval_start_utc channel_name connection_name channel_start_utc")
        starts = [start for start, *_ in instances if (*key, start) in active]
        if starts:
            period = sum(number for (lpar, qmgr, _), number in active.items() if (lpar, qmgr) == key)
            add(
                key, "channel accounting", sum(active[*key, start] for start in set(starts)), len(starts), period=period
            )
    return computed(
        out, "seen_pct = 100 * calls_seen / calls_counted\nseen_of_period_pct = 100 * calls_seen / calls_in_period"
    )


ERRORS = {
    "PH08561": ("9.0", "9.1"),
    "PH67349": ("9.3", "9.4"),
    "PH68566": ("9.4.0",),
    "PH69352": ("9.4.0",),
    "PH69524": ("9.4.0",),
}
"""The levels with an error of the data (catalogue, apars.csv)."""


@view("known_error", "lpar qmgr apar")
def known_error(data: Data) -> list[Row]:
    """The levels by their names; a queue manager lost its queue statistics if an earlier level has them and the last
    one does not.
    """
    lacked = {
        (r["lpar"], r["qmgr"]): r["unaccounted_queues"]
        for r in data.view("coverage_calls")
        if r["seen_by"] == "task accounting"
    }
    short: dict[tuple[Any, ...], int] = defaultdict(int)
    for row in data.view("interval_cut"):
        short[row["lpar"], row["qmgr"]] += row["interval_seconds"] is not None and row["interval_seconds"] < 1
    out = []
    for key, rows in groups([row for row in data.view("record_count") if row["qmgr"] and row["lpar"]], QMGR).items():
        versions = {row["mq_version"] for row in rows if row["mq_version"]}
        levels = {
            name: {row["mq_level"] or 0 for row in rows if row["record_class"] == name} for name in ("115.1", "115.216")
        }
        ended = bool(levels["115.1"] and levels["115.216"]) and max(levels["115.216"]) < max(levels["115.1"])
        signs = {"PH69524": lacked.get(key), "PH68566": short.get(key), "PH67349": int(ended)}
        out += [
            {"lpar": key[0], "qmgr": key[1], "apar": apar, "sign": signs.get(apar)}
            for apar, named in ERRORS.items()
            if any(f"{version}.".startswith(f"{name}.") for version in versions for name in named)
        ]
    return out


__all__ = ["first", "where"]
