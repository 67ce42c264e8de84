"""Runs the texts of docs/dataset.md with the engines that they are for and prints the rows of each as JSON. Runs
without mqstat, in the environment of requirements-reader.lock.

    python tests/doc_engines.py PAGE DATASET DAY

Printed: heading -> engine -> rows, in order. Spark, and DuckDB with its extension, are not run: `texts` is also used to
parse their texts.
"""

from __future__ import annotations

import ast
import datetime as dt
import json
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ENGINES = ("DuckDB", "pandas", "polars", "pyarrow", "Spark")


def texts(page: str) -> dict[str, dict[str, str]]:
    """Heading -> engine -> text. A text starts with a comment that begins with the name of its engine and ends before
    the next one or with its block.
    """
    out: dict[str, dict[str, str]] = {}
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        for block in re.findall(r"^```(?:sql|python)\n(.*?)^```", body, re.MULTILINE | re.DOTALL):
            for text in re.split(r"^(?:--|#) (?=[A-Z]|p)", block, flags=re.MULTILINE)[1:]:
                first, _, rest = text.partition("\n")
                engine = re.split(r"\W", first, maxsplit=1)[0]
                if engine in ENGINES:
                    out.setdefault(heading, {})[engine] = rest.strip()
    return out


def placed(text: str, dataset: str, day: dt.date) -> str:
    """A text about another dataset and day."""
    text = text.replace("datetime.date(2026, 11, 22)", repr(day))
    return re.sub(r"\bDIR/", f"{dataset}/", text).replace("2026-11-22", str(day))


def result_of(text: str, names: dict[str, Any]) -> Any:
    """The value of the last expression of a Python text."""
    *statements, last = ast.parse(text).body
    if not isinstance(last, ast.Expr):
        raise TypeError("the last statement is not an expression")
    exec(compile(ast.Module(statements, []), "<page>", "exec"), names)  # noqa: S102 - our own page
    return eval(compile(ast.Expression(last.value), "<page>", "eval"), names)  # noqa: S307 - as above


def rows_of(value: Any) -> list[list[Any]]:
    """The rows of a result of any engine."""
    if hasattr(value, "itertuples"):
        rows: Iterable[Any] = value.itertuples(index=False)
    elif hasattr(value, "items"):
        rows = value.items()
    elif hasattr(value, "to_pylist"):
        rows = (row.values() for row in value.to_pylist())
    else:
        rows = value.rows() if hasattr(value, "rows") else [value]
    return sorted([[plain(each) for each in row] for row in rows], key=repr)


def plain(value: Any) -> Any:
    """A value of any engine as JSON has it."""
    if hasattr(value, "isoformat"):
        return value.isoformat(timespec="seconds")
    if hasattr(value, "item"):
        value = value.item()
    return round(value, 9) if isinstance(value, float) else value


def main(page: Path, dataset: Path, day: dt.date) -> dict[str, dict[str, list[list[Any]]]]:
    """The rows of every text."""
    import datetime

    import deltalake
    import pandas
    import polars
    import pyarrow
    import pyarrow.parquet

    os.chdir(dataset)
    out: dict[str, dict[str, list[list[Any]]]] = {}
    for heading, by_engine in texts(page.read_text(encoding="utf-8")).items():
        for engine, text in by_engine.items():
            own = placed(text, str(dataset), day)
            if engine not in ("DuckDB", "Spark"):
                names = {
                    "datetime": datetime,
                    "deltalake": deltalake,
                    "json": json,
                    "pandas": pandas,
                    "polars": polars,
                    "pyarrow": pyarrow,
                }
                out.setdefault(heading, {})[engine] = rows_of(result_of(own, names))
    return out  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), Path(sys.argv[2]), dt.date.fromisoformat(sys.argv[3]))))
