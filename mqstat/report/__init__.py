"""Assembles reports from views, findings and states. Writers are in `mqstat.render`."""

from __future__ import annotations
