"""The result of the comparison of a dataset with a dump."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field

from mqstat.base.formatting import plural
from mqstat.base.return_codes import CLEAR, CRITICAL, UNUSABLE
from mqstat.dataset.manifest import SourceEntry


@dataclass
class Compared:
    """Result for one dump: the source, what was compared, and what differs.

    `differing` counts rows with another value, `missing` rows that only the dump has, `surplus` rows that only the
    dataset has; `differences` has a sentence for each of the first of them.
    """

    name: str
    source: SourceEntry | None = None
    fault: str | None = None
    tables: int = 0
    rows: int = 0
    differing: int = 0
    missing: int = 0
    surplus: int = 0
    duplicates: int = 0
    dropped_days: set[dt.date] = field(default_factory=set)
    dropped_days_of_class: dict[str, set[dt.date]] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)

    @property
    def return_code(self) -> int:
        """0 equal, 8 different, 12 not a source of the dataset."""
        if self.source is None:
            return UNUSABLE
        return CRITICAL if self.differing or self.missing or self.surplus or self.differences else CLEAR

    def text(self) -> str:
        """The result in one sentence."""
        if self.source is None:
            fault = self.fault or ""
            return fault if fault.startswith((f"{self.name}: ", f"{self.name} ")) else f"{self.name}: {fault}"
        ledger = self.source.ledger["records"]
        parts = [f"{plural(self.source.records, 'record')}, {self.rows:,} rows in {plural(self.tables, 'table')}"]
        parts += [f"{plural(ledger['damaged'], 'damaged record')} as in the ledger"] if ledger["damaged"] else []
        parts += [f"{plural(self.duplicates, 'duplicate record')} without rows"] if self.duplicates else []
        dropped = {"": self.dropped_days, **self.dropped_days_of_class}
        parts += [f"not compared because {_dropped(name, sorted(days))}" for name, days in dropped.items() if days]
        counts = {
            "rows differ": self.differing,
            "rows are missing": self.missing,
            "rows are not in the dump": self.surplus,
        }
        state = ", ".join(f"{number:,} {label}" for label, number in counts.items() if number)
        if not state:
            state = "the ledger differs" if self.differences else "equal"
        return f"{self.name}: source {self.source.source_id}: {state} ({'; '.join(parts)})."


def _dropped(class_name: str, days: Sequence[dt.date]) -> str:
    """The days of which everything, or the tables of a class, were dropped."""
    listed = ", ".join(map(str, days)) if len(days) <= 3 else f"{len(days)} days from {days[0]} to {days[-1]}"
    return f"class {class_name} was dropped: {listed}" if class_name else f"they were dropped: {listed}"
