"""Days of queue managers on which a record class is missing in part; tests/missing_in_part.toml has the verdicts.

Half hours of one day are built once. The day of a class and shape has them without the records of the class in the
missing part, under its own name.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from mqstat.fixtures import accounting
from mqstat.fixtures.accounting import Task
from mqstat.fixtures.coverage_stories import without
from mqstat.fixtures.day import DAY, FULFIL, HALF_HOUR, LOAD_BY_HOUR, SECONDS, TASKS, worked
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.numbers import lost
from mqstat.fixtures.objects import Overrides
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.stories import busy_adapters, log_switches
from tests.costs import cache
from tests.estates import renamed

OWNER = QueueManager(getmains=4, pool_headers=4)
SLOTS = tuple(DAY + number * HALF_HOUR for number in range(48))
NOON = DAY + dt.timedelta(hours=12)
MISSING = {
    "stops": (NOON, DAY + dt.timedelta(days=1)),
    "starts": (DAY, NOON),
    "hole": (NOON - dt.timedelta(hours=1), NOON + dt.timedelta(hours=1)),
    "restart": (NOON, DAY + dt.timedelta(days=1)),
    "two": (NOON - HALF_HOUR, NOON + HALF_HOUR),
    "three": (NOON - HALF_HOUR, NOON + 2 * HALF_HOUR),
    "nothing": (DAY, DAY),
}
"""From when to when the class is missing, by shape."""
STATISTICS = tuple(f"115.{subtype}" for subtype in OWNER.subtypes())
KINDS = {
    "115.5-7": ("115.5", "115.6", "115.7"), "116.1": ("116.1", "116.2"),
    "all": (*STATISTICS, "116.0", "116.1", "116.2", "116.10"),
}  # fmt: skip
"""The kinds of records of a class, where it has more than one."""
NAMES = {
    "115.1": "Q001", "115.2": "Q002", "115.5-7": "Q007", "115.201": "Q201", "115.215": "Q215", "115.216": "Q216",
    "115.231": "Q231", "116.0": "A000", "116.1": "A001", "116.10": "A010", "all": "Z000",
}  # fmt: skip
"""The names of queue managers by the class that they lack."""
SITE = """
[rules.TA005]
connects_per_s_max = 0.005
reason = "a few hundred connections are churn, so that a dump need not have a hundred thousand"
"""
"""A few hundred connections are churn, so that a dump need not have a hundred thousand."""
SPANS = {"otel_spans_ok": 5_000}
STARTED = {number: {"channel_start_utc": DAY - dt.timedelta(days=1)} for number in range(OWNER.channels)}
USUAL: Overrides = {"qmst": SPANS, "qcst": STARTED, "qqst": {"ORDERS.ENTRY": {"put_failures": 20}}}
"""Each rule has something to judge in each half hour: spans, and some puts that fail."""
MIB = 1 << 20
TROUBLE: Mapping[str, Overrides] = {
    "115.1": {"qjst": {"log_buffer_waits": 40}},
    "all": {"qjst": {"log_buffer_waits": 40}},
    "115.2": {"qmst": {**SPANS, "otel_spans_failed": 30}},
    "115.5-7": {"qsrs": {"available_31_bytes": 240 * MIB, "user_31_bytes": 1_240 * MIB}},
    "115.201": {"qis1": {3: {"full_count": 5}}},
    "115.215": {"qpst": {3: {"no_buffer_waits": 17}}},
    "115.216": {"qqst": {"ORDERS.ENTRY": {"put_failures": 50_000}}},
    "115.231": {"qct_adp": busy_adapters(OWNER.adapters, 0.4)},
    "116.10": {"qcst": {**STARTED, 0: {**STARTED[0], "put_retries": 14}}},
}
"""What a class would show, of those whose trouble is a value; for 116.0 and 116.1 see `more`."""


def day(class_: str, shape: str, trouble: bool) -> list[bytes]:
    """The records of a day without this class in the missing part, with or without trouble there (nothing: at noon)."""
    first, end = MISSING[shape]
    out: list[bytes] = []
    for start in SLOTS:
        troubled = trouble and start in when(shape)
        records = half_hour(start, class_ if troubled else "", shape == "restart" and start == NOON)
        out += without(records, *KINDS.get(class_, (class_,))) if first <= start < end else records
    return list(renamed(out, {OWNER.name: NAMES[class_]}))


def when(shape: str) -> tuple[dt.datetime, ...]:
    """The half hours with trouble: near noon, those that are missing."""
    first, end = MISSING[shape]
    near = (NOON - HALF_HOUR, NOON + HALF_HOUR)
    return tuple(start for start in near if first <= start < end) or near


@cache
def half_hour(start: dt.datetime, trouble: str = "", started: bool = False) -> list[bytes]:
    """All records of a usual half hour, with the trouble of a class; `started` = the queue manager starts with it."""
    return [*interval(start, TROUBLE.get(trouble, {}), started=started), *more(start, trouble)]


def interval(
    start: dt.datetime,
    changes: Overrides,
    seconds: float = SECONDS,
    *,
    load: float | None = None,
    started: bool = False,
) -> list[bytes]:
    """All records of an interval, those of one that is short without accounting."""
    load = LOAD_BY_HOUR[start.hour] if load is None else load
    cut = OWNER.cut(start, seconds, load=load, overrides={**(USUAL if load else {"qcst": STARTED}), **changes})
    out = cut.records((*OWNER.subtypes(), *((240,) if started else ())))
    if seconds < SECONDS:
        return out
    number = (start - DAY) // HALF_HOUR
    return [*out, *without(worked(cut, number), "116.0"), *connections(start)]


def connections(start: dt.datetime) -> Iterator[bytes]:
    """Class 1 accounting of the usual tasks, all through the half hour and not only at its end."""
    for number, task in enumerate(TASKS):
        yield connection(task, start, 5 + 7 * number, 2_000)


def connection(task: Task, start: dt.datetime, minute: float, calls: int) -> bytes:
    """A connection of some seconds that ends in this minute of a half hour."""
    end = start + dt.timedelta(minutes=minute - OWNER.gmt_offset_minutes)
    return accounting.class1(OWNER, task, end - dt.timedelta(seconds=5), end, calls=calls)


def more(start: dt.datetime, trouble: str) -> Iterator[bytes]:
    """Accounting that is written only if there is trouble: many short connections, or a large unit of work."""
    if trouble == "116.0":
        for number in range(600):
            yield connection(Task("RRS", "CHURNBAT", "CHURN", ""), start, 2 + number / 24, 8)
    if trouble == "116.1":
        utc = start - dt.timedelta(minutes=OWNER.gmt_offset_minutes)
        block = accounting.wq(OWNER, accounting.correlator(811, utc), "ORDERS.FULFIL", utc, 50_000, 0)
        values = {"commits": 1, "task_log_bytes": 65_000_000}
        yield from accounting.with_blocks(
            OWNER, FULFIL, utc, utc + HALF_HOUR, [block], number=811, calls=0, task_values=values
        )


def dump(shape: str, trouble: bool, *classes: str) -> bytes:
    """A dump of queue managers that each lack one of these classes in part, or of all."""
    return smf_file(record for class_ in classes or NAMES for record in day(class_, shape, trouble))


FRAGMENT = 0.74
"""Seconds from a start to the first cut of a queue manager that fails."""
BEGUN = {"qcst": {key: {"channel_start_utc": DAY + dt.timedelta(hours=5)} for key in STARTED}}
"""The channels start at six o'clock, local time."""


def active(channels: int) -> Overrides:
    """This many channels are active, according to the channel initiator."""
    return {"qcct": {"active_channels": channels, "current_channels": channels}}


def crash_loop(start: dt.datetime) -> list[bytes]:
    """Four starts from noon on; the last one lasts."""
    starts = [NOON + dt.timedelta(minutes=minute) for minute in (0, 2, 5, 9)]
    if start < NOON:
        return half_hour(start)
    failed = [interval(each, {}, FRAGMENT, load=0.0, started=True) for each in starts if start == NOON]
    lasting = interval(starts[-1] + dt.timedelta(seconds=FRAGMENT) + (start - NOON), {})
    return list(chain(*failed, lasting))


def archived(start: dt.datetime) -> list[bytes]:
    """ARCHIVE LOG every hour: switches of logs that are not full, and their archives."""
    filled = OWNER.cut(start, load=LOAD_BY_HOUR[start.hour]).values("qjst")["cis_created"]
    return interval(start, {"qjst": log_switches(1, 2 * filled) if start.minute else log_switches(0, 0)})


QUIET: Mapping[str, Callable[[dt.datetime], list[bytes]]] = {
    "class 3 for an hour": lambda start: without(half_hour(start), *(() if start.hour == 10 else KINDS["116.1"])),
    "crash loop": crash_loop,
    "cut between the records of an interval": lambda start: half_hour(start)[
        5 if start == SLOTS[0] else 0 : 4 if start == SLOTS[-1] else None
    ],
    "one interval": lambda start: half_hour(start) if start == NOON else [],
    "start at noon": lambda start: half_hour(start, started=start == NOON) if start >= NOON else [],
    "channels in office hours": lambda start: (
        interval(start, BEGUN) if 6 <= start.hour < 20 else without(interval(start, active(0)), "116.10")
    ),
    "fewer channels from noon on": lambda start: (
        half_hour(start) if start < NOON else without(interval(start, active(4)), "116.10")
    ),
    "down in the night": lambda start: (
        [] if 2 <= start.hour < 6 else half_hour(start, started=start == DAY + dt.timedelta(hours=6))
    ),
    "archive every hour": archived,
    "no work from one to five": lambda start: (
        without(interval(start, {}, load=0.0), "115.216", "116.0", *KINDS["116.1"])
        if 1 <= start.hour < 5
        else half_hour(start)
    ),
    "every other record of a class": lambda start: without(half_hour(start), *(["115.215"] if start.minute else [])),
}
"""Days on which nothing is missing, or on purpose: the records of a half hour of the queue manager N001, N002, ..."""


LOST = "two hours lost"
"""The last quiet day: the records of two hours were lost after they were numbered."""


def quiet_dump() -> bytes:
    """A dump of these days."""
    days = [list(chain(*map(story, SLOTS))) for story in QUIET.values()]
    first, end = MISSING["hole"]
    kept = chain(*(half_hour(start) for start in SLOTS if not first <= start < end))
    days.append(lost(list(chain(*map(half_hour, SLOTS))), kept))
    named = [renamed(records, {OWNER.name: f"N{number:03d}"}) for number, records in enumerate(days, 1)]
    return smf_file(chain(*named))
