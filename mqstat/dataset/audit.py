"""Checks the log of a dataset from its first line: every seal, the chain, and that the head is the one of this log."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from mqstat.dataset import log
from mqstat.dataset.manifest import Manifest
from mqstat.dataset.place import Home


@dataclass
class Audit:
    """What is wrong with a log, what was read of it up to the first fault, and traces of a writer that was killed.

    seals: the SHA-256 of each line by generation; first: that of the first line ever; folded: the generation of the line with a state (0 without one);
    at: the manifest after the generation that was asked for, if the log has it; later: the publishes after it, by action; missed: the log was folded
    after the manifest was loaded.
    """

    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    seals: dict[int, str] = field(default_factory=dict)
    first: str = ""
    folded: int = 0
    at: Manifest | None = None
    later: Counter[str] = field(default_factory=Counter)
    missed: bool = False


def audited(folder: Home, manifest: Manifest, at: int | None = None) -> Audit:
    """Check the log up to the generation of a manifest that was loaded from it; also gives the manifest after the generation `at`."""
    out, replay = Audit(), log.Replay()
    with (folder / log.NAME).open("rb") if isinstance(folder, Path) else folder.log() as stream:
        head = log.head_of(folder)
        for line, _ in log.lines_of(stream):
            fault = _fault(replay, line)
            if fault is not None:
                out.problems.append(fault)
                return out
            if replay.generation > manifest.generation and replay.number == 1:
                out.missed = True
                return out
            out.seals[replay.generation] = replay.head
            out.first, out.folded = replay.first, replay.folded
            if out.at is not None:
                out.later[replay.action] += 1
            if replay.generation == at:
                out.at = replay.manifest
            if replay.generation == manifest.generation:
                break
        if replay.manifest != manifest:
            out.problems.append(f"{log.NAME}: was replaced while it was read.")
        _after_the_end(stream, replay, out)
    replaced = {replay.folded - 1: replay.replaced} if replay.folded else {}
    _check_head(folder, head, manifest, replaced | out.seals, out)
    return out


def _fault(replay: log.Replay, line: bytes) -> str | None:
    """Add a line; returns why it does not fit."""
    try:
        replay.take(line)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        return f"{log.NAME}: line {replay.number + 1}: {log.reason_of(error)}."
    return None


def _after_the_end(stream: BinaryIO, replay: log.Replay, out: Audit) -> None:
    """What follows the last line: a writer that was killed leaves a line without its end, and one that publishes now adds whole lines."""
    stream.seek(replay.size)
    *whole, incomplete = stream.read().split(b"\n")
    for line in whole:
        fault = _fault(replay, line)
        if fault is not None:
            out.problems.append(fault)
            return
    if incomplete:
        out.remarks.append(
            f"{log.NAME}: its last line is incomplete: it was never published, and the next ingest or prune removes it."
        )


def _check_head(folder: Home, head: log.Head | None, manifest: Manifest, seals: dict[int, str], out: Audit) -> None:
    if head is None:
        there = (folder / log.HEAD).exists() if isinstance(folder, Path) else folder.read(log.HEAD) is not None
        if there or out.folded or manifest.generation not in (0, min(out.seals)):
            # else the first writer was killed before it wrote one
            out.problems.append(f"{log.HEAD}: is missing or damaged; the next ingest or prune writes it again.")
        return
    if head.generation > manifest.generation:
        return  # written since the manifest was loaded
    if seals.get(head.generation) != head.line:
        out.problems.append(f"{log.HEAD}: generation {head.generation} is not the one of the log.")
    elif head.generation < manifest.generation:
        out.remarks.append(
            f"{log.HEAD}: has generation {head.generation}, the log {manifest.generation}: it was replaced by an older one, or a writer was killed or is writing it; "
            "the next ingest or prune writes it again."
        )
