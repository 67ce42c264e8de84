"""The reports by area and by the names that a command gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from mqstat.base.errors import UsageError
from mqstat.base.formatting import clean
from mqstat.base.nearest import nearest_or_known

if TYPE_CHECKING:
    from mqstat.sql.columns import Column
    from mqstat.sql.sqlfile import SqlFile


UNKNOWN_DDS = ("OFIELD",)
"""DD names of MP1B whose content no document describes."""


def reports() -> Mapping[str, SqlFile]:
    """All reports by id (`area/name`)."""
    from mqstat.sql import sqlfile

    return sqlfile.reports()


def columns_of(view: str) -> Mapping[str, Column]:
    """The described columns of a view."""
    from mqstat.sql import sqlfile

    return sqlfile.views()[view].columns


def by_area() -> list[SqlFile]:
    """All reports, area by area: first the contents of the data, then the order in which areas are judged."""
    from mqstat.base.areas import AREAS

    return sorted(reports().values(), key=lambda unit: (unit.area != "overview", AREAS.index(unit.area), unit.id))


def areas_of_reports() -> list[str]:
    """The areas that have reports, in their order."""
    return list(dict.fromkeys(unit.area for unit in by_area()))


def reports_named(names: Iterable[str] = (), dds: Iterable[str] = (), wscs: Iterable[int] = ()) -> list[str]:
    """Ids of the named reports (by id, by DD name of MP1B, or by number of a WSC query), without duplicates.

    UsageError with the nearest name for an unknown one.
    """
    known = reports()
    chosen: dict[str, None] = {}
    for name in names:
        if name in known:
            chosen[name] = None
        else:
            chosen.update(dict.fromkeys(_of_dd(name) or [_unknown(name, list(known))]))
    for name in (part.strip() for text in dds for part in text.split(",")):
        all_dds = sorted({dd for unit in known.values() for dd in unit.header.get("dd", ())})
        if name.upper() in UNKNOWN_DDS:
            raise UsageError(
                f"There is no report for the DD name {name.upper()}: no document describes what MP1B writes to it."
            )
        chosen.update(dict.fromkeys(_of_dd(name) or [_unknown(name, all_dds, "report for the DD name")]))
    for number in wscs:
        ids = [unit.id for unit in by_area() if number in unit.header.get("wsc", ())]
        numbers = sorted({query for unit in known.values() for query in unit.header.get("wsc", ())})
        if not ids:
            raise UsageError(
                f"There is no report for the WSC query {number}; there are {', '.join(map(str, numbers)) or 'none'}."
            )
        chosen.update(dict.fromkeys(ids))
    return list(chosen)


def _of_dd(name: str) -> list[str]:
    return [unit.id for unit in by_area() if name.upper() in unit.header.get("dd", ())]


def _unknown(name: str, known: list[str], what: str = "report") -> str:
    shown = clean(name)
    own = [report_id for report_id in known if report_id.startswith(f"{shown}/")]
    if own:
        raise UsageError(f"{shown} is an area; its reports are {', '.join(own)}.")
    raise UsageError(f"There is no {what} {shown}{nearest_or_known(shown, known, 'mqstat reports lists them')}.")
