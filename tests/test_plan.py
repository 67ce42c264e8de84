"""Plans: what every file must have, the cases of `tests/plans` with IBM's worked examples, settings, origins and
formats.
"""

from __future__ import annotations

import csv
import json
import os
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

from mqstat.assemble.plan import formula, units
from mqstat.assemble.plan.answer import ANSWERED, answered, concluded
from mqstat.assemble.plan.inputs import Input, Subject, value_before
from mqstat.assemble.plan.model import KEY_COLUMNS, SUBJECTS, TEXTS, Plan, parse, plans, profile_rows
from mqstat.base.errors import MqstatError
from mqstat.base.formatting import fitted
from mqstat.judge.model import rules
from mqstat.judge.mqsc import placeholders
from mqstat.sql.query import check_query
from mqstat.sql.site import Site, parse_site
from mqstat.sql.syntax import tables_used
from tests.cases import case_database
from tests.costs import cache
from tests.documents import cited, headings, plain
from tests.each import each
from tests.house import is_sentence, views_as_tables

CASES = Path(__file__).parent / "plans"
NOT_STEPS = CASES / "not_steps.toml"
"""Values of IBM's worked examples that no plan has as a step, with the reason."""


CASE_COUNT = 810
"""The cases of all plans: none is lost."""


@cache
def cases(name: str) -> list[dict[str, Any]]:
    """The cases of a plan: each has inputs, then values of steps and the answer, and its worked example if it has one.

    `note` of a case is what it shows of the note of the plan. Table `golden` of the file has the values of parameters
    and steps as expressions over the names of an example; a case states those that differ.
    """
    path = CASES / f"{name}.toml"
    if not path.is_file():
        return []
    file = tomllib.loads(path.read_text(encoding="utf-8"))
    return [_case(title, stated, file.get("golden", {})) for title, stated in file["case"].items()]


def _case(title: str, stated: list[Any], of_file: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    inputs, expected, *worked = stated
    example = worked[0] if worked else ""
    differing = worked[1] if len(worked) > 1 else {}
    case = {"name": title, "inputs": inputs, "expected": expected}
    case |= {key: inputs.pop(key) for key in ("defaults",) if key in inputs}
    case |= {key: expected.pop(key) for key in ("answer", "note", "tolerance") if key in expected}
    if example:
        golden, _, golden_case = example.partition(": ")
        expressions = {**of_file.get(golden, {}), **differing}
        assert set(differing) <= {*inputs, *expected}, f"{title}: {sorted(differing)}"
        case |= {"golden": golden, "golden_case": golden_case}
        case["golden_inputs"] = {key: value for key, value in expressions.items() if key in inputs}
        case["golden_expected"] = {key: value for key, value in expressions.items() if key in expected}
    return case


ODD = re.compile(
    r"n/a|\b0\.00\d+ (%|[KMG]iB|bytes|[mµ]?s)\b|\b1 (adapters|channels|gets|queues|requests|tasks|transactions)\b|\b1 \w+ (are|were|need)\b|\b1 were\b|[\[\]|]"
)
"""What no answer has: a missing value, 1 with a plural, an ending that was not chosen."""


HOMONYMS = {
    "busy_wanted": "of a task, of function ids", "cf_cpu": "of a put and its get, of a scanned message", "log_bytes": "of the smallest message, of one of 1 KB",
    "message_bytes": "of a message that is put, of an entry of an index", "pages_per_io": "of a deferred write, of a log write",
    "queue_bytes": "of a definition, of a security profile", "recovery_wanted": "of a structure, of a page set", "single_kib": "of common, of private storage",
    "machine": "the last one with published figures, which differs by plan", "stripes": "that are planned, that the logs have",
    "log_read_forward_mib_per_s": "of archives after a loss, of active logs at a restart",
}  # fmt: skip
"""Names and facts that are different quantities in different plans, and what each is."""


@pytest.mark.parametrize("key", ["name", "fact"])
def test_a_quantity_has_one_default_and_is_measured_everywhere(key: str) -> None:
    """A quantity is a name with its unit, or a fact of the site file."""
    same: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for parameter in (one for plan in plans().values() for one in plan.parameters.values()):
        if getattr(parameter, key) and getattr(parameter, key) not in HOMONYMS and parameter.fact not in HOMONYMS:
            same[getattr(parameter, key), parameter.unit].append(parameter)
    assert [name for name, found in same.items() if len({each.default for each in found} - {None}) > 1] == []
    if key == "fact":
        assert [name for name, found in same.items() if len({bool(each.measured) for each in found}) > 1] == []


def test_a_record_is_believed_before_the_site_file() -> None:
    """Only an estimate from records yields to it."""
    site = parse_site("[site]\nssltasks = 9\nactive_log_mb = 3000\n", "site.toml")
    for name, key, measured, origin in (
        ("chinit_ssltasks", "ssl_tasks", 4, "measured"),
        ("chinit_ssltasks", "ssl_tasks", None, "site file"),
        ("log_size_and_count", "log_size", 500.0, "site file"),
        ("log_size_and_count", "peak_growth", 1.0, "measured"),
    ):
        plan = plans()[name]
        found = value_before(plan, plan.parameters[key], {"lpar": "S", "qmgr": "Q", key: measured}, "", None, site)
        assert found.origin == origin, (key, measured)


def test_what_the_records_have_is_not_assumed() -> None:
    """The listener of clients, and the storage of a channel where their number differs by 50 or more."""
    clients = [
        {"channel_name": name, "channel_disposition": name.title(), "shared_conversations": 0}
        for name in ("SHARED", "PRIVATE")
    ]
    started = [
        {"n": n, "qmgr": qmgr, "current_channels": 100 + step * n, "chinit_31_mib": 60 + step * n * 174 // 1024}
        for qmgr, step in (("MQ01", 60), ("MQ02", 12)) for n in range(5)
    ]  # fmt: skip
    with case_database(
        {"given": {"client_connection": clients, "channel_initiator": started, "channel": [{"n": 0}]}}, ["CH013"]
    ) as db:
        found = {row["subject"]: row for row in db.rows(plans()["client_connect_cost"].measured_sql)}
        assert {name: (row["listener"], row["sharecnv"]) for name, row in found.items()} == {
            "SHARED": ("shared", "one"),
            "PRIVATE": ("private", "one"),
        }
        storage = {row["qmgr"]: row["footprint_now"] for row in db.rows(plans()["chinit_max_channels"].measured_sql)}
    assert storage == {"MQ01": pytest.approx(174, rel=0.02), "MQ02": None}


def test_zhyperwrite_is_in_use_only_on_logs_that_are_capable_of_it() -> None:
    """From 9.3.5 it is tried for all new logs with ZHYWRITE(YES): enabled alone does not show that it is used."""
    counts = {"MQ01": (2, 2), "MQ02": (0, 2), "MQ03": (2, 0)}
    logs = [
        {"n": 0, "qmgr": qmgr, "new_logs_zhyperwrite_capable": capable, "new_logs_zhyperwrite_enabled": enabled}
        for qmgr, (capable, enabled) in counts.items()
    ]
    with case_database({"given": {"log": logs}}) as db:
        found = {row["qmgr"]: row for row in db.rows(plans()["zhyperwrite_benefit"].measured_sql)}
    shown = {qmgr: (row["new_logs_in_use"], row["zhywrite"]) for qmgr, row in found.items()}
    assert shown == {"MQ01": (2, True), "MQ02": (0, True), "MQ03": (0, None)}


# --- what a file must have


@each(plans())
def test_a_plan_is_complete(name: str) -> None:
    bad = list(_faults(plans()[name]))
    if bad:
        pytest.fail("\n".join(bad), pytrace=False)


def _faults(plan: Plan) -> Iterator[str]:
    for what, text in (("question", plan.question), ("holds", plan.holds), *_texts(plan)):
        if not is_sentence(text):
            yield f"{what} is no sentence: {text!r}"
    check_query(plan.steps_sql)
    used = set()
    if plan.needs:
        check_query(plan.measured_sql)
        used = tables_used(plan.measured_sql)
    if used != set(plan.needs):
        yield f"needs lists {sorted(plan.needs)}, the statement over views reads {sorted(used)}"
    if any(table.startswith("decoded.") for table in used):
        yield "the statement over views reads decoded tables; a plan reads views only"
    used = tables_used(plan.steps_sql)
    if used != {"plan_input", *plan.profiles}:
        yield f"the formulas read {sorted(used)}, not plan_input and {sorted(plan.profiles)}"
    if re.search(r"\b(coalesce|ifnull|nvl)\b", plan.steps_sql, re.IGNORECASE):
        yield "a formula must not replace a missing input: coalesce and ifnull are refused"
    yield from _wrong_columns(plan)
    known = {"lpar", "qmgr", "subject", *plan.parameters, *plan.steps}
    for conclusion in plan.conclusions.values():
        for item in (conclusion.text, *conclusion.do):
            named = placeholders(item)
            if unknown := set(named) - known:
                yield f"answer {conclusion.name} names {sorted(unknown)}"
    for profile in plan.profiles:
        if not all(row.get("source") for row in profile_rows(profile)):
            yield f"a row of {profile}.csv has no source"
    reached = Counter(case["answer"] for case in cases(plan.id) if "answer" in case)
    if missing := set(plan.conclusions) - set(reached):
        yield f"no case of tests/plans/{plan.id}.toml reaches the answers {sorted(missing)}"
    if missing := set(plan.steps) - {step for case in cases(plan.id) for step in case.get("expected", {})}:
        yield f"no case of tests/plans/{plan.id}.toml has a value for {sorted(missing)}"


def _texts(plan: Plan) -> Iterator[tuple[str, str]]:
    for parameter in plan.parameters.values():
        yield f"parameter {parameter.name}", parameter.doc
    for conclusion in plan.conclusions.values():
        yield f"answer {conclusion.name}", conclusion.text


def _wrong_columns(plan: Plan) -> Iterator[str]:
    found: set[str] = set()
    if plan.needs:
        found = {row[0] for row in views_as_tables().execute(f"DESCRIBE {plan.measured_sql}").fetchall()}
    wanted = {*KEY_COLUMNS, *(each.name for each in plan.parameters.values() if each.measured)}
    times = {f"{name}_at" for name in plan.parameters}
    if plan.needs and (wanted - found or found - wanted - times - {"covered"}):
        yield f"the statement over views lacks {sorted(wanted - found)} and has {sorted(found - wanted - times - {'covered'})} too many"
    if plan.coverage is not None and "covered" not in found:
        yield "the statement over views has no column covered"
    (row,) = formula.computed(plan, [dict.fromkeys(plan.parameters)])
    wanted = {*KEY_COLUMNS, "answer", *plan.steps}
    if set(row) != wanted:
        yield f"the formulas have the columns {sorted(row)}, not {sorted(wanted)}"
    if row["answer"] is not None and not all(
        each.optional or each.default is not None for each in plan.parameters.values()
    ):
        yield f"without any input the answer is {row['answer']!r}; it must be NULL"


FILE = """
title = "T"
question = "Q?"
needs = ["log"]
holds = "All."
source = "MP16, 'A'"
result = "half"
collect = "statistics class 1"
[parameter]
waits = [{ unit = "count", doc = "Waits." }, { measured = "waits", peak = "log_buffer_waits", example = "5" }]
share = { unit = "ratio", why = "aim", default = 2, doc = "Share.", source = ": a guess" }
[step]
half = { unit = "number", label = "half", sql = "some_waits / nullif(share, 0)" }
some_waits = "waits"
[answer]
none = { when = "waits = 0", text = "None." }
some = { text = "{half}." }
"""


def test_what_a_file_does_not_state_follows_from_it() -> None:
    plan = parse(FILE, "reports/plan/t.toml")
    (row,) = formula.computed(plan, [{"waits": 6.0, "share": 2.0}])
    assert (row["half"], row["answer"]) == (3, "some")
    assert [formula.computed(plan, [{"waits": waits, "share": 2.0}])[0]["answer"] for waits in (0.0, None)] == [
        "none",
        None,
    ]
    assert plan.steps["half"].formula == "some waits / share"
    assert plan.parameters["waits"].remedy == "collect statistics class 1, or use --set waits=5"
    assert plan.parameters["share"].source == "MP16, 'A': a guess"
    assert plan.measured_sql == (
        'SELECT lpar, qmgr, NULL AS subject, max(log_buffer_waits) AS "waits", '
        "at_peak(interval_start_local, log_buffer_waits, interval_start_utc) AS waits_at FROM log GROUP BY ALL"
    )


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ('["log"]', '["log", "smds"]', "needs several views has the statement over them, key sql"),
        ('"waits"\n[answer]', '"half"\n[answer]', "the steps half, some_waits need one another"),
        ('when = "waits = 0", ', "", "the last answer has no key when, and each other one has it"),
        ('text = "{half}."', 'when = "true", text = "{half}."', "the last answer has no key when"),
        ('doc = "Waits." }', 'doc = "Waits.", example = "6" }', "parameter.waits: key example is stated twice"),
        ('unit = "count"', 'unit = "counts"', "the unit counts is unknown"),
        (', example = "5"', "", "needs a remedy or an example"),
        ('result = "half"', 'result = "third"', "key result is 'third', which is not a step"),
        ("[step]", "[step", "this is not TOML"),
    ],
)
def test_a_wrong_file_is_refused(before: str, after: str, why: str) -> None:
    assert FILE.count(before) == 1
    with pytest.raises(MqstatError, match=re.escape(why)):
        parse(FILE.replace(before, after), "reports/plan/t.toml")


_UNIQUE = r"(\w\.)?(interval_start_utc|syncq|size_kib)"


def test_values_of_a_peak_do_not_depend_on_the_order_of_rows() -> None:
    """`arg_max` over what several rows may have equally gives that of any of them: `at_peak` gives the first in
    time.
    """
    loose = {
        name: call
        for name, plan in plans().items()
        for call in re.findall(r"\barg_m(?:ax|in)\([^;\n]*", plan.measured_sql + plan.steps_sql)
        if not re.match(rf"arg_m(ax|in)\([^,]+, {_UNIQUE}\)", call)
    }
    assert loose == {}


def test_rules_name_plans_that_exist() -> None:
    named = {rule.id: rule.plans for rule in rules().values()}
    bad = [f"{rule}: {plan}" for rule, listed in named.items() for plan in listed if plan not in plans()]
    assert not bad, bad


def test_the_cited_sections_exist(sources: Path) -> None:
    """Every section that a plan, a parameter or a table of constants quotes is a heading of the document."""
    bad = []
    for plan in plans().values():
        texts = [plan.source, *(each.source for each in plan.parameters.values() if each.source and not each.limit)]
        texts += [row["source"] for profile in plan.profiles for row in profile_rows(profile)]
        for text in dict.fromkeys(texts):
            named = list(cited(text))
            if not named:
                bad.append(f"{plan.id}: {text!r} names no document")
            for document, quoted in named:
                bad += [
                    f"{plan.id}: {document} has no section {each!r}"
                    for each in quoted
                    if plain(each) not in headings(sources, document)
                ]
    assert not bad, "\n".join(dict.fromkeys(bad))


# --- cases


CASE_IDS = [f"{name}: {case['name']}" for name in plans() for case in cases(name)]


@each(CASE_IDS)
def test_a_case_has_its_answer(case_id: str) -> None:
    """The steps of a case, from inputs that a person or a document gives; parameters that it does not name have their
    default.
    """
    name, _, title = case_id.partition(": ")
    plan, case = plans()[name], next(case for case in cases(name) if case["name"] == title)
    given = case["inputs"]
    assert not set(given) - set(plan.parameters), f"unknown inputs {sorted(set(given) - set(plan.parameters))}"
    own = {
        key: given.get(key, each.default if case.get("defaults", True) else None)
        for key, each in plan.parameters.items()
    }
    inputs = {
        key: float(value) if isinstance(value, int) and not isinstance(value, bool) else value
        for key, value in own.items()
    }
    (row,) = formula.computed(plan, [inputs])
    for step, wanted in case.get("expected", {}).items():
        assert step in plan.steps, f"unknown step {step}"
        if isinstance(wanted, (int, float)) and not isinstance(wanted, bool):
            assert row[step] == pytest.approx(wanted, rel=case.get("tolerance", 1e-6)), step
        else:
            assert row[step] == (None if wanted == "none" else wanted), step
    if "answer" in case:
        assert row["answer"] == (None if case["answer"] == "none" else case["answer"])
    if row["answer"] is not None:
        given_as = {key: Input(plan.parameters[key], value, "set", "") for key, value in inputs.items()}
        subject = Subject("SYSA", "MQPA", None if plan.subject == "qmgr" else "3", None, given_as, given_as)
        shown = concluded(plan, subject, row)
        assert shown.state == ANSWERED
        for text in (shown.text, *shown.do):
            assert not ODD.search(text), text


def test_no_case_is_lost() -> None:
    assert len(CASE_IDS) == CASE_COUNT


def test_every_file_of_cases_has_a_plan() -> None:
    assert {path.stem for path in CASES.glob("*.toml")} - {NOT_STEPS.stem} == set(plans())


CLAIMS = re.compile(r"no answer|no verdict|not known|not estimated|is assumed|without it,")
"""What a note states of the answer: a case of the plan shows it."""


def test_a_note_states_what_the_answer_is() -> None:
    bad = []
    for name, plan in plans().items():
        shown = [case["note"] for case in cases(name) if "note" in case]
        bad += [f"{name}: the note does not state {text!r}" for text in shown if text not in plan.note]
        if any(
            CLAIMS.search(sentence) and not any(text in sentence for text in shown)
            for sentence in re.split(r"(?<=[.:]) (?=[A-Z])", plan.note)
        ):
            bad.append(f"{name}: no case shows what its note states: {plan.note}")
    assert not bad, "\n".join(bad)


# --- inputs, and shares of a whole


def test_an_input_of_several_plans_is_measured_alike() -> None:
    """What the site file states, such as the size of a log, the data has in one way."""
    stated = defaultdict(set)
    for plan in plans().values():
        for parameter in plan.parameters.values():
            stated[parameter.fact].add((parameter.unit, parameter.measured))
    del stated[""]
    assert {fact: ways for fact, ways in stated.items() if len(ways) > 1} == {}


MAY_EXCEED = {
    "of one processor, of several": "ams_cpu_cost.cpu_percent dse_log_cost.cpu_percent dse_pageset_cost.cpu_percent dse_smds_cost.cpu_percent "
    "expiry_scan_cost.busy_pct index_rebuild_time.cpu_percent zhyperlink_cost.cpu_percent",
    "an increase, or of what was before": "accounting_cost.class1_increase accounting_cost.class3_increase ams_message_growth.growth "
    "shared_queue_cpu_premium.more_pct",
    "of what IBM reached, or of a size that is too small": "batch_size_advisor.pool_share cf_backup_limit.share cf_structure_capacity.peak_pct "
    "csq_admin_size.used_pct log_ceiling.share max_rate.percent max_rate.queue_percent zhyperlink_benefit.share_of_base",
    "of what the work needs, of few engines or links": "cf_cpu_load.busy_pct zhyperlink_paths.busy zhyperlink_paths.each_busy zhyperlink_paths.rmf_busy",
    "waits, of pages": "log_buffers.wait_share",
}
"""Steps in percent that are no shares of a whole, with the reason; all others are at most 100, whatever the inputs."""


@pytest.mark.slow
def test_a_share_is_at_most_100() -> None:
    exceeding = set()
    for name, plan in plans().items():
        shares = [step.name for step in plan.steps.values() if step.unit == "percent"]
        for row in formula.computed(plan, list(_any_inputs(plan))) if shares else ():
            exceeding |= {f"{name}.{step}" for step in shares if row.get("answer") and (row[step] or 0) > 100 + 1e-9}
    assert exceeding <= set(" ".join(MAY_EXCEED.values()).split()), sorted(exceeding)


def _any_inputs(plan: Plan) -> Iterator[dict[str, Any]]:
    """Inputs within the bounds of the parameters, which need not fit each other."""
    for seed in range(100):
        random = Random(f"{plan.id}{seed}")
        row: dict[str, Any] = {}
        for parameter in plan.parameters.values():
            if parameter.unit in TEXTS:
                row[parameter.name] = (
                    random.choice(parameter.choices or ("x",)) if parameter.unit == "text" else random.random() < 0.5
                )
                row[parameter.name] = "100:2 5000:3" if parameter.unit == "tally" else row[parameter.name]
                continue
            least = -1000 if parameter.least is None else parameter.least
            most = parameter.most or (100 if parameter.unit == "percent" else 1e6)
            spread = least + (most - least) * random.random() ** 4
            value = random.choice([least, most, parameter.default or 1, spread])
            row[parameter.name] = None if parameter.optional and random.random() < 0.3 else float(value)
        yield row


# --- IBM's worked examples


@cache
def goldens() -> dict[str, dict[str, Any]]:
    """The worked examples about calculations, by id."""
    folder = os.environ.get("MQSTAT_CATALOGUE")
    if not folder:
        pytest.skip("MQSTAT_CATALOGUE is not set: the worked examples are not here")
    items = json.loads((Path(folder) / "goldens.json").read_text(encoding="utf-8"))
    return {item["id"]: item for item in items if item["kind"] == "calculator"}


def _golden_values(item: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Name, inputs and expected values of each case of a worked example."""
    for case in item.get("cases") or [{"name": "", "inputs": {}, "expected": {}}]:
        inputs = {**item["inputs"], **case["inputs"]}
        expected = {**item["expected"], **case["expected"]}
        yield (
            case["name"],
            {key: value["value"] for key, value in inputs.items()},
            {key: value["value"] for key, value in expected.items()},
        )


def test_the_worked_examples_are_carried_over_exactly() -> None:
    """A case that names a worked example has its inputs and its values: expressions over the names of the example."""
    bad = []
    for name in plans():
        for case in cases(name):
            if "golden" not in case:
                continue
            found = {title: (inputs, expected) for title, inputs, expected in _golden_values(goldens()[case["golden"]])}
            inputs, expected = found[_title(case)]
            for parameter, expression in case.get("golden_inputs", {}).items():
                value = _evaluated(expression, inputs)
                if value != pytest.approx(case["inputs"][parameter], rel=1e-9):
                    bad.append(
                        f"{name}: {case['name']}: {parameter} is {case['inputs'][parameter]}, the example has {value}"
                    )
            for step, expression in _expressions(case):
                value = _evaluated(expression, expected)
                if value != pytest.approx(case["expected"][step], rel=case.get("tolerance", 1e-6)):
                    bad.append(f"{name}: {case['name']}: {step} is {case['expected'][step]}, the example has {value}")
    assert not bad, "\n".join(bad)


def _title(case: Mapping[str, Any]) -> str:
    """The case of a worked example: the one that is named, that with the name of the case, or an example without
    cases.
    """
    titles = {title for title, *_ in _golden_values(goldens()[case["golden"]])}
    return str(case["golden_case"]) or (case["name"] if case["name"] in titles else "")


def _expressions(case: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Step and expression of the values of a worked example; a step may have several."""
    for step, stated in case.get("golden_expected", {}).items():
        yield from ((step, expression) for expression in ([stated] if isinstance(stated, str) else stated))


def _evaluated(expression: str, names: Mapping[str, Any]) -> Any:
    columns = ", ".join(f'? AS "{name}"' for name in names)
    row = duckdb.execute(f"SELECT {expression} FROM (SELECT {columns})", list(names.values())).fetchone()
    assert row is not None
    return float(row[0]) if isinstance(row[0], Decimal) else row[0]


def test_every_value_of_a_worked_example_is_mapped_or_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Each expected value of an example about a plan that exists is the value of a step in a case, or in not_steps.toml
    with the reason.
    """
    listed = tomllib.loads(NOT_STEPS.read_text(encoding="utf-8"))
    mapped: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name in plans():
        for case in cases(name):
            for _, expression in _expressions(case):
                mapped[case["golden"], _title(case)] |= set(re.findall(r"[a-z_][a-z0-9_.]*", expression))
    bad, count = [], Counter[str]()
    for golden_id, item in goldens().items():
        if not _plans_of(item):
            count["worked examples of calculations without a plan"] += 1
            continue
        count["worked examples of plans"] += 1
        for title, _, expected in _golden_values(item):
            for key in expected:
                is_mapped = key in mapped[golden_id, title]
                reason = listed.get(golden_id, {}).get(key, listed.get(golden_id, {}).get("*"))
                count["values reproduced" if is_mapped else "values listed"] += 1
                if not is_mapped and not reason:
                    bad.append(f"{golden_id} {title}: {key}")
    with capsys.disabled():
        print(f"\nplans: {len(plans())}; " + "; ".join(f"{key}: {value}" for key, value in count.items()))
    assert not bad, "neither in a case nor in not_steps.toml:\n" + "\n".join(bad)


def _plans_of(item: Mapping[str, Any]) -> list[str]:
    """The plans that exist among the calculations that an example names."""
    words = re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)+", item["target"])
    covered = {row: plan.id for plan in plans().values() for row in (plan.id, *plan.covers)}
    return [covered[word.replace("-", "_")] for word in words if word.replace("-", "_") in covered]


LEFT_OUT = frozenset(
    "log_placement archive_allocation log_size_conversion csqutil_time restart_objects ims_bridge_cost scm_capacity db2_lob_space db2_lob_segments "
    "db2_data_sharing waiting_getters_cost cpu_busy cf_dead_messages device_profiles lspr_scaling".split()
)
"""Calculations of the catalogue that have no plan: tables, and what no figure of the data can feed."""


def calculations() -> set[str]:
    """The calculations of the catalogue."""
    folder = os.environ.get("MQSTAT_CATALOGUE")
    if not folder:
        pytest.skip("MQSTAT_CATALOGUE is not set: the catalogue is not here")
    with (Path(folder) / "calculators.csv").open(encoding="utf-8") as file:
        return {row["id"].replace("-", "_") for row in csv.DictReader(file)}


def test_every_plan_is_a_calculation_of_the_catalogue() -> None:
    known = {row for plan in plans().values() for row in (plan.id, *plan.covers)}
    assert known <= calculations(), sorted(known - calculations())
    assert not known & LEFT_OUT


def test_every_calculation_of_the_catalogue_has_a_plan() -> None:
    """Each row is a plan, is covered by one, or is in `LEFT_OUT`."""
    known = {row for plan in plans().values() for row in (plan.id, *plan.covers)}
    assert calculations() - known == LEFT_OUT


# --- units


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("4GiB", "mib", 4096), ("4 GiB", "gib", 4), ("4GB", "bytes", 4e9), ("1.5MiB/s", "mib_per_s", 1.5), ("3600MB/h", "mib_per_s", 1e6 / 1024**2),
        ("30min", "h", 0.5), ("2d", "h", 48), ("140us", "us", 140), ("15%", "percent", 15), ("15", "percent", 15), ("60,000", "buffers", 60000),
        ("120/min", "per_s", 2), ("0.5", "ratio", 0.5), ("4  GiB", "gib", 4), (".5 GiB", "gib", 0.5), ("1,234,567.5", "number", 1234567.5),
    ],
)  # fmt: skip
def test_amounts_are_converted(text: str, unit: str, value: float) -> None:
    assert units.amount(text, unit, "x") == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "unit", "why"),
    [
        ("4", "mib", "the unit is missing"), ("4MB/s", "mib", "is not a unit"), ("4KB", "mib", "1,000 or 1,024"), ("4GiB", "count", "is not a unit"),
        ("many", "count", "not a number"), ("5m", "min", "is not a unit"), ("", "s", "not a number"), ("4kiB", "mib", "is not a unit"),
        ("4,5GiB", "gib", "decimals have a point"), ("1,2345", "count", "not a number"), ("4.096,5MiB", "mib", "not a number"), ("5.GiB", "gib", "not a number"),
    ],
)  # fmt: skip
def test_wrong_and_missing_units_are_refused(text: str, unit: str, why: str) -> None:
    with pytest.raises(MqstatError, match=why):
        units.amount(text, unit, "x")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.00009584, "gib", "100 KiB"), (0.0078125, "mib_per_s", "8 KiB/s"), (0.00034, "mib_per_s", "357 bytes/s"), (0.115, "ms", "0.115 ms"),
        (0.0021, "ms", "2.1 µs"), (1726081.0, "h", "71,920 days"), (242033.0, "us", "242 ms"), (2048.0, "mib", "2,048 MiB"), (0.7662, "mib_per_s", "0.766 MiB/s"),
        (0.0006762, "percent", "below 0.01 %"), (0.0, "percent", "0 %"), (12.345, "percent", "12.3 %"), (663.6, "mib_per_h", "664 MiB/h"),
        (0.0004, "ratio", "0.0004"), (123456.0, "pages", "123,456 pages"), (1e-5, "us", "0.00001 µs"), (-0.002, "gib", "-2.05 MiB"),
    ],
)  # fmt: skip
def test_a_figure_has_three_digits_in_a_unit_that_fits(value: float, unit: str, text: str) -> None:
    assert fitted(value, unit) == text


def test_the_units_of_inputs_and_formulas_agree() -> None:
    """An example is not in a smaller unit than its parameter is shown in, and no formula converts one unit into
    another.
    """
    bad = []
    for plan in plans().values():
        bad += [
            f"{plan.id}: {step.formula}"
            for step in plan.steps.values()
            if re.search(r"1,000,000|1,440|1e6|/ 10(00|24)?\b", step.formula)
        ]
        for parameter in plan.parameters.values():
            typed = re.search(rf"set {parameter.name}=[\d.,]+([^\d\s.,;]+)", parameter.remedy)
            scale = units.SCALES.get(parameter.unit, {}).get(typed[1], 1) if typed else 1
            bad += [f"{plan.id}: {parameter.remedy}"] if scale < 0.9 else []
    assert not bad, "\n".join(bad)


def test_every_unit_of_a_parameter_has_scales() -> None:
    used = {each.unit for plan in plans().values() for each in plan.parameters.values()}
    assert used <= units.KNOWN | TEXTS
    assert set(SUBJECTS) >= {plan.subject for plan in plans().values()}


# --- ranges and limits of the arithmetic


def test_only_constants_that_change_the_result_are_in_dispute() -> None:
    """Of the constants of class 1 none is in the cost of class 3, and the rate of the backward phase is not in a
    restart without one.
    """
    (cost,) = answered(
        plans()["accounting_cost"],
        None,
        Site(),
        ["api_calls=4/s", "other_calls=3/s", "transactions=1/s", "class3_record=25us"],
    ).conclusions
    assert cost.disputed == ("class3_call",)
    (restart,) = answered(
        plans()["restart_time"],
        None,
        Site(),
        ["since_checkpoint=100MiB", "forward_range=200MiB", "backward_range=0MiB", "page_read=100us"],
    ).conclusions
    assert restart.disputed == ("fraction_read", "forward_rate")
    assert [restart.low, restart.high] == pytest.approx([0.637, 5.39027], abs=1e-5)


def test_a_step_that_is_too_large_is_a_missing_answer_of_its_subject_only() -> None:
    plan = plans()["page_set_sizing"]
    usual = {
        "put_pages": 36000.0,
        "used_pages": 0.0,
        "total_pages": 500000.0,
        "outage": 8.0,
        "filled": 90.0,
        "growth": 1.0,
    }
    inputs = {key: usual.get(key, each.default) for key, each in plan.parameters.items()}
    first, second, third = formula.computed(plan, [inputs, {**inputs, "outage": 1e18}, inputs])
    assert first["answer"] is not None
    assert (second, third) == ({}, first)
    (conclusion,) = answered(plan, None, Site(), ["put_pages=36000/h", "used_pages=1", "outage=1e12d"]).conclusions
    assert conclusion.text == "Not answered: a step is too large for its column; check the inputs."


def test_levels_are_no_amounts() -> None:
    """A level that is a tenth higher does not exist, and names another figure of IBM."""
    for plan in plans().values():
        inputs = {name: 904.0 if each.is_number else each.default for name, each in plan.parameters.items()}
        assert not {"level", "cfcc"} & set(formula.nudged(plan, inputs)), plan.id
