"""Addresses of PostgreSQL, which must not have a password: command lines, configurations and logs show them to
others.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_plus, urlsplit

from mqstat.base.errors import UsageError
from mqstat.base.formatting import clean

WANTED = "must be an address without a password, which lists of processes and logs would show, such as postgresql://loader@db.example.com/monitoring"
"""What a message states of another address, which it never repeats."""

INSTEAD = "PostgreSQL reads the password from PGPASSWORD, PGPASSFILE or a service (PGSERVICE)"

_LONGEST_NAME = 63
"""Bytes of a name in PostgreSQL, which cuts longer ones."""

_SECRETS = frozenset({"password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"})
"""Parameters of libpq that are secrets."""


def is_address(text: str) -> bool:
    """Whether a text is an address (URI) of PostgreSQL without a password.

    It is read more strictly than libpq does: a colon with an `@` anywhere after it is a password, also one with `/`,
    `?` or `@` in it, of which libpq prints parts in its errors. A user name has `%40` for `@`.
    """
    match = re.fullmatch(r"postgres(?:ql)?://([^\s\x00-\x1f\x7f]*)", text)
    if match is None or re.search(":.*@", match[1]):
        return False
    try:
        urlsplit(text)
    except ValueError:
        return False
    names = (unquote_plus(each.partition("=")[0]).strip().lower() for each in match[1].partition("?")[2].split("&"))
    return _SECRETS.isdisjoint(names)


def is_schema(name: str) -> bool:
    """Whether PostgreSQL neither refuses nor cuts the name of a schema."""
    return clean(name) == name and 0 < len(name.encode()) <= _LONGEST_NAME


def check_schema(name: str) -> None:
    """UsageError for a name that PostgreSQL would refuse or cut."""
    if not is_schema(name):
        raise UsageError(f"--schema {name!r}: a name in PostgreSQL has 1 to 63 bytes and no control characters.")
