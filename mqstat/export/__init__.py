"""Files that other programs load, in the formats of the tools that users come from."""

from __future__ import annotations
