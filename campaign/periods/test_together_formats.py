"""Reports by hour, by day and for their first subjects in every format: the same rows, keys and columns everywhere."""

from __future__ import annotations

import csv
import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from campaign.periods.test_grain import estate
from mqstat.cli import run
from mqstat.sql.sqlfile import reports
from tests.grain import subject_of
from tests.made_once import made_once
from tests.support import file_of

LOST = {
    "overview/findings": "rule_id",
    "overview/peaks": "metric",
    "application/chargeback": "application",
    "task/time_breakdown": "application",
    "task/units_of_work": "application",
    "cf/verb_cost": "application",
    "cf/open_close": "base_name",
    "application/cpu": "application",
}
"""Reports with --top, each with a part of its subject that is no key of a record."""


@pytest.fixture(scope="module")
def estate_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The dump of the estate, which is opened once."""
    with made_once():
        yield file_of(estate(), tmp_path_factory.mktemp("together"))


def written(estate_file: Path, folder: Path, words: Sequence[str]) -> Mapping[str, Any]:
    """The rows of a report as JSON, CSV and Parquet have them, its text, page and Markdown."""
    paths = {ending: folder / f"out.{ending}" for ending in ("json", "csv", "parquet", "html", "md")}
    options = [part for path in paths.values() for part in ("--write", str(path))]
    text = folder / "out.txt"
    assert run(["report", str(estate_file), *words, *options, "--output", str(text), "--width", "250"]) in (0, 4)
    (table,) = json.loads(paths["json"].read_text())["reports"].values()
    with paths["csv"].open(encoding="utf-8", newline="") as file:
        listed = list(csv.DictReader(file))
    return {
        "json": table, "csv": listed, "parquet": pq.read_table(paths["parquet"]), "text": text.read_text(), "html": paths["html"].read_text(),
        "md": paths["md"].read_text(),
    }  # fmt: skip


def plain(value: Any) -> Any:
    """A value of Parquet as JSON has it."""
    return value.isoformat() if isinstance(value, (dt.datetime, dt.date)) else value


def check(result: Mapping[str, Any], subject: Sequence[str]) -> list[dict[str, Any]]:
    """All formats have the same rows; returns them."""
    names = [column["name"] for column in result["json"]["columns"]]
    rows = [dict(zip(names, row, strict=True)) if isinstance(row, list) else row for row in result["json"]["rows"]]
    assert rows
    assert result["parquet"].column_names == names == list(result["csv"][0])
    assert len(rows) == result["parquet"].num_rows == len(result["csv"])
    for row, other, listed in zip(rows, result["parquet"].to_pylist(), result["csv"], strict=True):
        for name in names:
            if isinstance(row[name], float):
                assert other[name] == pytest.approx(row[name]), name
                assert float(listed[name]) == pytest.approx(row[name]), name
            elif name in (*subject, "rank", "hour_start_utc", "day_start_local"):
                assert (plain(other[name]) if row[name] is not None else other[name]) == row[name], name
                assert listed[name] == ("" if row[name] is None else str(row[name])), name
    return rows


@pytest.mark.parametrize("report", LOST)
def test_the_first_subjects_keep_their_names_in_every_format(report: str, estate_file: Path, tmp_path: Path) -> None:
    result = written(estate_file, tmp_path, ["--report", report, "--top", "3"])
    rows = check(result, subject_of(reports()[report]))
    single = [row for row in rows if row["rank"].isdigit()]
    assert 1 <= len(single) <= 3
    for row in single:
        name = row[LOST[report]]
        assert name
        assert all(str(name) in result[shown].replace("\\", "") for shown in ("text", "md", "html"))
    assert rows[-1]["rank"] == "total"


@pytest.mark.parametrize(
    "words",
    [["--by", "hour"], ["--by", "day"], ["--by", "hour", "--top", "3"], ["--by", "day", "--top", "1"], ["--top", "2"]],
    ids=" ".join,
)
@pytest.mark.parametrize("report", ["log/io", "queue_statistics/puts", "channel_initiator/adapters"])
def test_hours_and_days_in_every_format(report: str, words: list[str], estate_file: Path, tmp_path: Path) -> None:
    result = written(estate_file, tmp_path, ["--report", report, *words])
    subject = subject_of(reports()[report])
    rows = check(result, subject)
    start = {"hour": "hour_start_utc", "day": "day_start_local"}.get(words[1], "rank")
    own = [row for row in rows if row.get("rank", "1").isdigit()]
    keys = [tuple(row[name] for name in (start, *subject)) for row in own]
    assert len(set(keys)) == len(keys)
    assert all(row[start] for row in rows)
    ends = [line for line in result["text"].splitlines() if line.strip().startswith(("total", "others"))]
    assert ("--top" in words) is bool(ends)
    assert not any("Z " in line for line in ends), "all queue managers have the same local time"
