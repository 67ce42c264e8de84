"""Gauges without timestamps as OpenMetrics text: readers of the older Prometheus text format accept it too."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.openmetrics.exposition import generate_latest

from mqstat.base.formatting import clean, steady, with_unit


class Gauges:
    """Families of gauges by name; of two samples with the same labels the first is kept, because the format allows only
    one.
    """

    def __init__(self) -> None:
        self._families: dict[str, GaugeMetricFamily] = {}
        self._seen: set[tuple[str, tuple[str, ...]]] = set()

    def add(self, name: str, doc: str, labels: Mapping[str, Any], value: float | None, unit: str = "") -> None:
        """Add a sample, unless there is no value. Control and direction characters in labels are made visible."""
        if value is None or not math.isfinite(value):
            return
        texts = tuple(clean("" if text is None else str(text)) for text in labels.values())
        full = with_unit(name, unit)
        if (full, texts) in self._seen:
            return
        self._seen.add((full, texts))
        # Units other than base units are only part of the name.
        known = unit if unit in ("ratio", "seconds", "bytes") else ""
        family = self._families.setdefault(full, GaugeMetricFamily(full, doc, labels=list(labels), unit=known))
        family.add_metric(texts, float(value) if float(value).is_integer() else steady(value))

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """All families, as a registry gives them."""
        return iter(self._families.values())

    def write(self, stream: TextIO) -> None:
        """Write all families as OpenMetrics text."""
        stream.write(generate_latest(self).decode("utf-8"))
