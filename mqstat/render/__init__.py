"""Writers: each renders the report model and computes nothing."""

from __future__ import annotations
