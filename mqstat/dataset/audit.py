"""Checks the log of a dataset from its first line: every seal, the chain, and that checkpoint and head are those of this log."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from mqstat.dataset import log
from mqstat.dataset.manifest import Manifest


@dataclass(frozen=True)
class Audit:
    """What is wrong with a log, and the seal of each line by generation, up to the first fault."""

    problems: list[str] = field(default_factory=list)
    seals: dict[int, str] = field(default_factory=dict)

    @property
    def first(self) -> str:
        """The seal of the first line."""
        return self.seals[min(self.seals)]


def audited(folder: Path, manifest: Manifest) -> Audit:
    """Check the log up to the generation of a manifest that was loaded from it; empty for a `manifest.json`, which has no log."""
    if not manifest.head:
        return Audit()
    lines: dict[int, Manifest] = {}
    replay = log.Replay(Manifest())
    with (folder / log.NAME).open("rb") as stream:
        checkpoint = log.checkpoint_of(folder)
        for line, _ in log.lines_of(stream):
            try:
                replay.take(line)
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                if replay.manifest.size == manifest.size:
                    break  # a line that was not completed
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
    problems = [*_checkpoint_problems(folder, checkpoint, manifest, lines), *_head_problems(folder, manifest, lines)]
    return Audit(problems, _seals(lines))


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
    if made is None or replace(made, unsaved=0) != checkpoint:
        return [
            f"{log.CHECKPOINT}: differs from the log at generation {checkpoint.generation}; delete it, and the log is read."
        ]
    return []


def _head_problems(folder: Path, manifest: Manifest, lines: dict[int, Manifest]) -> list[str]:
    head = log.head_of(folder)
    if head is None:
        first = min(lines)
        if not (folder / log.HEAD).exists() and manifest.generation in (0, first):
            return []  # the first writer was killed before it wrote one
        return [f"{log.HEAD}: is missing or damaged; the next ingest or prune writes it again."]
    if head.generation > manifest.generation:
        return []  # written since the manifest was loaded
    if head.generation not in lines or lines[head.generation].head != head.line:
        return [f"{log.HEAD}: generation {head.generation} is not the one of the log."]
    return []
