"""mqstat only deletes files that it wrote, and a dataset with a lost manifest is rebuilt from its files."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mqstat.cli import run
from mqstat.dataset import log, rebuild
from mqstat.dataset.paths import day_of
from mqstat.dataset.publishing import RESERVED
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures.scenarios import SCENARIOS
from tests.manifests import forged
from tests.manifests import lines_of as manifest_lines
from tests.support import difference, file_of, invoke, small_dump, tables_in


@pytest.fixture(scope="module", autouse=True)
def unmerged() -> Iterator[None]:
    """Files stay as each ingest wrote them, so that the tests can name them; campaign/dataset/test_compact.py merges and rebuilds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mqstat.intake.ingest.merge_as_it_grows", lambda _, manifest, **__: manifest)
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of two sources, the second one with damage; not to be changed."""
    folder = tmp_path_factory.mktemp("made")
    for number, data in ((1, small_dump()), (2, small_dump() + b"x" * 40 + small_dump())):
        dump = file_of(data, folder, f"dump{number}.smf")
        assert run(["ingest", str(dump), "--into", str(folder / "set"), "--damage-limit", "50"]) in (0, 4)
    return folder / "set"


@pytest.fixture
def dataset(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "set"))


def parquet(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.parquet"))}


def lines_of(folder: Path) -> dict[str, object]:
    """The content of a manifest, without what changes with its log."""
    text = dataclasses.asdict(open_dataset(folder).manifest)
    for name in ("generation", "head", "first", "size"):
        del text[name]
    text["files"] = sorted(text["files"], key=lambda entry: entry["path"])
    return text


@pytest.mark.slow
@pytest.mark.parametrize("head", [True, False])
def test_a_lost_manifest_loses_no_data(
    dataset: Path, head: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every writer refuses and deletes nothing; the rebuilt manifest is the one that was lost."""
    before, rows, lines = parquet(dataset), tables_in(open_dataset(dataset).files), lines_of(dataset)
    (dataset / log.NAME).unlink()
    if not head:
        (dataset / log.HEAD).unlink()
    other = file_of(small_dump() * 3, tmp_path, "other.smf")
    for arguments in (
        ["ingest", str(other), "--into", str(dataset)],
        ["prune", str(dataset), "--before", "2030-01-01"],
        ["verify", str(dataset)],
        ["sql", "SELECT 1", "--from", str(dataset)],
    ):
        assert run(arguments) != 0
        message = capsys.readouterr().err
        if arguments[0] != "sql":
            assert f"mqstat verify --rebuild {dataset}" in message
            assert message.count("\n") == 1
        assert parquet(dataset) == before
    assert run(["verify", str(dataset), "--rebuild"]) == 0
    assert "manifest rebuilt: 2 sources" in capsys.readouterr().out
    assert lines_of(dataset) == lines
    assert difference(tables_in(open_dataset(dataset).files), rows) == []
    assert run(["ingest", str(other), "--into", str(dataset)]) == 0
    assert verify(dataset).problems == []
    assert parquet(dataset).items() >= before.items()


def test_daily_refuses_a_dataset_without_its_manifest(dataset: Path, tmp_path: Path) -> None:
    inbox, reports = tmp_path / "inbox", tmp_path / "reports"
    inbox.mkdir()
    file_of(small_dump() * 3, inbox, "other.smf")
    config = tmp_path / "daily.toml"
    config.write_text(
        f'inbox.path = "{inbox}"\ndataset.path = "{dataset}"\ndataset.keep_days = 1\nreports.path = "{reports}"\ninbox.settle_seconds = 0\n'
    )
    before = parquet(dataset)
    (dataset / log.NAME).unlink()
    assert run(["daily", "--config", str(config)]) == 16
    assert parquet(dataset) == before


def test_a_foreign_file_in_the_folder_of_a_table_is_never_deleted(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = dataset / "qpst" / "date=2026-03-28"
    strange = [folder / "mine.parquet", folder / "s000009-0000-000.parquet", dataset / "record" / "notes.txt"]
    strange.append(dataset / "wtas" / "date=1999-01-01" / "x.parquet")
    for path in strange:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"precious")
    other = file_of(small_dump() * 3, tmp_path, "other.smf")
    for arguments in (
        ["ingest", str(other), "--into", str(dataset)],
        ["prune", str(dataset), "--before", "2026-03-29"],
        ["prune", str(dataset), "--before", "2030-01-01"],
        ["prune", str(dataset), "--before", "2030-01-01"],
        ["verify", str(dataset)],
        ["verify", str(dataset), "--rebuild"],
    ):
        assert run(arguments) == (12 if "verify" in arguments else 0)
        assert [path.read_bytes() for path in strange] == [b"precious"] * len(strange), arguments
    output = capsys.readouterr().out
    assert "4 files that the manifest does not name" in output
    assert "such as qpst/date=2026-03-28/mine.parquet" in output


@pytest.mark.parametrize("name", ["qpst/date=2026-03-28/mine.parquet", "source/x.parquet", "qpst/x.parquet"])
def test_a_new_dataset_is_not_made_among_foreign_files(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "set" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(b"precious")
    dump = file_of(small_dump(), tmp_path, "dump.smf")
    assert run(["ingest", str(dump), "--into", str(tmp_path / "set")]) == 16
    message = capsys.readouterr().err
    assert name in message
    assert "nothing was changed" in message
    assert [p.read_bytes() for p in (tmp_path / "set").rglob("*") if p.is_file()] == [b"precious"]


def test_a_staging_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "set" / "_staging" / "precious.txt"
    path.parent.mkdir(parents=True)
    path.write_text("x")
    dump = file_of(small_dump(), tmp_path, "dump.smf")
    assert run(["ingest", str(dump), "--into", str(tmp_path / "set")]) == 16
    assert path.exists()


def test_an_older_manifest_from_a_backup_overwrites_nothing(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files that only a newer manifest names are in the way of an ingest that would give the same names, and `--rebuild` adds them again."""
    lines, before = lines_of(dataset), parquet(dataset)
    forged(dataset, lambda lines: lines.pop())
    (dataset / RESERVED).unlink()
    assert len(open_dataset(dataset).manifest.sources) == 1
    other = file_of(small_dump() * 3, tmp_path, "other.smf")
    assert run(["ingest", str(other), "--into", str(dataset)]) == 16
    assert "would be overwritten; nothing was changed" in capsys.readouterr().err
    assert parquet(dataset) == before
    assert run(["verify", str(dataset), "--rebuild"]) == 0
    assert lines_of(dataset) == lines


def test_an_ingest_after_an_older_manifest_has_a_number_of_its_own(dataset: Path, tmp_path: Path) -> None:
    before = parquet(dataset)
    forged(dataset, lambda lines: lines.pop())
    other = file_of(small_dump() * 3, tmp_path, "other.smf")
    assert run(["ingest", str(other), "--into", str(dataset)]) == 0
    assert [source.source_id for source in open_dataset(dataset).manifest.sources] == [1, 3]
    assert before.items() <= parquet(dataset).items()
    assert verify(dataset).problems, "files that the log does not name"
    assert run(["verify", str(dataset), "--rebuild"]) == 0
    assert [source.source_id for source in open_dataset(dataset).manifest.sources] == [1, 2, 3]
    assert verify(dataset).problems == []


def test_what_was_dropped_stays_dropped_when_the_manifest_is_rebuilt(dataset: Path) -> None:
    assert run(["prune", str(dataset), "--before", "2026-03-29"]) == 0
    lines, after = lines_of(dataset), tables_in(open_dataset(dataset).files)
    assert run(["verify", str(dataset), "--rebuild"]) == 0
    assert lines_of(dataset) == lines
    assert run(["prune", str(dataset), "--before", "2026-03-29"]) == 0  # deletes the files
    (dataset / log.NAME).unlink()
    assert run(["verify", str(dataset), "--rebuild"]) == 0
    assert difference(tables_in(open_dataset(dataset).files), after) == []
    assert [s.pruned_before for s in open_dataset(dataset).manifest.sources] == ["2026-03-29"] * 2
    assert verify(dataset).problems == []


def test_a_source_that_was_replaced_stays_replaced_when_the_manifest_is_rebuilt(tmp_path: Path) -> None:
    folder, dump = tmp_path / "set", tmp_path / "dump.smf"
    whole = small_dump()
    for size in (len(whole) // 2, len(whole)):
        dump.write_bytes(whole[:size])
        assert run(["ingest", str(dump), "--into", str(folder), "--damage-limit", "50"]) in (0, 4)
    rows = tables_in(open_dataset(folder).files)
    (folder / log.NAME).unlink()
    (folder / log.HEAD).unlink()
    assert run(["verify", str(folder), "--rebuild"]) == 0
    assert difference(tables_in(open_dataset(folder).files), rows) == []


def test_sources_of_which_nothing_is_left_are_still_known(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prune", str(dataset), "--before", "2030-01-01"]) == 0
    assert run(["prune", str(dataset), "--before", "2030-01-01"]) == 0
    with (dataset / log.NAME).open("a") as stream:
        stream.write("{}\n{}\n")
    assert run(["verify", str(dataset)]) == 16
    assert run(["verify", str(dataset), "--rebuild"]) == 0
    assert [s.source_id for s in open_dataset(dataset).manifest.sources] == [1, 2]


def test_rebuilding_reports_files_that_are_gone_or_changed(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = open_dataset(dataset).files
    files["qwhs"][-1].unlink()
    files["qmac"][-1].write_bytes(files["qmac"][-1].read_bytes()[:-1])
    (dataset / log.NAME).write_text("{")
    assert run(["verify", str(dataset), "--rebuild"]) == 12
    output = capsys.readouterr().out
    assert "2 files are missing, such as qmac/" in output
    assert "it was written with" in output
    assert (dataset / rebuild.DAMAGED).read_text() == "{"
    assert run(["verify", str(dataset)]) == 12, "the shortened file is still in the folder"
    assert "1 problem." in capsys.readouterr().out
    files["qmac"][-1].unlink()
    assert run(["verify", str(dataset)]) == 0


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 100_000, '{"entry": {}, "files": [], "replaces": null}',
    '{"entry": {}, "files": [["../../x", 1, 1]], "replaces": null}'])  # fmt: skip
def test_hostile_metadata_is_reported(dataset: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = dataset / "source" / "undated-s000007-count-000.parquet"
    rows = pa.table({"source_id": [7]}).replace_schema_metadata({rebuild.KEY: text})
    pq.write_table(rows, path)
    assert run(["verify", str(dataset), "--rebuild"]) == 12
    assert "problem: source/undated-s000007-count-000.parquet: cannot be read" in capsys.readouterr().out
    assert len(open_dataset(dataset).manifest.sources) == 2


def test_nothing_to_rebuild(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        assert run(["verify", str(folder), "--rebuild"]) == 16
        assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "missing").exists()
    assert not (tmp_path / log.NAME).exists()


def test_the_log_shows_what_each_publish_changed(dataset: Path) -> None:
    assert run(["prune", str(dataset), "--before", "2026-03-29"]) == 0
    lines = manifest_lines(dataset)
    assert [line["action"] for line in lines] == ["create", "ingest", "ingest", "prune"]
    assert [line["generation"] for line in lines] == [0, 1, 2, 3]
    assert [[source["source_id"] for source in line["sources"]] for line in lines] == [[], [1], [2], [1, 2]]
    assert {str(day_of(path)) for path in lines[3]["retire"]} == {"2026-03-28"}


def test_a_dataset_that_is_removed_during_an_ingest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from mqstat.intake import ingest as ingesting
    from mqstat.intake import publication

    dump, folder = file_of(small_dump(), tmp_path, "dump.smf"), tmp_path / "set"
    for module, point in ((publication, "reader_tables"), (ingesting, "read_small"), (publication, "_shorter_copy")):
        real = getattr(module, point)

        def remove(*given: object, real=real, **options: object) -> object:  # type: ignore[no-untyped-def]
            shutil.rmtree(folder)
            return real(*given, **options)

        with monkeypatch.context() as patch:
            patch.setattr(module, point, remove)
            assert run(["ingest", str(dump), "--into", str(folder)]) == 16
        message = capsys.readouterr().err
        assert "was removed or renamed during the run" in message, point
        assert message.count("\n") == 1
        assert not folder.exists()


def test_a_file_with_changed_bytes_is_named(tmp_path: Path) -> None:
    dump = file_of(SCENARIOS["pool_exhausted"].build(), tmp_path)
    dataset = tmp_path / "ds"
    assert invoke("ingest", str(dump), "--into", str(dataset)).returncode == 0
    (file,) = dataset.glob("qpst/*.parquet")
    whole = file.read_bytes()
    footer = int.from_bytes(whole[-8:-4], "little")
    for at in (len(whole) - 2, len(whole) - 8 - footer):  # the mark at the end of the file, and the begin of its footer
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0x40]) + whole[at + 1 :])
        for command in (["check"], ["sql", "SELECT sum(buffers) FROM buffer_pool"]):
            done = invoke(*command, "--from", str(dataset))
            assert done.returncode == 16
            assert f"qpst/{file.name}: this file of table qpst is damaged" in done.stdout + done.stderr


def test_a_dataset_with_merged_files_is_rebuilt(dataset: Path) -> None:
    """Merged files list their sources and the files that they replace; those that are not deleted yet do not count twice."""
    copy = Path(shutil.copytree(dataset, dataset.parent / "copy"))
    assert run(["compact", str(dataset)]) == 0
    merged, rows = lines_of(dataset)["files"], tables_in(open_dataset(dataset).files)
    for path in copy.glob("*/*.parquet"):
        if not (dataset / path.relative_to(copy)).exists():
            shutil.copy(path, dataset / path.relative_to(copy))
    for name in (log.NAME, log.HEAD):
        (dataset / name).unlink()
    assert run(["verify", str(dataset), "--rebuild"]) == 0
    assert lines_of(dataset)["files"] == merged
    assert difference(tables_in(open_dataset(dataset).files), rows) == []
    assert run(["prune", str(dataset), "--before", "1999-01-01"]) == 0
    assert verify(dataset).problems == []
