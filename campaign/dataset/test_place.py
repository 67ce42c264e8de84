"""A dataset in an object store: the same rows and findings as in a folder, whoever writes at the same time, is killed, or gets no answer."""

from __future__ import annotations

import datetime as dt
import io
import json
import re
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mqstat
from mqstat import parts
from mqstat.base.errors import MqstatError
from mqstat.base.object_store import StoredFile
from mqstat.base.selection import Selection
from mqstat.cli import run
from mqstat.dataset import compact as compacting
from mqstat.dataset import generations, log
from mqstat.dataset.folders import HOURS
from mqstat.dataset.place import LOG, RESERVED, ObjectPlace, line_path
from mqstat.dataset.reservation import first_record_id
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.ingest import ingest
from mqstat.sources.source import sources_of_file
from tests.object_stores import faulty, hooked, in_folder
from tests.support import Tables, difference, file_of, plain, small_dump

URI = "s3://test/set"


def hour(number: int) -> bytes:
    """The records of one hour of one queue manager; hour 24 is the first of the second day."""
    owner = QueueManager("MQ01", "SYSA")
    begin = dt.datetime(2026, 3, 28) + dt.timedelta(hours=number)
    return smf_file(owner.interval(begin, 3600, kinds=(1, 215)))


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ObjectPlace:
    return in_folder(monkeypatch, tmp_path / "objects")


@pytest.fixture(params=["a store", "a store that never answers a put"])
def either(request: pytest.FixtureRequest, place: ObjectPlace, monkeypatch: pytest.MonkeyPatch) -> ObjectPlace:
    if "never" in request.param:
        faulty(monkeypatch)
    return place


@pytest.fixture
def dumps(tmp_path: Path) -> list[Path]:
    return [file_of(hour(number), tmp_path, f"h{number}.smf") for number in (21, 22, 23, 24, 25)]


def tables_of(home: Path | ObjectPlace) -> Tables:
    """The rows of a dataset, in the order of the record ids."""
    out = {}
    for name, files in open_dataset(home).files.items():
        parts = []
        for file in files:
            with pq.ParquetFile(file.open_ranges() if isinstance(file, StoredFile) else file) as opened:
                parts.append(plain(opened.read()))
        rows = pa.concat_tables(parts).combine_chunks()
        keys = [(each, "ascending") for each in rows.column_names[:4]]
        out[name] = rows.sort_by(keys)
    return out


def ingested(*dumps: Path, into: str = URI) -> int:
    return run(["ingest", *map(str, dumps), "--into", into])


@pytest.fixture
def folder(dumps: list[Path], tmp_path: Path) -> Path:
    assert ingested(*dumps, into=str(tmp_path / "folder")) == 0
    return tmp_path / "folder"


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    capsys.readouterr()
    code = run(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out + captured.err


# ------------------------------------------------------------------------------------------------------------------- as a folder


def test_reports_and_findings_are_those_of_a_folder(
    place: ObjectPlace, folder: Path, dumps: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ingested(*dumps) == 0
    for command in (["report"], ["check"], ["map"], ["report", "--report", "application/chargeback"]):
        assert output(capsys, *command, "--from", URI) == output(capsys, *command, "--from", str(folder))
    assert output(capsys, "verify", URI, "--against", str(dumps[0]))[0] == 0


def test_two_days_a_record_and_a_finding_are_those_of_a_folder(
    place: ObjectPlace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What compares, traces and proves reads a store as it reads a folder."""
    dump = file_of(SCENARIOS["pool_exhausted"].build(), tmp_path, "pool.smf")
    folder = str(tmp_path / "folder")
    assert ingested(dump) == ingested(dump, into=folder) == 0
    with mqstat.open_dataset(folder) as local:
        days = local.sql("SELECT DISTINCT written_local::DATE::VARCHAR AS day FROM decoded.record ORDER BY day")[
            "day"
        ].to_pylist()
        (found,) = local.sql("SELECT min(qmgr) AS q FROM finding WHERE rule_id = 'BP002' AND outcome = 'breach'")[
            "q"
        ].to_pylist()
        (record,) = local.sql("SELECT max(record_id) AS id FROM decoded.record")["id"].to_pylist()
    for command in (
        ["compare", days[0], days[-1]],
        ["trace", str(dump), str(record)],
        ["prove", f"BP002/{found}", "--dump", str(dump)],
    ):
        stored = output(capsys, *command, "--from", URI)
        assert stored == output(capsys, *command, "--from", folder)
        assert stored[0] == 0, stored
    stored, local_text = (output(capsys, "compare", each, each, "--format", "json") for each in (URI, folder))
    assert stored[0] == local_text[0] == 0, stored
    assert output(capsys, "compare", URI, "s3://test/none")[0] == 12
    ObjectPlace("s3://test/dumps").create("pool.smf", dump)
    both = [
        output(capsys, "compare", each, each, "--format", "json") for each in ("s3://test/dumps/pool.smf", str(dump))
    ]
    assert both[0] == both[1]
    assert both[0][0] == 0
    assert output(capsys, "trace", "--from", URI, str(dump), "7777")[0] == 16


def test_rows_are_those_of_a_folder(
    either: ObjectPlace, folder: Path, dumps: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ingested(*dumps) == 0
    assert difference(tables_of(either), tables_of(folder)) == []
    query = "SELECT lpar, qmgr, count(*) FROM record WHERE record_id > 2 GROUP BY ALL"
    assert output(capsys, "sql", query, "--from", URI) == output(capsys, "sql", query, "--from", str(folder))
    code, text = output(capsys, "verify", URI, "--rows")
    assert (code, text.splitlines()[-1]) == (0, output(capsys, "verify", str(folder), "--rows")[1].splitlines()[-1])


def test_the_same_dumps_again_change_nothing(
    either: ObjectPlace, dumps: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ingested(*dumps) == 0
    before = open_dataset(either).manifest
    code, text = output(capsys, "ingest", *map(str, dumps), "--into", URI)
    assert code == 0
    assert text.count("already in the dataset") == len(dumps) + 1
    assert open_dataset(either).manifest == before


def test_records_that_two_dumps_have_count_once(either: ObjectPlace, tmp_path: Path) -> None:
    first, second = (
        file_of(data, tmp_path, name) for data, name in ((hour(1) + hour(2), "a"), (hour(2) + hour(3), "b"))
    )
    assert ingested(first, second) == ingested(first, second, into=str(tmp_path / "folder")) == 0
    assert difference(tables_of(either), tables_of(tmp_path / "folder")) == []
    outcomes = tables_of(either)["record"]["outcome"].to_pylist()
    assert outcomes.count("duplicate") > 0


def test_a_longer_copy_replaces_the_shorter_one(either: ObjectPlace, tmp_path: Path) -> None:
    data = small_dump()
    for part in (data, data * 2):
        file_of(part, tmp_path, "dump.smf")
        assert ingested(tmp_path / "dump.smf") == ingested(tmp_path / "dump.smf", into=str(tmp_path / "folder")) == 0
    assert difference(tables_of(either), tables_of(tmp_path / "folder")) == []
    assert [source.source_id for source in open_dataset(either).manifest.sources] == [2]


def test_days_are_pruned_and_files_merged(
    either: ObjectPlace, folder: Path, dumps: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ingested(*dumps) == 0
    for command in (["compact"], ["prune", "--before", "2026-03-29"]):
        code, text = output(capsys, *command, "--from", URI)
        local_code, local_text = output(capsys, *command, "--from", str(folder))
        assert (code, text) == (local_code, local_text.replace("_retired keeps", "the store keeps")), text
        assert difference(tables_of(either), tables_of(folder)) == []
        assert verify(either).problems == []


def test_chain_and_signature_are_checked_as_in_a_folder(
    either: ObjectPlace, dumps: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import subprocess

    key, public = tmp_path / "key.pem", tmp_path / "public.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True, capture_output=True)
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True, capture_output=True)
    key.chmod(0o600)
    assert ingested(dumps[0]) == 0
    assert output(capsys, "verify", URI, "--public-key", str(public))[0] == 12
    assert output(capsys, "sign", URI, "--key", str(key))[0] == 0
    assert output(capsys, "verify", URI, "--public-key", str(public))[0] == 0
    assert ingested(dumps[1]) == 0
    assert output(capsys, "verify", URI, "--public-key", str(public))[0] == 12
    # a line that is changed, and a last line that is removed
    path = line_path(1)
    line = either.read(path) or b""
    either.create(path, line.replace(b"h21.smf", b"h20.smf"))
    code, text = output(capsys, "verify", URI)
    assert code == 16
    assert "checksum" in text
    either.create(path, line)
    last = line_path(open_dataset(either).manifest.generation)
    either.delete([last])
    code, text = output(capsys, "verify", URI)
    assert code == 16
    assert "its last lines are missing" in text


def test_a_changed_missing_or_added_object_is_reported(place: ObjectPlace, dumps: list[Path]) -> None:
    assert ingested(dumps[0]) == 0
    first, second = open_dataset(place).manifest.files[:2]
    place.create(first.path, (place.read(first.path) or b"") + b"x")
    place.delete([second.path])
    place.create(f"{first.table}/other.parquet", b"")
    problems = " ".join(verify(place).problems)
    assert f"{first.path}: {first.bytes + 1} bytes" in problems
    assert f"{second.path}: the file is missing." in problems
    assert "1 file that the manifest does not name" in problems


# --------------------------------------------------------------------------------------------------------------- several writers


def test_a_writer_that_is_second_starts_again(
    place: ObjectPlace, folder: Path, dumps: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before each of the first three lines of this ingest another one publishes: every number that was taken is taken again."""
    assert ingested(dumps[0]) == 0
    others = [*dumps[1:3], dumps[4]]

    def before(_: int, kind: str, path: str) -> None:
        if kind == "create" and path.startswith(f"{LOG}/") and others:
            other = others.pop(0)
            assert ingested(other) == 0

    hooked(monkeypatch, before)
    assert ingested(*dumps) == 0
    assert not others
    manifest = open_dataset(place).manifest
    assert sorted(source.name for source in manifest.sources) == sorted(path.name for path in dumps)
    assert len({source.sha256 for source in manifest.sources}) == len(dumps)
    ids = tables_of(place)["record"]["record_id"].to_pylist()
    assert len(set(ids)) == len(ids)
    assert verify(place).problems == []
    assert {name: table.num_rows for name, table in tables_of(place).items()} == {
        name: table.num_rows for name, table in tables_of(folder).items()
    }


def test_a_merge_goes_on_when_another_writer_adds_a_dump(
    place: ObjectPlace, dumps: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mqstat.intake.ingest.merge_as_it_grows", lambda _, manifest, **__: manifest)
    for path in dumps[:3]:
        assert ingested(path) == 0
    others = [dumps[3]]

    def before(_: int, kind: str, path: str) -> None:
        if kind == "create" and path.startswith(f"{LOG}/") and others:
            assert ingested(others.pop()) == 0

    hooked(monkeypatch, before)
    assert compacting.compact(place).files_before > 0
    manifest = open_dataset(place).manifest
    assert len(manifest.sources) == 4
    assert verify(place).problems == []


def test_a_stream_is_published_when_another_writer_was_first(
    place: ObjectPlace, dumps: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not read again: its number was reserved, and only what the other writer added is compared."""
    assert ingested(dumps[0]) == 0
    others = [dumps[1]]

    def before(_: int, kind: str, path: str) -> None:
        if kind == "create" and path.startswith(f"{LOG}/") and others:
            assert ingested(others.pop()) == 0

    hooked(monkeypatch, before)
    with dumps[1].open("rb") as one, dumps[2].open("rb") as two:
        sources = [*sources_of_file(io.BytesIO(one.read() + two.read()))]
    result = ingest(sources, place, Selection(), progress=lambda _: nullcontext(None))
    assert not others
    assert "2 in the dataset already" in result.lines[0]
    assert [source.source_id for source in open_dataset(place).manifest.sources] == [1, 3, 2]
    assert verify(place).problems == []


# -------------------------------------------------------------------------------------------------------------------------- kills


class Killed(BaseException):
    """The process ends at this request, and sends no other."""


@pytest.mark.parametrize("is_carried_out", [False, True])
def test_a_kill_at_any_request_leaves_a_dataset_of_before_or_after(
    place: ObjectPlace, dumps: list[Path], tmp_path: Path, is_carried_out: bool
) -> None:
    """An ingest, a merge and a prune are killed at each of their requests, before it or after it was carried out; then they run again."""
    commands = (
        ["ingest", str(dumps[3]), "--into", URI],
        ["compact", URI],
        ["prune", URI, "--before", "2026-03-29"],
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mqstat.intake.ingest.merge_as_it_grows", lambda _, manifest, **__: manifest)
        for path in dumps[:3]:
            assert ingested(path) == 0
    killed = 0
    for command in commands:
        number, ended = 1, False
        before = open_dataset(place).manifest
        rows = {name: table.num_rows for name, table in tables_of(place).items()}
        while not ended:
            with pytest.MonkeyPatch.context() as patch:
                dead: list[int] = []

                def act(count: int, _kind: str, _path: str, number: int = number, dead: list[int] = dead) -> None:
                    if dead or count == number + is_carried_out:
                        dead.append(count)
                        raise Killed

                hooked(patch, act)
                try:
                    assert run(command) == 0
                    ended = not dead
                except Killed:
                    killed += 1
            now = open_dataset(place).manifest
            checked = verify(place)
            assert checked.problems == [], (command, number)
            if now.sources == before.sources and len(now.files) == len(before.files):
                assert {name: table.num_rows for name, table in tables_of(place).items()} == rows
            number += 1
        before = open_dataset(place).manifest
    assert killed > 20
    folder = tmp_path / "folder"
    assert ingested(*dumps[:4], into=str(folder)) == run(["prune", str(folder), "--before", "2026-03-29"]) == 0
    assert difference(counted(tables_of(place)), counted(tables_of(folder))) == []


def counted(tables: Tables) -> Tables:
    """The tables with sources that are numbered from 1 on: killed writers have used numbers."""
    numbers = sorted({number for rows in tables.values() for number in rows["source_id"].to_pylist()})
    out = {}
    for name, rows in tables.items():
        before = rows["source_id"].to_pylist()
        after = [numbers.index(number) + 1 for number in before]
        columns = {"source_id": after}
        if "record_id" in rows.column_names:
            of_source = zip(rows["record_id"].to_pylist(), before, after, strict=True)
            columns["record_id"] = [each - first_record_id(one) + first_record_id(two) for each, one, two in of_source]
        made = rows
        for column, values in columns.items():
            at = rows.column_names.index(column)
            made = made.set_column(at, column, pa.array(values, rows.schema.field(at).type))
        out[name] = made
    return out


# --------------------------------------------------------------------------------------------------------------- log and retention


def test_a_log_that_is_folded_is_read_from_its_last_state(
    place: ObjectPlace, dumps: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generations, "FOLD_AFTER", 2)
    for path in dumps:
        assert ingested(path) == 0
    manifest = open_dataset(place).manifest
    assert manifest.folded > 1
    assert json.loads(place.read(line_path(manifest.folded)) or b"")["action"] == log.FOLD
    with place.log() as stream:
        assert len(stream.read()) == manifest.size
    assert verify(place).problems == []
    # a mark that was never written is not needed
    marks = [each.path for each in place.list(f"{LOG}/") if each.path.endswith(".fold")]
    assert marks
    place.delete(marks)
    assert open_dataset(place).manifest == manifest


def test_files_that_left_are_deleted_after_the_stated_time(
    place: ObjectPlace, dumps: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generations, "FOLD_AFTER", 3)
    monkeypatch.setattr("mqstat.intake.ingest.merge_as_it_grows", lambda _, manifest, **__: manifest)
    for path in dumps:
        assert ingested(path) == 0
    reader = open_dataset(place)
    assert run(["compact", URI]) == 0
    retired = {entry.path for entry in open_dataset(place).manifest.retired}
    assert retired == {entry.path for entry in reader.manifest.files} - {
        entry.path for entry in open_dataset(place).manifest.files
    }
    place.create("qpst/2026-03-28-s000009-0000-000-0123456789abcdef.parquet", b"")  # of a writer that was killed
    real = ObjectPlace.now
    for hours, is_there in ((HOURS - 1, True), (HOURS + 1, False)):
        monkeypatch.setattr(ObjectPlace, "now", lambda self, hours=hours: real(self) + dt.timedelta(hours=hours))
        assert run(["compact", URI]) == 0
        objects = {each.path for each in place.list()}
        assert (retired <= objects) is is_there
        assert (not retired & objects) is not is_there
        assert ("qpst/2026-03-28-s000009-0000-000-0123456789abcdef.parquet" in objects) is is_there
        assert verify(place).problems == []
    assert line_path(0) not in objects  # before the last state
    assert run(["prune", URI, "--before", "2026-03-29"]) == 0
    assert not retired & {entry.path for entry in open_dataset(place).manifest.retired}


# ------------------------------------------------------------------------------------------------------------------------ refused


REFUSED = (
    ["ingest", "DUMP", "--into", "ftp://host/set"],
    ["ingest", "DUMP", "--into", "s3://user@test/set"],
    ["parts", "plan", "ftp://host/dumps"],
    ["parts", "plan", "s3://user@test/dumps"],
    ["parts", "reserve", "s3://test/plan.json", "--into", "s3://test/set"],
    ["parts", "write", "DUMP", "0", "--reservation", "DUMP", "--staging", "s3://test/staging"],
    ["parts", "reserve", "DUMP", "--into", "ftp://host/set"],
    ["report", "DUMP", "--output", "s3://test/report.html"],
    ["report", "DUMP", "--site", "s3://test/site.toml"],
    ["export", "DUMP", "--output", "s3://test/csv"],
    ["views", "s3://test/set", "--into", "views.duckdb"],
    ["redact", "DUMP", "--into", "s3://test/redacted"],
    ["delta", "s3://test/set"],
    ["verify", "s3://test/set", "--rebuild"],
    ["verify", "s3://test/set", "--views", "views.duckdb"],
    ["prune", "s3://test/set", "--retention", "116=1d"],
    ["report", "--from", "s3://test/empty"],
    ["verify", "s3://test/empty"],
    ["prune", "s3://test/empty", "--keep", "1"],
    ["compact", "s3://test/empty"],
)


def test_what_is_not_supported_is_refused_in_one_sentence(
    place: ObjectPlace,
    dumps: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ingested(dumps[0]) == 0
    before = {each.path for each in place.list()}
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    for command in REFUSED:
        code, text = output(capsys, *(str(dumps[0]) if word == "DUMP" else word for word in command))
        assert code in (12, 16), text
        assert len(text.splitlines()) == 1, text
        assert "Traceback" not in text
        assert "unexpected" not in text
        assert list(work.iterdir()) == [], command
        assert {each.path for each in place.list()} == before, command


def test_other_objects_are_not_overwritten(place: ObjectPlace, dumps: list[Path]) -> None:
    place.create("notes.txt", b"mine")
    assert ingested(dumps[0]) == 16
    assert [each.path for each in place.list()] == ["notes.txt"]


# -------------------------------------------------------------------------------------------------------------------- dumps by URI


def test_dumps_are_read_by_uri(
    place: ObjectPlace, folder: Path, dumps: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import gzip

    other = ObjectPlace("s3://test/dumps")
    for path in dumps:
        other.create(path.name, path)
    query = ["sql", "SELECT * FROM record ORDER BY ALL"]
    assert output(capsys, *query, "s3://test/dumps/h21.smf") == output(capsys, *query, str(dumps[0]))
    assert run(["ingest", "s3://test/dumps", "--into", str(tmp_path / "by-uri")]) == 0
    assert difference(tables_of(tmp_path / "by-uri"), tables_of(folder)) == []
    other.create("h21.smf.gz", gzip.compress(dumps[0].read_bytes()))
    assert "21" in output(capsys, "ledger", "s3://test/dumps/h21.smf.gz")[1]
    code, text = output(capsys, "report", "s3://test/dumps/none.smf")
    assert (code, "s3://test/dumps/none.smf does not exist." in text) == (12, True)
    assert ingested(dumps[0]) == 0
    assert output(capsys, "report", URI) == (
        12, f"mqstat: set is a dataset, not a dump; read it with --from {URI}\n"
    )  # fmt: skip


def test_dumps_next_to_a_dataset_are_read(
    place: ObjectPlace, folder: Path, dumps: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in a folder: the dataset is one input that is refused, and so are other Parquet files."""
    assert ingested(*dumps) == 0
    table = next(folder.rglob("*.parquet"))
    above = ObjectPlace("s3://test")
    for path in dumps:
        above.create(f"z/{path.name}", path)
    above.create("z/table.parquet", table)
    code, text = output(capsys, "ingest", "s3://test", "--into", str(tmp_path / "by-uri"))
    assert code == 12
    assert f"set is a dataset, not a dump; read it with --from {URI}\n" in text
    assert "test holds 1 Parquet file, which is not a dump.\n" in text
    local_code, local_text = output(capsys, "ledger", str(table))
    code, text = output(capsys, "ledger", "s3://test/z/table.parquet")
    assert (code, text.replace("table.parquet", table.name)) == (local_code, local_text)
    assert difference(tables_of(tmp_path / "by-uri"), tables_of(folder)) == []


# --------------------------------------------------------------------------------------------------------- parts and the Python API


def test_a_dataset_is_written_in_parts(place: ObjectPlace, dumps: list[Path], folder: Path, tmp_path: Path) -> None:
    """Published twice; another writer is first to reserve and to publish."""
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    for path in dumps:
        (inbox / path.name).hardlink_to(path)
    plan = parts.plan(inbox)
    others = [dumps[0]]
    with pytest.MonkeyPatch.context() as patch:

        def before(_: int, kind: str, path: str) -> None:
            if kind == "create" and path.startswith((f"{LOG}/", f"{RESERVED}/")) and others:
                assert ingested(others.pop()) == 0

        hooked(patch, before)
        numbers = parts.reserve(URI, plan)
        assert parts.reserve(URI, plan).source_ids == numbers.source_ids
        assert not others
        written = [parts.write(plan, n, numbers.of(plan, n), tmp_path / "staging") for n in range(len(plan.parts))]
        others = [dumps[1]]
        done = parts.publish(URI, plan, written)
    assert not others
    assert sorted(each.state for each in done.inputs) == ["added"] * 3 + ["there"] * 2
    assert {each.state for each in parts.publish(URI, plan, written).inputs} == {"there"}
    assert verify(place, rows=True).problems == []
    assert {name: table.num_rows for name, table in tables_of(place).items()} == {
        name: table.num_rows for name, table in tables_of(folder).items()
    }


def test_the_dumps_of_a_plan_are_in_a_store(
    place: ObjectPlace, dumps: list[Path], folder: Path, tmp_path: Path
) -> None:
    """The plan names them by URI; one that is replaced, or has gone, is not taken for the one that was planned."""
    for path in dumps:
        ObjectPlace("s3://test/dumps").create(path.name, path)
    plan = parts.Plan.from_json(parts.plan("s3://test/dumps").to_json())
    assert [each.name for each in plan.inputs] == [path.name for path in dumps]
    assert parts.plan("s3://test/dumps").key == plan.key
    numbers = parts.reserve(URI, plan)
    written = [parts.write(plan, n, numbers.of(plan, n), tmp_path / "staging") for n in range(len(plan.parts))]
    done = parts.publish(URI, plan, written)
    assert [each.state for each in done.inputs] == ["added"] * len(dumps)
    assert difference(tables_of(place), tables_of(folder)) == []
    ObjectPlace("s3://test/dumps").create(dumps[0].name, dumps[1])
    with pytest.raises(MqstatError, match="has changed since it was planned"):
        parts.write(plan, 0, numbers.of(plan, 0), tmp_path / "staging")
    ObjectPlace("s3://test/dumps").delete([dumps[0].name])
    with pytest.raises(MqstatError, match="has changed since it was planned"):
        parts.write(plan, 0, numbers.of(plan, 0), tmp_path / "staging")
    assert parts.plan("s3://test/none").inputs[0].fault == "s3://test/none does not exist."


def test_a_longer_copy_in_a_store_replaces_the_shorter_one(place: ObjectPlace, tmp_path: Path) -> None:
    data = small_dump()
    for content in (data, data * 2):
        ObjectPlace("s3://test/dumps").create("dump.smf", content)
        plan = parts.plan("s3://test/dumps/dump.smf")
        numbers = parts.reserve(URI, plan)
        done = parts.publish(URI, plan, [parts.write(plan, 0, numbers.of(plan, 0), tmp_path / "staging")])
    assert [each.state for each in done.inputs] == ["replaced"]
    assert [source.bytes for source in open_dataset(place).manifest.sources] == [2 * len(data)]


def test_a_first_ingest_that_is_killed_can_be_repeated(place: ObjectPlace, dumps: list[Path], tmp_path: Path) -> None:
    """At each of its requests, each time in a new place."""
    ended, number = False, 0
    while not ended:
        number += 1
        uri = f"s3://test/{number}"
        with pytest.MonkeyPatch.context() as patch:
            dead: list[int] = []

            def act(count: int, _kind: str, _path: str, number: int = number, dead: list[int] = dead) -> None:
                if dead or count == number:
                    dead.append(count)
                    raise Killed

            hooked(patch, act)
            with suppress(Killed):
                ended = ingested(dumps[0], into=uri) == 0 and not dead
        assert ingested(dumps[0], into=uri) == 0
        assert [each.name for each in open_dataset(ObjectPlace(uri)).manifest.sources] == [dumps[0].name]
    assert number > 5
    assert place.list() == []


def test_the_python_api_reads_a_place(place: ObjectPlace, dumps: list[Path], folder: Path) -> None:
    assert ingested(*dumps) == 0
    query = "SELECT lpar, qmgr, count(*) AS n FROM record GROUP BY ALL"
    with mqstat.open_dataset(URI) as stored, mqstat.open_dataset(f"file://{folder}") as local:
        assert stored.sql(query).equals(local.sql(query))


def test_what_the_python_api_cannot_do_with_a_uri_is_refused(
    place: ObjectPlace, dumps: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = parts.plan(dumps[0])
    numbers = parts.reserve(tmp_path / "folder", plan)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    refused: list[tuple[Callable[[], object], str]] = [
        (lambda: mqstat.open_dataset("ftp://host/set"), "ftp:// is not read"),
        (lambda: mqstat.open_dataset("s3://test/empty"), "not a dataset"),
        (lambda: mqstat.open_dataset(Path("s3://test/set")), "a URI is a text, not a Path"),
        (lambda: mqstat.open_dump(dumps[0], site="s3://test/site.toml"), "give a local path"),
        (lambda: parts.plan("ftp://host/dumps"), "ftp:// is not read"),
        (lambda: parts.plan(Path("s3://test/dumps")), "a URI is a text, not a Path"),
        (lambda: parts.reserve(Path("s3://test/set"), plan), "a URI is a text, not a Path"),
        (lambda: parts.reserve("ftp://host/set", plan), "ftp:// is not read"),
        (lambda: parts.write(plan, 0, numbers.of(plan, 0), "s3://test/staging"), "give a local path"),
        (lambda: parts.publish("ftp://host/set", plan, []), "ftp:// is not read"),
    ]
    for call, sentence in refused:
        with pytest.raises(MqstatError, match=re.escape(sentence)) as caught:
            call()
        assert len(str(caught.value).splitlines()) == 1
    assert list(work.iterdir()) == []
    assert place.list() == []
