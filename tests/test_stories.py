"""Planted stories: the queue and the application that caused a finding lead it, though innocents do more, and its cause
explains it.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from mqstat.judge.engine import run_rules
from tests.culprit_stories import EIGHT, NAMES, STORIES, build
from tests.support import file_of, reading

pytestmark = pytest.mark.slow

Judged = tuple[list[dict[str, Any]], list[dict[str, Any]]]
"""Findings and their work."""


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """The findings in breach, the worst first, and the work of each."""
    dump = file_of(build(), tmp_path_factory.mktemp("stories"))
    with reading(dump) as db:
        run_rules(db)
        breaches = db.ask_rows("SELECT * FROM finding WHERE state = 'breach'")
        return breaches, db.ask_rows("SELECT * FROM finding_work ORDER BY qmgr, rule_id, subject, work_role, work_rank")


def test_there_are_twenty() -> None:
    assert len(STORIES) == 20


@pytest.mark.parametrize("name", STORIES)
def test_the_culprit_leads(name: str, judged: Judged) -> None:
    story, here = STORIES[name], f"{NAMES[name]}A"
    findings = [row for row in judged[0] if row["qmgr"] == here and row["rule_id"] == story.rule]
    assert story.subject in [row["subject"] for row in findings]
    (finding,) = (row for row in findings if row["subject"] == story.subject)
    work = [
        row for row in judged[1] if (row["qmgr"], row["rule_id"], row["subject"]) == (here, story.rule, story.subject)
    ]
    first = {
        row["work_role"]: (row["base_name"], row["application"] or row["channel_name"])
        for row in work
        if row["work_rank"] == 1
    }
    if story.queue or story.application:
        assert first == {"victim" if story.victim else "culprit": (story.queue, story.application)}
    else:
        assert first == {}
        assert [row["subject"] for row in findings] == [story.subject]
    assert not story.because or story.because in (finding["caused_by"] or ())
    if story.cause:
        assert [row["subject"] for row in judged[0] if (row["qmgr"], row["rule_id"]) == (here, story.because)] == [
            story.cause
        ]


def test_a_queue_explains_only_the_pool_that_it_fills(judged: Judged) -> None:
    here = f"{NAMES['a pool shared by innocents']}A"
    causes = {
        row["subject"]: row["caused_by"] for row in judged[0] if row["qmgr"] == here and row["rule_id"] == "BP002"
    }
    assert causes == {"buffer pool 2": None, "buffer pool 3": ["QU005"]}


def test_who_waits_for_a_slow_log_is_no_culprit_of_what_follows(judged: Judged) -> None:
    """Log buffers run out because writes are slow: those that write to the log are victims there too."""
    here = f"{NAMES['a slow log by its mirror']}A"
    (finding,) = (row for row in judged[0] if (row["qmgr"], row["rule_id"]) == (here, "LG001"))
    assert finding["caused_by"] == ["LG004"]
    assert {row["work_role"] for row in judged[1] if (row["qmgr"], row["rule_id"]) == (here, "LG001")} == {"victim"}
    busy = f"{NAMES['persistent puts without syncpoint']}A"
    assert {row["work_role"] for row in judged[1] if (row["qmgr"], row["rule_id"]) == (busy, "LG002")} == {"culprit"}


def calls(name: str) -> dict[str, int]:
    """Puts and gets of each application of a story, or the messages of its channels."""
    story, totals = STORIES[name], Counter[str]()
    for each in story.flows:
        totals[each.who.channel or each.who.job] += (each.puts + each.gets) * len(each.when)
    for row in story.channels(EIGHT) if story.channels else ():
        totals[row["channel_name"]] += row["channel_messages"]
    return totals


@pytest.mark.parametrize("name", STORIES)
def test_an_innocent_does_more(name: str) -> None:
    story, totals = STORIES[name], calls(name)
    culprit = story.application or story.cause.partition(" ")[0] or story.subject.removeprefix("channel ")
    assert totals[culprit] < max(totals.values())
