"""A run of `mqstat daily` checks the rows that it added."""

from __future__ import annotations

from collections.abc import Collection

from mqstat.base import return_codes
from mqstat.base.formatting import plural
from mqstat.daily.current import Run
from mqstat.dataset import store
from mqstat.dataset.row_check import check_rows

SHOWN = 5
"""Problems that the mail of a run lists."""


def check_new_rows(run: Run, before: Collection[str]) -> None:
    """Check the rows of all files that the dataset has now and had not `before`; what does not fit is reported."""
    if all(entry.path in before for entry in run.manifest().files):
        return
    opened = store.open_dataset(run.config.dataset.folder)
    added = [entry for entry in opened.manifest.files if entry.path not in before]
    problems = check_rows(opened, added).problems
    for text in problems[:SHOWN]:
        run.note("verify", text, return_codes.UNUSABLE)
    if not problems:
        run.log("verify", f"{plural(sum(entry.rows for entry in added), 'new row')} checked")
