"""How records are framed in an input: one table of the framings, from which they are recognised, read, written for
tests and explained.

What FTP, Zowe, copy programs and languages put between records is a *pattern*: the same number of bytes between any two
records, with or without the length of a record in them. Any pattern is recognised, also one that is not in the table
(`parsers.patterns`).

Sources: z/OS DFSMS Using Data Sets, "Variable-length record formats"; RFC 959, 3.4.2 (block mode) and 3.1.2.2 (record
structure).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from mqstat.base.errors import UsageError
from mqstat.base.nearest import nearest_or_known

LONGEST_GAP = 64
"""Most bytes between two records that are a pattern; more is damage."""

_NUMBERS = {f"{order}{width}": (width, name) for order, name in (("be", "big"), ("le", "little")) for width in (2, 4)}


@dataclass(frozen=True)
class Pattern:
    """Bytes `before` each record and `after` it, which do not belong to it, and what states its length.

    `length` is "rdw" where a record (or segment) begins with its RDW, "none" where nothing states its length, or a
    number: "be4" has four bytes, "le2" two bytes with the low byte first. A number begins `back` bytes before the
    record and counts `extra` bytes more than the record has.
    """

    before: int
    after: int
    length: str = "rdw"
    back: int = 0
    extra: int = 0

    @property
    def gap(self) -> int:
        """Bytes between two records."""
        return self.before + self.after

    @property
    def number(self) -> tuple[int, str]:
        """Width and byte order of the length."""
        return _NUMBERS[self.length]

    @property
    def name(self) -> str:
        """The name of the framing, which `Pattern.named` reads."""
        stated = f".{self.back}.{self.extra}" if self.length in _NUMBERS else ""
        return f"prefix.{self.before}.{self.after}.{self.length}{stated}"

    @staticmethod
    def named(name: str) -> Pattern | None:
        """The pattern with this name, None if it is not the name of a pattern."""
        prefix, *rest = name.split(".")
        if prefix != "prefix" or len(rest) not in (3, 5):
            return None
        before, after, length, *stated = rest
        if not all(each.removeprefix("-").isdecimal() and len(each) < 4 for each in (before, after, *stated)):
            return None
        pattern = Pattern(int(before), int(after), length, *map(int, stated))
        is_number = length in _NUMBERS
        fits = pattern.name == name and is_number == bool(stated) and (is_number or length in ("rdw", "none"))
        fits = fits and pattern.before >= 0 and pattern.after >= 0 and pattern.gap <= LONGEST_GAP
        return pattern if fits and (not is_number or _NUMBERS[length][0] <= pattern.back <= pattern.before) else None


@dataclass(frozen=True)
class Framing:
    """A framing by its name, which the option `--framing` takes: of `FRAMINGS`, or of a pattern. Raises UsageError for
    another name.
    """

    value: str

    RDW: ClassVar[Framing]
    BDW: ClassVar[Framing]
    NO_RDW: ClassVar[Framing]
    LENGTH_PREFIXED: ClassVar[Framing]
    STRU_R: ClassVar[Framing]
    STRU_R_NO_RDW: ClassVar[Framing]

    def __post_init__(self) -> None:
        if not is_framing(self.value):
            near = nearest_or_known(self.value, _NAMES)
            raise UsageError(f"There is no framing {self.value}{near}, or a name of docs/framings.md.")

    @property
    def pattern(self) -> Pattern | None:
        """The pattern of the bytes between records, None for the framings with names."""
        return Pattern.named(self.value)

    @property
    def undo(self) -> str:
        """The FTP subcommands without which a transfer adds nothing to the records; empty if they are the usual
        ones.
        """
        return next((each.undo for each in FRAMINGS if each.name == self.value), "")

    @property
    def text(self) -> str:
        """The framing in a few words."""
        declared = next((each.text for each in FRAMINGS if each.name == self.value), None)
        pattern = self.pattern
        if declared is not None or pattern is None:
            return declared or self.value
        kept = "records with RDW" if pattern.length == "rdw" else "records without RDW"
        sides = [
            f"{size} bytes {side}" for size, side in ((pattern.before, "before"), (pattern.after, "after")) if size
        ]
        return f"{kept}, {' and '.join(sides)} each"


def is_framing(name: str) -> bool:
    """Whether a framing has this name."""
    return name in _NAMES or Pattern.named(name) is not None


_NAMES = ("rdw", "bdw", "no-rdw", "length-prefixed", "stru-r", "stru-r-no-rdw")

Framing.RDW, Framing.BDW, Framing.NO_RDW, Framing.LENGTH_PREFIXED, Framing.STRU_R, Framing.STRU_R_NO_RDW = (
    Framing(name) for name in _NAMES
)

BASIC = (Framing.RDW, Framing.BDW, Framing.NO_RDW, Framing.LENGTH_PREFIXED)
"""What z/OS, FTP in stream mode and Zowe write: sound, without a remark."""


ESCAPED = {Framing.STRU_R: Framing.RDW, Framing.STRU_R_NO_RDW: Framing.NO_RDW}
"""The framings in FTP record structure, and those of the records when it is undone."""


@dataclass(frozen=True)
class Declared:
    """A framing with its name, what it is in a few words, whether records keep their RDW, and how one record (or
    segment) is written.

    `write` is None for RDW and blocks, which depend on more than one record.
    """

    name: str
    text: str
    keeps_rdw: bool = True
    write: Callable[[bytes], bytes] | None = None
    undo: str = ""
    """The FTP subcommands that transfer a dump without it, in addition to those that transfer it in binary with
    RDWs."""

    @property
    def states_length(self) -> bool:
        """Whether records of all types have a length that is read."""
        pattern = Pattern.named(self.name)
        return self.keeps_rdw or self.name == "length-prefixed" or (pattern is not None and pattern.length != "none")


def _size(data: bytes, width: int, extra: int = 0, order: str = "big") -> bytes:
    return (len(data) + extra).to_bytes(width, "little" if order == "little" else "big")


def _escaped(data: bytes) -> bytes:
    return data.replace(b"\xff", b"\xff\xff") + b"\xff\x01"


FRAMINGS = (
    Declared("rdw", "records with RDW"),
    Declared("bdw", "blocks with BDW, records with RDW"),
    Declared("no-rdw", "records without RDW", False, bytes),
    Declared("length-prefixed", "length-prefixed records", False, lambda data: _size(data, 4) + data),
    Declared("stru-r", "records with RDW in FTP record structure (STRU R)", True, _escaped, "stru f"),
    Declared("stru-r-no-rdw", "records without RDW in FTP record structure (STRU R)", False, _escaped, "stru f"),
    Declared(
        "prefix.3.0.rdw",
        "records with RDW in FTP block mode (MODE B)",
        True,
        lambda data: b"\x80" + _size(data, 2) + data,
        "mode s",
    ),
    Declared(
        "prefix.3.0.be2.2.0",
        "records without RDW in FTP block mode (MODE B)",
        False,
        lambda data: b"\x80" + _size(data, 2) + data,
        "mode s",
    ),
    Declared(
        "prefix.4.0.be2.4.0",
        "records with an RDW that does not count itself",
        False,
        lambda data: _size(data, 2) + b"\0\0" + data,
    ),
    Declared(
        "prefix.4.0.rdw",
        "records with RDW, each after its length in four bytes",
        True,
        lambda data: _size(data, 4) + data,
    ),
    Declared(
        "prefix.2.0.rdw",
        "records with RDW, each after its length in two bytes",
        True,
        lambda data: _size(data, 2) + data,
    ),
    Declared(
        "prefix.4.0.be4.4.4",
        "records after a length of four bytes that counts itself",
        False,
        lambda data: _size(data, 4, 4) + data,
    ),
    Declared("prefix.2.0.be2.2.0", "records after a length of two bytes", False, lambda data: _size(data, 2) + data),
    Declared(
        "prefix.2.0.be2.2.2",
        "records after a length of two bytes that counts itself",
        False,
        lambda data: _size(data, 2, 2) + data,
    ),
    Declared(
        "prefix.4.0.le4.4.0",
        "records after a little-endian length",
        False,
        lambda data: _size(data, 4, 0, "little") + data,
    ),
    Declared(
        "prefix.4.0.le4.4.4",
        "records after a little-endian length that counts itself",
        False,
        lambda data: _size(data, 4, 4, "little") + data,
    ),
    Declared(
        "prefix.2.0.le2.2.0",
        "records after a little-endian length of two bytes",
        False,
        lambda data: _size(data, 2, 0, "little") + data,
    ),
    Declared(
        "prefix.4.4.be4.4.0",
        "records between two lengths of four bytes",
        False,
        lambda data: _size(data, 4) + data + _size(data, 4),
    ),
    Declared(
        "prefix.4.4.le4.4.0",
        "records between two little-endian lengths (Fortran)",
        False,
        lambda data: _size(data, 4, 0, "little") + data + _size(data, 4, 0, "little"),
    ),
    Declared("prefix.0.4.none", "records before their length", False, lambda data: data + _size(data, 4)),
    Declared("prefix.0.4.rdw", "records with RDW before their length", True, lambda data: data + _size(data, 4)),
    Declared("prefix.1.0.rdw", "records with RDW after a control character (ASA)", True, lambda data: b"\x40" + data),
    Declared(
        "prefix.1.0.none", "records without RDW after a control character (ASA)", False, lambda data: b"\x40" + data
    ),
    Declared("prefix.0.1.none", "records without RDW before a line end", False, lambda data: data + b"\x15"),
    Declared("prefix.0.2.none", "records without RDW before CR LF", False, lambda data: data + b"\r\n"),
)
"""Every framing with a name of its own. Those that begin with `prefix` are patterns that were seen; each other pattern
is read as well."""
