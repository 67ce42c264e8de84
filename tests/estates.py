"""Scenarios that are judged together: their queue managers, under names of their own, are one estate in one dump.

Judging a dump costs seconds, whatever its size. So scenarios that need no report of their own share one: each keeps its
rules and subjects, which the tests compare for its own queue managers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from mqstat.fixtures.frame import joined, smf_file
from mqstat.fixtures.scenarios import SCENARIOS

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet

ESTATES: Mapping[str, tuple[str, ...]] = {
    "adapters": ("adapters_all_used", "adapters_below_advice", "adapters_saturated", "adapters_waiting", "requests_wait",
                 "dispatcher_saturated", "dispatcher_skewed", "dispatchers_crowded"),
    "buffer_pools_and_tls": ("gets_from_disk", "pool_low", "pool_nearly_full", "pool_running_over", "pool_writing_immediately",
                             "pool_writing_synchronously", "pools_below_bar",
                             "mixed_encryption", "tls_tasks_busy", "tls_tasks_few"),
    "calls": ("applications_wasteful", "calls_wasteful", "odd_accounting", "publish_storm", "queues_stuck", "queues_used_badly"),
    "channel_initiators": ("channels_troubled", "chinit_storage", "dns_blocked", "transmission_queues"),
    "collection": ("classes_ended", "clock_change", "missing_intervals", "overlapping_intervals", "partial_queue_records", "restarts_then_long",
                   "three_states", "two_zones", "upgrade"),
    "log_copies": ("archive_reads", "log_copies_uneven", "logger_saturated", "single_logging", "page_set_backlog"),
    "log_space": ("checkpoints_frequent", "log_offload_lagging", "logs_filling_fast", "long_intervals", "page_set_full"),
    "log_writes": ("fast_log_writes_unused", "log_write_spikes", "tracing_impaired", "zhyperlink_paths_short",
                   "ims_backlog", "limits_approaching", "limits_in_two_weeks"),
    "logs": ("log_buffers_paged", "log_buffers_short", "log_compression_poor", "log_copy_lost", "log_write_stall",
             "logger_spinning", "logs_filled_in_one_interval", "slow_log_writes"),
    "page_sets_and_structures": ("delete_storm", "page_set_largest", "page_set_nobody_gets", "page_set_slow_io", "page_set_trend",
                                 "admin_structure_full", "shared_queue_habits", "structure_full", "structure_nearly_full",
                                 "structure_redrives", "structure_slow"),
    "pool_sizes_and_db2": ("pool_lifetimes_mixed", "pool_zero_scanned", "pools_oversized", "short_lived_pool_spilling",
                           "db2_servers_delayed", "db2_trouble", "latch_storm"),
    "shared_messages_and_log_sizes": ("member_silent", "smds_buffer_sizes", "smds_nearly_full", "smds_reads_from_disk",
                                      "smds_short_of_buffers", "smds_slow_io", "smds_small_messages",
                                      "active_logs_few", "software_compression"),
    "storage_and_work": ("short_on_storage", "storage_leaking", "storage_low", "consumer_stopped", "smf_data_lost",
                         "accounting_day", "accounting_only", "tiny_tasks"),
    "known_data": ("known_errors", "queue_managers_moved", "pool_long_lived", "normal_day"),
}  # fmt: skip
"""Scenarios by estate; a scenario that is in no estate is judged alone.

Each dump that is judged costs two seconds, whatever is in it, so there are few, each of no more queue managers than a
report lists. Scenarios of different areas are judged together where they can be, because a health report shows one
table for each area: that of its worst finding.
"""

ESTATE_OF = {story: estate for estate, stories in ESTATES.items() for story in stories}
FIRST_TIER = ("pool_exhausted", "rich_estate")
"""The estates and scenarios that `make test` judges; `make test-ci` judges the others."""
LETTERS = "ABCDEFGHIJKLNOPRSTUVWXYZ"
"""The letters of stories, without M and Q, with which the names of scenarios begin."""
SHARING_GROUP = "QSG1"
"""The queue-sharing group of the scenarios; each story of an estate gets its own."""
MQ = (115, 116)
"""Types of the records of queue managers."""
DUMP_JOB = (2, 3)
"""Types of the records that a dump begins and ends with."""


def judged_together() -> list[str]:
    """The names of all dumps that are judged: estates, and scenarios that are judged alone."""
    alone = [name for name, scenario in SCENARIOS.items() if not scenario.refused and name not in ESTATE_OF]
    return [*ESTATES, *alone]


def first_in_breach(name: str) -> set[str]:
    """The rules that are in breach in this dump and in none before it: the golden of its findings has their cards."""
    firsts: dict[str, str] = {}
    for dump in judged_together():
        for story in ESTATES.get(dump, (dump,)):
            for rule, _ in SCENARIOS[story].expect:
                firsts.setdefault(rule, dump)
    return {rule for rule, dump in firsts.items() if dump == name}


def in_tiers(names: Iterable[str]) -> list[ParameterSet]:
    """These scenarios or estates as parameters of a test that reads their output, each in its tier."""
    return [
        pytest.param(name, marks=() if ESTATE_OF.get(name, name) in FIRST_TIER else pytest.mark.slow) for name in names
    ]


@dataclass(frozen=True)
class Judged:
    """What is judged at once: a dump, its site file, and for each story of an estate the new names of its LPARs, queue
    managers and its queue-sharing group.
    """

    dump: bytes
    site: str
    names: Mapping[str, Mapping[str, str]]


def judged(name: str) -> Judged:
    """An estate, its stories one after the other, or a scenario."""
    if name in SCENARIOS:
        return Judged(SCENARIOS[name].build(), SCENARIOS[name].site, {})
    records: list[bytes] = []
    sites: list[str] = []
    names: dict[str, Mapping[str, str]] = {}
    for letter, story in zip(LETTERS, ESTATES[name], strict=False):
        own = [record for record in joined(SCENARIOS[story].build()) if record[5] not in DUMP_JOB]
        heads = {record[14:22].decode("cp500") for record in own if record[5] in MQ}
        lpars = {head[:4]: f"{head[:2]}{letter}{head[3]}" for head in heads}
        managers = {head[4:]: letter + head[5:] for head in heads}
        silent = {subject.split()[0] for _, subject in SCENARIOS[story].expect} - managers.keys() - {"-"}
        names[story] = {**lpars, **managers, SHARING_GROUP: f"QS{letter}1", **{name: name for name in silent}}
        records += renamed(own, names[story])
        sites.append(in_words(for_lpars(SCENARIOS[story].site, sorted(lpars)), names[story]))
    given = [new for by_story in names.values() for new in by_story.values()]
    assert len(given) == len(set(given)), f"{name}: two stories have the same names"
    return Judged(smf_file(records), "".join(sites), names)


def renamed(records: Iterable[bytes], names: Mapping[str, str]) -> Iterable[bytes]:
    """Records in which these names of four characters are replaced wherever they are."""
    pairs = [(old.encode("cp500"), new.encode("cp500")) for old, new in names.items()]
    for record in records:
        changed = record
        for old, new in pairs:
            changed = changed.replace(old, new)
        yield changed


def for_lpars(site: str, lpars: Iterable[str]) -> str:
    """A site file whose facts and limits are those of some LPARs, instead of all."""
    parts = []
    for section in re.split(r"(?m)^(?=\[)", site):
        if re.match(r"\[site\]|\[rules\.\w+\]", section):
            for lpar in lpars:
                text = re.sub(r"^\[site\]", f"[lpar.{lpar}]", section)
                parts.append(re.sub(r"^\[(rules\.\w+)\]", rf"[\1.lpar.{lpar}]", text))
        else:
            parts.append(section)
    return "".join(parts)


def in_words(text: str, names: Mapping[str, str]) -> str:
    """A text, such as a subject or a site file, with other names."""
    for old, new in names.items():
        text = text.replace(old, new)
    return text
