"""Nouns and verbs agree with their number: `1 time`, never `1 times`. The mechanism is `formatting.with_endings`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqstat.judge import sentences
from mqstat.judge.model import rules
from tests.each import each

GOLDEN = Path(__file__).parent / "golden"
PLURALS = (
    "abends|adapters|archives|attempts|blocks|browses|buffers|bytes|calls|channels|checkpoints|classes|connections|"
    "copies|creates|days|deadlocks|deletes|disconnects|dispatchers|elements|entries|errors|files|findings|gets|hours|"
    "ids|inputs|instances|intervals|I/Os|levels|logs|MQGETs|MQOPENs|managers|members|messages|minutes|months|names|"
    "objects|pages|points|pools|processors|publishes|puts|queues|reads|records|redrives|requests|restarts|rows|rules|"
    "seconds|sections|servers|sessions|spans|starts|steals|stripes|structures|subjects|switches|systems|tasks|times|"
    "units|values|waits|weeks|writes"
)
NOT_BETWEEN = "of|to|and|or|in|at|has|had|is|was|per|with|for|from|reads?|writes|repeats|compresses"
"""Words after which a plural does not belong to the 1 before them."""
PLURAL_AFTER_ONE = re.compile(rf"(?<![\w.,:/%&#-])1 (?:(?!{NOT_BETWEEN})[A-Za-z/-]+ ){{0,2}}?(?:{PLURALS})\b")
ONE_IN_A_NAME = re.compile(r"[A-Z0-9]+\(1\)|(?:class|copy|pool|level|subtype|type|task|page set|field) 1\b")


def plurals_after_one(sentence: str) -> list[str]:
    """The places of a sentence where a plural follows a 1 that counts."""
    return [match[0] for match in PLURAL_AFTER_ONE.finditer(ONE_IN_A_NAME.sub("x", sentence))]


def plurals_in(document: str) -> list[str]:
    """The same places of a document, whose sentences are wrapped.

    A line with gaps is a row of a table: no sentence goes on after it. `N rules` is a count that goldens leave out.
    """
    lines = document.splitlines()
    joined = "".join(f"{line}\n" if re.search(r"\S {3,}\S", line) else f"{line.strip()} " for line in lines)
    return plurals_after_one(joined.replace("N rules", "x"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{one} time[s] (limit {many})", "1 time (limit 3)"),
        ("{many} time[s]", "3 times"),
        ("{half:.0f} task[s] [were|was] active", "1 task was active"),
        ("{many} of {one} entr[ies|y]", "3 of 1 entry"),
        ("{one} {name} request[s]", "1 slow request"),
        ("{one:.1f} hour[s]", "1.0 hours"),
        ("{nothing} buffer[s]", "n/a buffers"),
        ("request[s]", "requests"),
    ],
)
def test_endings_follow_the_number_before_them(text: str, expected: str) -> None:
    assert sentences.fill(text, {"one": 1, "many": 3, "half": 0.9, "name": "slow", "nothing": None}) == expected


@each(rules())
def test_advice_has_no_plural_after_one(rule_id: str) -> None:
    rule = rules()[rule_id]
    texts = [rule.advice.summary, rule.advice.remedy]
    texts += [text for clause in rule.clauses for text in (clause.summary, clause.remedy) if text]
    for text in texts:
        filled = sentences.fill(text, dict.fromkeys(re.findall(r"\{(\w+)", text), 1))
        assert not plurals_after_one(filled), (
            f"{rule.id}: write `time[s]` or `[were|was]` after the placeholder: {filled}"
        )
        assert "[" not in filled, f"{rule.id}: {filled}"


def test_goldens_have_no_plural_after_one() -> None:
    bad = []
    for path in sorted(GOLDEN.rglob("*")):
        if path.is_file() and path.parent.name != "layouts" and path.suffix in (".txt", ".md", ".html", ".json"):
            bad += [f"{path.relative_to(GOLDEN)}: {place}" for place in plurals_in(path.read_text(encoding="utf-8"))]
    assert not bad, "\n  ".join(["use formatting.plural or formatting.with_endings:", *bad])
