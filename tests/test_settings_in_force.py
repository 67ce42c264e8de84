"""Advice is about the setting in force at the end of the data: one dump in which every setting that records show is changed at noon."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mqstat.assemble.plan.model import plans
from mqstat.fixtures.channel_stories import tasks
from mqstat.fixtures.day import DAY, HALF_HOUR, intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.objects import Overrides
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.stories import busy_adapters
from mqstat.judge.commands import do_of, is_command
from mqstat.judge.model import rules
from mqstat.judge.mqsc import Template
from mqstat.judge.sentences import remedy_of
from mqstat.judge.settings import settings
from tests.support import invoke

MIB = 1 << 20
HALF = 4
"""Half hours before noon, and after it."""
BEGIN = DAY + dt.timedelta(hours=12) - HALF * HALF_HOUR


class Story(NamedTuple):
    """A finding about a setting: what it is while the rule is in breach, when it is still in breach with a better value, and with the value that ends it.

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


def full(expansion: str, is_bad: bool) -> Overrides:
    """Page set 2 at 95 %, or half full."""
    used = 76_000 if is_bad else 40_000
    pages = {"total_pages": 80_000, "unused_pages": 80_000 - used, "persistent_pages": used, "nonpersistent_pages": 0}
    return {"qis1": {2: {"expansion_method": expansion, **pages}}}


def short(buffers: int, is_bad: bool) -> Overrides:
    """Requests for buffers of the shared message data set of APP1 that waited."""
    trouble = {"buffers_free_low": -23, "buffers_used_high": buffers, "pool_waits": 412, "pool_wait_us": 1_900_000}
    return {"qesd": {"APP1": {"smds_buffers": buffers, **(trouble if is_bad else {})}}}


def above_bar(limit_mib: int, is_bad: bool) -> Overrides:
    """Storage above the bar of the queue manager, a tenth or half of which is left."""
    return {
        "qsrs": {
            "memlimit_mib": limit_mib,
            "available_64_bytes": limit_mib * MIB // (10 if is_bad else 2),
            "cushion_64_bytes": 10 * MIB,
        }
    }


def of_chinit(limit_mib: int, is_bad: bool) -> Overrides:
    """Storage above the bar of the channel initiator, nine tenths or half of it in use."""
    return {
        "qcct": {"chinit_64_limit_mib": limit_mib, "chinit_64_mib": limit_mib * 9 // 10 if is_bad else limit_mib // 2}
    }


def crowded_dispatchers(count: int, is_bad: bool) -> Overrides:
    """Many channels, whose dispatchers are busy."""
    busy = tasks([0.5 if is_bad else 0.02] * count, 200, 50)
    return {"qcct": {"current_channels": 150 if is_bad else 20}, "qct_dsp": busy}


def batches(milliseconds: int, _: bool) -> Overrides:
    """BATCHINT of a channel."""
    return {"qcst": {"CHANNEL": {"batch_interval_ms": milliseconds}}}


STORIES = (
    Story("BP001", "buffer pool 3", 20_000, 30_000, 300_000, exhausted),
    Story("BP006", "buffer pool 3", 20_000, 30_000, 300_000, exhausted),
    Story("CN001", "channels", 100, 200, 500, crowded),
    Story("PS002", "page set 2", "None", None, "System", full),
    Story("SM001", "structure APP1", 100, 150, 400, short),
    Story("ST006", "64-bit storage", 4_096, 8_192, 32_768, above_bar),
    Story("CH012", "channel initiator", 1_024, 1_536, 4_096, of_chinit),
    Story("CH014", "channel initiator", 1_024, 1_536, 4_096, of_chinit),
    Story("CH001", "adapters", 8, 10, 30, lambda count, bad: {"qct_adp": busy_adapters(count, 0.2 if bad else 0.001)}, "adapters"),
    Story("CH007", "dispatchers", 1, 2, 8, crowded_dispatchers, "dispatchers", 2),
    Story("CH009", "TLS tasks", 3, 4, 12, lambda count, _: {"qct_ssl": tasks([0.2] * count, 200, 50)}, "ssl_tasks"),
    Story("CN007", "channel {}.TO.PAY01", 600_000, 400_000, 0, batches),
)  # fmt: skip
MENDED, SPOILED, RAISED, STEADY = "M", "S", "R", "T"
"""Last letters of queue managers whose settings become good, bad or better at noon, and of one whose settings stay bad."""


def merged(parts: Iterator[Overrides], qmgr: str) -> dict[str, dict[Any, Any]]:
    """Overrides of several stories."""
    made: dict[str, dict[Any, Any]] = {}
    for part in parts:
        for name, values in part.items():
            for written, value in values.items():
                key = f"{qmgr}.TO.PAY01" if written == "CHANNEL" else written
                known = made.setdefault(name, {}).get(key)
                made[name][key] = {**known, **value} if isinstance(known, dict) else value
    return made


def half(qmgr: str, chosen: tuple[Story, ...], value: str, start: dt.datetime, is_bad: bool) -> list[bytes]:
    """The records of half of a day with the values of this name."""
    values = {story.rule: getattr(story, value) if getattr(story, value) is not None else story.bad for story in chosen}
    owned = {story.owner: values[story.rule] for story in chosen if story.owner}
    owner = QueueManager(
        qmgr,
        qsg="QSG1",
        structures=("APP1",),
        shared_data_sets=("APP1",),
        pool_headers=4,
        getmains=4,
        channels=4,
        **owned,
    )
    made = merged((story.made(values[story.rule], is_bad) for story in chosen), qmgr)
    return intervals(owner, start, HALF, lambda _: made)


def day(qmgr: str, chosen: tuple[Story, ...], before: str, after: str) -> list[bytes]:
    """The records of a queue manager whose settings have one value before noon and one after it."""
    noon = DAY + dt.timedelta(hours=12)
    out = half(qmgr, chosen, before, BEGIN, before != "good")
    return out + half(qmgr, chosen, after, noon, after != "good")


KINDS = {MENDED: ("bad", "good"), SPOILED: ("good", "bad"), RAISED: ("bad", "better"), STEADY: ("bad", "bad")}
SITE = '[site]\nqsg = "QSG1"\n'


@cache
def judged(folder: Path) -> tuple[Path, Mapping[tuple[str, str, str], Mapping[str, Any]]]:
    """The dump, and its findings by queue manager, rule and subject, with their figures as text again."""
    apart = [tuple(story for story in STORIES if story.number == number) for number in (1, 2)]
    data = smf_file(
        [
            record
            for number, chosen in enumerate(apart, 1)
            for letter, (before, after) in KINDS.items()
            for record in day(f"MQ{number}{letter}", chosen, before, after)
        ]
    )
    path = folder / "noon.smf"
    path.write_bytes(data)
    found = json.loads(invoke("check", path, "--format", "json").stdout)["findings"]
    rows = [{**row, "figures": row["figures"] and json.dumps(row["figures"])} for row in found]
    return path, {(row["qmgr"], row["rule_id"], row["subject"]): row for row in rows if row["figures"]}


@cache
def planned(path: Path, name: str) -> Mapping[tuple[str, str | None], Mapping[str, Any]]:
    """The answers of a plan by queue manager and subject."""
    answers = json.loads(invoke("plan", name, path, "--format", "json").stdout)["answers"]
    return {(each["qmgr"], each["subject"]): each for each in answers}


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
    answer = planned(path, name)[qmgr, subject]
    return remedy_of(row), do_of(row, tuple(answer["do"])), answer["text"]


NAMES = {"CN001": "MAXCHL"}


def setting_of(story: Story) -> str:
    return NAMES.get(story.rule) or next(name for name in rules()[story.rule].settings if settings()[name].shown)


def sizes(texts: tuple[str, ...], setting: str) -> list[int]:
    return [int(size) for text in texts if is_command(text) for size in re.findall(rf"\b{setting}\((\d+)\)", text)]


pytestmark = pytest.mark.slow


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.rule)
def test_a_setting_that_ended_the_breach_is_stated_and_no_command(story: Story, folder: Path) -> None:
    remedy, do, plan = advice(folder, MENDED, story)
    stated = rf"{setting_of(story)}.* changed at 2026-03-02 12:00:00 \(UTC\+1\) from .+ to .+"
    if rules()[story.rule].judge.kind == "whole":
        assert re.match(rf"{stated}: the figures are those of the whole period", do[0])
    else:
        assert re.match(rf"{stated}, no breach since \((no interval|{HALF - 1} intervals) judged\)\.", remedy)
        assert do == ()
    assert not any(map(is_command, do))
    assert not plan or f"{setting_of(story)} changed at 2026-03-02 12:00 from" in plan


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.rule)
def test_a_command_is_about_the_value_in_force(story: Story, folder: Path) -> None:
    setting = setting_of(story)
    for qmgr, now in ((SPOILED, story.bad), (RAISED, story.better or story.bad), (STEADY, story.bad)):
        remedy, do, plan = advice(folder, qmgr, story)
        assert "no breach since" not in remedy
        changed = [text for text in do if " changed at " in text]
        is_changed = qmgr == SPOILED or (qmgr == RAISED and story.better is not None)
        if qmgr == RAISED and rules()[story.rule].judge.kind == "whole":
            assert changed == list(do)
            continue
        assert bool(changed) == is_changed, (qmgr, do)
        assert do
        shown = sizes(do, setting)
        assert (
            bool(shown)
            == any(isinstance(item, Template) and setting in item.text for item in rules()[story.rule].commands.do)
            or plan
            or story.rule == "PS002"
        )
        way = rules()[story.rule].settings[setting]
        assert all(size > now if way == "raises" else size < now for size in shown), (qmgr, do)
        assert not plan or (" changed at " in plan) == is_changed
