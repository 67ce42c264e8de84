"""The examples of the start pages and docs/guide.md run, and errors are one sentence that names the file."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from mqstat.fixtures.scenarios import SCENARIOS
from tests.made_once import made_once
from tests.support import ROOT, file_of, invoke


def commands_of(page: Path) -> list[str]:
    """The command lines of a page that begin with `$ mqstat`."""
    return re.findall(r"^\$ (mqstat .*)$", page.read_text(encoding="utf-8"), re.MULTILINE)


def test_examples_run(tmp_path: Path) -> None:
    file_of(SCENARIOS["pool_exhausted"].build(), tmp_path, "sample.smf")  # smaller than the sample
    with made_once():
        for page in (*sorted((ROOT / "docs" / "start").glob("*.md")), ROOT / "docs" / "guide.md"):
            lines = commands_of(page)
            assert lines, f"{page.name} has no line that begins with `$ mqstat`: show how the program is called"
            for line in sorted(lines, key=lambda line: "--write" not in line):  # its report is that of the others
                done = invoke(*shlex.split(line.replace("MQPA", "MQ01"))[1:], cwd=tmp_path)  # the sample has MQPA
                assert done.returncode in (0, 4, 8), (
                    f"{page.name}: {line!r} fails; correct the example or the command\n{done.stderr}"
                )
                assert done.stdout.strip(), f"{page.name}: {line!r} prints nothing; show a command with output"


@pytest.mark.parametrize(
    ("name", "content", "arguments"),
    [
        ("not-there.smf", None, ("report", "{}")),
        ("not-there.smf", None, ("ledger", "{}")),
        ("empty.smf", b"", ("report", "{}")),
        ("text.smf", b"This is not a dump. " * 300, ("report", "{}")),
        ("text.smf", b"This is not a dump. " * 300, ("ingest", "{}", "--into", "data")),
        ("cut.smf.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", ("report", "{}")),
        ("no-dataset", "folder", ("report", "--from", "{}")),
        ("no-dataset", "folder", ("verify", "{}")),
    ],
)  # fmt: skip
def test_a_message_names_the_file(
    name: str, content: bytes | str | None, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    if content == "folder":
        (tmp_path / name).mkdir()
    elif isinstance(content, bytes):
        (tmp_path / name).write_bytes(content)
    done = invoke(*(argument.format(name) for argument in arguments), cwd=tmp_path)
    assert done.returncode in (12, 16), done.stdout + done.stderr
    output = done.stdout + done.stderr
    assert name in output
    assert "Traceback" not in output
    assert "unexpected error" not in output
    assert len(done.stderr.strip().splitlines()) <= 3, "a message is a sentence, not a page"


def test_damage_names_the_offset(tmp_path: Path) -> None:
    sample = SCENARIOS["pool_exhausted"].build()
    file_of(sample[:-7], tmp_path, "cut.smf")
    done = invoke("ledger", "cut.smf", cwd=tmp_path)
    assert done.returncode == 4, done.stderr
    assert "cut.smf" in done.stdout
    offsets = [
        int(number.replace(",", ""))
        for number in re.findall(r"^ *([\d,]+) +[\d,]+  truncated", done.stdout, re.MULTILINE)
    ]
    assert len(offsets) == 1
    assert len(sample) - 40_000 < offsets[0] < len(sample)
