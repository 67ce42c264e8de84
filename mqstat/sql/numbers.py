"""The numbers of records (QWHSISEQ, QWHSWSEQ), from which lost records are counted: table `numbered_record`.

They are judged over whole inputs: of a dataset the records of the neighbouring days are read too, whatever is selected.
Where records were left out before they were decoded, a missing number does not mean a lost record: then table
`sequence_scope` has the reason.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from mqstat.base.selection import Selection
from mqstat.sql.decoded import Owners, decoded_query, name_of, owned_by
from mqstat.sql.opened import Numbers
from mqstat.sql.schemas import NUMBERED, SCOPE, literal
from mqstat.sql.workspace import Workspace


def numbered_query(origin: str) -> str:
    """The query for the records of a table or query that have a number; each record counts once, and a damaged one has
    no store clock.
    """
    return f"""
        SELECT {", ".join(NUMBERED.names)} FROM {origin}
        WHERE resource_manager IN ('1A', 'F7') AND instrumentation_sequence > 0 AND first_record_id IS NULL AND lpar IS NOT NULL AND qmgr IS NOT NULL
          AND (header_stck_utc IS NOT NULL OR damage IS NOT NULL)
    """  # noqa: S608 - names of our own columns


def add_numbers(
    database: Workspace,
    numbers: Numbers,
    selection: Selection | None,
    schema: pa.Schema,
    owners: Owners | None = None,
) -> list[str]:
    """Fill `sequence_scope` and replace `numbered_record` by a view over table record, or over these files of it;
    return the files.
    """
    scope = {"not_judged": numbers.not_judged, "first_local": numbers.first, "end_local": numbers.end}
    database.fill("sequence_scope", pa.Table.from_pylist([scope], schema=SCOPE))
    if numbers.not_judged or not {*NUMBERED.names, "first_record_id"} <= set(schema.names):
        return []
    files = [file.resolve() if isinstance(file, Path) else file for file in numbers.files]
    origin = "decoded.record"
    if files:
        read = (*NUMBERED.names, "first_record_id")
        part = pa.schema([schema.field(name) for name in read])
        origin = f"({decoded_query(database.connection, 'record', part, files, '', schema)[0]})"
    query = numbered_query(origin)
    if files and owners is not None:
        query += f" AND {owned_by(owners)}"
    if files and selection is not None:
        for column, names in (("qmgr", selection.qmgrs), ("lpar", selection.lpars)):
            if names:
                query += f" AND {column} IN ({', '.join(map(literal, names))})"
    database.execute("DROP TABLE IF EXISTS decoded.numbered_record")
    database.execute(f"CREATE VIEW decoded.numbered_record AS {query}")
    return list(map(name_of, files))
