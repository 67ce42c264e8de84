"""The site facts that a rule reads, directly or through views: what a site file is for, found in the origins of its
columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from mqstat.judge.lineage import Origin, origin
from mqstat.judge.model import rules
from mqstat.sql import sqlfile
from mqstat.sql.query import nodes
from mqstat.sql.site import FACTS
from mqstat.sql.syntax import select_node

SITE = "site_input."
"""The table of the facts, in the origins of columns."""

BY_ROW = frozenset({"headroom"})
"""Views whose rows are about different limits, each with facts of its own: the columns do not show which facts a rule
reads."""


@cache
def facts_read(rule_id: str) -> frozenset[str]:
    """Facts that decide about a rule: those that its SELECT names, and those from which the columns that it names are
    computed.
    """
    rule, known = rules()[rule_id], sqlfile.views()
    references = (node for node in nodes(select_node(rule.select)) if node.get("type") == "COLUMN_REF")
    named = {str(reference["column_names"][-1]).lower() for reference in references}
    fields = {
        read
        for view in rule.read_views
        if view not in BY_ROW
        for name in named & set(known[view].columns)
        for read in (*_read(origin(view, name)), *_words(known[view].columns[name].doc))
    }
    return frozenset(fact.name for fact in FACTS.values() if fact.column in fields)


def _read(column: Origin) -> Iterator[str]:
    """The facts that a column is computed from: decoded columns of the site file, and names in a subquery, which
    origins do not follow.
    """
    if column.column_read.startswith(SITE):
        yield column.column_read.removeprefix(SITE)
    yield from _words(column.formula)
    for part in column.parts:
        yield from _read(part)


def _words(text: str) -> Iterator[str]:
    """The names in a text: a description names the fact on which it depends whether there is a row."""
    yield from "".join(c if c.isalnum() or c == "_" else " " for c in text).split()
