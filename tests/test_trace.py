"""mqstat trace shows for every field the value that the decoded tables hold."""

from __future__ import annotations

import datetime as dt
import random

import pytest

from mqstat.intake.trace import value_text
from mqstat.parsers import LAYOUTS, constructs
from mqstat.parsers.kit import Flag, Layout

WORDS = [b"\0" * 4, b"\xff" * 4, b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"\0\0\0\5", b"\xc1\xc2\x40\x40"]


def shown(layout: Layout, section: bytes, level: int) -> dict[str, str]:
    """What trace prints for each field that is neither an array nor part of a child table."""
    return {
        field.name: value_text(layout, field, section[field.at : field.end], section, level)
        for field in layout.named
        if not field.child and not field.dims
    }


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("level", [90_300, 100_000])
def test_trace_shows_what_the_tables_hold(layout: Layout, level: int) -> None:
    choose = random.Random(layout.name)
    for _ in range(5):
        section = b"".join(choose.choices(WORDS, k=layout.size // 4 + 1))[: layout.size]
        typed, _ = constructs.typed(layout, section, level=level)
        for name, text in shown(layout, section, level).items():
            value, field = typed[name], layout.members[name][1]
            if value is None:
                assert "(" in text or text == "", f"{name}: trace prints {text!r} where the table has no value"
            elif isinstance(field.type, Flag):
                assert text == str(value)
            elif isinstance(value, int | dt.datetime):
                assert text.startswith(str(value)), f"{name}: trace prints {text!r}, the table has {value!r}"
                assert "(" not in text or "shifted" in text


def test_a_time_that_was_recorded_shifted_is_shown_corrected() -> None:
    layout = LAYOUTS["wtas"]
    field = layout.members["longest_latch_us"][1]
    section = bytearray(layout.size)
    section[field.at : field.end] = (7 << 44).to_bytes(8, "big")
    assert constructs.typed(layout, bytes(section), level=100_000)[0]["longest_latch_us"] == 7
    assert shown(layout, bytes(section), 100_000)["longest_latch_us"] == "7 us (shifted by 32 bits as recorded)"
    assert shown(layout, bytes(section), 90_300)["longest_latch_us"] == f"{7 << 32} us"
