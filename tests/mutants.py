"""Mutants of every rule, which its cases must kill: `python -m tests.mutants [ID...]` prints which case kills which mutant.

Operators of the condition are exchanged, each limit is moved by one unit of its last place, each condition that leaves rows out is dropped,
and so are guards, silencing, the minimum activity, the severity and the limit of single rows; the judge is made weaker and stronger.
An equivalent mutant, which no case can kill, is listed in the case file: `[[same]]` with `mutant` and `why`.
"""

from __future__ import annotations

import dataclasses
import re
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest import mock

from mqstat.rules import cases as running
from mqstat.rules import engine, model

FOLDER = Path(__file__).parent / "rules"

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", " AND ": " OR ", " OR ": " AND ", " = ": " <> ", " <> ": " = "}
TOKEN = re.compile(r"<=|>=| <> |<|>| AND | OR | = ")
CLAUSE = re.compile(r"\b(GROUP BY|ORDER BY|HAVING|QUALIFY|WINDOW|LIMIT|UNION|WHERE)\b")


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A mutant of a rule; `blind` = expectations of a case on texts and limits are ignored."""

    what: str
    rule: model.Rule
    blind: bool = False


def with_text(rule: model.Rule, text: str) -> model.Rule:
    """The rule with another text of its file."""
    return dataclasses.replace(rule, file=dataclasses.replace(rule.file, text=text))


def without_comments(sql: str) -> str:
    """SQL with comments replaced by blanks, so that all offsets stay the same."""
    return re.sub(r"--[^\n]*", lambda match: " " * len(match[0]), sql)


def expression_of(sql: str, column: str) -> tuple[int, int] | None:
    """Position of the expression of a column of the outer SELECT in the SQL of a rule; None if there is no such column."""
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
    """All mutants of a rule."""
    text = rule.file.text
    offset = text.index("---*/") + len("---*/")
    head, sql = text[:offset], without_comments(text[offset:])
    breach = expression_of(sql, "breach")
    if breach is None:
        raise ValueError(f"{rule.id}: the column breach is not found")
    for changed, what in swaps(re.sub(r"\s+", " ", sql[breach[0] : breach[1]])):
        yield Mutant(f"breach: {what}", with_text(rule, head + sql[: breach[0]] + changed + sql[breach[1] :]))
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
            limits = {**rule.thresholds, threshold.name: dataclasses.replace(threshold, value=moved)}
            yield Mutant(
                f"{threshold.name} {'+' if sign > 0 else '-'} {step:g}",
                dataclasses.replace(rule, thresholds=MappingProxyType(limits)),
                blind=True,
            )
    if rule.min_activity:
        yield Mutant("without min_activity", dataclasses.replace(rule, min_activity=None))
    for changed, what in swaps(rule.min_activity or ""):
        yield Mutant(f"min_activity: {what}", dataclasses.replace(rule, min_activity=changed))
    for guard in rule.guards:
        yield Mutant(f"without {guard}", dataclasses.replace(rule, guards=tuple(g for g in rule.guards if g != guard)))
    for other in rule.silenced_by:
        yield Mutant(
            f"not silenced by {other}",
            dataclasses.replace(rule, silenced_by=tuple(o for o in rule.silenced_by if o != other)),
        )
    number = rule.judge.number
    if rule.judge.kind == "consecutive":
        yield Mutant("judge + 1", dataclasses.replace(rule, judge=model.Judge("consecutive", number + 1)))
        yield Mutant("judge - 1", dataclasses.replace(rule, judge=model.Judge("consecutive", number - 1)))
    elif rule.judge.kind == "share":
        yield Mutant("judge + 1 %", dataclasses.replace(rule, judge=model.Judge("share", number + 1)))
        yield Mutant("judge - 1 %", dataclasses.replace(rule, judge=model.Judge("share", number - 1)))
    else:
        yield Mutant("judge: 2 consecutive", dataclasses.replace(rule, judge=model.Judge("consecutive", 2)))
    if rule.judge.kind != "whole":
        yield Mutant("worst turned", dataclasses.replace(rule, worst="highest" if rule.worst == "lowest" else "lowest"))


_TEXTS = ("advice_has", "limit_value", "limit_from")


def blinded(case: Mapping[str, Any]) -> dict[str, Any]:
    """The case without its expectations on texts and limits, which would notice a moved limit wherever the values are."""
    changed = dict(case)
    for key in ("expect", "also"):
        if key in case:
            changed[key] = [{k: v for k, v in row.items() if k not in _TEXTS} for row in case[key]]
    return changed


@cache
def all_cases() -> dict[str, list[dict[str, Any]]]:
    """The cases of all rules."""
    return running.load_cases(FOLDER)


def same(rule_id: str) -> dict[str, str]:
    """Mutants that are equivalent to the rule, with the reason."""
    path = FOLDER / f"{rule_id}.toml"
    if not path.exists():
        return {}
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("same", [])
    return {entry["mutant"]: entry["why"] for entry in entries}


def noticed_by(mutant: Mutant) -> str | None:
    """The name of the first case that kills the mutant, None if it survives."""
    known = model.rules()
    registry = MappingProxyType({**known, mutant.rule.id: mutant.rule})
    cases = all_cases().get(mutant.rule.id, [])
    tried = [blinded(case) for case in cases] if mutant.blind else cases
    with mock.patch.object(engine, "rules", return_value=registry):
        for number, _ in running.check_all(mutant.rule.id, tried, sure=False):
            return str(cases[number]["name"])
    return None


def main(rule_ids: list[str]) -> int:
    """Print the table of mutants; returns 1 if one survives."""
    began = time.perf_counter()
    known = [rule for rule in model.rules().values() if not rule_ids or rule.id in rule_ids]
    total = dead = survivors = 0
    print(f"{'rule':<6} {'mutants':>7} {'killed':>7} {'same':>5}  killed by")
    for rule in known:
        meant, by_case, alive = same(rule.id), dict[str, int](), list[str]()
        made = list(mutants(rule))
        alike = 0
        for mutant in made:
            name = noticed_by(mutant)
            if name is not None:
                by_case[name] = by_case.get(name, 0) + 1
            elif mutant.what in meant:
                alike += 1
            else:
                alive.append(mutant.what)
        killed = sum(by_case.values())
        total, dead, survivors = total + len(made), dead + killed, survivors + len(alive)
        killed_by = "; ".join(f"{many} {name}" for name, many in sorted(by_case.items(), key=lambda item: -item[1]))
        print(f"{rule.id:<6} {len(made):>7} {killed:>7} {alike:>5}  {killed_by}", flush=True)
        for what in alive:
            print(f"       ALIVE  {what}", flush=True)
    print(
        f"{len(known)} rules, {total} mutants, {dead} killed, {total - dead - survivors} mean the same, "
        f"{survivors} alive, {time.perf_counter() - began:.0f} s"
    )
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main([word.upper() for word in sys.argv[1:]]))
