"""Facts of the site file from responses to DISPLAY commands: which keyword is which fact, in which unit, and of which
queue manager.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mqstat.base.errors import InputError, UsageError
from mqstat.base.formatting import clean, plural
from mqstat.sources.display import Value
from mqstat.sql.site import FACTS

Convert = Callable[[str], Any]

_SIZE = re.compile(r"(\d{1,9})\s*([KM]?)", re.ASCII)
_QMGR = re.compile(r"[A-Z][A-Z0-9]{0,3}", re.ASCII)
_OF_CPF = re.compile(r"[^A-Z0-9]?([A-Z][A-Z0-9]{0,3})", re.ASCII)
_STRUCTURE = re.compile(r"[A-Z][A-Z0-9_$#@]{0,11}", re.ASCII)
_QUEUE = re.compile(r"[A-Za-z0-9._/%]{1,48}", re.ASCII)
_MINUTES = re.compile(r"(\d{1,4})(?:[.:](\d\d))?", re.ASCII)

MIB = 1024 * 1024

MOST_FACTS = 10_000
"""Facts in one run; a text with more is not that of a site."""

_LISTED = 20


def toml_value(value: Any) -> str:
    """The value of a fact as TOML."""
    return json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value)


class NotUnderstoodError(InputError):
    """A value that is not one of its keyword."""


def _matching(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    match = pattern.fullmatch(text)
    if match is None:
        raise NotUnderstoodError(text)
    return match


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 15):
        raise NotUnderstoodError(text)
    return int(text)


def _number(text: str) -> float:
    return float(_count(text))


def _flag(text: str) -> bool:
    return bool(_choice("NO", "YES")(text) == "YES")


def _choice(*choices: str) -> Convert:
    return lambda text: _matching(re.compile("|".join(choices)), text.upper())[0]


def _or_none(convert: Convert, *absent: str) -> Convert:
    return lambda text: None if text.upper() in absent else convert(text)


def _minutes(text: str) -> float | None:
    """STATIME: minutes, or minutes and seconds as mmmm.ss; 0 and -1 mean another interval."""
    if text in ("0", "-1"):
        return None
    minutes, seconds = _matching(_MINUTES, text).groups(default="0")
    if int(seconds) >= 60:
        raise NotUnderstoodError(text)
    return int(minutes) + int(seconds) / 60


def _kib(text: str) -> float:
    number, unit = _matching(_SIZE, text.upper()).groups()
    if not unit:
        raise NotUnderstoodError(text)
    return float(int(number) * (1024 if unit == "M" else 1))


def _name(pattern: re.Pattern[str]) -> Convert:
    return lambda text: _matching(pattern, text.upper())[0]


@dataclass(frozen=True)
class _Rule:
    """How a value becomes a fact; of several sources the one with the highest rank is used: what is in force before
    what is defined.
    """

    fact: str
    convert: Convert
    rank: int = 1


_OF_QMGR: Mapping[str, _Rule] = {
    **{keyword: _Rule(keyword.lower(), _count) for keyword in ("CHIADAPS", "CHIDISPS", "SSLTASKS", "MAXCHL", "ACTCHL", "MAXUMSGS")},
    "EXPRYINT": _Rule("expryint_s", _or_none(_number, "OFF")),
    "SSLRKEYC": _Rule("sslrkeyc_bytes", _number),
    "QSGNAME": _Rule("qsg", _or_none(_name(_QMGR), "")),
    "DEADQ": _Rule("dead_letter_queues", _or_none(lambda text: [_matching(_QUEUE, text)[0]], "")),
}  # fmt: skip
_OF_STRUCTURE: Mapping[str, _Rule] = {
    "CFLEVEL": _Rule("cflevel", _count),
    "DSBUFS": _Rule("dsbufs", _count, rank=1),
    "DSBLOCK": _Rule("dsblock_kib", _kib),
    "OFFLOAD": _Rule("cf_offload", _choice("SMDS", "DB2", "NONE", "BOTH")),
    "RECOVER": _Rule("cf_recover", _flag),
    **{f"OFFLD{n}TH": _Rule(f"offld{n}th_pct", _count) for n in (1, 2, 3)},
    **{f"OFFLD{n}SZ": _Rule(f"offld{n}sz_kib", _kib) for n in (1, 2, 3)},
}

RULES: Mapping[str, Mapping[str, _Rule]] = {
    "QMGR": _OF_QMGR,
    "CHINIT": {keyword: replace(_OF_QMGR[keyword], rank=2) for keyword in ("CHIADAPS", "CHIDISPS", "SSLTASKS", "MAXCHL", "ACTCHL", "QSGNAME")},
    "LOG": {
        "INBUFF": _Rule("inbuff_kib", _number),
        "OUTBUFF": _Rule("outbuff_kib", _number),
        "WRTHRSH": _Rule("wrthrsh", _count),
        "MAXARCH": _Rule("maxarch", _count),
        "COMPLOG": _Rule("complog", _choice("NONE", "RLE", "ANY")),
        "ZHYWRITE": _Rule("zhywrite", _flag),
        "ZHYLINK": _Rule("zhylink", _flag),
        "OFFLOAD": _Rule("_offload", _flag),
        "TWOARCH": _Rule("_twoarch", _flag),
        "TWOACTV": _Rule("_twoactv", _flag),
        "FULL LOGS OF": _Rule("_logs", _count),
    },
    "SYSTEM": {
        "LOGLOAD": _Rule("logload", _count),
        "STATIME": _Rule("statime_min", _minutes),
        "ACCTIME": _Rule("acctime_min", _minutes),
        "QSGNAME": _Rule("qsg", _or_none(_name(_QMGR), ""), rank=0),
    },
    "CFSTRUCT": _OF_STRUCTURE,
    "SMDS": {"DSBUFS": _Rule("dsbufs", _or_none(_count, "DEFAULT"), rank=2)},
    "CFSTATUS": {
        "SIZEMAX": _Rule("structure_bytes", lambda text: 1024 * _count(text)),
        "ENTSMAX": _Rule("cf_entries", _count),
    },
    "USAGE page set": {
        "pages": _Rule("page_set_pages", _count),
        "EXPAND": _Rule("page_set_expand", _choice("USER", "SYSTEM", "NONE")),
    },
    "USAGE pool": {"BUFFERS": _Rule("buffers", _count)},
    "USAGE": {"BUFFERS": _Rule("buffers", _count)},
    "USAGE SMDS": {"DSBLOCK": _Rule("dsblock_kib", _kib, rank=0), "DSBUFS": _Rule("dsbufs", _count, rank=0)},
    "CSQX004I": {"free MB": _Rule("chin_31bit_total_mb", _number)},
    "CSQJ002I": {"ENDRBA": _Rule("active_log_mb", str)},
}  # fmt: skip
"""Command -> keyword -> fact. Names with _ are parts of a fact."""


@dataclass(frozen=True)
class KnownFact:
    """A fact of a queue manager, with the key of its map, and where it comes from."""

    qmgr: str
    name: str
    value: Any
    origin: str
    key: str | None = None

    @property
    def label(self) -> str:
        """The fact as messages name it."""
        return f"{self.qmgr} {self.name}" + (f" of {self.key}" if self.key is not None else "")


@dataclass
class _Collected:
    value: Any
    rank: int
    origin: str
    others: list[tuple[Any, str]] = field(default_factory=list)


@dataclass
class Collected:
    """Collects values of one file after the other, with memory for the facts only; `facts` names their queue
    managers.
    """

    used: int = 0
    without_fact: int = 0
    _collected: dict[tuple[int, str, str, str, str], _Collected] = field(default_factory=dict)
    _names: dict[tuple[int, str], set[str]] = field(default_factory=dict)

    def add(self, file: str, number: int, values: Iterable[Value]) -> None:
        """Add the values of a file, whose number among the files is given."""
        for value in values:
            if value.command == "QMGR" and value.keyword == "QMNAME" and _QMGR.fullmatch(value.owner):
                self._names.setdefault((number, value.cpf), set()).add(value.owner)
                continue
            rule = RULES.get(value.command, {}).get(value.keyword)
            if rule is None:
                self.without_fact += 1
            else:
                self._add(file, number, value, rule)

    def _add(self, file: str, number: int, value: Value, rule: _Rule) -> None:
        owner, item = value.owner, value.item
        origin = _origin(file, value)
        try:
            if owner:
                _matching(_QMGR, owner)
            converted: Any = rule.convert(value.text)
            name = rule.fact
            if value.command == "CSQX004I":
                converted, item = converted + _count(item), ""
            elif value.command == "CSQJ002I":
                converted, item = _log_mb(item, value.text), ""
            elif value.command == "SMDS":
                item, _, owner = item.rpartition("/")
                _matching(_QMGR, owner)
            if name in FACTS and FACTS[name].key == "structure":
                _matching(_STRUCTURE, item)
            elif name in FACTS and FACTS[name].key is not None:
                item = str(_count(item))
        except NotUnderstoodError as error:
            shown = clean(value.text)[:40] or "empty"
            raise InputError(f"{origin}: {value.keyword} is {shown!r}, which is not one of its values.") from error
        if converted is None:
            self.without_fact += 1
            return
        self.used += 1
        if (name, item) == ("cf_entries", "CSQ_ADMIN"):
            self._collect((number, owner, value.cpf, "csq_admin_entsmax", ""), converted, rule.rank, origin)
        self._collect((number, owner, value.cpf, name, item), converted, rule.rank, origin)

    def _collect(self, key: tuple[int, str, str, str, str], value: Any, rank: int, origin: str) -> None:
        collected = self._collected.get(key)
        if collected is None and len(self._collected) >= MOST_FACTS:
            raise InputError(f"{origin}: more than {MOST_FACTS:,} facts; read fewer responses at once.")
        if collected is None:
            self._collected[key] = _Collected(value, rank, origin)
        elif rank < collected.rank:
            _note_other(collected, value, origin)
        else:
            former, where = collected.value, collected.origin
            collected.value, collected.rank, collected.origin = value, rank, origin
            collected.others = [other for other in collected.others if other[0] != value]
            _note_other(collected, former, where)

    def facts(self, qmgrs: Sequence[str] = ()) -> Facts:
        """The facts of all queue managers, or of those named; UsageError if a response names none and not exactly one
        is given.
        """
        merged: dict[tuple[str, str, str], _Collected] = {}
        for (number, owner, cpf, name, item), collected in self._collected.items():
            qmgr = owner or self._qmgr_of(number, cpf, qmgrs, collected.origin)
            self_key = (qmgr, name, item)
            known = merged.get(self_key)
            if known is None:
                merged[self_key] = replace(collected, others=list(collected.others))
                continue
            last, other = (collected, known) if collected.rank >= known.rank else (known, collected)
            merged[self_key] = replace(last, others=[*known.others, *collected.others])
            if other.value != last.value:
                _note_other(merged[self_key], other.value, other.origin)
        result = Facts(left_out=sorted({qmgr for qmgr, _, _ in merged if qmgrs and qmgr not in qmgrs}))
        for (qmgr, name, item), collected in merged.items():
            if qmgrs and qmgr not in qmgrs:
                continue
            if name.startswith("_"):
                continue
            fact = KnownFact(qmgr, name, collected.value, collected.origin, item if FACTS[name].key else None)
            result.facts.append(fact)
            result.differing += [
                f"{fact.label}: {toml_value(collected.value)} ({collected.origin}) is used, not {toml_value(value)} ({origin})"
                for value, origin in collected.others
            ]
        for qmgr in dict.fromkeys(qmgr for qmgr, name, _ in merged if name in {"_logs", "_twoarch"}):
            if not qmgrs or qmgr in qmgrs:
                result.facts += _of_log(qmgr, merged, result.hints)
        return result

    def _qmgr_of(self, number: int, cpf: str, qmgrs: Sequence[str], origin: str) -> str:
        """The queue manager of a command prefix: as a response with QMNAME in the file, or in another file, names it;
        else from the prefix itself.
        """
        names = self._names.get((number, cpf)) if cpf else self._names.get((number, ""))
        if not names and cpf:
            names = {name for (_, known), stated in self._names.items() if known == cpf for name in stated}
        if names and len(names) == 1:
            return next(iter(names))
        match = _OF_CPF.fullmatch(cpf)
        if match is not None and not names:
            return match[1]
        if len(qmgrs) == 1:
            return qmgrs[0]
        what = f"has the command prefix {clean(cpf)!r}" if cpf else "has no command prefix"
        raise UsageError(f"{origin}: the response {what}, which names no queue manager; add --qmgr NAME.")


@dataclass
class Facts:
    """Facts of queue managers; what differed between responses; what a response leaves open, by queue manager; queue
    managers left out.
    """

    facts: list[KnownFact] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    hints: list[tuple[str, str, str]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def summary(self) -> Iterator[str]:
        """Sentences about what differed, what is open, and which queue managers were left out."""
        yield from (f"{sentence}." for sentence in self.differing[:_LISTED])
        if len(self.differing) > _LISTED:
            yield f"{plural(len(self.differing) - _LISTED, 'more fact')} with different values in several responses."
        yield from (f"{qmgr} {name}: {sentence}; add it to the site file." for qmgr, name, sentence in self.hints)
        if self.left_out:
            yield f"{', '.join(self.left_out)}: left out, since --qmgr names other queue managers."


def _note_other(collected: _Collected, value: Any, origin: str) -> None:
    if value != collected.value and len(collected.others) < 3 and all(value != other for other, _ in collected.others):
        collected.others.append((value, origin))


def _log_mb(first: str, last: str) -> float:
    """The size of an active log that is full, from the RBA of its first and its last byte."""
    size = int(last, 16) - int(first, 16) + 1
    if size <= 0 or size % 4096 or size > 4096 * MIB:
        raise NotUnderstoodError(last)
    return size / MIB


def _of_log(
    qmgr: str, collected: Mapping[tuple[str, str, str], _Collected], hints: list[tuple[str, str, str]]
) -> Iterator[KnownFact]:
    """Archive copies, and the number of active logs if there is one copy; with two, DISPLAY LOG does not state whether
    it counts both.
    """
    offload, twoarch, twoactv = (collected.get((qmgr, name, "")) for name in ("_offload", "_twoarch", "_twoactv"))
    if offload is not None and not offload.value:
        yield KnownFact(qmgr, "archive_copies", 0, offload.origin)
    elif offload is not None and twoarch is not None:
        yield KnownFact(qmgr, "archive_copies", 2 if twoarch.value else 1, twoarch.origin)
    for copies in ("1", "2"):
        logs = collected.get((qmgr, "_logs", copies))
        if logs is None:
            continue
        if copies == "1" and twoactv is not None and not twoactv.value:
            yield KnownFact(qmgr, "active_logs", logs.value, logs.origin)
        else:
            hints.append(
                (qmgr, "active_logs", f"{logs.origin} counts {logs.value} active logs, of one copy or of both")
            )


def _origin(file: str, value: Value) -> str:
    command = value.command if value.command.startswith("CSQ") else f"DISPLAY {value.command.split()[0]}"
    when = f", {value.when}" if value.when else ""
    return clean(f"{command}, {file} line {value.line}{when}")
