"""The rules of the house. Each test walks a registry, so that nothing undocumented, unnamed or untested can be merged.

The number in a test's name is the number of the rule:

 1 documentation          5 cases and scenarios    9 placeholders            13 direction of imports
 2 published sizes        6 names and ids         10 generated documents
 3 two decoders agree     7 sources and limits    11 output without traces of the run
 4 one name, one meaning  8 one SELECT            12 errors
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import os
import pkgutil
import re
import shlex
import shutil
import string
import subprocess
import sys
import tomllib
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import pytest

from mqstat import errors, sqlfile
from mqstat.database import Database, duckdb_type, open_database
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.parsers import LAYOUTS
from mqstat.parsers.decoder import decode_sections
from mqstat.parsers.kit import Flag, Layout, Unused
from mqstat.parsers.tables import tables
from mqstat.plans import ask
from mqstat.rules import model

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ("mqstat", "parsers", "reports", "rules", "fixtures")

VIEWS = list(sqlfile.views().values())
REPORTS = list(sqlfile.reports().values())
PICTURES = list(sqlfile.pictures().values())
RULES = list(model.rules().values())
UNITS = [*VIEWS, *REPORTS, *PICTURES, *(rule.file for rule in RULES)]

each_layout = pytest.mark.parametrize("layout", list(LAYOUTS.values()), ids=list(LAYOUTS))
each_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.id for rule in RULES])
each_unit = pytest.mark.parametrize("unit", UNITS, ids=[unit.name for unit in UNITS])


@cache
def generator() -> ModuleType:
    """The module docs/generate.py."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def sources() -> dict[str, ast.Module]:
    """Every shipped Python file: module name -> syntax tree."""
    found = {}
    for folder in SHIPPED:
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts if folder == "mqstat" else ("mqstat", *parts)).removesuffix(".__init__")
            found[name] = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return found


def test_0_the_registries_are_not_empty() -> None:
    assert LAYOUTS
    assert VIEWS
    assert REPORTS
    assert PICTURES
    assert RULES
    assert commands()


# ------------------------------------------------------------------------------------------------------------ 1 documentation


def is_sentence(text: str) -> bool:
    """Whether a text is there and ends like a sentence."""
    return text.strip().endswith((".", "?"))


@each_layout
def test_1_layouts_are_documented(layout: Layout) -> None:
    assert layout.title.strip()
    bad = [f"{field.name}: {field.doc!r}" for field in layout.named if not is_sentence(field.doc)]
    bad += [f"{child.name}: {child.doc!r}" for child in layout.children if not is_sentence(child.doc)]
    bad += [
        f"{child.name}.{key.name}: {key.doc!r}"
        for child in layout.children
        for key in child.keys
        if not is_sentence(key.doc)
    ]
    assert not bad


@each_layout
def test_1_layout_files_say_where_and_how_long(layout: Layout) -> None:
    doc = layout_doc(layout)
    for heading in ("Where:", "Manual:", "Size:"):
        assert re.search(rf"^{heading}", doc, re.MULTILINE), f"the docstring of {layout.name} has no line {heading}"


def layout_doc(layout: Layout) -> str:
    """The docstring of the file that declares a layout."""
    return inspect.getdoc(importlib.import_module(f"mqstat.parsers.layouts.{layout.name}")) or ""


def test_1_columns_of_tables_are_documented() -> None:
    bad = [name for name, (doc, _) in tables().items() if not is_sentence(doc)]
    bad += [
        f"{name}.{c.name}: {c.doc!r}"
        for name, (_, columns) in tables().items()
        for c in columns
        if not is_sentence(c.doc)
    ]
    assert not bad


@each_unit
def test_1_views_reports_pictures_and_rules_are_documented(unit: sqlfile.SqlFile) -> None:
    assert unit.title.strip()
    if unit.kind in ("report", "picture"):
        assert unit.header["question"].endswith("?")
    if unit.kind == "rule":
        assert is_sentence(unit.header["advice"]["summary"].replace("{", "X"))
        assert is_sentence(unit.header["advice"]["remedy"])
    bad = [
        f"{c.name}: {c.doc!r}"
        for c in unit.columns.values()
        if (unit.kind == "view" or c.doc) and not is_sentence(c.doc)
    ]
    assert not bad


@pytest.mark.parametrize("unit", [*VIEWS, *REPORTS], ids=[unit.name for unit in [*VIEWS, *REPORTS]])
def test_1_the_described_columns_are_those_of_the_select(unit: sqlfile.SqlFile) -> None:
    found = result_columns(unit)
    assert set(unit.columns) == set(found)
    assert unit.kind == "view" or list(unit.columns) == list(found), "a report describes its columns in their order"


def commands() -> dict[str, Any]:
    """Every command of the program by name."""
    return dict(generator().commands(generator().cli()[0]))


def test_1_commands_and_options_are_documented() -> None:
    bad = []
    for name, command in commands().items():
        if not is_sentence(generator().text_of(command)):
            bad.append(name)
        bad += [
            f"{name} {p.name}: {p.help!r}"
            for p in command.params
            if p.name != "help" and not p.hidden and not is_sentence(p.help or "")
        ]
    assert not bad


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
        ]
    assert not bad


# ---------------------------------------------------------------------------------------------------------- 2 published sizes


@each_layout
def test_2_size_is_the_published_one(layout: Layout) -> None:
    sizes = [int(number) for number in re.findall(r"\b\d{1,5}\b", layout_doc(layout).partition("Size:")[2])]
    assert layout.size == max(layout.sizes)
    assert set(layout.sizes) <= set(sizes), f"the docstring of {layout.name} names the sizes {sizes}"


@each_layout
def test_2_every_byte_has_one_meaning(layout: Layout) -> None:
    """Fields lie inside the structure, cover it, and overlap only where one is another reading of the same bytes."""
    owner: dict[int, Any] = {}
    for field in layout.fields:
        for _, at in field.elements:
            assert at >= 0, field.name
            assert at + field.type.width <= layout.size, field.name
            for byte in range(at, at + field.type.width):
                other = owner.setdefault(byte, field)
                shared = (
                    other is field
                    or (isinstance(field.type, Flag) and isinstance(other.type, Flag))
                    or other.mnemonic == field.mnemonic
                )
                alias = not isinstance(field, Unused) and not isinstance(other, Unused)
                assert shared or alias, f"{field.name} and {other.name} both describe byte {byte}"
    assert sorted(owner) == list(range(layout.size))


@each_layout
def test_2_names_are_unique(layout: Layout) -> None:
    names = [
        name
        for field in layout.named
        for name in (field.columns or ((f"{field.child}.{field.part}." if field.child else "") + field.name,))
    ]
    assert not {name for name in names if names.count(name) > 1}


def test_2_no_route_is_claimed_twice() -> None:
    claimed: dict[tuple[int, int, int], list[str]] = defaultdict(list)
    for layout in LAYOUTS.values():
        for route in layout.routes:
            claimed[route].append(layout.name)
    assert not {route: names for route, names in claimed.items() if len(names) > 1}


# -------------------------------------------------------------------------------------------------------- 3 two decoders agree


PATTERNS = [bytes([value]) for value in (0x00, 0x01, 0x40, 0x7F, 0x80, 0x8F, 0xC1, 0xFF)] + [
    bytes(range(256)),
    bytes(range(255, -1, -1)),
]


@each_layout
def test_3_both_decoders_agree(layout: Layout) -> None:
    """Patterns that are the edges of each type, at each published size; tests/test_layouts.py adds arbitrary bytes of any length."""
    for size in layout.sizes:
        for pattern in PATTERNS:
            for level in (0, 80000, 90300, 100000):
                section = (pattern * (size // len(pattern) + 1))[:size]
                quick = decode_sections(layout, [section], level)
                parent, children = layout.typed(section, level=level)
                assert (quick.pop(layout.name), quick) == ([parent], children), (size, pattern[:2], level)


# ------------------------------------------------------------------------------------------------------ 4 one name, one meaning


def test_4_one_column_name_has_one_meaning() -> None:
    """The same type and unit wherever a name occurs; the same kind, where a view does not say that it derives the column."""
    types: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    units: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    kinds: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for table, (_, columns) in tables().items():
        for column in columns:
            types[column.name][duckdb_type(column.type)].append(table)
            units[column.name][column.unit].append(table)
            if column.kind != "internal":  # of no interest to reports; a view says what it is to its readers
                kinds[column.name][column.kind].append(table)
    for view in VIEWS:
        for name, kind in result_columns(view).items():
            types[name][kind].append(f"view {view.id}")
        for name, described in view.columns.items():
            units[name][described.unit].append(f"view {view.id}")
            if described.kind not in ("derived", "internal"):
                kinds[name][described.kind].append(f"view {view.id}")
    bad = {
        f"{what} of {name}": {value: where[:4] for value, where in found.items()}
        for what, names in (("type", types), ("unit", units), ("kind", kinds))
        for name, found in names.items()
        if len(found) > 1
    }
    assert not bad, "\n".join(f"{name}: {uses}" for name, uses in bad.items())


# ------------------------------------------------------------------------------------------------------ 5 cases and scenarios


@cache
def cases(rule_id: str) -> list[dict[str, Any]]:
    """The cases of one rule."""
    path = ROOT / "tests" / "rules" / f"{rule_id}.toml"
    return list(tomllib.loads(path.read_text(encoding="utf-8"))["case"]) if path.exists() else []


@each_rule
def test_5_rules_have_their_cases(rule: model.Rule) -> None:
    found = cases(rule.id)
    assert found, f"tests/rules/{rule.id}.toml is not there"
    assert any(case.get("expect") for case in found), "no case breaches"
    clear = [
        case for case in found if "expect" in case and not case["expect"] and case.get("outcome", "clear") == "clear"
    ]
    assert clear, "no case is clear"
    if rule.thresholds:
        assert any("limit" in case["name"] for case in clear), (
            "no clear case is named after the limit that it just keeps"
        )
    assert any(case.get("outcome") == "no-data" for case in found), "no case lacks its data"


def test_5_cases_belong_to_rules() -> None:
    assert {path.stem for path in (ROOT / "tests" / "rules").glob("*.toml")} == {rule.id for rule in RULES}


@cache
def scenarios() -> dict[str, ModuleType]:
    """Every scenario by name."""
    package = importlib.import_module("mqstat.fixtures.scenarios")
    names = [info.name for info in pkgutil.iter_modules(package.__path__) if not info.name.startswith("_")]
    return {name: importlib.import_module(f"mqstat.fixtures.scenarios.{name}") for name in names}


def test_5_every_rule_has_its_story() -> None:
    expected = {name: set(module.EXPECT) for name, module in scenarios().items()}
    assert all(module.__doc__ for module in scenarios().values())
    assert expected["healthy_day"] == set()
    known = {rule.id for rule in RULES}
    assert set().union(*expected.values()) - known == set(), "a scenario expects a rule that is not there"
    assert known - set().union(*expected.values()) == set(), "no scenario tells the story of these rules"


# ----------------------------------------------------------------------------------------------------------- 6 names and ids


@each_rule
def test_6_rules_are_named_after_the_problem(rule: model.Rule) -> None:
    name = rule.name
    assert not re.match(r"(use|avoid|check|ensure|enable|disable|consider|do-not)-", name), "the name says the remedy"
    assert not re.fullmatch(r"(value|number|count|usage|time|it)?-?too-(high|low|long|short|many|few)", name), (
        "the name does not say what"
    )


def test_6_names_are_unique_and_ids_are_never_reused() -> None:
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names)
    removed = set(re.findall(r"[Rr]emoved `?([A-Z]{2}\d{3})`?", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")))
    assert not removed & {rule.id for rule in RULES}


# ------------------------------------------------------------------------------------------------------- 7 sources and limits


@each_rule
def test_7_rules_say_where_they_come_from(rule: model.Rule) -> None:
    assert rule.source.cite.strip()
    assert rule.source.kind in ("documented", "guidance", "judgement")
    for threshold in rule.thresholds.values():
        assert threshold.unit in sqlfile.UNITS, threshold.name
        assert len(threshold.why.split()) > 2, threshold.name


# ---------------------------------------------------------------------------------------------------------------- 8 one SELECT


@pytest.mark.parametrize(
    "unit", [*VIEWS, *REPORTS, *PICTURES], ids=[unit.name for unit in [*VIEWS, *REPORTS, *PICTURES]]
)
def test_8_a_file_is_one_select_over_what_it_declares(unit: sqlfile.SqlFile) -> None:
    sqlfile.check_select(unit)


@each_rule
def test_8_a_rule_is_one_select_with_its_thresholds(rule: model.Rule) -> None:
    sqlfile.check_select(rule.file, model.parameters(rule))
    activity = set(re.findall(r"\$(\w+)", rule.min_activity or ""))
    assert activity | model.parameters(rule) == set(rule.thresholds), "a threshold is not used"


@pytest.mark.parametrize("report", REPORTS, ids=[unit.name for unit in REPORTS])
def test_8_reports_read_views(report: sqlfile.SqlFile) -> None:
    assert tables_used(report) <= {view.id for view in VIEWS}


@each_rule
def test_8_rules_read_the_views_that_they_name(rule: model.Rule) -> None:
    assert tables_used(rule.file) == set(rule.views)


def tables_used(unit: sqlfile.SqlFile) -> set[str]:
    """The tables and views that a file's SELECT names."""
    with duckdb.connect() as connection:
        return sqlfile.tables_used(connection, unit.text)


@pytest.mark.parametrize("unit", REPORTS, ids=[unit.id for unit in REPORTS])
def test_8_reports_have_an_order(unit: sqlfile.SqlFile) -> None:
    body, found, order = unit.text.rstrip().rstrip(";").rpartition("\nORDER BY")
    assert found
    # A page shows rows in breach first, so the order names columns of the result and nothing inside the SELECT.
    with open_database({}, views=False) as db:
        ask(db, f"SELECT r.*, true AS in_breach FROM ({body}) AS r ORDER BY in_breach DESC,{order}\nLIMIT 1")


# -------------------------------------------------------------------------------------------------------------- 9 placeholders


@each_rule
def test_9_placeholders_are_columns_or_limits(rule: model.Rule) -> None:
    texts = (rule.advice.summary, rule.advice.remedy)
    named = {part[1] for text in texts for part in string.Formatter().parse(text) if part[1]}
    assert not named - set(rule.thresholds) - set(result_columns(rule.file))


def result_columns(unit: sqlfile.SqlFile) -> dict[str, str]:
    """Names and DuckDB types of the columns that a file's SELECT gives."""
    unbound = dict.fromkeys(model.parameters(model.rules()[unit.id]), 0) if unit.kind == "rule" else None
    return {row[0]: str(row[1]) for row in empty().execute(unit.text, unbound).description}


@cache
def empty() -> Database:
    """A database whose tables are all empty."""
    return open_database({})


# ------------------------------------------------------------------------------------------------------ 10 generated documents


def test_10_generated_documents_are_up_to_date() -> None:
    stale = [
        path.relative_to(ROOT).as_posix()
        for path, text in generator().pages().items()
        if generator().current(path) != text
    ]
    assert not stale, "say `make docs`"


def test_10_links_of_the_documents_lead_somewhere() -> None:
    bad = []
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
            place, _, heading = target.partition("#")
            if ":" in place:
                continue
            other = (path.parent / place).resolve() if place else path
            if not other.exists():
                bad.append(f"{path.name}: {target}")
            elif heading:
                headings = re.findall(r"^#+ (.*)$", other.read_text(encoding="utf-8"), re.MULTILINE)
                if heading not in {generator().anchor(text) for text in headings}:
                    bad.append(f"{path.name}: {target}")
    assert not bad


def readme_commands() -> list[str]:
    """The command lines of README.md that begin with `$ mqstat`."""
    return re.findall(r"^\$ (mqstat .*)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_10_examples_of_the_readme_run(tmp_path: Path) -> None:
    assert readme_commands()
    build_sample(tmp_path / "sample.smf")
    for line in readme_commands():
        done = mqstat(*shlex.split(line)[1:], cwd=tmp_path)
        assert done.returncode in (0, 4, 8), f"{line}\n{done.stderr}"
        assert done.stdout.strip(), line


# ------------------------------------------------------------------------------------------- 11 output without traces of the run


def mqstat(*words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "mqstat", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONUTF8": "1", **environment},
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
    )


def build_sample(path: Path) -> Path:
    """Build the bundled sample."""
    subprocess.run([sys.executable, "-m", "mqstat.fixtures", "sample", str(path)], check=True, capture_output=True)
    return path


@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_11_output_does_not_depend_on_the_run(form: str, tmp_path: Path) -> None:
    here, there = tmp_path / "a-peculiar-folder", tmp_path / "elsewhere"
    for folder in (here, there):
        folder.mkdir()
    (here / "sample.smf").write_bytes(SCENARIOS["pool_exhausted"].build())
    (there / "sample.smf").write_bytes((here / "sample.smf").read_bytes())
    first = mqstat(
        "report",
        str(here / "sample.smf"),
        "--format",
        form,
        cwd=tmp_path,
        TZ="Asia/Tokyo",
        LC_ALL="de_DE.UTF-8",
        LANG="de_DE.UTF-8",
    )
    second = mqstat("report", "sample.smf", "--format", form, cwd=there, TZ="America/New_York", LC_ALL="C", LANG="C")
    assert first.returncode in (0, 4, 8), first.stderr
    assert first.stdout == second.stdout
    assert "a-peculiar-folder" not in first.stdout
    assert str(tmp_path) not in first.stdout


# -------------------------------------------------------------------------------------------------------------------- 12 errors

OTHER_RAISES = {
    "Exit": "typer's way to end with a return code",
    "KeyError": "a mapping of our own says what mappings say",
    "RuntimeError": "an invariant of our own does not hold, which the command line calls unexpected",
    "NotImplementedError": "never reached by a user",
    "StopIteration": "an iterator ends",
    "SystemExit": "a script ends with a return code",
    "FormatFieldError": "a field of ours says what fields of construct say when they are built; only fixtures build",
}

SIGNALS = {
    "More": "the walker has to read on",
    "Broken": "a compressed stream is corrupt, which becomes damage",
    "_Partial": "carries what was good before a fault",
}
"""Exceptions that are not errors and never leave the parsers."""


def test_12_errors_form_one_tree() -> None:
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
    for module, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                name = ast.unparse(node.exc.func).rpartition(".")[2]
                if name not in ours and name not in OTHER_RAISES and name not in SIGNALS:
                    bad.append(f"{module}:{node.lineno} raises {name}")
    assert not bad


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("not-there.smf", None, ("report", "{}")),
        ("not-there.smf", None, ("ledger", "{}")),
        ("empty.smf", b"", ("report", "{}")),
        ("text.smf", b"This is not a dump. " * 300, ("report", "{}")),
        ("text.smf", b"This is not a dump. " * 300, ("ingest", "{}", "--into", "data")),
        ("cut.smf.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", ("report", "{}")),
        ("no-dataset", "folder", ("report", "--from", "{}")),
        ("no-dataset", "folder", ("verify", "{}")),
    ],
)  # fmt: skip
def test_12_a_message_names_the_file(
    name: str, content: bytes | str | None, words: tuple[str, ...], tmp_path: Path
) -> None:
    if content == "folder":
        (tmp_path / name).mkdir()
    elif isinstance(content, bytes):
        (tmp_path / name).write_bytes(content)
    done = mqstat(*(word.format(name) for word in words), cwd=tmp_path)
    assert done.returncode in (12, 16), done.stdout + done.stderr
    said = done.stdout + done.stderr
    assert name in said
    assert "Traceback" not in said
    assert "unexpected error" not in said
    assert len(done.stderr.strip().splitlines()) <= 3, "a message is a sentence, not a page"


def test_12_damage_names_the_offset(tmp_path: Path) -> None:
    sample = build_sample(tmp_path / "sample.smf").read_bytes()
    (tmp_path / "cut.smf").write_bytes(sample[:-7])
    done = mqstat("ledger", "cut.smf", cwd=tmp_path)
    assert done.returncode == 4, done.stderr
    assert "cut.smf" in done.stdout
    offsets = [
        int(number.replace(",", ""))
        for number in re.findall(r"^ *([\d,]+) +[\d,]+  truncated", done.stdout, re.MULTILINE)
    ]
    assert len(offsets) == 1
    assert len(sample) - 40_000 < offsets[0] < len(sample)


def test_12_nothing_is_asserted_or_swallowed_in_shipped_code() -> None:
    bad = [
        f"{module}:{node.lineno}"
        for module, tree in sources().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert) or (isinstance(node, ast.ExceptHandler) and node.type is None)
    ]
    assert not bad


# ------------------------------------------------------------------------------------------------------- 13 direction of imports

LAYERS: tuple[tuple[str, ...], ...] = (
    ("mqstat.errors", "mqstat.return_codes", "mqstat.nearest"),
    ("mqstat.parsers",),
    ("mqstat.selection", "mqstat.holdings", "mqstat.sqlfile", "mqstat.toml_lines", "mqstat.site"),
    ("mqstat.dataset", "mqstat.database", "mqstat.needed"),
    (
        "mqstat.part",
        "mqstat.stream",
        "mqstat.ranges",
        "mqstat.pipeline",
        "mqstat.open_data",
        "mqstat.ingest",
        "mqstat.raw",
        "mqstat.trace",
        "mqstat.plans",
        "mqstat.compare",
        "mqstat.usual",
    ),
    ("mqstat.reports", "mqstat.rules"),
    ("mqstat.render",),
    ("mqstat.daily",),
    ("mqstat.cli", "mqstat.__main__"),
)
"""From below: a module imports from its own layer or a lower one. Fixtures stand beside these and know the parsers only."""


def layer(module: str) -> int | None:
    """The number of the layer that a module belongs to."""
    return next(
        (i for i, names in enumerate(LAYERS) if any(module == n or module.startswith(n + ".") for n in names)), None
    )


def imports(module: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and name of everything of mqstat that a module imports, anywhere in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module}: relative import"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield node.lineno, whole if whole in sources() else str(node.module)


def test_13_every_module_has_a_layer() -> None:
    assert [m for m in sources() if m != "mqstat" and not m.startswith("mqstat.fixtures") and layer(m) is None] == []


def test_13_imports_go_one_way() -> None:
    bad = []
    for module, tree in sources().items():
        for line, name in imports(module, tree):
            if not name.startswith("mqstat."):
                continue
            if module.startswith("mqstat.fixtures"):
                wrong = not name.startswith(("mqstat.fixtures", "mqstat.parsers", "mqstat.errors"))
            else:
                own, other = layer(module), layer(name)
                wrong = own is None or other is None or other > own
            if wrong:
                bad.append(f"{module}:{line} imports {name}")
    assert not bad


def test_13_each_library_has_its_place() -> None:
    """construct stays behind the kit, SQL out of the parsers; a layout file knows the kit and the code tables only."""
    bad = []
    for module, tree in sources().items():
        for line, name in imports(module, tree):
            top = name.partition(".")[0]
            wrong = (
                (top == "construct" and module != "mqstat.parsers.kit")
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
    assert not bad


def test_13_help_does_not_wait_for_the_libraries() -> None:
    program = "import sys, mqstat.cli; print(*sorted({'numpy', 'pyarrow', 'duckdb', 'construct'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == ""


# ------------------------------------------------------------------------------------------------------------------- the package


def test_every_package_is_installed() -> None:
    settings_ = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    found = set()
    for folder in SHIPPED:
        for path in (ROOT / folder).rglob("__init__.py"):
            parts = path.parent.relative_to(ROOT).parts
            found.add(".".join(parts if folder == "mqstat" else ("mqstat", *parts)))
    assert set(settings_["packages"]) == found


def test_the_wheel_works_outside_the_checkout(tmp_path: Path) -> None:
    source, site = tmp_path / "source", tmp_path / "site"
    for folder in SHIPPED:
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
    ]
    subprocess.run([*pip, "--wheel-dir", str(tmp_path), str(source)], check=True, capture_output=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(site)
    assert sorted(path.name for path in site.iterdir() if not path.name.endswith(".dist-info")) == ["mqstat"]
    assert {path.name for path in site.rglob("*.sql")} == {Path(unit.name).name for unit in UNITS}

    sample = build_sample(tmp_path / "sample.smf")
    outside = {"PYTHONPATH": str(site), "PYTHONSAFEPATH": "1"}
    where = subprocess.run(
        [sys.executable, "-c", "import mqstat, mqstat.rules; print(mqstat.__file__, mqstat.rules.__file__, sep='\\n')"],
        cwd=tmp_path,
        env={**os.environ, **outside},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert all(Path(line).is_relative_to(site) for line in where.stdout.splitlines())
    assert mqstat("--help", cwd=tmp_path, **outside).returncode == 0
    done = mqstat("report", str(sample), cwd=tmp_path, **outside)
    assert done.returncode in (0, 4, 8), done.stderr
