"""What every room may use and that uses no room: text and numbers for people, return codes, selections, temporary and atomic files."""

from __future__ import annotations
