"""Damaged dumps through the whole path: `python -m tests.mutate --count 20000 --seed 1`.

The oracle: a mutated dump is a sequence of pieces: ranges of the original bytes, and inserted bytes. A record of type
115 or 116 of the original is untouched when all its bytes, framing included, are still contiguous and in order. After
any number of mutations

1. nothing is raised but MqstatError, and an input with an untouched record is recognised;
2. the ledger balances in bytes and in records, and its bytes are the size of the file;
3. every untouched record is in table `record` with its content hash, decoded (or raw, or internal) as before, at its
new offset (not looked at where so
   little is left that the framing is taken for another one: that moves offsets by the four bytes of the framing);
   of two neighbours that share zeros (`ambiguous`) one is enough;
4. table `record` has a row for every record of 115 and 116 in the ledger but those of which the walk saw only a spot.

Every dump goes through recognition (three in four) and the walk to table record; every fifth to all columns of all
tables; every fortieth through files:
a temporary dataset with all tables, the raw view of all structures, and a trace. With MQSTAT_DUMPS, stretches of the
real dumps are among the originals.
"""

from __future__ import annotations

import argparse
import datetime as dt
import io
import os
import random
import sys
import tempfile
import time
import traceback
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow as pa

from mqstat.base.errors import InputError, MqstatError
from mqstat.base.selection import Selection
from mqstat.fixtures import accounting
from mqstat.fixtures.accounting import Task
from mqstat.fixtures.frame import frame, joined, smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.intake import pipeline, raw, stream, trace
from mqstat.intake.part import Job, PartResult, account
from mqstat.intake.pipeline import Scratch
from mqstat.parsers import interval
from mqstat.parsers.batch import decode_chunk, hashes_of
from mqstat.parsers.framing import Framing
from mqstat.parsers.ledger import REASONS, Ledger
from mqstat.parsers.record import OUTCOMES
from mqstat.parsers.tables import table_schemas
from mqstat.parsers.walk import walk
from mqstat.sources.source import Source, source_of_stream
from tests.costs import cache

Piece = tuple[int, int, bytes | None]
"""A range of the original (from, to), or inserted bytes."""

FRAMINGS = ("rdw", "rdw", "rdw", "bdw", "bdw31", "no-rdw", "length-prefixed")
MOST = 60_000
RECORD = {"record": tuple(table_schemas()["record"].names)}
NOON = dt.datetime(2026, 5, 4, 12)


@dataclass(frozen=True)
class Seen:
    """One MQ record that the reader found."""

    offset: int
    size: int
    hash: str
    outcome: str


@dataclass(frozen=True)
class Original:
    """An undamaged dump and its MQ records."""

    name: str
    data: bytes
    framing: Framing
    records: tuple[Seen, ...]
    starts: tuple[int, ...]


def stretch(data: bytes, first: int, most: int = MOST) -> list[bytes]:
    """Consecutive joined records of a dump."""
    out: list[bytes] = []
    for number, record in enumerate(joined(data)):
        if number >= first and sum(map(len, out)) + len(record) <= most:
            out.append(record)
    return out


def built(level: str) -> list[bytes]:
    """Records of one interval of every kind, with continuations."""
    owner = QueueManager(
        "MQ01", "SYS1", level=level, structures=("APP1",), shared_data_sets=("APP1",), pool_headers=4, getmains=4
    )
    tasks = accounting.class3(owner, Task(), NOON, NOON, ["A", "B", "C", "D"], per_record=(2, 1))
    more = [accounting.class1(owner, Task(), NOON, NOON), accounting.channels(owner, NOON, 1800, ("A", "B"))]
    return [*joined(smf_file(owner.interval(NOON, 1800, extra_subtypes=(240,)) + tasks + more))]


def _usual(framing: str) -> Iterable[int | str | None]:
    """How the records of a framing are divided in segments."""
    spanned: int | str | None = 1500 if framing == "rdw" else "vbs" if framing.startswith("bdw") else None
    return dict.fromkeys((spanned, None))


def _small(framing: str) -> Iterable[int | str | None]:
    """Segments of few bytes too, in which a framing is hard to recognise."""
    return dict.fromkeys((*_usual(framing), *((200, 60, 24) if framing == "rdw" else ())))


@cache
def originals(*, small: bool = False) -> tuple[Original, ...]:
    """Built dumps, and stretches of the real ones when they are there, in every framing; `small` = also in small
    segments.
    """
    dumps = {f"built {level}": built(level) for level in ("8.0.0", "9.4.5", "10.0.0")}
    folder = os.environ.get("MQSTAT_DUMPS")
    for path in sorted(Path(folder).glob("*.dat")) if folder else ():
        data = path.read_bytes()
        for first in (0, 60, 200):
            records = stretch(data, first, 9_000 if first == 60 else 25_000)
            if records:
                dumps[f"{path.stem} from {first}"] = records
    out = []
    for name, records in dumps.items():
        for framing in dict.fromkeys(FRAMINGS):
            for span in _small(framing) if small else _usual(framing):
                data = frame(records, framing, span)
                recognised = Framing(framing.removesuffix("31"))
                seen = tuple(records_of(data, recognised)[0])
                if any(each.outcome == "damaged" for each in seen) or not seen:
                    raise RuntimeError(f"{name} as {framing} is not sound")
                out.append(Original(f"{name}, {framing}, {span}", data, recognised, seen, starts_of(data, recognised)))
    return tuple(out)


def starts_of(data: bytes, framing: Framing) -> tuple[int, ...]:
    return tuple(int(at) for chunk in walk(io.BytesIO(data), framing) for at in chunk.offset)


def records_of(
    data: bytes, framing: Framing | None, *, everything: bool = True, kept: list[dict[str, pa.Table]] | None = None
) -> tuple[list[Seen], PartResult, Framing]:
    """The path from bytes to Arrow tables (or only table record) in memory; the framing is recognised when it is not
    given.
    """
    if framing is None:
        framing, reader, prefix = pipeline.recognise(source_of_stream("mutated", io.BytesIO(data)), None)
        reader.close()
        if prefix != data[: len(prefix)]:
            raise RuntimeError("the prefix is not the beginning")
    result, out, number = PartResult(), [], 0
    horizon = stream.Horizon()
    for chunk in walk(io.BytesIO(data), framing):
        r = stream.read_chunk(chunk, number)
        number += len(chunk.base)
        horizon.push(r, interval.facts(r))
    for r, resolved in horizon.pop(ended=True):
        interval.apply(r, resolved)
        account(result, r, 0)
        tables = decode_chunk(r, 1, 0, None if everything else RECORD).tables
        if kept is not None:
            kept.append(tables)
        rows = tables["record"][0].num_rows if "record" in tables else 0
        if rows != len(r):
            raise RuntimeError(f"{rows} rows for {len(r)} records")
        hashes = [digest.hex() for digest in hashes_of(r, np.arange(len(r))).to_pylist()]
        out += [
            Seen(int(at), int(size), name, OUTCOMES[int(code)])
            for at, size, name, code in zip(r.offset, r.size, hashes, r.outcome, strict=True)
        ]
    return out, result, framing


# ------------------------------------------------------------------------------------------------------------ mutations


def size_of(piece: Piece) -> int:
    return piece[1] - piece[0] if piece[2] is None else len(piece[2])


def split(pieces: list[Piece], at: int) -> int:
    """Make a border between pieces at a place of the changed dump; the number of the piece after it."""
    position = 0
    for number, (low, high, put) in enumerate(pieces):
        size = size_of((low, high, put))
        if at <= position:
            return number
        if at < position + size:
            cut = at - position
            halves: list[Piece] = (
                [(low, low + cut, None), (low + cut, high, None)]
                if put is None
                else [(0, 0, put[:cut]), (0, 0, put[cut:])]
            )
            pieces[number : number + 1] = halves
            return number + 1
        position += size
    return len(pieces)


def mutate(rng: random.Random, original: Original, times: int) -> list[Piece]:
    """Flips, overwrites, cuts, insertions, copies, moves and truncation, half of them near the start of a record."""
    data = original.data
    pieces: list[Piece] = [(0, len(data), None)]
    for _ in range(times):
        total = sum(map(size_of, pieces))
        if not total:
            break
        kind = rng.choice(("flip", "flip", "overwrite", "cut", "cut", "insert", "insert", "copy", "move", "end"))
        at = rng.randrange(total)
        if rng.random() < 0.5:
            at = min(total - 1, max(0, rng.choice(original.starts) + rng.randrange(-8, 80)))
        length = rng.choice((1, 1, 2, 4, 7, 30, 200, 1500, 9000))
        if kind in ("flip", "overwrite"):
            length = 1 if kind == "flip" else length
            first, last = split(pieces, at), split(pieces, min(total, at + length))
            pieces[first:last] = [(0, 0, content(rng, data, min(total, at + length) - at))]
        elif kind == "cut":
            first, last = split(pieces, at), split(pieces, min(total, at + length))
            del pieces[first:last]
        elif kind == "insert":
            pieces.insert(split(pieces, at), (0, 0, content(rng, data, length)))
        elif kind == "copy":
            begin = rng.choice((rng.randrange(len(data)), rng.choice(original.starts)))
            pieces.insert(split(pieces, at), (0, 0, data[begin : begin + length]))
        elif kind == "move":
            try_seed, middle, end = (
                split(pieces, position) for position in sorted(rng.randrange(total + 1) for _ in range(3))
            )
            pieces[try_seed:end] = pieces[middle:end] + pieces[try_seed:middle]
        elif rng.random() < 0.3:
            del pieces[split(pieces, at) :]
    return pieces


def content(rng: random.Random, data: bytes, length: int) -> bytes:
    """Random bytes, zeros, blanks, line ends, or one bit of something else."""
    kind = rng.randrange(6)
    if kind == 0:
        return bytes(length)
    if kind == 1:
        return b"\x40" * length
    if kind == 2:
        return (b"\r\n" * length)[:length]
    if kind == 3:
        return (rng.choice((b"\x5e\x73", b"\x5e\x74", b"\0\x5e\x73", b"\x01\0\0\0")) * length)[:length]
    return rng.randbytes(length)


def applied(original: Original, pieces: list[Piece]) -> bytes:
    return b"".join(original.data[low:high] if put is None else put for low, high, put in pieces)


def untouched(original: Original, pieces: list[Piece]) -> list[Seen]:
    """The records whose bytes are still contiguous, at their new offsets."""
    placed: list[tuple[int, int, int]] = []
    position = 0
    for low, high, put in pieces:
        if put is None and high > low:
            if placed and placed[-1][1] == low and placed[-1][2] + low - placed[-1][0] == position:
                placed[-1] = (placed[-1][0], high, placed[-1][2])
            else:
                placed.append((low, high, position))
        position += size_of((low, high, put))
    placed.sort()
    lows = [low for low, _, _ in placed]
    out = []
    for seen in original.records:
        number = bisect_right(lows, seen.offset) - 1
        if number >= 0 and seen.offset + seen.size <= placed[number][1]:
            out.append(Seen(placed[number][2] + seen.offset - lows[number], seen.size, seen.hash, seen.outcome))
    return out


# ----------------------------------------------------------------------------------------------------------- the oracle


def unbalanced(ledger: Ledger, size: int) -> list[str]:
    bad = [] if ledger.balanced else ["the ledger does not balance"]
    if ledger.bytes.input != size:
        bad.append(f"{ledger.bytes.input} bytes in the ledger, {size} in the file")
    end = 0
    for damaged in sorted(ledger.damage, key=lambda span: span.offset):
        # A block descriptor counts with its record, whose offset is that of the following record descriptor.
        if (
            damaged.offset < end - 4
            or damaged.length < 0
            or damaged.offset + damaged.length > size + 4
            or damaged.reason not in REASONS
        ):
            bad.append(f"spot {damaged} overlaps another one or the end")
        end = damaged.offset + damaged.length
    if not ledger.spans_left_out and sum(damaged.length for damaged in ledger.damage) != ledger.bytes.damaged:
        bad.append("the damaged spans are not the damaged bytes")
    return bad


def ambiguous(data: bytes, lost: Seen, ledger: Ledger) -> bool:
    """Whether what follows this record lost leading zeros where this one ends in as many: the same file arises when
    this one loses its end, and it is unknown which of the two is intact.
    """
    end = lost.offset + lost.size
    ends = [span.offset + span.length for span in ledger.damage if abs(span.offset - lost.offset) <= 4]
    return any(0 < end - at < 4 and not any(data[at:end]) for at in ends)


def check(
    original: Original, data: bytes, expected: list[Seen], framing: Framing | None = None, *, everything: bool = True
) -> list[str]:
    """Errors in reading a damaged dump in memory; empty if there are none."""
    try:
        decoded, result, recognised = records_of(data, framing, everything=everything)
    except InputError as error:
        return [f"lost {len(expected)} records: not recognised: {error}"] if expected else []
    bad = unbalanced(result.ledger, len(data))
    # In a framing that was recognised as another one a record keeps its bytes, but not the place where its framing
    # begins.
    same = recognised == original.framing

    def known(seen: Seen) -> tuple[object, ...]:
        return (seen.hash, seen.outcome, seen.offset if same else None)

    left = Counter(map(known, decoded))
    lost = []
    for seen in expected:
        left[known(seen)] -= 1
        if left[known(seen)] < 0 and not ambiguous(data, seen, result.ledger):
            lost.append(seen)
    if lost:
        bad.append(
            f"lost {len(lost)} records of {len(expected)}{'' if same else ', taken for another form'}: {lost[0]}"
        )
    counted = result.ledger.records
    if len(decoded) + counted.other_types + sum(span.is_record for span in result.ledger.damage) < counted.input:
        bad.append("records in the ledger without a row")
    return bad


def check_files(data: bytes, expected: list[Seen], folder: Path) -> list[str]:
    """The same through files: temporary dataset, raw view, and the trace of a record."""
    path = folder / "mutated.smf"
    path.write_bytes(data)
    source = Source(path.name, path=path, size=len(data), file=path)
    try:
        with Scratch() as scratch:
            result = scratch.add(source, Job(1, 0, Selection(), None, scratch.root))
        raw.write_all(source, folder / "raw")
    except InputError as error:
        return [f"lost {len(expected)} records: not recognised: {error}"] if expected else []
    bad = unbalanced(result.part.ledger, len(data))
    if expected:
        try:
            trace.trace(str(path), random.Random(len(data)).randrange(result.part.records))
        except MqstatError as error:
            bad.append(f"trace: {error}")
    return bad


def try_seed(seed: int) -> tuple[str, int, list[str]]:
    """One mutated dump: (which, untouched records, what is wrong)."""
    rng = random.Random(seed)
    original = rng.choice(originals())
    pieces = mutate(rng, original, rng.choice((1, 1, 2, 3, 5, 8, 13)))
    data, expected = applied(original, pieces), untouched(original, pieces)
    try:
        bad = (
            check(original, data, expected, original.framing if seed % 4 == 0 else None, everything=seed % 5 == 0)
            if data
            else []
        )
        if data and seed % 40 == 0:
            with tempfile.TemporaryDirectory() as folder:
                bad += check_files(data, expected, Path(folder))
    except MqstatError:
        bad = []
    except Exception:
        bad = ["exception: " + traceback.format_exc().replace("\n", " | ")]
    return original.name, len(expected), bad


def run(seeds: range) -> tuple[int, int, Counter[str], list[str]]:
    """Many mutated dumps: (dumps, untouched records, kinds of faults, the first of them)."""
    kinds: Counter[str] = Counter()
    messages: list[str] = []
    kept = 0
    for seed in seeds:
        name, count, bad = try_seed(seed)
        kept += count
        for fault in bad:
            kinds[fault.split()[0]] += 1
            messages.append(f"seed {seed} ({name}): {fault}")
    return len(seeds), kept, kinds, messages


def main() -> int:
    """Run many in two processes and print the figures; returns 1 on any failure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    first = options.seed * 10_000_000
    step = 250
    parts = [range(at, min(at + step, first + options.count)) for at in range(first, first + options.count, step)]
    began = time.monotonic()
    kinds: Counter[str] = Counter()
    total = kept = 0
    with ProcessPoolExecutor(options.processes, mp_context=get_context("spawn")) as pool:
        for dumps, untouched_records, faults, messages in pool.map(run, parts):
            total, kept = total + dumps, kept + untouched_records
            kinds.update(faults)
            for line in messages[:5]:
                print(line, flush=True)
            if total % 5000 < step:
                print(
                    f"{total} mutated dumps, {kept} untouched records, {dict(kinds)}, {time.monotonic() - began:.0f} s",
                    flush=True,
                )
    print(
        f"{total} mutated dumps of {len(originals())} originals: {kinds['exception:']} exceptions, "
        f"{total - kinds.total() if not kinds else 'not all'} sound, {kept} untouched records, faults {dict(kinds)}"
    )
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
