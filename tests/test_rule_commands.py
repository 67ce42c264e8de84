"""What rules show about their object (`look`) and change (`do`): commands that exist, with values that cannot become
another command.
"""

from __future__ import annotations

import json
import re
from typing import Any

import duckdb
import pytest

from mqstat.assemble.plan.model import plans
from mqstat.base.errors import RuleError, SqlFileError
from mqstat.judge.commands import do_of, is_command, look_of
from mqstat.judge.model import Rule, rules
from mqstat.judge.mqsc import FORBIDDEN, STORAGE, Size, Template, UnfitError, commands_of, table, template
from mqstat.sql import sqlfile

RULES = list(rules().values())


def finding(rule_id: str, **values: Any) -> dict[str, Any]:
    """The parts of a row of view finding that commands use."""
    return {"rule_id": rule_id, "lpar": "SYS1", "qmgr": "MQ01", "figures": json.dumps(values)}


def test_no_command_of_the_table_destroys_or_interrupts() -> None:
    assert not {name.partition(" ")[0] for name in table()} & FORBIDDEN
    assert all(
        entry.source.startswith(("IBM documentation, ", "z/OS MVS System Commands, ")) for entry in table().values()
    )


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("DELETE QLOCAL({queue})", "no command DELETE QLOCAL"),
        ("CLEAR QLOCAL({queue})", "no command CLEAR QLOCAL"),
        ("DISPLAY QSTATUS({queue}) MSGAGES", "does not have MSGAGES"),
        ("DISPLAY QSTATUS({queue}) TYPE(HANDLES)", "'HANDLES' is not one of HANDLE, QUEUE"),
        ("DISPLAY QSTATUS", "takes a name in brackets"),
        ("DISPLAY LOG({qmgr})", "takes no name in brackets"),
        ("ALTER BUFFPOOL({pool_id}) BUFFERS(more)", "'more' is not a whole number"),
        ("ALTER BUFFPOOL({pool_id}) BUFFERS(99)", "is outside 100 to 999999999"),
        ("ALTER BUFFPOOL(100) BUFFERS(1000)", "is outside 0 to 99"),
        ("ALTER CHANNEL({channel_name}) BATCHSZ(50)", "CHLTYPE is required"),
        ("ALTER QMGR MAXCHL(500) MAXCHL(600)", "MAXCHL is repeated"),
        ("DISPLAY QLOCAL({queue})MAXDEPTH", "is not a command from"),
        ("DISPLAY CONN(*) WHERE(UOWSTATE LIKE 'A')", "does not have a filter"),
        ("DISPLAY CONN(*) WHERE(UOWSTATE EQ LOST)", "'LOST' is not one of"),
        ("D XCF,CF,CFNAME={name}", "no such command of z/OS"),
        ("D XCF,STR,STRNAME=a b", "is not a name that z/OS allows"),
        ("mqstat prune --from {qmgr}", "is not a command of mqstat"),
    ],
)
def test_a_command_that_is_not_in_the_table_is_refused(text: str, error: str) -> None:
    with pytest.raises(RuleError, match=error.replace("(", r"\(")):
        template(text)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("A') CMDSCOPE(*", "characters that MQ does not allow"),
        ("A\nDELETE QLOCAL(B)", "characters that MQ does not allow"),
        ("A\n", "characters that MQ does not allow"),
        ("A*B", "characters that MQ does not allow"),
        ("Ä", "characters that MQ does not allow"),
        ("", "characters that MQ does not allow"),
        ("Q" * 49, "is longer than 48 characters"),
        (None, "is not known"),
    ],
)
def test_a_name_of_a_record_never_becomes_a_command(value: str | None, reason: str) -> None:
    with pytest.raises(UnfitError, match=reason):
        template("DISPLAY QSTATUS({queue}) TYPE(HANDLE)").fill({"queue": value})
    shown = look_of(finding("QU004", queue=value))
    assert len(shown) == 1
    assert shown[0].startswith("No command DISPLAY QSTATUS: queue ")
    assert reason in shown[0]
    assert not is_command(shown[0])


@pytest.mark.parametrize("value", [1.5, -1, 100, "x", "1)", True, float("inf"), float("nan")])
def test_a_number_that_is_not_valid_is_not_shown(value: Any) -> None:
    with pytest.raises(UnfitError):
        template("DISPLAY USAGE TYPE(PAGESET) PSID({page_set_id})").fill({"page_set_id": value})


def test_values_are_written_as_their_keyword_needs_them() -> None:
    values = {"queue": "a.B_%/1", "page_set_id": 4.0, "qsg": "QSG1", "cf_structure": "APP1", "qmgr": "MQ01"}
    shown = {
        "DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL": "DISPLAY QSTATUS('a.B_%/1') TYPE(HANDLE) ALL",
        "DISPLAY USAGE PSID({page_set_id})": "DISPLAY USAGE PSID(4)",
        "D XCF,STR,STRNAME={qsg}{cf_structure}": "D XCF,STR,STRNAME=QSG1APP1",
        "mqstat report --report log/io --qmgr {qmgr}": "mqstat report --report log/io --qmgr MQ01",
        "DISPLAY CONN(*) TYPE(ALL) WHERE(UOWSTATE EQ UNRESOLVED)": "DISPLAY CONN(*) TYPE(ALL) WHERE(UOWSTATE EQ UNRESOLVED)",
    }
    assert {text: template(text).fill(values) for text in shown} == shown


def test_a_finding_without_figures_has_no_commands() -> None:
    clear = {"rule_id": "BP001", "figures": None}
    assert look_of(clear) == do_of(clear) == ()


def test_every_sentence_is_distinct_from_a_command() -> None:
    sentences = [(rule.id, text) for rule in RULES for text in rule.commands.do if not isinstance(text, Template)]
    assert not [each for each in sentences if is_command(each[1]) or "\n" in each[1] or not each[1].endswith(".")]


def test_the_table_has_no_command_that_no_rule_and_no_plan_shows() -> None:
    items = [item for rule in RULES for item in (*rule.commands.look, *rule.commands.do)]
    items += [item for plan in plans().values() for each in plan.conclusions.values() for item in each.do]
    body = sqlfile.views()["system_queue"].select
    shown = {item.title for item in items if isinstance(item, Template)} | {
        name for name in table() if f"'{name}" in body
    }
    known = {" ".join(name.split()[:2]) for name in table()}
    assert not {name for name in known - shown if not any(text.startswith(name) for text in shown)}


def test_most_rules_show_their_object_and_many_can_be_acted_on() -> None:
    look = [rule for rule in RULES if any(not item.text.startswith("mqstat ") for item in rule.commands.look)]
    do = [rule for rule in RULES if rule.do_of_plan or any(isinstance(item, Template) for item in rule.commands.do)]
    assert all(rule.commands.look for rule in RULES)
    assert (len(look), len(do)) >= (180, 60)


def test_advice_does_not_repeat_the_commands() -> None:
    """What `look` and `do` show with their values is not in the advice too, and no command has a gap to fill in."""
    bad = []
    for rule in RULES:
        texts = [rule.advice.summary, rule.advice.remedy]
        texts += [text for clause in rule.clauses for text in (clause.summary, clause.remedy)]
        shown = {item.title for item in (*rule.commands.look, *rule.commands.do) if isinstance(item, Template)}
        bad += [f"{rule.id}: {title}" for title in shown for text in texts if title in text]
        bad += [f"{rule.id}: {text}" for text in texts if re.search(r"[A-Z]\((?:more|fewer|n|name)\)", text)]
    assert not bad


def test_a_size_has_a_formula_and_states_its_cost() -> None:
    sizes = [(rule, size) for rule in RULES for size in rule.commands.sizes.values()]
    in_commands = [
        (rule.id, size.name)
        for rule, size in sizes
        if any(size.name in item.columns for item in rule.commands.do if isinstance(item, Template))
    ]
    assert len(in_commands) >= 24
    assert not [(rule.id, size.name) for rule, size in sizes if (rule.id, size.name) in in_commands and not size.cost]


def enlarging() -> dict[str, str]:
    """The commands of view growth_limit as patterns, and the sign of each that its object cannot be enlarged."""
    connection = duckdb.connect()
    rows = connection.execute(sqlfile.views()["growth_limit"].select).fetchall()
    return {re.escape(row[1]).replace(r"\*", r"[^)]*"): row[4] for row in rows}


def test_no_rule_shows_a_command_that_enlarges_an_object_at_its_largest() -> None:
    """The sign decides about a value of the command, and a sentence states what helps instead."""
    seen = set()
    for pattern, sign in enlarging().items():
        for rule in RULES:
            for item in rule.commands.do:
                text = item.text if isinstance(item, Template) else item
                words = text.split(" ")
                if not any(
                    re.search(pattern, each) for each in (text, *(" ".join([*words[:2], word]) for word in words[2:]))
                ):
                    continue
                seen.add(pattern)
                sizes = [rule.commands.sizes.get(name) for name in getattr(item, "columns", ())]
                decided = [
                    size for size in sizes if size and size.otherwise and sign in f"{size.when} {size.otherwise}"
                ]
                assert decided or (isinstance(item, str) and sign in item), f"{rule.id}: {text}"
    assert len(seen) >= 7


def test_no_plan_shows_a_command_that_enlarges_an_object_at_its_largest() -> None:
    """Its answers depend on the sign, or its values end at the largest value."""
    for pattern, sign in enlarging().items():
        for plan in plans().values():
            texts = [str(getattr(item, "text", item)) for each in plan.conclusions.values() for item in each.do]
            if any(re.search(pattern, text) for text in texts):
                assert sign in plan.steps_sql or "9999" in plan.steps_sql, plan.id


SAMPLES = {
    "above_bar": "true",
    "is_sending_end": "true",
    "at_largest": "false",
    "can_grow": "false",
    "channels_at_most": "NULL",
    "channel_name": "'TO.MQ02'",
    "below_bar_pool_list": "'1, 2'",
}
"""Values of inputs that are no numbers."""


def inputs_of(rule: Rule, size: Size) -> set[str]:
    """The columns from which a size follows, through other sizes too."""
    text, sizes = f"{size.formula} {size.when}", rule.commands.sizes
    further = {name for name in sizes if re.search(rf"\b{name}\b", text)}
    columns = {name for name in (*rule.columns, STORAGE) if re.search(rf"\b{name}\b", text)}
    return columns.union(*(inputs_of(rule, sizes[name]) for name in further)) - set(rule.grain)


@pytest.mark.parametrize("number", ["0", "1000000000"])
def test_without_an_input_no_definite_sentence_comes_out(number: str) -> None:
    """With any input of a size null, and the others small or large, the text for a condition that does not hold is not
    stated.
    """
    sized = [(rule, size) for rule in RULES for size in rule.commands.sizes.values() if size.otherwise]
    stated = set()
    for rule, size in sized:
        commands = rule.commands
        names = (commands.columns | rule.columns | {STORAGE}) - set(commands.sizes) - commands.decided
        for missing in sorted(inputs_of(rule, size)):
            row = ", ".join(f"{'NULL' if name == missing else SAMPLES.get(name, number)} AS {name}" for name in names)
            made = ", ".join(each.sql for each in commands.sizes.values())
            cursor = duckdb.execute(f"SELECT *, {made} FROM (SELECT {row})")
            values = dict(zip((item[0] for item in cursor.description or ()), cursor.fetchone() or (), strict=True))
            finding = {"rule_id": rule.id, "lpar": "SYS1", "qmgr": "MQ01", "figures": json.dumps(values, default=float)}
            texts = do_of(finding)
            definite = (size.otherwise or "").partition("{")[0]
            assert not [text for text in texts if text.startswith(definite)], (rule.id, missing)
            stated |= {rule.id for text in texts if text.startswith(size.unknown.partition("{")[0])}
    assert stated == {rule.id for rule, _ in sized}


def test_a_text_for_a_condition_that_does_not_hold_needs_one_for_an_unknown_condition() -> None:
    size = Size(formula="1", cost="None.", otherwise="No.")
    with pytest.raises(
        SqlFileError,
        match=r"size\.wanted: a text otherwise needs when it applies, and what to state if that is unknown",
    ):
        commands_of((), ("SET SYSTEM LOGLOAD({wanted})",), {"wanted": size}, set, "LG018.sql")
