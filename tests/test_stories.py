"""Findings with one cause are one story: each finding names the findings that explain it, and the report lists them below their cause."""

from __future__ import annotations

import pytest

from tests.outputs import Outputs

STORIES: dict[str, dict[str, list[str]]] = {
    "page_set_backlog": {"BP002": ["PS008"], "CH001": ["BP002"], "CH002": ["BP002"], "CH003": [], "PS008": []},
    "page_set_full": {"PS001": ["PS002"], "PS002": [], "PS003": [], "PS004": ["PS003"], "CV012": []},
}
"""Scenario -> rule in breach -> the rules that explain it."""


@pytest.mark.slow
@pytest.mark.parametrize("name", STORIES)
def test_findings_with_one_cause_are_one_story(name: str, outputs: Outputs) -> None:
    causes = {row["rule_id"]: row["caused_by"] or [] for row in outputs.findings(name) if row["outcome"] == "breach"}
    assert causes == STORIES[name]
    output, names = outputs.of_story(name)
    depth = {
        finding["rule_id"]: finding["depth"]
        for finding in output.document["findings"]
        if any(subject["qmgr"] in names.values() for subject in finding["subjects"])
    }
    for rule_id, explained_by in causes.items():
        assert (depth[rule_id] == 0) == (not explained_by), rule_id
        assert all(depth[rule_id] > depth[cause] for cause in explained_by), rule_id
