"""Mutants of every rule, which its cases must kill: `campaign/test_rule_mutants.py` tries them.

Operators of each clause, of `breach_when` and of the columns that clauses read are exchanged, `missing` and
`judged_when` are changed, each limit is moved by one unit of its last place, each condition that leaves rows out is
dropped, and so are guards, silencing, the minimum activity, the severity and the limit of single rows; the judge is
made weaker and stronger. An equivalent mutant, which no case can kill, is listed in the case file: `[[same]]` with
`mutant` and `why`.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from types import MappingProxyType
from typing import Any
from unittest import mock

from msgspec import structs

from mqstat.base.errors import MqstatError
from mqstat.judge import engine, judging, model, sentences, states
from mqstat.judge.clauses import MISSING, Clause, alternatives
from mqstat.sql.workspace import Workspace
from tests import cases as running

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", " AND ": " OR ", " OR ": " AND ", " = ": " <> ", " <> ": " = "}
TOKEN = re.compile(r"<=|>=| <> |<|>| AND | OR | = ")
OTHERS = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "=": ("<>",), "is true": ("is false",), "is false": ("is true",),
}  # fmt: skip
UNCHANGED = "the rule itself"
CLAUSE = re.compile(r"\b(GROUP BY|ORDER BY|HAVING|QUALIFY|WINDOW|LIMIT|UNION|WHERE)\b")


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A mutant of a rule; `blind` = expectations of a case on texts and limits are ignored."""

    what: str
    rule: model.Rule
    blind: bool = False


def with_text(rule: model.Rule, text: str) -> model.Rule:
    """The rule with another text of its file."""
    return structs.replace(rule, file=dataclasses.replace(rule.file, text=text))


def without_comments(sql: str) -> str:
    """SQL with comments replaced by blanks, so that all offsets stay the same."""
    return re.sub(r"--[^\n]*", lambda match: " " * len(match[0]), sql)


def expression_of(sql: str, column: str) -> tuple[int, int] | None:
    """Position of the expression of a column of the outer SELECT in the SQL of a rule; None if there is no such
    column.
    """
    column_end = None
    for end in re.finditer(rf"\s+AS {column}\b", sql):
        column_end = end  # the outer SELECT is the last one
    if column_end is None:
        return None
    depth = 0
    for at in range(column_end.start() - 1, 0, -1):
        depth += {")": 1, "(": -1}.get(sql[at], 0)
        if (sql[at] == "," and depth == 0) or depth < 0:
            return at + 1, column_end.start()
        if depth == 0 and sql[at - 6 : at] == "SELECT":
            return at, column_end.start()
    return None


def swaps(text: str) -> Iterator[tuple[str, str]]:
    """Every text with one operator exchanged, and a description."""
    for token in TOKEN.finditer(text):
        if token[0] == " AND " and re.search(r"\bBETWEEN\s+\S+$", text[: token.start()]):
            continue
        yield (
            text[: token.start()] + SWAPS[token[0]] + text[token.end() :],
            f"{token[0].strip()} -> {SWAPS[token[0]].strip()}",
        )


def limits_exchanged(text: str) -> Iterator[tuple[str, str]]:
    """Every text with one limit left out, and with one exchanged for the next, and a description."""
    limits = list(re.finditer(r"\$\w+", text))
    names = list(dict.fromkeys(limit[0] for limit in limits))
    for limit in limits:
        others = ["NULL", *(names[names.index(limit[0]) - 1 :][:1] if len(names) > 1 else ())]
        for other in others:
            yield text[: limit.start()] + other + text[limit.end() :], f"{limit[0]} -> {other}"


def conditions(sql: str) -> Iterator[tuple[int, int, list[tuple[int, int]]]]:
    """The span of each WHERE clause of the SQL, and the spans of its conditions."""
    for where in re.finditer(r"\bWHERE\b", sql):
        if re.search(r"FILTER\s*\(\s*$", sql[: where.start()]):
            continue
        depth, at, start = 0, where.end(), where.end()
        parts = []
        while at < len(sql):
            depth += {"(": 1, ")": -1}.get(sql[at], 0)
            if depth < 0 or (depth == 0 and CLAUSE.match(sql, at)):
                break
            both = re.compile(r"\bAND\b").match(sql, at) if depth == 0 else None
            if both and not re.search(r"\bBETWEEN\s+\S+\s+$", sql[:at]):
                parts.append((start, at))
                start = both.end()
                at = both.end()
                continue
            at += 1
        parts.append((start, at))
        yield where.start(), at, parts


def last_digit(value: float) -> float:
    """One unit of the last place of a number as it is written."""
    text = repr(value)
    if "." not in text or text.endswith(".0"):
        return 1
    return float(10 ** -len(text.partition(".")[2]))


def mutants(rule: model.Rule) -> Iterator[Mutant]:
    """All mutants of a rule, and first the rule itself: a case that notices it fails, and would notice anything."""
    yield Mutant(UNCHANGED, rule)
    text = rule.file.text
    offset = text.index("---*/") + len("---*/")
    head, sql = text[:offset], without_comments(text[offset:])
    yield from _of_conditions(rule)
    read = dict.fromkeys(name for clause in rule.clauses for name in (clause.column, clause.limit))
    for column in read:
        span = expression_of(sql, column) if isinstance(column, str) else None
        if span is None:
            continue
        text = re.sub(r"\s+", " ", sql[span[0] : span[1]])
        for changed, what in (*(swaps(text) if column != "threshold" else ()), *limits_exchanged(text)):
            yield Mutant(f"{column}: {what}", with_text(rule, f"{head}{sql[: span[0]]} {changed}{sql[span[1] :]}"))
    for column in ("severity", "threshold"):
        span = expression_of(sql, column)
        if span is not None:
            changed = head + sql[: span[0]] + " NULL" + sql[span[1] :]
            yield Mutant(f"{column} of rows left out", with_text(rule, changed))
            for swapped, what in swaps(re.sub(r"\s+", " ", sql[span[0] : span[1]])):
                yield Mutant(
                    f"{column}: {what}", with_text(rule, head + sql[: span[0]] + " " + swapped + sql[span[1] :])
                )
    for begin, end, parts in conditions(sql):
        for start, stop in parts:
            kept = [sql[a:b].strip() for a, b in parts if (a, b) != (start, stop)]
            clause = f"WHERE {' AND '.join(kept)} " if kept else ""
            what = " ".join(sql[start:stop].split())
            yield Mutant(f"without {what}", with_text(rule, f"{head}{sql[:begin]}{clause}{sql[end:]}"))
    for threshold in rule.thresholds.values():
        for sign in (-1, 1):
            step = last_digit(threshold.value)
            moved = round(threshold.value + sign * step, 9)
            if isinstance(threshold.value, int):
                moved = int(moved)
            limits = {**rule.thresholds, threshold.name: structs.replace(threshold, value=moved)}
            yield Mutant(
                f"{threshold.name} {'+' if sign > 0 else '-'} {step:g}",
                structs.replace(rule, thresholds=MappingProxyType(limits)),
                blind=True,
            )
    if rule.min_activity:
        yield Mutant("without min_activity", structs.replace(rule, min_activity=None))
    for changed, what in swaps(rule.min_activity or ""):
        yield Mutant(f"min_activity: {what}", structs.replace(rule, min_activity=changed))
    for guard in rule.guards:
        yield Mutant(f"without {guard}", structs.replace(rule, guards=tuple(g for g in rule.guards if g != guard)))
    for other in rule.silenced_by:
        yield Mutant(
            f"not silenced by {other}",
            structs.replace(rule, silenced_by=tuple(o for o in rule.silenced_by if o != other)),
        )
    number = rule.judge.number
    if rule.judge.kind == "consecutive":
        yield Mutant("judge + 1", structs.replace(rule, judge=model.Judge("consecutive", number + 1)))
        yield Mutant("judge - 1", structs.replace(rule, judge=model.Judge("consecutive", number - 1)))
    elif rule.judge.kind == "share":
        yield Mutant("judge + 1 %", structs.replace(rule, judge=model.Judge("share", number + 1)))
        yield Mutant("judge - 1 %", structs.replace(rule, judge=model.Judge("share", number - 1)))
    else:
        yield Mutant("judge: 2 consecutive", structs.replace(rule, judge=model.Judge("consecutive", 2)))
    if rule.judge.kind != "whole":
        yield Mutant("worst turned", structs.replace(rule, worst="highest" if rule.worst == "lowest" else "lowest"))


def _of_conditions(rule: model.Rule) -> Iterator[Mutant]:
    """Mutants of the clauses of a rule, of `breach_when` and of `judged_when`."""
    for number, clause in enumerate(rule.clauses):
        for changed, what in _of_clause(clause):
            clauses = (*rule.clauses[:number], changed, *rule.clauses[number + 1 :])
            yield Mutant(f"{clause.id} {what}", structs.replace(rule, clauses=clauses))
    combined, ids = rule.file.header.get("breach_when", ""), [clause.id for clause in rule.clauses]
    for word in re.finditer(r" (and|or) ", combined):
        other = " or " if word[1] == "and" else " and "
        text = combined[: word.start()] + other + combined[word.end() :]
        otherwise = structs.replace(rule, alternatives=alternatives(text, ids, rule.id))
        yield Mutant(f"breach_when: {text}", otherwise)
    if rule.judged_when:
        yield Mutant("without judged_when", structs.replace(rule, judged_when=None))
    for text, what in swaps(rule.judged_when or ""):
        yield Mutant(f"judged_when: {what}", structs.replace(rule, judged_when=text))


def _of_clause(clause: Clause) -> Iterator[tuple[Clause, str]]:
    """Mutants of a clause: of its operators, of the conditions under which it counts, and of what it counts as without
    its figure.
    """
    for operator in OTHERS[clause.operator]:
        changed = dataclasses.replace(clause.comparison, operator=operator)
        yield dataclasses.replace(clause, comparison=changed), f"{clause.operator} -> {operator}"
    changed = dataclasses.replace(clause.comparison, column="NULL")
    yield dataclasses.replace(clause, comparison=changed), "without its figure"
    for number, condition in enumerate(clause.counts_when):
        others = (*clause.counts_when[:number], *clause.counts_when[number + 1 :])
        yield dataclasses.replace(clause, counts_when=others), f"without {condition.stated}"
        for operator in OTHERS[condition.operator]:
            changed = dataclasses.replace(condition, operator=operator)
            yield (
                dataclasses.replace(clause, counts_when=(*others, changed)),
                f"counts_when: {condition.stated}: {operator}",
            )
    # A clause that does not state `missing` has a figure in every row, or is unknown without it as any SQL is.
    for missing in MISSING if clause.missing != "unjudged" else ():
        if missing != clause.missing:
            yield dataclasses.replace(clause, missing=missing), f"missing: {missing}"


_TEXTS = ("advice_has", "limit_value", "limit_from")


def blinded(case: Mapping[str, Any]) -> dict[str, Any]:
    """The case without its expectations on texts and limits, which would notice a moved limit wherever the values
    are.
    """
    changed = dict(case)
    for key in ("expect", "also"):
        if key in case:
            changed[key] = [{k: v for k, v in row.items() if k not in _TEXTS} for row in case[key]]
    return changed


def same(rule_id: str) -> dict[str, str]:
    """Mutants that are equivalent to the rule, with the reason."""
    path = running.FOLDER / f"{rule_id}.toml"
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("same", []) if path.exists() else []
    return {UNCHANGED: "no case that passes notices it", **{entry["mutant"]: entry["why"] for entry in entries}}


def noticed(rule_id: str) -> list[tuple[str, str | None]]:
    """Mutants of a rule, each with the name of the first case that kills it, None if it survives.

    They run together, as rules of one run over the rows of a case.
    """
    made = list(mutants(model.rules()[rule_id]))
    by_number: dict[int, str | None] = {}
    for blind in (False, True):
        alive = {number: mutant.rule for number, mutant in enumerate(made) if mutant.blind == blind}
        by_number |= dict.fromkeys(alive)
        for cases in _runs(rule_id, blind=blind):
            killed = _killed(rule_id, alive, cases) if alive else {}
            by_number |= killed
            alive = {number: rule for number, rule in alive.items() if number not in killed}
    return [(mutant.what, by_number[number]) for number, mutant in enumerate(made)]


def _runs(rule_id: str, *, blind: bool) -> list[list[dict[str, Any]]]:
    """The cases of a rule in groups that run at once: first those that can run together, then each of the others."""
    cases = [blinded(case) if blind else case for case in running.load_cases().get(rule_id, [])]
    together = [case for case in cases if running.can_join(rule_id, case) and _is_about(rule_id, case)]
    if len(together) < 2:
        return [[case] for case in cases]
    return [together, *([case] for case in cases if not any(case is other for other in together))]


def _is_about(rule_id: str, case: Mapping[str, Any]) -> bool:
    """Whether a case neither expects anything of another rule, which a mutant may silence, nor changes limits of rules
    by their ids.
    """
    others = [row for row in case.get("also", ()) if row.get("rule_id", rule_id) != rule_id]
    return not others and "[rules." not in case.get("site", "")


def _killed(rule_id: str, alive: Mapping[int, model.Rule], cases: list[dict[str, Any]]) -> dict[int, str]:
    """The mutants (by number) that one of some cases kills, each with the name of the first of these cases."""
    ids = {number: f"M{number:03}" for number in alive}
    copies = {ids[number]: structs.replace(rule, id=ids[number]) for number, rule in alive.items()}
    killed: dict[int, str] = {}
    by_case = None
    if all(_is_about(rule_id, case) for case in cases):
        with _registered(rule_id, copies):
            by_case = _findings(rule_id, cases, copies)
    for case, rows in zip(cases, by_case or (), strict=False):
        rest = [row for row in rows if row["rule_id"] not in copies]
        for mutant in alive.keys() - killed.keys():
            own = [{**row, "rule_id": rule_id} for row in rows if row["rule_id"] == ids[mutant]]
            if running.wrong(rule_id, case, own + rest) is not None:
                killed[mutant] = str(case["name"])
    left = alive if by_case is None else ()
    for mutant in left:
        with _registered(rule_id, {rule_id: alive[mutant]}):
            for number, _ in running.check_all(rule_id, cases, sure=False):
                killed[mutant] = str(cases[number]["name"])
                break
    return killed


def _findings(
    rule_id: str, cases: list[dict[str, Any]], copies: Mapping[str, model.Rule]
) -> list[list[dict[str, Any]]] | None:
    """The findings of each case, of copies of a rule and of those that silence it; None if they do not run together."""
    if len(cases) > 1:
        by_case = running.run_joined(rule_id, dict(enumerate(cases)), tuple(copies))
        return None if by_case is None else [by_case[number] for number in range(len(cases))]
    wanted = running.rules_of(rule_id, cases[0])
    try:
        with running.case_database(cases[0], wanted) as db:
            return [list(map(dict, engine.run_rules(db, only=(wanted - {rule_id}).union(copies)).rows))]
    except MqstatError:
        return None


@contextmanager
def _registered(rule_id: str, copies: Mapping[str, model.Rule]) -> Iterator[None]:
    """The engine knows some rules in addition to all, or instead of one, in its place; their sentences are those of the
    rule itself.
    """
    run: dict[str, model.Rule] = {}
    written: dict[str, model.Rule] = {}
    for name, rule in model.rules().items():
        run[name] = written[name] = rule
        if name == rule_id:
            run |= copies
            written |= dict.fromkeys(copies, rule)
    with ExitStack() as stack:
        for module, known in ((engine, run), (sentences, written), (states, written)):
            stack.enter_context(mock.patch.object(module, "rules", return_value=MappingProxyType(known)))
        # No rule names a copy as its cause: nothing reads the rows in which a copy is in breach.
        stack.enter_context(
            mock.patch.object(judging, "keep_breaches", partial(_keep_breaches, copies.keys() - {rule_id}))
        )
        yield


_keep = judging.keep_breaches


def _keep_breaches(copies: Collection[str], db: Workspace, rule: model.Rule, hits: list[dict[str, Any]]) -> None:
    if rule.id not in copies:
        _keep(db, rule, hits)
