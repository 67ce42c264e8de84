"""What the rules found over a database, for everything that writes texts from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mqstat.judge.states import Place, Row, RuleState


@dataclass(frozen=True)
class Judged:
    """The findings, and the states of the rules that follow from them. View finding has all findings, table `breach_RULE` the rows in breach of a rule."""

    rows: tuple[Row, ...]
    """Rows of view finding, the worst first, without those that others represent (`mqstat.judge.clear`)."""
    parts: tuple[RuleState, ...]
    """The state of each rule on each queue manager, or about the inputs."""
    levels: Mapping[Place, int]
    """The queue managers of the data, each with its MQ level."""

    @property
    def owners(self) -> tuple[Place, ...]:
        """The queue managers of the data."""
        return tuple(self.levels)
