"""The path of the data: dump -> records -> Arrow tables -> Parquet files.

The main process reads and walks a large input once and worker processes decode and write its tables (`shared`). A small
input is walked and decoded in one process. Both give the same rows in the same order, and memory does not grow with the
input.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from mqstat.base.errors import InputError, MqstatError, write_failure
from mqstat.base.inputs import UNKNOWN, about
from mqstat.base.narrow_file import NarrowFile
from mqstat.base.scratch import temporary_folder
from mqstat.dataset.writer import PartWriter, WrittenFile
from mqstat.intake.part import Job, PartResult, Writer
from mqstat.intake.shared import shared
from mqstat.intake.stream import stream
from mqstat.intake.workers import Progress, Workers
from mqstat.parsers.batch import known_bytes, name_of, named, structure_of, version_of
from mqstat.parsers.columns import Ints, words
from mqstat.parsers.detection import detect
from mqstat.parsers.framing import Framing
from mqstat.parsers.ledger import Damage
from mqstat.parsers.record import NONE
from mqstat.parsers.tables import READER_TABLES, STAMP, schema_of, table_schemas
from mqstat.parsers.walk import Chunk, walk
from mqstat.sources.source import Source, SourceReader
from mqstat.sources.verdict import NOT_SMF, SOUND, Verdict, verdict
from mqstat.sql.decoded import TableSource

CHUNK = 48 << 20
"""Bytes of input that are walked and decoded at a time: much of the time is for each column of a chunk, whatever its
rows."""

PARALLEL_FROM = 48 << 20
"""Below this size starting workers costs more time than it saves."""

PREFIX = 4 << 20
"""Bytes read to recognise the framing."""


Recognised: TypeAlias = tuple[Framing, SourceReader, bytes]
"""A framing, an open input, and what was read of it to recognise the framing."""


@dataclass
class SourceResult:
    """Result for one source."""

    name: str
    size: int
    sha256: str | None
    framing: str
    problem: str | None
    part: PartResult = field(default_factory=PartResult)
    in_dataset: int = 0
    """Records that the dataset had already."""
    repeated: int = 0
    """Records that are more than once in the source itself."""
    word: str = UNKNOWN
    """What names the source on a command line."""
    verdict: Verdict = field(default_factory=lambda: Verdict(SOUND))

    @property
    def headline(self) -> str:
        """What heads a report of an input that is ruined; empty for any other."""
        return f"{self.verdict.word}: {self.verdict.reason}" if self.verdict.is_ruined else ""

    @property
    def refusal(self) -> str:
        """Why it must not be added to a dataset; empty if it may be."""
        return refusal(self.name, self.word, self.verdict) if self.verdict.is_ruined else ""


def refusal(name: str, word: str, judged: Verdict) -> str:
    """Why a ruined input is not added; `word` names it on a command line."""
    return f"{name} is {judged.word}: {judged.reason} Run: {about('doctor', word)}"


class HashingReader:
    """A reader that counts and hashes the bytes it reads, starting with the prefix that was read to recognise the
    framing.

    With `in_thread` a thread hashes what was read last while the caller works with it; the caller must not change it
    before `settle`.
    """

    def __init__(self, reader: Any, prefix: bytes, digest: Any, in_thread: bool = False) -> None:
        self._reader, self._prefix, self._digest = reader, prefix, digest
        self._thread = ThreadPoolExecutor(1) if in_thread and digest is not None else None
        self._hashing: Future[None] | None = None
        self.count = 0

    def settle(self) -> None:
        """Wait until what was read is hashed."""
        if self._hashing is not None:
            self._hashing.result()
            self._hashing = None

    def close(self) -> None:
        """End the thread."""
        if self._thread is not None:
            self._thread.shutdown()

    def read(self, size: int) -> bytes:
        self.settle()
        if self._prefix:
            data, self._prefix = self._prefix[:size], self._prefix[size:]
        else:
            data = self._reader.read(size)
        self._passed(data)
        return data

    def readinto(self, target: memoryview) -> int:
        self.settle()
        if self._prefix:
            data = self.read(len(target))
            target[: len(data)] = data
            return len(data)
        count = int(self._reader.readinto(target))
        self._passed(target[:count])
        return count

    def check_time(self) -> None:
        """Raise TimeLimitError if the time limit for this input has passed."""
        self._reader.check_time()

    def _passed(self, data: bytes | memoryview) -> None:
        self.count += len(data)
        if self._thread is not None and len(data) > 1 << 16:
            self._hashing = self._thread.submit(self._digest.update, data)
        elif self._digest is not None:
            self._digest.update(data)


def _counter(progress: Progress | None, total: int | None) -> Callable[[int], None] | None:
    """A function that counts decoded bytes for a progress bar. Bytes that are only read do not count: decoding takes
    most of the time.
    """
    if progress is None:
        return None
    done = 0

    def count(size: int) -> None:
        nonlocal done
        done += size
        progress(done, total)

    return count


def _start(source: Source, framing: Framing | None) -> tuple[Framing | None, SourceReader, bytes]:
    """Open a source and read as much as needed to recognise its framing: returns the framing, the open reader and the
    prefix read from it.
    """
    reader = source.open()
    try:
        prefix = bytearray()
        while len(prefix) < PREFIX:
            data = reader.read(PREFIX - len(prefix))
            if not data:
                break
            prefix += data
        return framing or detect(bytes(prefix), len(prefix) < PREFIX), reader, bytes(prefix)
    except BaseException:
        reader.close()
        raise


def recognise(source: Source, framing: Framing | None) -> Recognised:
    """Open a source and recognise its framing: returns the framing, the open reader and the prefix read from it.

    Raises InputError if no SMF record is found in the first 4 MiB.
    """
    framing, reader, prefix = _start(source, framing)
    if framing is None:
        reader.close()
        raise _unrecognised(source, prefix)
    return framing, reader, prefix


def chunks_of(source: Source, framing: Framing | None = None, chunk_bytes: int = CHUNK) -> Iterator[Chunk]:
    """The records of a whole source in chunks; InputError if it is not an SMF dump or cannot be read."""
    framing, opened, prefix = recognise(source, framing)
    with opened:
        yield from walk(HashingReader(opened, prefix, None), framing, chunk_bytes=chunk_bytes)


def _unrecognised(source: Source, prefix: bytes) -> InputError:
    from mqstat.sources.doctor import cause  # imported here because it takes time and is rarely needed

    problem = f"{source.problem} " if source.problem else ""
    return InputError(f"{problem}{source.name}: {cause(prefix)} Run: {about('doctor', source.word)}")


def measure(
    source: Source, job: Job, *, framing: Framing | None = None, progress: Progress | None = None
) -> SourceResult:
    """The ledger of one source, like `read_source`; an input without any SMF record is entirely damage, as its
    `problem` states.
    """
    recognised, reader, prefix = _start(source, framing)
    with reader:
        if recognised is not None:
            return _read_open(source, reader, prefix, recognised, job, Workers(1), None, progress)
        size = len(prefix)
        while data := reader.read():
            size += len(data)
    part = PartResult()
    if size:
        part.ledger.add_damage([Damage(0, size, "garbage", False)])
    why = str(_unrecognised(source, prefix))
    return SourceResult(source.name, size, None, "", why, part, word=source.word, verdict=Verdict(NOT_SMF, why))


def read_source(
    source: Source,
    job: Job,
    *,
    framing: Framing | None = None,
    workers: Workers | None = None,
    sha256: bool = True,
    progress: Progress | None = None,
) -> SourceResult:
    """Decode one source into Parquet files below `job.root`.

    Raises InputError if it is not an SMF dump or cannot be read, DatasetError if the files cannot be written.
    """
    return read_recognised(source, recognise(source, framing), job, workers=workers, sha256=sha256, progress=progress)


def read_recognised(
    source: Source,
    recognised: Recognised,
    job: Job,
    *,
    workers: Workers | None = None,
    sha256: bool = True,
    progress: Progress | None = None,
    chunk_bytes: int | None = None,
    into: Writer | None = None,
) -> SourceResult:
    """The same with a source whose framing is known, and which is closed then; `into` takes the records instead of a
    writer of tables.
    """
    framing, opened, prefix = recognised
    with opened:
        digest = hashlib.sha256() if sha256 else None
        return _read_open(
            source, opened, prefix, framing, job, workers or Workers(1), digest, progress, chunk_bytes, into
        )


def _read_open(
    source: Source,
    opened: SourceReader,
    prefix: bytes,
    framing: Framing,
    job: Job,
    workers: Workers,
    digest: Any,
    progress: Progress | None,
    chunk_bytes: int | None = None,
    into: Writer | None = None,
) -> SourceResult:
    # The size of a stream is not known beforehand: a long prefix may be the start of a large one.
    large = source.size >= PARALLEL_FROM if source.size is not None else len(prefix) == PREFIX
    alone = workers.count == 1 or not large or into is not None
    reader = HashingReader(opened, prefix, digest, in_thread=not alone and source.path is not None)
    stem = f"s{job.source_id:06d}"
    try:
        if alone:
            chunks = walk(reader, framing, chunk_bytes=chunk_bytes or CHUNK)
            part = stream(chunks, job, f"{stem}-0000", count=_counter(progress, source.size), into=into)
        else:
            part = shared(source, reader, framing, replace(job, held_bytes=0), stem, workers, CHUNK, progress)
        reader.settle()
    except BrokenExecutor:
        raise MqstatError(
            f"{source.name}: a worker process was killed; check the memory limit and run it again."
        ) from None
    except (MqstatError, MemoryError):
        raise
    except (OSError, pa.ArrowException) as error:
        if not job.keeps:
            reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
            text = f"{source.name}: its temporary files in {job.root.parent} could not be written ({reason})"
            raise MqstatError(f"{text}; free some space there, or set TMPDIR to another folder.") from None
        raise write_failure(
            job.root, f"the files of {source.name} could not be written", error, "nothing of it was added"
        ) from None
    finally:
        reader.close()
    if part.ledger.bytes.input != reader.count:
        raise MqstatError(
            f"{source.name}: {reader.count} bytes were read, but {part.ledger.bytes.input} were accounted for; please report this."
        )
    problem = getattr(source, "problem", None)
    sha256 = digest.hexdigest() if digest else None
    judged = verdict(part.ledger, prefix, problem, part.types, framing)
    return SourceResult(
        source.name, reader.count, sha256, framing.value, problem, part, word=source.word, verdict=judged
    )


def columns_to_decode(*needed: Mapping[str, Collection[str]]) -> dict[str, frozenset[str]]:
    """The tables and columns that queries need; each decoded table also has the id of its record (otherwise its first
    column).
    """
    schemas = table_schemas()
    out: dict[str, frozenset[str]] = {}
    for table, columns in (item for each in needed for item in each.items()):
        if table in schemas:
            names = schemas[table].names
            always = "record_id" if "record_id" in names else names[0]
            out[table] = out.get(table, frozenset()) | frozenset(columns) & frozenset(names) | {always}
    return out


def reader_tables(
    job: Job,
    results: Sequence[tuple[int, SourceResult]],
) -> tuple[list[WrittenFile], dict[str, pa.Table]]:
    """Write the tables with the counts of sources: other_record, damage, section, lost_value and, last, source.

    results: the number of each source and its result. Returns the files, and the rows that stay in memory by table.
    """
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in ("other_record", "damage", "lost_value")}
    source = []
    for source_id, result in results:
        _add_rows(rows, source_id, result.part)
        ledger = result.part.ledger
        source.append(
            {"source_id": source_id, "source_name": result.name, "source_bytes": result.size, "source_sha256": result.sha256,
             "framing": result.framing, "diagnosis": result.problem or result.headline or None}
            | {f"bytes_{k}": v for k, v in ledger.bytes.as_dict().items() if k != "input"}
            | {f"records_{k}": v for k, v in ledger.records.as_dict().items() if k not in ("input", "skipped")}
        )  # fmt: skip
    stem = f"s{job.source_id:06d}-count"
    wanted = dict(job.wanted) if job.wanted is not None else None
    counts = PartWriter(job.root, stem, wanted, held_bytes=job.held_bytes)
    if wanted is None or "section" in wanted:
        _write_sections(counts, results)
    files = _write_rows(counts, rows, job.wanted)
    inputs = PartWriter(job.root, stem, wanted, held_bytes=job.held_bytes)
    files += _write_rows(inputs, {"source": source}, job.wanted)
    return files, counts.tables | inputs.tables


def _add_rows(rows: dict[str, list[dict[str, Any]]], source_id: int, part: PartResult) -> None:
    """Add the counts of one source by table."""
    for (lpar, smf_type), (count, size, first, last) in sorted(part.others.items()):
        rows["other_record"].append(
            {"source_id": source_id, "lpar": name_of(lpar), "smf_type": smf_type, "records": count, "bytes": size,
             "first_written_local": _time(first), "last_written_local": _time(last)}
        )  # fmt: skip
    for offset, length, reason, record_id, spans in part.damaged_spans:
        rows["damage"].append(
            {"source_id": source_id, "damage_offset": offset, "damage_bytes": length, "spans": spans, "damage_reason": reason, "record_id": record_id}
        )  # fmt: skip
    for (structure, column, reason), count in sorted(part.lost.items()):
        rows["lost_value"].append(
            {"source_id": source_id, "structure": structure, "column_name": column, "lost_reason": reason, "values_lost": count}
        )  # fmt: skip


def _write_rows(
    writer: PartWriter, rows: Mapping[str, list[dict[str, Any]]], wanted: Mapping[str, Collection[str]] | None
) -> list[WrittenFile]:
    """Write rows of the requested tables and close the files."""
    for name, made in rows.items():
        if made and (wanted is None or name in wanted):
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


def _write_sections(writer: PartWriter, results: Sequence[tuple[int, SourceResult]]) -> None:
    """Write the sections of all sources: a dump of many queue managers has hundreds of kinds."""
    counted = [
        (source_id, *key, *counts)
        for source_id, result in results
        for key, counts in sorted(result.part.sections.items())
    ]
    if not counted:
        return
    source, lpar, qmgr, level, smf_type, subtype, triplet, length, sections, first, last = np.array(counted, np.int64).T
    kinds, kind = np.unique((smf_type << 32) | (subtype << 16) | triplet, return_inverse=True)
    routes = [(each >> 32, each >> 16 & 0xFFFF, each & 0xFFFF) for each in kinds.tolist()]
    names = [structure_of(*route) for route in routes]
    known = np.array([known_bytes(*route) for route in routes])[kind]
    columns = {
        "source_id": pa.array(source), "lpar": named(lpar, name_of), "qmgr": named(qmgr, name_of), "mq_version": named(level, version_of),
        "record_class": words(kind, [f"{each}.{sub}" for each, sub, _ in routes]), "triplet": pa.array(triplet), "section_bytes": pa.array(length),
        "structure": words(kind, names), "sections": pa.array(sections), "section_bytes_known": pa.array(known, mask=known == 0),
        "tail_bytes": pa.array(np.where(known > 0, sections * np.maximum(length - known, 0), 0)),
        "first_written_local": _times(first), "last_written_local": _times(last),
    }  # fmt: skip
    schema = schema_of(READER_TABLES["section"][1])
    made = [columns[each.name].cast(each.type) for each in schema]
    writer.add_table("section", pa.table(made, schema=schema), np.full(len(counted), NONE))


def _times(values: Ints) -> pa.Array:
    return pa.array(values, mask=(values == NONE) | (values == np.iinfo(np.int64).max)).view(STAMP)


class Scratch:
    """A temporary dataset for reports made directly from dumps; removed on exit. Decoded rows of all sources stay in
    memory up to `held_bytes`.
    """

    def __init__(self, held_bytes: int = 0) -> None:
        self._stack = ExitStack()
        self._room = held_bytes
        self._held: dict[str, list[pa.Table]] = {}
        self.root = Path()
        """The temporary folder."""
        self.files: dict[str, list[Path | NarrowFile]] = {}
        """The decoded tables that were written; `sources` also has those in memory."""
        self.results: list[SourceResult] = []

    def __enter__(self) -> Scratch:
        self.root = self._stack.enter_context(temporary_folder())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, source: Source, job: Job, **options: Any) -> SourceResult:
        """Decode a source into the temporary dataset."""
        job = replace(job, held_bytes=self._room)
        result = read_source(source, job, **options)
        files, tables = reader_tables(job, [(job.source_id, result)])
        self._list([*result.part.files, *files])
        for name, table in (result.part.tables | tables).items():
            self._room -= table.nbytes
            self._held.setdefault(name, []).append(table)
        self._room = max(self._room, 0)
        result.part.tables = {}
        self.results.append(result)
        return result

    def _list(self, files: Iterable[WrittenFile]) -> None:
        for file in files:
            path = self.root / file.path
            narrow = NarrowFile(path, file.constants) if file.constants else path
            self.files.setdefault(file.table, []).append(narrow)

    def sources(self) -> Mapping[str, TableSource]:
        """All decoded tables: in memory, or as files if any source was too large for memory."""
        if not self.files:
            return {name: pa.concat_tables(tables).unify_dictionaries() for name, tables in self._held.items()}
        for name, tables in self._held.items():
            writer = PartWriter(self.root, "held", {name: tables[0].column_names}, by_day=False)
            for table in tables:
                writer.add_table(name, table, np.full(table.num_rows, NONE))
            self._list(writer.close())
        self._held = {}
        return self.files
