"""The operator commands that a rule may show: their table (rules/commands.toml), and templates that are checked against
it when a rule is loaded.

A template is a command with placeholders for columns of the rule, such as
`ALTER BUFFPOOL({pool_id}) BUFFERS({buffers_wanted})`. The type of its keyword decides how a value is
written: names of records are text of others, and never become a second command.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import resources
from string import Formatter
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from mqstat.base.errors import RuleError, SqlFileError
from mqstat.base.toml_model import KeyOfTable, Number, Table, Text

FORBIDDEN = frozenset({"CLEAR", "DELETE", "RECOVER", "RESET", "STOP"})
"""Verbs that no rule may show: they destroy messages or objects, or interrupt work."""

MQSTAT = "mqstat"
"""The verb of the product's own commands, for what no operator command displays."""

_OPTIONAL = re.compile(r"<<(.*?)>>")
_SLOT = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_WORD = re.compile(r"([A-Z0-9]+)(?:\(([^()]*)\))?(?: |\Z)")
_NAME = re.compile(r"[A-Za-z0-9._/%]+\Z")
"""The characters that MQ allows in names of objects."""
_ZOS_NAME = re.compile(r"[A-Z@#$][A-Z0-9@#$_]*\Z")
_ASKED = re.compile(r"([A-Z]+) (EQ|NE|GT|GE|LT|LE) (\S+)\Z")


class UnfitError(RuleError):
    """A value that cannot be a parameter of a command; the text is the reason."""


Kind = Callable[[Any], str]
"""Writes a value as the parameter of a keyword; UnfitError if it is not valid there."""


def _number(low: int, high: int, value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,10}", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value % 1 != 0:
        raise UnfitError("is not a whole number")
    if not low <= value <= high:
        raise UnfitError(f"is outside {low} to {high}")
    return str(int(value))


def _object_name(length: int, generic: bool, value: Any) -> str:
    text = str(value)
    if not _NAME.match(text.removesuffix("*") if generic else text):
        raise UnfitError("has characters that MQ does not allow in names")
    if len(text) > length:
        raise UnfitError(f"is longer than {length} characters")
    return "'" + text.replace("'", "''") + "'"


def _zos_name(length: int, value: Any) -> str:
    if not _ZOS_NAME.match(str(value)) or len(str(value)) > length:
        raise UnfitError("is not a name that z/OS allows there")
    return str(value)


def _word(words: frozenset[str], value: Any) -> str:
    text = str(value) if isinstance(value, (str, int)) else ""  # a formula may give the number of a trace class
    if not set(text.split(",")) <= words:
        raise UnfitError(f"is not one of {', '.join(sorted(words))}")
    return text


def _translated(words: Mapping[str, str], value: Any) -> str:
    """The word for a value of a record, such as SDR for Sender; a word itself is valid too."""
    if isinstance(value, str) and value in words.values():
        return value
    key = str(value).lower() if isinstance(value, bool) else str(value)
    if key not in words:
        raise UnfitError(f"is not one of {', '.join(words)}")
    return words[key]


def _kind(stated: Any) -> Kind:
    """The kind of an entry of the table: a range, words, words with the value of a record that each replaces, or the
    greatest length of a name.
    """
    if isinstance(stated, list):
        return partial(_word, frozenset(stated))
    if "words" in stated:
        return partial(_translated, stated["words"])
    if "object" in stated:
        return partial(_object_name, stated["object"], stated.get("any", False))
    if "zos" in stated:
        return partial(_zos_name, stated["zos"])
    return partial(_number, stated["low"], stated["high"])


@dataclass(frozen=True)
class Entry:
    """A command of the table: the kind of the name in brackets after its object, its keywords with a value and those
    without, and the document.
    """

    name: Kind | None
    any_name: bool
    """Whether the name may be `*`."""
    keywords: Mapping[str, Kind]
    attributes: frozenset[str]
    required: frozenset[str]
    source: str


@cache
def table() -> Mapping[str, Entry]:
    """The commands by verb and object, such as `ALTER BUFFPOOL`; those of z/OS by their fixed part, such as
    `D XCF,STR`.
    """
    stated = tomllib.loads(resources.files("mqstat.rules").joinpath("commands.toml").read_text(encoding="utf-8"))
    entries = {}
    for verb, objects in stated.items():
        for object_, entry in objects.items():
            name = entry.get("name")
            keywords = {key: _kind(value) for key, value in entry.items() if key.isupper()}
            entries[f"{verb} {object_}"] = Entry(
                _kind(name) if name else None,
                bool(isinstance(name, dict) and name.get("any")),
                MappingProxyType(keywords),
                frozenset(entry.get("attributes", ())),
                frozenset(entry.get("required", ())),
                entry["source"],
            )
    return MappingProxyType(entries)


def is_command(text: str) -> bool:
    """Whether a text of `look` or `do` is a command, not a sentence: it begins with a verb of the table."""
    verb, space, _ = text.partition(" ")
    return bool(space) and verb in _verbs()


@cache
def _verbs() -> frozenset[str]:
    return frozenset(name.partition(" ")[0] for name in table()) | {MQSTAT}


@dataclass(frozen=True)
class Template:
    """A command with columns in braces, each with the kind of its value; `<<` and `>>` enclose a keyword that is left
    out without its value.
    """

    text: str
    """The command as a header states it, without the marks."""
    marked: str
    kinds: Mapping[str, Kind]

    @property
    def optional(self) -> frozenset[str]:
        """Columns without which their keyword is left out (`ALTER QMGR<< MAXCHL({maxchl})>>`)."""
        return frozenset(column for part in _OPTIONAL.findall(self.marked) for column in _SLOT.findall(part))

    @property
    def title(self) -> str:
        """What it is about, such as `ALTER BUFFPOOL`."""
        return " ".join(re.split(r"[(={]", self.text)[0].split()[:2])

    @property
    def columns(self) -> frozenset[str]:
        """The columns that the command names."""
        return frozenset(self.kinds)

    @property
    def keywords(self) -> tuple[str, ...]:
        """Its keywords with a value, without its object."""
        return tuple(re.findall(r" ([A-Z0-9]+)\(", re.sub(r"^\S+ \S+", "", self.text)))

    def parameters(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The numbers of its keywords, from the values of columns."""
        written = re.findall(r"([A-Z0-9]+)\((?:\{(\w+)\}|(\d+))\)", self.text)
        numbers = {keyword: values.get(column) if column else int(number) for keyword, column, number in written}
        return {keyword: value for keyword, value in numbers.items() if value is not None}

    def fill(self, values: Mapping[str, Any]) -> str:
        """The command with its values, without optional keywords that have no value; UnfitError if a value cannot be
        its parameter.
        """
        without = {column for column in self.optional if values.get(column) is None}
        if without and without == self.columns:
            raise UnfitError("no value is known")
        kept = _OPTIONAL.sub(lambda part: part[1] if without.isdisjoint(_SLOT.findall(part[1])) else "", self.marked)
        return _SLOT.sub(lambda slot: self._written(slot[1], values.get(slot[1])), kept)

    def _written(self, column: str, value: Any) -> str:
        label = column.replace("_", " ")
        if value is None:
            raise UnfitError(f"{label} is not known")
        try:
            return self.kinds[column](value)
        except UnfitError as error:
            raise UnfitError(f"{label} {error}") from None


def template(text: str) -> Template:
    """Check a command against the table; RuleError if a verb, object, keyword or value is not in it."""
    if text.partition(" ")[0] == MQSTAT:
        return _of_mqstat(text)
    if text.startswith("D "):
        return _of_zos(text)
    optional = {column for part in _OPTIONAL.findall(text) for column in _SLOT.findall(part)}
    text = re.sub("<<|>>", "", text)
    tokens = _words(text)
    verb, _ = tokens[0]
    object_, name = tokens[1] if len(tokens) > 1 else ("", None)
    entry = table().get(f"{verb} {object_}")
    if verb in FORBIDDEN or entry is None:
        raise RuleError(f"{text!r}: commands.toml has no command {verb} {object_}.")
    if (name is None) != (entry.name is None):
        raise RuleError(f"{text!r}: {object_} takes {'a name' if entry.name else 'no name'} in brackets.")
    kinds: dict[str, Kind] = {}
    marked = f"{verb} {object_}"
    if entry.name is not None and name is not None:
        marked += f"({'*' if entry.any_name and name == '*' else _part(text, name, entry.name, kinds)})"
    stated: set[str] = set()
    for keyword, value in tokens[2:]:
        if keyword in stated:
            raise RuleError(f"{text!r}: {keyword} is repeated.")
        stated.add(keyword)
        if value is None:
            if keyword not in entry.attributes:
                raise RuleError(f"{text!r}: commands.toml does not have {keyword} without a value.")
            marked += f" {keyword}"
        elif keyword == "WHERE":
            marked += f" {keyword}({_where(text, value, entry, kinds)})"
        elif keyword in entry.keywords:
            written = f" {keyword}({_part(text, value, entry.keywords[keyword], kinds)})"
            marked += written if optional.isdisjoint(_SLOT.findall(value)) else f"<<{written}>>"
        else:
            raise RuleError(f"{text!r}: commands.toml does not have {keyword}.")
    if missing := entry.required - stated:
        raise RuleError(f"{text!r}: {', '.join(sorted(missing))} is required.")
    return Template(text, marked, kinds)


def _words(text: str) -> list[tuple[str, str | None]]:
    """The words of an MQSC command, each with its parameter in brackets."""
    words, at = [], 0
    while at < len(text):
        match = _WORD.match(text, at)
        if match is None:
            raise RuleError(f"{text!r} is not a command from {text[at:]!r} on.")
        words.append((match[1], match[2]))
        at = match.end()
    return words


def _part(text: str, value: str, kind: Kind, kinds: dict[str, Kind]) -> str:
    """A parameter: a column, whose kind is added to `kinds`, or a fixed value that the kind accepts."""
    if slot := _SLOT.fullmatch(value):
        kinds[slot[1]] = kind
        return value
    try:
        return kind(value)
    except UnfitError as error:
        raise RuleError(f"{text!r}: {value!r} {error}.") from None


def _where(text: str, value: str, entry: Entry, kinds: dict[str, Kind]) -> str:
    """The filter of a DISPLAY: a keyword of the table with one of its values."""
    match = _ASKED.match(value)
    keyword = match[1] if match else ""
    if match is None or (keyword not in entry.keywords and keyword not in entry.attributes):
        raise RuleError(f"{text!r}: commands.toml does not have a filter {value}.")
    kind = entry.keywords.get(keyword, partial(_number, 0, 999_999_999))
    return f"{keyword} {match[2]} {_part(text, match[3], kind, kinds)}"


def _of_zos(text: str) -> Template:
    """A DISPLAY command of z/OS: a fixed part, and the name of what it displays, which may be composed of columns such
    as `{qsg}{cf_structure}`.
    """
    fixed, equals, value = text.partition("=")
    command, _, keyword = fixed.rpartition(",") if equals else (text, "", "")
    columns = _SLOT.findall(text)
    for entry_name, entry in table().items():
        if command == entry_name and (keyword in entry.keywords if equals else not columns):
            kind = entry.keywords[keyword] if equals else None
            if kind and not columns:
                value = _part(text, value, kind, {})
            return Template(text, f"{fixed}{equals}{value}", dict.fromkeys(columns, kind) if kind else {})
    raise RuleError(f"{text!r}: commands.toml has no such command of z/OS.")


def _of_mqstat(text: str) -> Template:
    """A command of the product: `mqstat report --report NAME --qmgr {qmgr}`."""
    match = re.fullmatch(
        r"mqstat (report --report [a-z_0-9]+/[a-z_0-9]+|doctor|raw|trace|compare)( --qmgr \{qmgr\})?", text
    )
    if match is None:
        raise RuleError(f"{text!r} is not a command of mqstat that a rule may show.")
    return Template(text, text, {"qmgr": partial(_zos_name, 4)} if match[2] else {})


# --- the header of a rule


class Size(Table, frozen=True):
    """A value that a rule recommends: its formula in SQL over the columns of the rule, the greatest value, what it
    costs, and what to state without it.
    """

    formula: Text
    at_most: Number | None = None
    cost: Text = ""
    otherwise: Text | None = None
    """None: the command is missing for lack of data. Otherwise the sentence for a value that has a reason not to exist;
    it is left out if its own values are missing."""
    when: Text | None = None
    """The condition in SQL without which there is no value: if it is false, `otherwise` is stated."""
    unknown: Text = ""
    """What is stated if nobody knows whether it holds."""
    name: KeyOfTable = ""

    @property
    def sql(self) -> str:
        """The value as an item of a SELECT list."""
        bound = "" if self.at_most is None else f", {self.at_most}"
        # least() ignores NULL: without a value there is no recommendation.
        holds = f"({self.when}) AND " if self.when else ""
        value = f"CASE WHEN {holds}({self.formula}) IS NOT NULL THEN least(({self.formula}){bound}) END AS {self.name}"
        return f"{value}, ({self.when}) AS {self.decided}" if self.when else value

    @property
    def decided(self) -> str:
        """The name of the condition in the row."""
        return f"{self.name}_when"


@dataclass(frozen=True)
class Commands:
    """What a rule shows about its object (`look`) and changes (`do`): commands, and in `do` also sentences; `sizes` are
    the values that it recommends.
    """

    look: tuple[Template, ...] = ()
    do: tuple[Template | str, ...] = ()
    sizes: Mapping[str, Size] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def reads_storage(self) -> bool:
        """Whether a size depends on the storage that is left."""
        return any(STORAGE in f"{size.when} {size.formula}" for size in self.sizes.values()) or STORAGE in self.columns

    @property
    def columns(self) -> frozenset[str]:
        """The values that the texts name."""
        named = {name for item in (*self.look, *self.do) for name in placeholders(item)}
        return frozenset(
            named.union(
                *(
                    placeholders(text)
                    for size in self.sizes.values()
                    for text in (size.cost, size.otherwise or "", size.unknown)
                ),
                self.decided,
            )
        )

    @property
    def decided(self) -> frozenset[str]:
        """The conditions of sizes."""
        return frozenset(size.decided for size in self.sizes.values() if size.when)


def placeholders(item: Template | str) -> frozenset[str]:
    """Columns and thresholds that a command or a text names."""
    if isinstance(item, Template):
        return item.columns
    return frozenset(name for _, name, _, _ in Formatter().parse(item) if name)


OF_THE_SUBJECT = frozenset({"lpar", "qmgr"})
"""Values that every finding has."""

SINCE = "since_"
"""Before the names of figures that commands use in place of those of the worst row: of the worst row since a setting
changed."""

STORAGE = "above_bar_left_mib"
"""What a formula may use in addition to columns: the least storage above the bar that was left of the last MEMLIMIT;
NULL without records of it, and without a MEMLIMIT."""

STORAGE_LEFT = """
    SELECT lpar, qmgr, min(available_64_mib) AS above_bar_left_mib
    FROM (
      SELECT *
      FROM storage_region
      QUALIFY memlimit_mib IS NOT DISTINCT FROM last_value(memlimit_mib) OVER (
        PARTITION BY lpar, qmgr ORDER BY interval_start_utc ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
      )
    )
    GROUP BY ALL
"""
"""The query for it: with the MEMLIMIT in force."""


def commands_of(
    look: Sequence[str],
    do: Sequence[str],
    stated: Mapping[str, Size],
    known: Callable[[], Collection[str]],
    name: str,
) -> Commands:
    """The commands of a header (`look`, `do`) and their sizes; SqlFileError names the file and what is wrong. `known`
    returns the columns and limits of the rule.
    """
    sizes = {key: replace(size, name=key) for key, size in stated.items()}
    for key, size in sizes.items():
        if len({bool(text) for text in (size.when, size.otherwise, size.unknown)}) > 1:
            raise SqlFileError(
                f"{name}: size.{key}: a text otherwise needs when it applies, and what to state if that is unknown."
            )
    try:
        templates = tuple(map(template, look))
        changes = tuple(template(text) if is_command(text) else text for text in do)
    except RuleError as error:
        raise SqlFileError(f"{name}: {error}") from None
    made = Commands(templates, changes, MappingProxyType(sizes))
    in_commands = {column for item in changes if isinstance(item, Template) for column in item.columns}
    if free := sorted(key for key, size in sizes.items() if key in in_commands and not size.cost):
        raise SqlFileError(f"{name}: size.{free[0]} must state its cost: a command recommends it.")
    named = made.columns - OF_THE_SUBJECT - set(sizes) - made.decided - {STORAGE}
    if unknown := sorted(named.difference(known()) if named else ()):
        raise SqlFileError(
            f"{name}: look, do or size names {{{unknown[0]}}}, which is neither a column of the rule nor a limit."
        )
    return made
