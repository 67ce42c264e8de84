"""Every counter of a structure decides in a rule, and each element of an array of counters, or is listed with the
reason why not: tests/unread_counters.toml.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from mqstat.judge import scope
from mqstat.judge.lineage import field_of, fields, origin_in
from mqstat.judge.model import Rule, rules
from mqstat.parsers import LAYOUTS
from mqstat.parsers.kit import Child
from tests.costs import cache
from tests.house import cure
from tests.opening import open_database
from tests.oracle_data import tables_of
from tests.oracle_kinds import with_column

LISTED = Path(__file__).with_suffix(".toml").with_name("unread_counters.toml")
COUNTED = ("counter", "gauge", "high", "low", "duration")
"""The kinds of fields that are amounts."""

Counter = tuple[str, str]
"""Structure and field; a field of an array with rows of its own as `child.field`."""


def counters() -> set[Counter]:
    """The amounts of all structures."""
    return {
        (layout.name, f"{field.child}.{field.name}" if field.child else field.name)
        for layout in LAYOUTS.values()
        for field in layout.named
        if field.kind in COUNTED
    }


def deciding(rule: Rule) -> set[str]:
    """The columns of the SELECT of a rule from which it is decided whether there is a breach."""
    conditions = f"{rule.min_activity or ''} {rule.judged_when or ''}"
    named = set(re.findall(r"[a-z]\w*", conditions)) | {column for each in rule.clauses for column in each.columns}
    return {column for column in rule.columns if column in named | {"observed", rule.weighted_by}}


@cache
def read() -> Mapping[Counter, frozenset[str]]:
    """The fields at the bottom of these columns, each with its rules."""
    found: dict[Counter, set[str]] = {}
    for rule in rules().values():
        for column in deciding(rule):
            for name in fields(origin_in(rule.select, column)):
                if known := field_of(name):
                    layout, field = known
                    counter = (layout.name, f"{field.child}.{field.name}" if field.child else field.name)
                    found.setdefault(counter, set()).add(rule.id)
    return {counter: frozenset(ids) for counter, ids in found.items()}


def listed_counters(*, elements: bool) -> list[Counter]:
    """The counters that are listed; `elements` = those of single elements of an array: `child[key=1].counter`,
    `child[key<>1].counter`, `child[key].counter` for all.
    """
    groups = tomllib.loads(LISTED.read_text()).items()
    every = [(structure, name) for structure, of in groups for names in of.values() for name in names.split()]
    return [each for each in every if ("[" in each[1]) == elements]


@pytest.mark.slow
def test_a_counter_is_judged_or_its_reason_is_listed() -> None:
    listed = listed_counters(elements=False)
    judged, known = set(read()), counters()
    bad = [f"{a}.{b}: no rule decides by it, and no reason is listed" for a, b in sorted(known - judged - set(listed))]
    bad += [f"{a}.{b}: a rule decides by it: remove it" for a, b in sorted(judged & set(listed))]
    bad += [f"{a}.{b}: no such counter: remove it" for a, b in sorted(set(listed) - known)]
    bad += [f"{a}.{b}: listed twice" for a, b in sorted({item for item in listed if listed.count(item) > 1})]
    assert not bad, cure("write a rule, or a reason in tests/unread_counters.toml", bad)


# ------------------------------------------------------------------------------------------------------------- elements

FACTORS = (3.0, 1 / 3)
"""What the counters of an element are multiplied by: a figure of a rule must get worse by one of them."""


def element_counters() -> Iterator[tuple[Child, str, str, tuple[str, ...]]]:
    """Each counter of an array that rules about the system decide by: its child table, structure, name and these rules.

    Of an array of objects with names (`slots`) each element is a subject.
    """
    for layout in LAYOUTS.values():
        for child in (each for each in layout.children if each.name != layout.slots):
            for name in dict.fromkeys(field.name for field in layout.named if field.child == child.name):
                ids = read().get((layout.name, f"{child.name}.{name}"), ())
                judging = sorted(
                    id_ for id_ in ids if rules()[id_].weight != "collection" and rules()[id_].over != "all"
                )
                if judging and (layout.name, f"{child.name}.{name}") in counters():
                    yield child, layout.name, name, tuple(judging)


def copies() -> tuple[list[tuple[str, str, str, int, float]], Mapping[str, pa.Table]]:
    """What is multiplied in each copy of a queue manager (child table, counter, key, value, factor), nothing in the
    first; and the tables of all copies.
    """
    variants = [("", "", "", 0, 1.0)]
    for child, _, name, _ in element_counters():
        for key in child.keys:
            variants += [
                (child.name, name, key.name, value + 1, factor) for value, factor in product(range(key.count), FACTORS)
            ]
    tables = tables_of("rich_estate")
    owner = pc.field("qmgr") == tables["wq_cf"]["qmgr"][0]
    small = {name: table.filter(owner) if "qmgr" in table.column_names else table for name, table in tables.items()}
    early = small["qjst"]["interval_start_utc"].combine_chunks().sort()[3]
    return variants, {name: repeated(name, table, variants, early) for name, table in small.items()}


def repeated(
    name: str, table: pa.Table, variants: list[tuple[str, str, str, int, float]], until: pa.Scalar
) -> pa.Table:
    """The rows of a table in each copy; those of a child table with all elements of its arrays."""
    if "interval_start_utc" in table.column_names:
        table = table.filter(pc.less_equal(table["interval_start_utc"], until))
    child = next((child for child, _, _, _ in element_counters() if child.name == name), None)
    if child is not None:
        table = full(child, table)
    if "record_id" not in table.column_names:
        return table
    out = []
    for number, (of, counter, key, value, factor) in enumerate(variants):
        copy = with_column(table, "record_id", pc.add(table["record_id"], 100_000 * number))
        for column in ("lpar", "qsg"):
            if column in table.column_names:
                copy = with_column(copy, column, [f"{number:04}"] * len(table))
        if "record_hash" in table.column_names:
            hashes = [number.to_bytes(2) + old[2:] for old in table["record_hash"].to_pylist()]
            copy = with_column(copy, "record_hash", hashes)
        if of == name:
            scaled = pc.if_else(pc.equal(copy[key], value), pc.multiply(copy[counter], factor), copy[counter])
            copy = with_column(copy, counter, pc.cast(scaled, copy[counter].type, safe=False))
        out.append(copy)
    return pa.concat_tables(out)


def full(child: Child, table: pa.Table) -> pa.Table:
    """One row for each element in each section that has any, without zeros."""
    counted = {name for of, _, name, _ in element_counters() if of.name == child.name}
    sections = {(row["record_id"], row["section"]): row for row in table.to_pylist()}
    names = [key.name for key in child.keys]
    rows = [
        {**row, **{name: row[name] or 30 for name in counted}, **dict(zip(names, values, strict=True))}
        for row in sections.values()
        for values in product(*(range(1, key.count + 1) for key in child.keys))
    ]
    return pa.Table.from_pylist(rows, schema=table.schema)


def _shortest(values: set[int], count: int) -> str:
    """Values from 1 to `count` as text: nothing for all of them, `=1,2` or, if it is shorter, those that are not among
    them, `<>11`.
    """
    others = set(range(1, count + 1)) - values
    operator, named = ("=", values) if len(values) <= len(others) else ("<>", others)
    return operator + ",".join(map(str, sorted(named))) if others else ""


@pytest.mark.slow
def test_an_element_of_an_array_is_judged_or_its_reason_is_listed() -> None:
    """In a copy of a queue manager one counter of one element is multiplied: a figure of a rule that decides by it must
    get worse.
    """
    variants, tables = copies()
    of = {(child.name, name): (structure, ids) for child, structure, name, ids in element_counters()}
    judged = set()
    with open_database(tables, views=False, threads=1) as db:
        for id_ in sorted({id_ for _, ids in of.values() for id_ in ids}):
            rule = rules()[id_]
            text = scope.with_numbers(rule.select, {name: each.value for name, each in rule.thresholds.items()})
            sign = 1 if rule.worst == "highest" else -1
            worst = {
                int(row["lpar"]): sign * row["observed"]
                for row in db.ask_rows(
                    f"SELECT lpar, {'max' if sign > 0 else 'min'}(observed) AS observed FROM ({text}) GROUP BY lpar"
                )
                if row["observed"] is not None
            }
            judged |= {
                variants[number][:4]
                for number, figure in worst.items()
                if figure > worst.get(0, figure) and id_ in of.get(variants[number][:2], ("", ()))[1]
            }
    unread = []
    for child, structure, name, _ in element_counters():
        for key in child.keys:
            missing = {value for value in range(1, key.count + 1) if (child.name, name, key.name, value) not in judged}
            if missing:
                unread.append((structure, f"{child.name}[{key.name}{_shortest(missing, key.count)}].{name}"))
    listed = listed_counters(elements=True)
    bad = [f"{a}.{b}: no rule judges it, and no reason is listed" for a, b in sorted(set(unread) - set(listed))]
    bad += [f"{a}.{b}: a rule judges it: remove it" for a, b in sorted(set(listed) - set(unread))]
    assert not bad, cure("write a rule, or a reason in tests/unread_counters.toml", bad)
