"""Files for other programs, in the formats of the tools that users migrate from."""

from __future__ import annotations
