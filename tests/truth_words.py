"""The words of a report in text and on a page, compared with its JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

from mqstat.base.areas import TITLES
from mqstat.render.layout import QMGRS


def text_contradictions(document: Mapping[str, Any], text: str) -> list[str]:
    """Where the terminal report differs from the data: state of each area, each finding, the return code."""
    return list(_text_differs(document, text))


def _text_differs(document: Mapping[str, Any], text: str) -> Iterator[str]:
    head = text.partition("\nVerdict")[2]
    for area in document["verdict"]:
        if not re.search(rf"^  {re.escape(area['area'])} +{re.escape(area['state'])}( |$)", head, re.M):
            yield f"text: no line {area['area']} {area['state']}"
    for finding in document["findings"]:
        if finding["rule_id"] not in text:
            yield f"text: finding {finding['rule_id']} is not there"
    known = {finding["rule_id"] for finding in document["findings"]}
    for listed in re.findall(r"^ +(?:CRITICAL|WARNING) +([A-Z]{2}\d{3})", text, re.M):
        if listed not in known:
            yield f"text: {listed} is listed and is no finding"
    counts = [
        (each["qmgr"], f"{each['judged']} of {each['rules']} rules judged") for each in document["queue_managers"]
    ]
    missing = [f"text: {qmgr}: {words} is not there" for qmgr, words in counts if words not in " ".join(text.split())]
    if len(missing) > max(0, len(counts) - QMGRS):  # the others are counted
        yield from missing
    if f"return code {document['return_code']} " not in text:
        yield f"text: return code {document['return_code']} is not there"


def visible_text(page: str) -> str:
    """The text of a page without tags, scripts and styles. Pages escape `<` and `>` in texts and attributes
    (tests/test_html.py), so no parser is needed.
    """
    shown = re.sub(r"<!--.*?-->|<(script|style)\b.*?</\1>", " ", page, flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", shown)).split())


def page_contradictions(document: Mapping[str, Any], page: str) -> list[str]:
    """Where the page differs from the data: states of areas, figures and sentences of findings."""
    text = visible_text(page)
    return [*_page_differs(document, text), *_not_judged(document, text)]


def _page_differs(document: Mapping[str, Any], text: str) -> Iterator[str]:
    for area in document["verdict"]:
        if TITLES[area["rule_area"]] not in text or area["state"] not in text.lower():
            yield f"page: {area['area']} {area['state']} is not there"
    for finding in document["findings"]:
        for part in (finding["title"], finding["summary"]):
            if " ".join(part.split()) not in text:
                yield f"page: {finding['rule_id']}: {part[:60]!r} is not there"
    for manager in document["queue_managers"]:
        if f"{manager['judged']} of {manager['rules']} rules judged" not in text:
            yield f"page: {manager['qmgr']}: {manager['judged']} of {manager['rules']} rules judged is not there"
    for severity, phrase in (("critical", "critical finding"), ("warning", "warning")):
        count = sum(finding["severity"] == severity for finding in document["findings"])
        if (
            count
            and document["return_code"] != 16
            and not re.search(rf"\b{count} {phrase}{'s' * (count != 1)}\b", text)
        ):
            yield f"page: {count} {phrase} is not there"


def _not_judged(document: Mapping[str, Any], text: str) -> Iterator[str]:
    """What was not judged is on the page, with its number of rules and the reason."""
    for gap in document["gaps"]:
        if " ".join(f"{gap['state']} {gap['text']}".split()) not in text:
            yield f"page: {gap['state']}: {gap['text'][:60]!r} is not there"
