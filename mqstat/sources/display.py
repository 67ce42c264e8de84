"""Values in the responses to DISPLAY commands of MQ: QMGR, LOG, SYSTEM, ARCHIVE, USAGE, CHINIT, CFSTATUS, CFSTRUCT,
SMDS.

Three shapes occur: attributes `KEYWORD(VALUE)` (CSQM201I, CSQM4nnI), tables of parameters and rows (CSQJ322I,
CSQI065I), and sentences (CSQX831I). Every line must be understood: a line that is not may be cut, and then a fact would
be missing or wrong. Source: IBM MQ for z/OS, Messages and codes, and the descriptions of the commands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TextIO

from mqstat.base.formatting import plural
from mqstat.sources.console import Line, Message, NotReadError, Reader
from mqstat.sources.display_formats import (
    ATTRIBUTES,
    COLUMN_HEADINGS,
    COMMANDS_WITH_FACTS,
    COMPLETION,
    CPF_ONLY,
    DETAILS,
    FIRST_WORD,
    FULL_LOGS,
    HEAD,
    HEADING_WORDS,
    KEYWORD,
    MESSAGES_WITHOUT_FACTS,
    OBJECT_MESSAGES,
    PARAMETER,
    PARAMETERS,
    REPORT,
    RESPONSES_FROM,
    ROWS,
    SECOND_COPY,
    SENTENCES,
    STORAGE,
)

_LISTED = 8
_NAMES: Mapping[str, tuple[str, ...]] = {
    "QMGR": ("QMNAME",),
    "CFSTRUCT": ("CFSTRUCT",),
    "CFSTATUS": ("CFSTATUS",),
    "SMDS": ("SMDS", "CFSTRUCT"),
    "SMDSCONN": ("SMDSCONN", "CFSTRUCT"),
}
"""The keywords that name what a response is about."""
KINDS = frozenset(_NAMES) | ATTRIBUTES.keys()
"""What the first line of a response names, if it has facts."""


@dataclass(frozen=True)
class Value:
    """A value of a response: command, keyword, the object that it is about, text, line, and whose response it is as far
    as it states that.
    """

    command: str
    keyword: str
    text: str
    line: int
    item: str = ""
    cpf: str = ""
    owner: str = ""
    when: str = ""


@dataclass
class Responses:
    """The values in a text. `values` reads the text and raises NotReadError for a line that is not understood; the
    counts are complete when it ends.
    """

    stream: TextIO
    unknown_keywords: Counter[str] = field(default_factory=Counter)
    unknown_commands: Counter[str] = field(default_factory=Counter)
    abnormal: Counter[str] = field(default_factory=Counter)
    """Commands that failed."""
    responses: int = 0
    messages: int = 0
    reader: Reader = field(init=False)
    _responding: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Prepare the reader of messages."""
        self.reader = Reader(self.stream, _is_read)

    def values(self) -> Iterator[Value]:
        """All values, in the order of the text."""
        for message in self.reader.messages():
            self.messages += 1
            yield from self._of(message)

    def summary(self) -> Iterator[str]:
        """Sentences about what was read, and what is not known."""
        lines, messages = plural(self.reader.lines, "line"), plural(self.messages, "MQ message")
        yield f"{lines}, {messages}, {self.responses:,} of them responses to DISPLAY commands that have facts."
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

    def _unknown(self, counter: Counter[str], name: str) -> None:
        if name in counter or len(counter) < 1000:
            counter[name[:20].upper()] += 1

    # who responds

    def _note_responder(self, message: Message) -> None:
        match = RESPONSES_FROM.fullmatch(message.lines[0].text)
        if match is None:
            raise NotReadError(message.lines[0], "is not the text of CSQN121I that is known")
        if len(self._responding) > 100:
            self._responding.clear()
        self._responding[(match["cpf"] or "").upper()] = match[2].upper()

    def _completion(self, message: Message) -> None:
        match = COMPLETION.fullmatch(message.lines[0].text)
        if match is None:
            raise NotReadError(message.lines[0], f"is not the text of {message.id} that is known")
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
        first = message.lines[0]
        text = " ".join(line.text.strip() for line in message.lines)
        match = re.fullmatch(HEAD + sentence, text, re.IGNORECASE)
        groups = None if match is None else match.groups()
        if groups is None and message.id == "CSQX004I":
            storage, cpf = STORAGE.fullmatch(text), CPF_ONLY.match(text)
            prefix = cpf[1] if cpf is not None and cpf[1][0] not in ":" and not cpf[1].isalpha() else ""
            groups = None if storage is None else (prefix, *storage.groups())
        elif not message.has_many_lines and len(message.lines) > 1:
            raise NotReadError(message.lines[1], f"follows {message.id}, which has one line")
        if groups is None:
            raise NotReadError(first, f"is not the text of {message.id} that is known")
        item = str(groups[1]) if len(names) == 2 else ""
        yield self._value(message, groups[0], command, names[-1], str(groups[-1]), first.number, item)

    def _rows(self, message: Message) -> Iterator[Value]:
        command, names, row = ROWS[message.id]
        self.responses += 1
        cpf = _cpf(message)
        for line in _until_end(message):
            match = re.fullmatch(row, line.text, re.IGNORECASE)
            if match is not None:
                item, *texts = (str(text).upper() for text in match.groups())
                for name, text in zip(names[1:], texts, strict=True):
                    yield self._value(message, cpf, command, name, text, line.number, item)
            elif not _is_heading(line.text):
                raise NotReadError(line, f"is not a row of {message.id}")

    def _parameters(self, message: Message) -> Iterator[Value]:
        report = REPORT.fullmatch(message.lines[0].text)
        if report is None:
            raise NotReadError(message.lines[0], "names no report")
        kind = report["kind"].upper()
        if kind not in PARAMETERS:
            self._unknown(self.unknown_commands, f"DISPLAY {kind}")
            return
        self.responses += 1
        values: dict[str, list[tuple[str, Line]]] = {}
        for line in _until_end(message):
            parameter, word = PARAMETER.fullmatch(line.text), FIRST_WORD.match(line.text)
            if not line.text.strip() or COLUMN_HEADINGS.fullmatch(line.text):
                continue
            if word is None:
                raise NotReadError(line, f"is not a parameter of DISPLAY {kind}")
            name, rest = word[1].upper(), line.text[word.end() :].strip()
            if name not in PARAMETERS[kind]:
                self._unknown(self.unknown_keywords, f"{kind} {name}")
            elif parameter is not None:
                values.setdefault(name, []).append((parameter[3] or parameter[2], line))
            elif rest:
                values.setdefault(name, []).append((rest, line))
        yield from self._single(message, report["cpf"], kind, values)

    def _log_status(self, message: Message) -> Iterator[Value]:
        self.responses += 1
        cpf, copies = _cpf(message), 1
        for line, following in zip(message.lines, [*message.lines[1:], Line(0, "")], strict=True):
            copies = 2 if SECOND_COPY.fullmatch(line.text) else copies
            if "full logs" in line.text.lower():
                match = FULL_LOGS.fullmatch(line.text)
                if match is None or following.text.lstrip()[:1].isdigit():
                    raise NotReadError(line, "is not a number of full logs that is known")
                yield self._value(message, cpf, "LOG", "FULL LOGS OF", match[2], line.number, str(copies))

    def _attributes(self, message: Message) -> Iterator[Value]:
        head, cpf = DETAILS.fullmatch(message.lines[0].text), _cpf(message)
        first = message.lines[0]
        before = re.match(HEAD + r"(?=[A-Z][A-Z0-9]*\()", first.text, re.IGNORECASE)
        lines = [replace(first, text=first.text[before.end() :] if before else ""), *message.lines[1:]]
        kind = head["kind"].upper() if head is not None else "".join(KEYWORD.findall(lines[0].text)[:1]).upper()
        if not kind and message.id == "CSQM201I":
            raise NotReadError(first, "names no object")
        if kind not in KINDS:
            self._unknown(self.unknown_commands, f"DISPLAY {kind or message.id}")
            return
        values: dict[str, list[tuple[str, Line]]] = {}
        for line in lines if head is None else _until_end(message):
            for keyword, value in _attributes_in(line):
                values.setdefault(keyword, []).append((value, line))
        about = next(iter(values), "")
        if about not in ATTRIBUTES:
            self._unknown(self.unknown_commands, f"DISPLAY {kind}")
            return
        self.responses += 1
        command, keywords = ATTRIBUTES[about]
        for keyword in values.keys() - keywords:
            self._unknown(self.unknown_keywords, f"{command} {keyword}")
        known = {keyword: values[keyword] for keyword in values if keyword in keywords}
        for keyword in _NAMES[command]:
            if len({text.upper() for text, _ in known.get(keyword, ())}) > 1:
                raise NotReadError(first, f"has several {keyword}; the beginning of a response is missing")
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
        """The values of a response. `owner` = the queue manager that it names."""
        for keyword, texts in values.items():
            text, line = texts[-1]
            if len({text for text, _ in texts}) > 1:
                raise NotReadError(line, f"gives {keyword} a second value in one response")
            value = self._value(message, cpf, command, keyword, text, line.number, item)
            yield replace(value, owner=owner) if owner else value


def _is_read(name: str) -> bool:
    """Whether the lines of a message are read; those of other messages may be wrapped."""
    known = name in SENTENCES or name in ROWS or name in ("CSQJ322I", "CSQJ370I", "CSQN121I", "CSQ9022I", "CSQ9023E")
    return known or bool(OBJECT_MESSAGES.fullmatch(name))


def _until_end(message: Message) -> Sequence[Line]:
    """The lines of a response between its first and its last line; NotReadError if it has no end."""
    if not message.has_end:
        raise NotReadError(message.lines[0], "begins a response that has no end")
    return message.lines[1:-1]


def _attributes_in(line: Line) -> Iterator[tuple[str, str]]:
    """The attributes of a line as keyword and value; brackets may be nested. NotReadError if a part of it is no
    attribute.
    """
    text, position = line.text, 0
    while text[position:].strip():
        keyword, depth = KEYWORD.match(text, position), 1
        if keyword is None:
            raise NotReadError(line, "has no complete KEYWORD(VALUE)")
        end = keyword.end()
        while end < len(text) and depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        if depth:
            raise NotReadError(line, "has no complete KEYWORD(VALUE)")
        yield keyword[1].upper(), text[keyword.end() : end - 1].strip()
        position = end


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
