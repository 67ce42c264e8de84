"""Responses to DISPLAY commands: the same facts however a console wraps them, and never a wrong one."""

from __future__ import annotations

import io
from collections.abc import Iterator
from time import process_time
from typing import Any

import pytest

from mqstat.base.errors import InputError, UsageError
from mqstat.intake import display_facts
from mqstat.intake.display_facts import RULES, Collected
from mqstat.sources.display import Responses
from mqstat.sql.site import FACTS
from tests.console_text import ALL, OTHERS, RESPONSES, STYLES, each_line, syslog, wrapped


def read(text: str, *qmgrs: str) -> tuple[dict[str, dict[str, Any]], bool, list[str]]:
    """The facts by queue manager, whether everything was understood, and the sentences about it."""
    responses, collected = Responses(io.StringIO(text)), Collected()
    collected.add("text", 0, responses.values())
    facts = collected.facts(qmgrs)
    found: dict[str, dict[str, Any]] = {}
    for fact in facts.facts:
        name = fact.name if fact.key is None else f"{fact.name}.{fact.key}"
        assert name not in found.setdefault(fact.qmgr, {})
        found[fact.qmgr][name] = fact.value
    understood = responses.is_understood and not collected.rejected
    return found, understood, [*responses.summary(), *collected.summary(), *facts.summary()]


EXPECTED = {"dsbufs.APPL1": 100} | {name: value for _, facts in RESPONSES.values() for name, value in facts.items()}


@pytest.mark.parametrize("command", RESPONSES)
def test_the_facts_of_a_response(command: str) -> None:
    text, facts = RESPONSES[command]
    found, understood, _ = read(text, "MQ07")
    assert found == ({"MQ07": facts} if facts else {})
    assert understood


@pytest.mark.parametrize("style", [*STYLES, *OTHERS])
def test_a_style_does_not_change_the_facts(style: str) -> None:
    found, understood, sentences = read({**STYLES, **OTHERS}[style](ALL), "MQ07")
    assert found == {"MQ07": EXPECTED}
    assert understood, sentences
    assert not any("not known" in sentence for sentence in sentences)


@pytest.mark.parametrize("columns", [72, 80, 133])
@pytest.mark.parametrize("style", STYLES)
def test_lines_wrapped_at_usual_columns_have_the_same_facts(style: str, columns: int) -> None:
    found, _, _ = read(wrapped(STYLES[style](ALL), columns), "MQ07")
    assert found == {"MQ07": EXPECTED}


def check_wrapped(style: str, columns: int, strip: bool, indent: str) -> None:
    """A fact is right, or it is absent and something is stated."""
    found, understood, sentences = read(wrapped(STYLES[style](ALL), columns, strip=strip, indent=indent), "MQ07")
    facts = found.get("MQ07", {})
    assert {name: value for name, value in facts.items() if EXPECTED.get(name) != value} == {}
    assert facts.keys() == EXPECTED.keys() or not understood or any("not known" in each for each in sentences)


@pytest.mark.parametrize("indent", ["", "    "])
@pytest.mark.parametrize("columns", [60, 63, 67, 74, 93, 101, 110])
@pytest.mark.parametrize("style", ["times", "SYSLOG"])
def test_wrapped_lines_never_have_a_wrong_fact(style: str, columns: int, indent: str) -> None:
    check_wrapped(style, columns, strip=columns % 2 == 0, indent=indent)


def test_two_queue_managers_whose_lines_alternate() -> None:
    text = RESPONSES["DISPLAY LOG"][0]
    other = text.replace("!MQ07", "!MQ08").replace("OUTBUFF     4000", "OUTBUFF     8000")
    lines = [
        line for pair in zip(syslog(text).splitlines(), syslog(other, 1).splitlines(), strict=True) for line in pair
    ]
    found, understood, _ = read("\n".join(lines))
    assert (found["MQ07"]["outbuff_kib"], found["MQ08"]["outbuff_kib"]) == (4000.0, 8000.0)
    assert found["MQ07"].keys() == found["MQ08"].keys() == RESPONSES["DISPLAY LOG"][1].keys()
    assert understood


@pytest.mark.parametrize(
    ("text", "qmgrs", "owner"),
    [
        ("CSQP001I +MQ09 Buffer pool 2 has 5000 buffers", (), "MQ09"),
        ("CSQP001I @# Buffer pool 2 has 5000 buffers", ("MQ01",), "MQ01"),
        ("CSQP001I Buffer pool 2 has 5000 buffers", ("MQ01",), "MQ01"),
        ("CSQP001I @# Buffer pool 2 has 5000 buffers\nCSQM201I @# CSQMDRTC DISPLAY QMGR DETAILS\nQMNAME(MQ02)\nEND QMGR DETAILS", (), "MQ02"),
        ("CSQM201I !MQ07 CSQMDRTC DISPLAY QMGR DETAILS\nQMNAME(MQ02)\nEND QMGR DETAILS\nCSQP001I !MQ07 Buffer pool 2 has 5000 buffers", (), "MQ02"),
        ("CSQN121I @# 'DISPLAY USAGE' command responses from MQ03\nCSQP001I @# Buffer pool 2 has 5000 buffers", (), "MQ03"),
    ],
)  # fmt: skip
def test_whose_response_it_is(text: str, qmgrs: tuple[str, ...], owner: str) -> None:
    found, _, _ = read(text, *qmgrs)
    assert found == {owner: {"buffers.2": 5000}}


@pytest.mark.parametrize("cpf", ["@# ", "", "!LONGNAME"])
def test_a_response_of_no_known_queue_manager_is_refused(cpf: str) -> None:
    text = f"CSQP001I {cpf}Buffer pool 2 has 5000 buffers"
    if cpf == "!LONGNAME":
        text = f"CSQP001I {cpf} Buffer pool 2 has 5000 buffers".replace("!LONGNAME", "!LONGNM")
    for qmgrs in ((), ("MQ01", "MQ02")):
        with pytest.raises(UsageError, match=r"line 1.*add --qmgr NAME\.$"):
            read(text, *qmgrs)


def test_a_divided_response_belongs_to_its_own_queue_manager() -> None:
    text = """\
CSQM201I !MQ08 CSQMDRTC DISPLAY QMGR DETAILS
QMNAME(MQ08)
MAXCHL(100)
CSQM201I !MQ07 CSQMDRTC DISPLAY QMGR DETAILS
MAXCHL(200)
ACTCHL(150)
END QMGR DETAILS
"""
    assert read(text)[0] == {"MQ08": {"maxchl": 100}, "MQ07": {"maxchl": 200, "actchl": 150}}


@pytest.mark.parametrize(
    ("command", "attributes"),
    [
        ("QMGR", "QMNAME(MQ08)\nMAXCHL(1)\nQMNAME(MQ07)\nACTCHL(2)"),
        ("CFSTATUS", "CFSTATUS(A)\nTYPE(SUMMARY)\nCFSTATUS(B)\nENTSMAX(5)"),
        ("CFSTRUCT", "CFSTRUCT(A)\nCFSTRUCT(B)\nDSBUFS(5)"),
        ("SMDS", "SMDS(MQ07)\nCFSTRUCT(A)\nSMDS(MQ07)\nCFSTRUCT(B)\nDSBUFS(5)"),
    ],
)
def test_a_response_about_two_objects_is_not_used(command: str, attributes: str) -> None:
    """The beginning of the second one is missing."""
    text = f"CSQM201I !MQ07 CSQMDRTC DISPLAY {command} DETAILS\n{attributes}\nEND {command} DETAILS\n"
    found, understood, sentences = read(text)
    assert (found, understood) == ({}, False)
    assert any("has several" in sentence for sentence in sentences)


def test_other_queue_managers_are_left_out_if_some_are_named() -> None:
    found, _, sentences = read(ALL, "MQ01")
    assert found == {}
    assert any("MQ07: left out" in sentence for sentence in sentences)


def test_of_two_values_the_later_one_is_used_and_both_are_stated() -> None:
    text = RESPONSES["DISPLAY SYSTEM"][0]
    found, _, sentences = read(text + text.replace("4000000", "9000000"))
    assert found["MQ07"]["logload"] == 9000000
    assert any("logload: 9000000" in sentence and "not 4000000" in sentence for sentence in sentences)


def test_what_is_in_force_comes_before_what_is_defined() -> None:
    text = RESPONSES["DISPLAY CHINIT"][0] + RESPONSES["DISPLAY QMGR"][0].replace("CHIADAPS(30)", "CHIADAPS(40)")
    found, _, sentences = read(text)
    assert found["MQ07"]["chiadaps"] == 30
    assert any("not 40 (DISPLAY QMGR" in sentence for sentence in sentences)


@pytest.mark.parametrize(
    ("twoactv", "second", "known"), [("NO", "", {"active_logs": 8}), ("YES", "2     68   NO  NO   D.S\n", {})]
)
def test_active_logs_are_known_if_there_is_one_copy(twoactv: str, second: str, known: dict[str, int]) -> None:
    text = RESPONSES["DISPLAY LOG"][0].replace("TWOACTV     YES", f"TWOACTV     {twoactv}")
    text = text.replace("2     68   NO          NO        MQ07.LOGCOPY2.DS01\n", second)
    found, _, sentences = read(text)
    assert {name: value for name, value in found["MQ07"].items() if name == "active_logs"} == known
    assert any("counts 8 active logs" in sentence for sentence in sentences) == (not known)


@pytest.mark.parametrize(("offload", "twoarch", "copies"), [("NO", "YES", 0), ("YES", "NO", 1), ("YES", "YES", 2)])
def test_archive_copies(offload: str, twoarch: str, copies: int) -> None:
    text = RESPONSES["DISPLAY LOG"][0].replace("OFFLOAD     YES", f"OFFLOAD     {offload}")
    assert read(text.replace("TWOARCH     YES", f"TWOARCH     {twoarch}"))[0]["MQ07"]["archive_copies"] == copies


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("MAXCHL(900)", "MAXCHL(many)", "MAXCHL is 'many'"),
        ("MAXCHL(900)", "MAXCHL(9,00)", "MAXCHL is '9,00'"),
        ("MAXCHL(900)", "MAXCHL(\u0669)", "MAXCHL is"),
        ("MAXCHL(900)", "MAXCHL(900", "no complete KEYWORD(VALUE)"),
        ("MAXCHL(900)", "MAXCHL(900)\nMAXCHL(901)", "MAXCHL has two values"),
        ("DESCR(orders", "DESCR(a) MAXCHL(1) (", "MAXCHL has two values"),
        ("QMNAME(MQ07)\nDESCR(orders (north) and MAXCHL notes)\nMAXCHL(900)", "QMNAME(MQ07)\nMAXCHLX(900)", "QMGR MAXCHLX (1)"),
        ("QMNAME(MQ07)", "QUEUE(A)", "responses that have no facts: DISPLAY QMGR (1)"),
        ("DISPLAY QMGR' NORMAL", "DISPLAY THREAD' NORMAL", "responses that have no facts: DISPLAY THREAD (1)"),
        ("NORMAL COMPLETION", "ABNORMAL COMPLETION", "commands that failed: DISPLAY QMGR (1)"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_stated(old: str, new: str, sentence: str) -> None:
    text = RESPONSES["DISPLAY QMGR"][0]
    found, _, sentences = read(text.replace(old, new), "MQ07")
    assert any(sentence in each for each in sentences), sentences
    if "DISPLAY" not in sentence:
        assert "maxchl" not in found.get("MQ07", {})


def test_a_response_in_the_description_of_an_object_is_no_response() -> None:
    """A description is a text that others choose: wrapped, it can begin a line as a message does."""
    text = "09.30.01 STC01234  CSQM201I !MQ07 CSQMDRTC DISPLAY QMGR DETAILS\nQMNAME(MQ07)\n"
    text += "DESCR(" + "x" * 60 + "\nCSQX831I !MQ07 9 adapter subtasks started, 999 requested)\nEND QMGR DETAILS\n"
    assert read(text, "MQ07")[0] == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0\1\2" * 5000,
        "<b>CSQJ322I</b>\n",
        "CSQM201I\nCSQJ322I\nCSQX831I\nCSQI010I\n" * 50,
        "CSQM201I !A CSQMDRTC DISPLAY CFSTRUCT DETAILS\nCFSTRUCT(a\"]\\n[x])\nDSBUFS(1)\nEND CFSTRUCT DETAILS\n",
        "CSQM201I !A CSQMDRTC DISPLAY QMGR DETAILS\nQMNAME(MQ01\x1b[31m)\nDEADQ(\"'<b>)\nEND QMGR DETAILS\n",
        "CSQM201I !A X DISPLAY QMGR DETAILS\nQMNAME(A)\n" + "(" * 4000 + "\n" + ")" * 4000 + "\n" + "-" * 4000 + "x\n",
        "CSQI010I !A Page set usage\n" + "- _ " * 1000 + "x\n" + " " * 4000 + "y\n",
        "CSQX831I " + " " * 4000 + "x\n" + "CSQX831I " + "1 " * 2000,
        "CSQJ322I !A DISPLAY " + "X" * 100_000,
    ],
)  # fmt: skip
def test_hostile_text_has_no_facts(text: str) -> None:
    start = process_time()
    found, _, _ = read(text, "A")
    assert found == {}
    assert process_time() - start < 2


def test_long_lines_are_stated() -> None:
    found, understood, sentences = read("x" * 10_000 + "\n" + RESPONSES["DISPLAY LOG"][0])
    assert found["MQ07"] == RESPONSES["DISPLAY LOG"][1]
    assert not understood
    assert any("longer than" in sentence for sentence in sentences)


def test_lines_whose_message_is_missing_are_stated() -> None:
    text = "".join(line for line in syslog(RESPONSES["DISPLAY LOG"][0]).splitlines(keepends=True)[1:])
    _, understood, sentences = read(text, "MQ07")
    assert not understood
    assert any("their beginning is missing" in sentence for sentence in sentences)


def test_a_text_with_more_facts_than_a_site_has_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display_facts, "MOST_FACTS", 20)
    with pytest.raises(InputError, match=r"more than 20 facts"):
        read(ALL)


def test_every_keyword_is_a_fact() -> None:
    facts = {rule.fact for rules in RULES.values() for rule in rules.values() if not rule.fact.startswith("_")}
    assert facts <= FACTS.keys()
    assert {name for name, fact in FACTS.items() if fact.displayed} <= facts


class _Log:
    """A log of a number of lines, made while it is read."""

    def __init__(self, lines: int) -> None:
        self.lines = self._made(lines)

    def _made(self, lines: int) -> Iterator[str]:
        blocks = [syslog(text).splitlines(keepends=True) for text, _ in RESPONSES.values()]
        other = each_line("N 4000000 SYS1     26147 09:30:02.12 JOB04711 00000090  ")(
            "IEF403I JOB1 - STARTED - TIME=09.30.02"
        )
        channel = each_line("N 0000000 SYS1     26147 09:30:03.12 STC01234 00000090  ")(
            "CSQX500I !MQ07 CSQXRESP Channel TO.MQ1 started"
        )
        while lines > 0:
            block = [*[other] * 700, *[channel] * 250, *blocks[lines % len(blocks)]]
            yield from block
            lines -= len(block)

    def readline(self, _size: int = -1) -> str:
        """The next line."""
        return next(self.lines, "")


def test_one_line_is_not_several() -> None:
    _, _, sentences = read("CSQM201I !A CSQMDRTC  DISPLAY QMGR DETAILS\nQMNAME(A)\nCHIADAPS(12\n")
    assert sentences[0].startswith("3 lines, 1 MQ message, 1 of them")
    assert any(sentence.startswith("1 line of responses not understood: ") for sentence in sentences)
