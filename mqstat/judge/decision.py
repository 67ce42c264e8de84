"""The decision on a subject: the clause that is in breach or nearest to its limit, and the figures of the other clauses on the same row."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mqstat.base.formatting import steady
from mqstat.judge.clauses import Clause
from mqstat.judge.model import Rule


@dataclass(frozen=True)
class Seen:
    """A clause with its figure and limit on one row; `decides` marks the clause that a finding shows."""

    clause: Clause
    observed: float | None
    limit: float | None
    holds: bool
    decides: bool


@dataclass(frozen=True)
class Decision:
    """The deciding clause of a subject's worst row, and all clauses of the combination that it leads, in their order."""

    clause: Clause
    observed: float | None
    limit: float | None
    clauses: tuple[Seen, ...]

    def as_json(self) -> str:
        """The clauses as JSON text."""
        return json.dumps(
            [
                {
                    "clause": clause.clause.id, "measure": clause.clause.measure, "operator": clause.clause.operator, "observed": None if clause.observed is None else steady(clause.observed),
                    "limit": None if clause.limit is None else steady(clause.limit), "unit": clause.clause.unit, "holds": clause.holds, "decides": clause.decides,
                }
                for clause in self.clauses
            ]
        )  # fmt: skip


def given_by(rule: Rule, clause: Clause) -> dict[str, str]:
    """The columns of a finding about who gives the limit of its deciding clause, and where."""
    kind = rule.limit_kind(clause)
    return {"limit_kind": kind, "rule_source": f"{rule.limit_source(clause)} ({kind})"}


def decision(rule: Rule, subject: Mapping[str, Any]) -> Decision:
    """The decision on a subject from the figures of its worst row."""
    combined = rule.alternatives[subject["alternative"] or 0]
    lead = rule.clauses[combined[0]]
    values, limits, holds = subject["clause_values"], subject["clause_limits"], subject["clause_holds"]
    seen = tuple(
        Seen(rule.clauses[number], values[number], limits[number], holds[number], number == combined[0])
        for number in combined
    )
    return Decision(lead, values[combined[0]], limits[combined[0]], seen)
