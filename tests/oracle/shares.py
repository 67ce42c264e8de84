"""In which part of the period a rule could be judged: the slots in which all record classes of its `needs`, and one of
each `needs_any`, are there.
"""

from __future__ import annotations

import re
from typing import Any

from mqstat.sql import sqlfile
from tests.oracle import Data, Row
from tests.oracle.formulas import groups
from tests.oracle.rule_headers import Rule

NONE: Row = {**dict.fromkeys(("slots_judged", "slots", "judged_from_utc", "judged_to_utc")), "is_part": False}
"""Of rules about the data and its collection, site facts or several days, and of queue managers without slots."""


def classes(name: str) -> frozenset[str]:
    """The classes of which a column (`view.column`) needs one, as the header of its view states them."""
    view, _, column = name.partition(".")
    unit = sqlfile.views()[view]
    return frozenset(unit.columns[column].classes or unit.classes)


def needed(rule: Rule) -> frozenset[frozenset[str]]:
    """Sets of classes of which one must be there; a set with a column that needs no class asks for nothing."""
    header = rule.header
    stated = [(name,) for name in header.get("needs", ())] + list(header.get("needs_any", ()))
    about_data = rule.area in ("coverage", "data_quality")
    if about_data or not {"lpar", "qmgr"} <= set(header["grain"]) or re.search(r"\bheadroom\b", rule.body):
        return frozenset()
    found = [[classes(name) for name in group] for group in stated]
    return frozenset(frozenset().union(*group) for group in found if all(group))


class Shares:
    """The share of each rule on each queue manager."""

    def __init__(self, data: Data) -> None:
        self.slots = groups(data.view("slot"), "lpar qmgr")
        self.known: dict[Any, Row] = {}

    def of(self, rule: Rule, owner: tuple[Any, ...]) -> Row:
        """The columns of a finding about the share; `is_part` = two slots and 5 % of their time are missing, and not
        all.
        """
        wanted = needed(rule)
        if not wanted or owner not in self.slots:
            return NONE
        if (wanted, owner) not in self.known:
            self.known[wanted, owner] = self._measured(wanted, self.slots[owner])
        return self.known[wanted, owner]

    def _measured(self, wanted: frozenset[frozenset[str]], slots: list[Row]) -> Row:
        there = [
            row for row in slots if all(any(row[f"has_{name.replace('.', '_')}"] for name in names) for names in wanted)
        ]
        counted, judged = ([row for row in rows if row["is_counted"]] for rows in (slots, there))
        missing = 1 - sum(row["slot_seconds"] for row in judged) / sum(row["slot_seconds"] for row in counted)
        return {
            "slots_judged": len(judged), "slots": len(counted),
            "judged_from_utc": min((row["slot_start_utc"] for row in there), default=None),
            "judged_to_utc": max((row["slot_end_utc"] for row in there), default=None),
            "is_part": bool(judged) and len(counted) - len(judged) >= 2 and missing >= 0.05,
        }  # fmt: skip
