"""Data for others: dumps and datasets without the names of a site, and all views in one file."""

from __future__ import annotations
