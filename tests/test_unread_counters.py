"""Every counter of a structure decides in a rule, or is listed with the reason why not: tests/unread_counters.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqstat.judge.lineage import field_of, fields, origin_in
from mqstat.judge.model import Rule, rules
from mqstat.parsers import LAYOUTS
from tests.house import cure

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


def read() -> Iterator[Counter]:
    """The fields at the bottom of these columns."""
    for rule in rules().values():
        for column in deciding(rule):
            for name in fields(origin_in(rule.select, column)):
                if known := field_of(name):
                    layout, field = known
                    yield layout.name, f"{field.child}.{field.name}" if field.child else field.name


@pytest.mark.slow
def test_a_counter_is_judged_or_its_reason_is_listed() -> None:
    listed = [
        (structure, name)
        for structure, groups in tomllib.loads(LISTED.read_text()).items()
        for names in groups.values()
        for name in names.split()
    ]
    judged, known = set(read()), counters()
    bad = [f"{a}.{b}: no rule decides by it, and no reason is listed" for a, b in sorted(known - judged - set(listed))]
    bad += [f"{a}.{b}: a rule decides by it: remove it" for a, b in sorted(judged & set(listed))]
    bad += [f"{a}.{b}: no such counter: remove it" for a, b in sorted(set(listed) - known)]
    bad += [f"{a}.{b}: listed twice" for a, b in sorted({item for item in listed if listed.count(item) > 1})]
    assert not bad, cure("write a rule, or a reason in tests/unread_counters.toml", bad)
