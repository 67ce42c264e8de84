"""The key of a finding: `RULE/QMGR`, the same in every format, in links and in the history of a dataset."""

from __future__ import annotations

from collections.abc import Collection

Owner = tuple[str | None, str | None]
"""LPAR and queue manager; both None for inputs, the second None for an LPAR."""

ALL: Owner = ("*", "*")
"""The owner of a finding about the estate."""

INPUTS = "inputs"


def card_key(rule_id: str, owner: Owner, owners: Collection[Owner] = ()) -> str:
    """`RULE/QMGR`; `RULE/LPAR.QMGR` if one of `owners` has the same name on another LPAR; `RULE/LPAR.`, `RULE/inputs`, and `RULE/*` for the estate."""
    lpar, qmgr = owner
    if owner == ALL:
        return f"{rule_id}/*"
    if qmgr is None:
        return f"{rule_id}/{lpar}." if lpar is not None else f"{rule_id}/{INPUTS}"
    several = any(other != owner and other[1] == qmgr for other in owners)
    return f"{rule_id}/{lpar}.{qmgr}" if several and lpar is not None else f"{rule_id}/{qmgr}"
