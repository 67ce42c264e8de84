"""The version of mqstat."""

from __future__ import annotations

__version__ = "0.1.0"

CONTRACT_VERSION = 1
"""Version of the ways to put rows of a column together (`mqstat.sql.ways`): hourly sums that were stored under another one are computed again."""
