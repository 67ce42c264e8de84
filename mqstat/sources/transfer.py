"""Signs of what a wrong transfer does to a dump: translation to ASCII, line ends, UTF-8, fixed records; and files that
are something else.

Everything here reads only the first bytes of an input and reports what they contain, with offset, bytes and counts.
"""

from __future__ import annotations

from binascii import a2b_base64
from dataclasses import dataclass
from math import gcd

import numpy as np

from mqstat.parsers.resync import find_headers

EYE_CATCHERS = (
    "QMST",
    "QJST",
    "QIST",
    "QLST",
    "Q5ST",
    "QEST",
    "QTST",
    "QESD",
    "QPST",
    "QSST",
    "WTID",
    "WTAS",
    "QCST",
    "QIS1",
    "QMAC",
    "CSQ_ADMIN",
)


@dataclass(frozen=True)
class Sign:
    """One thing seen: a code, and sentences of evidence."""

    code: str
    evidence: tuple[str, ...]


def hex_at(data: bytes, at: int, count: int = 16) -> str:
    """Some bytes as hex in groups of four, as a dump listing shows them."""
    part = data[at : at + count].hex().upper()
    return " ".join(part[i : i + 8] for i in range(0, len(part), 8))


def signs(data: bytes) -> list[Sign]:
    """What the bytes show, the surest first."""
    checks = [_encoded(data), _other_file(data), _utf8(data), _ascii(data), line_ends(data), _fixed(data)]
    return [each for each in checks if each is not None]


_ENCODINGS = (
    ("hex", b"0123456789ABCDEFabcdef", lambda text: bytes.fromhex(text.decode("ascii"))),
    ("base64", b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", a2b_base64),
)
"""Texts that a dump can be: code, alphabet, and how to decode them."""


def _encoded(data: bytes) -> Sign | None:
    """A dump as hex or base64 text."""
    text = data[: 1 << 16].translate(None, b" \t\r\n").rstrip(b"=")
    text = text[: len(text) // 4 * 4]
    for code, alphabet, decode in _ENCODINGS:
        if not text or text.translate(None, alphabet):
            continue
        decoded = decode(text)
        headers = find_headers(np.frombuffer(decoded + bytes(16), dtype=np.uint8), 0, len(decoded))
        if len(headers):
            at = int(headers[0])
            return Sign(
                code,
                (
                    f"Its first {len(text)} characters are {code} text with an SMF header at byte {at}: {hex_at(decoded, at)}.",
                ),
            )
    return None


def _other_file(data: bytes) -> Sign | None:
    """Something that never was a dump."""
    head = data[:4096]
    if head[2:8] == "INMR01".encode("cp037") or head[1:7] == "INMR01".encode("cp037"):
        return Sign("xmit", (f"Bytes 0-15: {hex_at(data, 0)}, the control record INMR01 of TSO TRANSMIT.",))
    if head.startswith(b"\x1f\x9d"):
        return Sign("compress", (f"Bytes 0-15: {hex_at(data, 0)}: X'1F9D' is the mark of compress.",))
    for magic, what in (
        (b"%PDF", "a PDF document"),
        (b"\x7fELF", "a program"),
        (b"MZ", "a Windows program"),
        (b"PAR1", "a Parquet file"),
        (b"\x89PNG", "a picture"),
        (b"SQLite format 3", "an SQLite database"),
        (b"Rar!", "a RAR archive"),
        (b"7z\xbc\xaf", "a 7z archive"),
    ):
        if head.startswith(magic):
            return Sign("not-smf", (f"Bytes 0-15: {hex_at(data, 0)}: it is {what}.",))
    printable = sum(32 <= byte < 127 or byte in (9, 10, 13) for byte in head)
    if head and printable >= 0.97 * len(head):
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t")[:1]
        first = head.split(b"\n", 1)[0].decode("ascii", "replace").strip()[:60]
        what = (
            "JSON"
            if start in (b"{", b"[")
            else "XML or HTML"
            if start == b"<"
            else "CSV or other text"
            if b"," in head
            else "text"
        )
        return Sign(
            "text",
            (
                f"{printable} of the first {len(head)} bytes are printable ASCII: it looks like {what}.",
                f'It begins with "{first}".',
            ),
        )
    table = np.frombuffer(head, dtype=np.uint8)
    letters = np.isin(
        table,
        np.frombuffer(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .,-=()/'".encode("cp037"), dtype=np.uint8
        ),
    )
    if head and int(letters.sum()) >= 0.97 * len(head) and int((table != 0x40).sum()) > 20:
        first = head[:60].decode("cp037").strip()
        return Sign(
            "text",
            (
                f"{int(letters.sum())} of the first {len(head)} bytes are printable EBCDIC: it is a listing or other text.",
                f'It begins with "{first}".',
            ),
        )
    return None


def _utf8(data: bytes) -> Sign | None:
    """Bytes above X'7F' written as UTF-8, or replaced by the replacement character."""
    replaced = data.count(b"\xef\xbf\xbd")
    table = np.frombuffer(data, dtype=np.uint8)
    high = int((table >= 0x80).sum())
    if replaced >= 8 and replaced * 3 >= 0.5 * high:
        at = data.find(b"\xef\xbf\xbd")
        return Sign(
            "replaced",
            (
                f"{replaced} times EF BF BD (the UTF-8 replacement character) in the first {len(data)} bytes,",
                f"first at offset {at}: {hex_at(data, max(0, at - 4))}.",
                "Each of them replaces a byte that is lost.",
            ),
        )
    lead = (table[:-1] == 0xC2) | (table[:-1] == 0xC3)
    pairs = int((lead & (table[1:] >= 0x80) & (table[1:] < 0xC0)).sum())
    if pairs >= 8 and 2 * pairs >= 0.98 * high:
        at = int(np.flatnonzero(lead)[0])
        return Sign(
            "utf-8",
            (
                f"All {high} bytes above X'7F' in the first {len(data)} are in {pairs} pairs that begin with C2 or C3,",
                f"first at offset {at}: {hex_at(data, at)}. Each pair was one byte in the dump.",
            ),
        )
    return None


def _ascii(data: bytes) -> Sign | None:
    """Names and eye catchers that are readable as ASCII: translated from EBCDIC."""
    as_ascii = {name: data.count(name.encode("ascii")) for name in EYE_CATCHERS}
    as_ebcdic = sum(data.count(name.encode("cp037")) for name in EYE_CATCHERS)
    seen = {name: count for name, count in as_ascii.items() if count}
    total = sum(seen.values())
    if total >= 1 and total > 4 * as_ebcdic:
        name = max(seen, key=lambda each: seen[each])
        at = data.find(name.encode("ascii"))
        return Sign(
            "ascii",
            (
                f'The eye catcher "{name}" appears in ASCII, first at offset {at}: {hex_at(data, at, 8)}.',
                f"Eye catchers in ASCII: {total}, in EBCDIC: {as_ebcdic}. A dump has them in EBCDIC.",
            ),
        )
    return None


def line_ends(data: bytes) -> Sign | None:
    """X'0A' and X'0D' treated as line ends."""
    table = np.frombuffer(data, dtype=np.uint8)
    counts = np.bincount(table, minlength=32)
    feeds, returns, both = int(counts[0x0A]), int(counts[0x0D]), data.count(b"\r\n")
    around = float(np.median([counts[each] for each in (0x07, 0x09, 0x0B, 0x0E, 0x0F, 0x11, 0x12, 0x13)]))
    if both >= 8 and both >= 0.95 * feeds:
        at = data.find(b"\r\n")
        return Sign(
            "crlf",
            (
                f"{both} of {feeds} bytes X'0A' have an X'0D' before them, first at offset {at}: {hex_at(data, max(0, at - 4))}.",
                "In an undamaged dump this happens by chance, once in hundreds: each line feed was changed to carriage return + line feed.",
            ),
        )
    if returns == 0 and around >= 100 and feeds > 1.5 * around:
        return Sign(
            "cr-lost",
            (
                f"No byte X'0D' in the first {len(data)}, but {feeds} bytes X'0A' (values near them: about {around:.0f} times each).",
                "Each carriage return was changed to a line feed.",
            ),
        )
    return None


def _fixed(data: bytes) -> Sign | None:
    """Records cut or filled up to one fixed length."""
    table = np.frombuffer(data + bytes(16), dtype=np.uint8)
    headers = find_headers(table, 0, len(data))
    if len(headers) < 4:
        return None
    step = gcd(*np.diff(headers).tolist())
    if step >= 40:
        return Sign(
            "fixed",
            (
                f"{len(headers)} SMF headers have distances that are all multiples of {step} bytes, first at offset {int(headers[0])}.",
                f"SMF records have many lengths: these were truncated or padded to records of {step} bytes.",
            ),
        )
    return None
