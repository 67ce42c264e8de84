"""What rules advise: commands of traces are those of view record_class, figures and words are in the cited sections."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import duckdb

from mqstat.judge.messages import messages
from mqstat.judge.model import rules
from mqstat.sources import advice
from mqstat.sql import sqlfile
from tests.costs import cache
from tests.documents import cited, section

ROOT = Path(__file__).parents[1]
TABLE = "record_class"
STARTED = re.compile(r"START TRACE\((\w+)\) CLASS\(([\d,*]+)\)")
NAMED = (
    (r"\bstatistics (?:trace )?class(?:es)? (\d)", "STAT", "115."),
    (r"\bclass (\d) statistics", "STAT", "115."),
    (r"\baccounting (?:trace )?class (\d)", "ACCTG", "116."),
    (r"\bclass (\d)(?: task)? accounting", "ACCTG", "116."),
    (r"queue statistics \((?:STATQ, )?class (\d)", "STAT", "115.216"),
    (r"channel accounting \(class (\d)", "ACCTG", "116.10"),
    (r"channel initiator statistics \(class (\d)", "STAT", "115.231"),
)
"""How texts name a class, its trace, and the record classes that they may mean."""

ATTRIBUTES = re.compile(r"ALTER QMGR (\w+)\(")

QUOTED = {
    "QU008": ("Queue manager initiated expiry processing", "then another queue manager", "another takes over"),
    "CH009": ("SSLTASKS", "CHIDISPS + 1", "CHIDISPS + 1"),
    "LG019": ("What is an appropriate value for LOGLOAD?", "16 million", "16 million"),
}
"""Words of the cited section of MP16 that the advice or title of a rule repeats in its own words."""

NO_FIGURE = re.compile(
    r"\{[^}]*\}|\b(?:MQ|z/OS|SMF|MQRC|type|at|and) \d[\d.]*|\b11[56]\.\d+|\d+\.\d+(?:, \d+\.\d+)* and \d+\.0"
)
"""Levels, record types and reason codes in advice."""

COMPUTED = {"CN012": "rounded to tenths of a millisecond", "IM001": "shares of the measured rates"}
"""Rules whose advice has figures that are computed from those of the cited section."""


@cache
def traces() -> dict[str, tuple[str, str, str | None]]:
    """Trace, class and attribute of each record class."""
    with duckdb.connect() as db:
        found = db.execute(f"SELECT record_class, trace, trace_class, attribute FROM ({sqlfile.views()[TABLE].text})")
        return {name: (trace, class_, attribute) for name, trace, class_, attribute in found.fetchall() if trace}


def texts() -> Iterator[tuple[str, str]]:
    """All that users read about traces, with the name of its unit."""
    for folder in ("rules", "reports", "docs", "mqstat"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".sql", ".toml", ".md", ".py") and "review" not in path.parts:
                yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
    yield "README.md", (ROOT / "README.md").read_text(encoding="utf-8")


def wrong(text: str) -> Iterator[str]:
    """The traces of a text that the table does not have."""
    classes = {(trace, part) for trace, class_, _ in traces().values() for part in class_.split(",")}
    for trace, listed in STARTED.findall(text):
        yield from (f"{trace} {part}" for part in listed.split(",") if part != "*" and (trace, part) not in classes)
    for pattern, trace, prefix in NAMED:
        known = {
            part
            for name, (its, class_, _) in traces().items()
            for part in class_.split(",")
            if its == trace and name.startswith(prefix)
        }
        yield from (match[0] for match in re.finditer(pattern, text, re.I) if match[1] not in known)


def test_each_class_in_a_text_is_in_the_table() -> None:
    bad = [f"{name}: {fault}" for name, text in texts() for fault in wrong(text)]
    assert not bad, "\n".join(bad)
    assert list(wrong("queue statistics (class 4), accounting class 2, START TRACE(ACCTG) CLASS(5)")) == [
        "ACCTG 5",
        "accounting class 2",
        "queue statistics (class 4",
    ]


def test_a_rule_about_a_record_class_starts_its_trace() -> None:
    """A rule that counts the records of a class starts no other trace, and sets the attribute that the class needs."""
    checked_rules = 0
    for rule in rules().values():
        counted = {name.replace("_", ".") for name in re.findall(r"\brecords_(11[56]_\d+)", " ".join(rule.needs))}
        commands = [item if isinstance(item, str) else item.text for item in rule.commands.do]
        everything = f"{' '.join(commands)} {rule.sql} {rule.advice.remedy}"
        for name in counted:
            trace, class_, attribute = traces()[name]
            assert set(STARTED.findall(everything)) <= {(trace, class_)}, rule.id
            assert set(ATTRIBUTES.findall(everything)) <= {attribute}, rule.id
            checked_rules += 1
        if not counted:
            assert "START TRACE" not in rule.sql.partition("---*/")[2], f"{rule.id}: take the command from {TABLE}"
    assert checked_rules >= 4


def test_commands_of_the_collection_are_in_one_table() -> None:
    """Statements take them from the view; only lists of commands, which are checked, repeat them."""
    written = {
        name
        for name, text in texts()
        if STARTED.search(re.sub(r"(?m)^(?:do|\w+\.do|look) .*$", "", text)) and not name.startswith("docs")
    }
    assert written <= {"mqstat/sources/advice.py"}, written
    assert all(
        (trace, class_) in {(its, known) for its, known, _ in traces().values()}
        for line in advice.TRACE
        for trace, listed in STARTED.findall(line)
        for class_ in listed.split(",")
        if class_ != "*"
    )
    assert not [id_ for id_, message in messages().items() if list(wrong(message.states))]


def test_advice_repeats_the_cited_section(sources: Path) -> None:
    for id_, (heading, quoted, advised) in QUOTED.items():
        rule = rules()[id_]
        assert quoted in section(sources, "MP16", heading), id_
        assert advised in f"{rule.title} {rule.advice.remedy}", id_


def test_figures_of_advice_are_in_a_cited_section(sources: Path) -> None:
    bad, checked = [], 0
    for rule in rules().values():
        cites = "; ".join((rule.source.cite, *(threshold.cite for threshold in rule.thresholds.values())))
        given = " ".join(section(sources, document, name) for document, names in cited(cites) for name in names)
        known = (
            f"{given} {rule.sql.partition('---*/')[2]} {[threshold.value for threshold in rule.thresholds.values()]}"
        )
        figures = re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)", NO_FIGURE.sub("", rule.advice.remedy))
        if not given or rule.id in COMPUTED:
            continue
        checked += len(figures)
        bad += [f"{rule.id}: {figure}" for figure in figures if figure.replace(",", "") not in known.replace(",", "")]
    assert not bad, f"not in a section that the rule cites: {bad}"
    assert checked >= 60


def test_messages_and_displays_in_texts_have_a_source() -> None:
    """A message that a text names is in rules/messages.toml, and each display is in rules/commands.toml."""
    stated = (ROOT / "rules/commands.toml").read_text(encoding="utf-8")
    known = {*tomllib.loads(stated)["DISPLAY"], *re.findall(r"\bDISPLAY (\w+)", stated)}
    bad = [
        f"{name}: {missing}"
        for name, text in texts()
        if name.startswith(("rules/", "reports/", "README", "docs/questions"))
        for missing in {
            *(set(re.findall(r"\bCSQ[A-Z0-9]\d{3}[ADEI]\b", text)) - set(messages())),
            *(word for word in re.findall(r"\bDISPLAY ([A-Z]{3,}\b)", text) if word not in known),
        }
    ]
    assert not bad, "\n".join(sorted(bad))
    plan = (ROOT / "reports/plan/log_size_and_count.toml").read_text(encoding="utf-8")
    assert "CSQJ312I" not in plan, "it is not the start of an automatic archive"
