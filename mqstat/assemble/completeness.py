"""Whether a number is missing among the records of the queue managers, in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from mqstat.base.formatting import clean, number_text, plural
from mqstat.base.inputs import report_command
from mqstat.sql.workspace import Workspace

LOSS_QUERY = "SELECT lpar, qmgr, lost_records, damaged_numbers, destroyed_kinds, classes_text, first_loss_local, last_loss_local, first_written_local, last_written_local FROM sequence_loss"

SCOPE_QUERY = "SELECT not_judged FROM decoded.sequence_scope"

CLASSES_QUERY = "SELECT DISTINCT record_class FROM record WHERE record_class IS NOT NULL AND damage IS NULL"


def completeness_line(db: Workspace) -> tuple[str, str]:
    """What the numbers show, in two words and as a sentence: none is missing between two times, so many records were
    lost, or why it is not known.

    Both are empty without records.
    """
    classes = {row["record_class"] for row in db.ask_rows(CLASSES_QUERY)}
    scope = db.ask_rows(SCOPE_QUERY)
    if not classes:
        return "", ""
    if scope and scope[0]["not_judged"]:
        return UNKNOWN, clean(f"lost records are not counted: records were left out ({scope[0]['not_judged']})")
    return _sentence(db.ask_rows(LOSS_QUERY), classes)


UNKNOWN = "lost ones not known"
COMPLETE = "none missing"


def _sentence(qmgrs: Sequence[Mapping[str, Any]], classes: set[str]) -> tuple[str, str]:
    judged = [row for row in qmgrs if row["lost_records"] is not None]
    destroyed = [row for row in qmgrs if row["destroyed_kinds"]]
    if destroyed and not judged:
        return UNKNOWN, "lost records are not countable: the input is destroyed"
    if not judged:
        return UNKNOWN, "the records have no numbers that can be judged, so lost records leave no trace"
    counted = sorted({name for row in judged for name in row["classes_text"].split(", ")}, key=_order)
    others = sorted(classes - set(counted), key=_order)
    uncounted = f"; {_listed(others)} {'has' if len(others) == 1 else 'have'} no numbers" if others else ""
    rest = f"; not judged on {plural(len(qmgrs) - len(judged), 'queue manager')}" if len(judged) < len(qmgrs) else ""
    if destroyed:
        rest += f"; not countable in part on {plural(len(destroyed), 'queue manager')}: the input is destroyed"
    losing = [row for row in judged if row["lost_records"]]
    damaged = sum(row["damaged_numbers"] for row in judged)
    if not losing:
        period = _period(
            min(row["first_written_local"] for row in judged), max(row["last_written_local"] for row in judged)
        )
        what = f"only numbers of {plural(damaged, 'damaged record')} missing" if damaged else "no number missing"
        return COMPLETE, clean(f"{what} {period} ({_listed(counted)}){uncounted}{rest}")
    period = _period(
        min(row["first_loss_local"] for row in losing), max(row["last_loss_local"] for row in losing), "between", "and"
    )
    lost = sum(row["lost_records"] for row in losing)
    on = f" on {len(losing)} of {plural(len(qmgrs), 'queue manager')}" if len(qmgrs) > 1 else ""
    was = "record was" if lost == 1 else "records were"
    text = f"{number_text(lost)} {was} lost {period}{on}: their numbers are missing{rest}; {report_command('overview/completeness')}"
    return f"{number_text(lost)} missing", clean(text)


def _listed(classes: Sequence[str]) -> str:
    """115.1, 2, 201, 116.0, 116.1: of more than two classes of a type the first one has the type."""
    out: list[str] = []
    for record_class in classes:
        smf_type, _, subtype = record_class.partition(".")
        same = [name for name in classes if name.startswith(f"{smf_type}.")]
        out.append(subtype if len(same) > 2 and record_class != same[0] else record_class)
    return ", ".join(out)


def _period(first: datetime, last: datetime, begin: str = "from", join: str = "to") -> str:
    end = last.strftime("%H:%M:%S" if first.date() == last.date() else "%Y-%m-%d %H:%M:%S")
    return f"{begin} {first:%Y-%m-%d %H:%M:%S} {join} {end}"


def _order(record_class: str) -> tuple[int, ...]:
    return tuple(int(part) for part in record_class.split("."))
