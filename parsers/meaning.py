"""What a raw value means: the only interpretation of fields. The vectorised decoder is tested against it."""

from __future__ import annotations

from typing import Any

from mqstat.parsers.kit import Field


def is_shifted(raw: int, level: int) -> bool:
    """Whether a latch time of this record holds its value shifted left by 32 bits (10.0.0 only; layout notes, section
    10 item 22).
    """
    return level == 100_000 and raw > 1 << 32 and raw & 0xFFFFFFFF == 0


def meaning(field: Field, raw: Any, level: int) -> tuple[Any, str]:
    """The typed value of a raw value, or None, and a remark on it, empty if the value is plain.

    The remarks: absent (the section is too short), never set, no limit, negative (not valid here), unknown code,
    shifted (corrected), too big (a 64-bit number beyond `Field.highest`), not set (an empty text or clock). `level` as
    in `Layout.typed`. Raw values outside a section's flag (`valid_when`) must be left out by the caller.
    """
    if raw is None:
        return None, "absent"
    if field.never_set is not None and raw == field.never_set:
        return None, "never set"
    if field.no_limit is not None and raw == field.no_limit:
        return None, "no limit"
    if field.never_negative and raw < 0:
        return None, "negative"
    if field.codes is not None:
        word = field.codes.get(raw)
        return word, "" if word is not None else "unknown code"
    if field.shifted and is_shifted(raw, level):
        return raw >> 44, "shifted"  # less than 2**20
    signed: Any = field.as_signed(raw) if field.signed else raw
    value: Any = field.type.typed(signed)
    if field.highest is not None and abs(value) > field.highest:
        return None, "too big"
    return value, "" if value is not None else "not set"


def typed_columns(field: Field, name: str, raw: Any, level: int) -> dict[str, Any]:
    """The columns that a decoded table has for one element of a field, under the column name `name`; `raw` is None if
    the section is too short.
    """
    value, remark = meaning(field, raw, level)
    if field.codes is not None:
        return {name: value, name + "_code": raw if remark in ("", "unknown code") else None}
    if field.shifted:
        stem = name.removesuffix("_us")
        there = remark != "absent"
        return {name: value, stem + "_raw_us": raw >> 12 if there else None, stem + "_shifted": remark == "shifted" if there else None}  # fmt: skip
    if field.no_limit is not None:
        return {name: value, name + "_no_limit": None if remark == "absent" else remark == "no limit"}
    return {name: value}
