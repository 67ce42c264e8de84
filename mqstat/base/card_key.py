"""The key of a finding: `RULE/QMGR`, the same in every format, in links, in `mqstat report --finding` and in the history of a dataset.

    BP002/MQ05         a rule on a queue manager
    BP002/SYS1.MQ05    the same where the data has a queue manager of this name on several LPARs
    CV001/SYS1.        a rule about an LPAR
    DQ001/inputs       a rule about inputs
    CV009/*            a rule on the estate: most of its queue managers

Names come from records. Every character of them but ASCII letters, digits, `_`, `-`, `@` and `$` is percent-encoded, so that a key can be an id and a
fragment of an HTML page, an argument of a command, and a word of a text as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from urllib.parse import quote, unquote

from mqstat.base.errors import UsageError

Owner = tuple[str | None, str | None]
"""LPAR and name of a queue manager; the name is None for an LPAR, both are None for inputs."""

ALL: Owner = ("*", "*")
"""The owner of a finding about the estate; a name of a record is never taken for it, because only `card_key` compares with it."""

INPUTS = "inputs"
"""Instead of a queue manager in the key of a rule about inputs."""

LEAST_ESTATE = 3
"""Queue managers that are an estate."""

_EMPTY = "%"
"""A name of no characters."""

_KEY = re.compile(r"(?P<rule>[A-Za-z]{2}\d{3})/((?P<lpar>[A-Za-z0-9_@$%-]*)(?P<dot>\.))?(?P<qmgr>[A-Za-z0-9_@$%-]*|\*)")


def card_key(rule_id: str, owner: Owner, owners: Collection[Owner] = ()) -> str:
    """The key of a rule on `owner`; `owners` are all queue managers of the data, by which it needs its LPAR or not."""
    lpar, qmgr = owner
    if owner is ALL:
        return f"{rule_id}/*"
    if qmgr is None:
        return f"{rule_id}/{INPUTS}" if lpar is None else f"{rule_id}/{_encoded(lpar)}."
    several = any(other != owner and other[1] == qmgr for other in owners)
    return f"{rule_id}/{f'{_encoded(lpar)}.' if several and lpar is not None else ''}{_encoded(qmgr)}"


def parse_key(text: str) -> tuple[str, Owner]:
    """The rule and the owner that a key names, `ALL` for the estate; the LPAR is None if the key does not name one. UsageError if it is not a key."""
    match = _KEY.fullmatch(text.strip())
    if match is None or (not match["dot"] and not match["qmgr"]) or (match["dot"] and match["qmgr"] == "*"):
        raise UsageError(
            f"{text!r} is not the key of a finding; write RULE/QMGR, RULE/LPAR.QMGR, RULE/LPAR., RULE/{INPUTS} or RULE/*."
        )
    rule_id = match["rule"].upper()
    if match["qmgr"] == "*":
        return rule_id, ALL
    if match["dot"]:
        return rule_id, (_decoded(match["lpar"]), _decoded(match["qmgr"]) if match["qmgr"] else None)
    return rule_id, (None, None if match["qmgr"] == INPUTS else _decoded(match["qmgr"]))


def anchor_of(key: str) -> str:
    """The id of a finding in a page, made from its key of signs that need no encoding in an address."""
    return "finding-" + "".join(
        sign if sign.isalnum() or sign in "._-" else f"~{ord(sign):x}" for sign in key.replace("/", "-", 1)
    )


def is_estate(hit: int, owners: int) -> bool:
    """Whether a rule that is in breach on `hit` of `owners` queue managers is one finding about all of them: more than half, of at least three."""
    return owners >= LEAST_ESTATE and 2 * hit > owners


def owner_of(named: Owner, owners: Iterable[Owner]) -> Owner | None:
    """The one of `owners` that the owner of a parsed key names: the same, else the only one with this name on any LPAR; None if there is none."""
    known = list(dict.fromkeys(owners))
    if named in known:
        return named
    fitting = [each for each in known if named[0] is None and named[1] is not None and each[1] == named[1]]
    return fitting[0] if len(fitting) == 1 else None


def _encoded(name: str) -> str:
    """A name as part of a key. One that is the word for inputs has its first letter encoded."""
    text = quote(name, safe="@$", errors="surrogatepass").replace(".", "%2E").replace("~", "%7E")
    return _EMPTY if not name else f"%{ord(INPUTS[0]):02X}{INPUTS[1:]}" if name == INPUTS else text


def _decoded(text: str) -> str:
    return "" if text == _EMPTY else unquote(text, errors="surrogatepass")
