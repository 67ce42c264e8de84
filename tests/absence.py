"""Which rules lack their data on which queue manager, derived from rule headers and layouts: levels, record classes,
section lengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mqstat.judge import scope
from mqstat.judge.lineage import field_of, fields, origin, written_since
from mqstat.judge.model import Rule, level_number, rules
from mqstat.parsers import LAYOUTS
from mqstat.sql import sqlfile
from mqstat.sql.site import Site
from mqstat.sql.workspace import Workspace

Lacking = tuple[str, str, str]
"""LPAR, queue manager and rule id."""


OF_GROUPS = frozenset({"CV010"})
"""Rules about members of a queue-sharing group, which are idle on a queue manager of no group whatever its records
hold."""


BEFORE = frozenset({"EN004"})
"""Rules about something that a release introduced, whose fields are in the records of earlier ones."""

EITHER = frozenset({"queue_flow", "encryption_period"})
"""Views with rows of one structure or another: of statistics or, where these lack the field, of accounting; of page
sets, SMDS or logs."""


@dataclass(frozen=True)
class Holdings:
    """The contents of the records of a queue manager: level, record classes, and the longest section of each
    structure.
    """

    level: int
    classes: frozenset[str]
    sections: dict[str, int]


def holdings(db: Workspace) -> dict[tuple[str, str], Holdings]:
    """The contents of each queue manager, counted in the decoded tables."""
    records = db.rows(
        "SELECT lpar, qmgr, list(DISTINCT mq_version) AS levels, list(DISTINCT record_class) AS classes FROM decoded.record "
        "WHERE lpar IS NOT NULL AND qmgr IS NOT NULL AND damage IS NULL GROUP BY lpar, qmgr"
    )
    lengths = db.rows("SELECT lpar, qmgr, structure, max(section_bytes) AS longest FROM decoded.section GROUP BY ALL")
    found = {}
    for row in records:
        place = (row["lpar"], row["qmgr"])
        sections = {one["structure"]: one["longest"] for one in lengths if (one["lpar"], one["qmgr"]) == place}
        # Records from 7.1 on have the long header, in which the interval is.
        level = max((level_number(name) for name in row["levels"] if name), default=0)
        header = {"qwhs": max(size for size in LAYOUTS["qwhs"].sizes if level >= 70100 or size == 36)}
        found[place] = Holdings(level, frozenset(row["classes"]), sections | header)
    return found


def lacking(db: Workspace, site: Site) -> set[Lacking]:
    """Every active rule about queue managers that has its site facts but cannot have its data, with the queue
    manager.
    """
    found: set[Lacking] = set()
    contents = holdings(db)
    for rule in rules().values():
        if scope.off_everywhere(rule, site.overrides_of(rule.id)) is not None or rule.id in OF_GROUPS:
            continue
        if {"lpar", "qmgr"} <= set(rule.grain):
            found |= {
                (*place, rule.id)
                for place, has in contents.items()
                if _has_facts(rule, site, place) and any(_reasons(rule, has))
            }
    return found


def _has_facts(rule: Rule, site: Site, place: tuple[str, str]) -> bool:
    """Whether the site file has the facts that a rule needs."""
    facts = site.facts(*place) if rule.site_facts and site.has_facts else {}
    return all(facts.get(name) is not None for name in rule.site_facts)


def _reasons(rule: Rule, has: Holdings) -> Iterator[bool]:
    """The reasons why a rule may lack its data on a queue manager, each with whether it applies."""
    yield 0 < has.level < level_number(rule.mq_since) and rule.id not in BEFORE
    groups = [[name] for name in rule.needs] + [list(group) for group in rule.needs_any]
    yield any(all(_is_absent(name, has) for name in group) for group in groups)


def _is_absent(name: str, has: Holdings) -> bool:
    """Whether a column (`view.column`) cannot have a value: its classes are not there, or a field that it is made of
    lies beyond all sections.
    """
    view, _, column = name.partition(".")
    unit = sqlfile.views()[view]
    classes = unit.columns[column].classes
    if classes and not has.classes & set(classes):
        return True
    read = [field for field in map(field_of, fields(origin(view, column))) if field is not None]
    structures = {layout.name for layout, _ in read} - {"qwhs"}
    if read and not structures and not any(name.startswith("115.") for name in has.classes):
        return True  # it is computed from the intervals of statistics
    missing = structures - set(has.sections)
    # An older release writes some structures in another class than the view names.
    if (missing or not structures) and unit.classes and not has.classes & set(unit.classes):
        return True
    written_in = {f"{kind}.{subtype}" for layout, _ in read for kind, subtype, _ in layout.routes}
    if structures and missing == structures and not has.classes & written_in:
        return True
    since = written_since(view, column)
    if since and 0 < has.level < since:
        return True
    if view in EITHER:
        beyond = {layout.name for layout, field in read if field.at >= has.sections.get(layout.name, 0)}
        return structures <= beyond
    return any(field.at >= has.sections.get(layout.name, field.at + 1) for layout, field in read)
