"""Numbers of sources that writers reserve before they decode, so that many of them write at the same time.

`.reserved.json` has the lowest number that nobody reserved, and the numbers of inputs that are known by a key until they expire. A number is never given
twice, also if it is never used. The ids of the records of a source follow from its number.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from mqstat.base.atomic_write import read_kept, replace_bytes
from mqstat.base.errors import write_failure
from mqstat.dataset import store
from mqstat.dataset.manifest import Manifest
from mqstat.dataset.store import RESERVED

DAYS = 7
"""Days for which an input keeps its number."""

MOST_RECORDS = 1 << 32
"""Records of a source that have ids of their own."""


@dataclass(frozen=True)
class Reservation:
    """The number of each source, in the order of the inputs, and the UTC time until which the same inputs get the same numbers."""

    source_ids: tuple[int, ...]
    expires_utc: str


def first_record_id(source_id: int) -> int:
    """The id of the first record of a source."""
    return (source_id - 1) * MOST_RECORDS


def reserve(
    folder: Path, keys: Sequence[str | None], wait_seconds: float = 0, known: Manifest | None = None
) -> tuple[Reservation, Manifest]:
    """Reserve a number for each input of a dataset, which is created if it is missing; returns also its manifest.

    keys: what identifies each input: the same key gets the same number until it expires or is published. An input without a key gets a new one.
    known: a manifest that was read before. Raises DatasetError if the dataset cannot be written.
    """
    now = dt.datetime.now(dt.UTC)
    expires = (now + dt.timedelta(days=DAYS)).isoformat(timespec="seconds")
    with store.writing(folder, wait_seconds, known) as manifest:
        following, inputs = _read(folder)
        following = max(following, manifest.next_source_id)
        inputs = {key: value for key, value in inputs.items() if dt.datetime.fromisoformat(value[1]) > now}
        numbers = [inputs[key][0] if key in inputs else 0 for key in keys if key is not None]
        if len(numbers) < len(keys) or any(first >= second for first, second in pairwise([0, *numbers])):
            # The numbers of a plan are in its order, which decides which of equal records stays.
            numbers = list(range(following, following + len(keys)))
            following += len(keys)
        inputs |= {key: (number, expires) for key, number in zip(keys, numbers, strict=True) if key is not None}
        _write(folder, following, inputs)
    return Reservation(tuple(numbers), expires), manifest


def is_reserved(folder: Path, numbers: Collection[int]) -> bool:
    """Whether all numbers were reserved at some time."""
    return max(numbers, default=0) < _read(folder)[0]


@contextmanager
def used(folder: Path, numbers: Collection[int]) -> Iterator[None]:
    """Forget the keys of sources that are published within; under the writer's lock."""
    following, inputs = _read(folder)
    left = {key: value for key, value in inputs.items() if value[0] not in numbers}
    yield
    if len(left) < len(inputs):
        _write(folder, following, left)


def _read(folder: Path) -> tuple[int, dict[str, tuple[int, str]]]:
    """The lowest free number, and by key the number and the end of the reservation; nothing if the file is missing or was damaged."""
    try:
        data = json.loads(read_kept(folder / RESERVED))
        inputs = {str(key): (int(number), str(until)) for key, (number, until) in data["inputs"].items()}
        for _, until in inputs.values():
            dt.datetime.fromisoformat(until)
        return int(data["next_source_id"]), inputs
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return 1, {}


def _write(folder: Path, following: int, inputs: dict[str, tuple[int, str]]) -> None:
    text = json.dumps({"next_source_id": following, "inputs": inputs}, separators=(",", ":"))
    try:
        replace_bytes(folder / RESERVED, text.encode())
    except OSError as error:
        raise write_failure(folder, "numbers could not be reserved", error, "nothing was changed") from None
