"""Numbers, plurals, names and untrusted text: one module formats all of them."""

from __future__ import annotations

import ast
from pathlib import Path

import duckdb
import pytest

from mqstat.assemble.conditions import share_text
from mqstat.base.formatting import (
    clean,
    compared,
    escaped,
    exact_text,
    figure,
    figures,
    fitted,
    formatted,
    number_text,
    on_one_line,
    plural,
    qmgr_name,
    subject_name,
    value_of,
)  # fmt: skip
from mqstat.judge.sentences import fill
from mqstat.render.values import cell_number
from mqstat.sql import sqlfile
from mqstat.sql.columns import Column

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (1300, "1,300"), (1300.0, "1,300"), (13336984, "13,336,984"), (111447.7, "111,448"), (14.9449, "14.9"),
        (0.000123456, "0.000123"), (1e-9, "1e-09"), (999.96, "1,000"), (-1234.5, "-1,234"), (2**63, "9,223,372,036,854,775,808"),
    ],
)  # fmt: skip
def test_numbers_have_separators_and_three_significant_digits(value: float, text: str) -> None:
    assert number_text(value) == text


def test_numbers_of_tables_have_separators() -> None:
    assert cell_number(1234567, Column("gets", "count")) == "1,234,567"
    assert cell_number(1234.56, Column("rate", "per_s")) == "1,234.6"
    assert cell_number(1234.56, Column("rate", "per_s", format=".2f")) == "1,234.56"
    assert cell_number(float("nan"), Column("rate", "per_s")) == ""
    assert cell_number(12345, Column("task", "id")) == "12345"
    assert cell_number(12345, Column("evidence_offset", "bytes")) == "12345"


def test_figures_have_their_unit_and_the_right_plural() -> None:
    assert figure(1, "pages") == "1 page"
    assert figure(2000, "pages") == "2,000 pages"
    assert figure(1300, "us") == "1,300 µs"
    assert figure(2_500_000, "us") == "2.5 s"
    assert figure(None, "us") == "n/a"
    assert (fitted(0.004, "mib_per_s"), fitted(0.004, "mib_per_s", 356.0)) == ("4.1 KiB/s", "0.004 MiB/s")
    assert figures(14.9999, 15, "percent") == ("14.9999 %", "15 %")
    assert (figure(99.97, "percent"), figure(99.97, "us")) == ("99.97 %", "100 µs")
    assert (plural(1, "row"), plural(2000, "row"), plural(0, "row")) == ("1 row", "2,000 rows", "0 rows")
    assert plural(2, "copy", "copies") == "2 copies"


@pytest.mark.parametrize(("value", "limit"), [(14.99999, 15), (1.05001, 1.05), (15.0, 15), (999_999.6, 1_000_000)])
def test_no_rounding_crosses_a_limit(value: float, limit: float) -> None:
    shown = value_of(compared(value, [limit], formatted(value, ".0f")))
    assert (shown > limit, shown < limit) == (value > limit, value < limit)
    assert value_of(exact_text(limit)) == limit


def test_sentences_separate_thousands_but_commands_do_not() -> None:
    assert fill("{n} of {x:.1f}; ALTER BUFFPOOL(3) BUFFERS({n})", {"n": 50000, "x": 1234.56}) == (
        "50,000 of 1,235; ALTER BUFFPOOL(3) BUFFERS(50000)"
    )
    assert fill("{n} (limit {m:.0f})", {"n": 1500, "m": 2000.0}, {"n": [2000.0]}, ["m"]) == "1,500 (limit 2,000)"


def test_a_queue_manager_has_one_notation() -> None:
    assert qmgr_name("SYS1", "MQ01") == "MQ01 on SYS1"
    assert qmgr_name("SYS1", "MQ01", with_lpar=False) == "MQ01"
    assert qmgr_name(None, "MQ01") == "MQ01"
    assert qmgr_name("SYS1", None) == ""
    assert subject_name("SYS1", "MQ01", "pool 3") == "MQ01 on SYS1, pool 3"
    assert subject_name("SYS1", "MQ01", "pool 3", with_lpar=False) == "MQ01 pool 3"
    assert subject_name("SYS1", None, "SMF of SYS1") == "SMF of SYS1"
    assert qmgr_name("S\x1b", "Q\n") == "Q? on S?"


def test_untrusted_text_cannot_steer_a_terminal() -> None:
    assert clean("a\x1b[2J\u202eb\u200bc\n") == "a?[2J?b?c?"
    assert escaped("a\x1b\nb\u202e") == "a\\x1b\\nb\\u202e"
    assert escaped("a\x1b\nb", keep="\n") == "a\\x1b\nb"
    assert on_one_line("a\n b\x07") == "a b\\x07"
    assert clean("Caf\u00e9 \u00b5\u00a0s") == "Caf\u00e9 \u00b5\u00a0s"


def test_changes_use_the_number_format_of_all_sentences() -> None:
    text = sqlfile.views()["compare_moved"].text
    case = (
        text[text.index("lambda value:") + len("lambda value:") : text.index(") AS shown")].rsplit("END", 1)[0] + "END"
    )
    for value in (0.0, 7.0, 1234567.0, 1234.5678, 999.96, 99.999, 12.3456, 0.5, 0.012345, 0.1, 100.25):
        row = duckdb.execute(f"SELECT {case} FROM (SELECT ?::DOUBLE AS value)", [value]).fetchone()
        assert row == (number_text(value),)


def test_no_other_module_formats_numbers_or_cleans_text() -> None:
    """Formatters of numbers and sanitisers of text live in mqstat/base/formatting.py; others give it a number and get a
    text.
    """
    bad = []
    for folder in ("mqstat", "rules", "parsers", "reports"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.name == "formatting.py" and path.parent.name == "base":
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                cleans = isinstance(node, ast.Attribute) and node.attr == "isprintable"
                general = (
                    isinstance(node, ast.FormattedValue)
                    and isinstance(node.format_spec, ast.JoinedStr)
                    and any(
                        isinstance(part, ast.Constant) and part.value in ("g", ".3g", ".4g", ".6g", ",g")
                        for part in node.format_spec.values
                    )
                )
                if (cleans and "hexdump" not in path.read_text(encoding="utf-8")) or (
                    general and path.name != "svg.py"
                ):
                    bad.append(f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}")
    assert not bad, f"use number_text, figure, clean or escaped of mqstat/base/formatting.py: {bad}"


def test_counts_of_intervals_have_one_format() -> None:
    row = {"rule_id": "BP001", "intervals_breached": 6082, "intervals_checked": 6591}
    assert share_text(row) == "6,082 of 6,591 intervals"
    assert share_text(row, noun=False) == "6,082 of 6,591"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(-1.6e-6, "0.0"), (-0.0, "0.0"), (-0.04, "0.0"), (-0.06, "-0.1"), (0, "0.0"), (-1234.56, "-1,234.6")],
)
def test_what_rounds_to_zero_has_no_sign(value: float, shown: str) -> None:
    assert formatted(value, ".1f") == shown
