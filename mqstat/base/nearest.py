"""Suggestions for misspelt names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from mqstat.base.formats import choice

MOST = 3
"""Names that a message suggests."""
FEW = 24
"""Names that a message lists where a command lists them too."""


def nearest(word: str, known: Iterable[str], most: int = MOST) -> list[str]:
    """Up to `most` known names that a misspelt word may mean, the most likely first.

    A name that differs only in case, separators and leading zeros (BP01 is BP001) is returned alone; then names that
    begin with the word, names of which it is a part, then names with the same letters in another order, and last names
    with similar letters.
    """
    names = list(dict.fromkeys(known))
    folded_word = _folded(word)
    if not folded_word:
        return []
    folded = {name: _folded(name) for name in names}
    parts = {name: set(map(_folded, re.split(r"[/._\s-]+", name))) for name in names}
    for likely in (
        [name for name in names if folded[name] == folded_word],
        [name for name in names if len(folded_word) > 1 and folded[name].startswith(folded_word)],
        [name for name in names if folded_word in parts[name]],
        [name for name in names if sorted(folded[name]) == sorted(folded_word)],
    ):
        if likely:
            return likely[:most]
    of_folded = {folded[name]: name for name in reversed(names)}
    close = difflib.get_close_matches(folded_word, list(of_folded), most, 0.6) or difflib.get_close_matches(
        folded_word, list(of_folded), 1, 0.5
    )
    return [of_folded[key] for key in close]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean A, B or C`, or nothing: the end of every message about an unknown name."""
    names = nearest(word, known)
    return f"; did you mean {choice(names)}" if names else ""


def nearest_or_known(word: str, known: Iterable[str], lister: str = "") -> str:
    """As `did_you_mean`, but if nothing is near: all names, or `lister` if there are many (`mqstat rules lists
    them`).
    """
    names = list(dict.fromkeys(known))
    listed = f"; {lister}" if lister and len(names) > FEW else f"; there are {', '.join(names)}" if names else ""
    return did_you_mean(word, names) or listed


def _folded(word: str) -> str:
    """Letters and digits alone, in lower case, numbers without leading zeros."""
    return re.sub(r"0+(?=\d)", "", re.sub(r"[^0-9a-z]+", "", word.casefold()))
