"""Impossible times and lengths of intervals become null with a finding; no word in a time field ends a report."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from mqstat.assemble.health import health_report
from mqstat.base.selection import Selection
from mqstat.fixtures.day import DAY, HALF_HOUR, intervals, worked
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.intake.pipeline import columns_to_decode
from mqstat.judge.engine import run_rules
from mqstat.parsers import LAYOUTS
from mqstat.parsers.kit import Field, StckInterval, StckTime
from mqstat.parsers.record import ROUTES
from mqstat.render.layout import all_lines
from mqstat.sql.needs import health_columns
from tests.report_checks import written
from tests.support import decode_bytes, file_of, reading

OWNER = QueueManager(structures=("APP1",), shared_data_sets=("APP1",), qsg="QSG1")
NOON = DAY + 24 * HALF_HOUR

WORDS = (
    1,
    (1 << 63) - 1,
    1 << 63,
    (1 << 64) - 1,
    0x7D91048BCA000000 - 1,
    0xFFFFFFFFFFFFF000,
    0x00FFFFFFFFFFFFFF,
    1 << 58,
)
"""As a time: 1900, 2042 and between; as a length in microseconds: up to 584,542 years."""

HEADERS = {"qwhs": (16, 36, 44), "record": (6, 10)}
"""Where the times of the standard header and of the record header are: QWHSSTCK, QWHSTIME, QWHSDURN; time and date of
writing."""


def base(owner: QueueManager = OWNER) -> list[bytes]:
    """Two half hours of every kind of record."""
    return intervals(owner, NOON, 2)


def owner_of(number: int) -> QueueManager:
    """A queue manager for each word, so that one report has them all and none hides another."""
    return replace(OWNER, name=f"MQ{number:02d}")


def kind(record: bytes) -> tuple[int, int]:
    return record[5], struct.unpack_from(">H", record, 22)[0]


def header_at(record: bytes) -> int:
    """Where the standard header of a record is."""
    return int(struct.unpack_from(">L", record, 28)[0])


def changed(record: bytes, at: int, word: int) -> bytes:
    """The record with eight other bytes."""
    return record[:at] + struct.pack(">Q", word) + record[at + 8 :]


def kinds() -> list[tuple[int, int]]:
    return list(dict.fromkeys(map(kind, base())))


def damaged_headers(word: int, owner: QueueManager = OWNER) -> Iterator[bytes]:
    """All records, and copies of one of each kind with one time of its header replaced by a word."""
    records = base(owner)
    yield from records
    for each in kinds():
        record = next(r for r in records if kind(r) == each)
        size = struct.unpack_from(">H", record, header_at(record))[0]
        for at in HEADERS["qwhs"]:
            if size >= at + 8:
                yield changed(record, header_at(record) + at, word)
        for at in HEADERS["record"]:
            yield record[:at] + struct.pack(">Q", word)[-4:] + record[at + 4 :]


def time_fields() -> Iterator[tuple[tuple[int, int], int, Field]]:
    """Kind of record, triplet and field of every time and length of time in the sections."""
    for each, triplets in ROUTES.items():
        for triplet, name in triplets.items():
            for field in LAYOUTS[name].named:
                if field.type is StckTime or field.type is StckInterval:
                    yield each, triplet, field


def damaged_sections(word: int, owner: QueueManager = OWNER) -> Iterator[bytes]:
    """All records, the first of each kind with every time and length of its sections replaced by a word."""
    done: set[tuple[int, int]] = set()
    for record in base(owner):
        spoilt = record
        if kind(record) not in done:
            done.add(kind(record))
            for each, triplet, field in time_fields():
                if each != kind(record) or 28 + 8 * triplet + 8 > header_at(record):
                    continue
                offset, length, count = struct.unpack_from(">LHH", record, 28 + 8 * triplet)
                for _, at in field.elements:
                    if count and at + 8 <= length:
                        spoilt = changed(spoilt, offset + at, word)
        yield spoilt


def filled_sections(byte: int, owner: QueueManager = OWNER) -> Iterator[bytes]:
    """All records, of which those of the first interval have one byte repeated in place of every section: each number
    is as big as it can be.
    """
    for number, record in enumerate(base(owner)):
        filled = bytearray(record)
        for triplet in ROUTES[kind(record)] if number % 2 else ():
            at = 28 + 8 * triplet
            offset, length, count = struct.unpack_from(">LHH", record, at)
            if triplet and at + 8 <= header_at(record) and length and count:
                filled[offset : offset + length * count] = bytes([byte]) * (length * count)
        yield bytes(filled)


def flipped(owner: QueueManager = OWNER) -> list[bytes]:
    """All records, one bit of the length of the interval in the first 115.201 flipped: it ends after the year 9999."""
    records = base(owner)
    index = next(n for n, record in enumerate(records) if kind(record) == (115, 201))
    records[index] = changed(records[index], header_at(records[index]) + 44, 1_800_000_000 | 1 << 59)
    return records


IN_HEADERS, IN_SECTIONS = WORDS[1:4] + WORDS[-2:], WORDS[1:4:2]
FILLED = (0x7F, 0xFF)


@dataclass(frozen=True)
class Judged:
    """Lines of a report, and the outcomes of all rules."""

    lines: list[str]
    outcomes: list[dict[str, Any]]

    def breaches(self, rule_id: str, qmgr: str | None = None) -> set[str]:
        """Subjects of a rule in breach, of all queue managers or of one."""
        rows = [row for row in self.outcomes if (row["rule_id"], row["outcome"]) == (rule_id, "breach")]
        return {row["subject"] for row in rows if qmgr in (None, row["qmgr"])}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """A report in which each word damages the records of its own queue manager, in headers or in sections, and of one
    more a bit is flipped.
    """
    cases: list[tuple[Callable[[int, QueueManager], Iterator[bytes]], int]] = [
        *((damaged_headers, word) for word in IN_HEADERS),
        *((damaged_sections, word) for word in IN_SECTIONS),
    ]
    cases += [(filled_sections, byte) for byte in FILLED]
    records = [record for number, (damaged, word) in enumerate(cases) for record in damaged(word, owner_of(number))]
    records += flipped(owner_of(len(cases)))
    dump = file_of(smf_file(records), tmp_path_factory.mktemp("words"))
    with reading(dump, columns_to_decode(health_columns())) as db:
        made = health_report(db, Selection(), page=True)
        lines = list(all_lines(made))
        for format_name in ("json", "html"):
            assert written(made, format_name)
        return Judged(lines, db.rows("SELECT rule_id, qmgr, subject, outcome, advice FROM decoded.finding"))


def test_no_word_in_a_time_ends_a_report(judged: Judged) -> None:
    assert [(row["rule_id"], row["advice"]) for row in judged.outcomes if row["outcome"] == "broken"] == []
    assert judged.lines
    assert "length of the interval" in judged.breaches("DQ007"), "in headers"
    assert {"field record.interval_us", "field wq.opened_utc"} <= judged.breaches("DQ016"), "in headers and in sections"


@pytest.mark.parametrize("word", IN_HEADERS, ids=hex)
def test_every_word_in_a_time_of_a_header_is_a_finding(word: int, judged: Judged) -> None:
    """On the queue manager whose records it damages."""
    assert "length of the interval" in judged.breaches("DQ007", owner_of(IN_HEADERS.index(word)).name)


def test_one_flipped_bit_in_the_length_of_an_interval_is_a_finding(tmp_path: Path) -> None:
    """A 115.201 whose interval ends after the year 9999: its length is empty, everything else is as before."""
    records = flipped()
    made, result = decode_bytes(smf_file(records), tmp_path)
    lengths = [row["interval_us"] for row in made["record"].to_pylist() if row["record_class"] == "115.201"]
    assert lengths == [None, 1_800_000_000]
    assert made["qis1"]["interval_us"].null_count == len(OWNER.page_sets)
    assert result.part.lost == {("record", "interval_us", "impossible time"): 1}
    with reading(file_of(smf_file(records), tmp_path)) as db:
        findings = run_rules(db, only=["DQ016"]).rows  # for the other rules these records are among those of `judged`
    assert [row["advice"] for row in findings if row["outcome"] == "broken"] == []
    breaches = [row["subject"] for row in findings if (row["rule_id"], row["outcome"]) == ("DQ016", "breach")]
    assert breaches == ["field record.interval_us"]


def test_a_time_of_a_section_after_its_record_is_null(tmp_path: Path) -> None:
    records = intervals(OWNER, NOON, 1)
    cut = OWNER.cut(NOON, 1800, load=0.5)
    cut_records = worked(cut)
    index = next(n for n, record in enumerate(cut_records) if kind(record) == (116, 1))
    record = cut_records[index]
    offset, _, _ = struct.unpack_from(">LHH", record, 28 + 8 * 2)
    cut_records[index] = changed(record, offset + 672, 0xFFFFFFFFFFFFF000)
    made, result = decode_bytes(smf_file(records + cut_records), tmp_path)
    assert ("wtas", "task_interval_end_utc", "impossible time") in result.part.lost
    assert ("record", "interval_us", "impossible time") in result.part.lost
    assert made["wtas"]["task_interval_end_utc"].null_count == 1


def test_times_of_sound_records_are_never_lost(tmp_path: Path) -> None:
    _, result = decode_bytes(smf_file(base()), tmp_path)
    assert result.part.lost == {}
