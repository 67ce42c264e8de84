"""What a plan recommends, against dumps that are built with it: the rule is clear."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mqstat.assemble.plan.model import SUBJECTS, plan_of
from mqstat.fixtures.channel_stories import tasks
from mqstat.fixtures.day import at_times, morning
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import find, smds_short_of_buffers
from mqstat.fixtures.stories import busy_adapters, log_switches, slow_log
from mqstat.judge.model import rules
from tests.support import file_of, invoke
from tests.test_plan_cards import TAKEN_FROM_PLANS

USED = 42_550
"""Buffers of pool 1 in use at its peak in scenario pool_low, which has 50,000."""


def planned(name: str, dump: Path, *settings: str) -> dict[str, Any]:
    """The result of a plan over a dump."""
    options = [word for setting in settings for word in ("--set", setting)]
    done = invoke("plan", name, dump, *options, "--format", "json")
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def findings(dump: Path, *more: Any) -> set[tuple[str, str]]:
    """Rule and subject of each finding in breach or silenced."""
    listed = json.loads(invoke("check", dump, *more, "--format", "json").stdout)["findings"]
    return {
        (each["rule_id"], each["subject"]) for each in listed if each["state"] == "breach" or each.get("silenced_by")
    }


def low_pool(folder: Path, buffers: int) -> Path:
    """Scenario pool_low with another size of pool 1 and the same use: what the queue manager then counts follows from
    its thresholds.
    """
    free = buffers - USED
    pool = {"buffers": buffers, "lowest_stealable": max(0, free)}
    pool["deferred_write_starts"] = int(free < 0.15 * buffers)
    pool["synchronous_write_hits"] = int(free < 0.05 * buffers)
    pool["no_buffer_waits"] = int(free <= 0)
    return file_of(smf_file(morning(at_times({"09:30": {"qpst": {1: pool}}}))), folder, f"pool-{buffers}.smf")


def answered(result: Mapping[str, Any], subject: str | None = None) -> dict[str, Any]:
    """The values of the steps for one subject."""
    (found,) = [each for each in result["answers"] if each["subject"] == subject]
    return {step["name"]: step["value"] for step in found["steps"]}


@pytest.mark.parametrize("buffers", [120_000, 51_000, 50_176, 50_000, 49_000, 44_000, 42_000])
def test_a_pool_below_15_percent_is_what_the_rule_finds_at_that_size(buffers: int, tmp_path: Path) -> None:
    rebuilt = findings(low_pool(tmp_path, buffers))
    tried = planned("buffer_pool_what_if", low_pool(tmp_path, 50_000), f"buffer_pool[1].buffers={buffers}")
    steps = answered(tried, "1")
    assert (steps["intervals_below_15"] > 0) == bool({("BP002", "buffer pool 1"), ("BP004", "buffer pool 1")} & rebuilt)


def test_a_pool_of_the_recommended_size_has_no_finding(tmp_path: Path) -> None:
    dump = low_pool(tmp_path, 50_000)
    assert ("BP004", "buffer pool 1") in findings(dump)
    size = answered(planned("buffer_pool_size_needed", dump), "1")["buffers_to_set"]
    assert not {key for key in findings(low_pool(tmp_path, size)) if key[1] == "buffer pool 1"}


def test_logs_of_the_recommended_number_have_no_finding(tmp_path: Path) -> None:
    """The number of logs is a fact of the site file, so the same dump is judged with the recommended number."""
    scenario = find("active_logs_few")
    dump = file_of(scenario.build(), tmp_path, "logs.smf")
    few = file_of(scenario.site.encode(), tmp_path, "few.toml")
    needed = answered_by_qmgr(planned_with_site("log_size_and_count", dump, few))["MQ01"]["logs_needed"]
    enough = file_of(
        scenario.site.replace("active_logs = 3", f"active_logs = {needed}").encode(), tmp_path, "enough.toml"
    )
    assert {"LG011", "LG012"} <= {rule for rule, _ in findings(dump, "--site", few)}
    assert not {"LG011", "LG012"} & {rule for rule, _ in findings(dump, "--site", enough)}


def planned_with_site(name: str, dump: Path, site: Path) -> dict[str, Any]:
    """The result of a plan with a site file."""
    result: dict[str, Any] = json.loads(invoke("plan", name, dump, "--site", site, "--format", "json").stdout)
    return result


def answered_by_qmgr(result: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The values of the steps by queue manager."""
    return {each["qmgr"]: {step["name"]: step["value"] for step in each["steps"]} for each in result["answers"]}


@pytest.mark.parametrize("scenario", TAKEN_FROM_PLANS)
def test_the_card_of_a_finding_recommends_what_its_plan_does(scenario: str, tmp_path: Path) -> None:
    dump = file_of(find(scenario).build(), tmp_path, "dump.smf")
    site: list[Any] = (
        ["--site", file_of(find(scenario).site.encode(), tmp_path, "site.toml")] if find(scenario).site else []
    )
    listed = json.loads(invoke("report", dump, *site, "--format", "json").stdout)["findings"]
    cards = [each for each in listed if rules()[each["rule_id"]].do_of_plan]
    assert TAKEN_FROM_PLANS[scenario] <= {each["rule_id"] for each in cards}
    for name in {rules()[each["rule_id"]].do_of_plan for each in cards}:
        plan = plan_of(name)
        listed = json.loads(invoke("plan", name, dump, *site, "--format", "json").stdout)["answers"]
        by_subject = {
            (each["qmgr"], each["subject"]): each["do"] if each["state"] == "answered" else [each["text"]]
            for each in listed
        }
        for card in cards:
            if rules()[card["rule_id"]].do_of_plan == name:
                worst = card["subjects"][0]
                named = " --site site.toml" if site else ""
                assert f"mqstat plan {name} {dump.name} --qmgr {worst['qmgr']}{named}" in card["plan"]
                subject = None if plan.subject == "qmgr" else worst["subject"].removeprefix(SUBJECTS[plan.subject])
                assert card["do"] == by_subject[worst["qmgr"], subject], card["rule_id"]


def test_a_limit_of_the_site_holds_for_the_rule_and_its_plan(tmp_path: Path) -> None:
    dump = file_of(find("pool_low").build(), tmp_path, "pool.smf")
    site = file_of(b"[rules.BP004]\nstealable_pct_min = 30\nreason = 'x'\n", tmp_path, "site.toml")
    (found,) = [
        each for each in planned_with_site("buffer_pool_size_needed", dump, site)["answers"] if each["subject"] == "1"
    ]
    (wanted,) = [each for each in found["inputs"] if each["name"] == "free_wanted"]
    assert (wanted["value"], wanted["origin"]) == (30, "site file")
    assert found["steps"][0]["value"] == math.ceil(USED / 0.7)


def test_adapters_of_the_recommended_number_have_no_finding(tmp_path: Path) -> None:
    """The same work on more adapters: those that are added stay idle."""
    dump = file_of(find("adapters_saturated").build(), tmp_path, "adapters.smf")
    number = answered_by_qmgr(planned("chinit_adapters", dump))["MQ01"]["adapters_to_set"]
    work: dict[str, Mapping[str, Mapping[Any, Any]]] = {
        "10:00": {"qct_adp": busy_adapters(8, 0.5)},
        "10:30": {"qct_adp": busy_adapters(8, 0.82)},
    }
    more = file_of(smf_file(morning(at_times(work), QueueManager(adapters=number))), tmp_path, "more.smf")
    rules = {"CH001", "CH002", "CH003"}
    assert rules <= {rule for rule, _ in findings(dump)}
    assert not rules & {rule for rule, _ in findings(more)}


def test_smds_buffers_of_the_recommended_number_have_no_finding(tmp_path: Path) -> None:
    """With as many buffers more as were missing the lowest number of free buffers is 0, and no request waits."""
    dump = file_of(find("smds_short_of_buffers").build(), tmp_path, "smds.smf")
    owner = smds_short_of_buffers.OWNER
    (missing,) = [each for each in planned("smds_dsbufs_needed", dump)["answers"] if each["subject"] == "APP1"]
    now = {each["name"]: each["value"] for each in missing["inputs"]}
    number = answered(planned("smds_dsbufs_needed", dump), "APP1")["dsbufs_needed"]
    used = int(now["dsbufs"] - now["lowest_free"])
    enough = {"smds_buffers": number, "buffers_free_low": number - used, "buffers_used_high": used}
    more = file_of(smf_file(morning(at_times({"10:30": {"qesd": {"APP1": enough}}}), owner)), tmp_path, "more.smf")
    assert ("SM001", "structure APP1") in findings(dump)
    assert ("SM001", "structure APP1") not in findings(more)


def smds(folder: Path, buffers: int, needed: int) -> Path:
    """A structure with this number of buffers, in the interval in which `needed` of them were in use or missing at
    once.
    """
    free = buffers - needed
    counted = {"smds_buffers": buffers, "buffers_free_low": free, "buffers_used_high": min(buffers, needed)}
    saved = {"smds_buffers": buffers, "smds_read_requests": 400, "smds_reads_saved": 80}
    quiet = {**saved, "buffers_free_low": buffers - 60, "buffers_used_high": 60}
    if free < 0:
        counted |= {"pool_waits": 400, "pool_wait_us": 1_900_000}
    records = morning(
        lambda start: {"qesd": {"APP1": {**saved, **counted} if f"{start:%H:%M}" == "10:30" else quiet}},
        smds_short_of_buffers.OWNER,
    )
    return file_of(smf_file(records), folder, f"smds-{buffers}.smf")


@pytest.mark.parametrize(
    ("now", "needed", "tried", "sentence"),
    [
        (200, 223, 223, "would have been enough"),
        (200, 223, 222, "do not fit"),
        (100, 95, 94, "do not fit"),
        (100, 95, 95, "would have been enough"),
        (3000, 1800, 900, "do not fit"),
    ],
)
def test_smds_buffers_that_do_not_fit_are_what_the_rule_finds_at_that_number(
    now: int, needed: int, tried: int, sentence: str, tmp_path: Path
) -> None:
    dump = smds(tmp_path, now, needed)
    rebuilt = findings(smds(tmp_path, tried, needed))
    result = planned("smds_dsbufs_needed", dump, f"structure[APP1].dsbufs={tried}")
    assert sentence in result["answers"][0]["text"]
    assert (("SM001", "structure APP1") in rebuilt) == (sentence == "do not fit")


def test_tls_tasks_of_the_recommended_number_have_no_finding(tmp_path: Path) -> None:
    dump = file_of(find("tls_tasks_few").build(), tmp_path, "tls.smf")
    number = answered_by_qmgr(planned("chinit_ssltasks", dump))["MQ01"]["tasks_to_set"]
    work = {"qct_ssl": tasks((0.26, 0.21, 0.17, *[0.0] * (number - 3)), 200, 50)}
    more = file_of(smf_file(morning(lambda _: work, QueueManager(ssl_tasks=number), count=6)), tmp_path, "more.smf")
    assert "CH009" in {rule for rule, _ in findings(dump)}
    assert "CH009" not in {rule for rule, _ in findings(more)}


def test_dispatchers_of_the_recommended_number_have_no_finding(tmp_path: Path) -> None:
    dump = file_of(find("dispatchers_crowded").build(), tmp_path, "one.smf")
    number = answered_by_qmgr(planned("chinit_dispatchers", dump))["MQ01"]["dispatchers_to_set"]
    owner = QueueManager(dispatchers=number, channels=70)
    more = file_of(smf_file(morning(owner=owner, count=6)), tmp_path, "more.smf")
    assert "CH007" in {rule for rule, _ in findings(dump)}
    assert "CH007" not in {rule for rule, _ in findings(more)}


def test_logs_of_the_recommended_size_have_no_finding(tmp_path: Path) -> None:
    """The same log data, in which logs of that size are full as many times as they hold it."""
    minutes = ("10:00", "10:30", "11:00")

    def written(switches: int) -> Path:
        half_hour = {"qjst": slow_log(writes=500_000) | log_switches(switches, offloaded=700_000)}
        dump = smf_file(morning(at_times(dict.fromkeys(minutes, half_hour))))
        return file_of(dump, tmp_path, f"logs-{switches}.smf")

    dump = written(3)
    steps = answered_by_qmgr(planned("log_size_and_count", dump))["MQ01"]
    switches = math.ceil(round(700_000 / 256 / steps["size_wanted"], 3))
    assert ("LG010", "active logs") in findings(dump)
    assert ("LG010", "active logs") not in findings(written(switches))
