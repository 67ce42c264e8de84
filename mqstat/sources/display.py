"""Values in the responses to DISPLAY commands of MQ: QMGR, LOG, SYSTEM, ARCHIVE, USAGE, CHINIT, CFSTATUS, CFSTRUCT, SMDS.

Three shapes occur: attributes `KEYWORD(VALUE)` (CSQM201I, CSQM4nnI), tables of parameters and rows (CSQJ322I, CSQI065I), and sentences (CSQX831I). A
console wraps them anywhere, so a value that ends where a line may have been wrapped is read with the next line, with and without a space between them; if
both are possible, neither is used. Source: IBM MQ for z/OS, Messages and codes, and the descriptions of the commands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TextIO

from mqstat.base.formatting import plural
from mqstat.sources.console import LONGEST_LINE, Line, Message, Reader
from mqstat.sources.display_formats import (
    ATTRIBUTES,
    COLUMN_HEADINGS,
    COMMANDS_WITH_FACTS,
    COMPLETION,
    CPF_ONLY,
    DETAILS,
    END_OF_RESPONSE,
    FIRST_WORD,
    FULL_LOGS,
    HEAD,
    HEADING_WORDS,
    MESSAGES_WITHOUT_FACTS,
    OBJECT_MESSAGES,
    PARAMETER,
    PARAMETERS,
    QMGR_KEYWORDS,
    REPORT,
    RESPONSES_FROM,
    ROWS,
    SECOND_COPY,
    SENTENCES,
    STORAGE,
)
from mqstat.sources.wrapped import MOST_WRAPS, attributes_at, head_of, joined_texts, record_at, split_attributes

_LISTED = 8
_NAMES: Mapping[str, tuple[str, ...]] = {
    "QMGR": ("QMNAME",),
    "CFSTRUCT": ("CFSTRUCT",),
    "CFSTATUS": ("CFSTATUS",),
    "SMDS": ("SMDS", "CFSTRUCT"),
    "SMDSCONN": ("SMDSCONN", "CFSTRUCT"),
}
"""The keywords that name what a response is about."""
_LONGEST_SHOWN = 60


@dataclass(frozen=True)
class Value:
    """A value of a response: command, keyword, the object that it is about, text, line, and whose response it is as far as it states that."""

    command: str
    keyword: str
    text: str
    line: int
    item: str = ""
    cpf: str = ""
    owner: str = ""
    when: str = ""


@dataclass(frozen=True)
class Unread:
    """A line of a response that is not understood, and why."""

    line: int
    text: str
    reason: str


@dataclass
class Responses:
    """The values in a text, and what in its responses was not understood. `values` reads the text; the counts are complete when it ends."""

    stream: TextIO
    unread_lines: int = 0
    unread: list[Unread] = field(default_factory=list)
    """The first of them."""
    unknown_keywords: Counter[str] = field(default_factory=Counter)
    unknown_commands: Counter[str] = field(default_factory=Counter)
    abnormal: Counter[str] = field(default_factory=Counter)
    responses: int = 0
    messages: int = 0
    reader: Reader = field(init=False)
    _responding: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Prepare the reader of messages."""
        self.reader = Reader(self.stream)

    def values(self) -> Iterator[Value]:
        """All values, in the order of the text."""
        for message in self.reader.messages():
            self.messages += 1
            yield from self._of(message)

    @property
    def is_understood(self) -> bool:
        """Whether every line of the responses was understood."""
        return not (self.unread_lines or self.reader.orphans or self.reader.long_lines or self.abnormal)

    def summary(self) -> Iterator[str]:
        """Sentences about what was read and what was not understood, with the first lines."""
        reader = self.reader
        yield f"{plural(reader.lines, 'line')}, {plural(self.messages, 'MQ message')}, {self.responses:,} of them responses to DISPLAY commands that have facts."
        if self.unread_lines:
            first = "; ".join(f"line {each.line} {each.text!r} {each.reason}" for each in self.unread)
            yield f"{plural(self.unread_lines, 'line')} of responses not understood: {first}."
        if reader.orphans:
            yield f"responses end in these lines, but their beginning is missing or not recognised: {', '.join(map(str, reader.orphans))}."
        if reader.long_lines:
            yield f"{plural(reader.long_lines, 'line')} longer than {LONGEST_LINE} characters not read to the end."
        for what, counter in (
            ("keywords that are not known", self.unknown_keywords),
            ("responses that have no facts", self.unknown_commands),
            ("commands that failed", self.abnormal),
        ):
            if counter:
                listed = ", ".join(f"{name} ({count})" for name, count in counter.most_common(_LISTED))
                yield f"{what}: {listed}{f' and {len(counter) - _LISTED} more' if len(counter) > _LISTED else ''}."

    def _of(self, message: Message) -> Iterator[Value]:
        if message.id in SENTENCES:
            yield from self._sentence(message)
        elif message.id in ROWS:
            yield from self._rows(message)
        elif message.id == "CSQJ322I":
            yield from self._parameters(message)
        elif message.id == "CSQJ370I":
            yield from self._log_status(message)
        elif OBJECT_MESSAGES.fullmatch(message.id):
            yield from self._attributes(message)
        elif message.id == "CSQN121I":
            self._note_responder(message)
        elif message.id in ("CSQ9022I", "CSQ9023E"):
            self._completion(message)
        elif message.id in MESSAGES_WITHOUT_FACTS:
            self.responses += 1

    # what was not understood

    def _not_understood(self, line: Line, reason: str) -> None:
        self.unread_lines += 1
        if len(self.unread) < _LISTED:
            self.unread.append(Unread(line.number, line.text.strip()[:_LONGEST_SHOWN], reason))

    def _unknown(self, counter: Counter[str], name: str) -> None:
        if name in counter or len(counter) < 1000:
            counter[name[:20].upper()] += 1

    # who responds

    def _note_responder(self, message: Message) -> None:
        match = RESPONSES_FROM.fullmatch("".join(line.text for line in message.lines).rstrip())
        if match is None:
            return
        if len(self._responding) > 100:
            self._responding.clear()
        self._responding[(match["cpf"] or "").upper()] = match[2].upper()

    def _completion(self, message: Message) -> None:
        match = next(
            filter(None, (COMPLETION.fullmatch(text) for text in joined_texts(message.lines[:MOST_WRAPS]))), None
        )
        if match is None:
            return
        self._responding.pop((match["cpf"] or "").upper(), None)
        command = " ".join(match["command"].upper().split())
        if command.startswith(("DISPLAY ", "DIS ")):
            if match["state"].upper() == "ABNORMAL":
                self._unknown(self.abnormal, command)
            elif not COMMANDS_WITH_FACTS.fullmatch(command) and command not in self.unknown_commands:
                self._unknown(self.unknown_commands, command)

    def _value(self, message: Message, cpf: str | None, command: str, keyword: str, text: str, line: int, item: str = "") -> Value:  # fmt: skip
        cpf = (cpf or "").upper()
        return Value(command, keyword, text, line, item, cpf, self._responding.get(cpf, ""), message.when)

    # the shapes

    def _sentence(self, message: Message) -> Iterator[Value]:
        command, names, sentence = SENTENCES[message.id]
        self.responses += 1
        pattern = re.compile(HEAD + sentence, re.IGNORECASE)
        record = record_at(message.lines, 0, pattern.fullmatch)
        groups, line = record.groups, record.line
        if groups is None and message.id == "CSQX004I":
            text = " ".join(line.text for line in message.lines)
            storage = STORAGE.fullmatch(text)
            cpf = CPF_ONLY.match(text)
            prefix = cpf[1] if cpf is not None and cpf[1][0] not in ":" and not cpf[1].isalpha() else ""
            groups = None if storage is None else (prefix, *storage.groups())
        if groups is None:
            self._not_understood(line, f"is not the text of {message.id} that is known")
            return
        if any(value is None for value in groups[1:]):
            return
        item = str(groups[1]) if len(names) == 2 else ""
        yield self._value(message, groups[0], command, names[-1], str(groups[-1]), line.number, item)

    def _rows(self, message: Message) -> Iterator[Value]:
        command, names, row = ROWS[message.id]
        self.responses += 1
        pattern = re.compile(row, re.IGNORECASE)
        lines, cpf, index = message.lines, _cpf(message), 1
        while index < len(lines):
            record = record_at(lines, index, pattern.fullmatch)
            groups, line = record.groups, record.line
            index += record.size
            if groups is not None:
                for name, text in zip(names[1:], groups[1:], strict=True):
                    yield self._value(
                        message, cpf, command, name, str(text).upper(), line.number, str(groups[0]).upper()
                    )
            elif not _is_heading(line.text) and not END_OF_RESPONSE.fullmatch(line.text):
                self._not_understood(line, f"is not a row of {message.id}")

    def _parameters(self, message: Message) -> Iterator[Value]:
        report, start = head_of(message.lines, REPORT)
        if report is None:
            self._not_understood(message.lines[0], "names no report")
            return
        kind = report["kind"].upper()
        if kind not in PARAMETERS:
            self._unknown(self.unknown_commands, f"DISPLAY {kind}")
            return
        self.responses += 1

        def known(text: str) -> re.Match[str] | None:
            match = PARAMETER.fullmatch(text)
            return match if match is not None and match[1].upper() in PARAMETERS[kind] else None

        def begins(text: str) -> bool:
            match = FIRST_WORD.match(text)
            return match is not None and match[1].upper() in PARAMETERS[kind]

        values: dict[str, list[tuple[str, Line]]] = {}
        index = start
        while index < len(message.lines):
            record = record_at(message.lines, index, known, begins)
            index += record.size
            line, text = record.line, record.line.text
            word = FIRST_WORD.match(text)
            if record.groups is not None:
                name, initial, current = record.groups
                values.setdefault(str(name).upper(), []).append((current or initial or "", line))
            elif record.is_ambiguous:
                self._not_understood(line, "may be wrapped in several ways")
            elif not text.strip() or COLUMN_HEADINGS.fullmatch(text) or END_OF_RESPONSE.fullmatch(text):
                continue
            elif word is None:
                self._not_understood(line, f"is not a parameter of DISPLAY {kind}")
            elif word[1].upper() not in PARAMETERS[kind]:
                self._unknown(self.unknown_keywords, f"{kind} {word[1]}")
            elif text.strip("_ ").upper() != word[1].upper():
                values.setdefault(word[1].upper(), []).append((text[word.end() :].strip(), line))
        yield from self._single(message, report["cpf"], kind, values)

    def _log_status(self, message: Message) -> Iterator[Value]:
        self.responses += 1
        cpf, copies = _cpf(message), 1
        for index, line in enumerate(message.lines):
            copies = 2 if SECOND_COPY.fullmatch(line.text) else copies
            if "full logs" in line.text.lower():
                groups = record_at(message.lines, index, FULL_LOGS.fullmatch).groups
                if groups is None:
                    self._not_understood(line, "is not a number of full logs that is known")
                else:
                    yield self._value(message, cpf, "LOG", "FULL LOGS OF", str(groups[1]), line.number, str(copies))

    def _attributes(self, message: Message) -> Iterator[Value]:
        lines = message.lines
        head, start = head_of(lines, DETAILS)
        cpf = _cpf(message)
        if head is None:  # the attributes begin in the first line
            first = lines[0]
            before = re.match(HEAD + r"(?=[A-Z][A-Z0-9]*\()", first.text, re.IGNORECASE)
            lines = [replace(first, text=first.text[before.end() :] if before else ""), *lines[1:]]
            start = 0
        values: dict[str, list[tuple[str, Line]]] = {}
        unread: list[tuple[Line, str]] = []
        while start < len(lines):
            line, text, size = attributes_at(lines, start)
            start += size
            if END_OF_RESPONSE.fullmatch(text):
                continue
            attributes, left = split_attributes(text)
            for keyword, value in attributes:
                values.setdefault(keyword, []).append((value, line))
            if left:
                unread.append((Line(line.number, left), "has no complete KEYWORD(VALUE)"))
        about = next(iter(values), "")
        if head is not None and head["kind"].upper() == "QMGR" and about in QMGR_KEYWORDS:
            about = "QMNAME"  # the rest of a response that the console divided
        if about not in ATTRIBUTES:
            kind = head["kind"] if head is not None else about
            if kind:
                self._unknown(self.unknown_commands, f"DISPLAY {kind}")
            else:
                self._not_understood(message.lines[0], "names no object")
            return
        self.responses += 1
        for line, reason in unread:
            self._not_understood(line, reason)
        command, keywords = ATTRIBUTES[about]
        for keyword in values.keys() - keywords:
            self._unknown(self.unknown_keywords, f"{command} {keyword}")
        known = {keyword: values[keyword] for keyword in values if keyword in keywords}
        for keyword in _NAMES[command]:
            if len({text.upper() for text, _ in known.get(keyword, ())}) > 1:
                self._not_understood(message.lines[0], f"has several {keyword}; the beginning of a response is missing")
                return
        owner = known["QMNAME"][0][0].upper() if command == "QMGR" and "QMNAME" in known else ""
        yield from self._single(message, cpf, command, known, _item(command, known), owner)

    def _single(
        self,
        message: Message,
        cpf: str | None,
        command: str,
        values: Mapping[str, list[tuple[str, Line]]],
        item: str = "",
        owner: str = "",
    ) -> Iterator[Value]:
        """The values of a response; a keyword with two values in one response is not used. `owner` = the queue manager that it names."""
        for keyword, texts in values.items():
            text, line = texts[-1]
            if len({text for text, _ in texts}) > 1:
                self._not_understood(line, f"{keyword} has two values in one response")
            else:
                value = self._value(message, cpf, command, keyword, text, line.number, item)
                yield replace(value, owner=owner) if owner else value


def _is_heading(text: str) -> bool:
    """Whether a line has only words of headings and lines between columns."""
    return HEADING_WORDS.issuperset(re.split(r"[\s_%-]+", text.strip(" \t_%-").upper())) or not text.strip(" \t_%-")


def _item(command: str, values: Mapping[str, list[tuple[str, Line]]]) -> str:
    """What the attributes are about: the structure, for SMDS with the queue manager."""
    if command in ("CFSTRUCT", "CFSTATUS"):
        return values[command][0][0].upper()
    if command == "SMDS":
        structure = values.get("CFSTRUCT", [("", Line(0, ""))])[0][0]
        return f"{structure}/{values['SMDS'][0][0]}".upper()
    return ""


def _cpf(message: Message) -> str:
    """The command prefix in a message: the first word, if the name of a program or a text follows it."""
    match = re.match(
        r"\s*(\S{1,8})\s+(?:CSQ|Page\b|Buffer\b|SMDS\b|LOG\b|DISPLAY\b|[A-Z][A-Z0-9]*\()",
        message.lines[0].text,
        re.IGNORECASE,
    )
    return "" if match is None or re.fullmatch(r"CSQ[A-Z0-9]{4,5}", match[1], re.IGNORECASE) else match[1]
