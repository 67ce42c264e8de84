"""Goldens do not change with a rule or report that does not concern their scenario."""

from __future__ import annotations

import pytest

from tests.golden_parts import own_parts, without_counts


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("MQ01  clear  14 of 98 rules judged; 12 idle", "MQ01  clear  15 of 99 rules judged; 13 idle"),
        ("1 needs a site fact; 7 not in this release", "2 need a site fact; 8 not in this release"),
        ("4 rules not judged on MQ01 (DQ006, DQ008, DQ010, ...)", "5 rules not judged on MQ01 (DQ001, DQ006, DQ008, ...)"),
        ("not evaluated: a (LG011),\n   b (LG012); mqstat site", "not evaluated: a (LG011), c\n  (LG999), b (LG012); mqstat site"),
    ],
)  # fmt: skip
def test_a_count_of_rules_is_left_out(before: str, after: str) -> None:
    intro = "these rules were "
    left, right = (without_counts(intro + text).replace("needs", "need") for text in (before, after))
    assert left == right


@pytest.mark.parametrize(
    "text", ["17 waits for a buffer (> limit 0), in 1 of 10 intervals; 1 more rule in breach", "BP001 (LG011)"]
)
def test_figures_of_findings_stay(text: str) -> None:
    assert without_counts(text) == text


def page(*, rules: str = "", reports: str = "", number: int = 2, style: str = "a") -> str:
    """A page with one rule in breach, and the report that it names."""
    return (
        f"<meta content=\"style-src 'sha256-{style}='\"><style>{style}</style>\n<script>{style}</script>\n"
        f'<summary>Log <span class="counts">{number} rules: 1 critical, {number - 1} clear</span></summary>\n'
        f'<tr id="rule-LG001" class="is-critical" data-state="critical"><td>LG001</td>\n</tr>\n{rules}'
        '<section id="findings"><a href="#report-log-busy">log/busy</a></section>\n'
        '<details class="report" id="report-log-busy"><summary>Busy</summary><details>more</details>\n</details>\n'
        f'{reports}<details class="report group">\n<summary>Log {number} reports</summary>\n</details>\n</section>\n'
    )


def test_a_page_keeps_its_findings_and_loses_lists() -> None:
    rule = '<tr id="rule-LG999" class="is-clear" data-state="clear"><td>LG999</td>\n</tr>\n'
    report = '<details class="report" id="report-log-new"><summary>New</summary><details>more</details>\n</details>\n'
    empty = '<p class="quiet">No rows in this data: <span>x</span>.</p>\n'
    kept = own_parts(page())
    assert own_parts(page(rules=rule, reports=report + empty, number=3, style="b")) == kept
    assert "LG001" in kept
    assert "Busy" in kept
    assert own_parts(page(rules=rule.replace("clear", "warning"))) != kept
