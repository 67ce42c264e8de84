"""Helpers that every package may import and that import no other package: text, numbers, return codes, selections,
temporary and atomic files.
"""

from __future__ import annotations
