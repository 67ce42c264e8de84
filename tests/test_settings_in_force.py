"""Advice is about the setting in force at the end of the data: one dump in which every setting that records show is
changed at noon.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mqstat.assemble.plan.model import plans
from mqstat.fixtures.channel_stories import tasks
from mqstat.fixtures.day import DAY, HALF_HOUR, Changes, intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.objects import Overrides
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios.channels_troubled import moved
from mqstat.fixtures.stories import busy_adapters
from mqstat.judge.commands import do_of, is_command
from mqstat.judge.model import rules
from mqstat.judge.mqsc import Template
from mqstat.judge.sentences import remedy_of
from mqstat.judge.settings import NOTHING, advice_parts, settings
from tests.costs import cache
from tests.support import file_of, invoke

MIB = 1 << 20
HALF = 4
"""Half hours before noon, and after it."""
BEGIN = DAY + dt.timedelta(hours=12) - HALF * HALF_HOUR


class Story(NamedTuple):
    """A finding about a setting: what it is while the rule is in breach, when it is still in breach with a better
    value, and with the value that ends it.

    `made` returns the sections of an interval for a value, and whether the trouble is there.
    """

    rule: str
    subject: str
    bad: Any
    better: Any
    good: Any
    made: Callable[[Any, bool], Overrides]
    owner: str = ""
    """The parameter of the queue manager that has the value."""
    number: int = 1
    """Of its queue managers: the dispatchers decide how many TLS tasks are enough."""


def exhausted(buffers: int, is_bad: bool) -> Overrides:
    """Pool 3 without a stealable buffer; its steals contend."""
    trouble = {
        "lowest_stealable": 0, "synchronous_write_hits": 900, "deferred_write_starts": 22, "no_buffer_waits": 17, "steals": 9_000, "steal_contention": 8_000,
    }  # fmt: skip
    usual = {"lowest_stealable": buffers * 4 // 5, "current_stealable": buffers * 4 // 5}
    return {"qpst": {3: {"buffers": buffers, **(trouble if is_bad else usual)}}}


def crowded(limit: int, is_bad: bool) -> Overrides:
    """Nearly all channels that a limit allows."""
    channels = limit * 95 // 100 if is_bad else 95
    names = ("max_channels", "max_active_channels", "max_tcp_channels")
    return {"qcct": {"current_channels": channels, "active_channels": channels, **dict.fromkeys(names, limit)}}


def of_chinit(mib: int, is_bad: bool) -> Overrides:
    """Storage above the bar of the channel initiator, nine tenths or half of it in use."""
    return {"qcct": {"chinit_64_limit_mib": mib, "chinit_64_mib": mib * 9 // 10 if is_bad else mib // 2}}


STORIES = (
    Story("BP001", "buffer pool 3", 20_000, 30_000, 300_000, exhausted),
    Story("BP006", "buffer pool 3", 20_000, 30_000, 300_000, exhausted),
    Story("CN001", "channels", 100, 200, 500, crowded),
    Story("PS002", "page set 2", "None", None, "System", lambda method, bad: {"qis1": {2: {
        "expansion_method": method, "total_pages": 80_000, "unused_pages": 4_000 if bad else 40_000}}}),
    Story("SM001", "structure APP1", 100, 150, 400, lambda count, bad: {"qesd": {"APP1": {
        "smds_buffers": count, **({"buffers_free_low": -23, "pool_waits": 412, "pool_wait_us": 1_900_000} if bad else {})}}}),
    Story("ST006", "64-bit storage", 4_096, 8_192, 32_768, lambda mib, bad: {"qsrs": {
        "memlimit_mib": mib, "available_64_bytes": mib * MIB // (10 if bad else 2), "cushion_64_bytes": 10 * MIB}}, number=2),
    Story("CH012", "channel initiator", 1_024, 1_536, 4_096, of_chinit),
    Story("CH014", "channel initiator", 1_024, 1_536, 4_096, of_chinit),
    Story("CH001", "adapters", 8, 10, 30, lambda count, bad: {"qct_adp": busy_adapters(count, 0.2 if bad else 0.001)}, "adapters"),
    Story("CH007", "dispatchers", 1, 2, 8, lambda count, bad: {
        "qcct": {"current_channels": 150 if bad else 20}, "qct_dsp": tasks([0.5 if bad else 0.02] * count, 200, 50)}, "dispatchers", 2),
    Story("CH009", "TLS tasks", 3, 4, 12, lambda count, _: {"qct_ssl": tasks([0.2] * count, 200, 50)}, "ssl_tasks"),
    Story("CN007", "channel {}.TO.PAY01", 600_000, 400_000, 0, lambda ms, _: {"qcst": {"PAY01": {"batch_interval_ms": ms}}}),
    Story("CN008", "channel {}.TO.CRM01", 50, 40, 2, lambda count, bad: {"qcst": {"CRM01": {
        **moved(300, 150, 2_097_152 if bad else 4_000), "batch_size_limit": count}}}),
    Story("CN009", "channel {}.TO.STK01", 5_000, 5_100, 50_000, lambda kib, _: {"qcst": {"STK01": {
        **moved(12_000, 240, 98_000), "batch_size_limit": 90, "batch_limit_kib": kib}}}),
    Story("ST003", "storage requests", 1_000, 1_200, 1_619, lambda mib, bad: {
        "qsrs": {"region_31_bytes": mib * MIB}, "qsst": {"storage_errors": 3 if bad else 0}}),
    Story("QU012", "queue ORDERS.ENTRY by CICSPRD2/SRV1", "None", None, "CorrelId", lambda index, bad: {"wq": {"ORDERS.ENTRY": {
        "index_type": index, "gets": 5_000, "gets_any": 0, "gets_specific": 5_000, "messages_skipped": 400_000 if bad else 100}}}),
    Story("DB001", "Db2 requests", 4, 6, 20, lambda count, bad: {"q5st": {"db2_servers": count, "db2_queue_high": 30 if bad else 0}}),
)  # fmt: skip
MENDED, SPOILED, RAISED, STEADY = "M", "S", "R", "T"
"""Last letters of queue managers whose settings become good, bad or better at noon, and of one whose settings stay
bad."""


def merged(parts: Iterator[Overrides], qmgr: str) -> dict[str, dict[Any, Any]]:
    """Overrides of several stories."""
    made: dict[str, dict[Any, Any]] = {}
    for part in parts:
        for name, values in part.items():
            for written, value in values.items():
                key = f"{qmgr}.TO.{written}" if name == "qcst" else written
                known = made.setdefault(name, {}).get(key)
                made[name][key] = {**known, **value} if isinstance(known, dict) else value
    return made


def at_all_times(made: Overrides) -> Changes:
    """The same overrides in every interval."""
    return lambda _: made


SMALL: Mapping[str, Any] = {
    "qsg": "QSG1", "structures": ("APP1",), "shared_data_sets": ("APP1",), "pool_headers": 4, "getmains": 4, "channels": 4,
}  # fmt: skip
KINDS = {MENDED: ("bad", "good"), SPOILED: ("good", "bad"), RAISED: ("bad", "better"), STEADY: ("bad", "bad")}


def day(qmgr: str, chosen: tuple[Story, ...], halves: tuple[str, str]) -> Iterator[bytes]:
    """The records of a queue manager whose settings have one value before noon and one after it."""
    for number, which in enumerate(halves):
        values = {story.rule: getattr(story, which) or (story.bad if which == "better" else 0) for story in chosen}
        own: dict[str, Any] = {**SMALL, **{story.owner: values[story.rule] for story in chosen if story.owner}}
        owner = QueueManager(qmgr, **own)
        made = merged((story.made(values[story.rule], which != "good") for story in chosen), qmgr)
        yield from intervals(owner, BEGIN + number * HALF * HALF_HOUR, HALF, at_all_times(made))


@cache
def judged(folder: Path) -> tuple[Path, Mapping[tuple[str, str, str], Mapping[str, Any]]]:
    """The dump, and its findings."""
    apart = [tuple(story for story in STORIES if story.number == number) for number in (1, 2)]
    managers = [(number, chosen, *kind) for number, chosen in enumerate(apart, 1) for kind in KINDS.items()]
    records = [
        record for number, chosen, letter, halves in managers for record in day(f"MQ{number}{letter}", chosen, halves)
    ]
    path = file_of(smf_file(records), folder)
    return path, findings_of(path)


def findings_of(path: Path) -> Mapping[tuple[str, str, str], Mapping[str, Any]]:
    """The findings in a dump by queue manager, rule and subject, with their figures as text again."""
    listed = json.loads(invoke("check", path, "--format", "json").stdout)["findings"]
    rows = [{**row, "figures": row["figures"] and json.dumps(row["figures"])} for row in listed]
    return {(row["qmgr"], row["rule_id"], row["subject"]): row for row in rows if row["figures"]}


@cache
def planned(path: Path, name: str) -> Mapping[tuple[str, str | None], Mapping[str, Any]]:
    """The answers of a plan by queue manager and subject."""
    listed = json.loads(invoke("plan", name, path, "--format", "json").stdout)["answers"]
    return {(each["qmgr"], each["subject"]): each for each in listed}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("noon")


def advice(folder: Path, letter: str, story: Story) -> tuple[str, tuple[str, ...], str]:
    """Remedy, what to do, and the answer of the plan (empty if the rule leaves nothing to one) of a finding."""
    path, findings = judged(folder)
    qmgr = f"MQ{story.number}{letter}"
    row = findings[qmgr, story.rule, story.subject.format(qmgr)]
    name = rules()[story.rule].do_of_plan
    if not name:
        return remedy_of(row), do_of(row), ""
    subject = row["subject"].split(" ")[-1] if plans()[name].subject != "qmgr" else None
    concluded = planned(path, name)[qmgr, subject]
    return remedy_of(row), do_of(row, tuple(concluded["do"])), concluded["text"]


NAMES = {"CN001": "MAXCHL"}


def setting_of(story: Story) -> str:
    return NAMES.get(story.rule) or next(name for name in rules()[story.rule].settings if settings()[name].shown)


def sizes(texts: tuple[str, ...], setting: str) -> list[int]:
    return [int(size) for text in texts if is_command(text) for size in re.findall(rf"\b{setting}\((\d+)\)", text)]


IDENTIFY = frozenset({"CHLTYPE", "CFSTRUCT", "QSGDISP", "CLASS"})
"""Keywords that name what a command is about, or the class of a trace that it starts."""
NO_SETTING = frozenset({"CN014", "CV001", "CV007"})
"""Rules with a size that change no setting: a channel or a trace is started."""
LAST_STATE = {"BP012": "its view has the pools that are below the bar at the end", "BP013": "the same"}
"""Rules about settings of several objects."""
NOT_PLANTED = {
    "ACTCHL": "with MAXCHL", "TCPCHL": "with MAXCHL", "BATCHSZ": "with the plan, by CN008", "LOCATION": "in a test of its own",
}  # fmt: skip
OF_PLAN = {
    ("chinit_max_channels", "MAXCHL"): "the storage in use does not depend on it, and the last value is compared",
    ("page_set_sizing", "EXPAND"): "the put rate does not depend on it, and the last value decides",
}
"""Commands of plans whose figures do not follow from the setting."""


def changed_by(items: Iterable[Template | str]) -> set[str]:
    """The settings that commands change."""
    return {
        name
        for item in items
        if isinstance(item, Template) and not item.text.startswith(("START", "DISPLAY"))
        for name in item.keywords
    } - IDENTIFY


def test_every_command_and_size_names_its_settings() -> None:
    bad: list[str] = []
    for rule in rules().values():
        named = {word for name in rule.settings for word in name.split()}
        bad += [f"{rule.id}: {name}" for name in changed_by(rule.commands.do) - named]
        needs_one = (rule.commands.sizes or rule.do_of_plan) and rule.id not in NO_SETTING
        bad += [rule.id] if needs_one and not rule.settings else []
        looked_up = {name for name in rule.settings if settings()[name].shown} == set(rule.settings_shown)
        bad += [] if looked_up or rule.id in LAST_STATE else [rule.id]
    for plan in plans().values():
        for name in changed_by(item for each in plan.conclusions.values() for item in each.do):
            is_known = name in settings() and (
                not settings()[name].shown or name in plan.settings or (plan.id, name) in OF_PLAN
            )
            bad += [] if is_known or name == "LOCATION" else [f"{plan.id}: {name}"]
    assert not bad


def test_every_setting_is_used_and_planted_or_not_shown() -> None:
    used = {name for rule in rules().values() for name in rule.settings} | {"ZHYLINK"}
    assert set(settings()) == used
    assert all(bool(each.shown) + bool(each.ask) + bool(each.why) == 1 for each in settings().values())
    planted = {name for story in STORIES for name in rules()[story.rule].settings} | set(NOT_PLANTED)
    assert {name for name, each in settings().items() if each.shown} <= planted


def test_a_percentage_of_a_command_is_computed() -> None:
    texts = [(rule.id, size.cost) for rule in rules().values() for size in rule.commands.sizes.values()]
    assert [each for each in texts if re.search(r"(step of|That is) [0-9]+ %", each[1])] == []


@pytest.mark.slow
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.rule)
def test_a_setting_that_ended_the_breach_is_stated_and_no_command(story: Story, folder: Path) -> None:
    # The mean of the period is far from the limit in force; a queue that has an index at its last use is not judged.
    if story.rule in ("CN009", "QU012"):
        assert (f"MQ1{MENDED}", story.rule, story.subject.format(f"MQ1{MENDED}")) not in judged(folder)[1]
        return
    remedy, do, plan = advice(folder, MENDED, story)
    stated = rf"{setting_of(story)}.* changed at 2026-03-02 12:00:00 \(UTC\+1\) from .+ to .+"
    if rules()[story.rule].judge.kind == "whole":
        assert re.match(rf"{stated}: the figures are those of the whole period", do[0])
    else:
        assert re.match(rf"{stated}, no breach since \((no interval|{HALF - 1} intervals) judged\)\.", remedy)
        assert do == ()
    assert not any(map(is_command, do))
    assert not plan or f"{setting_of(story)} changed at 2026-03-02 12:00 from" in plan


@pytest.mark.slow
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.rule)
def test_a_command_is_about_the_value_in_force(story: Story, folder: Path) -> None:
    setting = setting_of(story)
    for qmgr, now in ((SPOILED, story.bad), (RAISED, story.better or story.bad), (STEADY, story.bad)):
        remedy, do, plan = advice(folder, qmgr, story)
        assert "no breach since" not in remedy
        changed = [text for text in do if " changed at " in text]
        is_changed = qmgr == SPOILED or (qmgr == RAISED and story.better is not None)
        if qmgr == RAISED and story.better is not None and rules()[story.rule].judge.kind == "whole":
            assert changed == list(do)
            continue
        assert bool(changed) == is_changed, (qmgr, do)
        assert do
        shown = sizes(do, setting)
        assert shown or story.rule in {"PS002", "ST006", "CH012", "CH014", "ST003", "DB001", "QU012"}, (
            do
        )  # words, or a sentence
        way = rules()[story.rule].settings[setting]
        assert all(size > now if way == "raises" else size < now for size in shown), (qmgr, do)
        assert not plan or (" changed at " in plan) == is_changed


@pytest.mark.slow
def test_a_pool_is_moved_above_the_bar_if_it_is_below_at_the_end(tmp_path: Path) -> None:
    """Pools 0 and 3 below the bar take most of the region: moved at noon, one of them moved, moved below at noon, and
    never moved.
    """
    halves = {MENDED: ("03", ""), RAISED: ("03", "0"), SPOILED: ("", "03"), STEADY: ("03", "03")}
    records: list[bytes] = []
    for letter, pools in halves.items():
        for number, below in enumerate(pools):
            made = {"qpst": {pool: {"above_bar": str(pool) not in below, "buffers": 200_000} for pool in (0, 3)}}
            made["qpst"][3] |= exhausted(200_000, number == 0 or letter != MENDED)["qpst"][3]
            begin = BEGIN + number * HALF * HALF_HOUR
            records += intervals(QueueManager(f"MQ1{letter}", **SMALL), begin, HALF, at_all_times(made))
    rows = findings_of(file_of(smf_file(records), tmp_path))
    do = {name: do_of(rows[name]) for name in rows if name[1] in ("BP012", "BP013")}
    first = "ALTER BUFFPOOL(0) LOCATION(ABOVE)"
    assert {name[:2]: each[0] for name, each in do.items()} == {
        **{(f"MQ1{letter}", rule): first for letter in (SPOILED, STEADY) for rule in ("BP012", "BP013")},
        (f"MQ1{RAISED}", "BP012"): first,
    }
    size = {RAISED: "pools 0. Together they take 781 MiB", SPOILED: "pools 0, 3. Together they take 1,562 MiB"}
    for letter, text in size.items():
        assert text in do[f"MQ1{letter}", "BP012", "buffer pools"][1]
    moved_pool = rows[f"MQ1{MENDED}", "BP006", "buffer pool 3"]
    assert do_of(moved_pool) == ()
    assert remedy_of(moved_pool).startswith(
        "LOCATION changed at 2026-03-02 12:00:00 (UTC+1) from BELOW to ABOVE, no breach since"
    )
    assert " from ABOVE to BELOW" in do_of(rows[f"MQ1{SPOILED}", "BP006", "buffer pool 3"])[-1]


@pytest.mark.slow
def test_limits_that_bind_are_raised_together_and_not_without_storage(tmp_path: Path) -> None:
    """MQ01 has 31-bit storage for more channels, MQ02 has not (CH013)."""
    storage = {"MQ01": 400, "MQ02": 1_300}
    records = []
    for qmgr, mib in storage.items():
        changes = at_all_times(merged(iter([crowded(500, True), {"qcct": {"chinit_31_mib": mib}}]), qmgr))
        records += intervals(QueueManager(qmgr, pool_headers=4, getmains=4), BEGIN, HALF, changes)
    rows = findings_of(file_of(smf_file(records), tmp_path))
    do = {qmgr: do_of(rows[qmgr, "CN001", "channels"]) for qmgr in storage}
    assert do["MQ01"][0] == "ALTER QMGR MAXCHL(700) ACTCHL(700) TCPCHL(700)"
    assert do["MQ01"][1].startswith("That is 40 % more than the 500 of MAXCHL.")
    assert len(do["MQ02"]) == 1
    assert do["MQ02"][0].startswith("No limit of channels is raised: the 31-bit storage")


@pytest.mark.parametrize(
    ("way", "name", "facts", "size", "part", "text"),
    [
        ("raises", "LOGLOAD", {}, 4_000_000, "setting_condition", "Do so only if LOGLOAD is still lower: no record shows it."),
        ("raises", "LOGLOAD", {"logload": 500_000}, 4_000_000, "setting_condition", "LOGLOAD is 500,000 by the site file."),
        ("raises", "LOGLOAD", {"logload": 8_000_000}, 4_000_000, "setting_instead", "LOGLOAD is 8,000,000 already, by the site file."),
        ("lowers", "MAXUMSGS", {"maxumsgs": 10_000}, 10_000, "setting_instead", "MAXUMSGS is 10,000 already, by the site file."),
        ("sets", "ZHYWRITE", {"zhywrite": True}, "YES", "setting_instead", "ZHYWRITE is YES already, by the site file."),
    ],
)  # fmt: skip
def test_a_setting_that_no_record_shows_is_a_condition(
    way: str, name: str, facts: Any, size: Any, part: str, text: str
) -> None:
    assert list(advice_parts({name: way}, NOTHING, facts, {}, [{name: size}], {})) == [(part, text)]
