"""The command demo: the sample, its report and its page in a new folder, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqstat.fixtures.scenarios import find
from tests.support import invoke


def test_the_demo_writes_dump_and_page_prints_the_report_and_names_what_is_next(tmp_path: Path) -> None:
    done = invoke("demo", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    folder = tmp_path / "mqstat-demo"
    assert [path.name for path in tmp_path.iterdir()] == ["mqstat-demo"]
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", "sample.smf"]
    assert (folder / "sample.smf").read_bytes() == find("sample").build()
    report, _, after = done.stdout.partition("\nThe page:")
    assert (
        report
        == invoke("report", "mqstat-demo/sample.smf", "--write", "again.html", cwd=tmp_path).stdout.rstrip("\n") + "\n"
    )
    assert (folder / "report.html").read_bytes() == (tmp_path / "again.html").read_bytes()
    assert "mqstat-demo/report.html" in after
    command = re.search(r"mqstat report YOUR\.DUMP (.*)", after)
    assert command, "the next command is for an own dump"
    own = ["report", "mqstat-demo/sample.smf", *command[1].split()]
    assert invoke(*own, cwd=tmp_path).returncode == 8, "the command works as it is shown"


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_the_demo_overwrites_nothing(kind: str, tmp_path: Path) -> None:
    taken = tmp_path / "mqstat-demo"
    if kind == "folder":
        taken.mkdir()
        (taken / "report.html").write_text("mine", encoding="utf-8")
    elif kind == "file":
        taken.write_text("mine", encoding="utf-8")
    else:
        taken.symlink_to("elsewhere")
    done = invoke("demo", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (16, "")
    assert "mqstat-demo exists and the demo overwrites nothing" in done.stderr
    assert done.stderr.count("\n") == 1
    kept = (taken / "report.html") if kind == "folder" else taken
    assert kind == "link" or kept.read_text(encoding="utf-8") == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["mqstat-demo"]


def test_a_folder_that_cannot_be_created_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", refused)
    done = invoke("demo", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (16, "")
    assert "mqstat-demo cannot be created: Permission denied" in done.stderr
