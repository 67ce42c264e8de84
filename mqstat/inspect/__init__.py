"""Single records and fields of a dump: the raw view and the trace of a figure."""

from __future__ import annotations
