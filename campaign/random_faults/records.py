"""Mutated records: part `records` of the campaign looks for records that are lost, part `values` for wrong values of
untouched ones.

A dump is mutated by the pieces of `tests.mutate`, or many of its records are damaged. What is untouched must be there
with its hash at its place, and with the same values in all columns of all tables, apart from `PLACED`.
"""

from __future__ import annotations

import random
import time
import tracemalloc
from collections import Counter
from operator import eq

import numpy as np
import pyarrow as pa

from mqstat.base.errors import InputError
from mqstat.parsers.framing import Framing
from mqstat.sources.verdict import verdict
from tests import mutate
from tests.costs import cache
from tests.mutate import Original, Piece, Seen

PLACED = frozenset(
    (
        "source_id record_id record_number source_offset input_bytes first_record_id gmt_offset_minutes record_start_utc record_start_local interval_start_utc interval_end_utc "
        "interval_start_local interval_us date"
    ).split()
)
"""Columns that depend on the place of a record and its block, or on the records before and after it, from which the
interval and the clock are derived."""


def mutated(rng: random.Random, original: Original) -> list[Piece]:
    """Some mutations anywhere, or damage in a share of all records."""
    if rng.random() < 0.5:
        return mutate.mutate(rng, original, rng.choice((1, 1, 2, 3, 5, 8, 13)))
    share, data, starts = rng.choice((0.02, 0.1, 0.3, 0.6)), original.data, original.starts
    pieces: list[Piece] = []
    at = 0
    for start, end in zip(starts, (*starts[1:], len(data)), strict=True):
        if rng.random() >= share:
            continue
        first = rng.randrange(start, min(end, start + rng.choice((4, 28, 1 << 20))))
        length = min(rng.choice((1, 1, 2, 4, 30)), end - first)
        pieces.append((at, first, None))
        kind = rng.randrange(4)  # bytes are lost, inserted, replaced by others, or zero
        if kind:
            put = bytes(length) if kind == 3 else rng.randbytes(length)
            pieces.append((0, 0, put))
        at = first if kind == 1 else first + length
    return [*pieces, (at, len(data), None)]


def trial(seed: int) -> tuple[Counter[str], list[str]]:
    """One mutated dump: figures and faults."""
    rng = random.Random(seed)
    original = rng.choice(mutate.originals(small=True))
    pieces = mutated(rng, original)
    data, expected = mutate.applied(original, pieces), mutate.untouched(original, pieces)
    figures: Counter[str] = Counter(
        {"dumps": 1, "bytes": len(data), "mutated records": len(original.records), "untouched records": len(expected)}
    )
    if not data:
        return figures, []
    began = time.process_time()
    try:
        decoded, result, recognised = mutate.records_of(data, None, everything=False)
    except InputError:
        figures["lost by framing"] += len(expected)
        return figures, [_framing(original, "none", len(expected))] if expected else []
    figures["processor us"] += int((time.process_time() - began) * 1e6)
    faults = mutate.unbalanced(result.ledger, len(data))
    judged = verdict(result.ledger, data[: 1 << 16])
    kept = sum(seen.size for seen in decoded) + result.ledger.bytes.other_types + result.ledger.bytes.skipped
    figures["ruined"] += judged.is_ruined
    if not judged.is_ruined and 2 * kept < len(data):
        figures["admitted"] += 1
        faults.append(f"admitted with {kept} of {len(data)} bytes")
    same = recognised == original.framing
    left = Counter((seen.hash, seen.outcome, seen.offset if same else None) for seen in decoded)
    lost = 0
    for seen in expected:
        key = (seen.hash, seen.outcome, seen.offset if same else None)
        left[key] -= 1
        lost += left[key] < 0 and not mutate.ambiguous(data, seen, result.ledger)
    if lost and not same:
        figures["lost by framing"] += lost
        faults.append(_framing(original, recognised.value, lost))
    elif lost:
        figures["lost"] += lost
        faults.append(f"lost {lost} of {len(expected)}")
    if same:
        unknown = invented(original, data, decoded)
        figures["invented"] += len(unknown)
        faults += [f"invented {each}" for each in unknown]
    return figures, [f"{fault} ({original.name})" for fault in faults]


def invented(original: Original, data: bytes, decoded: list[Seen]) -> list[Seen]:
    """The records decoded as sound whose length and first 22 bytes no record of the original has, apart from a
    descriptor and half of these bytes.

    Other bytes may be replaced: SMF has no checksum. A record whose RDW is ruined may be read without it.
    """
    hashes = {seen.hash for seen in original.records}
    begins = [(seen.size, original.data[seen.offset : seen.offset + 22]) for seen in original.records]
    return [
        seen
        for seen in decoded
        if seen.outcome == "decoded"
        and seen.hash not in hashes
        and not any(
            abs(size - seen.size) in (0, 4) and sum(map(eq, begin, data[max(at, 0) : at + 22])) >= 11
            for size, begin in begins
            for at in (seen.offset, seen.offset - 4)
        )
    ]


def _framing(original: Original, recognised: str, lost: int) -> str:
    return f"framing {original.framing.value} recognised as {recognised}: lost {lost}"


# --------------------------------------------------------------------------------------------------------------- values


Decoded = tuple[list[Seen], dict[str, pa.Table]]


def decoded(data: bytes, framing: Framing) -> Decoded:
    """The records of a dump and all tables, sorted by the number of the record."""
    kept: list[dict[str, pa.Table]] = []
    records = mutate.records_of(data, framing, kept=kept)[0]
    tables: dict[str, list[pa.Table]] = {}
    for each in kept:
        for name, rows in each.items():
            tables.setdefault(name, []).append(rows[0])
    return records, {name: pa.concat_tables(parts).unify_dictionaries() for name, parts in tables.items()}


@cache
def sound(number: int) -> Decoded:
    """The records and tables of an original."""
    original = mutate.originals(small=True)[number]
    return decoded(original.data, original.framing)


def numbers_of(data: Decoded) -> list[int]:
    """The numbers of the records of a dump, in order."""
    return list(data[1]["record"]["record_id"].to_pylist()) if data[0] else []


def compare(before: Decoded, after: Decoded, pairs: list[tuple[int, int]]) -> tuple[int, list[str]]:
    """The values compared in all tables of pairs of records, and the columns that differ."""
    values, faults = 0, []
    old, new = (np.array(numbers, dtype=np.int64) for numbers in zip(*pairs, strict=True))
    for name in sorted(before[1].keys() | after[1].keys()):
        chosen: list[pa.Table | None] = []
        for tables, numbers in ((before[1], old), (after[1], new)):
            if name not in tables or "record_id" not in tables[name].column_names:
                chosen.append(None)
                continue
            ids = tables[name]["record_id"].to_numpy()
            order = np.argsort(ids, kind="stable")
            low, high = np.searchsorted(ids[order], numbers), np.searchsorted(ids[order], numbers, side="right")
            rows = np.concatenate([order[a:b] for a, b in zip(low, high, strict=True)])
            columns = [each for each in tables[name].column_names if each not in PLACED]
            chosen.append(tables[name].select(columns).take(rows))
        first, second = chosen
        if (first.num_rows if first is not None else 0) != (second.num_rows if second is not None else 0):
            faults.append(f"wrong rows in {name}")
        elif first is not None and second is not None:
            values += first.num_rows * first.num_columns
            faults += [
                f"wrong value in {name}.{column}"
                for column in first.column_names
                if not _plain(first[column]).equals(_plain(second[column]))
            ]
    return values, faults


def _plain(column: pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks()
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def values_trial(seed: int) -> tuple[Counter[str], list[str]]:
    """One mutated dump: its untouched records in all columns of all tables."""
    rng = random.Random(seed)
    number = rng.randrange(len(mutate.originals(small=True)))
    original = mutate.originals(small=True)[number]
    pieces = mutated(rng, original)
    data, expected = mutate.applied(original, pieces), mutate.untouched(original, pieces)
    figures: Counter[str] = Counter({"dumps": 1, "bytes": len(data), "mutated records": len(original.records)})
    if not data:
        return figures, []
    tracemalloc.start()
    began = time.process_time()
    after = decoded(data, original.framing)
    figures["processor us"] += int((time.process_time() - began) * 1e6)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    faults = []
    if peak > 64 << 20:
        faults.append(f"memory {peak} bytes for {len(data)}")
    where = {(seen.offset, seen.hash): n for seen, n in zip(after[0], numbers_of(after), strict=True)}
    back = {seen.hash: n for seen, n in zip(sound(number)[0], numbers_of(sound(number)), strict=True)}
    pairs = [(back[seen.hash], where[seen.offset, seen.hash]) for seen in expected if (seen.offset, seen.hash) in where]
    figures["records compared"] += len(pairs)
    if pairs:
        values, wrong = compare(sound(number), after, pairs)
        figures["values compared"] += values
        faults += wrong
    return figures, [f"{fault} ({original.name})" for fault in faults]
