"""The key of a finding: made, and found again among the queue managers of the data."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqstat.assemble.one_finding import owner_named
from mqstat.base.card_key import ALL, Owner, card_key
from mqstat.base.errors import UsageError

NAMES = st.one_of(st.text(max_size=12), st.sampled_from(["", "*", "inputs", ".", "%", "a.b", "<b>", "MQ/1", "\ud800"]))


@pytest.mark.parametrize(
    ("owner", "owners", "key"),
    [
        (("SYS1", "MQ05"), [("SYS1", "MQ05"), ("SYS1", "MQ06")], "BP002/MQ05"),
        (("SYS1", "MQ05"), [("SYS1", "MQ05"), ("SYS2", "MQ05")], "BP002/SYS1.MQ05"),
        (("SYS1", None), [("SYS1", "MQ05")], "BP002/SYS1."),
        ((None, None), [("SYS1", "MQ05")], "BP002/inputs"),
        (ALL, [("SYS1", "MQ05")], "BP002/*"),
        ((None, "<b>"), [], "BP002/%3Cb%3E"),
        ((None, "inputs"), [], "BP002/%69nputs"),
        ((None, "*"), [], "BP002/%2A"),
        (("*", "".join("*")), [("*", "*"), ("A", "*")], "BP002/%2A.%2A"),
    ],
)
def test_key(owner: Owner, owners: list[Owner], key: str) -> None:
    assert card_key("BP002", owner, owners) == key
    assert owner_named(key.lower(), owners, [owner, *owners]) == owner


@pytest.mark.slow
@given(st.one_of(st.none(), NAMES), st.one_of(st.none(), NAMES), NAMES)
def test_names_of_any_characters_make_different_keys(lpar: str | None, qmgr: str | None, other: str) -> None:
    owner: Owner = (lpar, qmgr)
    several: list[Owner] = [owner, (lpar, other), (f"{lpar}x", qmgr)]
    key = card_key("QU005", owner, several)
    assert re.fullmatch(r"QU005/[A-Za-z0-9_@$%.-]+", key)
    assert owner == (lpar, other) or card_key("QU005", (lpar, other), several) != key


@pytest.mark.parametrize(
    "text", ["BP002", "BP002/", "BP002/a b", "BP002/a.b.c", "BP002/<b>", "BP002/SYS1.*", "BP002/MQ0"]
)
def test_what_names_no_queue_manager_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="RULE/NAME with one of \\*, MQ05"):
        owner_named(text, [("SYS1", "MQ05")], [("SYS1", "MQ05")])
