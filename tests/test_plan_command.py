"""The command plan: settings, origins, formats, what is refused, and every plan over the sample and the real dumps."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pyarrow.parquet as pq
import pytest

from mqstat.assemble.plan.model import plans
from mqstat.base.formats import PLAN_FORMATS
from mqstat.cli import run
from mqstat.fixtures.scenarios import find
from mqstat.render import plan as rendering
from tests.support import file_of

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def low(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(find("pool_low").build(), tmp_path_factory.mktemp("plan"), "low.smf")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(find("sample").build(), tmp_path_factory.mktemp("plan"), "sample.smf")


def planned(capsys: Captured, *words: Any) -> dict[str, Any]:
    """The JSON of a plan, which fits its schema."""
    assert run(["plan", *map(str, words), "--format", "json"]) in (0, 4)
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema_rs.Draft202012Validator(rendering.make_schema()).validate(result)
    return result


def values(conclusion: dict[str, Any], kind: str = "steps") -> dict[str, Any]:
    """Values of the steps or inputs by name."""
    return {item["name"]: item["value"] for item in conclusion[kind]}


def test_plans_are_listed_with_their_question(capsys: Captured) -> None:
    assert run(["plan"]) == 0
    listed = capsys.readouterr().out
    assert all(f"{name} " in listed for name in plans())


def test_each_origin_wins_over_the_next(low: Path, tmp_path: Path, capsys: Captured) -> None:
    """A setting wins over the site file, which wins over the data, which wins over the default."""
    site = file_of(b"[site]\nactive_log_mb = 1000\n", tmp_path, "site.toml")

    def origin(*words: Any) -> tuple[str, Any]:
        (conclusion,) = planned(capsys, "checkpoint-write-time", *words)["answers"]
        (size,) = [item for item in conclusion["inputs"] if item["name"] == "log_size"]
        return size["origin"], size["value"]

    assert origin(low, "--site", site, "--set", "log_size=2GiB") == ("set", 2048)
    assert origin(low, "--site", site) == ("site file", 1000)
    assert origin() == ("default", 4096)


def test_a_setting_of_one_subject_wins_over_that_of_all(low: Path, capsys: Captured) -> None:
    words = (
        "buffer_pool_size_needed",
        low,
        "--set",
        "free_wanted=20%",
        "--set",
        "buffer_pool[MQ01/1].free_wanted=50%",
    )
    values_of = {item["subject"]: values(item, "inputs")["free_wanted"] for item in planned(capsys, *words)["answers"]}
    assert values_of["1"] == 50
    assert set(values_of.values()) == {20, 50}


def test_only_the_subjects_that_settings_name_are_answered(low: Path, capsys: Captured) -> None:
    result = planned(capsys, "buffer_pool_size_needed", low, "--set", "buffer_pool[2].free_wanted=50%")
    assert [item["subject"] for item in result["answers"]] == ["2"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["nothing"], "There is no plan nothing"),
        (["restart-tim"], "did you mean restart_time"),
        (["restart_time", "--set", "page_read"], "write PARAMETER=VALUE"),
        (["restart_time", "--set", "page_reed=1us"], "has no parameter page_reed"),
        (["restart_time", "--set", "page_read=1"], "the unit is missing"),
        (["restart_time", "--set", "page_read=-1us"], "at least 0"),
        (["restart_time", "--set", "fraction_read=2"], "at most 1"),
        (["restart_time", "--set", "page_read=1us", "--set", "page_read=2us"], "is set twice"),
        (["restart_time", "--set", "page_set[1].page_read=1us"], "answers for each queue manager"),
        (["restart_time", "--format", "parquet"], "requires a file"),
        (["--set", "page_read=1us"], "Specify the plan"),
    ],
)
def test_mistakes_are_one_sentence(words: list[str], why: str, capsys: Captured) -> None:
    assert run(["plan", *words]) == 16
    message = capsys.readouterr().err
    assert why in message
    assert message.count("\n") == 1


def test_a_subject_that_is_not_in_the_data_is_refused(low: Path, capsys: Captured) -> None:
    """Also if other settings are for subjects that are there: a misspelt one must not leave its value out silently."""
    for words, why in (
        (["buffer_pool[77].buffers=1000"], "the data has no buffer pool 77; there are "),
        (["buffer_pool[1].buffers=1000", "buffer_pool[77].buffers=2000"], "the data has no buffer pool 77; there are "),
        (["buffers=1000", "qmgr[mq01].buffers=2000"], "the data has no queue manager mq01; did you mean MQ01."),
        (["buffer_pool[mq01/1].buffers=1000"], "the data has no buffer pool mq01/1; did you mean MQ01/1."),
    ):
        settings = [word for text in words for word in ("--set", text)]
        assert run(["plan", "buffer_pool_size_needed", str(low), *settings]) == 16
        assert why in capsys.readouterr().err


def test_a_setting_of_a_subject_without_data_is_refused(capsys: Captured) -> None:
    assert run(["plan", "buffer_pool_size_needed", "--set", "buffer_pool[1].buffers=1000"]) == 16
    assert "without data there is one answer, so write buffers=VALUE." in capsys.readouterr().err


@pytest.mark.parametrize("name", ["CICSPA1/ORD1", "MQPA/CICSPA1/ORD1", "SYSA.MQPA/CICSPA1/ORD1"])
def test_a_subject_may_have_slashes_of_its_own(name: str, sample: Path, capsys: Captured) -> None:
    words = ("single_server_capacity", sample, "--set", f"Application[ {name} ].Transactions = 5")
    (conclusion,) = planned(capsys, *words)["answers"]
    assert (conclusion["qmgr"], conclusion["subject"]) == ("MQPA", "CICSPA1/ORD1")
    assert values(conclusion, "inputs")["transactions"] == 5


@pytest.mark.slow
def test_of_the_settings_for_a_subject_the_most_specific_wins(sample: Path, capsys: Captured) -> None:
    names = ("SYSA.MQPA/3", "3", "MQPA/3")
    settings = [f"buffer_pool[{name}].buffers={number}" for number, name in enumerate(names, 300000)]
    words = [word for text in ("buffers=1000", "qmgr[MQPA].buffers=2000", *settings) for word in ("--set", text)]
    result = planned(capsys, "buffer_pool_what_if", sample, *words)
    buffers = {(item["qmgr"], item["subject"]): values(item, "inputs")["buffers"] for item in result["answers"]}
    expected = {("MQPA", "3"): 300000, ("MQPB", "3"): 300001, ("MQPA", "1"): 2000, ("MQPB", "1"): 1000}
    assert {key: buffers[key] for key in expected} == expected


def test_a_missing_input_is_named_with_how_to_provide_it(capsys: Captured) -> None:
    (conclusion,) = planned(capsys, "restart_time")["answers"]
    assert conclusion["state"] == "input missing"
    assert conclusion["steps"] == []
    missing = {item["name"]: item["remedy"] for item in conclusion["inputs"] if item["origin"] == "missing"}
    assert missing["since_checkpoint"]
    assert all(item["value"] is not None or item["origin"] == "missing" for item in conclusion["inputs"])


def test_a_setting_that_records_have_comes_from_them(sample: Path, tmp_path: Path, capsys: Captured) -> None:
    """DISPLAY shows the number of adapters as it is now, records as it was when they were busy."""
    site = file_of(b"[site]\nchiadaps = 99\n", tmp_path, "site.toml")

    def adapters(*words: Any) -> tuple[str, Any]:
        conclusion = planned(capsys, "chinit_adapters", *words, "--site", site)["answers"][0]
        (given,) = [item for item in conclusion["inputs"] if item["name"] == "adapters"]
        return given["origin"], given["value"]

    assert adapters(sample, "--qmgr", "MQPA") == ("measured", 12)
    assert adapters() == ("site file", 99)


def test_an_impossible_figure_of_the_records_is_not_used(tmp_path: Path, capsys: Captured) -> None:
    """A count of calls that went down is no rate: the plan names it instead of stating a negative cost."""
    dump = file_of(find("impossible_figures").build(), tmp_path, "impossible.smf")
    for name in ("accounting_cost", "ams_cpu_cost"):
        (conclusion,) = [item for item in planned(capsys, name, dump)["answers"] if item["qmgr"] == "MQ01"]
        assert (conclusion["state"], conclusion["steps"]) == ("input missing", [])
        (stated,) = [
            item["origin_text"]
            for item in conclusion["inputs"]
            if item["value"] is None and item["remedy"].startswith("collect statistics")
        ]
        assert re.match(r"the records have -[0-9,.]+, which is not possible; collect statistics class 1", stated)


def test_too_little_data_is_the_whole_result(tmp_path: Path, capsys: Captured) -> None:
    from mqstat.fixtures.day import DAY, intervals
    from mqstat.fixtures.frame import smf_file
    from mqstat.fixtures.queue_manager import QueueManager

    short = file_of(smf_file(intervals(QueueManager(), DAY, 1)), tmp_path, "short.smf")
    (conclusion,) = planned(capsys, "log_size_and_count", short)["answers"]
    assert (conclusion["state"], conclusion["inputs"], conclusion["steps"]) == ("too little data", [], [])


def test_before_and_after_a_setting_are_shown_together(low: Path, capsys: Captured) -> None:
    words = ("buffer_pool_size_needed", low, "--set", "buffer_pool[1].buffers=60000")
    (conclusion,) = planned(capsys, *words)["answers"]
    (free,) = [step for step in conclusion["steps"] if step["name"] == "free_now"]
    assert free["value"] == pytest.approx(100 * (60_000 - 42_550) / 60_000)
    assert free["before"] == pytest.approx(100 * 7_450 / 50_000)
    assert conclusion["before"]
    assert run(["plan", *map(str, words)]) == 0
    assert "(was 14.9 %)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ("log_size=4MiB/s", "MiB/s is not a unit of log_size"), ("log_size=4", "the unit is missing"), ("log_size=4KB", "write kB or KiB"),
        ("log_sise=4GiB", "did you mean log_size"), ("log_size=-4GiB", "it must be at least 0 MiB."), ("log_size=abc", "this is not a number"),
        ("log_size=nan", "this is not a number"), ("log_size=inf", "this is not a number"), ("log_size=1e400GiB", "this is too large"),
        ("log_size=8GiB", "it must be at most 4096 MiB."), ("archive_time=1e-320s", "this is too small"), ("active_logs=2.5", "it must be a whole number"),
        ("log_size", "write PARAMETER=VALUE, or qmgr[NAME].PARAMETER=VALUE for one queue manager."), ("=4", "write PARAMETER=VALUE"),
        ("qmgr[XXXX].log_size=4GiB", "the data has no queue manager XXXX; there are MQ01."), ("page_set[3].log_size=4GiB", "answers for each queue manager"),
    ],
)  # fmt: skip
def test_a_setting_that_is_not_valid_is_refused_with_the_reason(
    setting: str, why: str, low: Path, capsys: Captured
) -> None:
    assert run(["plan", "log_size_and_count", str(low), "--set", setting]) == 16
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"mqstat: --set {setting.partition('=')[0]}")
    assert why in line


def test_an_input_of_zero_that_leaves_no_answer_is_named(low: Path, capsys: Captured) -> None:
    """Also if only a part of the sentence has no value."""
    words = (
        "log_size_and_count",
        "--set",
        "log_size=0MiB",
        "--set",
        "peak_growth=1MiB/s",
        "--set",
        "mean_growth=1GiB/h",
    )
    (conclusion,) = planned(capsys, *words)["answers"]
    assert conclusion["state"] == "input missing"
    assert conclusion["text"] == "Not answered: the formula divides by 0, because log size is 0."


def test_texts_are_bounded_and_begin_with_what_has_an_answer() -> None:
    """Subjects that lack the same share one entry; CSV and JSON have all."""
    from dataclasses import replace

    from mqstat.assemble.plan.answer import ANSWERED, MISSING, PlanAnswer, PlanResult

    many = [PlanAnswer("L", "Q", f"{n}", f"Q queue {n}", ANSWERED, f"Answer {n}.") for n in range(1000)]
    lacking = [replace(each, state=MISSING, text="Not answered: 1 input missing (x).") for each in many]
    plan = plans()["get_skip_cost"]
    (section,) = rendering.sections(PlanResult(plan, tuple(lacking)))
    assert section[0].where == "Q queue 0"
    assert section[1].startswith("Q queue 1, Q queue 2, ")
    assert section[1].endswith(" and 979 more")
    shown = list(rendering.sections(PlanResult(plan, (lacking[0], *many))))
    assert [each.where for each, _ in shown[:2]] == ["Q queue 0", "Q queue 1"]
    assert len(shown) == rendering.MOST_SUBJECTS + 1
    assert shown[-1][0].where == "981 more"
    assert len(list(rendering.text_lines(PlanResult(plan, tuple(many)), 80))) < 60


def test_constants_in_dispute_give_a_range(capsys: Captured) -> None:
    sizes = ["since_checkpoint=80MiB", "forward_range=160MiB", "backward_range=450MiB", "indexed_messages=0"]
    words = [word for size in sizes for word in ("--set", size)]
    (conclusion,) = planned(capsys, "restart_time", *words)["answers"]
    assert conclusion["low"] < values(conclusion)["restart_seconds"] < conclusion["high"]
    assert "backward_rate" in conclusion["disputed"]
    (settled,) = planned(
        capsys,
        "restart_time",
        *words,
        "--set",
        "page_read=140us",
        "--set",
        "fraction_read=1",
        "--set",
        "forward_rate=800MiB/s",
        "--set",
        "backward_rate=450MiB/s",
    )["answers"]
    assert (settled["low"], settled["high"], settled["disputed"]) == (None, None, [])


@pytest.mark.parametrize("name", PLAN_FORMATS)
def test_every_format_has_every_answer(name: str, low: Path, tmp_path: Path) -> None:
    path = tmp_path / f"plan.{name}"
    assert run(["plan", "buffer_pool_size_needed", str(low), "--format", name, "--output", str(path)]) == 0
    if name == "parquet":
        rows = pq.read_table(path).to_pylist()
    elif name == "csv":
        with path.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    else:
        text = path.read_text(encoding="utf-8")
        assert "50,059" in text
        return
    needed = [float(row["value"]) for row in rows if row["name"] == "buffers_needed" and row["subject"] == "1"]
    assert needed == [50_059]


@pytest.mark.slow
def test_every_format_has_the_range_and_the_changes(low: Path, tmp_path: Path, capsys: Captured) -> None:
    """A program that reads CSV or JSON sees what the text states."""
    cases = {
        "restart_time": ["page_read=150us"],
        "buffer_pool_what_if": ["buffer_pool[1].buffers=60000"],
    }
    for name, settings in cases.items():
        words = [name, low, *(word for text in settings for word in ("--set", text))]
        result, path = planned(capsys, *words), tmp_path / f"{name}.csv"
        assert run(["plan", *map(str, words), "--format", "csv", "--output", str(path)]) == 0
        with path.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        figures = {(row["kind"], row["name"]): row["value"] or row["text"] for row in rows}
        (conclusion,) = result["answers"]
        assert figures["before", "answer"] == conclusion["before"] != ""
        for item in conclusion["changes"]:
            assert float(figures["change", item["name"]]) == pytest.approx(item["percent"])
        if conclusion["disputed"]:
            for end in ("low", "high"):
                assert float(figures["range", end]) == pytest.approx(conclusion[end])


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    hostile = file_of(find("hostile_names").build(), tmp_path, "hostile.smf")
    for name in PLAN_FORMATS[:-1]:
        path = tmp_path / f"plan.{name}"
        assert run(["plan", "buffer_pool_size_needed", str(hostile), "--format", name, "--output", str(path)]) in (0, 4)
        text = path.read_text(encoding="utf-8")
        assert "<b>" not in text or name != "html"
        assert all(character.isprintable() or character == "\n" for character in text)


ODD = re.compile(
    r"n/a|\b(inf|nan|None)\b|\d[eE][-+]?\d|(?<![\d.,])1 (minutes|messages|intervals|hours|logs|queues|users|buffers)\b|[^.:!?]$|\[s\]"
)
"""What no sentence has: missing values, powers of ten, 1 with a plural, an end without a full stop."""


def check_answer(name: str, conclusion: dict[str, Any]) -> None:
    """An answer has a sentence; a missing input its remedy."""
    assert conclusion["text"], name
    for text in (conclusion["text"], conclusion["before"]):
        assert not ODD.search(text), f"{name}: {text}"
    for item in conclusion["inputs"]:
        assert item["origin_text"] or item["value"] is None, f"{name}: {item['name']} has no origin"
    if conclusion["state"] == "input missing":
        lacking = [item for item in conclusion["inputs"] if item["value"] is None and item["remedy"]]
        assert lacking or "the formula divides by 0" in conclusion["text"], f"{name}: nothing is named as missing"
