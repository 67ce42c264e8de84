"""Damaged archives and compressed streams: readable parts are read, nothing hangs, and the rest is reported."""

from __future__ import annotations

import bz2
import datetime as dt
import gzip
import io
import itertools
import lzma
import os
import random
import subprocess
import sys
import tarfile
import time
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqstat.base.errors import InputError
from mqstat.base.selection import Selection
from mqstat.cli import run
from mqstat.dataset import publishing
from mqstat.dataset.manifest import Change, Manifest
from mqstat.dataset.publishing import STAGING
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.intake import ingest as ingesting
from mqstat.intake import staging
from mqstat.intake.part import Job
from mqstat.intake.pipeline import SourceResult, measure
from mqstat.sources.source import Source, find_sources
from tests.costs import cache
from tests.mutate import NOON
from tests.support import ROOT, Finished, file_of, invoke
from tests.test_source import CONTENT, arrow, content

KINDS = ("gz", "bz2", "xz", "zst", "lz4")


def packed(data: bytes, kind: str) -> bytes:
    if kind in ("zst", "lz4"):
        return arrow(data, {"zst": "zstd"}.get(kind, kind))
    return gzip.compress(data) if kind == "gz" else bz2.compress(data) if kind == "bz2" else lzma.compress(data)


def tar(members: dict[str, bytes], format: int = tarfile.GNU_FORMAT) -> bytearray:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=format) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return bytearray(stream.getvalue())


def with_size(header: bytes, size: bytes) -> bytes:
    """A tar header with another size field and the checksum that goes with it."""
    block = bytearray(header)
    block[124:136] = size
    block[148:156] = b" " * 8
    block[148:156] = f"{sum(block):06o}\0 ".encode()
    return bytes(block)


def ledgers_of(arguments: list[str]) -> list[SourceResult]:
    """The result of every readable input."""
    sources = (source for source in find_sources(arguments) if source.fault is None)
    return [measure(source, Job(1, 0, Selection(), {}, Path())) for source in sources]


def readable(sources: list[Source]) -> dict[str, bytes]:
    return {source.name: content(source) for source in sources if source.fault is None}


@cache
def dump(records: int = 40, name: str = "MQ1A") -> bytes:
    """A dump with so many records of one queue manager, and the header and trailer of a dump program."""
    made = itertools.islice(
        itertools.chain.from_iterable(
            QueueManager(name).interval(NOON + dt.timedelta(minutes=30 * number), 1800) for number in itertools.count()
        ),
        records,
    )
    return smf_file(list(made))


# ---------------------------------------------------------------------------------------------------------- compression


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("padding", [1, 3, 4, 511, 100_000])
def test_zero_padding_after_a_compressed_stream_adds_nothing(tmp_path: Path, kind: str, padding: int) -> None:
    path = file_of(packed(CONTENT, kind) + bytes(padding), tmp_path)
    (source,) = find_sources([str(path)])
    assert content(source) == CONTENT
    assert source.problem is None


@pytest.mark.parametrize("kind", KINDS)
def test_data_after_a_compressed_stream_is_reported(tmp_path: Path, kind: str) -> None:
    path = file_of(packed(CONTENT, kind) + b"something else" * 100, tmp_path)
    (source,) = find_sources([str(path)])
    assert content(source) == CONTENT
    assert source.problem is not None


@pytest.mark.parametrize("kind", ["zst", "lz4"])
def test_a_reader_ends_at_an_error(tmp_path: Path, kind: str) -> None:
    data = bytearray(packed(CONTENT, kind))
    data[len(data) // 2 :] = random.Random(5).randbytes(len(data) - len(data) // 2)
    (source,) = find_sources([str(file_of(bytes(data), tmp_path))])
    with source.open() as reader:
        parts = [reader.read(1 << 20) for _ in range(100)]
    assert CONTENT.startswith(b"".join(parts))
    assert len(b"".join(parts)) > len(CONTENT) // 4


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    kind=st.sampled_from(KINDS),
    cut=st.integers(1, 1 << 30),
    noise=st.binary(min_size=1, max_size=8),
    kind_of_damage=st.integers(0, 2),
)
def test_any_damage_to_a_compressed_stream_keeps_the_bytes_before_it(
    tmp_path_factory: pytest.TempPathFactory, kind: str, cut: int, noise: bytes, kind_of_damage: int
) -> None:
    """Cut, overwritten or with inserted bytes: no exception, and the output equals the content up to the damage."""
    whole = packed(CONTENT[:50_000], kind)
    at = 20 + cut % (len(whole) - 20)
    data = (whole[:at], whole[:at] + noise + whole[at + len(noise) :], whole[:at] + noise + whole[at:])[kind_of_damage]
    (source,) = find_sources([str(file_of(data, tmp_path_factory.mktemp("any")))])
    try:
        decoded = content(source)
    except InputError:
        return
    if kind_of_damage == 0:
        assert CONTENT.startswith(decoded)
    assert (
        decoded == CONTENT[:50_000] or source.problem is not None or kind in ("zst", "lz4")
    )  # written without checksums


@pytest.mark.parametrize("kind", ["zst", "lz4"])
def test_a_frame_cut_anywhere_keeps_every_whole_block(tmp_path: Path, kind: str) -> None:
    """Frames of one block each: all frames before the cut are returned completely."""
    frames = [packed(CONTENT[at : at + 5000], kind) for at in range(0, 50_000, 5000)]
    path = file_of(b"".join(frames)[:-10], tmp_path)
    (source,) = find_sources([str(path)])
    assert content(source)[:45_000] == CONTENT[:45_000]
    assert source.problem is not None
    assert "is truncated" in source.problem


# ------------------------------------------------------------------------------------------------------------------ tar


@pytest.mark.parametrize("format", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT])
def test_tar_members_of_every_format(tmp_path: Path, format: int) -> None:
    long = "x" * 90 + "/" + "y" * 90
    path = file_of(bytes(tar({"one": CONTENT, long: b"two" * 700, "three": b"", "four": b"4" * 700}, format)), tmp_path)
    assert readable(list(find_sources([str(path)]))) == {
        "dump.smf:one": CONTENT,
        f"dump.smf:{'y' * 90}": b"two" * 700,
        "dump.smf:four": b"4" * 700,
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["", "gz", "zst"])
@pytest.mark.parametrize(
    "size", [b"\x80" + (1 << 62).to_bytes(11, "big"), b"77777777777\0", b"\xff" * 12, b"no number!!!", b"00000000001\0"]
)
def test_an_implausible_size_in_a_tar_header_loses_and_hangs_nothing(tmp_path: Path, kind: str, size: bytes) -> None:
    data = tar({"one": dump(), "two": dump(60, "MQ2A"), "three": dump(40, "MQ3A")})
    at = 512 + -(-len(dump()) // 512) * 512
    data[at : at + 512] = with_size(bytes(data[at : at + 512]), size)
    path = file_of(packed(bytes(data), kind) if kind else bytes(data), tmp_path)
    started = time.monotonic()
    results = ledgers_of([str(path)])
    assert time.monotonic() - started < 20
    # A size that is too small cuts the record in which the member seems to end.
    assert sum(result.part.ledger.records.decoded for result in results) == (139 if size.startswith(b"0000") else 140)
    assert any(result.problem for result in results)
    for result in results:
        assert result.part.ledger.balanced
        assert result.part.ledger.bytes.input == result.size


@pytest.mark.parametrize("kind", ["", "gz", "lz4"])
def test_a_damaged_header_in_a_tar_is_reported_and_its_member_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    data = tar({"one": dump(), "two": dump(60, "MQ2A"), "three": dump(40, "MQ3A")})
    at = 512 + -(-len(dump()) // 512) * 512
    data[at + 100] ^= 0x55
    path = file_of(packed(bytes(data), kind) if kind else bytes(data), tmp_path)
    sources = list(find_sources([str(path)]))
    assert [source.name for source in sources] == ["dump.smf:one", f"dump.smf:offset {at}", "dump.smf:three"]
    results = ledgers_of([str(path)])
    assert sum(result.part.ledger.records.decoded for result in results) == 140
    assert results[1].problem == (
        f"dump.smf: the tar header at offset {at} is damaged; the bytes up to the next header were read as they are."
    )
    assert results[1].size == -(-len(dump(60, "MQ2A")) // 512) * 512  # content and padding
    assert all(result.part.ledger.balanced for result in results)
    assert results[1].part.ledger.bytes.damaged == 0
    with path.open("rb") as stream:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
        faults = [source.fault or "" for source in find_sources(["-"])]
    assert [bool(fault) for fault in faults] == [False, True, False]
    assert faults[1].endswith("store it in a file.")


@pytest.mark.parametrize(
    ("kind", "size", "text"),
    [
        (tarfile.XHDTYPE, b"0" * 12, b""),
        (tarfile.XHDTYPE, b"00000037200\0", b"1" * 16_000),
        (tarfile.XHDTYPE, b"00000000020\0", b"16 size=-123456\n"),
        (tarfile.GNUTYPE_LONGNAME, b"77777777777\0", b"name"),
        (tarfile.REGTYPE, b"\xff" * 12, b""),
        (tarfile.LNKTYPE, b"77777777777\0", b""),
        (tarfile.SYMTYPE, b"00000000000\0", b""),
    ],
)  # fmt: skip
def test_headers_that_mislead_cost_no_other_member(tmp_path: Path, kind: bytes, size: bytes, text: bytes) -> None:
    """Sizes below zero and far too large, numbers that take long to parse, links: in seconds, and the other members are
    read.
    """
    info = tarfile.TarInfo("../../etc/passwd")
    info.type, info.linkname = kind, "/etc/passwd"
    header = with_size(info.tobuf(tarfile.GNU_FORMAT), size) + text + bytes(-len(text) % 512)
    path = file_of(header * 20 + bytes(tar({"one": CONTENT})) + header + bytes(tar({"two": CONTENT})), tmp_path)
    started = time.monotonic()
    contents = readable(list(find_sources([str(path)])))
    assert time.monotonic() - started < 20
    assert [data.startswith(CONTENT) for data in contents.values()].count(True) == 2


def test_two_tar_archives_one_after_another_and_zeros_between(tmp_path: Path) -> None:
    path = file_of(bytes(tar({"one": CONTENT})) + bytes(tar({"two": CONTENT[:999]})), tmp_path)
    assert readable(list(find_sources([str(path)]))) == {"dump.smf:one": CONTENT, "dump.smf:two": CONTENT[:999]}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["", *KINDS])
def test_a_truncated_tar_gives_the_same_from_a_file_and_from_stdin(tmp_path: Path, kind: str) -> None:
    data = bytes(tar({"one": dump(), "two": dump(60, "MQ2A")}))
    data = data[: len(data) - 10_240 - 3000]
    if kind:
        data = packed(data, kind)
        data = data[: len(data) - 7]
    path = file_of(data, tmp_path)

    of_file = invoke("ledger", path, "--format", "json")
    with path.open("rb") as stream:
        if kind:
            of_stream = invoke("ledger", "-", "--format", "json", input=stream)
        else:
            words = [sys.executable, "-m", "mqstat", "ledger", "-", "--format", "json"]
            process = subprocess.run(words, stdin=stream, capture_output=True, text=True, cwd=ROOT, check=False)
            of_stream = Finished(process.returncode, process.stdout, process.stderr)
    for done in (of_file, of_stream):
        assert "Traceback" not in done.stderr
        assert "unexpected" not in done.stderr
    assert (of_file.returncode, of_file.stdout) == (of_stream.returncode, of_stream.stdout)
    assert '"decoded": 0' not in of_file.stdout
    assert of_file.returncode in (4, 12)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 1 << 40),
    kind=st.sampled_from(["", "", *KINDS]),
    container=st.sampled_from(["tar", "zip", "stored", "nested"]),
)
def test_any_damage_to_an_archive(
    tmp_path_factory: pytest.TempPathFactory, seed: int, kind: str, container: str
) -> None:
    """Any bytes of an archive changed, removed or inserted: no exception except InputError, no hang, and every ledger
    balances.
    """
    rand = random.Random(seed)
    members = {f"m{number}": dump(10 + number, f"MQ{number}A") for number in range(4)}
    data = bytearray(archive_of(members, container, kind))
    for _ in range(rand.randint(1, 4)):
        at = rand.randrange(len(data))
        what = rand.randrange(4)
        if what == 0:
            data[at] ^= 1 << rand.randrange(8)
        elif what == 1:
            del data[at : at + rand.choice((1, 7, 512, 3000))]
        elif what == 2:
            data[at:at] = rand.randbytes(rand.choice((1, 7, 512)))
        else:
            data[at : at + 64] = bytes(64)
    path = file_of(bytes(data), tmp_path_factory.mktemp("any"))
    started = time.monotonic()
    for source in find_sources([str(path)]):
        try:
            result = measure(source, Job(1, 0, Selection(), {}, Path()))
        except InputError:
            continue
        assert result.part.ledger.balanced
        assert result.part.ledger.bytes.input == result.size
    assert time.monotonic() - started < 20


def archive_of(members: dict[str, bytes], container: str, kind: str) -> bytes:
    inside = {name: packed(data, kind) if kind and container != "tar" else data for name, data in members.items()}
    if container == "tar":
        return packed(bytes(tar(inside)), kind) if kind else bytes(tar(inside))
    stream = io.BytesIO()
    method = zipfile.ZIP_STORED if container == "stored" else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(stream, "w", method) as archive:
        if container == "nested":
            archive.writestr("all.tar", bytes(tar(inside)))
        for name, data in inside.items() if container != "nested" else ():
            archive.writestr(name, data)
    return stream.getvalue()


@pytest.mark.parametrize("kind", ["", *KINDS])
@pytest.mark.parametrize("container", ["tar", "zip", "stored", "nested"])
def test_every_archive_with_every_compression(tmp_path: Path, kind: str, container: str) -> None:
    members = {f"m{number}": CONTENT[number:5000] for number in range(4)}
    path = file_of(archive_of(members, container, kind), tmp_path)
    outer = "dump.smf:all.tar" if container == "nested" else "dump.smf"
    wanted = {f"{outer}:{name}": data for name, data in members.items()}
    assert {source.name: content(source) for source in find_sources([str(path)])} == wanted
    assert readable(list(find_sources([str(path)]))) == wanted  # each opened again from its file


# ------------------------------------------------------------------------------------------------------------------ zip


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_zip_methods_and_a_checksum_that_is_wrong(tmp_path: Path, method: int) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr("one", CONTENT)
        archive.writestr("two", CONTENT[:5000])
    data = bytearray(stream.getvalue())
    (tmp_path / "sound").write_bytes(data)
    sources = list(find_sources([str(tmp_path / "sound")]))
    assert readable(sources) == {"sound:one": CONTENT, "sound:two": CONTENT[:5000]}
    assert [source.problem for source in sources] == [None, None]
    directory = data.rindex(b"PK\x01\x02")
    data[directory + 16] ^= 1  # the checksum of the second
    sources = list(find_sources([str(file_of(bytes(data), tmp_path))]))
    assert list(readable(sources).values()) == [CONTENT, CONTENT[:5000]]
    assert sources[0].problem is None
    assert sources[1].problem is not None


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_without_its_directory_is_read_by_the_headers_of_its_members(tmp_path: Path, method: int) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr("one", CONTENT[:50_000])
        archive.writestr("two", CONTENT[:70_000])
    data = stream.getvalue()
    path = file_of(data[: data.index(b"PK\x01\x02") - 1000], tmp_path)
    sources = list(find_sources([str(path)]))
    members = readable(sources)
    assert members["dump.smf:one"] == CONTENT[:50_000]
    assert CONTENT.startswith(members["dump.smf:two"])
    assert len(members["dump.smf:two"]) > 20_000
    assert all(source.problem for source in sources)


@pytest.mark.slow
def test_20_000_members_of_a_zip_in_seconds(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "many", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(20_000):
            archive.writestr(f"m{number}", b"%d" % number)
    started = time.monotonic()
    assert sum(len(content(source)) for source in find_sources([str(tmp_path / "many")])) > 80_000
    assert time.monotonic() - started < 20


def test_many_members_of_a_compressed_tar_are_read_in_one_pass(tmp_path: Path) -> None:
    """1,500 members of 40 KB: opening each by itself would decompress 45 GB."""
    path = file_of(gzip.compress(bytes(tar({f"m{number}": CONTENT[:40_000] for number in range(1500)})), 1), tmp_path)
    started = time.monotonic()
    assert all(content(source) == CONTENT[:40_000] for source in find_sources([str(path)]))
    assert time.monotonic() - started < 20


def test_an_encrypted_and_an_overlapping_member_do_not_stop_the_others(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in ("one", "two", "three"):
            archive.writestr(name, CONTENT)
    data = bytearray(stream.getvalue())
    first = data.index(b"PK\x01\x02")
    data[first + 8] |= 1
    second = data.index(b"PK\x01\x02", first + 4)
    data[second + 42 : second + 46] = (5).to_bytes(4, "little")
    sources = list(find_sources([str(file_of(bytes(data), tmp_path))]))
    assert readable(sources) == {"dump.smf:three": CONTENT}
    assert "is encrypted" in (sources[0].fault or "")
    assert "does not lead to it" in (sources[1].fault or "")


def test_nested_compression_has_a_limit(tmp_path: Path) -> None:
    data = dump()
    for _ in range(40):
        data = gzip.compress(data)
    (source,) = find_sources([str(file_of(data, tmp_path))])
    assert "packed more than" in (source.fault or "")


# --------------------------------------------------------------------------------------------------------------- inputs


def test_an_archive_without_members_is_one_input_that_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    (source,) = find_sources([str(tmp_path / "empty.zip")])
    assert source.fault == "The archive empty.zip has no file with data."


def test_a_bad_input_does_not_stop_the_others(tmp_path: Path) -> None:
    for name, data in (
        ("a.zip", b"PK\x03\x04" + bytes(100)),
        ("b.smf", dump()),
        ("c.gz", gzip.compress(CONTENT)[:30]),
        ("d.smf", dump(6)),
    ):
        file_of(data, tmp_path, name)
    sources = list(find_sources([str(tmp_path), str(tmp_path / "none"), str(tmp_path / "d.smf")]))
    assert [source.name for source in sources] == ["a.zip", "b.smf", "c.gz", "d.smf", "none", "d.smf"]
    assert [bool(source.fault) for source in sources] == [True, False, True, False, True, False]


@pytest.fixture(scope="module")
def code_alone(tmp_path_factory: pytest.TempPathFactory) -> int:
    """The return code of a check, and so of a report, of a dump."""
    return run(["check", str(file_of(dump(), tmp_path_factory.mktemp("alone")))])


@pytest.mark.slow
@pytest.mark.parametrize("command", ["report", "check", "ledger", "ingest"])
def test_the_highest_return_code_of_the_inputs_is_used(
    tmp_path: Path, code_alone: int, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    file_of(dump(), tmp_path, "a.smf")
    more = {"ingest": ["--into", str(tmp_path / "ds")], "check": ["--rule", "DQ001"]}.get(command, [])
    alone = code_alone if command in ("report", "check") else run([command, str(tmp_path / "a.smf"), *more])
    file_of(b"PK\x03\x04" + bytes(100), tmp_path, "b.zip")
    file_of(dump(8, "MQ2A"), tmp_path, "c.smf")
    capsys.readouterr()
    code = run([command, *(str(tmp_path / name) for name in ("a.smf", "b.zip", "c.smf")), *more])
    shown = capsys.readouterr()
    assert (alone < 12, code) == (True, 12), shown.err
    assert "b.zip is a damaged or incomplete zip archive" in shown.out + shown.err
    if command == "ingest":
        assert "c.smf: added as source 2" in shown.out
        assert shown.out.endswith("1 added, 1 already in the dataset, 1 not added.\n")


def test_names_cannot_forge_a_line(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a\nend      return code 0\x1b[2J\u202e", CONTENT)
    file_of(stream.getvalue(), tmp_path, "x\ny")
    os.rename(tmp_path / "x\ny", os.fsencode(tmp_path) + b"/x\ny\xff")  # noqa: PTH104 - a name that is no UTF-8
    (source,) = find_sources([str(tmp_path)])
    assert source.name == "x\\ny\\udcff:a\\nend      return code 0\\x1b[2J\\u202e"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("redirection", "code", "text"),
    [
        ("echo hello | {0} ledger -", 12, "stdin: It is text, not an SMF dump."),
        ("{0} ledger - <&-", 12, "Standard input is closed"),
        ("{0} ledger - </dev/null", 12, "stdin is empty"),
        ("{0} report - <&-", 12, "Standard input is closed"),
        ("{0} ingest - --into {1} <&-", 12, "Standard input is closed"),
    ],
)
def test_errors_of_standard_input(tmp_path: Path, redirection: str, code: int, text: str) -> None:
    command = redirection.format(f"{sys.executable} -m mqstat", tmp_path / "ds")
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, text in done.stderr + done.stdout) == (code, True), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_members_before_one_that_stops_the_ingest_are_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException] | OSError
) -> None:
    read = staging.read_small

    def stopped(source: Source, *words: Any, **options: Any) -> Any:
        if source.name.endswith("m3"):
            raise error
        return read(source, *words, **options)

    monkeypatch.setattr(ingesting, "read_small", stopped)
    monkeypatch.setattr(ingesting, "BATCH_SECONDS", 600)
    path = file_of(bytes(tar({f"m{number}": dump(1, f"MQ0{number}") for number in range(5)})), tmp_path, "some.tar")
    with suppress(KeyboardInterrupt):
        assert run(["ingest", str(path), "--into", str(tmp_path / "set")]) != 0
    folder = tmp_path / "set"
    assert [source.name for source in open_dataset(folder).manifest.sources] == [
        "some.tar:m0",
        "some.tar:m1",
        "some.tar:m2",
    ]
    assert verify(folder).problems == []
    assert not (folder / STAGING).exists()


@pytest.mark.slow
def test_an_ingest_of_an_archive_publishes_once_for_many_members(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever is staged is published before another input is reported, and when a member stops the ingest."""
    stored: list[int] = []
    publish = publishing.publish

    def counted(folder: Path, manifest: Manifest, change: Change, *given: Any, **named: Any) -> Manifest:
        made = publish(folder, manifest, change, *given, **named)
        if change.action == "ingest":
            stored.append(len(made.sources))
        return made

    monkeypatch.setattr(publishing, "publish", counted)
    monkeypatch.setattr(ingesting, "BATCH_SECONDS", 600)
    members = {f"m{number:02d}": dump(1, f"MQ{number:02d}") for number in range(30)}
    members |= {"m30": b"no dump " * 500, "m31": members["m03"], "m32": dump(1, "MQ40"), "m33": dump(1, "MQ41")}
    path = file_of(bytes(tar(members)), tmp_path, "many.tar")
    assert run(["ingest", str(path), "--into", str(tmp_path / "set")]) == 12
    assert stored == [32]
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[1] for line in lines[:30]] == sorted(members)[:30]
    assert lines[30].startswith("not added: many.tar:m30")
    assert "m31: already in the dataset as source 4" in lines[31]
    assert lines[-1] == "32 added, 1 already in the dataset, 1 not added."
    assert verify(tmp_path / "set").problems == []
    assert not (tmp_path / "set" / STAGING).exists()
