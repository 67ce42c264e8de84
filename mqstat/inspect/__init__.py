"""Single records and fields of a dump: the raw view and the trace."""

from __future__ import annotations
