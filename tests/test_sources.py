"""Who gives each limit, and where: kinds of limits, and the documents and sections that rules name."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

from mqstat.judge.clauses import Clause
from mqstat.judge.explain import explain
from mqstat.judge.findings import given_by
from mqstat.judge.model import KINDS, Rule, Threshold, rules
from mqstat.sql import sqlfile
from tests.documents import cited, headings, plain, section
from tests.each import each

RULES = rules()

OURS = re.compile(r"\b(?:our own rule|our own limit|is ours|are ours|no document gives a number)\b", re.IGNORECASE)
"""Words of a reason that call a number our own."""


@each(RULES)
def test_the_kind_of_a_limit_agrees_with_its_reason(rule_id: str) -> None:
    rule = RULES[rule_id]
    for limit in rule.thresholds.values():
        assert limit.kind == "judgement" or not OURS.search(limit.why), (
            f"{rule.file.name}: limit {limit.name} is {limit.kind}, and its reason calls it ours: {limit.why}"
        )
    called_ours = OURS.search(rule.source.cite)
    for clause in leading(rule):
        assert rule.limit_kind(clause) in KINDS, f"{rule.file.name}: nobody gives the limit of {clause.measure}"
        assert not called_ours or rule.limit_kind(clause) == "judgement", (
            f"{rule.file.name}: the source calls the number ours, the limit of {clause.measure} is {rule.limit_kind(clause)}"
        )


def leading(rule: Rule) -> list[Clause]:
    return [rule.clauses[first] for first, *_ in rule.alternatives]


@pytest.mark.parametrize(
    ("rule_id", "kind"),
    [
        ("CF010", "judgement"),
        ("OT004", "judgement"),
        ("EN001", "judgement"),
        ("BP004", "documented"),
        ("CN001", "guidance"),
    ],
)
def test_a_finding_states_the_kind_of_its_limit(rule_id: str, kind: str) -> None:
    rule = RULES[rule_id]
    given = given_by(rule, leading(rule)[0])
    assert given["limit_kind"] == kind
    assert given["rule_source"].endswith(f" ({kind})")
    assert KINDS[kind] in " ".join(explain(rule_id).split())


def test_limits_of_one_rule_have_kinds_of_their_own() -> None:
    limits = RULES["CN005"].thresholds
    assert (limits["full_pct"].kind, limits["batch_size_max"].kind) == ("judgement", "documented")


# ------------------------------------------------------------------------------------------------------------ documents


def citations(rule: Rule) -> list[str]:
    return [rule.source.cite, *(limit.cite for limit in rule.thresholds.values() if limit.cite)]


@each(RULES)
def test_a_document_is_cited_with_its_sections(rule_id: str) -> None:
    for cite in citations(RULES[rule_id]):
        for document, sections in cited(cite):
            assert sections, f"{RULES[rule_id].file.name}: quote the section of {document} in {cite!r}"


def test_a_quoted_section_is_a_heading(sources: Path) -> None:
    bad = [
        f"{rule.file.name}: {document} has no heading {quoted!r}"
        for rule in RULES.values()
        for cite in citations(rule)
        for document, sections in cited(cite)
        for quoted in sections
        if plain(quoted) not in headings(sources, document)
    ]
    assert not bad, "\n  ".join(["cite sections by their headings:", *bad])


def forms(limit: Threshold) -> set[str]:
    """The ways in which a document may write a number: in other units, with separators, as a word."""
    scales = {"s": (1 / 60, 1 / 3600), "ms": (1 / 1000, 1 / 60000), "h": (1 / 24,), "bytes": (1 / 1024, 1 / 1048576), "ratio": (100,), "mib": (1 / 1024,)}  # fmt: skip
    values = {limit.value * scale for scale in (1, *scales.get(limit.unit, ()))} | (
        {100 - limit.value} if limit.unit == "percent" else set()
    )
    words = {1: "one", 4: "four", 4_000_000: "4 million"}
    written = set()
    for value in values:
        if value == int(value):
            number = int(value)
            written |= {str(number), f"{number:,}", f"{number:,}".replace(",", " "), words.get(number, str(number))}
        written.add(f"{value:g}")
    return written


def test_a_documented_number_is_in_its_section(sources: Path) -> None:
    """Numbers from other documents, and limits of 0, which documents give in words, are not searched for."""
    bad = []
    for rule in RULES.values():
        for limit in rule.thresholds.values():
            named = list(cited(limit.cite or rule.source.cite))
            if limit.kind != "documented" or not limit.value or not named:
                continue
            text = " ".join(section(sources, document, quoted) for document, sections in named for quoted in sections)
            if not any(re.search(rf"(?<![\d.,]){re.escape(form)}(?![\d]|[.,]\d)", text) for form in forms(limit)):
                bad.append(
                    f"{rule.file.name}: {limit.name} = {limit.value:g} {limit.unit} is not in {limit.cite or rule.source.cite}"
                )
    assert not bad, "\n  ".join(bad)


CONVERSATIONS = 10
"""SHARECNV of the channels whose footprint the documents give."""


def test_a_storage_figure_is_in_its_section(sources: Path) -> None:
    """The figures of view storage_estimate; documents write some in MB or bytes, or for all conversations of a
    channel.
    """
    view = sqlfile.views()["storage_figure"]
    rows = duckdb.execute(f"SELECT DISTINCT item, kib_each, figure_source FROM ({view.select})").fetchall()
    assert rows, "view storage_figure has no rows"
    bad = []
    for item, kib, cite in rows:
        for document, quoted in cited(cite):
            unknown = [each for each in quoted if plain(each) not in headings(sources, document)]
            if not quoted or unknown:
                bad.append(f"{item}: {cite} is not a section")
                continue
            text = " ".join(section(sources, document, each) for each in quoted)
            ways = (
                {f"{kib:g}", f"{round(kib / 1024, 2):g}", f"{kib * 1024:g}", f"{kib * CONVERSATIONS:g}"}
                if kib
                else {""}
            )
            if not any(re.search(rf"(?<![\d.,]){re.escape(way)}(?![\d]|[.,]\d)", text) for way in ways):
                bad.append(f"{item}: {kib} KiB is not in {cite}")
    assert not bad, "\n  ".join(bad)


@pytest.mark.parametrize(
    ("rule_id", "advised", "cite", "stated"),
    [
        ("LG004", "CSQ4LFMT", "MP16, 'Log data set pre-format'", ("CSQ4LFMT", "50%")),
        ("LG010", "7 to 13 s", "MP16, 'What impact is there when DWP writes large amounts of data?'", ("4GB", "7 to 13 seconds")),
        ("LG019", "7 to 13 s", "MP16, 'What impact is there when DWP writes large amounts of data?'", ("4GB", "7 to 13 seconds")),
        ("LG022", "56 KB", "MP16, 'zHyperLink and striped active logs'", ("56KB", "19KB", "128KB")),
        ("CF001", "8 MB", "Z17, 'CFCC level 26 and MQ for z/OS structures'", ("8MB", "application structure")),
        ("CF007", "8 MB", "Z17, 'CFCC level 26 and MQ for z/OS structures'", ("8MB", "application structure")),
        ("CH008", "SSLRKEYC(0)", "V92, 'Secret key (re-)negotiation costs'", ("SSLRKEYC", "TLS 1.3")),
        ("EN003", "SSLRKEYC(0)", "V92, 'Secret key (re-)negotiation costs'", ("SSLRKEYC", "TLS 1.3")),
    ],
)  # fmt: skip
def test_advice_of_a_document(rule_id: str, advised: str, cite: str, stated: tuple[str, ...], sources: Path) -> None:
    """The remedy or the commands have the advice, the rule cites the section, and the section has its figures."""
    rule = RULES[rule_id]
    costs = (size.cost for size in rule.commands.sizes.values())
    assert advised in " ".join(
        [rule.advice.remedy, *(str(getattr(item, "text", item)) for item in rule.commands.do), *costs]
    )
    ((document, (quoted,)),) = cited(cite)
    assert quoted in dict(cited(rule.source.cite))[document]
    text = section(sources, document, quoted)
    assert [part for part in stated if part not in text] == []
