"""Part `sections`: arbitrary bytes of every structure decoded twice, by construct and by the vectorised decoder."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from mqstat.parsers import LAYOUTS
from mqstat.parsers.constructs import typed
from mqstat.parsers.decoder import decode_sections

LEVELS = (0, 71000, 80000, 90300, 94500, 100000)


def trial(seed: int) -> tuple[Counter[str], list[str]]:
    """Some sections of one structure, as long as a published size or not."""
    rng = random.Random(seed)
    name = rng.choice(sorted(LAYOUTS))
    layout, level = LAYOUTS[name], rng.choice(LEVELS)
    size = rng.choice((*layout.sizes, rng.randrange(1, max(layout.sizes) + 40)))
    sections = [_bytes(rng, size) for _ in range(8)]
    parents: list[dict[str, Any]] = []
    children: dict[str, list[dict[str, Any]]] = {child.name: [] for child in layout.children}
    for section in sections:
        parent, rows = typed(layout, section, level=level)
        parents.append(parent)
        for child, own in rows.items():
            children[child] += own
    figures = Counter({"sections": len(sections), "bytes": size * len(sections), "values": sum(map(len, parents))})
    if decode_sections(layout, sections, level) != {name: parents, **children}:
        return figures, [f"wrong value: the decoders differ for {name} of {size} bytes at level {level}"]
    return figures, []


def _bytes(rng: random.Random, size: int) -> bytes:
    kind = rng.randrange(4)
    if kind == 0:
        return rng.randbytes(size)
    if kind == 1:
        return bytes(rng.choice((0, 0, 0, 1, 0x40, 0x7F, 0x80, 0xFF)) for _ in range(size))
    return bytes(
        rng.choice((0, rng.randrange(256))) if kind == 2 else rng.choice(b"\x40\xc1\xd4\xd8\xf0\xf1")
        for _ in range(size)
    )
