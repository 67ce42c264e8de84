"""Files, archives and compressions as streams of bytes, and what is wrong with a dump."""

from __future__ import annotations
