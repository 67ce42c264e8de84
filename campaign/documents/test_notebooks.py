"""The notebooks of docs/notebooks: their code runs as it is, and outputs that they store are those of the bundled
sample.
"""

from __future__ import annotations

import ast
import contextlib
import json
from pathlib import Path
from typing import Any

from mqstat.fixtures.scenarios import SCENARIOS
from tests.support import ROOT, file_of, invoke

FOLDER = ROOT / "docs" / "notebooks"
STORED = {"pool-full", "queue-cpu"}
"""Notebooks over the bundled sample, whose outputs are stored; `two-days` needs a dataset of two days."""


def notebook(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    return data


def code_of(book: dict[str, Any]) -> list[dict[str, Any]]:
    """The code cells of a notebook."""
    return [cell for cell in book["cells"] if cell["cell_type"] == "code"]


def result_of(source: str, names: dict[str, Any]) -> Any:
    """The value of the last expression of a cell, None without one."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)  # noqa: S102 - one of our notebooks
    return None if last is None else eval(ast.unparse(last), names)  # noqa: S307 - as above


def run_cells(name: str, folder: Path) -> list[Any]:
    """The results of the code cells of a notebook, run in one folder."""
    names: dict[str, Any] = {}
    with contextlib.chdir(folder):
        return [result_of("".join(cell["source"]), names) for cell in code_of(notebook(name))]


def test_notebooks_are_short_and_whole() -> None:
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == {*STORED, "two-days"}
    for name in (*STORED, "two-days"):
        book = notebook(name)
        lines = [line for cell in code_of(book) for line in "".join(cell["source"]).splitlines() if line]
        assert 4 <= len(lines) <= 5, name
        assert book["nbformat"] == 4
        assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
        for cell in code_of(book):
            assert cell["execution_count"] is None, "a notebook that was run has a counter that changes each time"
            assert bool(cell["outputs"]) == (name in STORED)
        assert f"notebooks/{name}.ipynb" in (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


def test_outputs_are_those_of_the_sample(tmp_path: Path) -> None:
    file_of(SCENARIOS["sample"].build(), tmp_path, "sample.smf")
    for name in sorted(STORED):
        results = run_cells(name, tmp_path)
        assert len(results) == len(code_of(notebook(name)))
        for cell, value in zip(code_of(notebook(name)), results, strict=True):
            ((kind, text),) = cell["outputs"][0]["data"].items()
            assert kind == "text/plain"
            assert "".join(text).split() == repr(value).split(), (
                f"docs/notebooks/{name}.ipynb: store this output\n{value!r}"
            )


def test_two_days_are_compared(tmp_path: Path) -> None:
    """The dataset has the sample and the same day a week before, in which one queue manager is missing."""
    dump = file_of(SCENARIOS["sample"].build(), tmp_path, "sample.smf")
    assert invoke("redact", dump, "--into", tmp_path / "before.smf", "--shift", "-7d").returncode == 0
    assert invoke("ingest", dump, "--into", tmp_path / "data").returncode == 0
    before = ("ingest", tmp_path / "before.smf", "--into", tmp_path / "data", "--qmgr", "MQPA", "--qmgr", "MQPB")
    assert invoke(*before).returncode == 0
    (days,) = run_cells("two-days", tmp_path)
    assert [[row["qmgr"] for row in day] for day in days] == [["MQPA", "MQPB"], ["MQPA", "MQPB", "MQW1"]]
    assert [{str(row["day"]) for row in day} for day in days] == [{"2026-05-14"}, {"2026-05-21"}]
    assert [row["puts"] for row in days[0]] == [row["puts"] for row in days[1]][:2]
    assert all(row["calls"] > row["puts"] > 0 for day in days for row in day)
