"""Reports about some tasks (`--task`): what cannot be judged then."""

from __future__ import annotations

import dataclasses

from mqstat.base.errors import NoDataError
from mqstat.base.selection import Selection
from mqstat.sql.site import Override, Site
from mqstat.sql.workspace import Workspace

ABOUT_ALL_TASKS = ("CV009",)
"""Rules that compare class 3 accounting with what the queue manager counted: with some of the tasks they would report
the others as missing."""


def check_tasks(database: Workspace, selection: Selection) -> None:
    """Raise NoDataError if no class 3 accounting matches the selected tasks."""
    if not database.execute("SELECT 1 FROM decoded.wtas LIMIT 1").fetchall():
        raise NoDataError(
            f"No class 3 accounting matches the selection ({selection.text()}); report task/list without --task lists the tasks."
        )


def without_rules_about_all_tasks(site: Site) -> Site:
    """The site with these rules switched off."""
    off = tuple(Override(rule_id, off=True, reason="only some tasks are selected") for rule_id in ABOUT_ALL_TASKS)
    return dataclasses.replace(site, overrides=(*site.overrides, *off))
