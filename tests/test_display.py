"""Responses to DISPLAY commands: the same facts with every prefix, and a text with a line that was cut is refused with
that line.
"""

from __future__ import annotations

import io
import re
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


def read(text: str, *qmgrs: str) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The facts by queue manager, and the sentences about the text."""
    responses, collected = Responses(io.StringIO(text)), Collected()
    collected.add("text", 0, responses.values())
    facts = collected.facts(qmgrs)
    found: dict[str, dict[str, Any]] = {}
    for fact in facts.facts:
        name = fact.name if fact.key is None else f"{fact.name}.{fact.key}"
        assert name not in found.setdefault(fact.qmgr, {})
        found[fact.qmgr][name] = fact.value
    return found, [*responses.summary(), *facts.summary()]


def refusal(text: str, *qmgrs: str) -> str:
    """The error about a text that is refused."""
    with pytest.raises(InputError) as refused:
        read(text, *qmgrs)
    return str(refused.value)


EXPECTED = {"dsbufs.APPL1": 100} | {name: value for _, facts in RESPONSES.values() for name, value in facts.items()}


@pytest.mark.parametrize("command", RESPONSES)
def test_the_facts_of_a_response(command: str) -> None:
    text, facts = RESPONSES[command]
    found, _ = read(text, "MQ07")
    assert found == ({"MQ07": facts} if facts else {})


@pytest.mark.parametrize("style", [*STYLES, *OTHERS])
def test_a_style_does_not_change_the_facts(style: str) -> None:
    found, sentences = read({**STYLES, **OTHERS}[style](ALL), "MQ07")
    assert found == {"MQ07": EXPECTED}
    assert not any("not known" in sentence for sentence in sentences)


@pytest.mark.parametrize("columns", [60, 72, 80])
@pytest.mark.parametrize("style", [style for style in STYLES if style != "plain"])
def test_wrapped_lines_are_refused_with_the_line(style: str, columns: int) -> None:
    text = wrapped(STYLES[style](ALL), columns)
    error = refusal(text, "MQ07")
    number, shown = re.match(r"line (\d+) ('.*?'|\".*?\") ", error, re.DOTALL).groups()  # type: ignore[union-attr]
    assert shown[1:-1].strip()[:10] in text.splitlines()[int(number) - 1]
    assert "issue the DISPLAY commands with CSQUTIL" in error


def check_wrapped(style: str, columns: int, strip: bool, indent: str) -> bool:
    """Whether a wrapped text is refused; otherwise it has all facts."""
    try:
        found, _ = read(wrapped(STYLES[style](ALL), columns, strip=strip, indent=indent), "MQ07")
    except InputError:
        return True
    assert found == {"MQ07": EXPECTED}
    return False


@pytest.mark.parametrize("indent", ["", "    "])
@pytest.mark.parametrize("columns", [60, 63, 67, 74, 93, 101, 110, 133])
@pytest.mark.parametrize("style", STYLES)
def test_wrapped_lines_have_all_facts_or_are_refused(style: str, columns: int, indent: str) -> None:
    check_wrapped(style, columns, strip=columns % 2 == 0, indent=indent)


@pytest.mark.parametrize("command", RESPONSES)
def test_a_response_cut_anywhere_has_no_fact_less(command: str) -> None:
    """A text that ends within a response is refused, or has the facts of whole messages."""
    text, facts = RESPONSES[command]
    collected = Collected()
    collected.add("text", 0, Responses(io.StringIO(text)).values())
    lines = {fact.label: int(re.findall(r"line (\d+)", fact.origin)[0]) for fact in collected.facts(("MQ07",)).facts}
    assert len(lines) == len(facts)
    for count in range(1, text.count("\n")):
        kept = Collected()
        try:
            kept.add("text", 0, Responses(io.StringIO("".join(text.splitlines(keepends=True)[:count]))).values())
        except InputError:
            continue
        assert {fact.label for fact in kept.facts(("MQ07",)).facts} == {
            label for label in lines if lines[label] <= count
        }


def test_a_sentence_or_an_identifier_that_is_cut_is_refused() -> None:
    prefix = "N 4000000 SYS1     26147 09:30:01.12 STC01234 00000090  "
    whole = f"{prefix}CSQX840I !MQ07 CSQXRDQM 12 channels current, maximum 900\n"
    assert read(whole)[0] == {"MQ07": {"maxchl": 900}}
    for cut in range(len(prefix) + 4, len(whole) - 1):
        for glue in ("\n", "\n     ", "\nS                                       "):
            assert refusal(whole[:cut] + glue + whole[cut:]).startswith("line ")


def test_a_response_after_a_prefix_that_is_not_known_is_refused() -> None:
    error = refusal(
        "[MVS1] <09:30> CSQX840I !MQ07 CSQXRDQM 12 channels current, maximum 900\n".replace("<", "").replace(">", "")
    )
    assert error.startswith("line 1 ")
    assert "after a prefix that is not known" in error


def test_two_queue_managers_whose_lines_alternate() -> None:
    text = RESPONSES["DISPLAY LOG"][0]
    other = text.replace("!MQ07", "!MQ08").replace("OUTBUFF     4000", "OUTBUFF     8000")
    lines = [
        line for pair in zip(syslog(text).splitlines(), syslog(other, 1).splitlines(), strict=True) for line in pair
    ]
    found, _ = read("\n".join(lines))
    assert (found["MQ07"]["outbuff_kib"], found["MQ08"]["outbuff_kib"]) == (4000.0, 8000.0)
    assert found["MQ07"].keys() == found["MQ08"].keys() == RESPONSES["DISPLAY LOG"][1].keys()


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
    found, _ = read(text, *qmgrs)
    assert found == {owner: {"buffers.2": 5000}}


@pytest.mark.parametrize("cpf", ["@# ", "", "!LONGNAME"])
def test_a_response_of_no_known_queue_manager_is_refused(cpf: str) -> None:
    text = f"CSQP001I {cpf}Buffer pool 2 has 5000 buffers"
    if cpf == "!LONGNAME":
        text = f"CSQP001I {cpf} Buffer pool 2 has 5000 buffers".replace("!LONGNAME", "!LONGNM")
    for qmgrs in ((), ("MQ01", "MQ02")):
        with pytest.raises(UsageError, match=r"line 1.*add --qmgr NAME\.$"):
            read(text, *qmgrs)


def test_a_response_without_its_end_is_refused() -> None:
    text = """\
CSQM201I !MQ08 CSQMDRTC DISPLAY QMGR DETAILS
QMNAME(MQ08)
MAXCHL(100)
CSQM201I !MQ07 CSQMDRTC DISPLAY QMGR DETAILS
MAXCHL(200)
ACTCHL(150)
END QMGR DETAILS
"""
    assert refusal(text).startswith("line 1 '!MQ08 CSQMDRTC DISPLAY QMGR DETAILS' begins a response that has no end.")


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
    assert "has several" in refusal(text)


def test_other_queue_managers_are_left_out_if_some_are_named() -> None:
    found, sentences = read(ALL, "MQ01")
    assert found == {}
    assert any("MQ07: left out" in sentence for sentence in sentences)


def test_of_two_values_the_later_one_is_used_and_both_are_stated() -> None:
    text = RESPONSES["DISPLAY SYSTEM"][0]
    found, sentences = read(text + text.replace("4000000", "9000000"))
    assert found["MQ07"]["logload"] == 9000000
    assert any("logload: 9000000" in sentence and "not 4000000" in sentence for sentence in sentences)


def test_what_is_in_force_comes_before_what_is_defined() -> None:
    text = RESPONSES["DISPLAY CHINIT"][0] + RESPONSES["DISPLAY QMGR"][0].replace("CHIADAPS(30)", "CHIADAPS(40)")
    found, sentences = read(text)
    assert found["MQ07"]["chiadaps"] == 30
    assert any("not 40 (DISPLAY QMGR" in sentence for sentence in sentences)


@pytest.mark.parametrize(
    ("twoactv", "second", "known"), [("NO", "", {"active_logs": 8}), ("YES", "2     68   NO  NO   D.S\n", {})]
)
def test_active_logs_are_known_if_there_is_one_copy(twoactv: str, second: str, known: dict[str, int]) -> None:
    text = RESPONSES["DISPLAY LOG"][0].replace("TWOACTV     YES", f"TWOACTV     {twoactv}")
    text = text.replace("2     68   NO          NO        MQ07.LOGCOPY2.DS01\n", second)
    found, sentences = read(text)
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
        ("MAXCHL(900)", "MAXCHL(9\n00)", "line 4 'MAXCHL(9' has no complete KEYWORD(VALUE)"),
        ("MAXCHL(900)", "MAX\nCHL(900)", "line 4 'MAX' has no complete KEYWORD(VALUE)"),
        ("MAXCHL(900)", "MAXCHL(900)\nMAXCHL(901)", "MAXCHL a second value"),
        ("DESCR(orders", "DESCR(a) MAXCHL(1) (", "no complete KEYWORD(VALUE)"),
        ("DESCR(orders", "DESCR(a) MAXCHL(1) X(", "MAXCHL a second value"),
        ("END QMGR DETAILS\n", "", "begins a response that has no end"),
        ("CSQM201I !MQ07 CSQMDRTC  DISPLAY QMGR DETAILS\n", "", "ends a response whose beginning is missing"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused(old: str, new: str, sentence: str) -> None:
    assert sentence in refusal(RESPONSES["DISPLAY QMGR"][0].replace(old, new), "MQ07")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("QMNAME(MQ07)\nDESCR(orders (north) and MAXCHL notes)\nMAXCHL(900)", "QMNAME(MQ07)\nMAXCHLX(900)", "QMGR MAXCHLX (1)"),
        ("QMNAME(MQ07)", "QUEUE(A)", "responses that have no facts: DISPLAY QMGR (1)"),
        ("DISPLAY QMGR' NORMAL", "DISPLAY THREAD' NORMAL", "responses that have no facts: DISPLAY THREAD (1)"),
        ("NORMAL COMPLETION", "ABNORMAL COMPLETION", "commands that failed: DISPLAY QMGR (1)"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_stated(old: str, new: str, sentence: str) -> None:
    found, sentences = read(RESPONSES["DISPLAY QMGR"][0].replace(old, new), "MQ07")
    assert any(sentence in stated for stated in sentences), sentences
    if "DISPLAY" not in sentence:
        assert "maxchl" not in found.get("MQ07", {})


def test_a_response_in_the_description_of_an_object_is_no_response() -> None:
    """A description is a text that others choose: wrapped, it can begin a line as a message does."""
    text = "09.30.01 STC01234  CSQM201I !MQ07 CSQMDRTC DISPLAY QMGR DETAILS\nQMNAME(MQ07)\n"
    text += "DESCR(" + "x" * 60 + "\nCSQX831I !MQ07 9 adapter subtasks started, 999 requested)\nEND QMGR DETAILS\n"
    assert "has no prefix" in refusal(text, "MQ07")
    plain = text.removeprefix("09.30.01 STC01234  ")
    assert "begins a response that has no end" in refusal(plain, "MQ07")
    whole = plain.replace("x" * 60 + "\n", "")
    assert read(whole, "MQ07")[0] == {}


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
    try:
        found, _ = read(text, "A")
    except InputError as error:
        assert "line " in str(error)  # noqa: PT017 - a text is refused or has no fact
        found = {}
    assert found == {}
    assert process_time() - start < 2


def test_long_lines_are_refused() -> None:
    assert "is longer than 4096 characters" in refusal("x" * 10_000 + "\n" + RESPONSES["DISPLAY LOG"][0])


def test_lines_whose_message_is_missing_are_refused() -> None:
    text = "".join(line for line in syslog(RESPONSES["DISPLAY LOG"][0]).splitlines(keepends=True)[1:])
    assert "line 17 'End of LOG report' ends a response whose beginning is missing" in refusal(text, "MQ07")


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
