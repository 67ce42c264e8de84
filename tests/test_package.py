"""The package: every folder is installed, and the wheel works without the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from mqstat.assemble.plan.model import plans
from mqstat.fixtures.scenarios import SCENARIOS
from tests.house import UNITS
from tests.rooms import SHIPPED
from tests.support import ROOT, file_of


def test_every_package_is_installed() -> None:
    given = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    present = set()
    for folder in SHIPPED:
        for path in (ROOT / folder).rglob("__init__.py"):
            parts = path.parent.relative_to(ROOT).parts
            present.add(".".join(parts if folder == "mqstat" else ("mqstat", *parts)))
    assert present - set(given) == set(), (
        f"pyproject.toml, tool.setuptools.packages: add {', '.join(sorted(present - set(given)))}"
    )
    assert set(given) - present == set(), (
        f"pyproject.toml, tool.setuptools.packages: remove {', '.join(sorted(set(given) - present))}, no such folder"
    )


@pytest.mark.slow
def test_the_wheel_works_outside_the_checkout(tmp_path: Path) -> None:
    source, site = tmp_path / "source", tmp_path / "site"
    for folder in SHIPPED:
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    wheel = "-m pip --disable-pip-version-check wheel --no-deps --no-build-isolation --no-index --wheel-dir".split()
    subprocess.run([sys.executable, *wheel, str(tmp_path), str(source)], check=True, capture_output=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as packed:
        packed.extractall(site)
    assert sorted(path.name for path in site.iterdir() if not path.name.endswith(".dist-info")) == ["mqstat"]
    assert (site / "mqstat" / "py.typed").exists(), "pyproject.toml, tool.setuptools.package-data: add py.typed"
    assert {path.name for path in site.rglob("*.sql")} == {
        "macros.sql",
        *(Path(unit.name).name for unit in UNITS),
    }
    assert {path.stem for path in site.rglob("plan/*.toml")} == set(plans())
    assert {path.name for path in site.rglob("profiles/*.csv")} == {
        f"{name}.csv" for plan in plans().values() for name in plan.profiles
    }

    dump = file_of(SCENARIOS["pool_exhausted"].build(), tmp_path)
    outside = {**os.environ, "PYTHONPATH": str(site), "PYTHONSAFEPATH": "1", "PYTHONUTF8": "1"}

    def python(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=outside, capture_output=True, encoding="utf-8"
        )

    where = python("-c", "import mqstat, mqstat.rules; print(mqstat.__file__, mqstat.rules.__file__, sep='\\n')")
    assert all(Path(line).is_relative_to(site) for line in where.stdout.splitlines()), where.stdout
    assert python("-m", "mqstat", "--help").returncode == 0
    done = python("-m", "mqstat", "report", str(dump))
    assert done.returncode in (0, 4, 8), done.stderr
    began = os.times().children_user
    done = python("-m", "mqstat", "demo")
    assert (done.returncode, done.stderr) == (0, "")
    print(f"mqstat demo: {os.times().children_user - began:.1f} s of processor time")
    assert {path.name for path in (tmp_path / "mqstat-demo").iterdir()} == {"report.html", "sample.smf"}
    assert "mqstat: " in done.stdout


def test_two_checkouts_do_not_mix(tmp_path: Path) -> None:
    """The current folder has a checkout of its own, the environment has this one installed: `mqstat` from there, its
    parts from here.
    """
    shutil.copytree(ROOT / "mqstat", tmp_path / "mqstat", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def python(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8"
        )

    done = python("-m", "mqstat", "rules")
    assert done.returncode == 16
    assert done.stderr.startswith(
        f"mqstat: {tmp_path / 'mqstat'} would run with {ROOT / 'fixtures'} of another checkout: "
    )
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert "of another checkout" in python("-c", "import mqstat; mqstat.decode").stderr
    (tmp_path / "mqstat").rename(tmp_path / "elsewhere")
    assert python("-m", "mqstat", "--version").returncode == 0


def test_make_announces_each_step_that_takes_long(tmp_path: Path) -> None:
    """On a fresh machine `make report` prints a line before each step of its set-up and of the report."""
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    done = subprocess.run(["make", "-n", "report"], cwd=tmp_path, capture_output=True, text=True, check=True)
    lines = done.stdout.replace("\\\n", " ").splitlines()
    steps = ("-m venv", "-r requirements.lock", "--editable .", "fixtures sample", "mqstat report")
    for step in steps:
        (at,) = [number for number, line in enumerate(lines) if step in line and not line.startswith("echo")]
        assert lines[at - 1].startswith("echo "), f"Makefile: print a line before the step {lines[at]!r}"
