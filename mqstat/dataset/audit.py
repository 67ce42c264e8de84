"""Checks the log of a dataset from its first line: every seal, the chain, and that checkpoint and head are those of this log."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from mqstat.dataset import log
from mqstat.dataset.manifest import Manifest


@dataclass(frozen=True)
class Audit:
    """What is wrong with a log, the seal of each line by generation, up to the first fault, and traces of a writer that was killed."""

    problems: list[str] = field(default_factory=list)
    seals: dict[int, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    @property
    def first(self) -> str:
        """The seal of the first line."""
        return self.seals[min(self.seals)]


def audited(folder: Path, manifest: Manifest) -> Audit:
    """Check the log up to the generation of a manifest that was loaded from it."""
    lines: dict[int, Manifest] = {}
    replay = log.Replay(Manifest())
    with (folder / log.NAME).open("rb") as stream:
        head = log.head_of(folder)  # before the checkpoint, which a writer replaces first
        checkpoint = log.checkpoint_of(folder)
        for line, _ in log.lines_of(stream):
            try:
                replay.take(line)
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                fault = f"{log.NAME}: line {replay.number + 1}: {log.reason_of(error)}."
                return Audit([fault], _seals(lines))
            made = replay.manifest
            lines[made.generation] = (
                made
                if checkpoint and made.generation == checkpoint.generation
                else replace(made, files=[], retired=[], hourly=[], dropped=[])
            )
            if made.generation == manifest.generation:
                break
        out = _after_the_end(stream, replay)
    out.problems.extend(_checkpoint_problems(folder, checkpoint, manifest, lines))
    _check_head(folder, head, checkpoint, manifest, lines, out)
    out.seals.update(_seals(lines))
    return out


def _after_the_end(stream: BinaryIO, replay: log.Replay) -> Audit:
    """What follows the last line: a writer that was killed leaves a line without its end, and one that publishes now adds whole lines."""
    stream.seek(replay.manifest.size)
    *whole, incomplete = stream.read().split(b"\n")
    for line in whole:
        try:
            replay.take(line)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            return Audit([f"{log.NAME}: line {replay.number + 1}: {log.reason_of(error)}."])
    if not incomplete:
        return Audit()
    return Audit(
        remarks=[
            f"{log.NAME}: its last line is incomplete: it was never published, and the next ingest or prune removes it."
        ]
    )


def _seals(lines: dict[int, Manifest]) -> dict[int, str]:
    return {generation: made.head for generation, made in lines.items()}


def _checkpoint_problems(
    folder: Path, checkpoint: Manifest | None, manifest: Manifest, lines: dict[int, Manifest]
) -> list[str]:
    if checkpoint is None:
        return [f"{log.CHECKPOINT}: is not a checkpoint of mqstat."] if (folder / log.CHECKPOINT).exists() else []
    made = lines.get(checkpoint.generation)
    if checkpoint.generation > manifest.generation:
        return []  # written since the manifest was loaded
    if made is None or replace(made, unsaved=0, saved=checkpoint.saved) != checkpoint:
        return [
            f"{log.CHECKPOINT}: differs from the log at generation {checkpoint.generation}; delete it, and the log is read."
        ]
    return []


def _check_head(
    folder: Path,
    head: log.Head | None,
    checkpoint: Manifest | None,
    manifest: Manifest,
    lines: dict[int, Manifest],
    out: Audit,
) -> None:
    if head is None:
        first = min(lines)
        if (folder / log.HEAD).exists() or manifest.generation not in (
            0,
            first,
        ):  # else the first writer was killed before it wrote one
            out.problems.append(f"{log.HEAD}: is missing or damaged; the next ingest or prune writes it again.")
        return
    if head.generation > manifest.generation:
        return  # written since the manifest was loaded
    if head.generation not in lines or lines[head.generation].head != head.line:
        out.problems.append(f"{log.HEAD}: generation {head.generation} is not the one of the log.")
    elif head.generation < manifest.generation:
        out.remarks.append(
            f"{log.HEAD}: has generation {head.generation}, the log {manifest.generation}: it was replaced by an older one, or a writer was killed or is writing it; "
            "the next ingest or prune writes it again."
        )
    if checkpoint is None and head.checkpoint and not (folder / log.CHECKPOINT).exists():
        out.problems.append(f"{log.CHECKPOINT}: is missing; later ingests write it again.")
    elif checkpoint is not None and checkpoint.generation < head.checkpoint:
        out.problems.append(
            f"{log.CHECKPOINT}: has generation {checkpoint.generation}, but the last one had {head.checkpoint}; delete it, and the log is read."
        )
