"""From which records the rows of a view are computed: those of one local day, or those of the whole run.

The syntax trees of DuckDB show it (`mqstat.sql.extent`), with local days in place of queue managers: rows meet only those of their day if the keys of joins, groups and windows
identify a record, its date, or an interval of a queue manager. What the trees do not show needs the whole run.
"""

from __future__ import annotations

from functools import cache

from mqstat.sql.decoded import types_of
from mqstat.sql.extent import extent_of_view
from mqstat.sql.roles import ALL, DAY_PARTS, NO_ROLES, QMGR, START, Extent, Roles

WITHOUT_RECORDS = frozenset({"site_input", "layout_size", "report_class"})
"""Tables with the same rows whatever days are read, as far as these have records."""

_DAY: Roles = frozenset({QMGR})
_LPAR, _QMGR = sorted(DAY_PARTS - {START})


def by_day(table: str) -> Extent:
    """The extent of a decoded table: days own its rows. A table of counts over whole inputs needs all."""
    from mqstat.sql.schemas import OWN_TABLES, all_schemas

    names = all_schemas()[table].names
    if table in WITHOUT_RECORDS:
        return Extent(dict.fromkeys(names, NO_ROLES))
    if "record_id" not in names or table == "damage" or (table in OWN_TABLES and table != "repeated_record"):
        return Extent(dict.fromkeys(names, NO_ROLES), ALL, True)
    roles = {"record_id": _DAY, "first_record_id": _DAY, "date": _DAY}
    if types_of(table) == {115}:
        roles |= {
            "lpar": frozenset({_LPAR}),
            "qmgr": frozenset({_QMGR}),
            "interval_start_utc": frozenset({START, "null"}),
        }
    return Extent({name: roles.get(name, NO_ROLES) for name in names}, QMGR, True)


@cache
def is_of_one_day(view: str) -> bool:
    """Whether each row of a view is computed from records of one local day, so that the view may be computed for each day alone."""
    relation = extent_of_view(view, by_day)
    return relation.is_owned and relation.of_columns(relation.columns) == QMGR
