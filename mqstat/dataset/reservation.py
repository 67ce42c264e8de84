"""Numbers of sources that writers reserve before they decode, so that many of them write at the same time.

`.reserved.json` has the lowest number that nobody reserved, and the numbers of inputs that are known by a key until they expire. A number is never given
twice, also if it is never used. The ids of the records of a source follow from its number. In an object store it is the last of several objects, each of
which only one writer can create, as the lines of the log.
"""

from __future__ import annotations

import datetime as dt
import json
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from mqstat.base.atomic_write import read_kept, replace_bytes
from mqstat.base.errors import write_failure
from mqstat.dataset import place, store
from mqstat.dataset.manifest import Manifest
from mqstat.dataset.place import Home
from mqstat.dataset.publishing import RESERVED

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


Inputs: TypeAlias = dict[str, tuple[int, str]]
"""By key the number of an input, and the end of its reservation."""


def reserve(
    folder: Home, keys: Sequence[str | None], wait_seconds: float = 0, known: Manifest | None = None
) -> tuple[Reservation, Manifest]:
    """Reserve a number for each input of a dataset, which is created if it is missing; returns also its manifest.

    keys: what identifies each input: the same key gets the same number until it expires or is published. An input without a key gets a new one.
    known: a manifest that was read before. Raises DatasetError if the dataset cannot be written.
    """
    times = Counter[str | None]()
    named: list[str | None] = []
    for key in keys:  # inputs with the same content have the same key
        named.append(f"{key}+{times[key]}" if key is not None and times[key] else key)
        times[key] += 1
    now = dt.datetime.now(dt.UTC)
    expires = (now + dt.timedelta(days=DAYS)).isoformat(timespec="seconds")
    with store.writing(folder, wait_seconds, known) as manifest:
        numbers: list[int] = []

        def with_numbers(following: int, inputs: Inputs) -> tuple[int, Inputs]:
            following = max(following, manifest.next_source_id)
            inputs = {key: value for key, value in inputs.items() if dt.datetime.fromisoformat(value[1]) > now}
            numbers[:] = [inputs[key][0] if key in inputs else 0 for key in named if key is not None]
            if len(numbers) < len(keys) or any(first >= second for first, second in pairwise([0, *numbers])):
                # The numbers of a plan are in its order, which decides which of equal records stays.
                numbers[:] = range(following, following + len(keys))
                following += len(keys)
            own = {key: (number, expires) for key, number in zip(named, numbers, strict=True) if key is not None}
            return following, inputs | own

        _change(folder, with_numbers)
    return Reservation(tuple(numbers), expires), manifest


def is_reserved(folder: Home, numbers: Collection[int]) -> bool:
    """Whether all numbers were reserved at some time."""
    return max(numbers, default=0) < _read(folder)[1]


@contextmanager
def used(folder: Home, numbers: Collection[int]) -> Iterator[None]:
    """Forget the keys of sources that are published within; under the writer's lock."""
    yield
    if any(number in numbers for number, _ in _read(folder)[2].values()):
        _change(folder, lambda following, all_: (following, {k: v for k, v in all_.items() if v[0] not in numbers}))


def _change(folder: Home, change: Callable[[int, Inputs], tuple[int, Inputs]]) -> None:
    """Change the lowest free number and the reserved ones; in an object store again if another writer was first."""
    while True:
        state, following, inputs = _read(folder)
        if _write(folder, state + 1, *change(following, inputs)):
            return


def _read(folder: Home) -> tuple[int, int, Inputs]:
    """The number of the last object in an object store, the lowest free number, and the reserved ones; nothing if it is missing or was damaged."""
    state, path = 0, ""
    if not isinstance(folder, Path):
        path = max((each.path for each in folder.list(f"{place.RESERVED}/")), default="")
        state = place.generation_of(path)
    try:
        data = json.loads(read_kept(folder / RESERVED) if isinstance(folder, Path) else folder.read(path) or b"")
        inputs = {str(key): (int(number), str(until)) for key, (number, until) in data["inputs"].items()}
        for _, until in inputs.values():
            dt.datetime.fromisoformat(until)
        return state, int(data["next_source_id"]), inputs
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return state, 1, {}


def _write(folder: Home, state: int, following: int, inputs: Inputs) -> bool:
    """Write them; false if another writer of an object store was first."""
    data = {"next_source_id": following, "inputs": inputs}
    if not isinstance(folder, Path):
        data["writer"] = secrets.token_hex(8)  # so that no other writer puts the same
        return folder.put_if_absent(f"{place.RESERVED}/{state:012d}.json", json.dumps(data).encode())
    try:
        replace_bytes(folder / RESERVED, json.dumps(data, separators=(",", ":")).encode())
    except OSError as error:
        raise write_failure(folder, "numbers could not be reserved", error, "nothing was changed") from None
    return True
