"""Messages of MQ in text: the output of CSQUTIL, and z/OS console output with one prefix a line.

The latter is SYSLOG, OPERLOG, SDSF LOG and job logs:

    09.30.01 STC01234  CSQJ322I !MQ01 DISPLAY LOG report ... 123
       123             Parameter   Initial value       SET value
       123             OUTBUFF     4000

A prefix is date, time, system and job, or the connect number of the message that a line continues. A line that a
console wrapped has no prefix: a response with such a line is refused, because a value that was cut looks like another
value. The text is read line by line, so memory does not depend on its size.
"""

from __future__ import annotations

import codecs
import datetime as dt
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from mqstat.base.errors import InputError

LONGEST_LINE = 4096
"""Characters of a line; no console writes a longer one."""

LONGEST_MESSAGE = 2000
"""Lines of a message."""

_OPEN_MESSAGES = 32
"""Messages that may have more lines at the same time; the oldest ends if there is another one."""

_LONGEST_SHOWN = 60
"""Characters of a line that an error shows."""

_SPACES = {ord(character): " " for character in "\0\v\f\x1a\x1c\x1d\x1e\x1f\x85\xa0"} | {ord("\t"): "  "}

_TIME = r"(?P<time>\d\d[.:]\d\d[.:]\d\d)(?:[.,]\d{1,6})?"
_DATE = r"(?P<date>\d{4}[-/.]\d\d[-/.]\d\d|\d{7}|\d{5})"
_JOB = r"(?:STC|JOB|TSU|[JST]\d\d)\d{4,5}"
_ROUTING = r"(?:\s?[NWMOX][A-Z ]?\s?[0-9A-F]{7}\s)?"
_SYSTEM = r"(?:[A-Z$#@][A-Z0-9$#@]{0,7}\s+(?=\d{5}))?"
_STAMPED = rf"{_ROUTING}\s*{_SYSTEM}(?:{_DATE}[\sT]+)?{_TIME}\s+(?:(?P<job>{_JOB})\s+)?(?:[0-9A-F]{{8}}\s{{1,2}})?"
_ID = r"CSQ[A-Z0-9][0-9]{3}[ADEIW](?![A-Z0-9])"
_PREFIX = re.compile(_STAMPED)
_CONNECTED = re.compile(
    r"\s?[LDE][A-Z ]?\s{16,}(?P<syslog>\d{3})\s+(?:[0-9A-F]{8}(?:\s{1,2}|\Z))?|\s{0,5}(?P<joblog>\d{3})(?:\s+|\Z)"
)
_MESSAGE = re.compile(
    rf"(?:{_STAMPED})?\s*(?:(?P<cpf>[^\sA-Z0-9][A-Z0-9$#@]{{1,7}})\s+)?[+*@]?(?P<id>{_ID})", re.IGNORECASE
)
_MENTIONED = re.compile(rf"[^()'\"=<>]{{0,100}}(?<![A-Z0-9$#@.])(?P<id>{_ID})", re.IGNORECASE)
_WRAPPED = re.compile(r"\s?S[A-Z ]?\s{16,}")
_HALF_ID = re.compile(r"(?<![A-Z0-9])C(?:S(?:Q[A-Z0-9]{0,4})?)?\Z", re.IGNORECASE)
_CONNECT = re.compile(r"\s(\d{3})\s*\Z")
_OTHER_ID = re.compile(r"[+*@$]?[$A-Z]{3,7}\d{3,5}[A-Z]?(?:\s|\Z)")
_HAS_MANY_LINES = re.compile(r"report|usage|attributes|details|active log data set", re.IGNORECASE)
_ID_OF_MANY_LINES = re.compile(r"CSQM(?:201|4[0-9]{2})I")
_END_OF_RESPONSE = re.compile(
    r"\s*end\s+(?:of\s+(?:(?:log|system|archive|page\s*set|smds|smds\s*buffer)\s+report|buffer\s+pool\s+attributes)"
    r"|(?:qmgr|cfstatus|cfstruct|smds)\s+details)\s*",
    re.IGNORECASE,
)
_END = re.compile(r"\s*end\s+(?:of\s+.*|.*\bdetails)\s*", re.IGNORECASE)


def opened(path: Path) -> TextIO:
    """A console text, open for reading; InputError if it is EBCDIC.

    It is UTF-16 if it begins with its mark; otherwise each byte is a character, since only ASCII is used.
    """
    with path.open("rb") as stream:
        beginning = stream.read(1 << 16)
    if "CSQ".encode("cp037") in beginning and b"CSQ" not in beginning:
        raise InputError(f"{path.name}: the console text is EBCDIC: transfer it as text.")
    is_utf16 = beginning[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return path.open(encoding="utf-16" if is_utf16 else "latin-1", errors="replace")


@dataclass(frozen=True)
class Line:
    """A line of a message without its prefix; `number` counts the lines of the text from 1."""

    number: int
    text: str


class NotReadError(InputError):
    """A line of a response that is not understood; nothing of the text is used."""

    def __init__(self, line: Line, reason: str) -> None:
        """Name the line, the reason and what to do."""
        shown = line.text.strip()[:_LONGEST_SHOWN]
        super().__init__(
            f"line {line.number} {shown!r} {reason}. Lines that a console wrapped are not read: "
            "issue the DISPLAY commands with CSQUTIL and give its output."
        )


@dataclass
class Message:
    """A message: its identifier in upper case, and its lines, the first one without the identifier."""

    id: str
    lines: list[Line]
    when: str = ""
    """The local date and time in its prefix; empty without them."""
    has_prefix: bool = False
    has_many_lines: bool = False
    has_end: bool = False
    """Whether its last line is the end of a response."""

    @property
    def number(self) -> int:
        """The line in which it begins."""
        return self.lines[0].number


@dataclass
class Reader:
    """Reads the messages of a text; `is_wanted` selects, by identifier, those of which every line must be there."""

    stream: TextIO
    is_wanted: Callable[[str], bool]
    lines: int = 0
    first: Line | None = None
    """The first line with an identifier of MQ."""
    _last: Message | None = None
    """The message to which the previous line belongs; None if to none."""
    _previous: str = ""
    """The previous line."""
    _open: dict[str, Message] = field(default_factory=dict)
    """The messages that may have more lines: by connect number, by job, or of a text without prefixes."""

    def messages(self) -> Iterator[Message]:
        """The messages in the order in which they end. NotReadError for a line that a console wrapped."""
        while raw := self.stream.readline(LONGEST_LINE):
            self.lines += 1
            if len(raw) == LONGEST_LINE and not raw.endswith("\n"):
                raise NotReadError(Line(self.lines, raw), f"is longer than {LONGEST_LINE} characters")
            text = raw.replace("\xc2\xa0", " ").translate(_SPACES).rstrip()  # a no-break space as UTF-8
            has_id = "CSQ" in text or "csq" in text.lower()
            head = _MESSAGE.match(text) if has_id else None
            if head is not None:
                yield from self._begin(text, head)
            else:
                yield from self._continue(text, has_id=has_id)
            self._previous = text
        yield from sorted(self._open.values(), key=lambda message: message.number)

    def _begin(self, text: str, head: re.Match[str]) -> Iterator[Message]:
        """Open the message that begins with a line; the messages that end with it."""
        rest, has_prefix = text[head.end() :], head["time"] is not None
        message_id = head["id"].upper()
        self.first = self.first or Line(self.lines, text)
        has_many = bool(_HAS_MANY_LINES.search(rest) or _ID_OF_MANY_LINES.fullmatch(message_id))
        connect = _CONNECT.search(rest) if has_many and has_prefix else None
        key = f"job {head['job']}" if has_prefix else ""
        if connect is not None:
            key, rest = connect[1], rest[: connect.start()]
        if head["cpf"]:  # the command prefix is before the identifier
            rest = f" {head['cpf']}{rest}"
        yield from self._close(key)
        if not has_prefix:
            yield from self._close("")
        elif len(self._open) >= _OPEN_MESSAGES:
            yield from self._close(next(iter(self._open)))
        self._last = Message(message_id, [Line(self.lines, rest)], _when(head), has_prefix, has_many)
        self._open[key] = self._last

    def _continue(self, text: str, *, has_id: bool) -> Iterator[Message]:
        """Add a line that begins no message to the one that it continues, if any; the messages that end with it."""
        key, line = self._without_prefix(text)
        if key == "":
            self._refuse_wrapped(text)
        elif key.startswith("job ") and self._begins_another(key, line):
            yield from self._close(key)
        message = self._open.get(key)
        if message is None or (has_id and key != ""):
            self._refuse_unknown_prefix(text)
        self._last = message
        if message is None:
            if _END_OF_RESPONSE.fullmatch(line.text):
                raise NotReadError(line, "ends a response whose beginning is missing or not recognised")
            return
        if not message.has_many_lines and not line.text.strip():
            yield from self._close(key)
            return
        is_end = message.has_many_lines and _END.fullmatch(line.text) is not None
        if self.is_wanted(message.id):
            if len(message.lines) >= LONGEST_MESSAGE:
                raise NotReadError(line, f"is line {LONGEST_MESSAGE + 1} of one message")
            if message.has_many_lines or len(message.lines) < 2:
                message.lines.append(line)
            message.has_end = is_end
        if is_end:
            yield from self._close(key)

    def _without_prefix(self, text: str) -> tuple[str, Line]:
        """The key of the message that a line may continue, which is empty without a prefix, and the line without it."""
        connected = _CONNECTED.match(text)
        if connected is not None:
            number = connected["syslog"] or connected["joblog"]
            if connected["syslog"] or number in self._open:
                return number, Line(self.lines, text[connected.end() :])
            return "", Line(self.lines, text)
        stamped = _PREFIX.match(text)
        if stamped is not None:
            return f"job {stamped['job']}", Line(self.lines, text[stamped.end() :])
        return "", Line(self.lines, text)

    def _begins_another(self, key: str, line: Line) -> bool:
        """Whether a line with date and time is not part of the message that its job has open."""
        message = self._open.get(key)
        return _OTHER_ID.match(line.text) is not None or (message is not None and not message.has_many_lines)

    def _refuse_wrapped(self, text: str) -> None:
        """Refuse a line without a prefix after one with a prefix, if that is part of a message that is read."""
        last, half = self._last, _HALF_ID.search(self._previous)
        rest = _WRAPPED.sub("", text, count=1).lstrip()
        if not rest:
            return
        if half is not None and re.match(_ID, half[0] + rest, re.IGNORECASE):
            raise NotReadError(Line(self.lines - 1, self._previous[-_LONGEST_SHOWN:]), "ends within an identifier")
        if last is not None and last.has_prefix and self.is_wanted(last.id):
            raise NotReadError(Line(self.lines, text), f"continues a line of {last.id} but has no prefix")

    def _refuse_unknown_prefix(self, text: str) -> None:
        """Refuse a line in which an identifier of a message that is read follows other text."""
        mentioned = _MENTIONED.match(text)
        if mentioned is None:
            return
        self.first = self.first or Line(self.lines, text)
        if self.is_wanted(mentioned["id"].upper()):
            raise NotReadError(Line(self.lines, text), "has an MQ message after a prefix that is not known")

    def _close(self, key: str) -> Iterator[Message]:
        """The message with this key, which ends; nothing if there is none."""
        message = self._open.pop(key, None)
        if message is not None:
            if self._last is message:
                self._last = None
            yield message


def _when(head: re.Match[str]) -> str:
    """The date and time of a log as text; a day of the year becomes a date."""
    time, date = (head["time"] or "").replace(".", ":"), head["date"] or ""
    if date.isdecimal():
        century = "20" if len(date) == 5 else ""
        year, day = int(f"{century}{date[:-3]}"), int(date[-3:])
        if not (1 <= year <= 9998 and 1 <= day <= 366):
            return time
        date = (dt.date(year, 1, 1) + dt.timedelta(days=day - 1)).isoformat()
    return f"{date} {time}".strip()
