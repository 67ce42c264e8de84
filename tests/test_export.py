"""`mqstat export mq-smf-csv`: the same files as the original tool for real dumps; built dumps cover the rest."""

from __future__ import annotations

import csv
import errno
import io
import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from mqstat.export import rows as row_making
from mqstat.export.columns import files
from mqstat.export.writing import export
from mqstat.fixtures import hostile
from mqstat.fixtures.build import record
from mqstat.fixtures.damage import flip
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.numbers import numbered
from mqstat.parsers import LAYOUTS
from mqstat.parsers.framing import Framing
from mqstat.parsers.record import ROUTES, read
from mqstat.parsers.walk import walk
from mqstat.sources.source import find_sources
from tests import csv_oracle
from tests.outside import outside
from tests.support import START, built_records, file_of, invoke

COLUMNS_OF_ERRORS = {
    "QESD": {"Buffer_Wait_Time", "Encrypted"},
    "QSRS": {"Avail_64"},
    "WTAS": {f"{name}({unit})" for name in [*(f"Latch_Wait_Time{{{i}}}" for i in range(1, 33)), "Max_Latch_Wait_Time"] for unit in ("S", "US")},
}  # fmt: skip
"""Columns whose values differ from those of the tool, because it or MQ writes them wrongly."""


@pytest.fixture(scope="session")
def references() -> Path:
    """The folder with what mq-smf-csv writes for the real dumps."""
    return outside("MQSTAT_PEER_CSV", "the files of mq-smf-csv for the real dumps")


def written(data: bytes | Path, folder: Path, *, bugs: bool = False, into: str = "out") -> dict[str, str]:
    """The files of an export."""
    path = data if isinstance(data, Path) else file_of(data, folder)
    export(find_sources([str(path)]), folder / into, bug_compatible=bugs)
    return {each.name: each.read_text("ascii") for each in (folder / into).iterdir()}


# ----------------------------------------------------------------------------------------------------------- real dumps


def test_bug_compatible_files_are_those_of_the_tool(
    dump: Path, references: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    assert invoke("export", "mq-smf-csv", dump, "--into", tmp_path, "--bug-compatible").returncode in (0, 4)
    want = {path.name: path.read_bytes() for path in (references / dump.stem).iterdir()}
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(want)
    for name, content in want.items():
        assert (tmp_path / name).read_bytes() == content, name
    record_property("bytes of mq-smf-csv files compared", sum(map(len, want.values())))


def test_without_its_errors_only_they_differ(dump: Path, references: Path, tmp_path: Path) -> None:
    ours = written(dump, tmp_path)
    for name, text in ours.items():
        theirs = (references / dump.stem / name).read_text("ascii")
        file = name.removeprefix("SMF-").removesuffix(".csv")
        columns, *lines = csv.reader(io.StringIO(text))
        their_columns, *their_lines = csv.reader(io.StringIO(theirs))
        renamed = [
            column.replace("_Update_", "_Delete_") if column.startswith("SSKT_") else column for column in their_columns
        ]
        assert columns == (renamed if file == "Q5ST" else their_columns), name
        assert len(lines) == len(their_lines)
        for line, given in zip(lines, their_lines, strict=True):
            # 115.5, 115.6 and 115.7 have no interval: the tool repeats that of the record before.
            stub = file in ("QSPH", "QSGM", "QSRS")
            theirs_alone = given[:6] + given[len(given) - len(columns) + 6 :] if stub else given
            assert len(line) == len(columns)
            differing = {column for column, a, b in zip(columns, line, theirs_alone, strict=True) if a != b}
            assert differing <= COLUMNS_OF_ERRORS.get(file, set()), name


# ---------------------------------------------------------------------------------------------------------- built dumps


def filled_records(seed: int) -> list[bytes]:
    """Records of every kind, level and length with random bytes in their sections, so that every cell of every file
    differs from row to row.
    """
    rng = random.Random(seed)
    out = []
    for level, qsg in (("7.1.0", ""), ("8.0.0", ""), ("9.1.0", ""), ("9.4.5", ""), ("10.0.0", "QSG1"), ("10.0.0", "")):
        for (smf_type, subtype), by in sorted(ROUTES.items()):
            for _ in range(2):
                # A section of every published length, a longer one, and one with times of our own century.
                sections = {}
                for triplet, name in by.items():
                    layout = LAYOUTS[name]
                    length = rng.choice([*layout.sizes, layout.size + 12])
                    many = rng.randint(1, 3) if layout.repeats else 1
                    sections[triplet] = [_filled(rng, length) for _ in range(many)]
                out.append(
                    record(
                        smf_type, subtype, sections, lpar="SYS1", qmgr=rng.choice(["MQ01", "FACE", "A,B"]), level=level, qsg=qsg, written_local=START,
                        interval_start=START, interval_us=rng.choice([999_999, 59_999_999, 7_200_000_000]) * (4096 if subtype in (10, 231) else 1),
                        gmt_offset_minutes=60, qwhc={"authorization_id": "A7F", "connection_type": "IMS Ctl"},
                        header_size=36 if level == "7.1.0" and smf_type == 115 and subtype not in (5, 6, 7) else None,
                    )
                )  # fmt: skip
    rng.shuffle(out)
    return out


def _filled(rng: random.Random, length: int) -> bytes:
    """Random bytes with small numbers, zeros, EBCDIC texts and clocks among them."""
    data = bytearray(rng.randbytes(length))
    for _ in range(length // 16):
        at = rng.randrange(max(length - 16, 1))
        kinds = [
            bytes(8),
            bytes(3) + rng.randbytes(1),
            b"\x40" * 12,
            "QUEUE".encode("cp037"),
            b"\x0f\xff\xff\xff",
            b"\x8f\xff\xff\xff",
        ]
        piece = rng.choice(
            [
                *kinds,
                struct.pack(">Q", 0xD7A0000000000000 + rng.getrandbits(52)),
                struct.pack(">LL", rng.getrandbits(20), 0),
            ]
        )
        data[at : at + len(piece)] = piece
    return bytes(data[:length])


@pytest.mark.parametrize("bugs", [True, False])
def test_built_records_as_computed_value_by_value(bugs: bool, tmp_path: Path) -> None:
    records = filled_records(7) + built_records()
    got = written(smf_file(records), tmp_path, bugs=bugs)
    want = csv_oracle.expected(numbered(records), bugs)
    assert sorted(got) == sorted(want)
    assert len(got) == len(files(bugs))
    for name, text in want.items():
        assert got[name].splitlines() == text.splitlines(), name


@pytest.mark.slow
def test_files_do_not_depend_on_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interval that the tool repeats comes from the record before, which may be in another chunk; many rows are
    made in parts.
    """
    data = smf_file(filled_records(11), spanned="vbs")
    whole = written(data, tmp_path, bugs=True)
    monkeypatch.setattr(row_making, "MOST_ROWS", 3)
    maker = row_making.RowMaker(bug_compatible=True)
    texts: dict[str, str] = {}
    for chunk in walk(io.BytesIO(data), Framing.RDW, chunk_bytes=1 << 14):
        for file, _, made in maker.rows(read(chunk, 0)):
            name = f"SMF-{file.name}.csv"
            texts[name] = texts.get(name) or maker.header(file)
            texts[name] += b"".join(made.to_pylist()).decode()
    assert texts == whole


@pytest.mark.slow
def test_one_file_for_several_dumps(tmp_path: Path) -> None:
    records = filled_records(3)
    together = written(smf_file(records), tmp_path)
    for number, half in enumerate((records[:40], records[40:])):
        file_of(smf_file(half), tmp_path, f"dump{number}.smf")
    done = invoke("export", "mq-smf-csv", tmp_path / "dump0.smf", tmp_path / "dump1.smf", "--into", tmp_path / "both")
    assert done.returncode == 0
    assert f"in {len(files(False))} files" in done.stderr
    assert {path.name: path.read_text("ascii") for path in (tmp_path / "both").iterdir()} == together


def test_hostile_names_stay_in_their_cells(tmp_path: Path) -> None:
    """Every text of every kind of record is hostile: quotes, commas, line ends, formulas."""
    for name, text in written(smf_file(hostile.spoilt(built_records())), tmp_path).items():
        columns, *lines = csv.reader(io.StringIO(text))
        assert text.count("\n") == len(lines) + 1
        assert {len(line) for line in lines} == {len(columns)}, name


def test_damaged_records_are_left_out_and_reported(tmp_path: Path) -> None:
    records = built_records()
    data = smf_file(records)
    at = data.index(records[3][4:])
    sound = written(data, tmp_path)
    done = invoke("export", "mq-smf-csv", file_of(flip(data, at + 26), tmp_path, "bad.smf"), "--into", tmp_path / "bad")
    assert done.returncode in (4, 12)
    assert "damaged span" in done.stderr
    bad = {path.name: path.read_text("ascii") for path in (tmp_path / "bad").iterdir()}
    missing = [name for name, text in sound.items() if bad[name] != text]
    assert 0 < len(missing) < len(sound)
    for name in missing:
        assert set(bad[name].splitlines()) < set(sound[name].splitlines())


# ----------------------------------------------------------------------------------------------------------- the folder


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dump of a few records."""
    return file_of(smf_file(built_records()[:12]), tmp_path_factory.mktemp("export"))


def export_to(folder: Path, *options: str | Path) -> tuple[int, str]:
    """Return code and messages of the command."""
    done = invoke("export", "mq-smf-csv", *options, "--into", folder)
    return done.returncode, done.stderr


def test_files_of_an_earlier_export_stay_unless_they_are_replaced(small: Path, tmp_path: Path) -> None:
    (tmp_path / "SMF-QQST.csv").write_text("old")
    (tmp_path / "load.sql").write_text("mine")
    code, message = export_to(tmp_path, small)
    assert (code, message.count("\n")) == (16, 1)
    assert "already holds SMF-QQST.csv; choose another folder, or replace it with --replace." in message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["SMF-QQST.csv", "load.sql"]
    assert export_to(tmp_path, small, "--replace")[0] == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert {"load.sql", "SMF-QJST.csv"} <= names
    assert "SMF-QQST.csv" not in names or (tmp_path / "SMF-QQST.csv").read_text() != "old"


def test_a_folder_that_cannot_be_made_is_one_sentence(small: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    code, message = export_to(tmp_path / "file", small)
    assert (code, message.count("\n")) == (16, 1)
    assert "no file was added" in message


def test_a_full_disk_leaves_no_half_file(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("mqstat.export.writing.os.fsync", full)
    code, message = export_to(tmp_path / "out", small)
    assert (code, message.count("\n")) == (16, 1)
    assert "No space left on device" in message
    assert "Free some space" in message
    assert list((tmp_path / "out").iterdir()) == []


def test_input_that_is_no_dump(tmp_path: Path) -> None:
    code, message = export_to(tmp_path / "out", file_of(b"hello world, this is text\n" * 40, tmp_path))
    assert code == 12
    assert "0 rows in 0 files" in message


def test_only_tools_that_exist(small: Path, tmp_path: Path) -> None:
    done = invoke("export", "other", small, "--into", tmp_path)
    assert done.returncode == 16
    assert "other" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_names_that_begin_like_a_formula_are_protected_on_request(tmp_path: Path) -> None:
    """As the tool writes them without --protect; with it no cell is run, and nothing else changes."""
    records = [bytearray(each) for each in filled_records(3)]
    for each, owner in zip(records, ("=A+1", "+1-2", "-X1 ", "@SUM", "M=+1") * len(records), strict=False):
        each[18:22] = owner.encode("cp037")
    dump = file_of(b"".join(smf_file([bytes(each)]) for each in records), tmp_path)
    made = []
    for folder, options in (("plain", ()), ("protected", ("--protect",))):
        done = invoke("export", "mq-smf-csv", dump, "--into", tmp_path / folder, *options)
        assert done.returncode in (0, 4)
        made.append({path.name: path.read_text("ascii") for path in (tmp_path / folder).iterdir()})
    changed = 0
    for name, plain in made[0].items():
        before, after = (list(csv.reader(io.StringIO(text))) for text in (plain, made[1][name]))
        for mine, other in zip(before[1:], after[1:], strict=True):
            for cell, protected in zip(mine, other, strict=True):
                if protected != cell:
                    assert protected == f"'{cell}"
                    assert cell[0] in "=+-@"
                    changed += 1
        names = {row[after[0].index("QMgr")] for row in after[1:]}
        assert not [each for each in names if each[:1] in tuple("=+-@")], name
    assert changed > 50
    refused = invoke("export", "mq-smf-csv", dump, "--into", tmp_path / "both", "--protect", "--bug-compatible")
    assert (refused.returncode, "remove one" in refused.stderr) == (16, True)
