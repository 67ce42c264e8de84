"""The rows of a plan over the data: if a setting that it reads changed, they follow from the intervals since, so that
figures and setting belong together.
"""

# ruff: noqa: S608 - names of views and columns are those of our files

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from mqstat.assemble.plan.model import Plan
from mqstat.assemble.plan.statements import NAMES
from mqstat.judge.settings import Change, change_of, phrases_of, settings, value_of
from mqstat.sql import sqlfile
from mqstat.sql.schemas import quoted
from mqstat.sql.workspace import Workspace

Key = tuple[str | None, str | None, str | None]


def measured_rows(plan: Plan, database: Workspace) -> list[dict[str, Any]]:
    """What is measured of each subject; `changed` has the last changes of its settings as a sentence, if there are
    any.
    """
    changes = _changes(plan, database)
    if not changes:
        return database.rows(plan.measured_sql)
    starts = [(*key, max(change.since for change in own)) for key, own in changes.items()]
    names = ("setting_lpar", "setting_qmgr", "setting_key")
    since = pa.table(
        {name: pa.array([start[number] for start in starts], pa.string()) for number, name in enumerate(names)}
        | {"since": pa.array([start[3] for start in starts], pa.timestamp("us"))}
    )
    hidden = ", ".join(_since(plan))
    with database.given(setting_since=since):
        rows = database.rows(f"WITH {hidden} SELECT * FROM ({plan.measured_sql}) AS measured")
    known = {(row["lpar"], row["qmgr"], _text(row.get("subject"))) for row in rows}
    rows += [{"lpar": key[0], "qmgr": key[1], "subject": key[2]} for key in sorted(changes.keys() - known, key=str)]
    for row in rows:
        own = changes.get((row["lpar"], row["qmgr"], _text(row.get("subject"))))
        if own:
            phrases = phrases_of(own, {change.since: f"{change.at_local:%Y-%m-%d %H:%M}" for change in own})
            row["changed"] = f"{phrases}: the figures are those since then."
    return rows


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _changes(plan: Plan, database: Workspace) -> dict[Key, list[Change]]:
    """The last changes of the settings of a plan for each subject."""
    by_key: dict[Key, list[Change]] = {}
    for setting in (settings()[name] for name in plan.settings):
        for row in database.rows(f"SELECT * FROM ({value_of(setting)}) WHERE change IS NOT NULL ORDER BY ALL"):
            if change := change_of(setting, row):
                by_key.setdefault((row["lpar"], row["qmgr"], row["setting_key"]), []).append(change)
    return by_key


def _since(plan: Plan) -> Iterator[str]:
    """Common table expressions that hide views: those with intervals by their rows since the changes, and those that
    are made from them by their statements.
    """
    key, views = NAMES.get(plan.subject, "NULL"), set(plan.setting_views)
    hidden = set[str]()
    for view in sqlfile.views_for([*plan.needs, *views]):
        is_read = view.id in {*views, *plan.needs} or not hidden.isdisjoint(view.needs)
        if is_read and {"lpar", "qmgr", "interval_start_utc", *({key} - {"NULL"})} <= view.columns.keys():
            hidden.add(view.id)
            yield (
                f"{quoted(view.id)} AS (SELECT v.* FROM {quoted(view.id)} AS v LEFT JOIN setting_since AS s ON s.setting_lpar IS NOT DISTINCT FROM v.lpar "
                f"AND s.setting_qmgr IS NOT DISTINCT FROM v.qmgr AND s.setting_key IS NOT DISTINCT FROM {f'v.{key}' if key != 'NULL' else key}::VARCHAR "
                "WHERE s.since IS NULL OR v.interval_start_utc >= s.since)"
            )
        elif "interval_start_utc" not in view.columns and not hidden.isdisjoint(view.needs):
            hidden.add(view.id)
            yield f"{quoted(view.id)} AS ({view.select})"
