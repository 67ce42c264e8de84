"""Key figures of intervals and of accounting, one per row, and what was measured of them in the hours of a side.

The numbers are those of view figure_kind; the figures of queue managers are the columns of view interval_headline in
the order of the timeline (catalogue, report overview/timeline), events as the number in an hour.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import DAY, HOUR, expression, groups, judgeable, known, quantile
from tests.oracle.records import QMGR

HEADLINE = """
puts_per_s gets_per_s mqi_calls_per_s persistent_put_pct log_created_mib_per_s logger_task_busy_pct log_buffer_waits/h longest_log_io_us
checkpoints/h log_reads_archive/h lowest_pool_free_pct synchronous_write_hits/h no_buffer_waits/h page_set_ios_per_s fullest_page_set_pct
page_set_fulls/h page_set_expansions/h cf_calls_per_s cf_redrive_pct structure_fulls/h smds_waits/h db2_queue_high sos_set/h
available_31_mib active_channels_pct adapters_idle adapter_busiest_pct dispatcher_busiest_pct ssl_busiest_pct
""".split()
"""Figures 1 to 29; /h = events, as the number in an hour."""
SUBJECTS: tuple[tuple[str, str, str, dict[int, str]], ...] = (
    ("buffer_pool", "'buffer pool ' + text(pool_id)", "buffers > 0", {31: "buffers", 32: "lowest_free_pct", 33: "page_set_ios_per_s", 34: "synchronous_write_hits/h"}),
    ("page_set", "'page set ' + text(page_set_id)", "True", {36: "used_pct"}),
    ("cf_structure", "'structure ' + cf_structure", "True", {41: "cf_calls_per_s", 42: "average_single_us", 43: "redrive_pct"}),
    ("smds", "'SMDS ' + cf_structure", "True", {46: "smds_buffers", 47: "buffers_free_low", 48: "smds_used_pct"}),
    ("channel_initiator", "'channel initiator'", "True", {51: "adapters", 52: "dispatchers", 53: "ssl_tasks"}),
)  # fmt: skip
RATIOS = {4: "all_puts", 19: "cf_calls", 42: "single_calls", 43: "cf_calls", 56: "io_count"}
"""Figures that are ratios, with their denominator: puts, CF calls, calls for one entry, log writes."""
MONDAY = 4 * DAY
"""1970-01-05 was a Monday."""
CENTURY = 10_957
"""Days from 1970-01-01 to 2000-01-01."""


def _figure(row: Row, subject: str, number: int, name: str) -> Row | None:
    """A figure of a row; None if it is null or the local time is not known."""
    column, _, hourly = name.partition("/")
    value, local = row[column], row["interval_start_local"]
    if value is None or local is None:
        return None
    weight = row[RATIOS[number]] if number in RATIOS else None
    return {
        "lpar": row["lpar"], "qmgr": row["qmgr"], "subject": subject, "figure_number": number,
        "hour_of_week": (local - MONDAY) // HOUR % 168, "day_number": local // DAY - CENTURY,
        "measured_weight": float(row["interval_seconds"] if weight is None else weight),
        "measured_value": float(value * 3600 / row["interval_seconds"] if hourly else value),
    }  # fmt: skip


def _usable(rows: Iterable[Row]) -> Iterator[Row]:
    """Rows of intervals that are no fragments, without a start of the queue manager."""
    for row in rows:
        if judgeable(row) and not row["startup_interval"] and not row["suspect_first"]:
            yield row


@view("figure_value", f"{QMGR} subject figure_number hour_of_week day_number")
def figure_value(data: Data) -> list[Row]:
    """Catalogue: the timeline, and the settings and figures of pools, page sets, structures, SMDS, tasks and log
    copies.
    """
    found: list[Row | None] = []
    for row in data.view("interval_headline"):
        if row["baseline_ok"]:
            counts = known([row["persistent_puts"], row["nonpersistent_puts"]])
            given = {**row, "all_puts": sum(counts) if len(counts) == 2 else None}
            found += [_figure(given, "", number, name) for number, name in enumerate(HEADLINE, 1)]
    for name, subject, condition, figures in SUBJECTS:
        named, wanted = expression(subject), expression(condition)
        rows = [row for row in data.view(name) if wanted(row, ())]
        kept = _usable(rows) if name != "channel_initiator" else filter(judgeable, rows)
        found += [_figure(row, named(row, ()), number, column) for row in kept for number, column in figures.items()]
    written = groups(_usable(data.view("log_io")), "lpar qmgr log_copy interval_start_local")
    for (_, _, copy, _), rows in written.items():
        count = sum(row["io_count"] for row in rows)
        mean = sum(row["io_total_us"] for row in rows) / count if count else None
        found.append(_figure({**rows[0], "io_count": count, "mean": mean}, f"log copy {copy}", 56, "mean"))
    return [row for row in found if row is not None]


APPLICATIONS = {61: "task_log_bytes", 62: "task_messages", 63: "mq_cpu_us", 64: "commits"}
QUEUES = {66: "valid_puts", 67: "valid_gets", 68: "put_bytes"}


@view("use_value", f"{QMGR} subject figure_number hour_start_utc")
def use_value(data: Data) -> list[Row]:
    """Sums of an hour; where statistics cover a part of the hour, as many as in a whole hour, but not beyond sixty
    times.
    """
    seconds: dict[Any, float] = defaultdict(float)
    for cut in data.view("interval_cut"):
        local = cut["interval_start_local"]
        if local is not None:
            start = local // HOUR * HOUR - (local - cut["interval_start_utc"])
            seconds[cut["lpar"], cut["qmgr"], start] += cut["interval_seconds"]
    found: list[Row] = []
    for row in data.view("application_use"):
        if row["application"] is not None:
            given = {**row, "use_class": "tasks", "subject": f"application {row['application']}"}
            found += [{**given, "figure_number": n, "value": row[name]} for n, name in APPLICATIONS.items()]
    for row in data.view("queue_hour"):
        given = {**row, "use_class": "tasks", "subject": f"queue {row['base_name']}"}
        found += [{**given, "figure_number": n, "value": row[name]} for n, name in QUEUES.items()]
    for row in data.view("channel"):
        local = row["interval_start_local"]
        if row["channel_name"] is not None and local is not None:
            hour = local // HOUR * HOUR
            given = {**row, "use_class": "channels", "subject": f"channel {row['channel_name']}",
                     "hour_local": hour, "hour_start_utc": hour - (local - row["interval_start_utc"])}  # fmt: skip
            sizes = row["bytes_sent"], row["bytes_received"]
            found.append({**given, "figure_number": 71, "value": row["channel_messages"]})
            found.append({**given, "figure_number": 72, "value": None if None in sizes else sum(sizes)})
    found = [row for row in found if row["value"] is not None and row["hour_start_utc"] is not None]
    out = []
    for key, rows in groups(found, f"{QMGR} use_class subject figure_number hour_start_utc").items():
        covered = seconds.get((key[0], key[1], key[5]))
        part = 1 if covered is None else min(1, max(1 / 60, covered / 3600))
        names = (*QMGR.split(), "use_class", "subject", "figure_number", "hour_start_utc")
        out.append({
            **dict(zip(names, key, strict=True)), "hour_local": min(row["hour_local"] for row in rows),
            "measured_value": math.fsum(row["value"] for row in rows) / part,
        })  # fmt: skip
    return out


def _variance(values: list[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / len(values)


def _in_slots(data: Data, rows: Iterable[Row]) -> Iterator[tuple[tuple[Any, ...], int, Row]]:
    """Each value with the sides that its hour of the week belongs to: side and way to match hours, slot, row."""
    slots = groups(data.raw("side"), "from_lpar qmgr hour_of_week")
    for row in rows:
        for side in slots.get((row["lpar"], row["qmgr"], row["hour_of_week"]), ()):
            yield (side["side_name"], side["slot_by"]), side["slot"], {**row, "lpar": side["lpar"]}


SIDE = (*QMGR.split(), "side_name", "slot_by", "slot", "subject", "figure_number")


@view("measured_figure", " ".join(SIDE))
def measured_figure(data: Data) -> list[Row]:
    """Mean by weight, variance and quantiles of the values of each slot and of all slots together."""
    found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for side, slot, row in _in_slots(data, data.view("figure_value")):
        for place in (slot, None):
            found[row["lpar"], row["qmgr"], *side, place, row["subject"], row["figure_number"]].append(row)
    out = []
    for key, rows in found.items():
        values, weights = [r["measured_value"] for r in rows], [r["measured_weight"] for r in rows]
        whole = math.fsum(weights)
        out.append({
            **dict(zip(SIDE, key, strict=True)), "figure_count": len(rows), "figure_days": len({r["day_number"] for r in rows}),
            "figure_mean": math.fsum(v * w for v, w in zip(values, weights, strict=True)) / whole if whole else None,
            "figure_variance": _variance(values),
            **{f"figure_p{share:02}": quantile(values, share / 100) for share in (5, 50, 95)},
        })  # fmt: skip
    return out


@view("measured_hour", f"{QMGR} side_name subject figure_number day_number hour_of_week")
def measured_hour(data: Data) -> list[Row]:
    """The mean of the intervals of an hour by their weight, or the highest or lowest of them (`hour_way`)."""
    found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in data.view("figure_value"):
        for side, lpar in {(side, each["lpar"]) for (side, _), _, each in _in_slots(data, [row])}:
            key = ("subject", "figure_number", "day_number", "hour_of_week")
            found[lpar, row["qmgr"], side, *(row[name] for name in key)].append(row)
    ways = {row["figure_number"]: row["hour_way"] for row in data.view("figure_kind")}
    names = (*QMGR.split(), "side_name", "subject", "figure_number", "day_number", "hour_of_week")
    out = []
    for key, rows in found.items():
        made = dict(zip(names, key, strict=True))
        values, whole = [r["measured_value"] for r in rows], math.fsum(r["measured_weight"] for r in rows)
        mean = math.fsum(r["measured_value"] * r["measured_weight"] for r in rows) / whole if whole else None
        way = ways[made["figure_number"]]
        out.append(
            {**made, "hour_value": max(values) if way == "highest" else min(values) if way == "lowest" else mean}
        )
    return out


BUSY = (61, 62, 63, 64, 66, 67, 68, 71, 72)
"""The figures by which the 50 busiest subjects of each kind are found."""


@view("measured_use", " ".join(SIDE))
def measured_use(data: Data) -> list[Row]:
    """An hour with records of the class in which a subject did nothing counts as 0."""
    rows = [{**row, "hour_of_week": (row["hour_local"] - MONDAY) // HOUR % 168} for row in data.view("use_value")]
    hours: dict[tuple[Any, ...], dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    values: dict[tuple[Any, ...], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for side, slot, row in _in_slots(data, rows):
        place = (row["lpar"], row["qmgr"], *side)
        hours[(*place, row["use_class"])][slot].add(row["hour_start_utc"])
        values[(*place, row["use_class"], row["subject"], row["figure_number"])][slot].append(row["measured_value"])
    ranked: dict[tuple[Any, ...], list[tuple[float, str]]] = defaultdict(list)
    for (*where, _, subject, number), slots in values.items():
        if number in BUSY:
            ranked[(*where, number)].append((-math.fsum(v for given in slots.values() for v in given), subject))
    busiest = {(*key[:4], subject) for key, given in ranked.items() for _, subject in sorted(given)[:50]}
    out: list[Row] = []
    for (*at, use_class, subject, number), slots in values.items():
        of_class = hours[(*at, use_class)]
        wanted: list[int | None] = [None, *(of_class if (*at, subject) in busiest else ())]
        for chosen in wanted:
            many = sum(len(given) for given in of_class.values()) if chosen is None else len(of_class[chosen])
            seen = [v for given in slots.values() for v in given] if chosen is None else slots.get(chosen, [])
            full = [*seen, *[0.0] * (many - len(seen))]
            key = dict(zip(SIDE, (*at, chosen, subject, number), strict=True))
            out.append({
                **key, "figure_count": many, "figure_days": None, "figure_mean": math.fsum(full) / many, "figure_variance": _variance(full),
                **{f"figure_p{share:02}": quantile(full, share / 100) if chosen is None else None for share in (5, 50, 95)},
            })  # fmt: skip
    return out


MIBYTES = 1_048_576.0
PER_SECOND, PERCENT, PER_HOUR, PLAIN = (
    ("per_s", "per s", 1.0),
    ("percent", "%", 2.0),
    ("per_h", "per hour", 1.0),
    ("count", "", 1.0),
)
"""Units of figures: in the data, in sentences, and the smallest change that matters."""


def _kinds() -> Iterator[tuple[int, str, str, tuple[str, str, float], str]]:
    """Number, kind of subject, column, unit, name in sentences. A setting is known from one interval; of buffers, tasks
    and free storage less is worse.
    """
    events = ("waits for a log buffer", "checkpoints", "reads from archive logs", "synchronous writes of pools", "waits for a pool buffer", "page sets found full",
              "page set expansions", "structures found full", "waits for an SMDS buffer", "short on storage")  # fmt: skip
    named = iter(events)
    others = {
        1: ("puts", PER_SECOND), 2: ("gets", PER_SECOND), 3: ("MQI calls", ("per_s", "per s", 2.0)), 4: ("persistent share of puts", PERCENT),
        5: ("log data created", ("mib_per_s", "MiB/s", 0.01)), 6: ("logger busy", ("percent", "%", 1.0)), 8: ("longest log write", ("us", "µs", 500.0)),
        11: ("lowest free share of a pool", PERCENT), 14: ("page set I/Os", PER_SECOND), 15: ("fullest page set", PERCENT), 18: ("CF calls", PER_SECOND),
        19: ("CF redrives", ("percent", "%", 1.0)), 22: ("longest queue for Db2 servers", ("count", "", 2.0)), 24: ("free 31-bit storage", ("mib", "MiB", 20.0)),
        25: ("active channels of ACTCHL", PERCENT), 26: ("idle adapters", PLAIN), 27: ("busiest adapter", PERCENT), 28: ("busiest dispatcher", PERCENT),
        29: ("busiest TLS task", PERCENT),
    }  # fmt: skip
    for number, name in enumerate(HEADLINE, 1):
        column, _, hourly = name.partition("/")
        words, unit = (next(named), PER_HOUR) if hourly else others[number]
        yield number, "queue manager", column, unit, words
    buffers, few = ("buffers", "", 1.0), ("buffers", "", 2.0)
    of_subjects = {
        31: ("buffers", buffers), 32: ("lowest free share", PERCENT), 33: ("page set I/Os", PER_SECOND), 34: ("synchronous writes", PER_HOUR),
        36: ("pages in use", PERCENT), 41: ("CF calls", PER_SECOND), 42: ("mean time of a call for one entry", ("us", "µs", 3.0)),
        43: ("redrives", ("percent", "%", 1.0)), 46: ("buffers", buffers), 47: ("fewest free buffers", few), 48: ("blocks in use", PERCENT),
        51: ("adapters", PLAIN), 52: ("dispatchers", PLAIN), 53: ("TLS tasks", PLAIN),
    }  # fmt: skip
    kinds = ("buffer pool", "page set", "structure", "SMDS", "channel initiator")
    for kind, (*_, figures) in zip(kinds, SUBJECTS, strict=True):
        for number, name in figures.items():
            yield number, kind, name.partition("/")[0], of_subjects[number][1], of_subjects[number][0]
    yield 56, "log copy", "average_io_us", ("us", "µs", 50.0), "mean time of a log write"
    messages, data = ("count", "per hour", 100.0), ("bytes", "MiB per hour", MIBYTES)
    of_use = {
        61: ("log data", data), 62: ("messages", messages), 63: ("CPU time in MQ", ("us", "s per hour", 1e6)), 64: ("commits", messages),
        66: ("messages put", messages), 67: ("messages got", messages), 68: ("data put", data), 71: ("messages", messages), 72: ("data sent and received", data),
    }  # fmt: skip
    columns = {**APPLICATIONS, **QUEUES, 71: "channel_messages", 72: "channel_bytes"}
    for number, (words, unit) in of_use.items():
        yield (
            number,
            "application" if number < 66 else "queue" if number < 71 else "channel",
            columns[number],
            unit,
            words,
        )


SETTINGS = (31, 46, 51, 52, 53)
LESS_IS_WORSE = (11, 24, 26, 32, 47, *SETTINGS)


HIGHEST, LOWEST = {"longest", "busiest", "fullest", "high", "used", "active"}, {"lowest", "low", "idle", "available"}
"""Words in the names of figures that are extreme values, or levels of what is used or left."""


def _way(column: str) -> str:
    words = set(column.split("_"))
    return "highest" if words & HIGHEST else "lowest" if words & LOWEST else "mean"


@view("figure_kind", "figure_number")
def figure_kind(data: Data) -> list[Row]:
    """MiB and seconds in sentences about bytes and microseconds of an hour; all other figures are shown as they are."""
    return [
        {
            "figure_number": number, "subject_kind": kind, "metric": column, "metric_unit": unit, "metric_name": words, "low_is_worse": number in LESS_IS_WORSE,
            "is_setting": number in SETTINGS, "hour_way": _way(column), "least_change": least, "shown_unit": shown,
            "shown_scale": 1 / MIBYTES if shown.startswith("MiB per") else 1e-6 if shown.startswith("s per") else 1.0,
        }
        for number, kind, column, (unit, shown, least), words in _kinds()
    ]  # fmt: skip
