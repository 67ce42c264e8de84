"""The shared state of the rules during a run over one database, and the counts of their subjects: of many rules in one statement, or of one rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import duckdb
import pyarrow as pa

from mqstat.base.errors import DamagedFileError, MqstatError
from mqstat.judge import judging, scope
from mqstat.judge.activity import Activity
from mqstat.judge.judging import Subjects
from mqstat.judge.model import Rule
from mqstat.judge.no_data import Coverage
from mqstat.judge.series import Series
from mqstat.sql.database import Database
from mqstat.sql.site import Site

AT_ONCE = 10
"""Number of rules that are counted in one statement over few rows."""


@dataclass
class Run:
    """The shared state of the rules during a run over one database."""

    db: Database
    site: Site
    coverage: Coverage
    series: Series | None
    broken_views: Mapping[str, str]
    damaged: bool = False
    activity: Activity = field(default_factory=Activity)
    subjects: dict[str, Subjects] = field(default_factory=dict)
    """Subjects of rules that were counted together, by rule."""
    breached: dict[str, set[tuple[str | None, str | None, str | None]]] = field(default_factory=dict)
    findings: list[dict[str, Any]] = field(default_factory=list)
    caused: list[tuple[Rule, Mapping[str, Any], dict[str, Any]]] = field(default_factory=list)
    """Findings in breach with their rule and subject: their causes are looked for when all rules have run."""
    listed: pa.Table | None = None
    """The findings of rules that other processes judged, with the numbers of those that they represent."""
    has_represented: bool = False
    """Whether the table of findings has some that others represent (`mqstat.judge.quiet`)."""

    def can_judge(self, rule: Rule) -> bool:
        """Whether there are rows to judge and the views of the rule could be computed."""
        return self.broken_views.keys().isdisjoint(rule.views) and not self.db.empty.issuperset(rule.views)

    def rows_of(self, rule: Rule, *, every_column: bool = True) -> str:
        """The SELECT of the judged rows of a rule."""
        overrides = self.site.overrides_of(rule.id)
        # To parse a rule costs more than it saves over few rows.
        known = () if every_column or self.db.is_small else rule.columns
        return judging.rows_of(rule, overrides, self.damaged, every_column=every_column, known=known)


def count_together(run: Run, wanted: Sequence[Rule]) -> None:
    """Count the subjects of many rules in few statements: over few rows DuckDB takes longer to compile the counts than to count.

    The rows of rules with steps are first stored in a table and counted from there. The rules of a failing statement are left to
    `count_alone`, which identifies the one that fails.
    """
    counted = [
        rule
        for rule in wanted
        if run.can_judge(rule) and scope.off_everywhere(rule, run.site.overrides_of(rule.id)) is None
    ]
    if run.series:
        with_steps = [rule for rule in counted if run.series.has_steps(rule)]
        kept: list[Rule] = []
        for group in _groups(with_steps):
            if run.series.is_full:  # the next rows replace these
                _take(run, kept, partial(judging.count_kept, run.db, kept))
                kept = []
            with _left_to_single_rules():
                _keep(run, run.series, group)
                kept += group
        _take(run, kept, partial(judging.count_kept, run.db, kept))
        counted = [rule for rule in counted if rule not in with_steps]
    for group in _groups(counted):
        _take(run, group, partial(_count, run, group))
    idle = [
        rule for rule in wanted if rule.id in run.subjects and not any(row["judged"] for row in run.subjects[rule.id])
    ]
    with _left_to_single_rules():
        run.coverage.count_together({name.partition(".")[0] for rule in idle for name in rule.needs})


def count_alone(run: Run, rule: Rule) -> Subjects:
    """The subjects of one rule; raises DuckDB's error if its SQL fails."""
    if run.series and run.series.has_steps(rule):
        _keep(run, run.series, [rule])
        return judging.count_kept(run.db, [rule])[0]
    return _count(run, [rule])[0]


def _groups(rules: Sequence[Rule]) -> Iterator[Sequence[Rule]]:
    return (rules[start : start + AT_ONCE] for start in range(0, len(rules), AT_ONCE))


@contextmanager
def _left_to_single_rules() -> Iterator[None]:
    """Rules that fail together are run one by one afterwards; an interrupt or a damaged file ends the run."""
    try:
        yield
    except (duckdb.InterruptException, DamagedFileError):
        raise
    except (duckdb.Error, MqstatError):
        pass


def _keep(run: Run, series: Series, group: Sequence[Rule]) -> None:
    fixed = {rule.id: any(override.severity for override in run.site.overrides_of(rule.id)) for rule in group}
    series.keep([(rule, run.rows_of(rule), fixed[rule.id]) for rule in group])


def _count(run: Run, group: Sequence[Rule]) -> list[Subjects]:
    return judging.count(run.db, [(rule, run.rows_of(rule, every_column=False)) for rule in group])


def _take(run: Run, group: Sequence[Rule], count: Callable[[], list[Subjects]]) -> None:
    """Store the subjects of rules, unless counting fails."""
    if group:
        with _left_to_single_rules():
            run.subjects |= dict(zip((rule.id for rule in group), count(), strict=True))
