"""The house tests. Each test checks a registry, so that nothing undocumented, unnamed or untested can be merged.

The number in the name of a test, or of a check of one unit (`check_...`), is the number of the rule:

 1 documentation          5 cases and scenarios    9 placeholders            13 direction of imports
 2 published sizes        6 names and ids         10 generated documents
 3 two decoders agree     7 sources and limits    12 errors
 4 one name, one meaning  8 one SELECT

Layouts (1, 2, 3) are in tests/test_house_layouts.py; code (1, 12, 13) is in tests/test_house_code.py. Rule 11, output
without traces of the run, is checked in tests/test_formats.py; examples and messages (10, 12) in
tests/test_examples.py.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import pkgutil
import re
import string
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mqstat.assemble.plan.model import names as plan_names
from mqstat.base.return_codes import LADDER
from mqstat.judge import model
from mqstat.parsers import LAYOUTS
from mqstat.parsers.tables import tables
from mqstat.render import formats
from mqstat.sql import sqlfile
from mqstat.sql.columns import UNITS as UNIT_NAMES
from mqstat.sql.columns import inherited
from mqstat.sql.schemas import duckdb_type
from mqstat.sql.syntax import tables_used
from tests.costs import cache
from tests.each import each
from tests.house import (
    PICTURES,
    REPORTS,
    ROOT,
    RULES,
    UNITS,
    VIEWS,
    check_select,
    cure,
    each_rule,
    each_unit,
    failures,
    generator,
    is_sentence,
    page_module,
    parameters,
    result_columns,
    views_as_tables,
)

BY_NAME = {unit.name: unit for unit in UNITS}


@each(BY_NAME)
def test_1_to_9_a_unit_obeys_the_rules_of_the_house(name: str) -> None:
    """Every function here that is marked `each_unit` or `each_rule`."""
    if bad := list(failures(BY_NAME[name])):
        pytest.fail("\n".join(bad), pytrace=False)


def test_0_the_registries_are_not_empty() -> None:
    registries = {
        "LAYOUTS": LAYOUTS,
        "views": VIEWS,
        "reports": REPORTS,
        "pictures": PICTURES,
        "rules": RULES,
        "commands": commands(),
    }
    bad = [name for name, units in registries.items() if not units]
    assert not bad, cure("repair the loaders of these registries, they find nothing", bad)


# ------------------------------------------------------------------------------------------------------ 1 documentation


def test_1_columns_of_tables_are_documented() -> None:
    bad = [name for name, (doc, _) in tables().items() if not is_sentence(doc)]
    bad += [
        f"{name}.{c.name}: {c.doc!r}"
        for name, (_, columns) in tables().items()
        for c in columns
        if not is_sentence(c.doc)
    ]
    assert not bad, cure("parsers/: describe these tables and columns in a sentence", bad)


@each_unit()
def check_1_views_reports_pictures_and_rules_are_documented(unit: sqlfile.SqlFile) -> None:
    assert unit.title.strip(), f"{unit.name}: give it a title"
    if unit.kind in ("report", "picture"):
        assert unit.header["question"].endswith("?"), f"{unit.name}: end question with a question mark"
    if unit.kind == "rule":
        for key in ("summary", "remedy"):
            text = unit.header["advice"][key].replace("{", "X")
            assert is_sentence(text), f"{unit.name}: end advice.{key} with a full stop"
    bad = [
        f"{c.name}: {c.doc!r}"
        for c in unit.columns.values()
        if (unit.kind == "view" or c.doc) and not is_sentence(c.doc)
    ]
    assert not bad, cure(f"{unit.name}: describe these columns in a sentence (key doc)", bad)


@each_unit("view", "report")
def check_1_the_described_columns_are_those_of_the_select(unit: sqlfile.SqlFile) -> None:
    given = list(result_columns(unit))
    missing, unknown = [c for c in given if c not in unit.columns], [c for c in unit.columns if c not in given]
    assert not missing, cure(
        f"{unit.name}: describe these columns of the SELECT under [columns]; if they are inherited, run `make docs`",
        missing,
    )
    assert not unknown, cure(f"{unit.name}: remove these from [columns], the SELECT has no such column", unknown)
    stated = list(unit.header.get("columns", {}))
    assert stated == [name for name in given if name in stated], cure(
        f"{unit.name}: describe the columns in the order of the SELECT", given
    )


@each_unit("view", "report")
def check_1_a_header_states_only_what_a_column_does_not_inherit(unit: sqlfile.SqlFile) -> None:
    sources = {need: sqlfile.columns_of(need) for need in unit.needs}
    bad = []
    for name, stated in unit.header.get("columns", {}).items():
        above = inherited(name, stated, sources)
        bad += [f"{name}.{key}" for key, value in stated.items() if [*above.get(key, ())] == [value]]
        bad += [f"{name}.doc (write `from`)"] if stated.get("doc") in [*above.get("doc", ())] else []
        bad += [name] if unit.kind == "view" and not stated else []
        if "from" in stated:
            every = inherited(name, {}, sources)
            bad += [f"{name}.from"] if all(len(every[key]) == 1 for key in every) else []
    assert not bad, cure(f"{unit.name}: remove these from [columns], the column inherits them", bad)


@each_unit("rule")
def check_1_a_rule_states_only_what_it_does_not_have_from_the_rule_that_it_is_like(unit: sqlfile.SqlFile) -> None:
    stated = sqlfile.split(unit.text, unit.name)[0]
    other = sqlfile.rules()[stated["like"]].header if "like" in stated else {}
    same = [key for key in stated if key in other and stated[key] == other[key]]
    assert not same, cure(f"{unit.name}: remove these, {stated.get('like')} has them", same)


def commands() -> dict[str, Any]:
    """Every command of the program by name."""
    return dict(page_module("command_line").commands(page_module("command_line").cli()[0]))


def test_1_commands_and_options_are_documented() -> None:
    bad = []
    for name, command in commands().items():
        if not is_sentence(page_module("command_line").text_of(command)):
            bad.append(name)
        bad += [
            f"{name} {p.name}: {p.help!r}"
            for p in command.params
            if p.name != "help" and not p.hidden and not is_sentence(p.help or "")
        ]
    assert not bad, cure("mqstat/cli: write the help of these as a sentence with a full stop", bad)


# ---------------------------------------------------------------------------------------------- 4 one name, one meaning


def test_4_one_extension_is_one_format() -> None:
    known = [ending for known in formats.formats().values() for ending in known.endings]
    bad = [ending for ending in known if known.count(ending) > 1 or not ending.startswith(".")]
    assert not bad, cure("mqstat/render/formats: give each of these extensions, with its dot, to one format", bad)


def test_4_a_format_has_a_return_code_for_each_of_ours() -> None:
    bad = [
        name
        for name, known in formats.formats().items()
        if known.return_codes and set(known.return_codes) != set(LADDER)
    ]
    assert not bad, cure(
        f"mqstat/render/formats: give return_codes of these for {', '.join(map(str, LADDER))}, or none", bad
    )


def test_4_one_column_name_has_one_meaning() -> None:
    """The same type and unit wherever a name occurs; the same kind, unless a view declares that it derives the
    column.
    """
    types: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    units: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    kinds: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for table, (_, columns) in tables().items():
        for column in columns:
            types[column.name][duckdb_type(column.type)].append(table)
            units[column.name][column.unit].append(table)
            if column.kind != "internal":  # of no interest to reports; a view defines what it is for its readers
                kinds[column.name][column.kind].append(table)
    for view in VIEWS:
        for name, kind in result_columns(view).items():
            types[name][kind].append(f"view {view.id}")
        for name, described in view.columns.items():
            units[name][described.unit].append(f"view {view.id}")
            if described.kind not in ("derived", "internal"):
                kinds[name][described.kind].append(f"view {view.id}")
    bad = {
        f"{what} of {name}": {value: where[:4] for value, where in meanings.items()}
        for what, names in (("type", types), ("unit", units), ("kind", kinds))
        for name, meanings in names.items()
        if len(meanings) > 1
    }
    assert not bad, cure(
        "give these columns one type, unit and kind everywhere, or another name",
        (f"{name}: {uses}" for name, uses in bad.items()),
    )


# ------------------------------------------------------------------------------------------------ 5 cases and scenarios


@cache
def cases(rule_id: str) -> list[dict[str, Any]]:
    """The cases of one rule."""
    path = ROOT / "tests" / "rules" / f"{rule_id}.toml"
    return list(tomllib.loads(path.read_text(encoding="utf-8"))["case"]) if path.exists() else []


def changes_severity_only(rule: model.Rule) -> bool:
    """Whether the rule is in breach on either side of its limits: each alternative with a threshold has a part that is
    a breach alone.
    """
    limited = [one for one in rule.alternatives if any(rule.clauses[n].limit in rule.thresholds for n in one)]
    return bool(limited) and all(any(set(other) < set(one) for other in rule.alternatives) for one in limited)


@each_rule
def check_5_rules_have_their_cases(rule: model.Rule) -> None:
    rule_cases = cases(rule.id)
    file = f"tests/rules/{rule.id}.toml"
    assert rule_cases, f"{file} is missing: write cases for {rule.file.name}"
    assert any(case.get("expect") for case in rule_cases), f"{file}: add a case that breaches (key expect)"
    clear = [
        case
        for case in rule_cases
        if "expect" in case and not case["expect"] and case.get("outcome", "clear") == "clear"
    ]
    assert clear, f"{file}: add a case that is clear (expect = [])"
    at_limit = [case for case in rule_cases if "limit" in case["name"]]
    if changes_severity_only(rule):
        assert {case["expect"][0].get("severity", rule.severity) for case in at_limit if case.get("expect")} >= {
            "warning",
            "info",
        }, f"{file}: add a case at the limit for each severity, with the word limit in its name"
    elif rule.thresholds:
        assert any(case in clear for case in at_limit), (
            f"{file}: add a clear case at the limit, with the word limit in its name"
        )
    assert any(case.get("outcome") == "no-data" for case in rule_cases), f'{file}: add a case with outcome = "no-data"'


def test_5_cases_belong_to_rules() -> None:
    known = {rule.id for rule in RULES}
    others = sorted(path.name for path in (ROOT / "tests" / "rules").glob("*.toml") if path.stem not in known)
    assert not others, cure(
        "tests/rules: delete these cases, or add the rule they are named after under rules/", others
    )


@cache
def scenarios() -> dict[str, ModuleType]:
    """Every scenario by name."""
    package = importlib.import_module("mqstat.fixtures.scenarios")
    names = [info.name for info in pkgutil.iter_modules(package.__path__) if not info.name.startswith("_")]
    return {name: importlib.import_module(f"mqstat.fixtures.scenarios.{name}") for name in names}


def test_5_every_rule_has_its_story() -> None:
    expected = {name: set(module.EXPECT) for name, module in scenarios().items()}
    silent = [name for name, module in scenarios().items() if not module.__doc__]
    assert not silent, cure("fixtures/scenarios: describe the story in the docstring", silent)
    assert expected["healthy_day"] == set(), "fixtures/scenarios/healthy_day.py: EXPECT must be empty"
    known = {rule.id for rule in RULES}
    unknown = [f"{name}.py: {rule}" for name, ids in expected.items() for rule in sorted(ids - known)]
    assert not unknown, cure("fixtures/scenarios: EXPECT names rules that do not exist; correct the ids", unknown)
    untold = sorted(known - set().union(*expected.values()))
    assert not untold, cure("fixtures/scenarios: add a scenario, or extend one, in which these rules breach", untold)


# ------------------------------------------------------------------------------------------------------ 6 names and ids


@each_rule
def check_6_rules_are_named_after_the_problem(rule: model.Rule) -> None:
    name = rule.name
    assert not re.match(r"(use|avoid|check|ensure|enable|disable|consider|do-not)-", name), (
        f"{rule.file.name}: name the problem, not the remedy; {name} begins with a remedy"
    )
    assert not re.fullmatch(r"(value|number|count|usage|time|it)?-?too-(high|low|long|short|many|few)", name), (
        f"{rule.file.name}: the name {name} does not state what is wrong; add the thing it is about"
    )


@each_rule
def check_6_titles_and_names_hold_no_limit(rule: model.Rule) -> None:
    """A site may change every limit; pool 0 is no limit."""
    numbers = {float(number) for number in re.findall(r"\d+(?:\.\d+)?", f"{rule.file.title} {rule.name}")}
    limits = sorted(
        threshold.name for threshold in rule.thresholds.values() if threshold.value and threshold.value in numbers
    )
    assert not limits, cure(f"{rule.file.name}: take these limits out of title and name", limits)


def test_6_names_are_unique() -> None:
    names = [rule.name for rule in RULES]
    twice = sorted({name for name in names if names.count(name) > 1})
    assert not twice, cure("rules: rename one rule of each of these names", twice)


@each_unit()
def check_6_references_lead_to_rules_and_reports(unit: sqlfile.SqlFile) -> None:
    reports, known = sqlfile.reports(), model.rules()
    references: list[tuple[str, str, Collection[str]]] = [
        ("drill_down", name, reports) for name in unit.header.get("drill_down", ())
    ]
    references += [("rules", name, known) for name in unit.header.get("rules", ())]
    references += [("limits", limit["rule"], known) for limit in unit.header.get("limits", ()) if "rule" in limit]
    if unit.kind == "picture":
        references.append(("report", unit.header["report"], reports))
    if unit.kind == "rule":
        rule = known[unit.id]
        references.append(("advice.report", rule.advice.report, reports))
        references += [("silenced_by", name, known) for name in rule.silenced_by]
        references += [("caused_by", name, known) for name in rule.caused_by]
    areas = {name.partition("/")[0] for name in reports}
    for key, text in texts_of(unit):
        named = re.findall(r"(?<![\w/.])([a-z_]+/[a-z0-9_]+)(?![\w/.])", text)
        references += [(key, name, reports) for name in named if name.partition("/")[0] in areas]
    bad = [f"{key}: {name}" for key, name, registry in references if name not in registry]
    assert not bad, cure(f"{unit.name}: remove or correct these references, nothing has that name", bad)


def texts_of(unit: sqlfile.SqlFile) -> Iterator[tuple[str, str]]:
    """The texts of a unit that may name reports, with their keys."""
    for key in ("title", "question", "note"):
        yield key, str(unit.header.get(key, ""))
    for key, text in unit.header.get("advice", {}).items():
        yield f"advice.{key}", str(text)
    for column in unit.columns.values():
        yield f"columns.{column.name}.doc", column.doc


# ------------------------------------------------------------------------------------------------- 7 sources and limits


@each_rule
def check_7_rules_state_their_source(rule: model.Rule) -> None:
    file = rule.file.name
    assert rule.source.cite.strip(), f"{file}: name the source of the rule (source.cite)"
    for threshold in rule.thresholds.values():
        assert threshold.unit in UNIT_NAMES, f"{file}: unit {threshold.unit} of {threshold.name} is unknown"
        assert len(threshold.why.split()) > 2, f"{file}: give the reason for the limit {threshold.name} (key why)"


# --------------------------------------------------------------------------------------------------------- 8 one SELECT


@each_unit("view", "report", "picture")
def check_8_a_file_is_one_select_over_what_it_declares(unit: sqlfile.SqlFile) -> None:
    check_select(unit)


@each_unit("view", "report")
def check_8_columns_are_whole_numbers_or_floats(unit: sqlfile.SqlFile) -> None:
    """Parquet and JSON have neither HUGEINT nor DECIMAL as numbers that readers expect."""
    bad = [f"{name}: {kind}" for name, kind in result_columns(unit).items() if re.search("HUGEINT|DECIMAL", kind)]
    assert not bad, cure(f"{unit.name}: cast these to BIGINT or DOUBLE", bad)


@each_rule
def check_8_a_rule_is_one_select_with_its_thresholds(rule: model.Rule) -> None:
    check_select(dataclasses.replace(rule.file, text=rule.statement), parameters(rule))
    activity = set(re.findall(r"\$(\w+)", rule.min_activity or ""))
    assert activity | parameters(rule) == set(rule.thresholds), (
        f"{rule.file.name}: use every threshold in a condition of the header or in the SELECT, or remove it"
    )


@each_unit("report")
def check_8_reports_read_views(report: sqlfile.SqlFile) -> None:
    others = sorted(tables_used(report.text) - {view.id for view in VIEWS})
    assert not others, cure(f"{report.name}: a report reads views only; read a view, or add one, instead of", others)


@each_rule
def check_8_rules_read_the_views_that_they_name(rule: model.Rule) -> None:
    used = tables_used(rule.file.text)
    assert used == set(rule.read_views), (
        f"{rule.file.name}: needs must name exactly the views that the SELECT reads: {sorted(used)}"
    )


@each_unit()
def check_8_no_common_table_expression_has_the_name_of_a_view(unit: sqlfile.SqlFile) -> None:
    """Views are computed for the names in a text: such an expression would have its view computed, or be taken for
    it.
    """
    own = set(re.findall(r"(?:\bWITH\s+|^)(\w+) AS (?:(?:NOT )?MATERIALIZED )?\(\s*$", unit.text, re.MULTILINE))
    views = {view.id for view in VIEWS}
    assert not own & views, cure(
        f"{unit.name}: a common table expression has the name of a view: rename", sorted(own & views)
    )


@each_unit("report")
def check_8_reports_have_an_order(unit: sqlfile.SqlFile) -> None:
    body, keyword, order = unit.text.rstrip().rstrip(";").rpartition("\nORDER BY")
    assert keyword, f"{unit.name}: end the SELECT with ORDER BY at the start of a line"
    # A page shows rows in breach first, so the order names columns of the result and nothing inside the SELECT.
    views_as_tables().execute(
        f"DESCRIBE SELECT r.*, true AS in_breach FROM ({body}) AS r ORDER BY in_breach DESC,{order}\nLIMIT 1"
    )


# ------------------------------------------------------------------------------------------------------- 9 placeholders


@each_rule
def check_9_placeholders_are_columns_or_limits(rule: model.Rule) -> None:
    texts = [rule.advice.summary, rule.advice.remedy]
    texts += [text for clause in rule.clauses for text in (clause.summary, clause.remedy)]
    named = {part[1] for text in texts for part in string.Formatter().parse(text) if part[1]}
    unknown = sorted(named - set(rule.thresholds) - set(result_columns(rule.file)))
    assert not unknown, cure(f"{rule.file.name}: advice names these, which are neither thresholds nor columns", unknown)


# ----------------------------------------------------------------------------------------------- 10 generated documents


@pytest.mark.slow
def test_10_generated_documents_are_up_to_date() -> None:
    pages = generator().pages()
    stale = [path.relative_to(ROOT).as_posix() for path, text in pages.items() if generator().current(path) != text]
    assert not stale, cure("run `make docs` and commit these files", stale)


def anchors(text: str) -> frozenset[str]:
    """The anchors of the headings of a document."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return frozenset(page_module("markdown").anchor(heading) for heading in headings)


def wrong_links(path: Path, text: str) -> Iterator[str]:
    """The links of a document that lead to no file or heading."""
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        page, _, heading = target.partition("#")
        if ":" in page:
            continue
        other = (path.parent / page).resolve() if page else path
        is_right = other.exists() or not page
        if is_right and heading:
            is_right = heading in anchors(other.read_text(encoding="utf-8") if page else text)
        if not is_right:
            yield f"{path.name}: {target}"


def test_10_links_of_the_documents_lead_somewhere() -> None:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    bad = [link for path in documents for link in wrong_links(path, path.read_text(encoding="utf-8"))]
    assert not bad, cure("correct these links: the file or heading does not exist", bad)


def test_10_tables_of_units_lead_to_the_file_of_each() -> None:
    """README.md leads to the tables, and these to each report, picture, rule, plan, view and structure."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    files = {unit.id: unit.name for unit in UNITS} | {name: f"parsers/layouts/{name}.py" for name in LAYOUTS}
    files |= {name: f"reports/plan/{name}.toml" for name in plan_names()}
    names = ("reports", "rules", "plans", "tables")
    listed = "".join((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in names)
    unlinked = [f"docs/{name}.md" for name in names if f"(docs/{name}.md)" not in readme]
    assert not unlinked, cure("README.md: link to these tables", unlinked)
    missing = [f"{name}: {file}" for name, file in files.items() if f"[{name}](../{file})" not in listed]
    assert not missing, cure("run `make docs`: the tables of docs/ do not lead to these", missing)


@pytest.mark.slow
def test_10_the_full_pages_explain_every_unit() -> None:
    pages = page_module("units").full_pages()
    bad = [link for path, text in pages.items() for link in wrong_links(path, text)]
    assert not bad, cure("docs/pages/units.py: these links of the pages in build/docs lead to no heading", bad)
    headings = {heading for text in pages.values() for heading in re.findall(r"^## (.*)$", text, re.MULTILINE)}
    units = {*(unit.id for unit in UNITS), *plan_names(), *(f"decoded.{name}" for name in tables())}
    assert headings == units, cure("docs/pages/units.py: these have no section, or no unit", headings ^ units)
