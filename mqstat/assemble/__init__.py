"""Assembles reports and findings from views and states, as data. Writers are in `mqstat.render`."""

from __future__ import annotations
