"""Messages and APARs that `explain` knows: each has rules or reports and a source that names it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqstat.base.errors import UsageError
from mqstat.judge.explain import explain_any
from mqstat.judge.messages import messages
from mqstat.judge.model import rules
from mqstat.sql import sqlfile
from tests.documents import FILES, cited, headings, plain, section
from tests.each import each

MESSAGES = messages()

TOPICS = (
    "Active log problems",
    "Archive log problems",
    "Problems with long-running units of work",
    "MQSC reference, START TRACE on z/OS",
    "2193 (0891) (RC2193): MQRC_PAGESET_ERROR",
    "APAR PI08889",
    "APAR PI25129",
)
"""Pages of IBM's documentation, other than those of a component's messages, that show a message."""

SEEN = "CSQJ004I CSQJ110E CSQJ111A CSQJ128E CSQP013I CSQX208E CSQX599E CSQY222E"
"""Messages that an operator sees when the findings of mqstat are true, and that a page that can be looked up
explains."""


def test_there_are_forty_from_the_documents() -> None:
    assert sum(any(cited(message.source)) for message in MESSAGES.values()) >= 40


@each(MESSAGES)
def test_a_message_leads_to_figures(id_: str) -> None:
    message = MESSAGES[id_]
    assert re.fullmatch(r"CSQ[0-9A-Z]\d{3}[ADEI]|CSQ0\d{3}[EI]|[A-Z]{2}\d{5}", id_), (
        f"{id_} is neither a message nor an APAR"
    )
    assert message.see, f"{id_}: name a rule or a report about it"
    columns = {f"{view.id}.{name}" for view in sqlfile.views().values() for name in view.columns}
    unknown = set(message.see) - set(rules()) - set(sqlfile.reports()) - columns
    assert not unknown, f"{id_}: {', '.join(unknown)} is not a rule, report or column"
    page = " ".join(explain_any(id_.lower()).split())
    for part in (id_, message.states, message.source, message.levels, *message.see):
        assert " ".join(part.split()) in page
    for name in message.see:
        assert id_ in explain_any(name), f"the page of {name} does not name {id_}"


@each(MESSAGES)
def test_a_message_has_a_source(id_: str) -> None:
    """A section of a document, or the page of IBM's documentation that has the messages of this component."""
    source = MESSAGES[id_].source
    named = list(cited(source))
    if named:
        assert all(quoted for _, quoted in named), f"{id_}: quote the section in {source!r}"
        return
    assert source.startswith("IBM documentation, "), (
        f"{id_}: {source!r} is neither one of {', '.join(FILES)} nor IBM's documentation"
    )
    pages = (f"({id_[:4]}...)", f"APAR {id_}", *(f"IBM documentation, {topic}" for topic in TOPICS))
    assert source.endswith(pages), f"{id_}: {source!r} is not the page of its component"


def test_messages_that_an_operator_sees_are_known() -> None:
    assert not set(SEEN.split()) - set(MESSAGES)
    assert len([id_ for id_ in MESSAGES if id_.startswith("CSQ")]) >= 110


def test_a_message_is_in_the_section_of_its_source(sources: Path) -> None:
    bad = []
    for id_, message in MESSAGES.items():
        for document, quoted in cited(message.source):
            for heading in quoted:
                if plain(heading) not in headings(sources, document):
                    bad.append(f"{id_}: {document} has no heading {heading!r}")
                elif id_ not in f"{heading} {section(sources, document, heading)}":
                    bad.append(f"{id_} is not in {document}, {heading!r}")
    assert not bad, "\n  ".join(["each id is in the section of its source:", *bad])


def test_errors_of_the_data_have_their_levels_and_rules() -> None:
    """View known_error has the levels that the entry states, and each rule that reads it names the APAR."""
    view = sqlfile.views()["known_error"].text
    ranges = {apar: (int(first), int(after)) for apar, first, after in re.findall(r"\('(P\w+)', (\d+), (\d+)\)", view)}
    assert len(ranges) >= 5
    for apar, (first, after) in ranges.items():
        stated = [[int(part) for part in text.split(".")] for text in MESSAGES[apar].levels.split(", ")]
        bounds = [(v * 10000 + r * 100 + (m[0] if m else 0), 1 if m else 100) for v, r, *m in stated]
        assert (first, after) == (bounds[0][0], sum(bounds[-1])), apar
    for rule in rules().values():
        for apar in re.findall(r"e\.apar = '(\w+)'", rule.sql):
            assert apar in ranges, f"{rule.id}: {apar}"
            assert rule.id in MESSAGES[apar].see, f"{apar} does not name {rule.id}"


def test_an_unknown_message_has_no_page() -> None:
    with pytest.raises(UsageError, match="CSQZ999E"):
        explain_any("CSQZ999E")


def test_a_message_with_another_letter_at_its_end_is_suggested() -> None:
    with pytest.raises(UsageError, match="did you mean CSQP020E"):
        explain_any("CSQP020I")


@pytest.mark.parametrize("id_", ["PI09730", "PH69353", "oa66235", "CSQE213I", "CSQX027E"])
def test_an_unknown_apar_or_message_suggests_no_other(id_: str) -> None:
    """The one with the nearest number is about something else: CSQE132I is a recovery, CSQE213I about a data set of
    messages.
    """
    with pytest.raises(UsageError) as error:
        explain_any(id_)
    assert "did you mean" not in str(error.value)
    assert not [known for known in MESSAGES if known in str(error.value)]
