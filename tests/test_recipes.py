"""The recipes of CONTRIBUTING.md name exactly the files that a new unit touches; this adds one of each to a copy of the
tree.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.golden_parts import own_parts, without_counts
from tests.outputs import Outputs
from tests.support import ROOT

pytestmark = pytest.mark.slow

COPIED = ("mqstat", "parsers", "reports", "rules", "fixtures", "docs", "tests", "campaign")
NEW = {
    "a record structure": {"id": "qzzz"},
    "a view": {"name": "zz_view"},
    "a report": {"area": "log", "name": "zz_report"},
    "a rule": {"area": "log", "ID": "LG999"},
    "a format of reports or findings": {"name": "zz_format"},
}
DOCS_AND_GOLDENS = """
import runpy
import sys
import pytest

arguments, sys.argv = sys.argv[1:], ["docs/generate.py"]
sys.exit(runpy.run_path("docs/generate.py")["main"]() or pytest.main(arguments))
"""
"""`make docs`, and `make golden` with the given tests, in one process, which takes a second less than two.

The documents come first: `reports/columns.txt` has the columns of a new report, without which it is not written.
"""


def copied(folder: Path) -> None:
    """A copy of the tree, with the import package as links, as `make check` lays it out."""
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (*ROOT.glob("*.md"), ROOT / "pyproject.toml", ROOT / "LICENSE"):
        shutil.copy(path, folder)
    package = folder / ".package" / "mqstat"
    package.mkdir(parents=True)
    for path in (
        *(folder / "mqstat").iterdir(),
        *(folder / name for name in ("parsers", "reports", "rules", "fixtures")),
    ):
        (package / path.name).symlink_to(path)


def with_compiled(folder: Path) -> Path:
    """A folder for compiled modules of the copy: it has those of Python, of its packages and of the files that were
    copied.
    """
    compiled, known = folder / "pycache", Path(os.environ["PYTHONPYCACHEPREFIX"])
    for root in {Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()}:
        link = compiled / root.relative_to("/")
        link.parent.mkdir(parents=True, exist_ok=True)
        (known / root.relative_to("/")).mkdir(parents=True, exist_ok=True)
        link.symlink_to(known / root.relative_to("/"), target_is_directory=True)
    own, package = compiled / folder.relative_to("/"), compiled / (folder / ".package" / "mqstat").relative_to("/")
    places = {"mqstat": package, "tests": own / "tests", "campaign": own / "campaign"}
    for name in COPIED:
        source = known / ROOT.relative_to("/") / name
        if source.is_dir():
            shutil.copytree(source, places.get(name, package / name), dirs_exist_ok=True)
    return compiled


def add_units(folder: Path) -> set[str]:
    """One unit of each kind, made of a neighbour as the recipes advise; the files written by hand."""
    made = {
        "parsers/layouts/qzzz.py": (folder / "parsers/layouts/qwhx.py").read_text(encoding="utf-8").replace("qwhx", "qzzz").replace("QWHX", "QZZZ")
        .replace("header_", "zz_").replace("reserved_", "zz_reserved_"),
        "reports/views/zz_view.sql": (folder / "reports/views/report_class.sql").read_text(encoding="utf-8").replace('"report_class"', '"zz_view"'),
        "reports/log/zz_report.sql": re.sub(
            r"^(dd|wsc) .*\n", "", (folder / "reports/log/busy.sql").read_text(encoding="utf-8").replace('"log/busy"', '"log/zz_report"'), flags=re.MULTILINE
        ),
        "rules/log/LG999.sql": re.sub(
            r'^(name +=) ".*"', r'\1 "zz-log-rule"', (folder / "rules/log/LG005.sql").read_text(encoding="utf-8").replace("LG005", "LG999"), flags=re.MULTILINE
        ),
        "tests/rules/LG999.toml": (folder / "tests/rules/LG005.toml").read_text(encoding="utf-8").replace("LG005", "LG999"),
        "mqstat/render/formats/zz_format.py": (folder / "mqstat/render/formats/text.py").read_text(encoding="utf-8").replace('".txt"', '".zz"'),
    }  # fmt: skip
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")
    return set(made)


def golden_tests() -> list[str]:
    """The files of tests that write goldens: collecting the others takes longer than running these."""
    files = sorted((ROOT / "tests").glob("test_*.py"))
    return [f"tests/{path.name}" for path in files if re.search(r"\b(update_)?golden: ", path.read_text("utf-8"))]


def hashes(folder: Path) -> dict[str, str]:
    """Every file of the tree with a hash of its bytes."""
    files = [path for name in COPIED for path in (folder / name).rglob("*") if "__pycache__" not in path.parts]
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (*files, *folder.glob("*.md"))
        if path.is_file()
    }


def recipes() -> dict[str, set[str]]:
    """What is added -> patterns of the files that its recipe names."""
    recipes_by_unit = {}
    for line in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and cells[0] in NEW:
            named = [name for name in re.findall(r"`([^`]+)`", f"{cells[1]} {cells[2]}") if "/" in name]
            for key, value in NEW[cells[0]].items():
                named = [name.replace(f"<{key}>", value) for name in named]
            recipes_by_unit[cells[0]] = set(named)
    return recipes_by_unit


def test_a_unit_touches_the_files_of_its_recipe(tmp_path: Path, outputs: Outputs) -> None:
    copied(tmp_path)
    env = {**os.environ, "PYTHONPATH": f"{tmp_path / '.package'}{os.pathsep}{tmp_path}", "PYTHONSAFEPATH": "1"}
    env["PYTHONPYCACHEPREFIX"] = str(with_compiled(tmp_path))
    env.pop("PYTEST_XDIST_WORKER", None)

    def python(*arguments: str) -> None:
        done = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=env, capture_output=True, encoding="utf-8"
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]

    # Text and page of a scenario are the same before and after: nothing in them counts or lists rules and reports.
    story = outputs.scenario("pool_exhausted")
    for name, text in (
        ("reports/pool_exhausted/health.txt", story.text),
        ("html/pool_exhausted.html", own_parts(story.page)),
    ):
        (tmp_path / "tests" / "golden" / name).write_text(without_counts(text), encoding="utf-8", newline="\n")
    before = hashes(tmp_path)
    written = add_units(tmp_path)
    # In a folder of its own for temporary files: in the common one pytest removes those of earlier runs, which takes a
    # second.
    own = f"--basetemp={tmp_path / 'temporary'}"
    golden = ("-q", "-n", "0", "-p", "no:cacheprovider", own, "--update-golden", *golden_tests())
    python("-c", DOCS_AND_GOLDENS, *golden, "--only", "qzzz,log/zz_report,pool_exhausted,zz_format")
    after = hashes(tmp_path)

    touched = {name for name in after if after[name] != before.get(name)}
    assert set(before) <= set(after)
    assert set(recipes()) == set(NEW), "CONTRIBUTING.md: the table of recipes has a row for each of these"
    patterns = {pattern for named in recipes().values() for pattern in named}
    unnamed = sorted(name for name in touched if not any(fnmatch(name, pattern) for pattern in patterns))
    assert not unnamed, f"CONTRIBUTING.md: no recipe names {', '.join(unnamed)}; name them, or derive what they list"
    machine = touched - written
    idle = [p for p in patterns - written if not p.endswith("/") and not any(fnmatch(name, p) for name in machine)]
    assert not idle, f"CONTRIBUTING.md: a recipe names {', '.join(sorted(idle))}, which no new unit touches"
