"""What `explain` prints about structures and columns, and the page about reading a record by hand, are as the
records.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from mqstat.dataset.store import open_dataset
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.scenarios import find
from mqstat.judge.explain import explain_any
from mqstat.judge.lineage import formula_of
from mqstat.parsers import LAYOUTS
from mqstat.parsers.tables import tables
from mqstat.sql import sqlfile
from tests.support import ROOT, built_records, file_of, invoke

COLUMNS_OF_VIEWS = {name for view in sqlfile.views().values() for name in view.columns}
MOST_LINES = 30
"""Lines of the script of the page."""


def script() -> str:
    match = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "smf-record.md").read_text(encoding="utf-8"), re.DOTALL)
    assert match
    return match[1]


def test_the_script_is_short_and_imports_only_the_standard_library() -> None:
    assert len(script().splitlines()) <= MOST_LINES
    names = re.findall(r"^(?:import|from) (\w+)", script(), re.MULTILINE)
    assert set(names) <= set(sys.stdlib_module_names)


@pytest.mark.slow
def test_the_script_reaches_the_value_that_prove_prints(tmp_path: Path) -> None:
    dump = file_of(find("sample").build(), tmp_path, "sample.smf")
    code = file_of(script().encode(), tmp_path, "by_hand.py")
    done = subprocess.run([sys.executable, "-I", code, dump], capture_output=True, text=True, check=True)
    proof = json.loads(invoke("prove", "BP002/MQPA", dump, "--format", "json").stdout)
    assert (
        done.stdout
        == f"{proof['observed']:.0f} in buffer pool 3 of MQPA, record at offset {proof['records'][0]['offset']}\n"
    )
    assert done.stdout in (ROOT / "docs" / "smf-record.md").read_text(encoding="utf-8"), "the page shows another output"


def test_every_field_has_its_offset_and_every_array_its_stride() -> None:
    """The distance between two entries is that of the declaration, in the order of the dimensions."""
    arrays = 0
    for layout in LAYOUTS.values():
        fields = explain_any(f"decoded.{layout.name}").partition("\nFields of the record\n")[2]
        for field in layout.named:
            arrays += bool(field.dims)
            strides = ", ".join(str(stride) for _, stride in field.dims)
            counts = [f"{count} x " for count, _ in field.dims if count > 1]
            line = f"{field.at} {''.join(counts)}{field.type.width} {strides} {field.type.ctype} {field.mnemonic.upper()} = "
            words = re.escape(" ".join(line.split())).replace(r"\ ", r"\s+")
            assert re.search(rf"^\s+{words}\s*{field.name}\b", fields, re.MULTILINE), (layout.name, line)
    assert arrays > 20


def test_every_field_is_explained_by_the_name_of_ibm() -> None:
    for table, (_, columns) in tables().items():
        for column in columns:
            if column.mnemonic and column.mnemonic.lower() not in COLUMNS_OF_VIEWS:
                assert f"{table}.{column.name}  [{column.unit}, " in explain_any(column.mnemonic), column.mnemonic


def test_formulas_are_those_of_the_declarations() -> None:
    assert formula_of("buffer_pool", "lowest_free_pct") == "100 * lowest_stealable / nullif(buffers, 0)"
    assert formula_of("buffer_pool", "pages_per_write") == (
        "pages_written / nullif(write_ios, 0); several rows: sum of pages_written / sum of write_ios"
    )
    assert formula_of("buffer_pool", "buffers") == ""
    assert " = 100 * lowest_stealable / nullif(buffers, 0)\n" in explain_any("buffer_pool")


@pytest.mark.slow
def test_the_tables_that_count_whole_inputs_are_those_that_the_page_names(tmp_path: Path) -> None:
    """After overlaps, every other table has the rows of the distinct records."""
    records = built_records()
    half = len(records) // 2
    dumps = {"all": records, "first": records[: half + 10], "second": records[half:]}
    for name, own in dumps.items():
        file_of(smf_file(own), tmp_path, f"{name}.smf")
    assert invoke("ingest", tmp_path / "all.smf", "--into", tmp_path / "once").returncode == 0
    for name in ("first", "second"):
        done = invoke("ingest", tmp_path / f"{name}.smf", "--into", tmp_path / "overlapping")
        assert done.returncode == 0
    assert re.search(r": 50 records decoded of 68, 10 in the dataset already", done.stdout)
    condition = {"record": "WHERE first_record_id IS NULL"}
    sums = {"section": "sum(sections)", "other_record": "sum(records)"}

    def counted(table: str, folder: str) -> int:
        files = [str(path) for path in open_dataset(tmp_path / folder).files.get(table, ())]
        if not files:
            return 0
        query = f"SELECT {sums.get(table, 'count(*)')} FROM read_parquet({files}) {condition.get(table, '')}"
        [(number,)] = duckdb.connect().execute(query).fetchall()
        return int(number)

    grown = {table for table in tables() if counted(table, "overlapping") != counted(table, "once")}
    assert grown == {"source", "section", "other_record"}
    page = (ROOT / "docs" / "dataset.md").read_text(encoding="utf-8")
    assert "Tables `section`, `lost_value` and `other_record` count whole inputs" in page
