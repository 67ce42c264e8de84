"""docs/scale.md and the examples for schedulers: their commands run from top to bottom, as cluster and scheduler would run them."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

from mqstat.dataset.store import open_dataset
from tests.support import ROOT, built_dump, file_of, small_dump

DOCS = ROOT / "docs"

DAY = "2026-03-29"
"""A day of the dumps."""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder with the program `mqstat`, and /mq with dumps."""
    program = tmp_path / "bin" / "mqstat"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m mqstat "$@"\n')
    program.chmod(0o755)
    dumps = tmp_path / "mq" / "dumps" / DAY
    dumps.mkdir(parents=True)
    file_of(built_dump(), dumps, "a.smf")
    for number in range(3):
        file_of(small_dump() * (number + 2), dumps, f"b{number}.smf")
    return tmp_path


def done(machine: Path, script: str, **variables: str) -> str:
    """The output of a script on a machine."""
    path = f"{machine / 'bin'}:{os.environ['PATH']}"
    words = ["sh", "-ec", script.replace("/mq/", f"{machine}/mq/")]
    ended = subprocess.run(
        words, cwd=machine, env={**os.environ, "PATH": path, **variables}, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def assert_added(machine: Path, run: str) -> None:
    published = json.loads((machine / "mq" / run / "published.json").read_text())
    assert [each["state"] for each in published["inputs"]] == ["added"] * 4
    assert len(open_dataset(machine / "mq" / "dataset").manifest.sources) == 4


def test_the_jobs_of_kubernetes(machine: Path) -> None:
    """The pods of each job one after the other; those of the second job are killed before they end, and started again."""
    jobs = list(yaml.safe_load_all((DOCS / "examples" / "mqstat-job.yaml").read_text()))
    assert [(job["kind"], job["metadata"]["labels"]["step"]) for job in jobs] == [
        ("Job", "plan"), ("Job", "write"), ("Job", "publish"),
    ]  # fmt: skip
    for job in jobs:
        spec, template = job["spec"], job["spec"]["template"]["spec"]
        (container,) = template["containers"]
        assert container["command"] == ["sh", "-ec"]
        assert template["restartPolicy"] == "Never"
        assert [each["name"] for each in container["volumeMounts"]] == [each["name"] for each in template["volumes"]]
        (script,) = container["args"]
        if spec.get("completionMode") == "Indexed":
            assert f" {spec['completions']} " in script, "each pod writes every eighth part"
            killed = script.replace("mv ", "exit 0; mv ")
            for index in range(spec["completions"]):
                done(machine, killed, JOB_COMPLETION_INDEX=str(index))
        for index in range(spec.get("completions", 1)):
            done(machine, script, JOB_COMPLETION_INDEX=str(index))
    assert_added(machine, "run")


class Operator:
    """What the DAG makes of a BashOperator: its command, and the variables of each task."""

    made: list[Operator] = []  # noqa: RUF012 - each test empties it

    def __init__(self, **given: Any) -> None:
        self.given = given
        self.after: list[Operator] = []
        self.made.append(self)

    @classmethod
    def partial(cls, **given: Any) -> type[Operator] | Any:
        return types.SimpleNamespace(expand=lambda **more: cls(**given, **more))

    def __rshift__(self, other: Operator) -> Operator:
        other.after.append(self)
        return other


class Dag:
    """A DAG, whose arguments are those that Airflow has."""

    def __init__(self, name: str, *, schedule: str, start_date: Any, catchup: bool, default_args: Any) -> None:
        assert len(schedule.split()) == 5

    def __enter__(self) -> Dag:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture
def operators(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Operator]]:
    """The operators of the DAG, with classes in place of Airflow."""
    names: dict[str, dict[str, object]] = {
        "airflow": {"DAG": Dag},
        "airflow.operators": {},
        "airflow.operators.bash": {"BashOperator": Operator},
    }
    for name, content in names.items():
        module = types.ModuleType(name)
        module.__dict__.update(content)
        monkeypatch.setitem(sys.modules, name, module)
    Operator.made.clear()
    runpy.run_path(str(DOCS / "examples" / "mqstat_airflow.py"))
    yield Operator.made
    Operator.made.clear()


def test_the_tasks_of_airflow(machine: Path, operators: list[Operator]) -> None:
    assert [each.given["task_id"] for each in operators] == ["plan", "write", "publish", "check"]
    assert [each.after for each in operators] == [[], *([each] for each in operators[:-1])]
    for each in operators:
        command = jinja2.Template(each.given["bash_command"]).render(ds=DAY)
        for variables in each.given.get("env", [{}]):
            done(machine, command, **variables)
    assert_added(machine, f"runs/{DAY}")


def test_scale_works_from_top_to_bottom(machine: Path) -> None:
    text = (DOCS / "scale.md").read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 2
    printed = done(machine, "\n".join(blocks))
    assert '"state":"added"' in printed
    assert '"state":"there"' in printed
