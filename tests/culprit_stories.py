"""Twenty faults with one culprit each, on a queue manager of its own. Innocents do more puts, gets, bytes or calls in
each of them.

A story states its rule, the queue and the application (or channel) that must lead, and the rule that must explain it;
the flows, depths and events make its records.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from mqstat.fixtures import accounting
from mqstat.fixtures.accounting import Task
from mqstat.fixtures.channel_stories import task as busy_task
from mqstat.fixtures.channel_stories import tasks as busy_tasks
from mqstat.fixtures.day import DAY, HALF_HOUR, SECONDS, intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.objects import Overrides, Queue
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios.applications_wasteful import UNLOCKS, committed, quiet
from mqstat.fixtures.scenarios.archive_reads import RECOVERY
from mqstat.fixtures.scenarios.channels_troubled import moved
from mqstat.fixtures.scenarios.page_set_full import filled as filled_pages
from mqstat.fixtures.scenarios.queues_stuck import UNREAD, flow
from mqstat.fixtures.scenarios.smds_nearly_full import filled as filled_blocks
from mqstat.fixtures.scenarios.structure_full import used
from mqstat.fixtures.stories import MICROSECONDS, busy_adapters, slow_log

EIGHT = DAY + dt.timedelta(hours=8)
COUNT = 6
"""Half hours of a story."""
ALWAYS = range(COUNT)
LATE = range(3, COUNT)
"""The half hours in which a backlog has filled what it fills."""


OTHER = Queue("OTHER.WORK", 1, 1, 1.0)
"""A queue whose traffic is that of the queue manager."""


@dataclass(frozen=True)
class Flow:
    """Messages that an application puts to and gets from a queue in each of some half hours; values of its queue block
    and task differ as stated.
    """

    who: Task
    queue: str = ""
    puts: int = 0
    gets: int = 0
    block: Mapping[str, Any] = field(default_factory=dict)
    task: Mapping[str, Any] = field(default_factory=dict)
    when: Sequence[int] = ALWAYS
    member: int = 0


@dataclass(frozen=True)
class Story:
    """A fault: the rule that finds it, its subject, and who leads. `because` = the rule that explains it; `victim` =
    nobody caused it, and who waited leads.

    `deep` has the depth of queues at the end of each half hour, `events` the changes of statistics in a half hour,
    `channels` the channel instances.
    """

    rule: str
    subject: str
    queue: str | None
    application: str | None
    flows: Sequence[Flow] = ()
    queues: Sequence[Queue] = ()
    deep: Mapping[str, Sequence[int]] = field(default_factory=dict)
    events: Mapping[int, Overrides] = field(default_factory=dict)
    channels: Callable[[dt.datetime], Sequence[Mapping[str, Any]]] | None = None
    because: str = ""
    cause: str = ""
    victim: bool = False
    structures: Sequence[str] = ()
    shared_data_sets: Sequence[str] = ()
    members: int = 1


def job(name: str) -> Task:
    """A batch job."""
    return Task("RRS", name, f"{name[:4]}USR", "")


def client(channel: str) -> Task:
    """The client connections of a channel."""
    return Task("CHIN", "ANYCHIN", "WEBUSER", "", channel, "10.20.30.41")


def busy(queue: str, messages: int = 200_000) -> tuple[Flow, Flow]:
    """Innocents: many messages that are got as soon as they are put."""
    return Flow(job("INNOCENT"), queue, puts=messages), Flow(job("READER"), queue, gets=messages)


def rising(step: int, start: int = 0) -> tuple[int, ...]:
    """Depths of a queue that nobody reads, or too slowly."""
    return tuple(start + step * (number + 1) for number in range(COUNT))


def at(when: Sequence[int], overrides: Overrides) -> Mapping[int, Overrides]:
    """The same changes in some half hours."""
    return dict.fromkeys(when, overrides)


def full_pool(*pools: int) -> Overrides:
    """Buffer pools in which applications wrote pages themselves."""
    values = {
        "lowest_stealable": 900,
        "current_stealable": 1_500,
        "deferred_write_starts": 9,
        "synchronous_write_hits": 700,
        "immediate_writes": 1_400,
    }
    return {"qpst": dict.fromkeys(pools, values)}


def private(name: str, page_set: int = 3, pool: int = 3, size: int = 1_400) -> Queue:
    """A queue on a page set."""
    return Queue(name, page_set, pool, 0.0, message_bytes=size)


def shared(name: str, size: int = 1_400) -> Queue:
    """A queue in structure APP1."""
    return Queue(name, -1, -1, 0.0, structure="APP1", message_bytes=size)


def instance(name: str, **values: Any) -> dict[str, Any]:
    """A channel that runs all day and moves many messages of much data."""
    return moved(300, 30, 9_000) | {"channel_name": name, "channel_start_utc": DAY - HALF_HOUR, **values}


def reconnecting(start_utc: dt.datetime, count: int, **values: Any) -> list[Mapping[str, Any]]:
    """Clients that connect, make three calls and leave; and two channels that move far more data."""
    short = moved(3, 0) | {
        "channel_name": "RECON.SVRCONN", "channel_type": "SvrConn", "partner_product": "MQCC", "batch_size_limit": 0, "batch_limit_kib": 0,
        "persistent_channel_messages": 0, "channel_message_bytes": 0, "persistent_channel_bytes": 0, "bytes_sent": 900, "bytes_received": 1_300,
        "connection_name": "10.20.30.77", "channel_status": "Inactive", **values,
    }  # fmt: skip
    step = dt.timedelta(seconds=SECONDS / (count + 1))
    clients = [
        short
        | {
            "channel_start_utc": began,
            "channel_stop_utc": began + dt.timedelta(milliseconds=800),
            "last_message_utc": began,
        }
        for began in (start_utc + number * step + dt.timedelta(seconds=3) for number in range(count))
    ]
    return [*clients, instance("BULK.TO.PAY", **values), instance("BULK.TO.CRM", **values)]


def bytes_of(puts: int, size: int) -> Mapping[str, Any]:
    """A queue block whose messages have this length."""
    return {"put_bytes": puts * size, "put_bytes_high": size, "put_bytes_low": size}


STORIES: Mapping[str, Story] = {
    "a pool filled by a stopped reader": Story(
        "BP002", "buffer pool 3", "STOPPED.READER", "FILLER",
        [Flow(job("FILLER"), "STOPPED.READER", puts=50_000), *busy("BUSY.QUEUE")], [private("STOPPED.READER"), private("BUSY.QUEUE")],
        deep={"STOPPED.READER": rising(50_000)}, events=at(LATE, full_pool(3)), because="QU005",
    ),
    "a pool filled by a bulk load": Story(
        "BP002", "buffer pool 3", "BULK.LOAD", "LOADER",
        [Flow(job("LOADER"), "BULK.LOAD", puts=80_000, when=[3]), Flow(job("DRAINER"), "BULK.LOAD", gets=40_000, when=[4, 5]), *busy("BUSY.QUEUE", 160_000)],
        [private("BULK.LOAD"), private("BUSY.QUEUE")], deep={"BULK.LOAD": (0, 0, 0, 80_000, 40_000, 0)}, events=at([3], full_pool(3)),
    ),
    "a pool filled by a loop of puts": Story(
        "BP002", "buffer pool 3", "LOOPED", "LOOPER",
        [Flow(job("LOOPER"), "LOOPED", puts=100_000), Flow(job("SLOWREAD"), "LOOPED", gets=80_000), *busy("BUSY.QUEUE", 300_000)],
        [private("LOOPED"), private("BUSY.QUEUE")], deep={"LOOPED": rising(20_000)}, events=at(LATE, full_pool(3)), because="QU006",
    ),
    "a slow log by its mirror": Story(
        "LG004", "log copy 1", None, "COMMITS",
        [
            Flow(job("COMMITS"), "MANY.COMMITS", puts=20_000, task=committed(20_000, 28_000_000, task_log_force_us=20_000 * 1_900)),
            Flow(job("INNOCENT"), "FEW.COMMITS", puts=90_000, task=committed(900, 190_000_000, task_log_force_us=900 * 1_900)),
        ],
        [private("MANY.COMMITS"), private("FEW.COMMITS")], events=at(ALWAYS, {"qjst": slow_log(copy1_us=1_900, copy2_us=1_950) | {"log_buffer_waits": 140}}), victim=True,
    ),
    "a slow log by reads of archives": Story(
        "LG016", "log reads", None, "UNDOER",
        [
            Flow(job("UNDOER"), "OLD.WORK", puts=3_000, task=committed(20, 4_000_000, backouts=4, backout_et_us=90_000_000)),
            Flow(job("INNOCENT"), "BUSY.QUEUE", puts=90_000, task=committed(9_000, 190_000_000, backouts=2, backout_et_us=4_000)),
        ],
        [private("OLD.WORK"), private("BUSY.QUEUE")], events=at([3], {"qjst": RECOVERY}),
    ),
    "a full page set": Story(
        "PS001", "page set 3", "GROWING", "FILLER",
        [Flow(job("FILLER"), "GROWING", puts=20_000), *busy("BUSY.QUEUE")], [private("GROWING"), private("ARCHIVE"), private("BUSY.QUEUE")],
        deep={"GROWING": rising(20_000), "ARCHIVE": (250_000,) * COUNT},
        events=at(LATE, {"qis1": {3: filled_pages(400_000, 400_000, full_count=5, expansion_method="None")}}), because="QU005",
    ),
    "a full structure by one member": Story(
        "CF001", "structure APP1", "ORDERS.SHARED", "MEMBER2",
        [
            Flow(job("MEMBER2"), "ORDERS.SHARED", puts=3_000, member=1), Flow(job("MEMBER1"), "ORDERS.SHARED", puts=9_000),
            Flow(job("GETTER1"), "ORDERS.SHARED", gets=9_000), *busy("BUSY.SHARED"),
        ],
        [shared("ORDERS.SHARED"), shared("BUSY.SHARED")], deep={"ORDERS.SHARED": rising(3_000)},
        events=at(LATE, {"qest": {"APP1": used(20_000, 60_000, 240)}}), structures=("APP1",), members=2, because="QU006",
    ),
    "shared message data sets filled by long messages": Story(
        "SM003", "structure APP1", "LONG.SHARED", "LONGMSGS",
        [
            Flow(job("LONGMSGS"), "LONG.SHARED", puts=500, block=bytes_of(500, 90_000)),
            Flow(job("INNOCENT"), "SHORT.SHARED", puts=60_000, block=bytes_of(60_000, 900)), Flow(job("READER"), "SHORT.SHARED", gets=55_000),
        ],
        [shared("LONG.SHARED", 90_000), shared("SHORT.SHARED", 900)], deep={"LONG.SHARED": rising(500), "SHORT.SHARED": rising(5_000)},
        events=at(LATE, {"qesd": {"APP1": filled_blocks(3_720)}}), structures=("APP1",), shared_data_sets=("APP1",), because="QU005",
    ),
    "adapters used by one client": Story(
        "CH001", "adapters", None, "HEAVY.SVRCONN",
        [
            Flow(client("HEAVY.SVRCONN"), "HEAVY", puts=2_000, block={"put_et_us": 900_000_000}, task=quiet({})),
            Flow(client("CHATTY.SVRCONN"), "CHATTY", puts=300_000, task=quiet({})),
        ],
        [private("HEAVY"), private("CHATTY")], events=at(LATE, {"qct_adp": busy_adapters(8, 0.03)}),
    ),
    "a dispatcher busy with reconnects": Story(
        "CH005", "dispatcher 2", None, "RECON.SVRCONN", events=at(LATE, {"qct_dsp": busy_tasks((0.3, 0.3, 0.97, 0.2, 0.2), 40, 26)}),
        channels=partial(reconnecting, count=60, dispatcher_number=2), because="CN012",
    ),
    "loops of gets": Story(
        "QU010", "queue POLLED", "POLLED", "LOOPER",
        [
            Flow(job("LOOPER"), "POLLED", block={"gets": 180_000, "gets_any": 180_000, "valid_gets": 0, "valid_destructive_gets": 0, "get_et_us": 900_000}),
            Flow(job("READER"), "POLLED", gets=200), Flow(job("INNOCENT"), "POLLED", puts=200), *busy("BUSY.QUEUE"),
        ],
        [private("POLLED"), private("BUSY.QUEUE")], events=at(ALWAYS, {"qqst": {"POLLED": flow(200, 200, gets_no_message=180_000, get_failures=180_000)}}),
    ),
    "a long unit of work": Story(
        "CF002", "structure CSQ_ADMIN", None, None,
        [
            Flow(job("HUGEUNIT"), "LOAD.SHARED", puts=50_000, task=committed(1, 65_000_000, **UNLOCKS), when=[3]),
            Flow(job("INNOCENT"), "BUSY.SHARED", puts=200_000, task=committed(50_000, 260_000_000)), Flow(job("READER"), "BUSY.SHARED", gets=200_000),
        ],
        [shared("LOAD.SHARED"), shared("BUSY.SHARED")], structures=("APP1",), because="TA003", cause="HUGEUNIT (RRS batch)",
        events=at([3], {"qest": {"CSQ_ADMIN": {"structure_fulls": 1, "entries_high": 20_638, "elements_high": 41_276}}}),
    ),
    "messages that expire": Story(
        "QU008", "queue EXPIRING", "EXPIRING", "SENDER",
        [Flow(job("SENDER"), "EXPIRING", puts=5_000), Flow(job("READER2"), "EXPIRING", gets=4_000), *busy("BUSY.QUEUE")],
        [private("EXPIRING"), private("BUSY.QUEUE")], events=at(ALWAYS, {"qqst": {"EXPIRING": flow(5_000, 4_000, expired_messages=1_000)}}),
    ),
    "a channel that waits for its batch interval": Story(
        "CN006", "channel SLOW.BATCH", None, None,
        channels=lambda _: [
            instance("SLOW.BATCH") | moved(1_764, 1_764, batch_interval_ms=1_000), instance("BULK.TO.PAY") | moved(9_000, 300), instance("BULK.TO.CRM"),
        ],
    ),
    "a shared queue defined in Db2 again and again": Story(
        "DB001", "Db2 requests", None, "SEARCHER",
        [
            Flow(job("SEARCHER"), "RARE.SHARED", puts=90, task=quiet({"db2_calls": 4_000, "db2_thread_us": 1_400_000})),
            Flow(job("INNOCENT"), "BUSY.SHARED", puts=90_000, task=quiet({"db2_calls": 20, "db2_thread_us": 7_000_000})),
        ],
        [shared("RARE.SHARED"), shared("BUSY.SHARED")], structures=("APP1",), events=at(LATE, {"q5st": {"db2_queue_high": 40}}),
    ),
    "a trigger loop": Story(
        "QU010", "queue TRIGGERED", "TRIGGERED", "TRIGGERD",
        [
            Flow(
                job("TRIGGERD"), "TRIGGERED", gets=200, task=quiet({"other_calls": 90_000}),
                block={"gets": 60_000, "gets_any": 60_000, "opens": 60_000, "closes": 60_000, "get_et_us": 900_000},
            ),
            Flow(job("INNOCENT"), "TRIGGERED", puts=200), Flow(job("WAITER"), "TRIGGERED", gets=0, block={"gets": 900, "gets_any": 900}), *busy("BUSY.QUEUE"),
        ],
        [private("TRIGGERED"), private("BUSY.QUEUE")], events=at(ALWAYS, {"qqst": {"TRIGGERED": flow(200, 200, gets_no_message=60_700, get_failures=60_700)}}),
    ),
    "persistent puts without syncpoint": Story(
        "LG002", "logger task", None, "PERPUT",
        [
            Flow(job("PERPUT"), "ONE.BY.ONE", puts=300_000, task=committed(300_000, 420_000_000)),
            Flow(job("INNOCENT"), "BUSY.QUEUE", puts=400_000, task=committed(900, 9_000_000_000 // 4)),
        ],
        [private("ONE.BY.ONE"), private("BUSY.QUEUE")], events=at(LATE, {"qjst": slow_log(writes=5_100_000, idle_us=MICROSECONDS * 2 // 100)}),
    ),
    "a loop of opens and closes": Story(
        "MM002", "queue opens", "OPENED.OFTEN", "OPENER",
        [
            Flow(job("OPENER"), "OPENED.OFTEN", puts=40_000, block={"opens": 40_000, "closes": 40_000, "open_et_us": 900_000, "close_et_us": 500_000}),
            *busy("BUSY.QUEUE"),
        ],
        [private("OPENED.OFTEN"), private("BUSY.QUEUE")], events=at(ALWAYS, {"qmst": {"opens": 400_000, "closes": 400_000, "controls": 0, "callbacks": 0}}),
    ),
    "TLS handshakes": Story(
        "CH008", "TLS task 1", None, "RECON.SVRCONN", events=at(LATE, {"qct_ssl": {1: busy_task(0.94, 210, 48)}}),
        channels=partial(reconnecting, count=60, cipher_code=0x1302), because="CN012",
    ),
    "a pool shared by innocents": Story(
        "BP002", "buffer pool 3", "GUILTY", "FILLER",
        [
            Flow(job("FILLER"), "GUILTY", puts=40_000), Flow(job("SMALLJOB"), "SMALL.STUCK", puts=10), *busy("NEIGHBOUR", 400_000),
            Flow(job("POOLTWO"), "IN.POOL.TWO", puts=150_000), Flow(job("READTWO"), "IN.POOL.TWO", gets=150_000),
        ],
        [private("GUILTY", 4), private("SMALL.STUCK"), private("NEIGHBOUR"), private("IN.POOL.TWO", 2, 2)],
        deep={"GUILTY": rising(40_000), "SMALL.STUCK": rising(10, 110)}, events=at(LATE, full_pool(2, 3)), because="QU005",
    ),
}  # fmt: skip
"""The stories by what happened."""

NAMES = {name: f"S{number:02}" for number, name in enumerate(STORIES, 1)}
"""The first three letters of the queue managers of each story."""


def owners(name: str) -> list[QueueManager]:
    """The queue managers of a story."""
    story, short = STORIES[name], NAMES[name]
    return [
        QueueManager(
            f"{short}{letter}", f"{short}{letter}", qsg=f"G{short}" if story.structures else "", structures=story.structures,
            shared_data_sets=story.shared_data_sets, queues=(*story.queues, OTHER), channels=0, pool_headers=4, getmains=4,
        )
        for letter in "AB"[: story.members]
    ]  # fmt: skip


def _statistics(story: Story, number: int) -> Overrides:
    """The changes of statistics in a half hour: the depths of its queues, and its events."""
    queues: dict[str, Any] = {}
    for queue in story.queues:
        flows = [each for each in story.flows if each.queue == queue.name and number in each.when]
        puts, gets = (sum(getattr(each, kind) for each in flows) for kind in ("puts", "gets"))
        depths = story.deep.get(queue.name, (15,) * COUNT)
        before = depths[number - 1] if number else min(depths[0], 15)
        size = queue.message_bytes
        lengths = {
            "message_bytes_average": size,
            "message_bytes_high": size,
            "message_bytes_low": size,
            "oldest_message_s": 60,
        }
        levels = {
            "depth": depths[number],
            "depth_low": min(before, depths[number]),
            "depth_high": max(before, depths[number]) + 15,
        }
        queues[queue.name] = flow(puts, gets, **lengths, **levels) | (UNREAD if not gets and puts else {})
    events = dict(story.events.get(number, {}))
    return events | {"qqst": queues | dict(events.get("qqst", {}))}


def _accounting(story: Story, owner: QueueManager, member: int, number: int) -> Iterator[bytes]:
    """Class 3 of the applications, and channel accounting, in a half hour."""
    start_local = EIGHT + number * HALF_HOUR
    start = start_local - dt.timedelta(minutes=owner.gmt_offset_minutes)
    by_name = {queue.name: queue for queue in story.queues}
    for place, each in enumerate(story.flows):
        if number not in each.when or each.member != member:
            continue
        ident = accounting.correlator(100 * number + place + 1, start)
        queue = by_name[each.queue]
        where = {} if queue.structure else {"page_set_raw": queue.page_set_id, "pool_raw": queue.pool_id}
        sizes = {
            "put_bytes": queue.message_bytes * each.puts,
            "get_bytes": queue.message_bytes * each.gets,
            "mqputs_to_waiting_getter": 0,
        }
        values = where | sizes | dict(each.block)
        block = accounting.wq(
            owner, ident, queue.name, start, each.puts, each.gets, structure=queue.structure, values=values
        )
        yield from accounting.with_blocks(
            owner,
            each.who,
            start,
            start + HALF_HOUR,
            [block],
            number=100 * number + place + 1,
            calls=each.puts + each.gets,
            task_values=each.task,
        )
    if story.channels:
        rows = story.channels(start)
        for first in range(0, len(rows), 40):
            some = dict(enumerate(rows[first : first + 40]))
            yield accounting.channels(owner, start_local, SECONDS, [f"C{index}" for index in some], changes=some)


def records(name: str) -> list[bytes]:
    """The records of a story."""
    story = STORIES[name]
    out: list[bytes] = []
    for member, owner in enumerate(owners(name)):
        out += intervals(
            owner, EIGHT, COUNT, lambda start: _statistics(story, (start - EIGHT) // HALF_HOUR), with_accounting=False
        )
        for number in range(COUNT):
            out += _accounting(story, owner, member, number)
    return out


def build() -> bytes:
    """All stories in one dump."""
    return smf_file([record for name in STORIES for record in records(name)])
