"""Dumps -> dataset: one source at a time, each published atomically."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from mqstat.base import return_codes
from mqstat.base.errors import InputError, MqstatError, NoDataError, write_failure
from mqstat.base.formatting import plural
from mqstat.base.object_store import StoredFile
from mqstat.base.selection import Selection
from mqstat.dataset import log, publishing, store
from mqstat.dataset.claim import renew
from mqstat.dataset.compact import merge_as_it_grows, rewritten
from mqstat.dataset.generations import ConflictError
from mqstat.dataset.manifest import Change, Manifest, SourceEntry
from mqstat.dataset.place import Home, work_of
from mqstat.dataset.rebuild import describe
from mqstat.dataset.writer import WrittenFile
from mqstat.intake import duplicates
from mqstat.intake.open_data import check_not_empty
from mqstat.intake.part import Job
from mqstat.intake.pipeline import SourceResult, read_source, reader_tables
from mqstat.intake.shared_memory import MOST_WRITERS
from mqstat.intake.workers import Progress, Workers
from mqstat.parsers.batch import TOO_BIG
from mqstat.parsers.framing import Framing
from mqstat.parsers.ledger import Ledger
from mqstat.sources.source import Source

BATCH_SECONDS, BATCH_FILES = 5.0, 10_000
"""Staged members of an archive are published after this many seconds, or with more files than this."""


@dataclass(frozen=True)
class Outcome:
    """Result for one input: `state` is added, there (its content is in the dataset already), held (not yet) or refused (not a dump); `text` describes it.

    `file` is its file, None for a stream; `sha256` that of its content if all of it was read;
    `code` the return code of an input that was refused.
    """

    state: str
    file: Path | StoredFile | None
    text: str
    sha256: str | None = None
    code: int = return_codes.CLEAR


@dataclass
class IngestResult:
    """Result of an ingest: a line per input, the ledger of the added inputs, and inputs that are not dumps."""

    lines: list[str] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)
    added: int = 0
    already_there: int = 0
    refused: int = 0
    codes: list[int] = field(default_factory=list)
    """The return codes of the inputs, apart from their damage."""
    damages: set[tuple[int, int, int, int]] = field(default_factory=set)
    """(decoded records including duplicates, input bytes, damaged bytes, damaged records) of the inputs that were added."""
    report: Callable[[Outcome], None] | None = None
    """Called with the result of each input as soon as it is known."""

    def return_code(self, damage_limit_pct: float = return_codes.DAMAGE_LIMIT_PCT) -> int:
        """The highest code of the inputs: 0 added or there already; 4 damage within the limit (percent); 12 unusable."""
        return return_codes.of_inputs(
            [
                *self.codes,
                *(
                    return_codes.of_damage(
                        records_decoded=decoded, input_bytes=size, damaged_bytes=lost, damaged_records=records, limit_pct=damage_limit_pct
                    )
                    for decoded, size, lost, records in self.damages
                ),
            ]
        )  # fmt: skip

    def note(self, state: str, source: Source, text: str, sha256: str | None = None, code: int = 0) -> None:
        """Record the result of an input."""
        self.lines.append(text)
        self.outcomes.append(Outcome(state, source.file, text, sha256, code))
        if self.report is not None:
            self.report(self.outcomes[-1])

    def take(self, ledger: Ledger, problem: str | None) -> None:
        """Count an input that was added."""
        self.added += 1
        self.ledger.merge(ledger)
        self.damages.add((ledger.all_decoded, ledger.bytes.input, ledger.bytes.damaged, ledger.records.damaged))
        if problem is not None:
            self.codes.append(return_codes.WARNING)

    def refuse(self, source: Source, text: str, code: int) -> None:
        """Record an input that could not be added, with its return code."""
        self.refused += 1
        self.codes.append(code)
        self.note("refused", source, f"not added: {text}", code=code)

    def summary(self) -> str:
        """The number of inputs that were added, already there, and refused."""
        return f"{self.added} added, {self.already_there} already in the dataset, {self.refused} not added."


def ingest(
    sources: Iterable[Source],
    folder: Home,
    selection: Selection,
    *,
    framing: Framing | None = None,
    jobs: int | None = None,
    wait_seconds: float = 0,
    progress: Callable[[str], AbstractContextManager[Progress | None]],
    hold: Callable[[Source, SourceResult], str | None] | None = None,
    report: Callable[[Outcome], None] | None = None,
) -> IngestResult:
    """Add sources to a dataset. Content that the dataset has already is not added again; a longer copy of a dump replaces the shorter one.

    Sources are staged below `_staging/`, and a file, or a batch of members of an archive, is published in one step; if one fails, those before it remain.
    Small files of the dataset are merged in between (`mqstat.dataset.compact`).
    An unusable input is refused without affecting the others. `hold` is called for every new source after it was read, and may
    return a reason to postpone it. `report` is called with the result of each input as soon as it is known. Raises DatasetError.
    """
    out = IngestResult(report=report)
    with store.writing(folder, wait_seconds) as current, Workers(jobs, MOST_WRITERS) as workers:
        batch = _Batch(folder, current, current, Change("ingest"), progress, out)
        try:
            for source in batch.all_of(sources):
                batch.begin(source)
                if isinstance(folder, Path):
                    renew(folder)
                staging = work_of(folder) / publishing.STAGING / f"{batch.staged.next_source_id:06d}"
                if not _add_source(source, folder, staging, batch, selection, framing, workers, progress, hold, out):
                    shutil.rmtree(staging, ignore_errors=True)
                batch.merge(ended=False)
            batch.merge(ended=True)
        except BaseException:
            workers.stop()  # before the staging folder is removed: workers may still write to it
            with suppress(MqstatError):
                batch.publish()  # publish the sources that were complete before
            raise
        finally:
            publishing.drop_staged(folder)
    return out


@dataclass
class _Batch:
    """Staged members of an archive: they are published together, since a publish costs more than a small member."""

    folder: Home
    manifest: Manifest
    """The manifest of the dataset."""
    staged: Manifest
    """The manifest including the staged sources."""
    change: Change
    """What publishing them changes."""
    progress: Callable[[str], AbstractContextManager[Progress | None]]
    out: IngestResult
    files: list[tuple[Path, str]] = field(default_factory=list)
    added: list[tuple[Source, SourceResult, SourceEntry, SourceEntry | None]] = field(default_factory=list)
    since: float = 0
    has_published: bool = False
    conflicts: int = 0
    """How often another writer published first."""
    again: list[Source] = field(default_factory=list)
    """Sources to be read again after that: their numbers were taken, and their records may be in the dataset now."""

    def all_of(self, sources: Iterable[Source]) -> Iterator[Source]:
        """The sources, each again until it is published; everything is published at the end."""
        for source in sources:
            yield source
            yield from self._left()
        self.publish()
        yield from self._left()

    def _left(self) -> Iterator[Source]:
        while self.again:
            yield self.again.pop(0)
            if not self.again:
                self.publish()

    def begin(self, source: Source) -> None:
        """Publish what is staged before the next file is read, and within an archive every few seconds."""
        if self.added and (source.file != self.added[0][0].file or time.monotonic() - self.since > BATCH_SECONDS):
            self.publish()

    def add(
        self, staging: Path, source: Source, result: SourceResult, entry: SourceEntry, files: Sequence[WrittenFile], older: SourceEntry | None
    ) -> None:  # fmt: skip
        """Stage one source; a whole file is published at once."""
        self.since = self.since if self.added else time.monotonic()
        try:
            change = _change(self.folder, self.staged, staging, entry, files, older)
        except OSError as error:
            raise write_failure(self.folder, "could not be published", error, "the dataset is unchanged") from None
        self.staged, self.change = self.staged.after([change]), self.change.followed_by(change)
        self.files += [(staging, file.path) for file in change.add]
        self.added.append((source, result, entry, older))
        if source.path is not None or older is not None or len(self.files) > BATCH_FILES:
            self.publish()

    def merge(self, *, ended: bool) -> None:
        """Merge small files of the dataset if nothing is staged; `ended` = no more inputs follow."""
        if self.has_published and not self.added:
            self.manifest = self.staged = merge_as_it_grows(self.folder, self.manifest, ended=ended)

    def publish(self) -> None:
        """Add what is staged to the dataset, and report it."""
        if not self.added:
            return
        files, added, change = self.files, self.added, self.change
        self.staged, self.change, self.files, self.added = self.manifest, Change("ingest"), [], []
        is_first = True
        try:
            with self.progress(f"publishing {added[-1][0].name}"):
                self.manifest = self.staged = publishing.publish(self.folder, self.manifest, change, files)
        except ConflictError:
            if any(source.file is None for source, *_ in added):
                raise  # a stream cannot be read again
            is_first = False
        for staging in {staging for staging, _ in files}:
            shutil.rmtree(staging, ignore_errors=True)
        if not is_first:
            self.manifest = self.staged = log.load(self.folder) or Manifest()
            self.again += [source for source, *_ in added]
            self.conflicts += 1
            return
        self.has_published = True
        for source, result, entry, older in added:
            self.out.take(result.part.ledger, result.problem)
            self.out.note("added", source, _line(result, entry, older), result.sha256)


def _change(
    folder: Home,
    manifest: Manifest,
    staging: Path,
    source: SourceEntry,
    files: Sequence[WrittenFile],
    older: SourceEntry | None,
) -> Change:
    """Make the staged files of one source durable; returns what publishing them changes. The source that it replaces leaves. OSError if a file cannot be synced."""
    entries = publishing.settled(staging, files, source.source_id)
    if older is None:
        return Change("ingest", add=entries, sources=(source,))
    replaced = tuple(entry.path for entry in manifest.files if entry.source_ids == {older.source_id})
    others, merged = rewritten(folder, staging, manifest, {older.source_id}, manifest.files)
    return Change(
        "ingest",
        add=(*entries, *others),
        sources=(source,),
        retire=(*replaced, *merged),
        drop_sources=(older.source_id,),
    )


def _add_source(
    source: Source, folder: Home, staging: Path, batch: _Batch, selection: Selection, framing: Framing | None, workers: Workers,
    progress: Callable[[str], AbstractContextManager[Progress | None]], hold: Callable[[Source, SourceResult], str | None] | None, out: IngestResult,
) -> bool:  # fmt: skip
    """Stage one source, or record why it is not added (and return False). What is staged is published first, so that results are in order."""
    manifest, conflicts = batch.staged, batch.conflicts
    job = Job(manifest.next_source_id, manifest.next_record_id, selection, None, staging)
    try:
        # the dataset was removed since the last input; `parents` would create it again, without its lock and manifest
        if not work_of(folder).is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        staging.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_failure(folder, "cannot be written", error, f"{source.name} was not added") from None
    try:
        with progress(source.name) as step:
            result = read_source(source, job, framing=framing, workers=workers, progress=step)
    except InputError as error:
        workers.stop()
        batch.publish()
        out.refuse(source, str(error), error.return_code)
        return False
    try:
        check_not_empty([result], selection)
    except NoDataError as error:
        batch.publish()
        out.refuse(source, str(error), error.return_code)
        return False
    have = manifest.source_with(result.sha256 or "")
    if have is not None:
        batch.publish()
        if have.selection != selection.as_dict():
            out.refuse(
                source,
                f"{source.name}: the same content is already in the dataset as source {have.source_id} ({have.name}), with another selection. "
                "Ingest it into a new folder to change the selection.",
                return_codes.FAILED,
            )
            return False
        out.already_there += 1
        dropped_days = f", its days before {have.pruned_before} were dropped since then" if have.pruned_before else ""
        text = f"{source.name}: already in the dataset as source {have.source_id} ({have.name}){dropped_days}; nothing added."
        out.note("there", source, text, result.sha256)
        return False
    reason = hold(source, result) if hold is not None else None
    if reason is not None:
        batch.publish()
        out.note("held", source, f"{source.name}: {reason}", result.sha256)
        return False
    if any(earlier.name == source.name for earlier, *_ in batch.added):
        batch.publish()  # this source may replace it
    older = _shorter_copy(source, result, batch.manifest, selection)
    if older is not None:
        batch.publish()  # the files that have rows of the older source are rewritten where they are
    try:
        marked = duplicates.mark(folder, batch.manifest, batch.files, older, staging, job.first_record_id, result.part)
    except (OSError, pa.ArrowException) as error:
        raise write_failure(
            folder, f"the duplicates of {source.name} could not be marked", error, "nothing of it was added"
        ) from None
    result.in_dataset, result.repeated = marked.in_dataset, marked.repeated
    entry = _entry(job, result)
    try:
        counts = reader_tables(
            job,
            result,
            lambda others: describe(entry, [*result.part.files, *others], older.source_id if older else None),
        )
    except (OSError, pa.ArrowException) as error:
        raise write_failure(
            folder, f"the counts of {source.name} could not be written", error, "nothing of it was added"
        ) from None
    if batch.conflicts > conflicts:  # its numbers were taken
        batch.again.append(source)
        return False
    batch.add(staging, source, result, entry, [*result.part.files, *counts], older)
    return True


def _shorter_copy(source: Source, result: SourceResult, manifest: Manifest, selection: Selection) -> SourceEntry | None:
    """The source of the same name whose whole content is the start of this one: an interrupted transfer, or a dump that has grown."""
    if source.file is None:
        return None
    for entry in manifest.sources:
        if entry.name == source.name and entry.bytes < result.size and entry.selection == selection.as_dict():
            digest, left = hashlib.sha256(), entry.bytes
            with source.open() as reader:
                while left and (data := reader.read(min(left, 1 << 20))):
                    digest.update(data)
                    left -= len(data)
            if not left and digest.hexdigest() == entry.sha256:
                return entry
    return None


def _entry(job: Job, result: SourceResult) -> SourceEntry:
    part = result.part
    return SourceEntry(
        source_id=job.source_id,
        name=result.name,
        bytes=result.size,
        sha256=result.sha256 or "",
        framing=result.framing,
        diagnosis=result.problem,
        selection=job.selection.as_dict(),
        first_record_id=job.first_record_id,
        records=part.records,
        ledger=part.ledger.as_dict()
        | {
            "selected_mq_records": part.selected,
            "values_too_big": sum(n for (_, _, why), n in part.lost.items() if why == TOO_BIG),
        },
    )


def _line(result: SourceResult, entry: SourceEntry, older: SourceEntry | None) -> str:
    ledger = result.part.ledger
    instead = f" in place of source {older.source_id}, which was its beginning" if older else ""
    text = f"{result.name}: added as source {entry.source_id}{instead}: {ledger.records.decoded:,} records decoded of {ledger.records.input:,}"
    undecoded = ledger.mq_records - ledger.all_decoded
    if undecoded and not ledger.all_decoded:
        text += f", and {undecoded:,} MQ records that this version of mqstat cannot decode"
    if result.part.selected < ledger.mq_records:
        text += f", {result.part.selected:,} selected"
    if result.in_dataset == result.part.selected:
        text += ", all MQ records in the dataset already"
    elif result.in_dataset:
        text += f", {result.in_dataset:,} in the dataset already"
    if result.repeated:
        text += f", {result.repeated:,} more than once in this input"
    if ledger.damaged_spans:
        text += f", {plural(ledger.damaged_spans, 'damaged span')} ({plural(ledger.bytes.damaged, 'byte')})"
    if result.problem:
        text += f"; {result.problem}"
    return text + "."
