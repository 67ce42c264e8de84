"""One key of the configuration of `mqstat daily`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Key:
    """A key: its type (`kind`), its default, its value in the initial file (`sample` if it is a comment there), and its meaning."""

    name: str
    kind: str
    default: Any
    shown: str
    doc: str
    sample: str = ""
