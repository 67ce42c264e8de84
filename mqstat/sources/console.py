"""Messages of MQ in text of a z/OS console: SYSLOG, OPERLOG, SDSF, job logs and the output of CSQUTIL.

    09.30.01 STC01234  CSQJ322I !MQ01 DISPLAY LOG report ... 123
       123             Parameter   Initial value       SET value
       123             OUTBUFF     4000

A message begins at its identifier `CSQxnnnt`. What is before it (date, time, system, job) and the connect number of lines that continue it are removed.
The file is read line by line, so memory does not depend on its size.
"""

from __future__ import annotations

import codecs
import datetime as dt
import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from mqstat.base.errors import InputError

LONGEST_LINE = 4096
"""Characters of a line; the rest of a longer line is not read, since no console writes one."""

LONGEST_MESSAGE = 2000
"""Lines of a message; what follows is another message without an identifier."""

NARROWEST = 60
"""Columns from which a line may be continued in the next one."""

_OPEN_MESSAGES = 32
_WRAPPED_HEAD = 3

_SPACES = {ord(character): " " for character in "\0\v\f\x1a\x1c\x1d\x1e\x1f\x85\xa0"} | {ord("\t"): "  "}

_ID = re.compile(r"(?<![A-Z0-9$#@.])CSQ[A-Z0-9][0-9]{3}[ADEIW](?![A-Z0-9])", re.IGNORECASE)
_BEFORE_ID = re.compile(r"[^()'\"=<>]{0,100}\Z")
_TIME = r"(?P<time>\d\d[.:]\d\d[.:]\d\d)(?:[.,]\d{1,6})?"
_DATE = r"(?P<date>\d{4}[-/.]\d\d[-/.]\d\d|\d{7}|\d{5})"
_JOB = r"(?:STC|JOB|TSU|[JST]\d\d)\d{4,5}"
_STAMP = re.compile(rf"(?:{_DATE}[\sT]+)?{_TIME}(?![\d.:])")
_PREFIX = re.compile(
    rf"(?:\s?[NWMOX][A-Z ]?\s?[0-9A-F]{{7}}\s)?\s*(?:[A-Z$#@][A-Z0-9$#@]{{0,7}}\s+(?=\d{{5}}))?(?:{_DATE}[\sT]+)?{_TIME}\s+"
    rf"(?:(?P<job>{_JOB})\s+)?(?:[0-9A-F]{{8}}\s{{1,2}})?"
)
_CONTINUED = re.compile(
    r"\s?(?:[LDE][A-Z ]?\s{16,}(?P<connect>\d{3})\s+(?:[0-9A-F]{8}(?:\s{1,2}|\Z))?|S[A-Z ]?\s{16,})"
)
_CPF = re.compile(r"(?:^|\s)(?P<cpf>[^\sA-Z0-9][A-Z0-9$#@]{1,7})\s*[+*@]?\Z", re.IGNORECASE)
_HALF_ID = re.compile(r"(?<![A-Z0-9])C(?:S(?:Q[A-Z0-9]{0,4})?)?\Z", re.IGNORECASE)
_CONNECT = re.compile(r"\s(\d{3})\s*\Z")
_OTHER_ID = re.compile(r"[+*@$]?[$A-Z]{3,7}\d{3,5}[A-Z]?(?:\s|\Z)")
_MANY_LINES = re.compile(r"report|usage|attributes|details", re.IGNORECASE)
_END_OF_OURS = re.compile(
    r"\bend\s+(?:of\s+(?:(?:log|system|archive|page\s*set|smds|smds\s*buffer)\s+report|buffer\s+pool\s+attributes)"
    r"|(?:qmgr|cfstatus|cfstruct|smds)\s+details)\s*\Z",
    re.IGNORECASE,
)
_END = re.compile(r"\s*end\s+(?:of\s+.*|.*\bdetails)\s*\Z", re.IGNORECASE)


def opened(path: Path) -> TextIO:
    """A console text, open for reading: UTF-16 if it begins with its mark, otherwise one character for each byte, since only ASCII is used. InputError if it is EBCDIC."""
    with path.open("rb") as stream:
        beginning = stream.read(1 << 16)
    if "CSQ".encode("cp037") in beginning and b"CSQ" not in beginning:
        raise InputError(f"{path.name}: the console text is EBCDIC: transfer it as text.")
    is_utf16 = beginning[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return path.open(encoding="utf-16" if is_utf16 else "latin-1", errors="replace")


@dataclass(frozen=True)
class Line:
    """A line of a message without what the console put before it; `number` counts the lines of the file from 1."""

    number: int
    text: str
    columns: int = 0
    """Length with the spaces at its end."""
    has_prefix: bool = False

    def may_continue_in(self, other: Line) -> bool:
        """Whether the other line can be the rest of this one: this is long enough to have been wrapped, or only this has a prefix."""
        if not other.text.strip():
            return False
        return self.columns >= NARROWEST if self.has_prefix == other.has_prefix else self.has_prefix


@dataclass
class Message:
    """A message: its identifier in upper case, its lines (the first one without the identifier), and the local date and time of the log, if any."""

    id: str
    lines: list[Line] = field(default_factory=list)
    when: str = ""
    job: str = ""
    is_open: bool = True

    @property
    def number(self) -> int:
        """The line in which it begins."""
        return self.lines[0].number

    @property
    def has_many_lines(self) -> bool:
        """Whether it is the response to a command in many lines."""
        return bool(_MANY_LINES.search("".join(line.text.lstrip() for line in self.lines[:_WRAPPED_HEAD])))

    def is_split_in(self, line: Line) -> bool:
        """Whether a line without a prefix continues a value in parentheses that the last line began."""
        last = self.lines[-1]
        return (
            not line.has_prefix
            and last.may_continue_in(line)
            and last.text.count("(") > last.text.count(")")
            and len(self.lines) > 1
        )


@dataclass
class Reader:
    """Reads the messages of a text; counts its lines, and those of no MQ message."""

    stream: TextIO
    lines: int = 0
    other_lines: int = 0
    long_lines: int = 0
    orphans: list[int] = field(default_factory=list)
    """The first lines that end a response whose beginning is not in the text, or was not recognised."""
    _last: Message | None = None
    _by_connect: OrderedDict[str, Message] = field(default_factory=OrderedDict)

    def messages(self) -> Iterator[Message]:
        """The messages in the order in which they end."""
        half = ""
        for part in self._raw_lines():
            raw, half = (half + part.lstrip() if half else part), ""
            if len(raw) >= NARROWEST and _HALF_ID.search(raw[-9:].rstrip()):
                half = raw.rstrip("\n")
                continue
            has_id = "CSQ" in raw or "csq" in raw.lower()
            if not has_id and self._last is None and not self._by_connect:
                self._skip(raw)
                continue
            yield from self._add(raw.rstrip("\r\n").translate(_SPACES), has_id)
        yield from self._all_open()

    def _raw_lines(self) -> Iterator[str]:
        while raw := self.stream.readline(LONGEST_LINE):
            self.lines += 1
            if len(raw) == LONGEST_LINE and not raw.endswith("\n"):
                self.long_lines += 1
                while rest := self.stream.readline(LONGEST_LINE):
                    if rest.endswith("\n"):
                        break
            yield raw

    def _add(self, raw: str, has_id: bool) -> Iterator[Message]:
        """Add a line to the message that it continues, or begin a message; the messages that end with it."""
        identifier = _ID.search(raw) if has_id else None
        if identifier is not None and not _BEFORE_ID.match(raw[: identifier.start()]):
            identifier = None
        if identifier is not None and self._last is not None and not raw[: identifier.start()].strip():
            line = _line(self.lines, raw)
            if self._last.is_split_in(line):
                self._last.lines.append(line)
                return
        if identifier is not None:
            yield from self._begin(raw, identifier)
            return
        message, line = self._continued(raw)
        if message is None or len(message.lines) >= LONGEST_MESSAGE:
            self._skip(raw)
            if raw.strip():
                yield from self._close(self._last)
            return
        message.lines.append(line)
        self._last = message
        if _END.match(line.text):
            if not message.has_many_lines:
                self._skip(raw)
            yield from self._close(message)
        elif not line.has_prefix and message.lines[0].has_prefix and len(message.lines) <= _WRAPPED_HEAD:
            for glue in ("", " "):
                yield from self._connect(message, glue.join(line.text.lstrip() for line in message.lines))

    def _skip(self, raw: str) -> None:
        """Count a line of no message; note the end of a response that has no beginning."""
        self.other_lines += 1
        if ("end " in raw.lower()) and _END_OF_OURS.search(raw) and len(self.orphans) < _OPEN_MESSAGES:
            self.orphans.append(self.lines)

    def _begin(self, raw: str, identifier: re.Match[str]) -> Iterator[Message]:
        if self._last is not None and all(self._last is not known for known in self._by_connect.values()):
            yield from self._close(self._last)
        text = raw[identifier.end() :]
        before = raw[: identifier.start()]
        prefix, stamp, cpf = _PREFIX.match(raw), _STAMP.search(before), _CPF.search(before)
        connect = _CONNECT.search(text) if _MANY_LINES.search(text) else None
        if connect is not None:
            text = text[: connect.start()]
        if cpf is not None:  # the command prefix is before the identifier
            text = f" {cpf['cpf']}{text}"
        message = Message(identifier[0].upper(), when=_when(stamp), job=(prefix["job"] or "") if prefix else "")
        message.lines.append(_line(self.lines, text, has_prefix=bool(before.strip("+*@ "))))
        self._last = message
        yield from self._connect(message, raw[identifier.end() :])

    def _connect(self, message: Message, head: str) -> Iterator[Message]:
        """Note the number at the end of the first line of a message of many lines: its other lines have it too."""
        connect = _CONNECT.search(head) if _MANY_LINES.search(head) else None
        if connect is None or any(message is known for known in self._by_connect.values()):
            return
        if connect[1] in self._by_connect:
            yield from self._close(self._by_connect[connect[1]])
        self._by_connect[connect[1]] = message
        if len(self._by_connect) > _OPEN_MESSAGES:
            yield from self._close(next(iter(self._by_connect.values())))

    def _continued(self, raw: str) -> tuple[Message | None, Line]:
        """The message that a line continues, if any, and the line without its prefix."""
        more = _CONTINUED.match(raw)
        if more is not None:
            connect = more["connect"]
            message = self._by_connect.get(connect) if connect else self._last
            return message, _line(self.lines, raw[more.end() :], has_prefix=bool(connect))
        prefix = _PREFIX.match(raw)
        if prefix is not None:
            text = raw[prefix.end() :]
            last = self._last
            same = last is not None and last.job == (prefix["job"] or "") and not _OTHER_ID.match(text)
            return last if same else None, _line(self.lines, text, has_prefix=True)
        words = raw.split(None, 1)
        if words and words[0] in self._by_connect and len(raw) - len(raw.lstrip()) < 6:
            text = raw[raw.index(words[0]) + 3 :].lstrip()
            return self._by_connect[words[0]], _line(self.lines, text, has_prefix=True)
        last = None if _OTHER_ID.match(raw.lstrip()) else self._last
        return last, _line(self.lines, raw)

    def _close(self, message: Message | None) -> Iterator[Message]:
        """The message if it was still open; lines that follow do not belong to it."""
        if message is None:
            return
        if self._last is message:
            self._last = None
        for connect in [connect for connect, known in self._by_connect.items() if known is message]:
            del self._by_connect[connect]
        if message.is_open:
            message.is_open = False
            yield message

    def _all_open(self) -> Iterator[Message]:
        waiting = [*self._by_connect.values(), *([self._last] if self._last else [])]
        for message in sorted(waiting, key=lambda message: message.number):
            yield from self._close(message)


def _line(number: int, text: str, *, has_prefix: bool = False) -> Line:
    return Line(number, text.rstrip(), len(text), has_prefix)


def _when(stamp: re.Match[str] | None) -> str:
    """The date and time of a log as text; a day of the year becomes a date."""
    if stamp is None:
        return ""
    time, date = stamp["time"].replace(".", ":"), stamp["date"] or ""
    if date.isdecimal():
        year, day = (2000 + int(date[:2]), int(date[2:])) if len(date) == 5 else (int(date[:4]), int(date[4:]))
        if not (1 <= year <= 9999 and 1 <= day <= 366):
            return time
        date = (dt.date(year, 1, 1) + dt.timedelta(days=day - 1)).isoformat() if year < 9999 else ""
    return f"{date} {time}".strip()
