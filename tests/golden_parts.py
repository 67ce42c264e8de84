"""What goldens keep: the findings of a dump as a list, a schema as one line for each node, and texts without what every
new rule or report would change.

Counts of rules by state are left out, and in pages the lists of all rules and reports. Pages also lose their style
sheet and script, which tests/test_html.py compares with their files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from html import unescape
from typing import Any

from mqstat.base.formatting import clean

FINDINGS = ("critical", "warning", "info", "broken")
"""States of the rules whose lines are kept."""

_COUNTER = re.compile(
    r"\b(?:\d+ of \d+(?= rules judged)|\d+(?= (?:active but not judged|idle|not collected|not in this release|needs? a site fact|switched off|not judged|rules? not judged|rules \(\d+ about queue managers|about queue managers\))))"
)
_IDS = re.compile(r"(?P<before>\bnot\s+judged\b[^;()]*)\([A-Z]{2}\d{3}(?:,\s+(?:[A-Z]{2}\d{3}|\.\.\.))*\)")
_WAITING = re.compile(r"(?P<before>these\s+rules\s+were\s+not\s+evaluated:)[^;]*;")
_RULE = re.compile(r'<tr id="rule-\w+" class="[^"]*" data-state="(?P<state>[^"]*)">.*?</tr>\n', re.DOTALL)
_WITHOUT_ROWS = re.compile(r'<p class="quiet">No rows in this data: .*?</p>\n', re.DOTALL)
_COUNTS = re.compile(r'(?P<open><span class="counts">)\d+ rules?: [^<]*(?P<close></span></summary>)')
_FILES = re.compile(r"(?P<open><(?P<tag>style|script)>).*?(?P<close></(?P=tag)>)", re.DOTALL)
_DIGEST = re.compile(r"(?P<kind>sha256-)[\w+/]+=")
_REPORT = '<details class="report"'
_GROUP = re.compile(r'(?P<open><details class="report group[^>]*>\n)<summary>.*?</summary>\n')
_FIRST = re.compile(r'href="#(?P<anchor>report-[^"]*)"')
_CARD = re.compile(r'(?s)<article class="card [^>]*aria-labelledby="h-([^"]+)".*?</article>')
_KEY = re.compile(r'<a class="id" href="#[^"]*">([^<]*)</a>')
_CHARTS = {"series": 'class="chart card-series"', "subjects": 'class="chart card-bars"', "rows": '<ul class="rows">'}
"""How a card draws its finding: a series through the period, a bar for each subject, or rows of text."""


def findings_text(document: Mapping[str, Any], page: str, rules: Collection[str]) -> str:
    """The findings of a report: rule, queue manager, subject and severity of each subject in breach, and of some rules
    the card.

    A card is its kind of chart, its sentence, and the commands and values that it names. The wording around them is
    that of the header of the rule.
    """
    subjects = [row for finding in document["findings"] for row in finding["subjects"]]
    lines = [f"{row['rule_id']}  {row['qmgr'] or '-'}  {row['subject']}  {row['severity']}" for row in subjects]
    lines = [*sorted(lines), ""] if lines else ["no findings"]
    charts = charts_of(page)
    firsts = {finding["rule_id"]: finding for finding in reversed(document["findings"])}
    for finding in (firsts[rule_id] for rule_id in sorted(firsts.keys() & {*rules})):
        lines.append(f"{finding['key']}  {charts[finding['key']]}: {finding['summary']}")
        lines += [f"  {part.capitalize():<4}  {'; '.join(finding[part])}" for part in ("look", "do") if finding[part]]
    return "\n".join(map(clean, lines)).rstrip() + "\n"


def charts_of(page: str) -> Mapping[str, str]:
    """The kind of chart of each card of a page, by the key of the finding."""
    drawn = {}
    for card in _CARD.finditer(page):
        key = _KEY.search(card[0])
        kinds = [kind for kind, mark in _CHARTS.items() if mark in card[0]]
        assert key, card[1]
        assert len(kinds) == 1, (card[1], kinds)
        drawn[unescape(key[1])] = kinds[0]
    return drawn


def schema_lines(node: Mapping[str, Any], path: str = "$") -> Iterator[str]:
    """A JSON Schema as one line for each property, with all that it states; objects that have exactly their properties
    state nothing of that.
    """
    stated = {name: value for name, value in node.items() if name not in ("properties", "items", "$defs")}
    properties, more = node.get("properties", {}), node.get("additionalProperties")
    if properties and (node.get("required"), more) == (list(properties), False):
        del stated["required"], stated["additionalProperties"]
    if isinstance(more, dict):
        del stated["additionalProperties"]
    yield f"{path} {json.dumps(stated, ensure_ascii=False)}"
    for name, part in properties.items():
        yield from schema_lines(part, f"{path}.{name}")
    if "items" in node:
        yield from schema_lines(node["items"], f"{path}[]")
    if isinstance(more, dict):
        yield from schema_lines(more, f"{path}.*")
    for name, part in node.get("$defs", {}).items():
        yield from schema_lines(part, name)


def without_counts(text: str) -> str:
    """A text with N in place of the numbers of rules by state, and dots in place of the rules that were not judged."""
    return _WAITING.sub(r"\g<before> ...;", _IDS.sub(r"\g<before>(...)", _COUNTER.sub("N", text)))


def own_parts(page: str) -> str:
    """A page without its style sheet and script, the lines of rules without findings, reports that no finding names,
    and the limits of all rules.
    """
    page = _DIGEST.sub(r"\g<kind>...", _FILES.sub(r"\g<open>\g<close>", page))
    page = _RULE.sub(lambda match: match[0] if match["state"] in FINDINGS else "", page)
    page = _COUNTS.sub(r"\g<open>N rules\g<close>", _GROUP.sub(r"\g<open>", _WITHOUT_ROWS.sub("", page)))
    start = page.find('<section id="findings"')
    named = set(_FIRST.findall(page[start : page.find("</section>", start)])) if start >= 0 else set()
    out, at = [], 0
    while (begin := page.find(_REPORT, at)) >= 0:
        end = _end_of_details(page, begin)
        anchor = re.match(r'<details class="report" id="([^"]*)"', page[begin:end])
        out.append(page[at : end if anchor and anchor[1] in named else begin])
        at = end
    return "".join(out) + page[at:]


def _end_of_details(page: str, begin: int) -> int:
    """The offset after the end tag of the details element that begins at an offset, and the end of its line."""
    depth = 0
    for tag in re.finditer(r"<details\b|</details>\n?", page[begin:]):
        depth += 1 if tag[0].startswith("<d") else -1
        if depth == 0:
            return begin + tag.end()
    raise AssertionError(f"the details element at {begin} has no end")
