"""The key of a finding: `RULE/QMGR`, the same in every format, in links, in `mqstat report --finding` and in the
history of a dataset.

    BP002/MQ05         a rule on a queue manager
    BP002/SYS1.MQ05    the same where the data has a queue manager of this name on several LPARs
    CV001/SYS1.        a rule about an LPAR
    DQ001/inputs       a rule about inputs
    CV009/*            a rule on the estate: most of its queue managers

Names come from records. Every character of them but ASCII letters, digits, `_`, `-`, `@` and `$` is percent-encoded, so
that a key can be an id and a fragment of an HTML page, an argument of a command, and a word of a text as it is.
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import quote

Owner = tuple[str | None, str | None]
"""LPAR and name of a queue manager; the name is None for an LPAR, both are None for inputs."""

ALL: Owner = ("*", "*")
"""The owner of a finding about the estate; a name of a record is never taken for it, because only `card_key` compares
with it."""

INPUTS = "inputs"
"""Instead of a queue manager in the key of a rule about inputs."""

LEAST_ESTATE = 3
"""Queue managers that are an estate."""

_EMPTY = "%"
"""A name of no characters."""


def card_key(rule_id: str, owner: Owner, owners: Collection[Owner] = ()) -> str:
    """The key of a rule on `owner`; `owners` are all queue managers of the data, by which it needs its LPAR or not."""
    lpar, qmgr = owner
    if owner is ALL:
        return f"{rule_id}/*"
    if qmgr is None:
        return f"{rule_id}/{INPUTS}" if lpar is None else f"{rule_id}/{_encoded(lpar)}."
    several = any(other != owner and other[1] == qmgr for other in owners)
    return f"{rule_id}/{f'{_encoded(lpar)}.' if several and lpar is not None else ''}{_encoded(qmgr)}"


def anchor_of(key: str) -> str:
    """The id of a finding in a page, made from its key of signs that need no encoding in an address."""
    return "finding-" + "".join(
        sign if sign.isalnum() or sign in "._-" else f"~{ord(sign):x}" for sign in key.replace("/", "-", 1)
    )


def is_estate(hit: int, owners: int) -> bool:
    """Whether a rule that is in breach on `hit` of `owners` queue managers is one finding about all of them: more than
    half, of at least three.
    """
    return owners >= LEAST_ESTATE and 2 * hit > owners


def _encoded(name: str) -> str:
    """A name as part of a key. One that is the word for inputs has its first letter encoded."""
    text = quote(name, safe="@$", errors="surrogatepass").replace(".", "%2E").replace("~", "%7E")
    return _EMPTY if not name else f"%{ord(INPUTS[0]):02X}{INPUTS[1:]}" if name == INPUTS else text
