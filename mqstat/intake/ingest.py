"""Dumps -> dataset: one source at a time, each published atomically."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from mqstat.base import return_codes
from mqstat.base.selection import Selection
from mqstat.dataset import store
from mqstat.dataset.manifest import Manifest, SourceEntry
from mqstat.dataset.rebuild import describe
from mqstat.errors import InputError, NoDataError, write_failure
from mqstat.intake.open_data import check_not_empty
from mqstat.intake.part import Job
from mqstat.intake.pipeline import SourceResult, read_source, reader_tables
from mqstat.intake.ranges import Progress, Workers
from mqstat.parsers.batch import TOO_BIG
from mqstat.parsers.framing import Framing
from mqstat.parsers.ledger import Ledger
from mqstat.sources.source import Source


@dataclass(frozen=True)
class Outcome:
    """Result for one input: `state` is added, there (its content was in the dataset), held (not yet) or refused (not a dump); `text` describes it.

    `file` is the file it came from, None for a stream; `sha256` that of its content where all of it was read;
    `code` the return code of an input that was refused.
    """

    state: str
    file: Path | None
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
    """(decoded records, input bytes, damaged bytes, damaged records) of the inputs that were added."""
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
        self.damages.add((ledger.records.decoded, ledger.bytes.input, ledger.bytes.damaged, ledger.records.damaged))
        if problem is not None:
            self.codes.append(return_codes.WARNING)

    def refuse(self, source: Source, text: str, code: int) -> None:
        """Note an input that could not be added, with its return code."""
        self.refused += 1
        self.codes.append(code)
        self.note("refused", source, f"not added: {text}", code=code)

    def summary(self) -> str:
        """How many inputs were added, there already and refused."""
        return f"{self.added} added, {self.already_there} already in the dataset, {self.refused} not added."


def ingest(
    sources: Iterable[Source],
    folder: Path,
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

    Each source is staged below `_staging/` and published in one step; when one fails, those before it stay.
    An input that cannot be used is refused, and the others are not affected. `hold` is asked about every new source once it was read, and may
    give a reason to leave it out for now. `report` gets what became of each input as soon as it is known. Raises DatasetError.
    """
    out = IngestResult(report=report)
    with store.writing(folder, wait_seconds) as current, Workers(jobs) as workers:
        manifest = current
        for source in sources:
            staging = folder / store.STAGING / f"{manifest.next_source_id:06d}"
            try:
                manifest = _add_source(
                    source, folder, staging, manifest, selection, framing, workers, progress, hold, out
                )
            except BaseException:
                workers.stop()  # before the staging folder is removed: workers may still write to it
                raise
            finally:
                shutil.rmtree(folder / store.STAGING, ignore_errors=True)
    return out


def _add_source(
    source: Source, folder: Path, staging: Path, manifest: Manifest, selection: Selection, framing: Framing | None, workers: Workers,
    progress: Callable[[str], AbstractContextManager[Progress | None]], hold: Callable[[Source, SourceResult], str | None] | None, out: IngestResult,
) -> Manifest:  # fmt: skip
    """Add one source; returns the manifest that the dataset has afterwards."""
    job = Job(manifest.next_source_id, manifest.next_record_id, selection, None, staging)
    try:
        if (
            not folder.is_dir()
        ):  # removed since the last input; `parents` would make it again, without its lock and manifest
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        staging.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_failure(folder, "cannot be written", error, f"{source.name} was not added") from None
    try:
        with progress(source.name) as step:
            result = read_source(source, job, framing=framing, workers=workers, progress=step)
    except InputError as error:
        workers.stop()
        out.refuse(source, str(error), error.return_code)
        return manifest
    try:
        check_not_empty([result], selection)
    except NoDataError as error:
        out.refuse(source, str(error), error.return_code)
        return manifest
    have = manifest.source_with(result.sha256 or "")
    if have is not None:
        if have.selection != selection.as_dict():
            out.refuse(
                source,
                f"{source.name}: the same content is already in the dataset as source {have.source_id} ({have.name}), with another selection. "
                "Ingest it into a new folder to change the selection.",
                return_codes.FAILED,
            )
            return manifest
        out.already_there += 1
        gone = f", its days before {have.pruned_before} have been dropped since" if have.pruned_before else ""
        text = f"{source.name}: already in the dataset as source {have.source_id} ({have.name}){gone}; nothing added."
        out.note("there", source, text, result.sha256)
        return manifest
    reason = hold(source, result) if hold is not None else None
    if reason is not None:
        out.note("held", source, f"{source.name}: {reason}", result.sha256)
        return manifest
    older = _shorter_copy(source, result, manifest, selection)
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
    with progress(f"publishing {source.name}"):
        updated = store.publish(folder, staging, manifest, entry, [*result.part.files, *counts], older)
    out.take(result.part.ledger, result.problem)
    out.note("added", source, _line(result, entry, older), result.sha256)
    return updated


def _shorter_copy(source: Source, result: SourceResult, manifest: Manifest, selection: Selection) -> SourceEntry | None:
    """The source of the same name whose whole content is the beginning of this one: an interrupted transfer, or a dump that has grown."""
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
    if result.part.selected < ledger.records.decoded:
        text += f", {result.part.selected:,} selected"
    if ledger.damage_spots:
        text += f", {ledger.damage_spots:,} damaged spans ({ledger.bytes.damaged:,} bytes)"
    if result.problem:
        text += f"; {result.problem}"
    return text + "."
