"""The memory that DuckDB may use: the least for little data, more for much, never more than a share of the machine."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pytest

from mqstat.cli import run
from mqstat.sql import memory
from mqstat.sql.memory import memory_limit
from tests.support import file_of, small_dump


@pytest.fixture
def tables(tmp_path: Path) -> dict[str, list[Path]]:
    """Two tables of 40 MB and 80 MB that take no space on the disk."""
    made: dict[str, list[Path]] = {}
    for name, sizes in {"wtas": [40], "wq": [30, 50]}.items():
        made[name] = []
        for number, size in enumerate(sizes):
            path = tmp_path / f"{name}-{number}.parquet"
            with path.open("wb") as file:
                file.truncate(size * memory.MB)
            made[name].append(path)
    return made


def test_much_data_may_take_more(tables: dict[str, list[Path]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_memory", lambda: 64_000 * memory.MB)
    assert memory_limit(tables) == f"{600 + memory.TIMES * (80 - 32)}MB"
    assert memory_limit({"wq": tables["wq"][:1]}) == "600MB"
    assert memory_limit({"qqst": tables["wq"]}) == "600MB"
    assert memory_limit({"wq": pa.table({"record_id": [1]})}) == "600MB"
    assert memory_limit({}) == "600MB"


@pytest.mark.parametrize(("machine_mb", "expected"), [(3_000, 1_000), (1_000, 600)])
def test_a_small_machine_limits_it(
    machine_mb: int, expected: int, tables: dict[str, list[Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_memory", lambda: machine_mb * memory.MB)
    assert memory_limit(tables) == f"{expected}MB"


@pytest.mark.parametrize(("text", "is_limit"), [("1000000000", True), ("max", False), (None, False)])
def test_a_container_limits_it(
    text: str | None, is_limit: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = tmp_path / "memory.max"
    if text is not None:
        limit.write_text(f"{text}\n")
    monkeypatch.setattr(memory, "LIMIT_OF_GROUP", limit)
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 4_000_000, "SC_PAGE_SIZE": 4096}.__getitem__)
    assert memory._memory() == (1_000_000_000 if is_limit else 4_000_000 * 4096)


@pytest.mark.skipif(not memory.STATE.exists(), reason="the system does not state what a process has")
def test_a_value_of_a_query_may_take_a_share_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(memory, "_memory", lambda: 1_000 * memory.MB)
    file = str(file_of(small_dump(), tmp_path))
    assert run(["sql", "SELECT length(repeat('x', 1_500_000_000))", file]) == 16
    assert "The query needs more memory than it may have" in capsys.readouterr().err
    assert run(["sql", "SELECT length(repeat('x', 1_000_000))", file]) == 0
