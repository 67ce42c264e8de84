"""Records taken out of a dump at random, and what must be found:
`python -m tests.completeness [--times N] [--seed N] DUMP ...`.

The expected counts come from the bytes of the records that are left, by code that shares nothing with the views. All
repetitions are judged at once, each as an LPAR of its own, on the decoded rows; `tests/test_completeness.py` also
writes dumps without the records and reads them.
"""

from __future__ import annotations

import argparse
import random
import struct
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from mqstat.fixtures.frame import joined
from mqstat.intake.open_data import columns_of, open_data
from mqstat.sql.workspace import Workspace
from tests.opening import open_database

MOST_REMOVED = 20
ALL = "all numbered"
QUERIES = (
    "SELECT lpar, counted_class, first_number, last_number, records_seen, missing_numbers, lost_records, repeated_numbers, sequence_state FROM record_sequence",
    "SELECT lpar, lost_records, unknown_kind_lost FROM sequence_loss",
)


@dataclass(frozen=True)
class Numbered:
    """A record of a dump: its class and its numbers, zero if it is not numbered."""

    record_class: str
    sequence: int
    trace: int


@dataclass
class Expected:
    """What is known of the records that are left: first, last and missing numbers of each class, and how many records
    were lost.
    """

    spans: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    lost: int = 0
    unknown_kind: int = 0


def numbers_of(record: bytes) -> Numbered:
    """The class and the numbers of a joined record."""
    record_class = f"{record[5]}.{struct.unpack_from('>H', record, 22)[0]}"
    at, length = struct.unpack_from(">LH", record, 28)
    if length < 36 or record[at + 3] not in (0x1A, 0xF7):
        return Numbered(record_class, 0, 0)
    return Numbered(record_class, *struct.unpack_from(">LL", record, at + 24))


def expected(left: Iterable[Numbered]) -> Expected:
    """The gaps among the numbers of records of one run."""
    out = Expected()
    by_class: dict[str, set[int]] = {}
    for record in left:
        if record.sequence:
            by_class.setdefault(record.record_class, set()).add(record.sequence)
            by_class.setdefault(ALL, set()).add(record.trace)
    for record_class, present in by_class.items():
        low, high = min(present), max(present)
        out.spans[record_class] = low, high, sum(number not in present for number in range(low, high + 1))
    of_kinds = sum(missing for name, (_, _, missing) in out.spans.items() if name != ALL)
    both_types = len({name[:3] for name in by_class if name != ALL}) == 2
    out.lost = out.spans[ALL][2] if ALL in out.spans and both_types else of_kinds
    out.unknown_kind = out.lost - of_kinds
    return out


def mq_records(dump: Path) -> list[Numbered]:
    """The records of type 115 and 116 of a dump, in its order."""
    return [numbers_of(record) for record in joined(dump.read_bytes()) if record[5] in (115, 116)]


def decoded_rows(dump: Path) -> pa.Table:
    """Table record of a dump, in its order."""
    query = "SELECT * FROM decoded.record"
    with open_data([str(dump)], columns=columns_of([query]), jobs=1) as database:
        return database.arrow("SELECT * FROM decoded.record ORDER BY record_number")


def without(rows: pa.Table, removals: Sequence[Sequence[int]]) -> pa.Table:
    """The rows once for each removal without the removed ones, each time of an LPAR and an input of its own."""
    parts = []
    for number, removed in enumerate(removals):
        kept = rows.take(pa.array(np.setdiff1d(np.arange(rows.num_rows), removed)))
        own = {"lpar": pa.array([f"T{number}"] * kept.num_rows), "source_id": pa.array([number + 1] * kept.num_rows)}
        own["record_hash"] = pa.nulls(kept.num_rows, pa.binary(16))
        for name, values in own.items():
            kept = kept.set_column(kept.schema.get_field_index(name), name, values)
        parts.append(kept)
    out = pa.concat_tables(parts)
    identifiers = pa.array(range(out.num_rows), pa.int64())
    return out.set_column(out.schema.get_field_index("record_id"), "record_id", identifiers)


def found_in(database: Workspace) -> dict[str, Expected]:
    """What the views show of each LPAR; AssertionError if a number of an undamaged dump is repeated."""
    out: dict[str, Expected] = {}
    for lpar, record_class, first, last, seen, missing, lost, repeated, state in database.ask(QUERIES[0]).fetchall():
        assert repeated == 0
        assert last - first + 1 == seen + missing
        assert lost == (missing if state == "judged" else None)
        out.setdefault(lpar, Expected()).spans[record_class] = first, last, missing
    for lpar, lost, unknown in database.ask(QUERIES[1]).fetchall():
        out[lpar].lost, out[lpar].unknown_kind = lost, unknown
    return out


def wrong(dump: Path, times: int, seed: int) -> tuple[list[str], dict[str, int]]:
    """What differs from the expected counts after so many removals, and how many removed records were found, and
    how.
    """
    records, rows = mq_records(dump), decoded_rows(dump)
    assert len(records) == rows.num_rows
    chosen = random.Random(seed)
    most = min(MOST_REMOVED, len(records) - 1)
    removals = [sorted(chosen.sample(range(len(records)), chosen.randint(1, most))) for _ in range(times)]
    with open_database({"record": without(rows, removals)}, views=False, distinct=True) as database:
        found = found_in(database)
    differences = []
    counts = dict.fromkeys(("removed", "without a number", "found by kind", "found, kind not known", "not provable"), 0)
    for number, removed in enumerate(removals):
        absent = set(removed)
        must = expected(record for at, record in enumerate(records) if at not in absent)
        shown = found.get(f"T{number}", Expected())
        if shown != must:
            differences.append(f"{dump.name}, removal {number} {removed}: {shown}, expected {must}")
        unnumbered = sum(not records[at].sequence for at in removed)
        counts["removed"] += len(removed)
        counts["without a number"] += unnumbered
        counts["found by kind"] += shown.lost - shown.unknown_kind
        counts["found, kind not known"] += shown.unknown_kind
        counts["not provable"] += len(removed) - unnumbered - shown.lost
    return differences, counts


def main() -> int:
    """Print the counts of each dump and every difference; return 0 or 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dumps", nargs="+", type=Path)
    parser.add_argument("--times", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    given: Any = parser.parse_args()
    code = 0
    for dump in given.dumps:
        differences, counts = wrong(dump, given.times, given.seed)
        text = ", ".join(f"{count:,} {name}" for name, count in counts.items())
        sys.stdout.write(f"{dump.name}: {given.times} removals, {len(differences)} wrong; {text}\n")
        sys.stdout.writelines(f"  {each}\n" for each in differences[:20])
        code |= bool(differences)
    return code


if __name__ == "__main__":
    sys.exit(main())
