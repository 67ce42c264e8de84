"""One test for a folder of units: it checks every unit, or those that `--only` names, and lists all units that fail."""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

CHOSEN = pytest.StashKey[frozenset[str]]()
"""Of a test over units: the units that `--only` names, if it names some of them instead of the test."""

Test = Callable[..., None]


def each(units: Iterable[str]) -> Callable[[Test], Test]:
    """The decorated function, whose first argument is the name of a unit, becomes one test for all of these; its other
    arguments are fixtures.
    """
    names = tuple(units)
    if not names:
        raise ValueError("a registry is empty")

    def one_test(check: Test) -> Test:
        signature = inspect.signature(check)
        fixtures = list(signature.parameters.values())[1:]

        @functools.wraps(check)
        def test(request: pytest.FixtureRequest, **given: object) -> None:
            chosen = request.node.stash.get(CHOSEN, frozenset(names))
            checked = [name for name in names if name in chosen]
            bad = [f"{name}: {problem}" for name in checked if (problem := _problem(check, name, given))]
            if bad:
                pytest.fail("\n".join([f"{len(bad)} of {len(checked)} fail:", *bad]), pytrace=False)

        own = inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        test.__signature__ = signature.replace(parameters=[own, *fixtures])  # type: ignore[attr-defined]
        test.units = names  # type: ignore[attr-defined]
        return test

    return one_test


def _problem(check: Test, name: str, given: dict[str, object]) -> str:
    """How the check of one unit fails, with the line; empty if it does not."""
    try:
        check(name, **given)
    except (Exception, pytest.fail.Exception) as error:
        file = inspect.getfile(check)
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
        return f"{error or type(error).__name__} ({Path(file).name}, line {lines[-1] if lines else '?'})"
    return ""


def units_of(item: pytest.Item) -> tuple[str, ...]:
    """The units that a test checks; none if it is no test over units."""
    return getattr(getattr(item, "function", None), "units", ())
