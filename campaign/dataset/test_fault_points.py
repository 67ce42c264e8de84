"""A full disk and a kill at every call by which an ingest or a prune changes the dataset: afterwards it is the old or the new dataset, nothing in between."""

from __future__ import annotations

import dataclasses
import datetime as dt
import errno
import os
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from mqstat.base.errors import DatasetError, write_failure
from mqstat.cli import run
from mqstat.dataset import compact as compacting
from mqstat.dataset import folders, log, publishing, store
from mqstat.dataset import prune as pruning
from mqstat.dataset.manifest import Change, Manifest, SourceEntry
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.dataset.writer import WrittenFile
from mqstat.fixtures import accounting
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.intake import ingest as ingesting
from tests.fault_points import copied, hooked
from tests.support import file_of, unknown_record

Step = Callable[[Path], None]

APPENDED = [
    "write manifest.jsonl",
    "fsync manifest.jsonl",
    "write part of manifest.head.json",
    "fsync part of manifest.head.json",
    "replace manifest.head.json",
    "unlink part of manifest.head.json",
    "fsync dataset",
]
"""How the log grows: the last calls of everything that changes a dataset."""

MOVED = {
    "fsync data",
    "dump journal",
    "fsync journal.json",
    "fsync staging",
    "fsync dataset",
    "mkdir table folder",
    "replace data",
    "fsync table folder",
}
"""What publishing does before that."""

EXCHANGED = {"link data", "exchanged table folder"}
"""How a folder changes that loses files or gets several."""

AFTER = {"unlink journal.json", "rmdir staging"}
"""What follows when the change is published."""

STARTS = (dt.datetime(2026, 3, 28, 12), dt.datetime(2026, 3, 29, 12))
"""When the intervals of the dumps start."""


def first_dump(name: str = "MQ01") -> bytes:
    """A dump of few tables with rows of two days: every call by which it becomes a dataset fails once, and the costs grow with the square of the calls."""
    owner = QueueManager(name, gmt_offset_minutes=0)
    return dump([accounting.channels(owner, start, 1800, ("A.TO.B",)) for start in STARTS])


def second_dump() -> bytes:
    """A dump of the same days, also with a table that the first one does not have."""
    owner = QueueManager("MQ02", gmt_offset_minutes=0)
    return first_dump(owner.name) + dump([unknown_record(owner, start) for start in STARTS])


def dump(records: list[bytes]) -> bytes:
    """A dump of these records only: those of its begin and end are in a table of their own."""
    return smf_file(records, spanned="vbs", dump_header=False, trailer=False)


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Step]:
    """A dataset of one source with a second one staged, and the step that publishes that."""
    work = tmp_path_factory.mktemp("staged")
    first, second = file_of(first_dump(), work, "first.smf"), file_of(second_dump(), work, "second.smf")
    folder = work / "set"
    assert run(["ingest", str(first), "--into", str(folder)]) == 0
    kept: list[tuple[Manifest, Change, list[tuple[Path, str]]]] = []
    publish_change = publishing.publish

    def stop(_: Path, manifest: Manifest, change: Change, files: list[tuple[Path, str]]) -> Manifest:
        kept.append((manifest, change, [(root.relative_to(folder), path) for root, path in files]))
        shutil.copytree(folder, work / "copy")
        raise DatasetError("staged")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(publishing, "publish", stop)
        assert run(["ingest", str(second), "--into", str(folder)]) == 16
    manifest, change, files = kept[0]
    entries = {entry.path: entry for entry in change.add}

    def publish(target: Path) -> None:
        try:
            for root in {root for root, _ in files}:
                own = [entries[path] for of, path in files if of == root]
                written = [WrittenFile(e.table, e.path, e.rows, e.bytes, sources=dict(e.sources)) for e in own]
                assert publishing.settled(target / root, written) == tuple(own)
        except OSError as error:
            raise write_failure(target, "could not be published", error, "the dataset is unchanged") from None
        publish_change(target, manifest, change, [(target / root, path) for root, path in files])

    return work / "copy", publish


@pytest.fixture(scope="module")
def unmerged(staged: tuple[Path, Step], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of two sources with rows of the same days."""
    folder = tmp_path_factory.mktemp("unmerged") / "set"
    shutil.copytree(staged[0], folder)
    with store.writing(folder):
        pass
    second = file_of(first_dump() * 2, folder.parent, "second.smf")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingesting, "merge_as_it_grows", lambda _, manifest, **__: manifest)
        assert run(["ingest", str(second), "--into", str(folder)]) == 0
    return folder


@pytest.fixture(params=["publish", "replace", "prune", "compact", "create", "append"])
def step(
    request: pytest.FixtureRequest, staged: tuple[Path, Step], unmerged: Path, tmp_path: Path
) -> tuple[Path, Step]:
    """A dataset, and a step that changes it: one for every way in which a dataset changes."""
    folder, publish = staged
    if request.param == "compact":

        def compact(target: Path) -> None:
            compacting.compact(target)

        return unmerged, compact
    if request.param == "publish":
        return folder, publish
    start = Path(shutil.copytree(folder, tmp_path / "start"))
    shutil.rmtree(start / publishing.STAGING)

    def prune(target: Path) -> None:
        pruning.prune(target, STARTS[1].date())

    def write(target: Path) -> None:
        """Cut off an incomplete line; then add a source without files."""
        with store.writing(target) as manifest:
            source = dataclasses.replace(source_of(target), source_id=9, sha256="0" * 64, first_record_id=99)
            source = dataclasses.replace(source, pruned_records=source.ledger["selected_mq_records"])
            publishing.publish(target, manifest, Change("ingest", sources=(source,)))

    if request.param in ("prune", "append"):
        if request.param == "append":
            with (start / log.NAME).open("a") as stream:
                stream.write('{"generation":2,"time_')
        return start, prune if request.param == "prune" else write
    manifest = open_dataset(start).manifest
    staging = start / publishing.STAGING
    if request.param == "create":
        shutil.copytree(start, tmp_path / "staging")
        for name in (log.NAME, log.HEAD):
            (start / name).unlink()
        for path in {entry.table for entry in manifest.files}:
            shutil.rmtree(start / path)
        shutil.move(tmp_path / "staging", staging)
        change = Change("ingest", tuple(manifest.files), sources=tuple(manifest.sources))
        manifest = Manifest()
    else:  # a longer copy of the only source, with the same rows under other names
        entries = [
            dataclasses.replace(entry, path=entry.path.replace("s000001", "s000002"), sources=((2, entry.rows),))
            for entry in manifest.files
        ]
        for entry, old in zip(entries, manifest.files, strict=True):
            (staging / entry.path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(start / old.path, staging / entry.path)
        source = dataclasses.replace(manifest.sources[0], source_id=2, sha256="0" * 64)
        retire = tuple(entry.path for entry in manifest.files)
        change = Change("ingest", tuple(entries), retire, (source,), (1,))

    def publish_all(target: Path) -> None:
        files = [(target / publishing.STAGING, entry.path) for entry in change.add]
        publishing.publish(target, manifest, change, files)

    return start, publish_all


def source_of(folder: Path) -> SourceEntry:
    """The first source of a dataset."""
    return open_dataset(folder).manifest.sources[0]


def seen(folder: Path) -> tuple[list[int], int, int]:
    manifest = log.load(folder) or Manifest()
    return (
        [source.source_id for source in manifest.sources],
        sum(entry.rows for entry in manifest.files),
        len(manifest.files),
    )


def no_link(*_: object) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")


@pytest.mark.parametrize("system", ["", "no exchange", "no link"])
@pytest.mark.parametrize("fault", ["full", "kill", "torn"])
def test_the_dataset_is_the_old_one_or_the_new_one(
    step: tuple[Path, Step], fault: str, system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """kill: one run, and the dataset as every call finds it, which is what a process leaves that is killed there; torn: such a process.

    Also on systems that cannot exchange two folders, or where a file cannot have two names.
    """
    folder, act = step
    if system:
        if act.__name__ not in ("publish_all", "compact", "prune"):
            pytest.skip("no folder is replaced")
        monkeypatch.setattr(folders, "exchanged", lambda *_: False)
    if system == "no link":
        monkeypatch.setattr(os, "link", no_link)
    count = tmp_path / "count"
    copied(folder, count)
    with pytest.MonkeyPatch.context() as patch:
        calls = hooked(patch, lambda number: copied(count, tmp_path / str(number)) if fault == "kill" else None)
        act(count)
    old, new = seen(folder), seen(count)
    assert old != new
    changing = [call for call in calls if call not in AFTER]
    assert changing[-len(APPENDED) :] == APPENDED
    if act.__name__ in ("publish", "publish_all", "compact"):
        absent = {"publish": (), "publish_all": ("fsync data", *EXCHANGED), "compact": ("link data",)}
        assert {*calls} >= (MOVED | EXCHANGED).difference(absent[act.__name__])
    outcomes = set()
    for number, name in enumerate(calls, 1):
        if fault == "torn" and not name.startswith("write"):
            continue
        work = tmp_path / str(number)
        if fault != "kill":
            copied(folder, work)
        failed = full_at(act, work, number) if fault == "full" else False
        if fault == "torn":
            torn_at(act, work, number)
        became = seen(work)
        outcomes.add(became == new)
        assert became in (old, new), number
        assert problems(work) == [], number
        if failed:
            assert publishing.foreign(work, log.load(work) or Manifest()) == [], number
        if fault == "full":
            shutil.rmtree(
                work / publishing.STAGING, ignore_errors=True
            )  # as `ingest` does at its end; a kill leaves it for the next writer
        with store.writing(work):
            pass
        assert problems(work) == [], number
        assert publishing.foreign(work, log.load(work) or Manifest()) == [], number
        shutil.rmtree(work)
    assert outcomes == {False, True}


def problems(folder: Path) -> list[str]:
    """The problems of a dataset; [] for a folder that is not one yet."""
    return verify(folder).problems if log.load(folder) is not None else []


def full_at(act: Step, work: Path, number: int) -> bool:
    def full(count: int) -> None:
        if count == number:
            raise OSError(28, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:
        hooked(patch, full)
        message = None
        try:
            act(work)
        except DatasetError as error:
            message = str(error)
    assert message is None or ("No space left" in message and "\n" not in message)
    return message is not None


def torn_at(act: Step, work: Path, number: int) -> None:
    """Kill a step after half of the bytes of a write."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child neither uses threads of the parent nor returns
        child = os.fork()
    if child == 0:
        patch = pytest.MonkeyPatch()
        hooked(patch, lambda count: os._exit(9) if count == number else None, torn=number)
        try:
            act(work)
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
