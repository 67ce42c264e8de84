"""Dumps or a dataset and a selection -> an open database: parts, ranges, the pipeline, ingest, `open_data`, hourly
sums; and single records and fields of a dump.
"""

from __future__ import annotations
