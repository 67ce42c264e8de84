"""Dumps or a dataset and a selection -> an open database: parts, ranges, the pipeline, ingest, `open_data`."""

from __future__ import annotations
