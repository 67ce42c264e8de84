"""dump -> records -> Arrow tables -> Parquet files, as one readable path.

A plain file is walked once by the main process, which only looks at record lengths, headers and intervals, and hands out ranges of whole records
to worker processes as it goes; each worker walks its range again, decodes it and writes its own files. Everything else (compressed input, archive
members, standard input, small files) is walked and decoded in one go. Both ways give the same rows in the same order, and memory does not grow
with the input.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, as_completed, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from mqstat.dataset.writer import PartWriter, WrittenFile
from mqstat.errors import DatasetError, InputError, MqstatError
from mqstat.parsers import interval, record
from mqstat.parsers.batch import name_of, version_of
from mqstat.parsers.framing import Framing, detect
from mqstat.parsers.interval import Answers, Facts
from mqstat.parsers.record import NONE, ROUTES
from mqstat.parsers.source import Source, SourceReader
from mqstat.parsers.tables import READER_TABLES, STAMP, schema_of, table_schemas
from mqstat.parsers.walk import Chunk, walk
from mqstat.part import Job, PartResult, PartRunner

CHUNK = 16 << 20
"""Bytes of input that are walked and decoded at a time."""

RANGE = 512 << 20
"""Largest range that one worker gets; bounds the memory of what it holds back for full row groups."""

PARALLEL_FROM = 48 << 20
"""Below this size starting workers costs more than it gains."""

LOOK_AHEAD = 64 << 20
"""How far behind a 115.5, 6 or 7 its 115.1 is looked for."""

LOOK_BACK = 64 << 20
"""How far before a record its 115.1 or 116.1 is looked for."""

PREFIX = 4 << 20
"""Bytes read to recognise the framing."""

Progress = Callable[[int, int | None], None]
"""Called with bytes done and bytes in all (None when unknown)."""


@dataclass
class SourceResult:
    """What became of one source."""

    name: str
    size: int
    sha256: str | None
    framing: str
    problem: str | None
    part: PartResult = field(default_factory=PartResult)


class _Counting:
    """A reader that counts and hashes what passes, and gives back the prefix that was read to recognise the framing."""

    def __init__(self, reader: Any, prefix: bytes, digest: Any, progress: Progress | None, total: int | None) -> None:
        self._reader, self._prefix, self._digest, self._progress, self._total = reader, prefix, digest, progress, total
        self.count = 0

    def read(self, size: int) -> bytes:
        if self._prefix:
            data, self._prefix = self._prefix[:size], self._prefix[size:]
        else:
            data = self._reader.read(size)
        self._passed(data)
        return data

    def readinto(self, target: memoryview) -> int:
        if self._prefix:
            data = self.read(len(target))
            target[: len(data)] = data
            return len(data)
        count = int(self._reader.readinto(target))
        self._passed(target[:count])
        return count

    def _passed(self, data: bytes | memoryview) -> None:
        self.count += len(data)
        if self._digest is not None:
            self._digest.update(data)
        if self._progress is not None:
            self._progress(self.count, self._total)


def recognise(source: Source, framing: Framing | None) -> tuple[Framing, SourceReader, bytes]:
    """Open a source and find its framing; gives the framing, the open reader and the prefix read from it.

    Raises InputError when no SMF record can be found in the first 4 MiB.
    """
    reader = source.open()
    prefix = bytearray()
    while len(prefix) < PREFIX:
        data = reader.read(PREFIX - len(prefix))
        if not data:
            break
        prefix += data
    if framing is None:
        framing = detect(bytes(prefix), len(prefix) < PREFIX)
    if framing is None:
        reader.close()
        raise InputError(
            f"{source.name}: no SMF record was recognised in the first {len(prefix)} bytes (offset 0); run: mqstat doctor {source.name}"
        )
    return framing, reader, bytes(prefix)


class _Horizon:
    """Chunks whose questions about intervals wait until their neighbourhood is known."""

    def __init__(self) -> None:
        self._past: deque[tuple[int, Facts]] = deque()
        self._waiting: deque[tuple[Any, Facts, int]] = deque()

    def push(self, item: Any, facts: Facts, end: int) -> None:
        self._waiting.append((item, facts, end))

    def pop(self, reached: int | None) -> Iterator[tuple[Any, Answers]]:
        """Items that can be answered when the walk has reached an offset (None = the end of the input)."""
        while self._waiting:
            item, own, end = self._waiting[0]
            known = [f for _, f in self._past] + [f for _, f, _ in self._waiting]
            answers = interval.answer(own, known)
            settled = (answers.stub_start != NONE).all() and (answers.more_start != NONE).all()
            if reached is not None and not settled and end + LOOK_AHEAD > reached:
                return
            self._waiting.popleft()
            self._past.append((end, own))
            while self._past and self._past[0][0] + LOOK_BACK < end:
                self._past.popleft()
            yield item, answers


def _read(chunk: Chunk, number: int) -> record.Records:
    r = record.read(chunk, number)
    interval.own_intervals(r)
    return r


def _stream(chunks: Iterator[Chunk], job: Job, stem: str, number: int = 0) -> PartResult:
    """Decode chunks as they come; `number` is that of the first record."""
    runner = PartRunner(job, stem)
    horizon = _Horizon()
    reached = 0
    try:
        for chunk in chunks:
            r = _read(chunk, number)
            number += len(chunk.base)
            reached += walked(chunk)
            horizon.push(r, interval.facts(r), reached)
            for item, answers in horizon.pop(reached):
                runner.take(item, answers)
        for item, answers in horizon.pop(None):
            runner.take(item, answers)
        return runner.close()
    except BaseException:
        runner.abandon()
        raise


def walked(chunk: Chunk) -> int:
    """Bytes of the input that a chunk accounts for."""
    return int(chunk.size.sum()) + sum(spot.length for spot in chunk.damage)


def _watch_parent() -> None:
    """End this worker when the main process is gone, however it went."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(16)

    threading.Thread(target=watch, daemon=True).start()


def _start_worker() -> None:
    _watch_parent()
    pa.set_cpu_count(1)


def _run_range(
    source: Source, framing: str, start: int, stop: int, number: int, answers: Answers, job: Job, stem: str
) -> PartResult:
    """What a worker does: walk, decode and write one range of whole records."""
    runner = PartRunner(job, stem)
    try:
        with source.open(start) as reader:
            for chunk in walk(reader, Framing(framing), start=start, stop=stop, chunk_bytes=CHUNK):
                r = _read(chunk, number)
                number += len(chunk.base)
                mine, answers = answers.take(*interval.counts(r))
                runner.take(r, mine)
        return runner.close()
    except BaseException:
        runner.abandon()
        raise


def _split(source: Source, framing: Framing, job: Job, stem: str, workers: int, progress: Progress | None) -> PartResult | None:
    """Hand out one range per worker without walking the input first; None when the ranges turn out not to meet.

    Record numbers have gaps between the ranges, which only a report that keeps no dataset can bear. A range begins at the first record that
    is recognised behind its share of the bytes; when damage or chance makes that no record of a walk from the start, the counts do not add up.
    """
    size = source.size or 0
    starts = [0]
    for share in range(1, workers):
        place = _first_record(source, framing, size * share // workers)
        if place is not None and place > starts[-1]:
            starts.append(place)
    stops = [*starts[1:], 1 << 62]
    context = get_context("spawn")
    with ProcessPoolExecutor(len(starts), mp_context=context, initializer=_start_worker) as pool:
        futures = [
            pool.submit(_run_alone, source, framing.value, start, stop, number << 40, job, f"{stem}-{number:04d}")
            for number, (start, stop) in enumerate(zip(starts, stops, strict=True))
        ]
        done = 0
        for future in as_completed(futures):
            done += future.result().ledger.bytes.input
            if progress is not None:
                progress(done, size)
        parts = [future.result() for future in futures]
    ends = [start + part.ledger.bytes.input for start, part in zip(starts, parts, strict=True)]
    if ends != [*starts[1:], size]:
        for file in (file for part in parts for file in part.files):
            (job.root / file.path).unlink(missing_ok=True)
        return None
    result = PartResult()
    for part in parts:
        result.merge(part)
    result.records = workers << 40
    return result


def _first_record(source: Source, framing: Framing, guess: int) -> int | None:
    """Offset of the first record (with what stands before it) that is recognised from `guess` on; None when there is none near."""
    with source.open(guess) as reader:
        for chunk in walk(reader, framing, start=guess, chunk_bytes=1 << 20):
            lost = chunk.damage[0].length if chunk.damage and chunk.damage[0].offset == guess else 0
            return guess + lost if len(chunk.offset) else None
    return None


def _run_alone(source: Source, framing: str, start: int, stop: int, number: int, job: Job, stem: str) -> PartResult:
    """What a worker does in a split: its range as a stream of its own."""
    with source.open(start) as reader:
        return _stream(walk(reader, Framing(framing), start=start, stop=stop, chunk_bytes=CHUNK), job, stem, number)


@dataclass
class _Range:
    start: int
    number: int
    end: int = 0
    answers: list[Answers] = field(default_factory=list)


def _parallel(source: Source, reader: Any, framing: Framing, job: Job, stem: str, workers: int) -> PartResult:
    """Walk in this process, hand ranges to workers, put the results together in the order of the input."""
    size = source.size or 0
    pieces = max(workers, -(-size // RANGE))
    target = -(-size // pieces)
    futures: list[Future[PartResult]] = []
    horizon = _Horizon()
    result = PartResult()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_start_worker) as pool:
        current = _Range(0, 0)

        def submit(done: _Range, end: int) -> None:
            futures.append(
                pool.submit(
                    _run_range, source, framing.value, done.start, end, done.number, Answers.join(done.answers), job,
                    f"{stem}-{len(futures):04d}",
                )  # fmt: skip
            )

        def advance(reached: int | None) -> None:
            nonlocal current
            for (end, count), answers in horizon.pop(reached):
                current.answers.append(answers)
                if end - current.start >= target and end < size:
                    submit(current, end)
                    current = _Range(end, count)

        number = reached = 0
        try:
            for chunk in walk(reader, framing, chunk_bytes=CHUNK):
                r = _read(chunk, number)
                number += len(chunk.base)
                reached += walked(chunk)
                horizon.push((reached, number), interval.facts(r), reached)
                advance(reached)
                _raise_early(futures)
            advance(None)
            submit(current, 1 << 62)
            pending = set(futures)
            while pending:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                _raise_early(list(done))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        for future in futures:
            result.merge(future.result())
    return result


def _raise_early(futures: list[Future[PartResult]]) -> None:
    for future in futures:
        if future.done():
            future.result()


def read_source(
    source: Source,
    job: Job,
    *,
    framing: Framing | None = None,
    workers: int | None = None,
    sha256: bool = True,
    progress: Progress | None = None,
) -> SourceResult:
    """Decode one source into Parquet files below `job.root`.

    Raises InputError when it is no SMF dump or cannot be read, DatasetError when the files cannot be written.
    """
    framing, opened, prefix = recognise(source, framing)
    with opened:
        return _read_open(source, opened, prefix, framing, job, workers or processors(), hashlib.sha256() if sha256 else None, progress)


def _read_open(
    source: Source, opened: SourceReader, prefix: bytes, framing: Framing, job: Job, workers: int, digest: Any, progress: Progress | None
) -> SourceResult:
    reader = _Counting(opened, prefix, digest, progress, source.size)
    stem = f"s{job.source_id:06d}"
    counted = None
    try:
        if source.path is None or (source.size or 0) < PARALLEL_FROM or workers == 1:
            part = _stream(walk(reader, framing, chunk_bytes=CHUNK), job, f"{stem}-0000")
        else:
            split = None if job.exact_numbers else _split(source, framing, job, stem, workers, progress)
            counted = source.size if split else None
            part = split or _parallel(source, reader, framing, job, stem, workers)
    except BrokenProcessPool:
        raise MqstatError(f"{source.name}: a worker process was killed; check the memory limit and run it again.") from None
    except MqstatError:
        raise
    except (OSError, pa.ArrowException) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise DatasetError(f"{job.root}: the files of {source.name} could not be written ({reason}); free some space and run it again.") from None
    counted = reader.count if counted is None else counted
    if part.ledger.bytes.input != counted:
        raise MqstatError(f"{source.name}: {counted} bytes were read but {part.ledger.bytes.input} accounted for; please report this.")
    problem = getattr(source, "problem", None)
    return SourceResult(source.name, counted, digest.hexdigest() if digest else None, framing.value, problem, part)


def columns_to_decode(needed: Mapping[str, Collection[str]]) -> dict[str, frozenset[str]]:
    """The tables and columns that a query needs, with the one column that every decoded table is kept for: its record (else its first)."""
    schemas = table_schemas()
    out = {}
    for table, columns in needed.items():
        if table in schemas:
            names = schemas[table].names
            always = "record_id" if "record_id" in names else names[0]
            out[table] = frozenset(columns) & frozenset(names) | {always}
    return out


def processors() -> int:
    """Processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def reader_tables(job: Job, result: SourceResult) -> list[WrittenFile]:
    """Write the tables that hold one source's counts: source, other_record, damage and section."""
    part, ledger = result.part, result.part.ledger
    rows: dict[str, list[dict[str, Any]]] = {"source": [], "other_record": [], "damage": [], "section": []}
    rows["source"].append(
        {"source_id": job.source_id, "source_name": result.name, "source_bytes": result.size, "source_sha256": result.sha256,
         "framing": result.framing, "diagnosis": result.problem}
        | {f"bytes_{k}": v for k, v in ledger.bytes.as_dict().items() if k != "input"}
        | {f"records_{k}": v for k, v in ledger.records.as_dict().items() if k != "input"}
    )  # fmt: skip
    for (lpar, smf_type), (count, size, first, last) in sorted(part.others.items()):
        rows["other_record"].append(
            {"source_id": job.source_id, "lpar": name_of(lpar), "smf_type": smf_type, "records": count, "bytes": size,
             "first_written_local": _time(first), "last_written_local": _time(last)}
        )  # fmt: skip
    for offset, length, reason, record_id in part.spots:
        rows["damage"].append(
            {"source_id": job.source_id, "damage_offset": offset, "damage_bytes": length, "damage_reason": reason, "record_id": record_id}
        )
    for key, (sections, first, last) in sorted(part.sections.items()):
        rows["section"].append(_section_row(job.source_id, key, sections, first, last))
    writer = PartWriter(job.root, f"s{job.source_id:06d}-count", {name: job.wanted[name] for name in job.wanted} if job.wanted is not None else None)
    for name, made in rows.items():
        if made and (job.wanted is None or name in job.wanted):
            schema = schema_of(READER_TABLES[name][1])
            columns = {f.name: _array([row[f.name] for row in made], f.type) for f in schema}
            writer.add_table(name, pa.table(columns, schema=schema), np.full(len(made), NONE))
    return writer.close()


def _array(values: list[Any], type_: pa.DataType) -> pa.Array:
    if type_ == STAMP:
        return pa.array(values, pa.int64()).view(STAMP)
    if pa.types.is_dictionary(type_):
        return pa.array(values, pa.string()).dictionary_encode().cast(type_)
    return pa.array(values, type_)


def _time(value: int) -> int | None:
    return None if value == NONE or value == np.iinfo(np.int64).max else value


def _section_row(source_id: int, key: tuple[int, ...], sections: int, first: int, last: int) -> dict[str, Any]:
    from mqstat.parsers import LAYOUTS

    lpar, qmgr, level, smf_type, subtype, triplet, length = key
    name = ROUTES.get((smf_type, subtype), {}).get(triplet)
    known = LAYOUTS[name].size if name else None
    return {
        "source_id": source_id, "lpar": name_of(lpar), "qmgr": name_of(qmgr), "mq_version": version_of(level),
        "record_class": f"{smf_type}.{subtype}", "triplet": triplet, "section_bytes": length, "structure": name, "sections": sections,
        "section_bytes_known": known, "tail_bytes": sections * (length - known) if known and length > known else 0,
        "first_written_local": _time(first), "last_written_local": _time(last),
    }  # fmt: skip


class Scratch:
    """A temporary dataset for reports straight from dumps; removed on exit."""

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="mqstat-")
        self.files: dict[str, list[Path]] = {}
        self.results: list[SourceResult] = []

    def __enter__(self) -> Scratch:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def root(self) -> Path:
        """The temporary folder."""
        return Path(self._folder)

    def add(self, source: Source, job: Job, **options: Any) -> SourceResult:
        """Decode a source into the temporary dataset."""
        result = read_source(source, job, **options)
        for file in [*result.part.files, *reader_tables(job, result)]:
            self.files.setdefault(file.table, []).append(self.root / file.path)
        self.results.append(result)
        return result
