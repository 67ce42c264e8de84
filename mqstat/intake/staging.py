"""Inputs -> staged files: a large input has files of its own, small ones share them.

What much of the time of a small dump goes into is each column of each table, whatever its rows: so the records of many
inputs are decoded together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mqstat.base.selection import Selection
from mqstat.dataset.manifest import Staged
from mqstat.dataset.publishing import settled
from mqstat.dataset.reservation import first_record_id
from mqstat.dataset.writer import PartWriter
from mqstat.intake.part import Job, PartResult, add_lost, parts
from mqstat.intake.pipeline import CHUNK, Recognised, SourceResult, read_recognised
from mqstat.intake.workers import Progress, Workers
from mqstat.parsers.batch import LostKey, decode_chunk
from mqstat.parsers.columns import Ints
from mqstat.parsers.record import Records, joined
from mqstat.sources.source import Source

Mask = np.ndarray[Any, Any]
Kept = tuple[Records, Mask | None]
"""The records of a chunk, and those to decode (None = all)."""


@dataclass
class Input:
    """One input that was read: its number in the dataset (0 = not known yet), its result, or why it cannot be added.

    `state` is as in `Outcome`, empty before it is decided; `text` the reason of one that is not added, `code` its
    return code.
    """

    name: str
    source: Source | None = None
    result: SourceResult = field(default_factory=lambda: SourceResult("", 0, None, "", None))
    source_id: int = 0
    state: str = ""
    text: str = ""
    code: int = 0
    equals: Input | None = None
    """The input before it that has the same content."""
    replaces: int | None = None
    """The source that it replaced, a shorter copy of the same dump."""
    kept: list[Kept] = field(default_factory=list)
    """The records of a small input, which are not decoded yet."""

    def holds(self, ids: Ints) -> Mask:
        """Which records are its own."""
        first = first_record_id(self.source_id)
        own: Mask = (ids >= first) & (ids < first + self.result.part.records)
        return own

    def refuse(self, text: str, code: int) -> None:
        """Note why it cannot be added."""
        self.state, self.text, self.code = "refused", text, code


class Kepts:
    """Takes the records of a small input and keeps them, instead of a `TableWriter`."""

    def __init__(self) -> None:
        self.kept: list[Kept] = []

    def take(
        self, r: Records, keep: Mask | None, lost: dict[LostKey, int], only: Collection[str] | None = None
    ) -> None:
        """Keep the records of one chunk."""
        self.kept.append((r, keep))

    def close(self, result: PartResult) -> PartResult:
        """Nothing is written yet."""
        return result

    def abandon(self) -> None:
        """Nothing is open."""


def read_small(source: Source, opened: Recognised, selection: Selection, root: Path) -> Input:
    """Read an input of which all bytes were read to recognise it. Raises InputError."""
    kept = Kepts()
    size = len(opened[2])
    result = read_recognised(source, opened, Job(0, 0, selection, None, root), chunk_bytes=size + 1, into=kept)
    return Input(source.name, source, result, kept=kept.kept)


def read_large(
    source: Source, opened: Recognised, selection: Selection, root: Path, source_id: int, workers: Workers, progress: Progress | None
) -> tuple[Input, list[Staged]]:  # fmt: skip
    """Read an input and stage its files. Raises InputError, and DatasetError if they cannot be written."""
    job = Job(source_id, first_record_id(source_id), selection, None, root)
    result = read_recognised(source, opened, job, workers=workers, progress=progress)
    return Input(source.name, source, result, source_id), staged(root, result.part)


def staged(root: Path, part: PartResult) -> list[Staged]:
    """The files of a part, durable; OSError if they cannot be synced."""
    files, part.files = part.files, []
    return list(settled(root, files))


def write_small(inputs: Sequence[Input], root: Path) -> list[Staged]:
    """Decode the records of small inputs, in the order of their numbers, into files that they share. Raises OSError or
    ArrowException.
    """
    part = PartResult()
    writer = PartWriter(root, f"s{inputs[0].source_id:06d}-0000")
    try:
        waiting: list[tuple[Input, Kept]] = []
        size = 0
        for each in inputs:
            first = first_record_id(each.source_id)
            spans = each.result.part.damaged_spans
            spans[:] = [
                (at, length, why, None if number is None else number + first, count)
                for at, length, why, number, count in spans
            ]
            for kept in each.kept:
                if size > CHUNK:
                    _decode(writer, waiting)
                    waiting, size = [], 0
                waiting.append((each, kept))
                size += len(kept[0].chunk.buffer)
            each.kept = []
        _decode(writer, waiting)
        part.files = writer.close()
    except BaseException:
        writer.abandon()
        raise
    return staged(root, part)


def _decode(writer: PartWriter, waiting: Sequence[tuple[Input, Kept]]) -> None:
    """Decode records together; separately if some of their values are lost, because those are counted for each
    input.
    """
    if not waiting:
        return
    r = joined([records for _, (records, _) in waiting])
    lengths = [len(records) for _, (records, _) in waiting]
    numbers = np.repeat([each.source_id for each, _ in waiting], lengths)
    first = np.repeat([first_record_id(each.source_id) for each, _ in waiting], lengths)
    keep = None
    if any(mask is not None for _, (_, mask) in waiting):
        masks = [np.ones(len(records), bool) if mask is None else mask for _, (records, mask) in waiting]
        keep = np.concatenate(masks)
    for chosen in parts(r, keep):
        batch = decode_chunk(r, numbers, first, keep=chosen)
        if batch.lost:
            for number in np.unique(numbers if chosen is None else numbers[chosen]).tolist():
                own = (numbers == number) if chosen is None else (numbers == number) & chosen
                (of,) = {id(each): each for each, _ in waiting if each.source_id == number}.values()
                add_lost(of.result.part.lost, decode_chunk(r, numbers, first, keep=own).lost)
        writer.add(batch)
