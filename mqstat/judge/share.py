"""The share of the period in which rules could be judged: slots (view slot) in which all record classes that a rule
needs are there.

Conditions of a rule for its rows, its minimum activity and idleness never lower the share. Rules about the data and its
collection, site facts or several days have no share.
"""

# ruff: noqa: S608 - names of classes are those of this package

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

import duckdb

from mqstat.judge import states
from mqstat.judge.model import Rule
from mqstat.judge.states import Place
from mqstat.sql import sqlfile
from mqstat.sql.workspace import Workspace

QUERY = "SELECT * FROM slot"
"""The slots; the query for the views to compute."""

LEAST_SLOTS, LEAST_PCT = 2, 5.0
"""Missing slots, and their share of the time, from which a rule was judged in part."""

_SEVERAL_DAYS = "headroom"
"""The view of rules that forecast from several days."""

COLUMNS = ("slots_judged", "slots", "judged_from_utc", "judged_to_utc")
"""Columns of view finding about the share."""

Classes: TypeAlias = tuple[tuple[str, ...], ...]
"""What must be there in a slot: one of each group of record classes."""


@dataclass(frozen=True)
class Share:
    """The counted slots in which a rule could be judged, of all, and the first and last time of which it could;
    `missing` = classes that others lack.
    """

    slots_judged: int | None
    slots: int | None
    judged_from_utc: datetime | None
    judged_to_utc: datetime | None
    missing_pct: float
    missing: tuple[str, ...]

    @property
    def is_part(self) -> bool:
        """Whether enough is missing for a state of its own; without a judged slot the class was not collected at
        all.
        """
        judged, slots = self.slots_judged or 0, self.slots or 0
        return 0 < judged <= slots - LEAST_SLOTS and self.missing_pct >= LEAST_PCT

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of view finding about the share."""
        return {name: getattr(self, name) for name in COLUMNS}

    def columns_of(self, state: str) -> dict[str, Any]:
        """The same, with state and outcome of a finding: what is clear or idle in a part of the period is not so in all
        of it.
        """
        if not self.is_part or state not in (states.CLEAR, states.IDLE):
            return {**self.columns, "state": state, "outcome": states.OUTCOMES[state]}
        partial = states.PART if state == states.CLEAR else state
        outcome = states.OUTCOMES[states.PART]
        return {**self.columns, "state": partial, "outcome": outcome, "missing_classes": list(self.missing)}


NONE = Share(None, None, None, None, 0.0, ())
"""Of a rule without a share, or a queue manager without slots."""


def classes_of(name: str) -> tuple[str, ...]:
    """The record classes that a column (`view.column`) requires, one of them; without them it is null."""
    view, _, column = name.partition(".")
    unit = sqlfile.views()[view]
    return unit.columns[column].classes or unit.classes


def needed(rule: Rule) -> Classes:
    """The groups of record classes of which a rule needs one each; empty if it has no share."""
    if _SEVERAL_DAYS in rule.views or rule.area in states.ABOUT_DATA or not {"lpar", "qmgr"} <= set(rule.grain):
        return ()
    groups = [(name,) for name in rule.needs] + list(rule.needs_any)
    each = [[classes_of(name) for name in group] for group in groups]
    return tuple(sorted({tuple(sorted({name for own in group for name in own})) for group in each if all(group)}))


def shares(db: Workspace, judged: Iterable[Rule]) -> Mapping[str, Mapping[Place, Share]]:
    """The share of each rule on each queue manager with slots."""
    by_rule = {rule.id: groups for rule in judged if (groups := needed(rule))}
    wanted = sorted(set(by_rule.values()))
    if not wanted:
        return {}
    parts = ", ".join(map(_measured, wanted))
    try:
        rows = db.execute(f"SELECT lpar, qmgr, {parts} FROM slot GROUP BY lpar, qmgr").fetchall()
    except duckdb.OutOfMemoryException:
        raise  # without the slots, what is clear in part would be reported as clear
    except duckdb.Error:
        return {}  # the rules about record classes read the view, too, and name it
    known: dict[Classes, dict[Place, Share]] = {groups: {} for groups in wanted}
    for lpar, qmgr, *measured in rows:
        for groups, each in zip(wanted, measured, strict=True):
            missing = tuple(name for number, group in enumerate(groups) if each["lacking"][number] for name in group)
            judged_pct = 100 * (each["seconds_judged"] or 0) / (each["seconds"] or 1)
            known[groups][lpar, qmgr] = Share(
                each["judged"], each["slots"], each["first"], each["last"], 100 - judged_pct, missing
            )
    return {rule_id: known[groups] for rule_id, groups in by_rule.items()}


def lacking(known: Mapping[str, Mapping[Place, Share]], judged: Iterable[Rule]) -> Mapping[str, Collection[str]]:
    """The record classes that are missing in a part of the period, by rules about consecutive intervals that need
    them.
    """
    runs = (rule.id for rule in judged if rule.judge.kind == "consecutive")
    classes = {
        name: {each for own in known.get(name, {}).values() if own.is_part for each in own.missing} for name in runs
    }
    return {name: missing for name, missing in classes.items() if missing}


def _measured(groups: Classes) -> str:
    """The figures of a share, as a struct."""
    each = [f"({' OR '.join(map(flag_of, group))})" for group in groups]
    there = " AND ".join(each)
    lacking = ", ".join(f"count(*) FILTER (is_counted AND NOT {there_of})" for there_of in each)
    return (
        f"{{'judged': count(*) FILTER (is_counted AND {there}), 'slots': count(*) FILTER (is_counted), 'lacking': [{lacking}], "
        f"'seconds_judged': sum(slot_seconds) FILTER (is_counted AND {there}), 'seconds': sum(slot_seconds) FILTER (is_counted), "
        f"'first': min(slot_start_utc) FILTER ({there}), 'last': max(slot_end_utc) FILTER ({there})}}"
    )


def flag_of(record_class: str) -> str:
    """The column of view slot that shows whether a class is there."""
    return f"has_{record_class.replace('.', '_')}"
