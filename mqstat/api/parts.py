"""The functions of `mqstat.parts`: dumps -> dataset in parts, which any number of processes and machines write at the same time."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import secrets
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import chain, islice, pairwise, zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from mqstat.api.inputs import framing_named, local_path
from mqstat.api.plans import Part, Plan, PlannedInput, PlannedPart, Published, PublishedInput, Reservation
from mqstat.base import return_codes
from mqstat.base.errors import DatasetError, InputError, UsageError, write_failure
from mqstat.base.formatting import plural
from mqstat.base.object_store import StoredFile
from mqstat.base.selection import Selection
from mqstat.base.version import __version__
from mqstat.dataset import publishing, reservation, steps, store
from mqstat.dataset.manifest import SCHEMA_VERSION, Manifest
from mqstat.dataset.place import Home, home_of
from mqstat.dataset.reservation import first_record_id
from mqstat.intake import part_json
from mqstat.intake.duplicates import Hashes, Staged, sorted_hashes
from mqstat.intake.ingest import BATCH_INPUTS
from mqstat.intake.part import Job, PartResult
from mqstat.intake.pipeline import CHUNK, PREFIX, SourceResult, recognise
from mqstat.intake.publication import Hold, decide
from mqstat.intake.publication import publish as publish_inputs
from mqstat.intake.ranges import hashed_ranges
from mqstat.intake.staging import Input, read_large, read_small, staged, write_small
from mqstat.intake.stream import after_range, before_range, part_of, stream
from mqstat.intake.workers import Workers
from mqstat.parsers.framing import Framing
from mqstat.sources.source import Source, find_sources

WAIT_SECONDS = 600.0
"""How long to wait for others that reserve or publish, which takes them moments."""


# ------------------------------------------------------------------------------------------------------------------------ plan


def plan(uri: str | os.PathLike[str], range_bytes: int | None = None, *, framing: str | None = None) -> Plan:
    """The inputs that a file, folder, archive or object store (`s3://bucket/key`) holds, and the parts in which they are written.

    A dump is one part, and small ones are in one part together, because they share files. With `range_bytes`, a larger dump is divided into ranges of so many bytes or a
    little more: it is walked once to find where records begin. What is compressed, in an archive or on standard input is one part always, and states
    why. framing: `rdw`, `bdw`, `no-rdw` or `length-prefixed`, if it is not recognised.

    Raises UsageError for a size below 1 MB, an unknown framing and a URI that is not supported.
    """
    if range_bytes is not None and range_bytes < 1 << 20:
        raise UsageError(f"Ranges of {range_bytes} bytes cost more than they save; give 1048576 bytes or more.")
    given = framing_named(framing)
    inputs: list[PlannedInput] = []
    files: list[str | None] = []
    ranges: dict[int, list[PlannedPart]] = {}
    together: list[bool] = []
    if uri == "-":
        whole = "Standard input can be read once."
        inputs.append(PlannedInput("stdin", None, secrets.token_hex(32), None, framing, None, whole))
        together.append(False)
    else:
        path = str(home_of(uri))
        for number, source in enumerate(find_sources([path])):
            each, own, is_small = _planned(source, number, path, range_bytes, given)
            inputs.append(each)
            files.append(_below(path, source))
            together.append(is_small)
            if own:
                ranges[number] = own
    times = Counter(files)
    inputs = [
        replace(each, file=file) if file is not None and times[file] == 1 else each
        for each, file in zip_longest(inputs, files)
    ]
    made = tuple(_in_parts(inputs, together, ranges))
    text = json.dumps([[each.key for each in inputs], [asdict(each) for each in made]])
    return Plan(os.fspath(uri), hashlib.sha256(text.encode()).hexdigest(), tuple(inputs), made)


def _below(uri: str, source: Source) -> str | None:
    """The path of the file of a source below a URI, empty if it is that file; None without a file below it."""
    if isinstance(source.file, StoredFile):
        return source.file.uri.removeprefix(uri).lstrip("/")
    if source.file is None or not source.file.is_relative_to(uri):
        return None
    return "" if source.file == Path(uri) else source.file.relative_to(uri).as_posix()


def _stamp(source: Source) -> tuple[int, int] | None:
    if isinstance(source.file, StoredFile):
        return source.file.size, source.file.modified_us or 0
    if source.file is None:
        return None
    with suppress(OSError):
        status = source.file.stat()
        return status.st_size, status.st_mtime_ns
    return None


def _planned(
    source: Source, number: int, uri: str, range_bytes: int | None, framing: Framing | None
) -> tuple[PlannedInput, list[PlannedPart], bool]:
    """An input of a plan, its ranges if it has any, and whether it is so small that it shares files with others."""
    stamp, whole = _stamp(source), None
    digest, known = None, framing
    own: list[PlannedPart] = []
    try:
        known, opened, prefix = recognise(source, framing)
        opened.close()
        if len(prefix) < PREFIX:
            whole, digest = "It is small.", hashlib.sha256(prefix).hexdigest()
        elif not source.has_offsets:
            whole = (
                "It is in an archive."
                if any(layer[0] in ("part", "zip", "stretch") for layer in source.layers)
                else "It is compressed."
            )
        elif range_bytes is None or (source.size or 0) <= range_bytes:
            whole = "No ranges were asked for." if range_bytes is None else "It is not larger than a range."
        else:
            digest, listed = hashed_ranges(source, known, range_bytes, prefix)
            own = [PlannedPart(number, 1, start, stop, first) for start, stop, first in listed]
    except InputError as error:
        key = hashlib.sha256(f"{uri}\n{number}\n{error}".encode()).hexdigest()
        return (
            PlannedInput(source.name, source.size, key, None, None, stamp, None, str(error), error.return_code),
            [],
            False,
        )
    name = f"{uri}\n{source.name}\n{source.size}\n{stamp}\n".encode()
    key = digest or hashlib.sha256(name + prefix).hexdigest()
    made = PlannedInput(source.name, source.size, key, digest, known.value, stamp, whole)
    return made, own, len(prefix) < PREFIX


def _in_parts(
    inputs: Sequence[PlannedInput], together: Sequence[bool], ranges: dict[int, list[PlannedPart]]
) -> Iterator[PlannedPart]:
    """The parts of a plan: small inputs together, unless they have the same name, because one may be a longer copy of the other."""
    first, size = 0, 0
    names: set[str] = set()
    for number, each in enumerate(inputs):
        joins = together[number] and number > first and together[first] and each.name not in names
        if number > first and (not joins or size > CHUNK or number - first >= BATCH_INPUTS):
            yield from ranges.get(first, [PlannedPart(first, number - first)])
            first, size, names = number, 0, set()
        size += each.size or PREFIX
        names.add(each.name)
    if inputs:
        yield from ranges.get(first, [PlannedPart(first, len(inputs) - first)])


# ----------------------------------------------------------------------------------------------------------------------- write


def write(
    plan: Plan,
    number: int,
    source_id: int | Sequence[int],
    staging: str | os.PathLike[str],
    selection: Selection | None = None,
    *,
    jobs: int = 1,
) -> Part:
    """Decode part `number` of a plan into files in a new folder below `staging`; returns what `publish` needs.

    source_id: the reserved number of its input, or the numbers of its inputs; selection: only these records; jobs: processes for a large input.
    The files are complete and on the disk when it returns. Each attempt has a folder of its own, so a part may be written again, also at the same
    time. An input that cannot be read is in the part as refused.

    Raises UsageError for a part that the plan does not have, a selection of tasks, or an input that changed since it was planned or can no longer be read, and DatasetError if files
    cannot be written.
    """
    if not 0 <= number < len(plan.parts):
        raise UsageError(f"The plan has no part {number}; its parts are 0 to {len(plan.parts) - 1}.")
    part = plan.parts[number]
    numbers = (source_id,) if isinstance(source_id, int) else tuple(source_id)
    if len(numbers) != part.inputs:
        raise UsageError(
            f"Part {number} has {plural(part.inputs, 'input')}, but {len(numbers)} numbers were given; use those of reserve."
        )
    if any(first >= second for first, second in pairwise((0, *numbers))):
        given = ", ".join(map(str, numbers))
        raise UsageError(f"Part {number} cannot have the numbers {given}: they ascend from 1 on; use those of reserve.")
    chosen = selection or Selection()
    if chosen.tasks:
        raise UsageError("A part is not of some tasks; filter the rows of table wtas.")
    planned = plan.inputs[part.first : part.first + part.inputs]
    below = local_path(staging)
    try:
        below.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f"{plan.key[:16]}-{number:05d}-", dir=below)).resolve()
    except OSError as error:
        raise write_failure(below, "cannot be written", error, "nothing was written") from None
    try:
        inputs, files = _written(plan, part, number, planned, numbers, folder, chosen, jobs)
        hashes = sorted_hashes([each.path for each in files if each.entry.table == "record"])
        np.save(folder / HASHES, hashes)
    except (OSError, pa.ArrowException) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise write_failure(below, f"part {number} could not be written", error, "nothing of it is left") from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    listed = tuple(
        {"name": each.name, "source_id": each.source_id, "state": each.state, "text": each.text, "code": each.code, "result": part_json.as_json(each.result)}
        for each in inputs
    )  # fmt: skip
    return Part(
        plan.key, number, str(folder), _selected(chosen), listed, tuple(asdict(each.entry) for each in files), HASHES,
        sum(each.result.part.records for each in inputs), SCHEMA_VERSION,
    )  # fmt: skip


HASHES = "hashes.npy"


def _selected(selection: Selection) -> dict[str, Any]:
    """What makes the same selection again."""
    moments = {"since": selection.since, "until": selection.until}
    texts = {name: moment and moment.isoformat() for name, moment in moments.items()}
    return {"types": list(selection.types), "qmgrs": list(selection.qmgrs), "lpars": list(selection.lpars)} | texts


def _written(
    plan: Plan, part: PlannedPart, number: int, planned: Sequence[PlannedInput], numbers: Sequence[int], folder: Path, selection: Selection, jobs: int
) -> tuple[list[Input], list[Staged]]:  # fmt: skip
    """The inputs of a part, and its files."""
    inputs: list[Input] = []
    files: list[Staged] = []
    for own, source, source_id in zip(planned, _sources(plan, part), numbers, strict=True):
        each = Input(source.name, source, source_id=source_id)
        inputs.append(each)
        if own.fault is not None:
            each.refuse(own.fault, own.code)
            continue
        if own.stamp is not None and _stamp(source) != own.stamp:
            raise UsageError(f"{own.name} has changed since it was planned; plan it again.")
        try:
            framing = Framing(own.framing) if own.framing else None
            if part.stop is not None:
                each.result, new = _range(
                    source, own, part, number - _first_part(plan, part), folder, selection, source_id
                )
                files += new
                continue
            opened = recognise(source, framing)
            if len(opened[2]) < PREFIX:
                read = read_small(source, opened, selection, folder)
                each.result, each.kept = read.result, read.kept
            else:
                with Workers(jobs) as workers:
                    read, new = read_large(source, opened, selection, folder, source_id, workers, None)
                each.result, files = read.result, [*files, *new]
        except InputError as error:
            each.refuse(str(error), error.return_code)
    small = [each for each in inputs if each.kept]
    return inputs, files + (write_small(small, folder) if small else [])


def _sources(plan: Plan, part: PlannedPart) -> Iterator[Source]:
    """The inputs of a part, opened again: fewer if some are gone."""
    root = plan.uri if plan.uri == "-" else str(home_of(plan.uri))
    files = [each.file for each in plan.inputs[part.first : part.first + part.inputs]]
    sources: Iterator[Source]
    if None in files:  # inputs of archives have numbers only
        sources = islice(find_sources([root]), part.first, part.first + part.inputs)
    else:
        sources = chain.from_iterable(find_sources([f"{root}/{file}" if file else root]) for file in files)
    for number, source in enumerate(sources, part.first):
        if source.fault is not None and plan.inputs[number].fault is None:
            name = plan.inputs[number].name
            raise UsageError(f"{name} has changed since it was planned, or cannot be read now: {source.fault}")
        if source.name != plan.inputs[number].name and plan.uri != "-":
            raise UsageError(f"{plan.uri} has changed since it was planned; plan it again.")
        yield source


def _first_part(plan: Plan, part: PlannedPart) -> int:
    return next(number for number, each in enumerate(plan.parts) if each.first == part.first)


def _range(
    source: Source, planned: PlannedInput, part: PlannedPart, within: int, folder: Path, selection: Selection, source_id: int
) -> tuple[SourceResult, list[Staged]]:  # fmt: skip
    """Decode a range; the records around it have the intervals of those that contain none."""
    framing = Framing(planned.framing or "")
    start, stop = part.start, part.stop
    before, after = before_range(source, framing, start), after_range(source, framing, stop)
    job = Job(source_id, first_record_id(source_id), selection, None, folder)
    made: PartResult = stream(
        part_of(source, framing, start, stop, CHUNK), job, f"s{source_id:06d}-{within:04d}", number=part.first_record, before=before, after=after
    )  # fmt: skip
    result = SourceResult(source.name, made.ledger.bytes.input, planned.sha256, framing.value, source.problem, made)
    return result, staged(folder, made)


# --------------------------------------------------------------------------------------------------------- reserve and publish


def reserve(
    dataset: str | os.PathLike[str], inputs: Plan | Iterable[PlannedInput], *, wait_seconds: float = WAIT_SECONDS
) -> Reservation:
    """Reserve a number for each input in a dataset, which is created if it is missing.

    Nobody else gets these numbers; those that are not used stay free. Raises DatasetError if the dataset cannot be written.
    """
    count = len(list(inputs.inputs if isinstance(inputs, Plan) else inputs))
    return Reservation(tuple(reservation.reserve(home_of(dataset), count, wait_seconds)[0]))


def publish(
    dataset: str | os.PathLike[str],
    plan: Plan,
    parts: Iterable[Part],
    *,
    hold: Hold | None = None,
    wait_seconds: float = WAIT_SECONDS,
) -> Published:
    """Add the inputs of a plan to a dataset, in one step for each dump or part of small ones.

    An input is added once: one whose content is there already is not added again, also when the same plan is published twice or at the same time; a longer copy replaces
    the shorter one. An input with a part missing is refused, the others are added. Of several attempts of a part the first one given is used. Equal
    records count once: that of the dataset, else the first one in the order of the plan. The files of the parts are removed when they are published.

    hold: called for each new input, gives the reason to postpone it or None. The lock of the dataset is held to compare what others have published meanwhile and
    to write the log. Raises UsageError for a part of another plan or of an mqstat with another schema version, and DatasetError if the dataset cannot be written: then inputs before the failure stay added.
    """
    folder = home_of(dataset)
    by_number: dict[int, Part] = {}
    for each in parts:
        if each.plan != plan.key:
            raise UsageError(f"Part {each.number} in {each.folder} is not one of this plan.")
        if each.schema_version != SCHEMA_VERSION:
            text = f"Part {each.number} has schema version {each.schema_version}, and this mqstat {__version__} writes {SCHEMA_VERSION}"
            raise UsageError(f"{text}; use one version of mqstat for all steps.")
        by_number.setdefault(each.number, each)
    selections = [each.selection for each in by_number.values()]
    if any(each != selections[0] for each in selections):
        raise UsageError("The parts were written with different selections; write them again with one.")
    selection = _selection(selections[0]) if selections else Selection()
    with store.writing(folder, wait_seconds) as manifest:
        pass
    done: list[Input] = []
    groups: dict[int, list[int]] = {}
    for number, part in enumerate(plan.parts):
        groups.setdefault(part.first, []).append(number)
    for first, numbers in groups.items():
        inputs = _joined(plan, first, numbers, by_number)
        manifest = _publish(
            folder,
            plan,
            plan.parts[numbers[0]],
            inputs,
            [by_number[n] for n in numbers if n in by_number],
            selection,
            manifest,
            hold,
            wait_seconds,
        )
        done += inputs
    listed = tuple(
        PublishedInput(
            each.name,
            "replaced" if each.replaces else each.state,
            each.text,
            each.source_id if each.state == "added" else None,
            _code(each),
        )
        for each in done
    )
    return Published(manifest.generation, listed, return_codes.of_inputs([each.code for each in listed]))


def _code(each: Input) -> int:
    if each.state != "added":
        return each.code
    ledger = each.result.part.ledger
    code = return_codes.of_damage(
        records_decoded=ledger.all_decoded, input_bytes=ledger.bytes.input, damaged_bytes=ledger.bytes.damaged, damaged_records=ledger.records.damaged,
        limit_pct=return_codes.DAMAGE_LIMIT_PCT,
    )  # fmt: skip
    return return_codes.of_inputs([code, return_codes.WARNING if each.result.problem else 0])


def _selection(data: dict[str, Any]) -> Selection:
    moments = {name: data[name] and dt.datetime.fromisoformat(data[name]) for name in ("since", "until")}
    return Selection(data["types"], data["qmgrs"], moments["since"], moments["until"], data["lpars"])


def _joined(plan: Plan, first: int, numbers: Sequence[int], by_number: dict[int, Part]) -> list[Input]:
    """The inputs of parts that belong together, in the order of the plan; ranges of one input as one."""
    count = plan.parts[numbers[0]].inputs
    out = [Input(plan.inputs[first + i].name) for i in range(count)]
    missing = [number for number in numbers if number not in by_number]
    for each in out if missing else ():
        text = f"{each.name}: part {missing[0]} of the plan is missing{f', and {len(missing) - 1} more' if missing[1:] else ''}; write it and publish again."
        each.refuse(text, return_codes.UNUSABLE)
    for number in () if missing else numbers:
        for each, data in zip(out, by_number[number].inputs, strict=True):
            result = part_json.result(data["result"])
            if each.source_id not in (0, data["source_id"]):
                raise UsageError(
                    f"{each.name}: its parts were written with the numbers {each.source_id} and {data['source_id']}; write them with one."
                )
            each.source_id = data["source_id"]
            if data["state"] == "refused" and not each.state:
                each.refuse(data["text"], data["code"])
            if number == numbers[0]:
                each.result = result
            else:
                each.result.part.merge(result.part)
                each.result.size += result.size
    return out


def _publish(
    folder: Home, plan: Plan, planned: PlannedPart, inputs: Sequence[Input], parts: Sequence[Part], selection: Selection, manifest: Manifest, hold: Hold | None, wait_seconds: float
) -> Manifest:  # fmt: skip
    """Publish the inputs of parts that belong together."""
    decide(inputs, manifest, selection, hold)
    added = [each for each in inputs if each.state == "added"]
    if not added:
        return manifest
    if max(each.source_id for each in added) >= steps.known(folder).next_source_id:
        raise UsageError(
            f"{added[0].name}: the number {added[0].source_id} was not reserved in {folder}; call reserve first."
        )
    _open_sources(plan, planned, inputs, manifest)
    try:
        with publishing.staging(folder) as root:
            files = [_brought(each, root / f"{part.number:06d}") for part in parts for each in part.staged()]
            hashes = [_hashes(part) for part in parts]
            made = publish_inputs(
                folder, inputs, files, selection, root, manifest=manifest, hold=hold, wait_seconds=wait_seconds, hashes=hashes
            )  # fmt: skip
    except FileNotFoundError as error:
        # another publish of the same parts may have removed them
        decide(inputs, steps.load(folder) or Manifest(), selection)
        if any(each.state == "added" for each in inputs):
            raise DatasetError(f"{error.filename}: is missing, the part was removed; write it again.") from None
        return steps.load(folder) or manifest
    except OSError as error:
        if isinstance(error, PermissionError) and any(
            Path(error.filename).is_relative_to(part.folder) for part in parts
        ):
            raise DatasetError(f"{error.filename}: cannot be read ({error.strerror}); nothing was added.") from None
        raise write_failure(folder, "the parts could not be copied to it", error, "nothing of them was added") from None
    for part in parts:
        _remove(part)
    return made


def _remove(part: Part) -> None:
    """Remove the files of a published part, and its folders that are empty then: only what the part names, since its text may name any folder."""
    folder = Path(part.folder)
    files = [*(each.path for each in part.staged()), folder / HASHES]
    for path in files:
        with suppress(OSError):
            path.unlink()
    for each in sorted({path.parent for path in files} | {folder}, reverse=True):
        with suppress(OSError):
            each.rmdir()


def _hashes(part: Part) -> Hashes:
    """The hashes of the records of a part; DatasetError if the file was damaged."""
    path = Path(part.folder, HASHES)
    rows = sum(each.entry.rows for each in part.staged() if each.entry.table == "record")
    with suppress(ValueError, EOFError):
        hashes: Hashes = np.load(path)
        if hashes.dtype == np.uint64 and hashes.shape == (rows, 2):
            return hashes
    raise DatasetError(f"{path}: is not as it was written; write the part again.")


def _brought(each: Staged, root: Path) -> Staged:
    """A staged file on the file system of the dataset: a second name for it, or a copy."""
    target = root / each.entry.path
    target.parent.mkdir(parents=True, exist_ok=True)
    if each.path.stat().st_size != each.entry.bytes:
        raise DatasetError(f"{each.path}: is not as it was written; write the part again.")
    try:
        os.link(each.path, target)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copyfile(each.path, target)
        with target.open("rb+") as stream:
            os.fsync(stream.fileno())
    return Staged(target, each.entry)


def _open_sources(plan: Plan, part: PlannedPart, inputs: Sequence[Input], manifest: Manifest) -> None:
    """Open the dumps of a part again where the dataset has a shorter one of the name of one of them, which may be the beginning of it."""
    sizes = {each.name: each.result.size for each in inputs}
    if not any(entry.bytes < sizes.get(entry.name, 0) for entry in manifest.sources) or plan.uri == "-":
        return
    planned = plan.inputs[part.first : part.first + part.inputs]
    with suppress(UsageError):  # a dump that has gone or changed since then is compared with nothing
        for each, own, source in zip(inputs, planned, _sources(plan, part), strict=False):
            each.source = source if _stamp(source) == own.stamp else None
