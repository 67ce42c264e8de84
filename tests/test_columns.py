"""Rows converted column by column: the same as value by value, each value of a column once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from mqstat.render import columns
from mqstat.render.columns import converted


@pytest.mark.parametrize("kept", [1, 2, 50_000])
def test_each_column_has_its_function(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "KEPT", kept)
    calls: Counter[Any] = Counter()

    def doubled(value: int) -> int:
        calls[value] += 1
        return 2 * value

    batches: list[list[tuple[Any, ...]]] = [[(1, "a", [1]), (2, None, None)], [(1, "b", [2]), (3, "a", [])]]
    made = [list(rows) for rows in converted(batches, [doubled, str, repr])]
    assert made == [[(2, "a", "[1]"), (4, "None", "None")], [(2, "b", "[2]"), (6, "a", "[]")]]
    assert calls[1] == (1 if kept > 1 else 2)
    assert list(converted([], [doubled])) == []
