"""Dumps -> dataset: one source at a time, each published in one step."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from mqstat.dataset import store
from mqstat.dataset.manifest import Manifest, SourceEntry
from mqstat.errors import DatasetError, InputError
from mqstat.parsers.framing import Framing
from mqstat.parsers.ledger import Ledger
from mqstat.parsers.source import Source
from mqstat.part import Job
from mqstat.pipeline import SourceResult, read_source, reader_tables
from mqstat.ranges import Progress, Workers
from mqstat.selection import Selection


@dataclass
class IngestResult:
    """What an ingest did: a line per input, the ledger of what was added, and inputs that were no dump."""

    lines: list[str] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)
    added: int = 0
    already_there: int = 0
    refused: int = 0
    problems: int = 0

    def return_code(self, damage_limit: float) -> int:
        """0 all added or there already; 4 damage within the limit, or some of the inputs were no dump; 12 unusable."""
        if self.refused and not (self.added or self.already_there):
            return 12
        code = self.ledger.return_code(damage_limit) if self.added else 0
        return max(code, 4 if self.refused or self.problems else 0)


def ingest(
    sources: Iterable[Source],
    folder: Path,
    selection: Selection,
    *,
    framing: Framing | None = None,
    jobs: int | None = None,
    wait_seconds: float = 0,
    progress: Callable[[str], AbstractContextManager[Progress | None]],
) -> IngestResult:
    """Add sources to a dataset. Content that the dataset has already is not added again.

    Each source is staged below `_staging/` and published in one step; when one fails, those before it stay.
    An input that is no dump is told and passed over. Raises DatasetError.
    """
    out = IngestResult()
    with store.writing(folder, wait_seconds) as manifest, Workers(jobs) as workers:
        for source in sources:
            staging = folder / store.STAGING / f"{manifest.next_source_id:06d}"
            try:
                _one(source, folder, staging, manifest, selection, framing, workers, progress, out)
            except BaseException:
                workers.stop()  # before the staging folder goes: they may still write to it
                raise
            finally:
                shutil.rmtree(folder / store.STAGING, ignore_errors=True)
    return out


def _one(
    source: Source, folder: Path, staging: Path, manifest: Manifest, selection: Selection, framing: Framing | None, workers: Workers,
    progress: Callable[[str], AbstractContextManager[Progress | None]], out: IngestResult,
) -> None:  # fmt: skip
    job = Job(manifest.next_source_id, manifest.next_record_id, selection, None, staging)
    try:
        staging.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DatasetError(f"{folder}: cannot be written ({error.strerror}).") from None
    try:
        with progress(source.name) as step:
            result = read_source(source, job, framing=framing, workers=workers, progress=step)
    except InputError as error:
        workers.stop()
        out.refused += 1
        out.lines.append(f"not added: {error}")
        return
    have = manifest.source_with(result.sha256 or "")
    if have is not None:
        if have.selection != selection.as_dict():
            raise DatasetError(
                f"{source.name}: the same content is in the dataset already as source {have.source_id} ({have.name}), with another selection; "
                "nothing was added. Ingest it into a new folder to change the selection."
            )
        out.already_there += 1
        out.lines.append(
            f"{source.name}: already in the dataset as source {have.source_id} ({have.name}); nothing added."
        )
        return
    try:
        files = [*result.part.files, *reader_tables(job, result)]
    except OSError as error:
        raise DatasetError(
            f"{folder}: cannot be written ({error.strerror or error}); free some space and run it again."
        ) from None
    entry = _entry(job, result)
    store.publish(folder, staging, manifest, entry, files)
    out.added += 1
    out.ledger.merge(result.part.ledger)
    out.problems += result.problem is not None
    out.lines.append(_line(result, entry))


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
        ledger=part.ledger.as_dict() | {"selected_mq_records": part.selected, "values_too_big": part.too_big},
    )


def _line(result: SourceResult, entry: SourceEntry) -> str:
    ledger = result.part.ledger
    text = f"{result.name}: added as source {entry.source_id}: {ledger.records.decoded:,} records decoded of {ledger.records.input:,}"
    if result.part.selected < ledger.records.decoded:
        text += f", {result.part.selected:,} selected"
    if ledger.damage_spots:
        text += f", {ledger.damage_spots:,} damaged spots ({ledger.bytes.damaged:,} bytes)"
    if result.problem:
        text += f"; {result.problem}"
    return text + "."
