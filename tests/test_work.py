"""Truth about work: CPU time of queues, other verbs and what class 3 did not see are class 1, nothing twice; on
scenarios and on the real dumps.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

import pytest

from mqstat.base.errors import UsageError
from mqstat.base.selection import Selection, tasks_of
from mqstat.cli import run
from mqstat.fixtures import accounting
from mqstat.fixtures.accounting import Task
from mqstat.fixtures.day import HALF_HOUR
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.scenarios import SCENARIOS, applications_wasteful
from mqstat.fixtures.scenarios.applications_wasteful import ENDED, committed
from mqstat.intake.open_data import open_data
from mqstat.judge.engine import run_rules
from mqstat.sql import sqlfile
from mqstat.sql.schemas import all_schemas
from mqstat.sql.site import parse_site
from mqstat.sql.workspace import Workspace
from tests.costs import cache
from tests.support import file_of

VERBS = "open close get put put1 inquire set callback".split()
TASK_VERBS = "other commit backout prepare subscribe subscription_request control status".split()
QUEUE_CPU = " + ".join(f"coalesce({verb}_cpu_us, 0)" for verb in VERBS)
OTHER_CPU = " + ".join(f"coalesce({verb}_cpu_us, 0)" for verb in TASK_VERBS)
REAL = {
    "TEST116": {"queue": 387, "other": 62, "class 1 above class 3": 80, "connections without class 3": 359},
    "TESTCHL": {"queue": 78_459, "other": 23_070, "class 1 above class 3": 20_930},
    "MQ10_MQ1O": {"class 1 above class 3": 1_289},
}
"""Microseconds in the real dumps: counters of each field are truncated, so exact clocks give up to 1 us more for each
term."""


def everything() -> dict[str, list[str]]:
    """All columns of all decoded tables."""
    return {name: list(schema.names) for name, schema in all_schemas().items()}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Workspace]]:
    """`opened("applications_wasteful", site)` opens the dump of a scenario, `opened(path)` a real dump; each is decoded
    and opened once.
    """
    folder = tmp_path_factory.mktemp("work")
    with ExitStack() as stack:

        @cache
        def database(source: str | Path, site: str = "") -> Workspace:
            path = source if isinstance(source, Path) else file_of(SCENARIOS[source].build(), folder, f"{source}.smf")
            facts = parse_site(site, "site") if site else None
            return stack.enter_context(open_data([str(path)], site=facts, columns=everything))

        yield database


def check_identities(db: Workspace) -> dict[str, int]:
    """Each microsecond of the decoded tables is in application/cpu once; what is added for class 1 is never
    negative.
    """
    one = db.ask
    queue = one(f"SELECT coalesce(sum({QUEUE_CPU}), 0)::BIGINT FROM decoded.wq").fetchall()[0][0]
    other = one(f"SELECT coalesce(sum({OTHER_CPU}), 0)::BIGINT FROM decoded.wtas").fetchall()[0][0]
    rows = db.ask_rows(sqlfile.reports()["application/cpu"].select)
    known = [row for row in rows if row["application"] != "unattributed"]
    missed = {row["connection_type_name"]: row for row in rows if row["application"] == "unattributed"}
    orphans = sum(
        round(row["mq_cpu_s"] * 1e6) for row in rows if row["connection_type_name"] == "queue blocks without a task"
    )
    assert sum(round(row["mq_cpu_s"] * 1e6) for row in known) + orphans == queue + other
    assert sum(round(row["queue_cpu_s"] * 1e6) for row in known) + orphans == queue
    assert sum(round(row["other_verbs_cpu_s"] * 1e6) for row in known) == other
    shares: dict[tuple[str, str], float] = {}
    for row in rows:
        shares[row["lpar"], row["qmgr"]] = shares.get((row["lpar"], row["qmgr"]), 0) + (row["share_of_cpu_pct"] or 0)
    assert all(share == pytest.approx(100) or share == 0 for share in shares.values())
    verbs = one("SELECT sum(verb_cpu_us)::BIGINT FROM application_verb").fetchall()[0][0] or 0
    assert verbs + orphans == queue + other
    charged = one("SELECT sum(charge_cpu_us)::BIGINT FROM charge_item WHERE charge_source = 'class 3'").fetchall()[0][0]
    assert (charged or 0) == queue + other
    whole = one(
        "SELECT coalesce(sum(class1_cpu_us), 0)::BIGINT, coalesce(sum(class3_cpu_us), 0)::BIGINT, coalesce(sum(unattributed_cpu_us), 0)::BIGINT, "
        "count(*) FILTER (class1_cpu_us < class3_cpu_us) FROM connection_task WHERE class3_whole"
    ).fetchall()[0]
    if not whole[3]:
        assert whole[0] == whole[1] + whole[2], "class 1 = queues + other verbs + unattributed"
    twice = one("SELECT count(*) - count(DISTINCT record_id) FROM connection_task").fetchall()[0][0]
    assert twice == 0
    assert one("SELECT count(*) FROM connection_task").fetchall() == one("SELECT count(*) FROM decoded.qwac").fetchall()
    gaps = one("SELECT coalesce(max(missing_us), 0) FROM task_span").fetchall()[0][0]
    return {
        "queue": queue, "other": other, "gaps": gaps, "class 1 below class 3": whole[3],
        **{reason: round(row["mq_cpu_s"] * 1e6) for reason, row in missed.items() if row["mq_cpu_s"] is not None},
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ["applications_wasteful", "accounting_day", "odd_accounting"])
def test_every_microsecond_of_a_scenario_is_counted_once(name: str, opened: Callable[..., Workspace]) -> None:
    check_identities(opened(name, SCENARIOS[name].site))


@pytest.mark.slow
def test_every_microsecond_of_a_real_dump_is_counted_once(dump: Path, opened: Callable[..., Workspace]) -> None:
    found = check_identities(opened(dump))
    assert found["class 1 below class 3"] == 0, "class 3 never sees more than class 1"
    assert found["gaps"] == 0, "the accounting intervals of a task abut"
    expected = REAL.get(dump.stem, {})
    assert {key: found.get(key) for key in expected} == expected


@pytest.mark.slow
def test_long_tasks_are_joined_over_their_records(opened: Callable[..., Workspace]) -> None:
    query = "SELECT * FROM task_span WHERE connection_job IN ('MATCHER', 'HOLDJOB')"
    spans = {
        row["application_group"]: (row["records_of_task"], row["span_us"], row["missing_us"])
        for row in opened("applications_wasteful").ask_rows(query)
    }
    assert spans == {"MATCHER": (2, 3_600_000_000, 0), "HOLDJOB": (2, 3_600_000_000, 0)}


def test_an_open_unit_of_work_grows_over_its_records(opened: Callable[..., Workspace]) -> None:
    query = "SELECT * FROM application_period WHERE application = 'HOLDJOB'"
    row = opened("applications_wasteful").ask_rows(query)[0]
    assert row["oldest_without_commit_s"] == 3600
    assert row["commits"] == 0


@pytest.mark.slow
def test_the_site_file_names_groups_of_applications(opened: Callable[..., Workspace]) -> None:
    site = '[site]\napplication_group = { "*JOB" = "loads", "CICS*PRD?/ORD*" = "orders" }\n'
    rows = opened("applications_wasteful", site).ask_rows
    period = {row["application"]: row for row in rows("SELECT * FROM application_period WHERE qmgr = 'MQ01'")}
    hours = {row["application_group"] for row in rows("SELECT * FROM application_use WHERE qmgr = 'MQ01'")}
    verbs = {row["application"] for row in rows("SELECT * FROM application_verb WHERE qmgr = 'MQ01'")}
    assert set(period) == hours == verbs
    assert {"loads", "orders"} <= set(period)
    assert not {name for name in period if name.endswith("JOB")}
    assert period["loads"]["largest_unit"] == 50_000, "the worst of its jobs"


def test_the_ends_of_real_channel_tasks_undo_nothing(dump: Path, opened: Callable[..., Workspace]) -> None:
    """They have (commits, backouts) of (1, 1), (2, 1) or (0, 2): of these only (2, 1) has a unit of work."""
    query = "SELECT commits, backouts, rollbacks, rollback_et_us, units_of_work FROM task WHERE task_ended"
    for row in opened(dump).ask_rows(query):
        assert (row["commits"], row["backouts"]) in {(1, 1), (2, 1), (0, 2)}
        assert (row["rollbacks"], row["rollback_et_us"]) == (0, 0)
        assert row["units_of_work"] == (row["commits"] == 2)


@pytest.mark.slow
def test_ten_thousand_short_clients_and_cics_tasks_back_out_nothing(tmp_path: Path) -> None:
    """Records of tasks that ended, each with a correlator of its own; a client and a transaction that back out are
    still found among them.
    """
    owner, start = applications_wasteful.OWNER, applications_wasteful.EIGHT
    client, cics = (
        replace(applications_wasteful.POISON, channel="SHORT.SVRCONN"),
        Task("CICS", "CICSPRD1", "CICSUSER", "SHRT"),
    )
    ends = [(client, 1, 1), (client, 0, 2), (client, 2, 1), (cics, 1, 1)]
    made = []
    for number in range(0, 20_000, 5_000):
        task, commits, backouts = ends[number // 5_000]
        values = committed(commits, backouts=backouts, backout_et_us=275 * backouts, task_flags=ENDED)
        with_blocks = partial(accounting.with_blocks, owner, task, start, start + HALF_HOUR, [], task_values=values)
        (record,) = with_blocks(number=1)
        old = bytes.fromhex(accounting.correlator(1, start))
        new = (bytes.fromhex(accounting.correlator(number + each, start)) for each in range(5_000))
        made += [record.replace(old, each).replace(old[:8], each[:8]) for each in new]
    path = file_of(applications_wasteful.build() + smf_file(made), tmp_path)
    with open_data([str(path)], columns=everything) as db:
        run_rules(db)
        query = "SELECT subject FROM finding WHERE rule_id IN ('TA001', 'TA004') AND outcome = 'breach'"
        assert {row["subject"] for row in db.ask_rows(query)} == {
            "LOADJOB (RRS batch)", "PAYROLL (RRS batch)", "POISON.SVRCONN (channel initiator)", "CICSPRD1/UNDO (CICS)",
        }  # fmt: skip
        query = "SELECT sum(tasks)::INT AS tasks, sum(rollbacks)::INT AS undone FROM application_period WHERE application LIKE '%SH%RT%'"
        assert db.ask_rows(query) == [{"tasks": 20_000, "undone": 0}]


@pytest.mark.slow
def test_backouts_of_a_client_read_the_log(opened: Callable[..., Workspace]) -> None:
    rows = opened("applications_wasteful").ask_rows(sqlfile.reports()["log/reads"].select)
    assert [(row["top_application"], row["log_reads_active"]) for row in rows] == [("POISON.SVRCONN", 6_000)] * 2


def test_a_task_that_only_commits_has_a_share_of_log_forces_below_its_time(
    dump: Path, opened: Callable[..., Workspace]
) -> None:
    """View task divided the time of log forces by that of commits: 541 % where a prepare wrote to the log."""
    shares = opened(dump).ask_rows("SELECT max(log_force_share_of_time_pct) AS most FROM task")
    assert shares[0]["most"] is None or 0 <= shares[0]["most"] <= 100


def test_the_report_of_a_dump_without_accounting_is_empty(tmp_path: Path) -> None:
    path = file_of(SCENARIOS["pool_low"].build(), tmp_path)
    assert run(["report", str(path), "--report", "application/cpu", "--output", str(tmp_path / "r.txt")]) in (0, 4, 8)


@pytest.fixture(scope="module")
def wasteful(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A dump and its dataset."""
    folder = tmp_path_factory.mktemp("wasteful")
    dump = file_of(SCENARIOS["applications_wasteful"].build(), folder)
    assert run(["ingest", str(dump), "--into", str(folder / "dataset")]) == 0
    return dump, folder / "dataset"


def listed(output: Path, *arguments: str | Path) -> list[dict[str, str]]:
    """The rows of report task/list."""
    command = ["report", *arguments, "--report", "task/list", "--format", "csv", "--output", output]
    assert run([str(argument) for argument in command]) in (0, 4)
    with output.open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def all_tasks(wasteful: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """Every task of the dump."""
    return listed(tmp_path_factory.mktemp("tasks") / "all.csv", wasteful[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern", ["connection_job=MATCHER", "connection_job=?*JOB", "operator_id=CICS*", "channel_name=WEBSHOP.*"]
)
def test_tasks_are_selected_in_a_dump_as_in_its_dataset(
    pattern: str, wasteful: tuple[Path, Path], all_tasks: list[dict[str, str]], tmp_path: Path
) -> None:
    dump, dataset = wasteful
    of_dump = listed(tmp_path / "dump.csv", dump, "--task", pattern)
    assert of_dump == listed(tmp_path / "dataset.csv", "--from", dataset, "--task", pattern)
    column, _, wanted = pattern.partition("=")
    expected = {row["record_id"] for row in all_tasks if fnmatchcase(row[column], wanted)}
    assert {row["record_id"] for row in of_dump} == expected
    assert 0 < len(expected) < len(all_tasks)


@pytest.mark.slow
def test_tasks_that_do_not_exist_and_rules_about_all_tasks(
    wasteful: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """No report about nothing, and the tasks that are not selected are not reported as missing."""
    for data in ([str(wasteful[0])], ["--from", str(wasteful[1])]):
        assert run(["report", *data, "--task", "connection_job=NOPE"]) == 12
        captured = capsys.readouterr()
        assert captured.out == ""
        assert "No class 3 accounting matches the selection (tasks with connection_job NOPE)" in captured.err
    report = ["report", "--from", str(wasteful[1]), "--report", "overview/coverage", "--task", "connection_job=MATCHER"]
    assert run(report) in (0, 4)
    output = capsys.readouterr().out
    assert "CV009: off, only some tasks are selected" in output
    assert "work of other tasks is listed as unattributed or not accounted" in output


def test_the_selection_of_tasks_reaches_the_row_groups(wasteful: tuple[Path, Path]) -> None:
    """The scan of the Parquet files has the comparison, so that it skips row groups by their statistics."""
    for pair, shown in (
        (("connection_job", "LOAD*"), "connection_job>="),
        (("connection_job", "MATCHER"), "connection_job="),
    ):
        with open_data(dataset=wasteful[1], selection=Selection(tasks=(pair,)), columns=everything) as database:
            plan = database.execute("EXPLAIN SELECT connection_job, operator_id FROM decoded.wtid").fetchall()[0][1]
            rows = database.execute("SELECT DISTINCT connection_job FROM decoded.wtid").fetchall()
            queues = database.execute("SELECT count(*), count(DISTINCT record_id) FROM decoded.wq").fetchall()
        assert shown in "".join(plan.split()).replace("│", ""), plan
        assert rows == [("LOADJOB" if pair[1] == "LOAD*" else "MATCHER",)]
        assert queues == [(2, 2) if pair[1] == "LOAD*" else (4, 2)]


def test_a_column_that_tasks_are_not_selected_by_is_refused() -> None:
    with pytest.raises(UsageError, match="--task job=A: write COLUMN=PATTERN; columns are connection_job"):
        tasks_of(["job=A"])
