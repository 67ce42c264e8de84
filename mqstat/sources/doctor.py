"""What is wrong with a dump or its transfer, how it shows, and the commands that do it right.

The doctor reads the whole input once. What the walk finds is classified by its symptoms: a file cut off, a first piece
missing, fill, line ends between records. When hardly anything is readable, the first bytes are searched for the signs
of a wrong transfer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap

import numpy as np

from mqstat.base.formatting import plural
from mqstat.base.inputs import UNKNOWN, about
from mqstat.parsers import record
from mqstat.parsers.detection import detect
from mqstat.parsers.framing import Framing
from mqstat.parsers.ledger import REASONS, SKIPPED, Damage, Ledger
from mqstat.parsers.resync import expected_length
from mqstat.parsers.walk import walk
from mqstat.sources import advice
from mqstat.sources.source import Source, tersed
from mqstat.sources.transfer import Sign, hex_at, signs
from mqstat.sources.verdict import (
    AMS_TYPE,
    HEADER_TYPE,
    NOT_SMF,
    RUINED,
    SOUND,
    TRAILER_TYPE,
    WRONG_TRANSFER,
    Verdict,
    lacks_trailer,
    verdict,
)

_PREFIX = 4 << 20
_LINE_ENDS = (b"\r\n", b"\n", b"\r", b"\x15", b"\x25", b"\x0d\x25")
_MOST_SPANS = 200
"""Damaged spans whose bytes are examined."""

_ACTION = {
    "xmit": advice.RECEIVE + advice.FTP,
    "compress": ("Or transfer it without compressing it:", *advice.TRANSFER),
    "base64": ("Or transfer it in binary:", *advice.TRANSFER),
    "hex": ("Or transfer it in binary:", *advice.TRANSFER),
    "text": advice.IFASMFDP + advice.TRANSFER,
    "not-smf": advice.IFASMFDP + advice.TRANSFER,
}
"""What to do about a sign of a wrong transfer, where another transfer is not enough."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong: a code, a sentence, how it shows, and what to do."""

    code: str
    what: str
    evidence: tuple[str, ...] = ()
    action: tuple[str, ...] = ()


@dataclass
class Diagnosis:
    """The diagnosis of one source: its verdict, what was read, and what is wrong."""

    name: str
    judged: Verdict = field(default_factory=lambda: Verdict(SOUND))
    framing: Framing | None = None
    size: int = 0
    types: Counter[int] = field(default_factory=Counter)
    ledger: Ledger = field(default_factory=Ledger)
    findings: list[Finding] = field(default_factory=list)
    prefixes: list[tuple[int, bytes]] = field(default_factory=list)
    """The first bytes skipped before a record, with their offsets."""

    def add(self, code: str, what: str, evidence: tuple[str, ...], action: tuple[str, ...]) -> None:
        """Add a `Finding`."""
        self.findings.append(Finding(code, what, evidence, action))

    @property
    def verdict(self) -> str:
        """A word of `VERDICTS`."""
        return self.judged.word

    @property
    def damaged_bytes(self) -> int:
        """Bytes of damaged spans and records."""
        return self.ledger.bytes.damaged

    @property
    def damaged_spans(self) -> int:
        """Damaged spans and records."""
        return self.ledger.damaged_spans

    @property
    def return_code(self) -> int:
        """That of the verdict."""
        return self.judged.return_code()

    @property
    def mq_records(self) -> int:
        """Records of types 115 and 116 found."""
        return self.types[115] + self.types[116]


def diagnose(source: Source) -> Diagnosis:
    """Read a source to its end and diagnose it; never raises on its content."""
    diagnosis = Diagnosis(source.name)
    with source.open() as reader:
        prefix = reader.peek(_PREFIX)
        diagnosis.size = len(prefix)
        if not prefix:
            return _ruined(
                diagnosis,
                Finding("empty", "The file is empty.", ("It has 0 bytes.",), advice.IFASMFDP + advice.TRANSFER),
            )
        if tersed(prefix):
            what = "The file is tersed (packed with AMATERSE)."
            return _ruined(
                diagnosis,
                Finding(
                    "tersed",
                    what,
                    (f"Bytes 0-11: {hex_at(prefix, 0, 12)}, a terse header.",),
                    advice.UNPACK + advice.FTP,
                ),
            )
        diagnosis.framing = detect(prefix, len(prefix) < _PREFIX)
        if diagnosis.framing is None:
            return _unknown(diagnosis, prefix)
        damaged_spans = _read(diagnosis, reader, prefix)
        problem = reader.problem
    if problem:
        diagnosis.add(
            "broken-stream",
            "The compressed file is damaged or incomplete; mqstat read as much as possible.",
            (problem,),
            advice.PACKED,
        )
    diagnosis.judged = verdict(diagnosis.ledger, prefix, problem, diagnosis.types, diagnosis.framing)
    diagnosis.findings += [_of_sign(sign) for sign in diagnosis.judged.signs]
    if not diagnosis.judged.signs:
        _explain(diagnosis, source, prefix, damaged_spans)
        _content(diagnosis)
    return diagnosis


def _ruined(diagnosis: Diagnosis, *findings: Finding) -> Diagnosis:
    codes = {each.code for each in findings}
    word = NOT_SMF if codes & {"empty", "text", "not-smf", "xmit", "compress", "base64", "hex"} else RUINED
    diagnosis.judged = Verdict(word, findings[0].what)
    diagnosis.findings.extend(findings)
    return diagnosis


def _read(diagnosis: Diagnosis, reader: object, prefix: bytes) -> list[Damage]:
    """Walk the input to its end; count its records and keep the first damaged spans and the last."""
    damaged_spans: list[Damage] = []
    diagnosis.size = 0
    for chunk in walk(reader, diagnosis.framing or Framing.RDW):  # type: ignore[arg-type]
        kinds = np.bincount(chunk.buffer[chunk.base + 5], minlength=256)
        diagnosis.types.update({kind: int(kinds[kind]) for kind in np.flatnonzero(kinds).tolist()})
        if chunk.skip_reason == "prefix" and not diagnosis.prefixes:
            starts = list(zip((chunk.offset - chunk.skipped).tolist(), chunk.offset.tolist(), strict=True))
            diagnosis.prefixes = [(low, prefix[low:high]) for low, high in starts if low < high][:2]
        damage = [span for span, _ in record.count_into(diagnosis.ledger, record.read(chunk, 0))]
        diagnosis.size = diagnosis.ledger.bytes.input
        if len(damaged_spans) > _MOST_SPANS:
            damaged_spans[_MOST_SPANS:] = damage[-1:] or damaged_spans[_MOST_SPANS:]
        else:
            damaged_spans += damage
            if len(damaged_spans) > _MOST_SPANS:
                damaged_spans[_MOST_SPANS:] = damaged_spans[-1:]
    return damaged_spans


def _bytes_of(source: Source, prefix: bytes, damaged_spans: list[Damage]) -> Iterator[tuple[Damage, bytes]]:
    """The first bytes of damaged spans: from the prefix, or by reading the source once more where that is possible."""
    for span in damaged_spans:
        size = min(span.length, 4096)
        if span.offset + size <= len(prefix):
            yield span, prefix[span.offset : span.offset + size]
        elif source.path is not None:
            with source.open(span.offset) as reader:
                yield span, reader.peek(size)


def _explain(diagnosis: Diagnosis, source: Source, prefix: bytes, damaged_spans: list[Damage]) -> None:
    """Findings from the damage of a walk."""
    if not damaged_spans:
        return
    seen = list(_bytes_of(source, prefix, damaged_spans))
    ends = Counter(data for span, data in seen if span.length <= 2 and not span.is_record)
    ends = Counter({data: count for data, count in ends.items() if data in _LINE_ENDS})
    if sum(ends.values()) >= 2:
        data, count = ends.most_common(1)[0]
        at = next(span.offset for span, each in seen if each == data)
        diagnosis.add(
            "line-ends",
            "Line ends were inserted between the records by a text transfer.",
            (f"{count} times {hex_at(data, 0)} alone between two records, first at offset {at}.",),
            advice.TRANSFER,
        )
    _edges(diagnosis, damaged_spans, seen)
    rest = [
        (span, data) for span, data in seen if data not in ends and not _is_edge(diagnosis, span) and not _padding(data)
    ]
    if rest and not diagnosis.findings:
        by_reason = Counter(span.reason for span, _ in rest)
        evidence = [f"{count} x {reason}: {REASONS.get(reason, '')}" for reason, count in by_reason.most_common()]
        span, data = rest[0]
        evidence.append(f"First at offset {span.offset}, {span.length} bytes: {hex_at(data, 0)}.")
        diagnosis.add(
            "damage",
            "Parts of the dump are damaged; everything else was read.",
            tuple(evidence),
            ("Compare the size of the file with the data set, then transfer it again in binary.", *advice.FTP),
        )


def _is_edge(diagnosis: Diagnosis, span: Damage) -> bool:
    return span.offset == 0 or span.offset + span.length == diagnosis.size


def _padding(data: bytes) -> bool:
    """Whether the bytes are all X'00', all blanks in EBCDIC or all blanks in ASCII."""
    return len(set(data)) == 1 and data[0] in (0x00, 0x40, 0x20)


def _edges(diagnosis: Diagnosis, damaged_spans: list[Damage], seen: list[tuple[Damage, bytes]]) -> None:
    """A file that begins or ends in the middle of a record."""
    data_of = dict(seen)
    first, last = damaged_spans[0], damaged_spans[-1]
    tail = data_of.get(last, b"")
    if first.offset == 0 and first.length < diagnosis.size and not _padding(data_of.get(first, b"")):
        diagnosis.add(
            "starts-inside",
            "The file begins in the middle of a record.",
            (f"The first record begins at offset {first.length}; before it: {hex_at(data_of.get(first, b''), 0)}.",),
            advice.PARTS,
        )
    is_cut_off = last.reason in ("truncated", "missing-segment", "implausible-length") and last.is_record
    if is_cut_off and last.offset + last.length == diagnosis.size and last.length < diagnosis.size:
        diagnosis.add(
            "truncated",
            "The file ends inside a record: the transfer was interrupted.",
            (f"The record at offset {last.offset} has only {last.length} bytes: {hex_at(tail, 0)}.",),
            ("Compare the size of the file with the data set, then transfer it again.", *advice.FTP),
        )


def _content(diagnosis: Diagnosis) -> None:
    """Findings from what kinds of records there are."""
    others = {kind: count for kind, count in diagnosis.types.items() if kind not in (2, 3, 115, 116)}
    if not diagnosis.mq_records and not diagnosis.types[AMS_TYPE]:
        kinds = ", ".join(_kinds(diagnosis.types)) or "none"
        diagnosis.add(
            "no-mq",
            "There is no MQ record (type 115 or 116) in the dump.",
            (f"Records found: {kinds}.",),
            advice.IFASMFDP + advice.TRACE,
        )
    if lacks_trailer(diagnosis.types):
        diagnosis.add(
            "no-trailer",
            "The dump has fewer trailers (type 3) than headers (type 2).",
            (f"Headers: {diagnosis.types[HEADER_TYPE]}, trailers: {diagnosis.types[TRAILER_TYPE]}.",),
            (
                "Check that the dump job ended without errors. Tools that select records may drop the trailer;",
                "then nothing is missing.",
            ),
        )
    for reason, size in diagnosis.ledger.skipped.items():
        if reason in ("prefix", "escape"):
            diagnosis.findings.append(_added(diagnosis, reason, size))
            continue
        diagnosis.add(
            reason,
            "There is fill between the records or after them."
            if reason == "fill"
            else "The file has bytes after its last record.",
            (f"{plural(size, 'byte')} skipped: {SKIPPED[reason]}",),
            (
                "Nothing is lost. It comes from a data set or tool with fixed-length records (RECFM=FB), or a copy in text mode;",
                "keep the dump as RECFM=VBS or as a stream file.",
            ),
        )
    if diagnosis.framing == Framing.NO_RDW:
        if others:
            kinds = ", ".join(_kinds(others))
            diagnosis.add(
                "mixed-no-lengths",
                "Records without RDW are mixed with types whose length cannot be determined.",
                (f"Other records: {kinds}.", "Each one is assumed to end at the next plausible header."),
                advice.IFASMFDP + advice.FTP,
            )
        else:
            diagnosis.add(
                "no-lengths",
                "The RDWs are missing; the lengths were computed from the MQ records themselves.",
                ("Every record begins with its flag byte instead of its length.",),
                (
                    "The file can be read. It is safer to transfer it with RDWs, because damage is then detected:",
                    *advice.FTP,
                ),
            )


def _kinds(types: Mapping[int, int], most: int = 12) -> list[str]:
    """The first record types with their numbers of records."""
    return [f"type {kind}: {count}" for kind, count in sorted(types.items())[:most]]


def _added(diagnosis: Diagnosis, reason: str, size: int) -> Finding:
    """The finding about bytes that a transfer added to each record."""
    framing = diagnosis.framing or Framing.RDW
    shown = [f"At offset {at}: {hex_at(data, 0)}." for at, data in diagnosis.prefixes if data]
    is_line_end = all(data in _LINE_ENDS for _, data in diagnosis.prefixes) and bool(shown)
    if reason == "escape":
        code, what = reason, "The file is in FTP record structure (STRU R); mqstat undid it."
    elif is_line_end:
        code, what = "line-ends", "Line ends were inserted between the records by a text transfer; mqstat skipped them."
    else:
        code, what = (
            reason,
            "A transfer or a program added the same number of bytes to each record; mqstat skipped them.",
        )
    evidence = (f"{plural(size, 'byte')} skipped: {framing.text}.", *shown)
    return Finding(code, what, evidence, advice.of_framing(framing))


def no_mq_sentence(
    names: Sequence[str], types: Mapping[int, int], damaged: int = 0, damaged_bytes: int = 0, word: str = UNKNOWN
) -> str:
    """The diagnosis of inputs without any sound MQ record, in one sentence; `types` counts the records of other SMF
    types, `damaged` damaged records; `word` names the first input on a command line.
    """
    kinds = _kinds(types)
    if damaged or damaged_bytes:
        kinds.append(f"damaged: {damaged}" if damaged else f"none in {damaged_bytes:,} damaged bytes")
    none = "no sound MQ record" if damaged or damaged_bytes else "no MQ record"
    listed = ", ".join(names[:5]) + (f" and {len(names) - 5} more inputs" if len(names) > 5 else "")
    return f"There is {none} (type 115 or 116) in {listed} (records: {', '.join(kinds) or 'none'}); run: {about('doctor', word)}"


def cause(prefix: bytes) -> str:
    """Why bytes in which no framing was recognised are not a dump: the finding and its evidence, in one or two
    sentences.
    """
    first = _unknown(Diagnosis(""), prefix).findings[0]
    return " ".join((first.what, *first.evidence[:1]))


def _of_sign(sign: Sign) -> Finding:
    action = _ACTION.get(sign.code, advice.TRANSFER)
    return Finding(sign.code, WRONG_TRANSFER[sign.code], sign.evidence, action)


def _unknown(diagnosis: Diagnosis, prefix: bytes) -> Diagnosis:
    """Nothing that could be walked."""
    findings = [_of_sign(sign) for sign in signs(prefix)]
    if not findings:
        if _padding(prefix):
            evidence = f"The first {len(prefix)} bytes are all X'{prefix[:1].hex().upper()}'."
        else:
            evidence = f"Bytes 0-31: {hex_at(prefix, 0, 32)}."
        what = "No SMF record can be recognised."
        if len(prefix) >= 22 and expected_length(prefix, 0, len(prefix)) > len(prefix):
            what = "The file ends inside its first record."
        findings = [
            Finding(
                "not-smf",
                what,
                (
                    evidence,
                    "An SMF record has its flag byte (1E or 5E), type, time and packed date in its first 14 bytes.",
                ),
                advice.IFASMFDP + advice.TRANSFER,
            )
        ]
    return _ruined(diagnosis, *findings)


def render_text(diagnosis: Diagnosis) -> str:
    """The diagnosis as lines of at most 100 columns."""
    framing = f", {diagnosis.framing.text}" if diagnosis.framing else ""
    lines = [f"{diagnosis.name}: {diagnosis.verdict}", f"  {diagnosis.size} bytes examined{framing}"]
    if diagnosis.types:
        kinds = ", ".join(_kinds(diagnosis.types, 10))
        more = f" and {len(diagnosis.types) - 10} more types" if len(diagnosis.types) > 10 else ""
        lines.append(f"  Records: {kinds}{more}")
    if diagnosis.damaged_spans:
        lines.append(f"  Damaged: {plural(diagnosis.damaged_spans, 'span')}, {plural(diagnosis.damaged_bytes, 'byte')}")
    if not diagnosis.findings:
        lines.append("  Nothing is wrong with it.")
    for finding in diagnosis.findings:
        lines += ["", f"  {finding.what}"]
        for sentence in finding.evidence:
            lines += [f"    {part}" for part in wrap(sentence, 94)]
    shown: set[tuple[str, ...]] = set()
    for finding in diagnosis.findings:
        if finding.action and finding.action not in shown:
            shown.add(finding.action)
            lines += ["", "  What to do:" if len(shown) == 1 else "  And:"]
            for line in finding.action:  # commands are indented and never broken
                lines += [f"    {part}" for part in ([line] if line.startswith(" ") else wrap(line, 94))]
    return "\n".join(line.rstrip() for line in lines) + "\n"
