"""The statement of chargeback: all accounted work once, at the first rate that matches, the same from the same data."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from mqstat.assemble import chargeback
from mqstat.base.errors import SiteError, UsageError
from mqstat.cli import run
from mqstat.fixtures.day import DAY
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.open_data import open_data
from mqstat.sql.database import Database
from mqstat.sql.schemas import all_schemas
from tests.support import file_of

RATES = """
currency = "EUR"

[[rate]]
charge_to = "Web shop"
channel = "WEBSHOP.*"
cpu_second = 0.12
thousand_messages = 0.3

[[rate]]
charge_to = "Loads"
queue = "LOAD.*"
thousand_messages = 1

[[rate]]
charge_to = "Batch"
application = "?*JOB"
type = "RRS*"
cpu_second = 0.08
mib = 0.01
"""


def everything() -> dict[str, list[str]]:
    """All columns of all decoded tables."""
    return {name: list(schema.names) for name, schema in all_schemas().items()}


@pytest.fixture(scope="module")
def wasteful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(SCENARIOS["applications_wasteful"].build(), tmp_path_factory.mktemp("charge"))


@pytest.fixture(scope="module")
def opened(wasteful: Path) -> Iterator[Database]:
    with open_data([str(wasteful)], columns=everything) as database:
        yield database


def rates_of(folder: Path, text: str) -> chargeback.Rates:
    path = folder / "rates.toml"
    path.write_text(text)
    return chargeback.load_rates(path)


@pytest.fixture(scope="module")
def lines(opened: Database, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    rates = rates_of(tmp_path_factory.mktemp("rates"), RATES)
    return list(chargeback.statement(opened, rates, "2026-03").to_pylist())


@pytest.mark.parametrize(
    ("messages", "amount"), [(1000, "0.5"), (250, "0.12"), (350, "0.18"), (50, "0.02"), (30, "0.02"), (0, "0")]
)
def test_amounts_are_rounded_half_to_even(messages: int, amount: str) -> None:
    rate = chargeback.Rate("Loads", {}, {"thousand_messages": Decimal("0.5")})
    assert rate.amount({"messages": messages, "cpu_us": None, "bytes": None}, 2) == Decimal(amount)


def decoded_work(database: Database) -> dict[tuple[str, str], tuple[int, int]]:
    """CPU time and messages by queue manager, from the decoded tables alone: class 3, or class 1 where there is no class 3."""
    verbs = "open close get put put1 inquire set callback".split()
    tasks = "other commit backout prepare subscribe subscription_request control status".split()
    queue_sum = " + ".join(f"coalesce({verb}_cpu_us, 0)" for verb in verbs)
    task_sum = " + ".join(f"coalesce({verb}_cpu_us, 0)" for verb in tasks)
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for lpar, qmgr, cpu, messages in database.execute(f"""
        SELECT lpar, qmgr, sum(cpu)::BIGINT, sum(messages)::BIGINT FROM (
          SELECT lpar, qmgr, {queue_sum} AS cpu, valid_puts + coalesce(valid_destructive_gets, valid_gets) AS messages FROM decoded.wq
          UNION ALL SELECT lpar, qmgr, {task_sum}, 0 FROM decoded.wtas
        ) GROUP BY lpar, qmgr
    """).fetchall():
        found[lpar, qmgr] = cpu, messages
    for lpar, qmgr, cpu, messages in database.execute("""
        SELECT lpar, qmgr, sum(class1_cpu_us)::BIGINT,
          sum(puts_to_99 + puts_to_999 + puts_to_9999 + puts_10000_up + gets_to_99 + gets_to_999 + gets_to_9999 + gets_10000_up)::BIGINT
        FROM decoded.qmac GROUP BY lpar, qmgr
    """).fetchall():
        found.setdefault((lpar, qmgr), (cpu, messages))
    return found


def test_the_statement_is_the_sum_of_the_decoded_tables(opened: Database, lines: list[dict[str, Any]]) -> None:
    accounted = {
        (line["lpar"], line["qmgr"]): (line["cpu_us"], line["messages"])
        for line in lines
        if line["row_kind"] == "accounted"
    }
    assert accounted == decoded_work(opened)
    for owner, total in accounted.items():
        mine = [
            line
            for line in lines
            if (line["lpar"], line["qmgr"]) == owner and line["row_kind"] in ("charged", "no rate")
        ]
        assert (sum(line["cpu_us"] for line in mine), sum(line["messages"] for line in mine)) == total
        amounts = [line["amount"] for line in mine if line["amount"] is not None]
        assert sum(amounts, Decimal(0)) == next(
            line["amount"]
            for line in lines
            if (line["lpar"], line["qmgr"]) == owner and line["row_kind"] == "accounted"
        )


def test_the_first_rate_that_matches_charges(lines: list[dict[str, Any]]) -> None:
    charged = {(line["charge_to"], line["application"]): line for line in lines if line["row_kind"] == "charged"}
    web = charged["Web shop", "WEBSHOP.SVRCONN"]
    exact = Decimal("0.12") * web["cpu_us"] / 1_000_000 + Decimal("0.3") * web["messages"] / 1000
    assert abs(web["amount"] - exact) <= Decimal("0.005")
    assert web["amount"] == round(web["amount"], 2)
    assert not web["in_own_bill"]
    load = charged["Loads", "LOADJOB"]
    assert (load["messages"], load["amount"]) == (6000, Decimal(6))
    rest = charged["Batch", "LOADJOB"]
    assert (rest["messages"], rest["bytes"]) == (0, 0), "its messages are charged by queue"
    assert rest["cpu_us"] == 24 * 22, "its commits"
    assert rest["in_own_bill"]
    assert not [line for line in lines if line["row_kind"] == "no rate" and line["application"] == "LOADJOB"]
    sources = {(line["qmgr"], line["charge_source"]) for line in lines if line["charge_source"]}
    assert sources == {("MQ01", "class 3"), ("MQ02", "class 1")}


def test_unattributed_work_is_a_line_without_a_price(lines: list[dict[str, Any]]) -> None:
    missed = [line for line in lines if line["row_kind"] == "unattributed"]
    assert {line["charge_to"] for line in missed} >= {"class 1 above class 3"}
    assert all(line["cpu_us"] or line["messages"] for line in missed)
    assert all(line["amount"] is None for line in missed)


@pytest.mark.slow
def test_the_statement_of_a_dataset_is_reproducible_in_both_formats(wasteful: Path, tmp_path: Path) -> None:
    dataset, rates = tmp_path / "dataset", tmp_path / "rates.toml"
    rates.write_text(RATES)
    assert run(["ingest", str(wasteful), "--into", str(dataset)]) == 0
    command = ["chargeback", "--from", str(dataset), "--rates", str(rates), "--month", "2026-03"]
    files = [tmp_path / name for name in ("first.csv", "second.csv", "third.csv")]
    for path in files:
        assert run([*command, "--output", str(path)]) == 0
    assert len({path.read_bytes() for path in files}) == 1
    assert run([*command, "--format", "parquet", "--output", str(tmp_path / "s.parquet")]) == 0
    with files[0].open(newline="") as stream:
        written = list(csv.DictReader(stream))
    table = pq.read_table(tmp_path / "s.parquet")
    assert [
        {key: "" if value is None else str(value) for key, value in row.items()} for row in table.to_pylist()
    ] == written
    assert run([*command[:-1], "2026-04", "--output", str(tmp_path / "none.csv")]) == 12, "nothing was written in April"
    assert run([*command, "--format", "parquet"]) == 16


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "r.toml: there is no rate; write at least one table [[rate]]."),
        ("[[rate]]\ncpu_second = 1\n", "r.toml, rate 1: charge_to must be a text: who pays."),
        ('[[rate]]\ncharge_to = "A"\nqueues = "B"\n', "r.toml, rate 1: queues is not a known key; did you mean queue?."),
        ('[[rate]]\ncharge_to = "A"\nmib = -1\n', "r.toml, rate 1: mib must be a number from 0 to below 1000000000."),
        ('[[rate]]\ncharge_to = "A"\nmib = nan\n', "r.toml, rate 1: mib must be a number from 0 to below 1000000000."),
        ('[[rate]]\ncharge_to = "A"\nuser = 1\n', "r.toml, rate 1: user must be a text, a name or a pattern with * and ?."),
        ("decimals = 7\n", "r.toml, line 1: decimals must be a whole number from 0 to 6."),
        ("currency = 1\n", "r.toml, line 1: currency must be a text."),
        ("[[rate]\n", "r.toml, line 1: the rates are not TOML"),
    ],
)  # fmt: skip
def test_faults_of_rates_are_one_sentence(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    path.write_text(text)
    with pytest.raises(SiteError) as caught:
        chargeback.load_rates(path)
    assert message.removesuffix("?.") in str(caught.value)


def test_a_statement_without_lines_has_a_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Statistics alone charge nobody: an empty file must not look like a month without work."""
    dump = file_of(smf_file(QueueManager().interval(DAY, 1800, kinds=[1])), tmp_path)
    (tmp_path / "r.toml").write_text(RATES)
    assert run(["chargeback", str(dump), "--rates", str(tmp_path / "r.toml"), "--month", "2026-03"]) == 0
    captured = capsys.readouterr()
    assert captured.err == "mqstat: The data has no accounting (116.0, 116.1) of 2026-03: the statement has no lines.\n"
    assert len(captured.out.splitlines()) == 1


def test_months() -> None:
    first, after = chargeback.month_of("2026-12")
    assert (first.isoformat(), after.isoformat()) == ("2026-12-01T00:00:00", "2027-01-01T00:00:00")
    with pytest.raises(UsageError, match="--month 2026-13 is not a month"):
        chargeback.month_of("2026-13")


def test_names_and_patterns_are_literals(opened: Database, tmp_path: Path) -> None:
    text = "[[rate]]\ncharge_to = \"=1+1\"\napplication = \"x' OR '1'='1\"\n"
    made = chargeback.statement(opened, rates_of(tmp_path, text), "2026-03").to_pylist()
    assert {line["row_kind"] for line in made} == {"no rate", "accounted", "unattributed"}


def test_the_example_of_the_document_runs(
    wasteful: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each command of docs/chargeback.md in its order, with the rates and the names of files that the document has."""
    text = (Path(__file__).parents[1] / "docs" / "chargeback.md").read_text(encoding="utf-8")
    rates = text.partition("```toml\n")[2].partition("```")[0]
    commands = [line.split() for line in text.splitlines() if line.startswith("mqstat ")]
    assert [words[1] for words in commands] == ["ingest", "chargeback", "chargeback"]
    monkeypatch.chdir(tmp_path)
    Path("DUMPS").mkdir()
    Path("DUMPS", wasteful.name).write_bytes(wasteful.read_bytes())
    Path("rates.toml").write_text(rates)
    for words in commands:
        assert run(words[1:]) == 0, capsys.readouterr().err
    with Path("statement.csv").open(newline="") as stream:
        lines = list(csv.DictReader(stream))
    assert len(lines) == pq.read_table("statement.parquet").num_rows > 0
    assert {line["charge_to"] for line in lines} >= {"Web shop", "All others"}
    assert {line["currency"] for line in lines if line["amount"]} == {"EUR"}
    assert not [line for line in lines if line["row_kind"] == "no rate"]
