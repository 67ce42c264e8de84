"""mqstat works with the oldest dependencies that it declares; DuckDB 1.4, pandas, polars and pyarrow read a dataset
without mqstat.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from filelock import FileLock

from mqstat.cli import run
from mqstat.dataset.prune import days_of
from mqstat.dataset.schema import OF_STATE
from mqstat.dataset.store import open_dataset
from mqstat.intake.open_data import open_data
from mqstat.parsers.tables import tables
from tests import doc_engines
from tests.support import built_dump, decode_sources, file_of, invoke, plain, small_dump, source_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
FLOOR = ROOT / "build" / "floor"

READABLE = {"PLAIN", "RLE", "RLE_DICTIONARY", "PLAIN_DICTIONARY", "DELTA_BINARY_PACKED", "BIT_PACKED"}
"""Encodings that DuckDB 1.4 and the vectorised reader of Spark 3.5 read."""

KINDS = {
    "int64": ("BIGINT", "int64[pyarrow]", "Int64", "int64"),
    "string": ("VARCHAR", "string[pyarrow]", "String", "string"),
    "bool": ("BOOLEAN", "bool[pyarrow]", "Boolean", "bool"),
    "timestamp[us]": ("TIMESTAMP", "timestamp[us][pyarrow]", "Datetime(time_unit='us', time_zone=None)", "timestamp[us]"),
    "date32[day]": ("DATE", "date32[day][pyarrow]", "Date", "date32[day]"),
    "binary": ("BLOB", "binary[pyarrow]", "Binary", "binary"),
    "fixed_size_binary[16]": ("BLOB", "fixed_size_binary[16][pyarrow]", "Binary", "fixed_size_binary[16]"),
}  # fmt: skip
"""Each type of a declared table as DuckDB, pandas, polars and pyarrow name it."""


RUN = """
import contextlib, io, json, sys
from mqstat.cli import run
results = []
for arguments in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = run(arguments)
    results.append((code, out.getvalue(), err.getvalue()))
print(json.dumps(results))
"""
"""Runs the commands it gets and prints return code, output and messages of each."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    dump = file_of(built_dump(), folder, "built.smf")
    assert run(["ingest", str(dump), "--into", str(folder / "set")]) == 0
    return folder


@pytest.fixture(scope="module")
def floor() -> Path:
    """The virtual environments of `make floor`; skips when they cannot be installed, such as without a network."""
    FLOOR.parent.mkdir(exist_ok=True)
    # Two workers that make it at the same time would remove files of one another.
    with FileLock(FLOOR.parent / "floor.lock"):
        done = subprocess.run(
            ["make", "--silent", "floor", f"PYTHON={Path(sys.base_prefix) / 'bin' / 'python3'}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
    if done.returncode:
        pytest.skip(f"make floor failed: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    return FLOOR


def test_the_floor_is_what_is_declared() -> None:
    """requirements-floor.lock pins exactly the lower bounds of pyproject.toml."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    pinned = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / "requirements-floor.lock").read_text(), re.MULTILINE))
    for line in declared:
        name, bound = line.partition(",")[0].split(">=")
        assert re.fullmatch(re.escape(bound) + r"(\.0)*", pinned[name]), line


def test_the_next_major_version_is_not_allowed() -> None:
    """What the tests run on is the highest major version that is declared; the floor is below it or the same. Spark is
    not in the lock: its tests skip without it.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = [
        *project["dependencies"],
        *(each for name, extra in project["optional-dependencies"].items() if name != "spark" for each in extra),
    ]
    pinned = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    assert len(declared) > 10
    for line in declared:
        match = re.fullmatch(r"([a-z0-9-]+)>=(\d+)[\d.]*,<(\d+)", line.partition("; python_version")[0])
        assert match is not None, f"{line}: state the lowest version and the first major version that is not tested"
        assert int(match[3]) == int(pinned[match[1]].split(".")[0]) + 1 > int(match[2]), line


def test_every_encoding_is_one_that_old_readers_know(made: Path) -> None:
    encodings: set[str] = set()
    for files in open_dataset(made / "set").files.values():
        for path in files:
            group = pq.ParquetFile(path).metadata.row_group(0)
            for number in range(group.num_columns):
                encodings |= set(group.column(number).encodings)
    assert encodings <= READABLE
    assert {"DELTA_BINARY_PACKED", "RLE_DICTIONARY"} <= encodings


def test_mqstat_runs_with_the_floor(made: Path, floor: Path, tmp_path: Path) -> None:
    package = floor / "tree" / "mqstat"  # always the same folder, so that its modules are compiled once
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    for path in (*(ROOT / "mqstat").iterdir(), *(ROOT / name for name in ("parsers", "reports", "rules", "fixtures"))):
        (package / path.name).symlink_to(path)
    environment = dict(os.environ, PYTHONPATH=str(package.parent), COLUMNS="120")

    dump, folder, page = made / "built.smf", tmp_path / "set", tmp_path / "page.html"
    query = (
        "SELECT lpar, qmgr, record_class, count(*) AS n, sum(record_bytes) AS b FROM record GROUP BY ALL ORDER BY ALL"
    )
    commands: list[list[str | Path]] = [
        ["verify", folder],
        ["report", dump, "--write", page.name],
        ["report", "--from", folder],
        ["check", dump],
        ["sql", query, "--from", folder],
    ]
    done = subprocess.run(
        [str(floor / "mqstat" / "bin" / "python"), "-c", RUN],
        input=json.dumps([["ingest", dump, "--into", folder], *commands], default=str),
        capture_output=True, text=True, env=environment, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ingested, *old = json.loads(done.stdout)
    assert ingested[0] == 0, ingested[2]
    assert old[0][1] == invoke("verify", made / "set").stdout, "both ingests write the same"
    assert page.exists(), old[1][2]
    old_page = page.read_text()
    page.unlink()
    for command_line, printed in zip(commands, old, strict=True):
        assert "Traceback" not in printed[2], printed[2]
        new = invoke(*command_line, cwd=tmp_path, env={"COLUMNS": "120"})
        assert printed == list(new), command_line
    assert page.read_text() == old_page


@pytest.fixture(scope="module")
def seen_by_engines(made: Path, floor: Path) -> dict[bool, tuple[dict[str, pa.Table], dict[str, Any]]]:
    """Before and after merging: the rows that the decoder made, and what each engine sees of them. One process reads
    both: to import the engines takes longer.
    """
    folders = {merged: Path(shutil.copytree(made / "set", made / f"read-{merged}")) for merged in (False, True)}
    assert run(["ingest", str(file_of(small_dump(), made)), "--into", str(folders[True])]) == 0
    assert run(["compact", str(folders[True])]) == 0
    decoded, command = {}, [floor / "reader" / "bin" / "python", ROOT / "tests" / "engines.py"]
    for merged, folder in folders.items():
        sources = [source_of(made / "built.smf"), *([source_of(made / "dump.smf")] if merged else [])]
        decoded[merged], _ = decode_sources(sources)
        assert set(decoded[merged]) == {path.parent.name for path in folder.glob("*/*.parquet")} - {*OF_STATE}
        (made / f"{merged}.json").write_text(json.dumps(schemas_of(decoded[merged])))
        command += [folder, made / f"{merged}.json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {merged: (decoded[merged], seen) for merged, seen in zip(folders, json.loads(done.stdout), strict=True)}


def schemas_of(decoded: dict[str, pa.Table]) -> dict[str, dict[str, str]]:
    """Table -> column -> its type, as `tests/engines.py` reads them."""
    fields = {name: plain(table.slice(0, 0)).schema for name, table in decoded.items()}
    return {name: {field.name: str(field.type) for field in schema} for name, schema in fields.items()}


@pytest.mark.parametrize("merged", [False, True])
def test_every_engine_reads_the_same(
    seen_by_engines: dict[bool, tuple[dict[str, pa.Table], dict[str, Any]]], merged: bool
) -> None:
    """DuckDB 1.4, pandas, polars and pyarrow see the rows, types, nulls, times and days that the decoder made, before
    and after merging.
    """
    decoded, seen = seen_by_engines[merged]
    schemas, digests = schemas_of(decoded), {name: digest_of(table) for name, table in decoded.items()}
    assert list(seen) == ["duckdb", "pandas", "polars", "pyarrow"]
    for number, (engine, by_table) in enumerate(seen.items()):
        assert set(by_table) == set(decoded)
        for name, (digest, kinds) in by_table.items():
            assert digest == digests[name], (engine, name)
            assert kinds == [KINDS[kind][number] for kind in schemas[name].values()], (engine, name)


def digest_of(table: pa.Table) -> str:
    """As `tests/engines.py` does, from the rows that were decoded into memory."""
    return hashlib.sha256("\n".join(sorted(map(repr, table.to_pylist()))).encode()).hexdigest()


PAGE = ROOT / "docs" / "dataset.md"


def test_the_page_has_a_text_for_each_engine() -> None:
    """The texts for Spark are only parsed: their functions, types and encodings are those of the rules of the format
    (`tests/test_spark.py` runs Spark).
    """
    found = doc_engines.texts(PAGE.read_text(encoding="utf-8"))
    assert {heading: set(by_engine) for heading, by_engine in found.items()} == {
        "The same rows in five engines": {"DuckDB", "pandas", "polars", "Spark", "pyarrow"},
        "Tables": {"pyarrow"},
    }
    for by_engine in found.values():
        for engine, text in by_engine.items():
            if engine != "DuckDB":
                ast.parse(text)


def test_the_texts_of_the_page_give_the_same_rows(made: Path, floor: Path) -> None:
    """pandas, polars and pyarrow answer the question of docs/dataset.md alike, and as mqstat does."""
    folder = made / "set"
    opened = open_dataset(folder)
    day = max(days_of(opened.manifest))
    program = floor / "reader" / "bin" / "python"
    command = [str(each) for each in (program, ROOT / "tests" / "doc_engines.py", PAGE, folder, day)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    by_engine = seen["The same rows in five engines"]
    query = f"SELECT qmgr, max(buffers) FROM decoded.qpst WHERE date = DATE '{day}' GROUP BY qmgr"
    with open_data(dataset=folder) as database:
        rows = [[doc_engines.plain(each) for each in row] for row in database.execute(query).fetchall()]
    assert rows
    assert by_engine["pandas"] == by_engine["polars"] == by_engine["pyarrow"] == sorted(rows, key=repr)
    column = next(column for column in tables()["qpst"][1] if column.name == "buffers")
    of_column = {"comment": column.doc, "unit": column.unit, "kind": column.kind, "ibm_name": column.mnemonic}
    assert seen["Tables"]["pyarrow"] == sorted(map(list, of_column.items()))
