"""The secret of pseudonyms: random bytes from a key file, or a passphrase that a key derivation function makes
expensive to guess.
"""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
from pathlib import Path

from mqstat.base.errors import UsageError

LEAST_KEY = 16
"""Bytes of a key file."""

LEAST_PASSPHRASE = 15
"""Characters of a passphrase, as NIST SP 800-63B-4 asks of a password that is the only factor."""

_SALT = b"mqstat redact, version 1"
"""The same for everybody, because the same passphrase must give the same pseudonyms on any machine."""

_COST, _BLOCK, _LANES = 1 << 17, 8, 1
"""scrypt with 128 MiB and some tenths of a second for each guess (OWASP Password Storage Cheat Sheet)."""


def secret_of(key_file: Path | None, passphrase_file: Path | None) -> bytes:
    """The secret; random bytes that nobody keeps without a file. UsageError for two files, and for one that is missing
    or too short.
    """
    if key_file is not None and passphrase_file is not None:
        raise UsageError("--key-file and --passphrase-file both give the secret; remove one.")
    if passphrase_file is not None:
        return _stretched(_content(passphrase_file), passphrase_file)
    if key_file is None:
        return secrets.token_bytes(32)
    key = _content(key_file)
    if len(key) < LEAST_KEY:
        raise UsageError(
            f"{key_file} has a key of {len(key)} bytes; write {LEAST_KEY} or more random bytes into it, such as by: openssl rand -hex 32"
        )
    return key


def _stretched(content: bytes, file: Path) -> bytes:
    try:
        text = unicodedata.normalize("NFC", content.decode())
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8 text; write a passphrase into it, or give it as --key-file.") from None
    if len(text) < LEAST_PASSPHRASE:
        raise UsageError(
            f"{file} has a passphrase of {len(text)} characters; write {LEAST_PASSPHRASE} or more, such as five random words."
        )
    needed = 128 * _BLOCK * (_COST + _LANES + 2)
    return hashlib.scrypt(text.encode(), salt=_SALT, n=_COST, r=_BLOCK, p=_LANES, maxmem=needed, dklen=32)


def _content(file: Path) -> bytes:
    """What a file holds, without blanks around it."""
    try:
        return file.read_bytes().strip()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}.") from error
