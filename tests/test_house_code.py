"""The rules of the house for code: documentation, one tree of errors, one direction of imports (1, 12, 13 of
tests/test_house.py).
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqstat.base import errors
from tests.house import (
    ROOT,
    cure,
)
from tests.rooms import DOORS, LAYERS, OUTSIDE, circles, imports, module_arrows, room, room_arrows, sources


def test_1_public_code_is_documented() -> None:
    bad = []
    for name, tree in sources().items():
        if name.startswith("mqstat.parsers.layouts.") or any(part.startswith("_") for part in name.split(".")):
            continue
        if tree.body and not ast.get_docstring(tree):
            bad.append(name)
        bad += [
            f"{name}.{node.name}"
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
            and not node.name.startswith("_")
            and not ast.get_docstring(node)
            and "overload" not in map(ast.unparse, node.decorator_list)  # the function itself has it
        ]
    assert not bad, cure("write a docstring for these", bad)


# ------------------------------------------------------------------------------------------------------------ 12 errors

OTHER_RAISES = {
    "AttributeError": "as modules report a name that is not there",
    "Exit": "typer's way to end with a return code",
    "KeyError": "a mapping of our own reports what mappings report",
    "RuntimeError": "an invariant of our own does not hold, which the command line calls unexpected",
    "NotImplementedError": "never reached by a user",
    "StopIteration": "an iterator ends",
    "SystemExit": "a script ends with a return code",
}

CAUGHT_INSIDE = {
    ("mqstat.cli", "OSError"): "a write to a closed standard output fails with the message of the system",
    ("mqstat.base.atomic_write", "OSError"): "as the system reports what cannot be opened; callers add what it was for",
    (
        "mqstat.base.object_store",
        "OSError",
    ): "a request that fails, as the system reports a file; callers add what it was for",
    ("mqstat.dataset.place", "FileNotFoundError"): "as the system reports a file that is not there",
    ("mqstat.sql.decoded", "FileNotFoundError"): "the file is named as damaged",
    ("mqstat.dataset.manifest", "ValueError"): "a change that does not fit: no caller makes one",
    ("mqstat.dataset.paths", "ValueError"): "becomes an error about the path",
    ("mqstat.sources.archive", "ReadError"): "as tarfile reports it, which becomes damage",
    ("mqstat.sources.archive", "HeaderError"): "as tarfile reports it, which becomes damage",
}
"""(module, exception) -> who catches it before it leaves the module or its caller."""

SIGNALS = {
    "NeedMoreData": "the walker has to read on",
    "Broken": "a compressed stream is corrupt, which becomes damage",
    "BadFrame": "a compressed frame is damaged, which becomes a problem of its input",
    "Stopped": "a signal ends the command",
    "_SeveralMatchesError": "a join has to be done at once, for which the query runs again",
    "_Partial": "carries what was good before a fault",
}
"""Exceptions that are not errors and never leave the parsers."""


def test_12_errors_are_one_tree() -> None:
    ours = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.MqstatError)
    }
    bad = []
    for module, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
                if bases & ours:
                    ours.add(node.name)
                elif any(base.endswith(("Error", "Exception")) for base in bases) and node.name not in (
                    "MqstatError",
                    *SIGNALS,
                ):
                    bad.append(f"{module}: class {node.name}")
            elif isinstance(node, ast.FunctionDef) and node.returns and ast.unparse(node.returns) in ours:
                ours.add(node.name)  # makes an error that its caller raises
    raised: set[tuple[str, str]] = set()
    for module, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                name = ast.unparse(node.exc.func).rpartition(".")[2]
                raised.add((module, name))
                if not (name in ours or name in OTHER_RAISES or name in SIGNALS or (module, name) in CAUGHT_INSIDE):
                    bad.append(f"{module}:{node.lineno} raises {name}")
    bad += [f"{module}: no {name}, remove it from CAUGHT_INSIDE" for module, name in CAUGHT_INSIDE.keys() - raised]
    assert not bad, cure("derive the exception from one of mqstat/base/errors.py, or raise one of these", bad)


def test_12_nothing_is_asserted_or_swallowed_in_shipped_code() -> None:
    bad = [
        f"{module}:{node.lineno}"
        for module, tree in sources().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert) or (isinstance(node, ast.ExceptHandler) and node.type is None)
    ]
    assert not bad, cure("raise an error of mqstat/base/errors.py instead of `assert`; name what `except` catches", bad)


def test_12_house_rules_name_the_cure() -> None:
    """Also the tests of layouts: whoever adds a unit meets them first."""
    bad = [
        f"{path.name}:{node.lineno}"
        for path in (*sorted((ROOT / "tests").glob("test_house*.py")), ROOT / "tests" / "test_layouts.py")
        for test in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(test, ast.FunctionDef) and _is_rule(test)
        for node in ast.walk(test)
        if isinstance(node, ast.Assert) and node.msg is None
    ]
    assert not bad, cure("give these assertions a message with the file and what to do", bad)


def _is_rule(test: ast.FunctionDef) -> bool:
    """Whether a test holds units against a rule of the house: it runs for each layout, or its name has the number of a
    rule.
    """
    numbered = re.match(r"(test|check)_\d+_", test.name) is not None
    return numbered or any(ast.unparse(decorator) in ("EACH", "check") for decorator in test.decorator_list)


# ---------------------------------------------------------------------------------------------- 13 direction of imports

ARROWS = 73
"""Maximum number of pairs of rooms of which one imports from the other."""


def test_13_every_room_has_a_layer() -> None:
    known = {name for rooms in LAYERS for name in rooms} | OUTSIDE.keys()
    missing = sorted(room_arrows().keys() - known)
    assert not missing, cure("tests/rooms.py: add these rooms to LAYERS, and to docs/adr/0012", missing)
    removed = sorted(known - room_arrows().keys())
    assert not removed, cure("tests/rooms.py: remove these rooms, no folder or module has their name", removed)


def test_13_imports_go_one_way() -> None:
    """Imports inside functions and those for type checkers count."""
    layer = {name: number for number, rooms in enumerate(LAYERS) for name in rooms}
    bad = []
    for found in imports():
        own, other = room(found.module), room(found.target)
        if own == other or (own, other) in DOORS:
            continue
        wrong = other not in OUTSIDE[own] if own in OUTSIDE else other in OUTSIDE or layer[other] >= layer[own]
        if wrong:
            bad.append(f"{found.module}:{found.line} imports {found.target}")
    assert not bad, cure("import only from the same room or a lower layer (LAYERS in tests/rooms.py)", bad)


def test_13_modules_have_no_circle() -> None:
    """Inside rooms too; imports inside functions and those for type checkers count."""
    bad = [" -> ".join(group) for group in circles(module_arrows())]
    assert not bad, cure("move what these modules need of each other into a third module", bad)


def test_13_rooms_know_few_others() -> None:
    number = sum(map(len, room_arrows().values()))
    assert number <= ARROWS, cure(
        f"{number} imports between rooms instead of {ARROWS}: take what is needed from a room that is known", []
    )


def test_13_private_names_stay_in_their_room() -> None:
    bad = [
        f"{found.module}:{found.line} imports {found.target}.{name}"
        for found in imports()
        for name in (*found.names, found.target.rpartition(".")[2])
        if room(found.module) != room(found.target) and name.startswith("_") and not name.endswith("__")
    ]
    assert not bad, cure("import a public name: make these public and describe them, or use another", bad)


@pytest.mark.parametrize(
    ("arrows", "groups"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"a"}, "c": {"a"}}, [["a", "b"]]),
        ({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"e"}, "e": {"d", "a"}}, [["a", "b", "c"], ["d", "e"]]),
    ],
)
def test_circles_are_detected(arrows: dict[str, set[str]], groups: list[list[str]]) -> None:
    assert sorted(circles(arrows)) == groups


def test_an_import_inside_a_function_counts(tmp_path: Path) -> None:
    (tmp_path / "mqstat").mkdir()
    (tmp_path / "mqstat" / "low.py").write_text("def first():\n    from mqstat import high\n", encoding="utf-8")
    (tmp_path / "mqstat" / "high.py").write_text("import mqstat.low\n", encoding="utf-8")
    assert circles(room_arrows(tmp_path)) == [["high", "low"]]
    assert circles(module_arrows(tmp_path)) == [["mqstat.high", "mqstat.low"]]


def test_an_import_for_type_checkers_counts(tmp_path: Path) -> None:
    (tmp_path / "mqstat" / "room").mkdir(parents=True)
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from mqstat.room.{} import Name\n"
    for own, other in (("one", "two"), ("two", "one")):
        (tmp_path / "mqstat" / "room" / f"{own}.py").write_text(text.format(other), encoding="utf-8")
    assert circles(module_arrows(tmp_path)) == [["mqstat.room.one", "mqstat.room.two"]]


def imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and name of every module that a module imports, anywhere in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + str(node.module)
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def test_13_each_library_has_its_place() -> None:
    """Only parsers/constructs.py imports construct, and parsers have no SQL; nothing is imported relatively; a layout
    file imports only the kit and the code tables.
    """
    bad = []
    for module, tree in sources().items():
        for line, name in imported(tree):
            top = name.partition(".")[0]
            wrong = (
                name.startswith(".")  # tests/rooms.py follows whole names
                or (top == "construct" and module != "mqstat.parsers.constructs")
                or (top == "duckdb" and module.startswith(("mqstat.parsers", "mqstat.render", "mqstat.fixtures")))
                or (
                    top in ("typer", "rich")
                    and not module.startswith(("mqstat.cli", "mqstat.render", "mqstat.__main__", "mqstat.fixtures"))
                )
                or (
                    module.startswith("mqstat.parsers.layouts.")
                    and not name.startswith(("mqstat.parsers.kit", "mqstat.parsers.lookups", "__future__"))
                )
            )
            if wrong:
                bad.append(f"{module}:{line} imports {name}")
    assert not bad, cure("import these libraries only where they belong (docstring of this test)", bad)


def test_13_writers_receive_data() -> None:
    """What writes a report asks no database and judges nothing: all that it shows is in `mqstat.assemble.model`."""
    data = {"mqstat.judge.model", "mqstat.judge.clauses", "mqstat.judge.states"}
    bad = [
        f"{found.module}:{found.line} imports {found.target}"
        for found in imports()
        if room(found.module) == "render" and room(found.target) in ("sql", "judge") and found.target not in data
    ]
    assert not bad, cure("mqstat/assemble: collect what these need, as fields of the report", bad)


def test_13_help_does_not_wait_for_the_libraries() -> None:
    program = (
        "import sys, mqstat.cli.app; print(*sorted({'numpy', 'pyarrow', 'duckdb', 'construct'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "", f"mqstat/cli: import inside functions what loads {done.stdout.strip()}"


# ------------------------------------------------------------------------------------------------------------------ SQL

REGULAR_EXPRESSIONS = {
    "mqstat.assemble": {
        "frozen_folder": "paths of files and lines of SHA256SUMS",
        "plan.answer": "an amount and its unit in a sentence",
        "plan.settings": "settings of the command line",
        "plan.units": "amounts of the command line",
        "proof": "formulas, which are written for people",
    },
    "mqstat.judge": {
        "activity": "the minimum activity of a header",
        "clauses": "the conditions of a header",
        "explain": "formulas, which are written for people",
        "lineage": "formulas, which are written for people, and MQ levels",
        "model": "the keys of a header",
        "mqsc": "operator commands and the names in them",
        "sentences": "the words of a sentence",
        "wrapping": "lines of SQL that are printed, between words and outside literals",
    },
    "mqstat.sql": {
        "columns": "the names and formats of a header",
        "decoded": "the wildcards of a task filter",
        "needs": "DuckDB's message about an unknown table",
        "site": "the wildcards and levels of a site file",
        "sqlfile": "where a header ends, and names in it",
    },
}
"""The modules of the packages that run SQL that use regular expressions, and what these read."""


def test_no_regular_expression_reads_sql() -> None:
    """Headers name what a file reads; DuckDB's parser (`mqstat.sql.syntax`) finds what another query reads."""
    allowed = {f"{package}.{module}" for package, modules in REGULAR_EXPRESSIONS.items() for module in modules}
    using = {
        name
        for name, tree in sources().items()
        if name.startswith(tuple(f"{package}." for package in REGULAR_EXPRESSIONS))
        and any(alias.name == "re" for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names)
    }
    assert using == allowed
