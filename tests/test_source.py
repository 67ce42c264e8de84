"""Sources: everything is recognised by its content, streamed, and truncated input is read as far as it goes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import random
import sys
import tarfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from mqstat.base.errors import InputError
from mqstat.sources.source import Source, find_sources, tersed

CONTENT = b"".join(random.Random(n).randbytes(40) + bytes(200) for n in range(2000))


def arrow(data: bytes, codec: str) -> bytes:
    sink = pa.BufferOutputStream()
    stream = pa.CompressedOutputStream(sink, codec)
    stream.write(data)
    stream.close()
    return bytes(sink.getvalue().to_pybytes())


def packed(data: bytes, kind: str) -> bytes:
    if kind in ("zstd", "lz4"):
        return arrow(data, kind)
    return gzip.compress(data) if kind == "gz" else bz2.compress(data) if kind == "bz2" else lzma.compress(data)


KINDS = ["gz", "bz2", "xz", "zstd", "lz4"]


def content(source: Source) -> bytes:
    with source.open() as reader:
        parts = []
        while data := reader.read(70_000):
            parts.append(data)
        return b"".join(parts)


def only(path: Path) -> Source:
    (source,) = find_sources([str(path)])
    again: Source = pickle.loads(pickle.dumps(source))  # noqa: S301 - our own object
    assert again == source
    return again


def test_a_plain_file_can_be_read_from_any_offset(tmp_path: Path) -> None:
    path = tmp_path / "dump.gz"  # the name has no meaning
    path.write_bytes(CONTENT)
    source = only(path)
    assert (source.name, source.path, source.size) == ("dump.gz", path, len(CONTENT))
    assert content(source) == CONTENT
    with source.open(1234) as reader:
        assert reader.peek(10) == CONTENT[1234:1244]
        assert reader.read(20) + reader.read(1 << 30) == CONTENT[1234:]
        assert reader.read(10) == b""
    target = bytearray(100)
    with source.open(7) as reader:
        assert reader.readinto(memoryview(target)) == 100
        assert bytes(target) == CONTENT[7:107]


@pytest.mark.parametrize("kind", KINDS)
def test_compression_is_recognised_by_content(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "dump.smf"
    for times in (1, 2):  # several concatenated members are one stream
        path.write_bytes(packed(CONTENT, kind) * times)
        source = only(path)
        assert (source.name, source.path, source.size) == ("dump.smf", None, None)
        assert content(source) == CONTENT * times
        with source.open(5000) as reader:
            assert reader.read(100) == CONTENT[5000:5100]


@pytest.mark.parametrize("kind", ["gz", "xz", "zstd", "lz4"])
def test_a_truncated_stream_is_read_as_far_as_it_goes(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "dump"
    whole = packed(CONTENT, kind)
    path.write_bytes(whole[: len(whole) * 3 // 4])
    source = only(path)
    data = content(source)
    assert len(data) > len(CONTENT) // 2
    assert CONTENT.startswith(data)
    assert source.problem
    assert source.problem.startswith("dump: the ")


def test_a_corrupt_gzip_keeps_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    whole = bytearray(gzip.compress(CONTENT))
    middle = len(whole) // 2
    whole[middle : middle + 50] = random.Random(3).randbytes(50)
    path.write_bytes(whole)
    source = only(path)
    data = content(source)
    assert len(data) > len(CONTENT) // 3
    assert CONTENT.startswith(data[: len(CONTENT) // 3])
    assert source.problem


def test_zip_members_and_a_compressed_one_inside(tmp_path: Path) -> None:
    path = tmp_path / "day"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/one.smf", CONTENT)
        archive.writestr("two", gzip.compress(CONTENT))
        archive.writestr("nothing", b"")
    sources = list(find_sources([str(path)]))
    assert [each.name for each in sources] == ["day:one.smf", "day:two"]
    assert [content(each) for each in sources] == [CONTENT, CONTENT]


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_tar_members(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "day"
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in (("a/one", CONTENT), ("two.zst", arrow(CONTENT, "zstd"))):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    sources = list(find_sources([str(path)]))
    assert [each.name for each in sources] == ["day:one", "day:two.zst"]
    assert [content(pickle.loads(pickle.dumps(each))) for each in sources] == [CONTENT, CONTENT]  # noqa: S301 - our own


def test_a_folder_is_searched_at_all_levels_in_order(tmp_path: Path) -> None:
    for name in ("b", "a/z", "c.gz"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(CONTENT) if name == "c.gz" else CONTENT)
    (tmp_path / "in" / "empty").write_bytes(b"")
    assert [each.name for each in find_sources([str(tmp_path / "in")])] == ["z", "b", "c.gz"]


@pytest.mark.parametrize("compress", [False, True])
def test_stdin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compress: bool) -> None:
    path = tmp_path / "dump"
    path.write_bytes(gzip.compress(CONTENT) if compress else CONTENT)
    with path.open("rb") as handle:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(handle))
        (source,) = find_sources(["-"])
        assert source.name == "stdin"
        assert content(source) == CONTENT
        with pytest.raises(InputError, match="can be read only once"):
            source.open()


def test_what_cannot_be_read_is_reported_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    (tmp_path / "zip").write_bytes(b"PK\x03\x04" + bytes(100))
    for name, message in (
        ("empty", "empty is empty"),
        ("none", "does not exist"),
        ("folder", "has no file"),
        ("zip", "damaged or incomplete zip"),
    ):
        with pytest.raises(InputError, match=message) as caught:
            only(tmp_path / name).open()
        assert str(tmp_path) not in str(caught.value)


def test_a_file_that_becomes_shorter_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_bytes(CONTENT)
    source = only(path)
    path.write_bytes(CONTENT[:1000])
    with pytest.raises(InputError, match="dump ended at offset 1000"):
        content(source)


def test_tersed_input_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "dump.trs"
    path.write_bytes(bytes.fromhex("02017FF80400000000007FF8") + random.Random(1).randbytes(5000))
    with pytest.raises(InputError, match="AMATERSE"):
        only(path).open()
    assert [each.name for each in find_sources([str(path)], refuse=False)] == ["dump.trs"]
    assert tersed(bytes.fromhex("078969A5") + bytes(20))
    # A dump whose first record is 512 bytes long begins with 02 00 as well.
    record = bytes.fromhex("020000001E1E00267FD30115343F") + bytes(498)
    assert not tersed(record * 4)
