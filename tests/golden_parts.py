"""The parts that goldens omit because every new rule or report would change them: counts of rules by state, and in pages the lists of all rules and reports.

Pages also lose their style sheet and script, which tests/test_html.py compares with their files.
"""

from __future__ import annotations

import re

FINDINGS = ("critical", "warning", "info", "broken")
"""States of the rules whose lines are kept."""

_COUNTER = re.compile(
    r"\b(?:\d+ of \d+(?= rules judged)|\d+(?= (?:active but not judged|idle|not collected|not in this release|needs? a site fact|switched off|not judged|rules? not judged|rules \(\d+ about queue managers|about queue managers\))))"
)
_IDS = re.compile(r"(?P<before>\bnot\s+judged\b[^;()]*)\([A-Z]{2}\d{3}(?:,\s+(?:[A-Z]{2}\d{3}|\.\.\.))*\)")
_WAITING = re.compile(r"(?P<before>these\s+rules\s+were\s+not\s+evaluated:)[^;]*;")
_RULE = re.compile(r'<tr id="rule-\w+" class="[^"]*" data-state="(?P<state>[^"]*)">.*?</tr>\n', re.DOTALL)
_WITHOUT_ROWS = re.compile(r'<p class="quiet">Without rows in this data: .*?</p>\n', re.DOTALL)
_COUNTS = re.compile(r'(?P<open><span class="counts">)\d+ rules?: [^<]*(?P<close></span></summary>)')
_FILES = re.compile(r"(?P<open><(?P<tag>style|script)>).*?(?P<close></(?P=tag)>)", re.DOTALL)
_DIGEST = re.compile(r"(?P<kind>sha256-)[\w+/]+=")
_REPORT = '<details class="report"'
_FIRST = re.compile(r'href="#(?P<anchor>report-[^"]*)"')


def without_counts(text: str) -> str:
    """A text with N in place of the numbers of rules by state, and dots in place of the rules that were not judged."""
    return _WAITING.sub(r"\g<before> ...;", _IDS.sub(r"\g<before>(...)", _COUNTER.sub("N", text)))


def own_parts(page: str) -> str:
    """A page without its style sheet and script, the lines of rules without findings, reports that no finding names, and the limits of all rules."""
    page = _DIGEST.sub(r"\g<kind>...", _FILES.sub(r"\g<open>\g<close>", page))
    page = _RULE.sub(lambda match: match[0] if match["state"] in FINDINGS else "", page)
    page = _COUNTS.sub(r"\g<open>N rules\g<close>", _WITHOUT_ROWS.sub("", page))
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
