"""The reports and the views under them: one SQL file each. Nothing is listed by hand; a file in a folder here is a view or a report.

`views/` holds the facts, in which every derived column is defined once; every other folder is an area of reports.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from mqstat.database import Database
    from mqstat.sqlfile import SqlFile


def reports() -> Mapping[str, SqlFile]:
    """All reports by id (`area/name`)."""
    from mqstat import sqlfile

    return sqlfile.reports()


def run_report(db: Database, name: str) -> pa.Table:
    """All rows of one report over an open database; reports that show findings are empty until the rules have run."""
    return db.arrow(reports()[name].text)
