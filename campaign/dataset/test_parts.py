"""Datasets that are written in parts: the same as `mqstat ingest` gives, whatever is written twice, lost, damaged or done at the same time."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import mqstat
from mqstat import parts
from mqstat.base.errors import DatasetError, UsageError
from mqstat.base.selection import Selection
from mqstat.cli import run
from mqstat.dataset import store
from mqstat.dataset.reservation import MOST_RECORDS
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures import bulk
from mqstat.fixtures.damage import overwrite
from mqstat.parsers.tables import table_schemas
from mqstat.sources.source import Source, find_sources
from tests.estates import judged
from tests.object_stores import hour
from tests.support import ROOT, file_of, small_dump

MIB = 1 << 20

IDS = {"source_id", "record_id", "first_record_id"}
"""Columns that may differ between datasets of the same dumps."""


def rows(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of every table in order, ids as the name of the source, the number of the record and the hash of the first record."""
    tables, files = {}, open_dataset(folder).files
    with duckdb.connect() as connection:
        for table, paths in files.items():
            connection.execute(f"CREATE VIEW {table} AS FROM read_parquet({[str(path) for path in paths]})")
        for table in files:
            schema = table_schemas()[table]
            names = ", ".join(f't."{name}"' for name in schema.names if name not in IDS)
            query = f"SELECT s.source_name, {names} FROM {table} AS t JOIN source AS s USING (source_id)"
            if table == "record":
                query = (
                    f"SELECT s.source_name, {names}, f.record_hash FROM record AS t JOIN source AS s USING (source_id) "
                    "LEFT JOIN record AS f ON f.record_id = t.first_record_id"
                )
            elif "record_id" in schema.names:
                query = (
                    f"SELECT s.source_name, r.record_number, {names} FROM {table} AS t JOIN source AS s USING (source_id) "
                    "LEFT JOIN record AS r USING (record_id)"
                )
            tables[table] = sorted(connection.execute(query).fetchall(), key=repr)
    return tables


def ledgers(folder: Path) -> list[tuple[str, int, Mapping[str, Any]]]:
    return sorted((s.name, s.records, s.ledger) for s in store.open_dataset(folder).manifest.sources)


def assert_same(first: Path, second: Path) -> None:
    """Both datasets have the same rows, ledgers and findings, and are clean."""
    mine, other = rows(first), rows(second)
    assert mine.keys() == other.keys()
    assert [name for name in mine if mine[name] != other[name]] == []
    assert ledgers(first) == ledgers(second)
    for folder in (first, second):
        assert verify(folder, rows=True).problems == []


def findings(folder: Path) -> list[dict[str, Any]]:
    """The outcome of every rule for every subject, with the name of the source and the number of the record instead of ids."""
    with mqstat.open_dataset(folder) as opened:
        names = {row["source_id"]: row["source_name"] for row in opened.view("source").to_pylist()}
        listed = opened.findings().to_pylist()
    for row in listed:
        if row["evidence_record_id"] is not None:
            row["evidence_record_id"] %= MOST_RECORDS
        row["evidence_source_id"] = names.get(row["evidence_source_id"])
    return sorted(listed, key=repr)


def published(dataset: Path, plan: parts.Plan, staging: Path, selection: Selection | None = None) -> parts.Published:
    """Reserve, write all parts and publish, each step through JSON."""
    plan = parts.Plan.from_json(plan.to_json())
    numbers = parts.Reservation.from_json(parts.reserve(dataset, plan).to_json())
    written = [parts.write(plan, n, numbers.of(plan, n), staging, selection) for n in range(len(plan.parts))]
    return parts.publish(dataset, plan, [parts.Part.from_json(each.to_json()) for each in reversed(written)])


def test_a_part_opens_its_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of a plan is not searched again for each part; members of archives are found by their number."""
    folder = tmp_path / "dumps"
    (folder / "lower").mkdir(parents=True)
    for name in ("a.smf", "b.smf", "lower/a.smf"):
        file_of(small_dump(), folder, name)
    with zipfile.ZipFile(folder / "z.zip", "w") as archive:
        for name in ("y.smf", "z.smf"):
            archive.write(folder / "a.smf", name)
    plan = parts.Plan.from_json(parts.plan(folder).to_json())
    assert [each.file for each in plan.inputs] == ["a.smf", "b.smf", "lower/a.smf", None, None]
    opened: list[str] = []

    def recorded(words: Sequence[str]) -> Iterator[Source]:
        opened.extend(words)
        yield from find_sources(words)

    monkeypatch.setattr("mqstat.api.parts.find_sources", recorded)
    one = [parts.PlannedPart(number, 1) for number in range(5)]
    plan = replace(plan, parts=tuple(one))
    for number, each in enumerate(plan.inputs):
        part = parts.write(plan, number, (number + 1,), tmp_path / "staging")
        assert [entry["name"] for entry in part.inputs] == [each.name]
    assert opened == [f"{folder}/{name}" for name in ("a.smf", "b.smf", "lower/a.smf")] + [str(folder)] * 2
    alone = parts.plan(folder / "b.smf")
    assert [each.file for each in alone.inputs] == [""]
    assert parts.write(alone, 0, (1,), tmp_path / "staging").inputs[0]["name"] == "b.smf"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dump of statistics with 115.5, 115.6 and 115.7, and accounting with continuations, between five and six MiB."""
    folder = tmp_path_factory.mktemp("large")
    return file_of(several(folder), folder, "large.smf")


def several(folder: Path, seed: int = 1) -> bytes:
    """Statistics and class 3 accounting."""
    data = b""
    for kind, size in (("statistics", 7 * MIB // 2), ("class3", 2 * MIB)):
        bulk.write(kind, folder / kind, size, seed=seed)
        data += (folder / kind).read_bytes()
    return data


@pytest.fixture(scope="module")
def ingested(large: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ingested") / "set"
    assert run(["ingest", str(large), "--into", str(folder), "--jobs", "1"]) == 0
    return folder


def test_one_part_is_what_ingest_gives(large: Path, ingested: Path, tmp_path: Path) -> None:
    done = published(tmp_path / "set", parts.plan(large), tmp_path / "staging")
    assert [(each.state, each.source_id, each.code) for each in done.inputs] == [("added", 1, 0)]
    assert_same(tmp_path / "set", ingested)
    assert list((tmp_path / "staging").iterdir()) == []


def test_ranges_are_what_ingest_gives(large: Path, ingested: Path, tmp_path: Path) -> None:
    plan = parts.plan(large, MIB)
    assert len(plan.parts) == 6
    assert published(tmp_path / "set", plan, tmp_path / "staging").return_code == 0
    assert_same(tmp_path / "set", ingested)


def test_findings_are_those_of_ingest(large: Path, tmp_path: Path) -> None:
    """Of estates in which many rules have a breach: small dumps together, a larger one in ranges, records that two dumps have, and damage."""
    dumps = tmp_path / "dumps"
    dumps.mkdir()
    contents = [judged(name).dump for name in ("collection", "rich_estate")]
    for number, data in enumerate(contents):
        file_of(data, dumps, f"d{number}.smf")
    file_of(overwrite(contents[0], len(contents[0]) // 2, b"\xff" * 3000), dumps, "damaged.smf")
    (dumps / "large.smf").hardlink_to(large)
    plan = parts.plan(dumps, 2 * MIB)
    assert len(plan.inputs) == 4
    assert len(plan.parts) > 4
    published(tmp_path / "set", plan, tmp_path / "staging")
    run(["ingest", str(dumps), "--into", str(tmp_path / "one"), "--jobs", "1"])
    assert_same(tmp_path / "set", tmp_path / "one")
    mine, other = findings(tmp_path / "set"), findings(tmp_path / "one")
    assert mine == other
    assert len({row["rule_id"] for row in mine if row["outcome"] == "breach"}) > 20


def test_damaged_borders(large: Path, tmp_path: Path) -> None:
    """Bytes around every border of the ranges are destroyed, and ranges end within damage."""
    data = large.read_bytes()
    for each in parts.plan(large, MIB).parts[1:]:
        data = overwrite(data, each.start - 150, os.urandom(300))
    path = file_of(data, tmp_path)
    run(["ingest", str(path), "--into", str(tmp_path / "one"), "--jobs", "1"])
    plan = parts.plan(path, MIB)
    done = published(tmp_path / "set", plan, tmp_path / "staging")
    assert done.inputs[0].code in (4, 12)
    assert len(plan.parts) > 4
    assert ledgers(tmp_path / "set")[0][2]["records"]["damaged"] > 0
    assert_same(tmp_path / "set", tmp_path / "one")


def test_small_dumps_share_files(tmp_path: Path) -> None:
    dumps = tmp_path / "dumps"
    dumps.mkdir()
    data = small_dump()
    for number in range(5):
        file_of(data[: len(data) - 18 * number], dumps, f"d{number}.smf")
    file_of(b"no dump " * 99, dumps, "text.smf")
    file_of(data, dumps, "twice.smf")
    plan = parts.plan(dumps)
    done = published(tmp_path / "set", plan, tmp_path / "staging")
    assert [each.state for each in done.inputs][-2:] == ["refused", "there"]
    assert done.return_code == 12
    assert "already in the dataset as source 1 (d0.smf)" in done.inputs[-1].text
    run(["ingest", str(dumps), "--into", str(tmp_path / "one")])
    assert_same(tmp_path / "set", tmp_path / "one")
    manifest = store.open_dataset(tmp_path / "set").manifest
    assert manifest.generation == 1
    assert all(len(entry.sources) > 1 for entry in manifest.files if entry.table == "record")
    assert_same(tmp_path / "set", tmp_path / "one")


def test_a_part_is_written_twice_and_published_twice(large: Path, ingested: Path, tmp_path: Path) -> None:
    """Retries and speculation: each attempt has files of its own, and only those of one are added."""
    plan, folder, staging = parts.plan(large, 2 * MIB), tmp_path / "set", tmp_path / "staging"
    numbers = parts.reserve(folder, plan)
    assert set(parts.reserve(folder, plan).source_ids).isdisjoint(numbers.source_ids)
    written = [parts.write(plan, n % 3, numbers.of(plan, n % 3), staging) for n in range(6)]
    assert len({each.folder for each in written}) == 6
    assert [each.state for each in parts.publish(folder, plan, written).inputs] == ["added"]
    again = parts.publish(folder, plan, written)
    assert [(each.state, each.code) for each in again.inputs] == [("there", 0)]
    assert parts.publish(folder, plan, []).inputs[0].state == "refused"
    assert_same(folder, ingested)


def test_a_missing_part_is_refused(large: Path, tmp_path: Path) -> None:
    plan, folder = parts.plan(large, 2 * MIB), tmp_path / "set"
    numbers = parts.reserve(folder, plan)
    written = [parts.write(plan, n, numbers.of(plan, n), tmp_path / "staging") for n in (0, 2)]
    done = parts.publish(folder, plan, written)
    assert (done.inputs[0].state, done.return_code) == ("refused", 12)
    assert "part 1 of the plan is missing" in done.inputs[0].text
    assert open_dataset(folder).manifest.sources == []
    written.append(parts.write(plan, 1, numbers.of(plan, 1), tmp_path / "staging"))
    assert parts.publish(folder, plan, written).inputs[0].state == "added"


def test_outcomes(tmp_path: Path, large: Path) -> None:
    folder, staging, data = tmp_path / "set", tmp_path / "staging", large.read_bytes()
    path = file_of(data[: 9 * MIB // 2], tmp_path, "grows.smf")
    waiting = parts.plan(path)
    numbers = parts.reserve(folder, waiting)
    written = parts.write(waiting, 0, numbers.of(waiting, 0), staging)
    done = parts.publish(folder, waiting, [written], hold=lambda each: "it may still grow.")
    assert [(each.state, each.text) for each in done.inputs] == [("held", "grows.smf: it may still grow.")]
    assert parts.publish(folder, waiting, [written]).inputs[0].state == "added"
    path.write_bytes(data)
    with pytest.raises(UsageError, match="has changed since it was planned"):
        parts.write(waiting, 0, 1, staging)
    done = published(folder, parts.plan(path, 2 * MIB), staging)
    assert [each.state for each in done.inputs] == ["replaced"]
    assert [source.bytes for source in store.open_dataset(folder).manifest.sources] == [len(data)]
    done = published(folder, parts.plan(path), staging, Selection(qmgrs="NONE"))
    assert (done.inputs[0].state, done.inputs[0].code) == ("refused", 12)
    run(["ingest", str(path), "--into", str(tmp_path / "one"), "--jobs", "1"])
    assert_same(folder, tmp_path / "one")


def test_a_dump_of_the_same_name_in_another_folder_replaces_nothing(tmp_path: Path) -> None:
    """Its content is that of the dump that was written, not of another one that the plan finds by the same name."""
    folder, staging = tmp_path / "set", tmp_path / "staging"
    before, other = hour(1), hour(2)
    published(folder, parts.plan(file_of(before, tmp_path, "day.smf")), staging)
    for name, data in (("a", other + hour(3)), ("b", before + other)):
        (tmp_path / "dumps" / name).mkdir(parents=True)
        file_of(data, tmp_path / "dumps" / name, "day.smf")
    plan = parts.plan(tmp_path / "dumps")
    assert len(plan.parts) == 2
    numbers = parts.reserve(folder, plan)
    first = parts.write(plan, 0, numbers.of(plan, 0), staging)
    assert [each.state for each in parts.publish(folder, plan, [first]).inputs] == ["added", "refused"]
    second = parts.write(plan, 1, numbers.of(plan, 1), staging)
    assert [each.state for each in parts.publish(folder, plan, [first, second]).inputs] == ["there", "replaced"]


def test_what_cannot_be_ranged_states_why(tmp_path: Path, large: Path) -> None:
    import gzip
    import tarfile

    packed = file_of(gzip.compress(large.read_bytes(), 1), tmp_path, "packed.gz")
    archive = tmp_path / "all.tar"
    with tarfile.open(archive, "w") as tar:
        tar.add(large, "large.smf")
    whole = [parts.plan(path, MIB).inputs[0].whole for path in (packed, archive, "-")]
    assert whole == ["It is compressed.", "It is in an archive.", "Standard input can be read once."]
    assert parts.plan(large).inputs[0].whole == "No ranges were asked for."
    assert [len(parts.plan(path, MIB).parts) for path in (packed, archive)] == [1, 1]
    for path, name in ((packed, "gz"), (archive, "tar")):
        done = published(tmp_path / name, parts.plan(path, MIB), tmp_path / "staging")
        assert [each.state for each in done.inputs] == ["added"]


def test_wrong_uses_are_one_sentence(large: Path, tmp_path: Path) -> None:
    plan = parts.plan(large, 2 * MIB)
    for action, text in (
        (lambda: parts.plan(large, 10), "Ranges of 10 bytes"),
        (lambda: parts.plan("ftp://host/dump"), "ftp:// is not read"),
        (lambda: parts.write(plan, 9, 1, tmp_path), "has no part 9"),
        (lambda: parts.write(plan, 0, (1, 2), tmp_path), "has 1 input, but 2 numbers"),
        (lambda: parts.write(plan, 0, 1, tmp_path, Selection(tasks=[("transaction", "x")])), "not of some tasks"),
        (lambda: parts.Plan.from_json("{}"), "not the JSON of a plan"),
        (lambda: parts.Part.from_json('{"files": 1}'), "not the JSON of a part"),
        (lambda: parts.publish(tmp_path / "set", parts.plan(large), [parts.write(plan, 0, 1, tmp_path / "s")]), "is not one of this plan"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=text):
            action()
    written = [parts.write(plan, n, 77, tmp_path / "s") for n in range(3)]
    with pytest.raises(UsageError, match="was not reserved"):
        parts.publish(tmp_path / "set", plan, written)
    numbers = parts.reserve(tmp_path / "set", plan)
    written = [parts.write(plan, n, numbers.of(plan, n), tmp_path / "s") for n in range(3)]
    next(Path(written[1].folder).rglob("record/*.parquet")).unlink()
    with pytest.raises(DatasetError, match="write it again"):
        parts.publish(tmp_path / "set", plan, written)
    assert open_dataset(tmp_path / "set").manifest.sources == []


def test_numbers_that_reserve_never_gives_are_refused(tmp_path: Path) -> None:
    (tmp_path / "dumps").mkdir()
    for number in range(2):
        file_of(small_dump(), tmp_path / "dumps", f"{number}.smf")
    plan = parts.plan(tmp_path / "dumps")
    for numbers in ((0, 1), (-2, -1), (1, 1), (2, 1)):
        with pytest.raises(UsageError, match=r"^Part 0 cannot have the numbers .* use those of reserve\.$"):
            parts.write(plan, 0, numbers, tmp_path / "staging")
    with pytest.raises(UsageError, match="There is no framing rwd; did you mean rdw"):
        parts.plan(tmp_path / "dumps", framing="rwd")


def test_dumps_with_the_same_content_keep_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "dumps").mkdir()
    for number in range(3):
        file_of(small_dump(), tmp_path / "dumps", f"{number}.smf")
    plan = parts.plan(tmp_path / "dumps")
    assert [parts.reserve(tmp_path / "set", plan).source_ids for _ in range(2)] == [(1, 2, 3), (4, 5, 6)]
    done = published(tmp_path / "set", plan, tmp_path / "staging")
    assert [(each.state, each.source_id) for each in done.inputs] == [("added", 7), ("there", None), ("there", None)]


def test_a_part_of_another_version_is_refused(tmp_path: Path) -> None:
    """Workers may have another mqstat than the job that publishes."""
    plan = parts.plan(file_of(small_dump(), tmp_path, "a.smf"))
    numbers = parts.reserve(tmp_path / "set", plan)
    part = parts.write(plan, 0, numbers.of(plan, 0), tmp_path / "staging")
    other = replace(part, schema_version=part.schema_version + 1)
    with pytest.raises(UsageError, match=rf"^Part 0 has schema version {other.schema_version}, .* for all steps\.$"):
        parts.publish(tmp_path / "set", plan, [other])
    assert open_dataset(tmp_path / "set").manifest.sources == []


def test_hashes_that_are_not_as_written_are_refused(tmp_path: Path) -> None:
    plan = parts.plan(file_of(small_dump(), tmp_path, "a.smf"))
    numbers = parts.reserve(tmp_path / "set", plan)
    part = parts.write(plan, 0, numbers.of(plan, 0), tmp_path / "staging")
    path = Path(part.folder, part.hashes)
    whole = path.read_bytes()
    for data in (b"", b"no hashes", whole[:-16], whole[:40]):
        path.write_bytes(data)
        with pytest.raises(DatasetError, match=r"hashes\.npy: is not as it was written; write the part again\.$"):
            parts.publish(tmp_path / "set", plan, [part])
    np.save(path, np.load(io.BytesIO(whole))[1:])
    with pytest.raises(DatasetError, match="is not as it was written"):
        parts.publish(tmp_path / "set", plan, [part])
    path.write_bytes(whole)
    assert [each.state for each in parts.publish(tmp_path / "set", plan, [part]).inputs] == ["added"]


def test_a_part_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs may run as different users."""
    plan = parts.plan(file_of(small_dump(), tmp_path, "a.smf"))
    numbers = parts.reserve(tmp_path / "set", plan)
    part = parts.write(plan, 0, numbers.of(plan, 0), tmp_path / "staging")

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(np, "load", refuse)
    with pytest.raises(DatasetError, match=rf"^{part.folder}/hashes\.npy: cannot be read \(Permission denied\);"):
        parts.publish(tmp_path / "set", plan, [part])


def test_a_command_names_the_file_with_another_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = parts.plan(file_of(small_dump(), tmp_path, "a.smf"))
    file_of(plan.to_json().encode(), tmp_path, "plan.json")
    for name, data in (("empty.json", b""), ("plan.json", b""), ("cut.json", plan.to_json()[:-9].encode())):
        path = tmp_path / name if name == "plan.json" else file_of(data, tmp_path, name)
        command = ["parts", "publish", str(tmp_path / "plan.json"), str(path), "--into", str(tmp_path / "set")]
        assert run(command) == 16
        text = f"mqstat: {path}: This is not the JSON of a part of mqstat parts, or it is cut off.\n"
        assert capsys.readouterr().err == text
    assert not (tmp_path / "set").exists()


def test_why_a_dump_cannot_be_read_now(tmp_path: Path) -> None:
    plan = parts.plan(file_of(small_dump(), tmp_path, "a.smf"))
    (tmp_path / "a.smf").unlink()
    with pytest.raises(
        UsageError, match=r"^a\.smf has changed since it was planned, or cannot be read now: .*a\.smf does not exist\.$"
    ):
        parts.write(plan, 0, 1, tmp_path / "staging")


def test_changed_json_is_refused(tmp_path: Path) -> None:
    """Every value of the three texts, changed or removed; the same JSON with other spaces and order is accepted."""
    plan = parts.plan(file_of(small_dump(), tmp_path, "a.smf"))
    numbers = parts.reserve(tmp_path / "set", plan)
    part = parts.write(plan, 0, numbers.of(plan, 0), tmp_path / "staging")
    count = 0
    others: tuple[Any, ...] = (None, -1, "x", [], {}, 1 << 70)
    for made in (plan, numbers, part):
        data = json.loads(made.to_json())
        assert type(made).from_json(json.dumps(dict(reversed(data.items())), indent=2)) == type(made).from_json(
            made.to_json()
        )
        for holder, key in list(places(data)):
            kept = holder[key]
            for other in others:
                if other == kept:
                    continue
                holder[key] = other
                with pytest.raises(UsageError, match=r"was changed|not the JSON"):
                    type(made).from_json(json.dumps(data))
                count += 1
            del holder[key]
            with pytest.raises(UsageError, match=r"was changed|not the JSON"):
                type(made).from_json(json.dumps(data))
            if isinstance(holder, list):
                holder.insert(key, kept)
            else:
                holder[key] = kept
        for cut in (1, len(made.to_json()) // 2):
            with pytest.raises(UsageError, match="not the JSON"):
                type(made).from_json(made.to_json()[:-cut])
    assert count > 500


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Each list or object with each of its keys."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield data, key
        if isinstance(value, (dict, list)):
            yield from places(value)


def test_publish_removes_only_the_files_of_the_part(tmp_path: Path) -> None:
    """The folder of a part is a text of JSON that may name any folder."""
    plan = parts.plan(file_of(small_dump(), tmp_path, "a.smf"))
    numbers = parts.reserve(tmp_path / "set", plan)
    written = [parts.write(plan, 0, numbers.of(plan, 0), tmp_path / "staging") for _ in range(2)]
    own = Path(written[0].folder, "record", "notes.txt")
    own.write_text("not of the part")
    (Path(written[0].folder) / "empty").mkdir()
    assert [each.state for each in parts.publish(tmp_path / "set", plan, written).inputs] == ["added"]
    left = sorted(str(path.relative_to(written[0].folder)) for path in Path(written[0].folder).rglob("*"))
    assert left == ["empty", "record", "record/notes.txt"]
    assert Path(written[1].folder, "hashes.npy").exists(), "another attempt is left to its owner"


def test_the_order_of_the_plan_decides_which_record_stays(large: Path, tmp_path: Path) -> None:
    """Of two dumps with equal records, in whatever order their parts arrive."""
    folder = tmp_path / "dumps"
    folder.mkdir()
    data = large.read_bytes()
    cut = parts.plan(large, 3 * MIB).parts[1].start
    file_of(data[:cut], folder, "b.smf")
    file_of(data, folder, "a.smf")
    file_of(data, folder, "c.smf")
    done = published(tmp_path / "set", parts.plan(folder), tmp_path / "staging")
    assert [(each.name, each.state) for each in done.inputs] == [
        ("a.smf", "added"),
        ("b.smf", "added"),
        ("c.smf", "there"),
    ]
    run(["ingest", str(folder), "--into", str(tmp_path / "one"), "--jobs", "1"])
    assert_same(tmp_path / "set", tmp_path / "one")


def test_commands(large: Path, ingested: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def output(*words: object) -> tuple[int, str]:
        code = run(["parts", *map(str, words)])
        return code, capsys.readouterr().out

    def stored(name: str, *words: object) -> Path:
        code, text = output(*words)
        assert code == 0
        path = tmp_path / name
        path.write_text(text)
        return path

    plan = stored("plan.json", "plan", large, "--range-bytes", 3 * MIB)
    numbers = stored("numbers.json", "reserve", plan, "--into", tmp_path / "set")
    options = ("--reservation", numbers, "--staging", tmp_path / "staging")
    files = [stored(f"part{n}.json", "write", plan, n, *options) for n in range(2)]
    code, text = output("publish", plan, files[0], "--into", tmp_path / "set")
    assert (code, json.loads(text)["inputs"][0]["state"]) == (12, "refused")
    code, text = output("publish", plan, *files, "--into", tmp_path / "set")
    assert (code, json.loads(text)["inputs"][0]["state"]) == (0, "added")
    assert_same(tmp_path / "set", ingested)


def _job(dump: Path, folder: Path, staging: Path) -> None:
    """What one of many jobs does: plan, reserve, write, publish."""
    done = published(folder, parts.plan(dump, 4 * MIB), staging)
    assert {each.state for each in done.inputs} <= {"added", "there"}


def test_eight_processes_at_once(tmp_path: Path) -> None:
    """Dumps that overlap, one of them twice: each record counts once, and each content is added once."""
    paths = [file_of(several(tmp_path, number), tmp_path, f"d{number}.smf") for number in range(3)]
    whole = paths[0].read_bytes()
    cuts = [each.start for each in parts.plan(paths[0], MIB).parts]
    contents = [
        whole[cuts[2] :],
        *(whole[: cuts[number]] for number in (1, 3)),
        whole,
        whole[: cuts[4]] + whole[cuts[1] :],
    ]
    paths += [file_of(content, tmp_path, f"e{number}.smf") for number, content in enumerate(contents)]
    folder = tmp_path / "set"
    context = multiprocessing.get_context("spawn")
    jobs = [context.Process(target=_job, args=(path, folder, tmp_path / "staging")) for path in paths]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert [job.exitcode for job in jobs] == [0] * 8
    assert verify(folder, rows=True).problems == []
    one = tmp_path / "one"
    run(["ingest", *map(str, paths), "--into", str(one), "--jobs", "1"])
    for query in (
        "SELECT count(*), sum(smf_type), count(DISTINCT record_hash) FROM '{}/record/*.parquet' WHERE first_record_id IS NULL",
        "SELECT count(*), sum(buffers) FROM '{}/qpst/*.parquet'",
    ):
        with duckdb.connect() as connection:
            assert (
                connection.execute(query.format(folder)).fetchall() == connection.execute(query.format(one)).fetchall()
            )
    assert not (folder / "_staging").exists()


def test_a_killed_worker_and_a_killed_publish(large: Path, ingested: Path, tmp_path: Path) -> None:
    plan, folder, staging = parts.plan(large, 2 * MIB), tmp_path / "set", tmp_path / "staging"
    numbers = parts.reserve(folder, plan)
    (tmp_path / "plan.json").write_text(plan.to_json())
    script = (
        "import sys; from pathlib import Path; from mqstat import parts\n"
        "plan = parts.Plan.from_json(Path(sys.argv[1]).read_text())\n"
        "written = [parts.write(plan, n, int(sys.argv[4]), sys.argv[3]) for n in range(len(plan.parts))]\n"
        "parts.publish(sys.argv[2], plan, written)\n"
    )
    words = [
        sys.executable,
        "-c",
        script,
        str(tmp_path / "plan.json"),
        str(folder),
        str(staging),
        str(numbers.source_ids[0]),
    ]
    for seconds in (0.6, 0.9, 1.2, 1.5, 1.8):
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
            time.sleep(seconds)
            process.send_signal(signal.SIGKILL)
    done = published(folder, plan, staging)
    assert done.inputs[0].state in ("added", "there")
    assert_same(folder, ingested)
    assert not (folder / "_staging").exists()


def test_the_page_works(large: Path, ingested: Path, tmp_path: Path) -> None:
    """The examples of docs/parts.md, from top to bottom, with six MiB instead of a large dump."""
    text = (ROOT / "docs" / "parts.md").read_text()
    python, commands = (text.split(f"```{kind}\n")[1].split("```")[0] for kind in ("python", "sh"))
    for name in ("python", "sh"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "friday.smf").write_bytes(large.read_bytes())
    done = subprocess.run(
        [sys.executable, "-c", python], cwd=tmp_path / "python", capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("added 0\n", "")
    plan = parts.plan(large, MIB)
    (line,) = (line for line in commands.splitlines() if " write plan.json 1 " in line)
    others = [line.replace(" 1 ", f" {n} ").replace("part1", f"part{n}") for n in range(2, len(plan.parts))]
    commands = commands.replace(line, "\n".join([line, *others])).replace("part0.json part1.json", "part?.json")
    tool = f'mqstat() {{ {sys.executable} -m mqstat "$@"; }}\nset -e\n'
    done = subprocess.run(
        ["bash", "-c", tool + commands], cwd=tmp_path / "sh", capture_output=True, text=True, check=False
    )
    assert json.loads(done.stdout)["inputs"][0]["state"] == "added", done.stderr
    for name in ("python", "sh"):
        mine, other = rows(tmp_path / name / "dataset"), rows(ingested)
        assert all(len(mine[table]) == len(other[table]) for table in other)
