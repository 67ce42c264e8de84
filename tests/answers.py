"""The answers of rules, views (and so reports) and plans to one question, `tests/questions.toml`, compared on a dump
that is judged.
"""

from __future__ import annotations

import json
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from mqstat.assemble.plan.answer import ANSWERED, answered
from mqstat.assemble.plan.model import SUBJECTS, plan_of
from mqstat.sql.needs import decoded_columns
from mqstat.sql.site import Site
from mqstat.sql.workspace import Workspace
from tests.costs import cache

Key = tuple[str | None, str | None, str | None]
Bounds = tuple[float, float]
Place = Mapping[str, Any]

TOLERANCE, LEAST = 0.001, 1e-9
"""The share of a figure, and the amount, by which answers may differ: they are computed in another order."""


@cache
def questions() -> Mapping[str, tuple[bool, Sequence[Mapping[str, Any]]]]:
    """The questions: whether each is about subjects, instead of queue managers, and its answers.

    An answer is `rule`, `view` or `plan`, or several of a kind, and a `value`: an expression over the figures of a
    finding, over the columns of a view, or over the inputs and steps of a plan. Two expressions are the bounds of what
    it states. `subject` names the subject of a view, and `where` restricts findings, rows or answers, of which those of
    a plan may use `origin_NAME`.
    """
    tables = tomllib.loads((Path(__file__).parent / "questions.toml").read_text(encoding="utf-8"))
    return {name: (of == "subject", stated) for of, table in tables.items() for name, stated in table.items()}


def places(question: str) -> Iterator[Place]:
    """The answers to a question, each of one unit."""
    for stated in questions()[question][1]:
        (kind,) = {"rule", "view", "plan"} & set(stated)
        yield from (
            {**stated, kind: name} for name in ([stated[kind]] if isinstance(stated[kind], str) else stated[kind])
        )


@cache
def needed_columns() -> Mapping[str, frozenset[str]]:
    """The decoded columns that these answers read."""
    named = [place for question in questions() for place in places(question)]
    views = [[place["view"]] for place in named if "view" in place]
    return decoded_columns([*views, *(list(plan_of(place["plan"]).needs) for place in named if "plan" in place)])


def compared(db: Workspace, site: Site, findings: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, int], list[str]]:
    """How many answers of each question were compared with its first one, and a line for each that differs."""
    counts, wrong = dict.fromkeys(questions(), 0), []
    plans = _plan_values(db, site)
    for name, (of_subjects, _) in questions().items():
        by_key: dict[Key, list[tuple[str, Bounds]]] = defaultdict(list)
        for place in places(name):
            label = next(f"{kind} {place[kind]}" for kind in ("rule", "view", "plan") if kind in place)
            for (lpar, qmgr, subject), bounds in _stated(place, db, findings, plans):
                key = (lpar, qmgr, subject if of_subjects else None)
                by_key[key].append((f"{label} {place['value']}", bounds))
        for key, ((first, expected), *others) in by_key.items():
            for label, bounds in others:
                counts[name] += 1
                room = TOLERANCE * max(map(abs, (*expected, *bounds))) + LEAST
                if bounds[0] > expected[1] + room or bounds[1] < expected[0] - room:
                    wrong.append(f"{name}, {key}: {first} is {expected}, {label} is {bounds}")
    return counts, wrong


def _stated(
    place: Place, db: Workspace, findings: Sequence[Mapping[str, Any]], plans: Mapping[str, list[tuple[Key, Any]]]
) -> Iterator[tuple[Key, Bounds]]:
    if "view" in place:
        low, high = _expressions(place)
        query = (
            f"SELECT lpar, qmgr, {place.get('subject', 'NULL')} AS subject, {low} AS low, {high} AS high FROM {place['view']} "
            f"WHERE {place.get('where', 'true')} GROUP BY ALL"
        )
        for row in db.ask_rows(query):
            if row["low"] is not None and row["high"] is not None:
                yield (row["lpar"], row["qmgr"], row["subject"]), (float(row["low"]), float(row["high"]))
        return
    if "plan" in place:
        named = plans[place["plan"]]
    else:
        named = [
            ((row["lpar"], row["qmgr"], row["subject"]), {**json.loads(row["figures"] or "{}"), **row})
            for row in findings
            if row["rule_id"] == place["rule"]
            and row["observed"] is not None
            and (row["figures"] or "observed" in _expressions(place))  # a clear finding has no other figures
        ]
    for key, values in named:
        bounds = _bounds(place, values)
        if bounds is not None:
            yield key, bounds


def _expressions(place: Place) -> tuple[str, str]:
    low, high = [place["value"]] * 2 if isinstance(place["value"], str) else place["value"]
    return low, high


def _bounds(place: Place, values: Mapping[str, Any]) -> Bounds | None:
    """The value of an answer, None without one, or if it is not among those that are compared."""
    known = {name: value for name, value in values.items() if isinstance(value, (int, float, str)) or value is None}
    columns = ", ".join(f'? AS "{name}"' for name in known)
    query = f"SELECT {', '.join(_expressions(place))}, {place.get('where', 'true')} FROM (SELECT {columns})"
    row = duckdb.execute(query, list(known.values())).fetchone()
    return None if row is None or None in row or not row[2] else (float(row[0]), float(row[1]))


def _plan_values(db: Workspace, site: Site) -> dict[str, list[tuple[Key, dict[str, Any]]]]:
    """The inputs, their origins and the steps of the answers of each plan that a question names."""
    made: dict[str, list[tuple[Key, dict[str, Any]]]] = {}
    for name in sorted({place["plan"] for each in questions() for place in places(each) if "plan" in place}):
        plan = plan_of(name)
        made[name] = [
            (
                (each.lpar, each.qmgr, each.subject and f"{SUBJECTS[plan.subject]}{each.subject}"),
                {item.parameter.name: item.value for item in each.inputs}
                | {f"origin_{item.parameter.name}": item.origin for item in each.inputs}
                | {step.step.name: step.value for step in each.steps},
            )
            for each in answered(plan, db, site, ()).conclusions
            if each.state == ANSWERED
        ]
    return made
