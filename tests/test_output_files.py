"""Where formats are written: file names and their extensions, wrong words, full disks, links, pipes and devices; a file
is complete or as it was.
"""

from __future__ import annotations

import dataclasses
import errno
import io
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mqstat.assemble.model import Report
from mqstat.base import atomic_write
from mqstat.base.errors import UsageError
from mqstat.cli import refused, run
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.render.formats import endings, format_of, formats, formats_of
from mqstat.render.write import write, write_file
from tests.report_checks import valid_json
from tests.support import file_of

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(SCENARIOS["pool_exhausted"].build(), tmp_path_factory.mktemp("bad"), "bad.smf")


def test_file_extensions() -> None:
    assert set(endings(formats_of("report")).values()) == set(formats_of("report"))
    assert format_of(Path("a/B.HTML")) == "html"
    assert [name for name, known in formats().items() if "page" in known.needs] == ["html"]
    for name in ("report", "report.xls", ".html", "html"):
        with pytest.raises(UsageError, match="has no known extension"):
            format_of(Path(name))


WRONG: dict[str, tuple[list[str], str]] = {
    "an unknown ending": (["report", "{bad}", "--write", "{tmp}/report.xls"], "report.xls has no known extension (.txt, .csv, .html"),
    "no ending": (["report", "{bad}", "--write", "{tmp}/report"], "has no known extension (.txt, .csv, .html"),
    "an unknown format": (["report", "{bad}", "--format", "pdf"], "choose text, csv, html, json, markdown, openmetrics or parquet"),
    "a page of findings": (["check", "{bad}", "--format", "html"], "--format html: choose text, csv, json, "),
    "parquet to nowhere": (["report", "{bad}", "--format", "parquet"], "--output DIR"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_words(name: str, bad: Path, tmp_path: Path, capsys: Captured) -> None:
    arguments, message = WRONG[name]
    assert run([argument.format(bad=bad, tmp=tmp_path) for argument in arguments]) == 16
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert not list(tmp_path.iterdir())


def test_a_page_is_not_written_to_a_terminal(bad: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run(["report", str(bad), "--format", "html"]) == 16
    captured = capsys.readouterr()
    assert "a terminal cannot show it: add --output FILE." in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("where", ["no/such/folder/report.json", "folder.json", "file.txt/report.json"])
def test_an_output_that_cannot_be_written(where: str, small_report: Report, tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "file.txt").write_text("here", encoding="utf-8")
    with pytest.raises(UsageError, match=r"report.json cannot be written: |folder.json cannot be written: "):
        write_file(small_report, tmp_path / where)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file.txt", "folder.json"]


@pytest.mark.slow
def test_parquet_where_a_file_is(small_report: Report, tmp_path: Path) -> None:
    (tmp_path / "data.parquet").write_text("here", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be written"):
        write_file(small_report, tmp_path / "data.parquet")


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    """The limit on the size of a file fails as a full disk does, in the middle of writing."""
    target = tmp_path / "report.json"
    target.write_text("yesterday", encoding="utf-8")
    program = """
import resource, sys
from pathlib import Path
from mqstat.base.errors import UsageError
from mqstat.base.atomic_write import replacing
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    with replacing(Path(sys.argv[1])) as stream:
        stream.write("x" * 100_000)
except UsageError as error:
    sys.exit(str(error))
"""
    done = subprocess.run([sys.executable, "-c", program, str(target)], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == f"{target} cannot be written: File too large\n" or done.stderr.endswith("File too large.\n")
    assert target.read_text(encoding="utf-8") == "yesterday"
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_a_disk_that_fills_when_it_is_synced(
    small_report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    for name in ("report.json", "report.md", "data.parquet"):
        with pytest.raises(UsageError, match=r"cannot be written: No space left on device\.$"):
            write_file(
                dataclasses.replace(small_report, only_tables=True, tables=(small_report.all_findings,)),
                tmp_path / name,
            )
    assert not list(tmp_path.iterdir())


def test_an_error_while_writing_leaves_no_file(small_report: Report, tmp_path: Path) -> None:
    with pytest.raises(KeyError), atomic_write.replacing(tmp_path / "a.txt") as stream:  # noqa: PT012 - the first line is the half
        stream.write("half")
        raise KeyError("x")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("target", ["tables", "rules"])
def test_an_output_without_a_reader(target: str) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "mqstat", target]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 16
    assert done.stderr == "mqstat: there is no space left for the output: No space left on device.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_device_that_is_full(small_report: Report) -> None:
    with pytest.raises(UsageError, match="/dev/full cannot be written: No space left on device"):
        write_file(small_report, Path("/dev/full"), "json")


def test_system_errors_are_one_sentence() -> None:
    assert (
        refused(OSError(errno.ENOSPC, "No space left on device"))
        == "there is no space left for the output: No space left on device."
    )
    assert (
        refused(PermissionError(errno.EACCES, "Permission denied", "a\x1bb"))
        == "the system refused a\\x1bb: Permission denied."
    )


def test_a_link_and_the_mode_of_a_file_stay(small_report: Report, tmp_path: Path) -> None:
    target, link = tmp_path / "real.txt", tmp_path / "latest.txt"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    link.symlink_to(target)
    assert write_file(small_report, link) == [link]
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert target.read_text(encoding="utf-8").startswith("mqstat: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest.txt", "real.txt"]


def test_a_link_with_the_name_of_a_file_that_is_made_first_is_not_followed(tmp_path: Path) -> None:
    other, target = tmp_path / "other.txt", tmp_path / "made.txt"
    other.write_text("of somebody else", encoding="utf-8")
    for link in (target, target.with_name(f".{target.name}.{os.getpid()}.part")):
        link.symlink_to(other)
        with atomic_write.replacing(target) as stream:
            stream.write("complete")
        assert not target.is_symlink()
        assert target.read_text(encoding="utf-8") == "complete"
        assert other.read_text(encoding="utf-8") == "of somebody else"


def test_a_pipe_is_written_as_it_is(small_report: Report, tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe.json", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_file(small_report, pipe)
    reader.join(10)
    assert valid_json(read[0])
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_parquet_cannot_be_streamed(small_report: Report) -> None:
    with pytest.raises(UsageError, match="files, not a stream"):
        write(small_report, "parquet", io.StringIO())


@pytest.mark.slow
@pytest.mark.parametrize("command", ["export series --format ndjson", "map --format dot"])
def test_standard_output_for_programs_is_utf8(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the encoding of the terminal; names of records may have any character."""
    dump = file_of(SCENARIOS["hostile_everywhere"].build(), tmp_path)
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, encoding="latin-1", newline="\r\n"))
    assert run([*command.split(), str(dump)]) in (0, 4, 8)
    sys.stdout.flush()
    output = tmp_path / "output"
    assert run([*command.split(), str(dump), "--output", str(output)]) in (0, 4, 8)
    assert written.getvalue() == output.read_bytes()
    assert not output.read_bytes().isascii()


@pytest.mark.parametrize(
    "arguments", ["export series {dump} --into", "export index-templates --into", "export grafana --into"]
)
def test_a_file_in_place_of_a_folder(arguments: str, bad: Path, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "in-the-way").write_text("")
    given = [each.format(dump=bad, tmp=tmp_path) for each in arguments.split()]
    assert run([*given, str(tmp_path / "in-the-way")]) == 16
    printed = "".join(capsys.readouterr())
    assert "in-the-way cannot be written: it is not a folder." in printed
    assert printed.count("\n") == 1
