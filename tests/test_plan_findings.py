"""What a plan recommends and predicts, against dumps that are built with it: the rule is clear, and the findings are those that were predicted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mqstat.fixtures.day import at_times, morning
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import find, smds_short_of_buffers
from mqstat.fixtures.stories import busy_adapters
from tests.support import file_of, invoke

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
    """Scenario pool_low with another size of pool 1 and the same use: what the queue manager then counts follows from its thresholds."""
    free = buffers - USED
    pool = {"buffers": buffers, "lowest_stealable": max(0, free)}
    pool["deferred_write_starts"] = int(free < 0.15 * buffers)
    pool["synchronous_write_hits"] = int(free < 0.05 * buffers)
    pool["no_buffer_waits"] = int(free <= 0)
    return file_of(smf_file(morning(at_times({"09:30": {"qpst": {1: pool}}}))), folder, f"pool-{buffers}.smf")


@pytest.mark.slow
@pytest.mark.parametrize("buffers", [120_000, 51_000, 50_176, 50_000, 49_000, 44_000, 42_000])
def test_predicted_findings_are_those_of_a_dump_with_that_size(buffers: int, tmp_path: Path) -> None:
    dump = low_pool(tmp_path, 50_000)
    rebuilt = findings(low_pool(tmp_path, buffers))
    result = planned("buffer_pool_what_if", dump, f"buffer_pool[1].buffers={buffers}")
    known = {(each["rule_id"], each["subject"]): each["effect"] for each in result["findings"]}
    before = findings(dump)
    unknown = {key for key, effect in known.items() if effect == "cannot be predicted"}
    predicted = (before | {key for key, effect in known.items() if effect == "appears"}) - {
        key for key, effect in known.items() if effect == "vanishes"
    }
    about_pool = {key for key in rebuilt | predicted if key[1] == "buffer pool 1"} - unknown
    assert {key for key in about_pool if key in predicted} == {key for key in about_pool if key in rebuilt}


def answered(result: Mapping[str, Any], subject: str | None = None) -> dict[str, Any]:
    """The values of the steps for one subject."""
    (found,) = [each for each in result["answers"] if each["subject"] == subject]
    return {step["name"]: step["value"] for step in found["steps"]}


@pytest.mark.slow
def test_a_pool_of_the_recommended_size_has_no_finding(tmp_path: Path) -> None:
    dump = low_pool(tmp_path, 50_000)
    assert ("BP004", "buffer pool 1") in findings(dump)
    size = answered(planned("buffer_pool_size_needed", dump), "1")["buffers_to_set"]
    assert not {key for key in findings(low_pool(tmp_path, size)) if key[1] == "buffer pool 1"}


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["pool_low", "pool_exhausted", "pool_nearly_full", "pool_writing_synchronously"])
def test_the_card_of_a_finding_recommends_what_its_plan_does(scenario: str, tmp_path: Path) -> None:
    dump = file_of(find(scenario).build(), tmp_path, "pool.smf")
    listed = json.loads(invoke("report", dump, "--format", "json").stdout)["findings"]
    cards = {
        each["subjects"][0]["subject"].removeprefix("buffer pool "): each
        for each in listed
        if each["rule_id"] in ("BP001", "BP002", "BP003", "BP004")
    }
    assert cards
    for subject, card in cards.items():
        assert card["plan"] == [f"mqstat plan buffer_pool_size_needed {dump.name} --qmgr MQ01"]
        (found,) = [each for each in planned("buffer_pool_size_needed", dump)["answers"] if each["subject"] == subject]
        commands = [text for text in card["do"] if text.startswith("ALTER")]
        assert not commands or commands == [text for text in found["do"] if text.startswith("ALTER")]


@pytest.mark.slow
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


@pytest.mark.slow
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
