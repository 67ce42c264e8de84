"""A lint over the sentences of findings: figures that a person can read, and no placeholders."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from mqstat.judge.commands import do_of, is_command, look_of
from mqstat.judge.mqsc import template
from mqstat.judge.sentences import fill, reason_of
from mqstat.judge.states import NOT_IN_RELEASE
from tests.estates import in_tiers, judged_together
from tests.outputs import Outputs

CLASS = re.compile(r"\b11[56]\.\d+|\boffset \d+")
"""Record classes and offsets: names, not amounts."""

NUMBER = re.compile(r"(?<![\w.,/:-])-?\d[\d,]*(?:\.\d+)?(?![\w/:-]|\.\d)")
"""A number of a sentence: not a part of a name, time or version."""

LONG = re.compile(r"(?<![\w.,:(/-])(?:\d{5,}(?![\w):/-])|\d{4,}(?= more\b| [a-z]{3,}s\b))")
"""A whole number of five digits or more, or of four before what is counted, without separators; in command keywords,
such as LOGLOAD(4000000), it has no separators."""


def faults(sentence: str) -> Iterator[str]:
    """What is wrong with the figures of a sentence; `test_text_lint.py` looks at their digits."""
    sentence = CLASS.sub("", sentence)
    if re.search(r"\bn/a\b|\bNone\b|\bnan\b|\binf\b", sentence):
        yield "a placeholder"
    for number in NUMBER.findall(sentence):
        digits = number.strip("-").replace(",", "").replace(".", "").lstrip("0")
        if "." in number and not digits:
            yield f"{number}: a figure that was rounded to nothing"
    yield from (f"{number}: no thousands separators" for number in LONG.findall(sentence))
    for part, whole in re.findall(r"\b(\d[\d,]*) of (?:the )?(\d[\d,]*) \w+", sentence):
        if int(part.replace(",", "")) > int(whole.replace(",", "")):
            yield f"{part} of {whole}"
    if re.search(r"-[\d,.]+ (?:\w+ )?free\b|free(?: [^\W\d]+)* -\d", sentence):
        yield "a negative number is free"
    if re.search(r"\bshare of (?:\w+ ){0,2}0\.\d+\b(?! ?%)", sentence):
        yield "a share without %"
    if "local time" in sentence and "difference between local time and GMT" not in sentence:
        yield "a time without its offset"


def sentences(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The sentences of a report: rule or part, and text."""
    for finding in document["findings"]:
        yield finding["rule_id"], finding["summary"]
        yield finding["rule_id"], finding["remedy"]
        yield from ((finding["rule_id"], subject["figure"]) for subject in finding["subjects"])
    yield from (("headroom", manager["headroom"]) for manager in document["queue_managers"])
    yield from ((line["area"], line["text"]) for line in document["verdict"])
    yield from ((line["rule_id"], line["text"]) for line in document["rules"])


def commands(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The commands and sentences of `look` and `do` of the findings of a report: rule and text."""
    for finding in document["findings"]:
        for subject in finding["subjects"]:
            row = {**subject, "figures": json.dumps(subject["figures"] or {})}
            if finding["severity"] != "broken":
                yield from ((finding["rule_id"], text) for text in (*look_of(row), *do_of(row)))


@pytest.mark.parametrize("name", in_tiers(judged_together()))
def test_the_commands_of_a_scenario_can_be_typed(name: str, outputs: Outputs) -> None:
    texts = sorted(set(commands(outputs.scenario(name).document)))
    typed = [(rule_id, text) for rule_id, text in texts if is_command(text)]
    for _, text in typed:
        # RuleError for a verb, keyword or value that is not in the table
        template(re.sub(r"--qmgr \w+$", "--qmgr {qmgr}", re.sub(r"'([^']*)'", r"\1", text)))
    shown = [(rule_id, text) for rule_id, text in texts if not is_command(text)]
    assert not [(rule_id, fault, text) for rule_id, text in shown for fault in faults(text)]
    assert not [each for each in shown if each[1].startswith("No command") and not name.startswith("hostile")]
    assert typed or not texts


@pytest.mark.parametrize("name", in_tiers(judged_together()))
def test_the_sentences_of_a_scenario_are_readable(name: str, outputs: Outputs) -> None:
    output = outputs.scenario(name)
    wrong = {(part, fault, text) for part, text in sentences(output.document) for fault in faults(text)}
    assert sorted(wrong) == []


@pytest.mark.parametrize(
    ("sentence", "fault"),
    [
        ("n/a MiB was left; the reserve is n/a MiB", "a placeholder"),
        ("put 1758730 messages", "1758730: no thousands separators"),
        ("Page set 0 holds 3000 pages", "3000: no thousands separators"),
        ("the longest is 0.000 s", "0.000: a figure that was rounded to nothing"),
        ("9 of 8 tasks were active", "9 of 8"),
        ("-58 free at worst", "a negative number is free"),
        ("fewest free SMDS buffers -58", "a negative number is free"),
        ("share of irregular intervals 0.5 (> limit 0.2)", "a share without %"),
    ],
)
def test_faults_are_found(sentence: str, fault: str) -> None:
    assert list(faults(sentence)) == [fault]


@pytest.mark.parametrize(
    "sentence",
    [
        "12,345.6 MiB at 2026-03-02 10:15:03 (UTC+1)",
        "SET SYSTEM LOGLOAD(4000000)",
        "8 of 9 tasks, MQ 10.0.0, 0.05 % of 1,519 MiB",
    ],
)
def test_readable_sentences_have_no_fault(sentence: str) -> None:
    assert list(faults(sentence)) == []


def test_a_computed_limit_is_rounded_and_a_small_figure_is_not_nothing() -> None:
    values = {"limit_mib": 614.3999996185303, "share_max": 614.3999996185303, "longest_s": 0.0004}
    text = fill(
        "{limit_mib} of {share_max} in {longest_s:.3f} s",
        values,
        limits=["limit_mib", "share_max"],
        thresholds=["share_max"],
    )
    assert text == "614 of 614.3999996185303 in 0.0004 s"


@pytest.mark.parametrize(
    ("sentence", "amount", "text"),
    [
        ("{mib:.0f} MiB/s", 640_625.0, "626 GiB/s"),
        ("{mib:.0f} MiB of", 99_000.0, "99,000 MiB of"),
        ("{mib} byte[s]", 1 << 20, "1 MiB"),
        ("{mib} byte[s]", 477_137, "477,137 bytes"),
    ],
)
def test_a_large_amount_of_storage_has_a_unit_that_fits(sentence: str, amount: float, text: str) -> None:
    assert fill(sentence, {"mib": amount}) == text


@pytest.mark.parametrize(("writes", "text"), [(None, "full"), (0, "full, with 0 writes"), (1, "full, with 1 write")])
def test_an_optional_part_is_there_where_its_figure_is_known(writes: int | None, text: str) -> None:
    assert fill("full<<, with {writes} write[s]>>", {"writes": writes}) == text


@pytest.mark.parametrize("columns", [["log.log_buffer_waits"], ["log.log_buffer_waits", "log.log_suspends"]])
@pytest.mark.parametrize("short", [None, "qjst"])
def test_columns_of_a_later_release_agree_with_their_number(columns: list[str], short: str | None) -> None:
    row = {
        "state": NOT_IN_RELEASE, "missing_columns": columns, "missing_views": None, "needs_mq_level": "9.3.3", "found_mq_level": "9.2.0",
        "short_structure": short, "short_section_bytes": 100,
    }  # fmt: skip
    verb = "is" if len(columns) == 1 else "are"
    assert f"({columns[-1]}) {verb} {'written by MQ 9.3.3' if short is None else 'not in these records'}" in reason_of(
        row
    )
