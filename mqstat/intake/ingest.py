"""Dumps -> dataset: large ones one at a time, small ones together, each published atomically."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from mqstat.base import return_codes
from mqstat.base.errors import InputError, MqstatError, UsageError, write_failure
from mqstat.base.object_store import StoredFile
from mqstat.base.selection import Selection
from mqstat.dataset import publishing, snapshot, store
from mqstat.dataset.compact import merge_as_it_grows
from mqstat.dataset.drop import source_of
from mqstat.dataset.manifest import Manifest, Staged
from mqstat.dataset.place import Home
from mqstat.dataset.reservation import reserve
from mqstat.intake.pipeline import CHUNK, PREFIX, Recognised, recognise
from mqstat.intake.publication import USUAL, Terms, decide, publish
from mqstat.intake.shared_memory import MOST_WRITERS
from mqstat.intake.staging import Input, read_large, read_small, write_small
from mqstat.intake.workers import Progress, Workers
from mqstat.parsers.framing import Framing
from mqstat.parsers.ledger import Ledger
from mqstat.sources.source import Source
from mqstat.sources.verdict import Verdict

BATCH_SECONDS, BATCH_INPUTS = 5.0, 1_000
"""Small inputs are published after this many seconds, or with so many inputs."""


@dataclass(frozen=True)
class Outcome:
    """Result for one input: `state` is added, there (its content is in the dataset already), held (not yet) or refused
    (not a dump); `text` describes it.

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
    verdicts: set[Verdict] = field(default_factory=set)
    """The verdicts of the inputs that were added."""
    report: Callable[[Outcome], None] | None = None
    """Called with the result of each input as soon as it is known."""

    def return_code(self, damage_limit_pct: float = return_codes.DAMAGE_LIMIT_PCT) -> int:
        """The highest code of the inputs: 0 added or there already; 4 damage within the limit (percent); 12
        unusable.
        """
        return return_codes.of_inputs([*self.codes, *(each.return_code(damage_limit_pct) for each in self.verdicts)])

    def note(self, each: Input) -> None:
        """Record the result of an input."""
        ledger, text = each.result.part.ledger, each.text
        if each.state == "added":
            self.added += 1
            self.ledger.merge(ledger)
            self.verdicts.add(each.result.verdict)
            if ledger.mq_records and not ledger.all_decoded:
                self.codes.append(return_codes.UNUSABLE)  # this version of mqstat can decode nothing of it
        elif each.state == "refused":
            self.refused += 1
            self.codes.append(each.code)
            text = f"not added: {text}"
        self.already_there += each.state == "there"
        self.lines.append(text)
        file = each.source.file if each.source is not None else None
        self.outcomes.append(Outcome(each.state, file, text, each.result.sha256, each.code))
        if self.report is not None:
            self.report(self.outcomes[-1])

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
    terms: Terms = USUAL,
    report: Callable[[Outcome], None] | None = None,
) -> IngestResult:
    """Add sources to a dataset. Content that the dataset has already is not added again; a longer copy of a dump
    replaces the shorter one.

    Sources are staged below `_staging/`, and a file, or a batch of small ones, is published in one step; if one fails,
    those before it remain. Others may write to the dataset at the same time: the lock is held to reserve numbers and to
    publish. Small files of the dataset are merged in between (`mqstat.dataset.compact`).
    An unusable input is refused without affecting the others. `terms.hold` is called for every new source after it was
    read, and may return a reason to postpone it. `report` is called with the result of each input as soon as it is
    known. Raises DatasetError.
    """
    out = IngestResult(report=report)
    manifest = Manifest()
    if snapshot.is_dataset(folder):
        with store.writing(folder, wait_seconds) as manifest:
            pass
    if terms.replace is not None:
        source_of(manifest, terms.replace)
        if len(sources := list(sources)) != 1:
            raise UsageError(f"--replace: one input replaces a source, not {len(sources)}.")
    if manifest.generation < 0 and isinstance(folder, Path):
        store.prepare(folder)  # the first input that is added makes it a dataset
    with _staging(folder) as root, Workers(jobs, MOST_WRITERS) as workers:
        batch = _Batch(folder, root, manifest, selection, wait_seconds, progress, terms, out)
        try:
            for source in sources:
                batch.take(source, framing, workers)
            batch.publish()
            batch.merge(ended=True)
        except BaseException:
            workers.stop()  # before the staging folder is removed: workers may still write to it
            with suppress(MqstatError):
                batch.publish()  # publish the sources that were complete before
            raise
    return out


@contextmanager
def _staging(folder: Home) -> Iterator[Path]:
    """The staging folder of this process."""
    with ExitStack() as stack:
        try:
            root = stack.enter_context(publishing.staging(folder))
        except OSError as error:
            raise write_failure(folder, "cannot be written", error, "nothing was added") from None
        yield root


@dataclass
class _Batch:
    """Small inputs that were read and are not in the dataset yet: they are written and published together, which costs
    less than each alone.
    """

    folder: Home
    root: Path
    manifest: Manifest
    selection: Selection
    wait_seconds: float
    progress: Callable[[str], AbstractContextManager[Progress | None]]
    terms: Terms
    out: IngestResult
    inputs: list[Input] = field(default_factory=list)
    size: int = 0
    since: float = 0
    has_published: bool = False
    number: int = 0

    def take(self, source: Source, framing: Framing | None, workers: Workers) -> None:
        """Read one source: a small one joins the batch, a large one is published alone."""
        if any(each.name == source.name for each in self.inputs):
            self.publish()  # this source may replace it
        # the dataset was removed since the last input
        if not self.root.is_dir():
            error = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            raise write_failure(self.folder, "cannot be written", error, f"{source.name} was not added")
        opened = None
        try:
            opened = recognise(source, framing)
            if len(opened[2]) < PREFIX:
                self._join(read_small(source, opened, self.selection, self.root))
                return
        except InputError as error:
            refused = Input(source.name, source)
            refused.refuse(str(error), error.return_code)
            self._join(refused)
            return
        self.publish()
        self._add(source, opened, workers)
        self.merge(ended=False)

    def _join(self, each: Input) -> None:
        """Add an input that was read; the batch is published when it is large, or old."""
        self.since = self.since if self.inputs else time.monotonic()
        self.inputs.append(each)
        self.size += each.result.size
        if self.size > CHUNK or len(self.inputs) >= BATCH_INPUTS or time.monotonic() - self.since > BATCH_SECONDS:
            self.publish()
            self.merge(ended=False)

    def publish(self) -> None:
        """Write what was read, add it to the dataset, and report it."""
        inputs, self.inputs, self.size = self.inputs, [], 0
        if not inputs:
            return
        decide(inputs, self.manifest, self.selection, self.terms)
        added = [each for each in inputs if each.state == "added"]
        if added:
            self._reserve(added)
            root = self._folder()
            try:
                files = write_small(added, root)
            except (OSError, pa.ArrowException) as error:
                names = ", ".join(each.name for each in added[:3])
                raise write_failure(
                    self.folder, f"the files of {names} could not be written", error, "nothing of it was added"
                ) from None
            self._publish(inputs, files, root)
        else:
            self._report(inputs)

    def _add(self, source: Source, opened: Recognised, workers: Workers) -> None:
        """Read, write and publish a large source."""
        root, each = self._folder(), Input(source.name, source)
        self._reserve([each])
        try:
            with self.progress(source.name) as step:
                each, files = read_large(source, opened, self.selection, root, each.source_id, workers, step)
        except InputError as error:
            workers.stop()
            each.refuse(str(error), error.return_code)
            self._report([each])
            return
        self._publish([each], files, root)

    def _reserve(self, inputs: Sequence[Input]) -> None:
        if not self.root.exists():  # else the dataset would be created again
            error = FileNotFoundError(2, "its staging folder is missing")
            raise write_failure(self.folder, "cannot be written", error, "nothing of it was added")
        try:
            numbers, self.manifest = reserve(self.folder, len(inputs), self.wait_seconds, self.manifest)
        except OSError as error:
            raise write_failure(self.folder, "cannot be written", error, "nothing of it was added") from None
        for each, number in zip(inputs, numbers, strict=True):
            each.source_id = number

    def _folder(self) -> Path:
        """A new folder for staged files."""
        self.number += 1
        root = self.root / f"{self.number:06d}"
        try:
            root.mkdir()
        except OSError as error:
            raise write_failure(self.folder, "cannot be written", error, "nothing of it was added") from None
        return root

    def _publish(self, inputs: Sequence[Input], files: Sequence[Staged], root: Path) -> None:
        with self.progress(f"publishing {inputs[-1].name}"):
            self.manifest = publish(
                self.folder, inputs, files, self.selection, root, manifest=self.manifest, terms=self.terms, wait_seconds=self.wait_seconds
            )  # fmt: skip
        shutil.rmtree(root, ignore_errors=True)
        self.has_published = self.has_published or any(each.state == "added" for each in inputs)
        self._report(inputs)

    def _report(self, inputs: Sequence[Input]) -> None:
        for each in inputs:
            self.out.note(each)

    def merge(self, *, ended: bool) -> None:
        """Merge small files of the dataset; `ended` = no more inputs follow."""
        if self.has_published and not self.inputs:
            self.manifest = merge_as_it_grows(
                self.folder, self.manifest, staging=self.root, wait_seconds=self.wait_seconds, ended=ended
            )
