"""Which tests run: `--only WORDS` keeps those about a scenario, area, rule, report, layout or test file,
`--update-golden` those that write goldens.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache

import pytest

from tests.each import CHOSEN, units_of

GOLDEN_FIXTURE = "update_golden"
"""The fixture that every golden-writing test uses, directly or through `golden`."""

KNOWN = "a scenario, an area, a rule, a report, a layout, a test file (log_views) or a word of a test's name"


def select(items: Iterable[pytest.Item], only: str, update_golden: bool) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests that run and those that do not; `only` has words separated by commas or blanks, and a test runs if a
    word selects it.

    Of a test over units (`tests.each`) only the units run that a word selects, unless a word selects the test.
    UsageError for a word that names no test.
    """
    kept = [item for item in items if not update_golden or GOLDEN_FIXTURE in getattr(item, "fixturenames", ())]
    names = re.split(r"[,\s]+", only.strip()) if only.strip() else []
    if names:
        chosen, unknown = [], {*names}
        for item in kept:
            whole = {name for name in names if named(name, item)}
            units = {unit: {name for name in names if is_about(name, unit)} for unit in units_of(item)}
            by_unit = set[str]().union(*units.values())
            if by_unit and not whole:
                item.stash[CHOSEN] = frozenset(unit for unit, hits in units.items() if hits)
            if whole or by_unit:
                chosen.append(item)
            unknown -= whole | by_unit
        for name in names:
            if name in unknown:
                what = "golden-writing test" if update_golden else "test"
                raise pytest.UsageError(f"ONLY={name} selects no {what}: give {KNOWN}")
        kept = chosen
    ids = {item.nodeid for item in kept}
    return kept, [item for item in items if item.nodeid not in ids]


def named(term: str, item: pytest.Item) -> bool:
    """Whether a word names a test: by its file, its name, or a word of its parameters; an area means its rules and
    their scenarios.
    """
    file = item.path.stem.removeprefix("test_")
    name, _, parameters = item.name.partition("[")
    if term.removeprefix("test_").removesuffix(".py") in (file, *file.split("_")):
        return True
    if term == name or f"_{term}_" in f"{name}_":
        return True
    return is_about(term, parameters)


def is_about(term: str, text: str) -> bool:
    """Whether a word, or a word that it implies, is a word of the name of a unit or of parameters."""
    tokens = set(re.findall(r"\w+", text))
    return not tokens.isdisjoint(meaning(term)) or (len(term) > 3 and "/" in term and term in text)


@cache
def meaning(term: str) -> Collection[str]:
    """A word and the words that it implies: for an area its rules, for a rule or area the scenarios in which such a
    rule is in breach; for a scenario its estate.
    """
    from mqstat.fixtures.scenarios import SCENARIOS
    from mqstat.judge.model import rules
    from tests.estates import ESTATE_OF

    chosen = {rule.id for rule in rules().values() if term in (rule.id, rule.area)}
    scenarios = {name for name, scenario in SCENARIOS.items() if chosen & {rule for rule, _ in scenario.expect}}
    estates = {ESTATE_OF[name] for name in (term, *scenarios) if name in ESTATE_OF}
    return {term, *chosen, *scenarios, *estates}
