"""Report application/chargeback with the rates of a site file: all accounted work once, at the first rate that
matches.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from mqstat.base.errors import SiteError
from mqstat.cli import run
from mqstat.fixtures.day import DAY
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.open_data import open_data
from mqstat.sql import sqlfile
from mqstat.sql.schemas import all_schemas
from mqstat.sql.site import Site, parse_site
from mqstat.sql.workspace import Workspace
from tests.support import file_of

RATES = """
[[rate]]
charge_to = "Web shop"
currency = "EUR"
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
REPORT = "application/chargeback"


def everything() -> dict[str, list[str]]:
    """All columns of all decoded tables."""
    return {name: list(schema.names) for name, schema in all_schemas().items()}


@pytest.fixture(scope="module")
def wasteful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(SCENARIOS["applications_wasteful"].build(), tmp_path_factory.mktemp("charge"))


def opened(dump: Path, text: str) -> Any:
    return open_data([str(dump)], columns=everything, site=parse_site(text, "site.toml") if text else Site())


def statement(database: Workspace) -> list[dict[str, Any]]:
    """The rows of the report."""
    report = sqlfile.reports()[REPORT]
    database.keep([report.needs])
    return database.ask_rows(report.select)


@pytest.fixture(scope="module")
def charged(wasteful: Path) -> Iterator[tuple[Workspace, list[dict[str, Any]]]]:
    with opened(wasteful, RATES) as database:
        yield database, statement(database)


@pytest.mark.parametrize(("price", "amount"), [(0.0375, 0.22), (0.0075, 0.04), (0.0025, 0.02), (0.0325, 0.2), (0, 0)])
def test_amounts_are_rounded_half_to_even(price: float, amount: float, wasteful: Path) -> None:
    """Six thousand messages at a price: 0.225 becomes 0.22, 0.045 becomes 0.04, 0.015 becomes 0.02, 0.195 becomes
    0.2.
    """
    text = f'[[rate]]\ncharge_to = "Loads"\nqueue = "LOAD.*"\nthousand_messages = {price}\n'
    with opened(wasteful, text) as database:
        lines = [
            line for line in statement(database) if (line["charge_to"], line["application"]) == ("Loads", "LOADJOB")
        ]
    assert [line["charge_amount"] for line in lines] == [amount]


def decoded_work(database: Workspace) -> dict[tuple[str, str], tuple[int, int]]:
    """CPU time and messages by queue manager, from the decoded tables alone: class 3, or class 1 where there is no
    class 3.
    """
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


def test_the_statement_is_the_sum_of_the_decoded_tables(charged: tuple[Workspace, list[dict[str, Any]]]) -> None:
    database, lines = charged
    sums: dict[tuple[str, str], tuple[int, int]] = {}
    for line in lines:
        if line["row_kind"] in ("charged", "no rate"):
            cpu, messages = sums.get((line["lpar"], line["qmgr"]), (0, 0))
            added = cpu + round(line["charge_cpu_s"] * 1e6), messages + line["charge_messages"]
            sums[line["lpar"], line["qmgr"]] = added
    assert sums == decoded_work(database)


def test_the_first_rate_that_matches_charges(charged: tuple[Workspace, list[dict[str, Any]]]) -> None:
    _, lines = charged
    by_payer = {(line["charge_to"], line["application"]): line for line in lines if line["row_kind"] == "charged"}
    web = by_payer["Web shop", "WEBSHOP.SVRCONN"]
    exact = 0.12 * web["charge_cpu_s"] + 0.3 * web["charge_messages"] / 1000
    assert abs(web["charge_amount"] - exact) <= 0.005
    assert web["charge_amount"] == round(web["charge_amount"], 2)
    assert web["currency"] == "EUR"
    assert not web["already_in_other_bill"]
    load = by_payer["Loads", "LOADJOB"]
    assert (load["charge_messages"], load["charge_amount"]) == (6000, 6)
    rest = by_payer["Batch", "LOADJOB"]
    assert (rest["charge_messages"], rest["charge_mib"]) == (0, 0), "its messages are charged by queue"
    assert round(rest["charge_cpu_s"] * 1e6) == 24 * 22, "its commits"
    assert rest["already_in_other_bill"]
    assert not [line for line in lines if line["row_kind"] == "no rate" and line["application"] == "LOADJOB"]
    sources = {(line["qmgr"], line["charge_source"]) for line in lines if line["charge_source"] != "none"}
    assert sources == {("MQ01", "class 3"), ("MQ02", "class 1")}


def test_unattributed_work_is_a_line_without_a_price(charged: tuple[Workspace, list[dict[str, Any]]]) -> None:
    missed = [line for line in charged[1] if line["row_kind"] == "unattributed"]
    assert any(line["charge_cpu_s"] for line in missed), "what class 1 counts above class 3"
    assert all(line["charge_amount"] is None for line in missed)


def test_class_1_counts_once_for_an_application_with_several_rates(
    wasteful: Path, charged: tuple[Workspace, list[dict[str, Any]]]
) -> None:
    def total(lines: list[dict[str, Any]]) -> float:
        return sum(line["class1_cpu_same_tasks_s"] or 0 for line in lines)

    with opened(wasteful, "") as database:
        assert total(statement(database)) == pytest.approx(total(charged[1])) != 0


@pytest.mark.slow
def test_the_statement_of_a_dataset_is_reproducible_in_both_formats(wasteful: Path, tmp_path: Path) -> None:
    dataset, site = tmp_path / "dataset", tmp_path / "site.toml"
    site.write_text(RATES)
    assert run(["ingest", str(wasteful), "--into", str(dataset)]) == 0
    period = ["--since", "2026-03-01", "--until", "2026-03-31"]
    command = ["report", "--from", str(dataset), "--site", str(site), "--report", REPORT]
    files = [tmp_path / name for name in ("first.csv", "second.csv", "third.csv")]
    for path in files:
        assert run([*command, *period, "--output", str(path), "--format", "csv"]) == 0
    assert len({path.read_bytes() for path in files}) == 1
    assert run([*command, *period, "--format", "parquet", "--output", str(tmp_path / "s.parquet")]) == 0
    with files[0].open(newline="") as stream:
        written = list(csv.DictReader(stream))
    table = pq.read_table(tmp_path / "s.parquet").to_pylist()
    assert [(row["charge_to"] or "", row["charge_messages"]) for row in table] == [
        (row["charge_to"], int(row["charge_messages"])) for row in written
    ]
    later = ["--since", "2026-04-01", "--format", "csv", "--output", str(tmp_path / "none.csv")]
    assert run([*command, *later]) == 12, "nothing was written in April"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rate = 1\n", "s.toml, line 1: rate must be a table: write [[rate]] on a line of its own."),
        ("[[rate]]\ncpu_second = 1\n", "s.toml, line 1: rate.charge_to is missing; it must be a text: who pays."),
        ('[[rate]]\ncharge_to = "A"\nqueues = "B"\n', "s.toml, line 3: rate.queues is not known; did you mean queue."),
        ('[[rate]]\ncharge_to = "A"\nmib = -1\n', "s.toml, line 3: rate.mib must be a number from 0 to below 1000000000."),
        ('[[rate]]\ncharge_to = "A"\nmib = nan\n', "s.toml, line 3: rate.mib must be a number from 0 to below 1000000000."),
        ('[[rate]]\ncharge_to = "A"\nuser = 1\n', "s.toml, line 3: rate.user must be a text, a name or a pattern with * and ?."),
        ('[[rate]]\ncharge_to = "A"\ndecimals = 7\n', "s.toml, line 3: rate.decimals must be a whole number from 0 to 6."),
        ('[[rate]]\ncharge_to = "A"\ncurrency = 1\n', "s.toml, line 3: rate.currency must be a text."),
    ],
)  # fmt: skip
def test_faults_of_rates_are_one_sentence(text: str, message: str) -> None:
    with pytest.raises(SiteError) as caught:
        parse_site(text, "s.toml")
    assert message == str(caught.value)


def test_a_statement_without_lines_has_a_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Statistics alone charge nobody: an empty statement must not look like a month without work."""
    dump = file_of(smf_file(QueueManager().interval(DAY, 1800, kinds=[1])), tmp_path)
    (tmp_path / "s.toml").write_text(RATES)
    assert run(["report", str(dump), "--site", str(tmp_path / "s.toml"), "--report", REPORT]) == 0
    assert "no rows in this data" in capsys.readouterr().out


def test_names_and_patterns_are_literals(wasteful: Path) -> None:
    text = "[[rate]]\ncharge_to = \"=1+1\"\napplication = \"x' OR '1'='1\"\n"
    with opened(wasteful, text) as database:
        assert {line["row_kind"] for line in statement(database)} == {"no rate", "unattributed"}


def test_the_example_of_the_document_runs(
    wasteful: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each command of docs/chargeback.md in its order, with the rates and the names of files that the document has."""
    text = (Path(__file__).parents[1] / "docs" / "chargeback.md").read_text(encoding="utf-8")
    rates = text.partition("```toml\n")[2].partition("```")[0]
    commands = [line.split() for line in text.splitlines() if line.startswith("mqstat ")]
    assert [words[1] for words in commands] == ["ingest", "report"]
    monkeypatch.chdir(tmp_path)
    Path("DUMPS").mkdir()
    Path("DUMPS", wasteful.name).write_bytes(wasteful.read_bytes())
    Path("site.toml").write_text(rates)
    for words in commands:
        assert run(words[1:]) == 0, capsys.readouterr().err
    with Path("statement.csv").open(newline="") as stream:
        lines = list(csv.DictReader(stream))
    assert {line["charge_to"] for line in lines} >= {"Web shop", "All others"}
    assert {line["currency"] for line in lines if line["charge_amount"]} == {"EUR"}
    assert not [line for line in lines if line["row_kind"] == "no rate"]
