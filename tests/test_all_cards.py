"""The cards of all scenarios: the kind of chart of each rule, and the lines of a site file that accept a finding."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from mqstat.base.errors import SiteError
from mqstat.judge.model import rules
from mqstat.sql.site import parse_site
from tests.estates import in_tiers, judged_together
from tests.outputs import Outputs

CARD = re.compile(r'(?s)<article class="card [^>]*aria-labelledby="h-([^"]+)".*?</article>')
KEY = re.compile(r'<a class="id" href="#[^"]*">([A-Z]{2}\d{3})/')
KINDS = {"series": 'class="chart card-series"', "subjects": 'class="chart card-bars"', "rows": '<ul class="rows">'}


def charts_of(page: str) -> set[tuple[str, str]]:
    """Rule and kind of chart of each card of a page: a series through the period, a bar for each subject, or rows of text."""
    drawn = set()
    for card in CARD.finditer(page):
        key = KEY.search(card[0])
        assert key, card[1]
        own = [kind for kind, mark in KINDS.items() if mark in card[0]]
        assert len(own) == 1, (card[1], own)
        drawn.add((key[1], own[0]))
    return drawn


@pytest.mark.slow
def test_the_chart_of_each_rule_is_as_reviewed(outputs: Outputs, golden: Callable[[str, str], None]) -> None:
    drawn: dict[str, set[str]] = {}
    for name in judged_together():
        for rule_id, kind in charts_of(outputs.scenario(name).page):
            drawn.setdefault(rule_id, set()).add(kind)
    lines = [f"{rule_id} {', '.join(sorted(drawn.get(rule_id, {'never in breach'})))}" for rule_id in sorted(rules())]
    golden("cards/charts.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("name", in_tiers(judged_together()))
@pytest.mark.slow
def test_the_lines_that_accept_a_finding_accept_exactly_it(name: str, outputs: Outputs) -> None:
    document = outputs.scenario(name).document
    in_breach = [
        (finding["key"], finding["rule_id"], subject["lpar"], subject["qmgr"], subject["subject"])
        for finding in document["findings"]
        if finding["severity"] != "broken"
        for subject in finding["subjects"]
    ]
    keys = [finding["key"] for finding in document["findings"] if finding["severity"] != "broken"]
    assert list(dict.fromkeys(key for key, *_ in in_breach)) == keys
    for finding in document["findings"]:
        if finding["severity"] == "broken":
            assert finding["accept"] == ""
            continue
        with pytest.raises(SiteError, match="reason must be a text that states why"):
            parse_site(finding["accept"], "site.toml")
        site = parse_site(finding["accept"].replace('reason = ""', 'reason = "agreed"'), "site.toml")
        assert site.overrides
        assert all(override.off for override in site.overrides)
        for key, rule_id, *subject in in_breach:
            covered = any(each.rule_id == rule_id and each.holds(*subject) for each in site.overrides)
            assert covered == (key == finding["key"]), (finding["key"], rule_id, subject)
