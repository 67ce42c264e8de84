"""Rows for a text format, converted column by column: each value of a column only once, because most columns have few
values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

KEPT = 50_000
"""Maximum number of values of a column whose texts are kept."""


class Converted(dict[Any, Any]):
    """The converted values of a column, by value."""

    def __init__(self, convert: Callable[[Any], Any]) -> None:
        super().__init__()
        self.convert = convert

    def __missing__(self, value: Any) -> Any:
        if len(self) >= KEPT:
            self.clear()
        converted = self[value] = self.convert(value)
        return converted

    def of(self, values: Sequence[Any]) -> Sequence[Any]:
        """The converted values, in their order."""
        try:
            return list(map(self.__getitem__, values))
        except TypeError:  # a list is not hashable
            return list(map(self.convert, values))


def converted(
    batches: Iterable[Sequence[Sequence[Any]]], convert: Sequence[Callable[[Any], Any]]
) -> Iterator[Iterable[tuple[Any, ...]]]:
    """Batches of rows with each column converted by its function."""
    columns = list(map(Converted, convert))
    for batch in batches:
        yield zip(
            *(column.of(values) for column, values in zip(columns, zip(*batch, strict=True), strict=True)), strict=True
        )
