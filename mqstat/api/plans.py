"""Plans of parts, reservations and results: what the functions of `mqstat.parts` give and take, as JSON too."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from mqstat.base.errors import UsageError
from mqstat.dataset.manifest import FileEntry
from mqstat.dataset.paths import table_of
from mqstat.dataset.publishing import Staged
from mqstat.intake import part_json

Kind = TypeVar("Kind")


class _Json:
    """What has a JSON text."""

    def to_json(self) -> str:
        """The same as JSON, with the SHA-256 of it: `from_json` refuses a text that was changed or cut off."""
        data = asdict(self)  # type: ignore[call-overload]
        return _compact(data | {_SHA256: _digest(data)})


_SHA256 = "json_sha256"


def _compact(data: dict[str, Any], *, sort: bool = False) -> str:
    return json.dumps(data, separators=(",", ":"), sort_keys=sort)


def _digest(data: dict[str, Any]) -> str:
    """The same for every way of writing the same JSON: a scheduler may read and write it again."""
    return hashlib.sha256(_compact(data, sort=True).encode()).hexdigest()


@dataclass(frozen=True)
class PlannedInput:
    """A dump of a plan: its name, bytes if they are known, and `key`, a hash that identifies it.

    `sha256` is that of its content if all of it was read; `stamp` its size and time of change, to see that it is the same later; `whole` states why it is
    one part, None if it is in ranges; `fault` why it cannot be read. `file` is its path below the URI of the plan if it is a file of its own: `write` opens it without a search.
    """

    name: str
    size: int | None
    key: str
    sha256: str | None
    framing: str | None
    stamp: tuple[int, int] | None
    whole: str | None
    fault: str | None = None
    code: int = 0
    file: str | None = None


@dataclass(frozen=True)
class PlannedPart:
    """A part of a plan: the inputs from number `first` on, or a range of one: bytes from `start` to `stop`, whose first record has the number `first_record`."""

    first: int
    inputs: int
    start: int = 0
    stop: int | None = None
    first_record: int = 0


@dataclass(frozen=True)
class Plan(_Json):
    """The inputs that a URI names, in their order, and the parts in which they are written; `key` identifies the plan."""

    uri: str
    key: str
    inputs: tuple[PlannedInput, ...]
    parts: tuple[PlannedPart, ...]

    @staticmethod
    def from_json(text: str) -> Plan:
        """A plan from its JSON; UsageError for anything else."""

        def made(data: dict[str, Any]) -> Plan:
            inputs = [each | {"stamp": each["stamp"] and tuple(each["stamp"])} for each in data["inputs"]]
            return Plan(
                str(data["uri"]), str(data["key"]), tuple(PlannedInput(**each) for each in inputs), tuple(PlannedPart(**each) for each in data["parts"])
            )  # fmt: skip

        return _from_json(text, "plan", made)


@dataclass(frozen=True)
class Reservation(_Json):
    """The numbers of the inputs of a plan in the dataset."""

    source_ids: tuple[int, ...]

    def of(self, plan: Plan, number: int) -> tuple[int, ...]:
        """The numbers for `write` of a part."""
        if not 0 <= number < len(plan.parts):
            raise UsageError(f"The plan has no part {number}; its parts are 0 to {len(plan.parts) - 1}.")
        part = plan.parts[number]
        return self.source_ids[part.first : part.first + part.inputs]

    @staticmethod
    def from_json(text: str) -> Reservation:
        """A reservation from its JSON; UsageError for anything else."""
        return _from_json(text, "reservation", lambda data: Reservation(tuple(map(int, data["source_ids"]))))


@dataclass(frozen=True)
class Part(_Json):
    """A part that was written: its files in `folder`, and of each input (or of the range of one) counts and ledger.

    `hashes` is the file of the sorted hashes of its records, 16 bytes each, as a numpy array; `schema_version` that of the dataset for which it was written.
    """

    plan: str
    number: int
    folder: str
    selection: dict[str, Any]
    inputs: tuple[dict[str, Any], ...]
    files: tuple[dict[str, Any], ...]
    hashes: str
    records: int
    schema_version: int

    @staticmethod
    def from_json(text: str) -> Part:
        """A part from its JSON; UsageError for anything else."""

        def made(data: dict[str, Any]) -> Part:
            part = Part(**data | {"inputs": tuple(data["inputs"]), "files": tuple(data["files"])})
            part.staged()
            for each in part.inputs:
                part_json.result(each["result"])
            return part

        return _from_json(text, "part", made)

    def staged(self) -> list[Staged]:
        """Its files."""
        entries = [msgspec.convert(each, FileEntry) for each in self.files]
        for entry in entries:
            if table_of(entry.path) != entry.table:
                raise ValueError(f"{entry.path!r} is not a path of table {entry.table!r}")
        return [Staged(Path(self.folder, entry.path), entry) for entry in entries]


@dataclass(frozen=True)
class PublishedInput:
    """The result of an input: `state` is added, replaced (added in place of a shorter copy of the dump), there (its content is in the dataset already), held or refused; `text` describes it."""

    name: str
    state: str
    text: str
    source_id: int | None
    code: int


@dataclass(frozen=True)
class Published(_Json):
    """The generation of the dataset, and the result of each input in the order of the plan."""

    generation: int
    inputs: tuple[PublishedInput, ...]
    return_code: int


def _from_json(text: str, what: str, made: Callable[[dict[str, Any]], Kind]) -> Kind:
    try:
        data = json.loads(text)
        if data.pop(_SHA256) != _digest(data):
            raise UsageError(f"The JSON of this {what} was changed after mqstat parts wrote it; write it again.")
        return made(data)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise UsageError(f"This is not the JSON of a {what} of mqstat parts, or it is cut off.") from None
