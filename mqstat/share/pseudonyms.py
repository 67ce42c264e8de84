"""Pseudonyms of names: a keyed permutation of all names that have the same length and kinds of characters.

An unbalanced Feistel network of ten rounds over the characters of a name, as in format-preserving encryption (NIST SP
800-38G), with keyed BLAKE2b as its round function: letters stay letters, digits stay digits, blanks and punctuation
stay. Two names never get the same pseudonym.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from mqstat.parsers.columns import Bytes

ROUNDS = 10

COPIED = ("", "public", "clock")
"""Fields that get no pseudonym, by how they are shared (`mqstat.parsers.kit.SHARING`): numbers, public texts, and
clocks, which `shift_us` moves."""

_PUNCTUATION = "._/%()-:,@#$+*'=&!?;<>\"|^[]{}~` "
_UPPER, _LOWER, _DIGITS, _HEX = (
    word.encode("cp037")
    for word in ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789", "0123456789ABCDEF")
)
_KEPT = frozenset(_PUNCTUATION.encode("cp037") + b"\0")
_OTHER = bytes(sorted(set(range(256)) - _KEPT - set(_UPPER + _LOWER + _DIGITS)))
_ALPHABET: dict[int, bytes] = {byte: symbols for symbols in (_UPPER, _LOWER, _DIGITS, _OTHER) for byte in symbols}
"""The characters that may replace a character; one that is not in it stays."""
_LETTER = {symbols: chr(number).encode() for number, symbols in enumerate((_UPPER, _LOWER, _DIGITS, _OTHER, _HEX), 1)}
_RUN = re.compile(b"[" + re.escape(_OTHER) + b"]+|[^\x00\x40" + re.escape(_OTHER) + b"]+")

_MOST = 200_000
"""Pseudonyms that are kept; more are computed again."""

# The words of the names of IBM's own objects, as in "System and default objects" of the IBM MQ documentation.
WORDS = frozenset(
    """
    SYSTEM AMQ COM IBM MQ ADMIN COMMAND COMMANDS EVENT QUEUE QUEUES REPLY MODEL INPUT CLUSTER TRANSMIT HISTORY REPOSITORY CHANNEL CHANNELS SYNCQ INITQ
    DEAD LETTER DEFAULT LOCAL ALIAS REMOTE INITIATION PERFM QMGR CONFIG CHLAUTH DATA PROTECTION POLICY ERROR RETAINED PUB PUBS INTER FANREQ BROKER CONTROL
    DURABLE NDURABLE MANAGED SUBSCRIBER SUBSCRIPTION SUBSCRIPTIONS QSG UR RESOLUTION DDELAY JMS TEMPQ MQSC MQEXPLORER SVRCONN DEF SENDER RECEIVER SERVER
    REQUESTER CLUSSDR CLUSRCVR CLNTCONN AUTO INTERNAL DOTNET XARECOVERY HIERARCHY STATE LOGGER ACCOUNTING STATISTICS TRACE ROUTE ACTIVITY RECORDER PENDING
    CICS IMS BRIDGE PROCESS NAMELIST TOPIC BASE STREAM REST CONSOLE MQADMIN SELECTION EVALUATION VALIDATION AUTHINFO CRLLDAP OCSP IDPW IDPWOS IDPWLDAP ND D
    GROUP ID COMMINFO MULTICAST AMQP MQTT SERVICE LISTENER TCP LU62 FTE AGENT LOG PROPAGATION DISCOVERY STORCLASS STGCLASS CFSTRUCT NONE
    """.split()
)

_IBM = re.compile(r"\A(?:SYSTEM|AMQ|COM\.IBM)\.")
_PRODUCT = re.compile(r"\ACSQ[A-Z0-9_]{0,9}\Z")
_DYNAMIC = re.compile(r"[0-9A-F]{16}\Z")
_ADDRESS_SPACE = re.compile(r"\A(.{1,4})(CHIN|MSTR|AMSM)\Z")


class Pseudonyms:
    """The pseudonyms of one key.

    key: any bytes, not shorter than 16; systems: whether queue managers, LPARs and queue-sharing groups get pseudonyms
    too; shift_us: by how many microseconds clocks are moved.
    """

    shift_us = 0

    def __init__(self, key: bytes, systems: bool = False) -> None:
        self._key = hashlib.sha256(key).digest()
        self._systems = systems
        self._known: dict[tuple[str, bytes], bytes] = {}
        self._ways: dict[str, Callable[[bytes], bytes]] = {
            "name": self.name, "job": self.job, "system": self.system, "bytes": self.tokens, "thread": self.thread,
        }  # fmt: skip

    def cells(self, sharing: str, cells: Bytes) -> Bytes:
        """The same field of many sections, uint8 (rows, width), with a pseudonym in each row; sharing: one of
        `kit.SHARING`, not of COPIED.
        """
        rows, width = cells.shape
        if not rows:
            return cells
        distinct, index = np.unique(
            np.ascontiguousarray(cells).view(np.dtype((np.void, width))).ravel(), return_inverse=True
        )
        made = b"".join([self.cell(sharing, cell) for cell in distinct.tolist()])
        return np.frombuffer(made, np.uint8).reshape(-1, width)[index.ravel()]

    def cell(self, sharing: str, cell: bytes) -> bytes:
        """The same of one field."""
        core = cell.rstrip(b"\0\x40")
        if not core:
            return cell
        known = self._known.get((sharing, core))
        if known is None:
            if len(self._known) > _MOST:
                self._known.clear()
            known = self._known[sharing, core] = self._ways[sharing](core)
        return known + cell[len(core) :]

    def digest(self, kind: str, value: bytes, size: int) -> bytes:
        """Bytes that replace a hash or another value without a shape: equal values of a kind have equal ones."""
        return hashlib.blake2b(value, digest_size=size, key=self._key, person=kind.encode()).digest()

    def system(self, core: bytes) -> bytes:
        """The name of a queue manager, LPAR or queue-sharing group."""
        return self._same_kind(core, _no_kind) if self._systems else core

    def job(self, core: bytes) -> bytes:
        """The name of a job; the names of the address spaces of a queue manager keep their end, so that rules know
        them.
        """
        space = _ADDRESS_SPACE.search(core.decode("cp037"))
        if space is None:
            return self.name(core)
        return self.system(space[1].encode("cp037")) + space[2].encode("cp037")

    def name(self, core: bytes) -> bytes:
        """Any other name. Names of IBM's objects keep IBM's words, and the 16 digits at the end of a dynamic queue stay
        16 hexadecimal digits.
        """
        text = core.decode("cp037")
        if space := _ADDRESS_SPACE.search(text):
            return self._same_kind(space[1].encode("cp037"), _no_kind) + space[2].encode("cp037")
        if _DYNAMIC.search(text):
            return self._name(core[:-16]) + self._permuted(core[-16:], [_HEX] * 16)
        return self._name(core)

    def _name(self, core: bytes) -> bytes:
        text = core.decode("cp037")
        if _PRODUCT.search(text):
            return core
        if _IBM.search(text):
            parts = [part.encode("cp037") for part in text.split(".")]
            return b"\x4b".join(part if _is_word(part) else self._same_kind(part, _kind_of_part) for part in parts)
        return self._same_kind(core, _kind_of_name)

    def tokens(self, cell: bytes) -> bytes:
        """Bytes that may contain names: each run of text and each run of other bytes for itself."""
        return _RUN.sub(self._token, cell)

    def thread(self, cell: bytes) -> bytes:
        """A thread cross-reference, each four bytes for itself: the transaction is in the second four, and binary bytes
        next to it may look like text.
        """
        return b"".join(self.tokens(cell[at : at + 4]) for at in range(0, len(cell), 4))

    def _token(self, run: re.Match[bytes]) -> bytes:
        known = self._known.get(("name", run[0]))
        if known is None:
            known = self._known["name", run[0]] = self.name(run[0])
        return known

    def _same_kind(self, core: bytes, kind: Callable[[bytes], Hashable]) -> bytes:
        """The first of the pseudonym, its pseudonym, and so on, that is of the kind of the name; this remains one to
        one.
        """
        mine, out = kind(core), core
        while True:
            out = self._permuted(out, [_ALPHABET.get(byte, b"") for byte in out])
            if kind(out) == mine:
                return out

    def _permuted(self, core: bytes, alphabets: Sequence[bytes]) -> bytes:
        """A name of the same shape; alphabets: the characters that each position may have, none where it stays."""
        positions = [position for position, symbols in enumerate(alphabets) if symbols]
        shape = b"".join(
            _LETTER[symbols] if symbols else b"\0" + core[position : position + 1]
            for position, symbols in enumerate(alphabets)
        )
        halves = (positions[: len(positions) // 2], positions[len(positions) // 2 :])
        value, size = [0, 0], [1, 1]
        for half, mine in enumerate(halves):
            for position in mine:
                symbols = alphabets[position]
                value[half] = value[half] * len(symbols) + symbols.index(core[position])
                size[half] *= len(symbols)
        for number in range(ROUNDS):
            half, other = number % 2, 1 - number % 2
            message = bytes([number]) + shape + value[other].to_bytes(48, "big")
            digest = hashlib.blake2b(message, key=self._key).digest()
            value[half] = (value[half] + int.from_bytes(digest, "big")) % size[half]
        out = bytearray(core)
        for half, mine in enumerate(halves):
            for position in reversed(mine):
                symbols = alphabets[position]
                value[half], rank = divmod(value[half], len(symbols))
                out[position] = symbols[rank]
        return bytes(out)


def _no_kind(core: bytes) -> Any:
    return None


def _is_word(part: bytes) -> bool:
    text = part.decode("cp037")
    return not text or text in WORDS


def _kind_of_part(core: bytes) -> Any:
    return _is_word(core), bool(_DYNAMIC.search(core.decode("cp037")))


def _kind_of_name(core: bytes) -> Any:
    text = core.decode("cp037")
    return tuple(bool(kind.search(text)) for kind in (_DYNAMIC, _PRODUCT, _IBM, _ADDRESS_SPACE))
