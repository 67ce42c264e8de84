"""Lost records are counted from the numbers of the others: exactly, between the first and the last number of a run, and
never where none is lost.
"""

from __future__ import annotations

import datetime as dt
import random
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from campaign.dataset import test_duplicates
from mqstat.assemble.completeness import completeness_line
from mqstat.cli import run as command
from mqstat.fixtures.coverage_stories import kind
from mqstat.fixtures.day import DAY, HALF_HOUR, intervals
from mqstat.fixtures.frame import joined, smf_file
from mqstat.fixtures.numbers import Header, numbered
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.intake.open_data import columns_of, open_data
from tests.completeness import Expected, expected, found_in, numbers_of, wrong
from tests.support import built_records, file_of

EIGHT = DAY + dt.timedelta(hours=8)
READ = (
    "SELECT * FROM sequence_loss", "SELECT * FROM record_sequence", "SELECT * FROM interval_lost", "SELECT * FROM collection", "SELECT * FROM record",
)  # fmt: skip


def opened(*files: Path, dataset: Path | None = None, **options: Any) -> Any:
    """Dumps or a dataset with the tables that this file reads."""
    read = {"dataset": dataset} if dataset else {"dumps": [str(file) for file in files], "columns": columns_of(READ)}
    return open_data(**read, **options, jobs=1)


def lost(*files: Path, dataset: Path | None = None, **options: Any) -> dict[str, tuple[Any, ...]]:
    """Lost records, those of an unknown kind, damaged ones and repeated numbers by queue manager."""
    query = "SELECT qmgr, lost_records, unknown_kind_lost, damaged_numbers, repeated_numbers FROM sequence_loss ORDER BY qmgr"
    with opened(*files, dataset=dataset, **options) as database:
        return {row[0]: row[1:] for row in database.ask(query).fetchall()}


def line(*files: Path, dataset: Path | None = None, **options: Any) -> str:
    """What the head of a report states."""
    with opened(*files, dataset=dataset, **options) as database:
        return completeness_line(database)[1]


def after_loss(tmp_path: Path, records: Sequence[bytes], absent: Sequence[int], name: str = "left.smf") -> Path:
    """A dump of these records without some of them."""
    kept = [record for at, record in enumerate(numbered(records)) if at not in set(absent)]
    return file_of(smf_file(kept), tmp_path, name)


def half_hours(count: int = 4, owner: QueueManager | None = None) -> list[bytes]:
    return numbered(intervals(owner or QueueManager(), EIGHT, count))


def positions(records: Sequence[bytes], *kinds: str) -> list[int]:
    """Where records of some kinds are."""
    return [at for at, record in enumerate(records) if kind(record) in kinds]


NOTHING = (0, 0, 0, 0)


# ---------------------------------------------------------------------------------------------------- removed at random


def test_records_that_are_removed_at_random_are_found(tmp_path: Path) -> None:
    differences, counts = wrong(file_of(smf_file(half_hours(5)), tmp_path), 30, 2)
    assert not differences
    assert counts["found by kind"] > 100
    assert counts["found, kind not known"] > 0
    assert counts["removed"] > counts["found by kind"] + counts["found, kind not known"] + counts["without a number"]


@pytest.mark.slow
def test_records_that_are_removed_from_real_dumps_are_found(dump: Path) -> None:
    differences, counts = wrong(dump, 500, 1)
    assert not differences
    assert sum(counts.values()) == 2 * counts["removed"]


@pytest.mark.slow
def test_a_dump_without_the_records_shows_the_same(dump: Path, tmp_path: Path) -> None:
    """The rows that the other tests remove are those that a dump without the records does not have."""
    records = list(joined(dump.read_bytes()))
    mq = [at for at, record in enumerate(records) if record[5] in (115, 116)]
    absent = {mq[number * len(mq) // 7] for number in range(1, 6)} if len(mq) > 20 else {mq[1]}
    kept = [record for at, record in enumerate(records) if at not in absent]
    file = file_of(smf_file(kept, spanned="vbs", dump_header=False, trailer=False), tmp_path)
    must = expected(numbers_of(record) for record in kept if record[5] in (115, 116))
    with opened(file) as database:
        (shown,) = found_in(database).values()
    assert shown == must != Expected()


# -------------------------------------------------------------------------------------------------------- what is found


def test_the_counts_of_each_kind_and_the_times(tmp_path: Path) -> None:
    records = half_hours()
    absent = [*positions(records, "116.1")[5:8], positions(records, "115.1")[2], positions(records, "115.7")[1]]
    file = after_loss(tmp_path, records, absent)
    with opened(file) as database:
        rows = database.ask("SELECT lost_text, first_loss_local, last_loss_local FROM sequence_loss").fetchall()
        state = database.ask("SELECT DISTINCT sequence_state FROM record_sequence").fetchall()
    assert rows == [("1 of 115.1, 3 of 116.1", EIGHT + 2 * HALF_HOUR, EIGHT + 4 * HALF_HOUR)]
    assert state == [("judged",)]
    assert line(file) == (
        "4 records were lost between 2026-03-02 09:00:00 and 10:00:00: their numbers are missing; mqstat report DUMP --report overview/completeness"
    )


def test_the_last_record_of_a_kind_is_found_by_the_number_over_all_kinds(tmp_path: Path) -> None:
    records = half_hours()
    assert lost(after_loss(tmp_path, records, positions(records, "115.201")[-1:])) == {"MQ01": (1, 1, 0, 0)}
    last = max(at for at, record in enumerate(records) if Header.of(record))
    assert lost(after_loss(tmp_path, records, [last])) == {"MQ01": NOTHING}, "after the last number nothing is claimed"


def test_a_whole_interval_is_expected_of_kinds_without_a_number(tmp_path: Path) -> None:
    records = half_hours(5)
    written = EIGHT + 3 * HALF_HOUR
    with opened(file_of(smf_file(records), tmp_path)) as database:
        query = "SELECT record_id, written_local FROM record ORDER BY record_id"
        absent = [number for number, (_, local) in enumerate(database.ask(query).fetchall()) if local == written]
    never = numbered(intervals(QueueManager(), EIGHT, 5, skip=(2,)))
    for file, cause, count in (
        (after_loss(tmp_path, records, absent), "lost", 1),
        (file_of(smf_file(never), tmp_path, "never.smf"), "never written", 0),
    ):
        with opened(file) as database:
            assert database.ask("SELECT gap_cause, lost_intervals FROM interval_lost").fetchall() == [(cause, count)]
            classes = "SELECT record_class, intervals_expected - intervals_present FROM collection WHERE record_class IN ('115.1', '115.5', '115.231')"
            assert set(database.ask(classes).fetchall()) == {(name, count) for name in ("115.1", "115.5", "115.231")}


def test_a_run_after_a_start_begins_with_one(tmp_path: Path) -> None:
    owner = QueueManager()
    start = EIGHT + 4 * HALF_HOUR
    first = owner.interval(start, 1.2, extra_subtypes=(240,))
    later = owner.interval(start + dt.timedelta(seconds=1.2)) + owner.interval(start + dt.timedelta(minutes=31))
    records = numbered([*intervals(owner, EIGHT, 2), *first, *later])
    assert lost(file_of(smf_file(records), tmp_path)) == {"MQ01": NOTHING}
    before = len(intervals(owner, EIGHT, 2))
    absent = [before + at for at, record in enumerate(first) if kind(record) in ("115.1", "115.2")]
    assert lost(after_loss(tmp_path, records, absent)) == {"MQ01": (2, 0, 0, 0)}
    # The first run of the data may have begun in an earlier dump.
    only = [at - before for at in absent]
    assert lost(after_loss(tmp_path, records[before:], only, "second.smf")) == {"MQ01": NOTHING}


def test_a_run_that_continues_the_numbers_of_the_one_before_is_another_run(tmp_path: Path) -> None:
    """..5 of one run and 6.. of the next one: the startup record separates them."""
    owner = QueueManager()
    start = EIGHT + HALF_HOUR
    old = numbered(owner.interval(EIGHT - HALF_HOUR, 1.2, extra_subtypes=(240,)) + owner.interval(EIGHT))
    new = numbered(owner.interval(start, 1.2, extra_subtypes=(240,)) + owner.interval(start + dt.timedelta(seconds=2)))
    left = [record for record in new if numbers_of(record).sequence != 1 or kind(record) == "115.240"]
    numbers = {kind(record): numbers_of(record).sequence for record in old if Header.of(record)}
    assert {numbers_of(record).sequence for record in left if Header.of(record)} == {1, 2}
    assert set(numbers.values()) <= {1, 2}
    assert lost(file_of(smf_file([*old, *left]), tmp_path)) == {"MQ01": (5, 0, 0, 0)}


def test_a_damaged_record_is_not_lost(tmp_path: Path) -> None:
    records = half_hours()
    at = positions(records, "116.1")[5]
    broken = bytearray(records[at])
    struct.pack_into(">L", broken, 36, len(broken) + 9)  # the first section is outside of the record
    records[at] = bytes(broken)
    file = file_of(smf_file(records), tmp_path)
    assert lost(file) == {"MQ01": (0, 0, 1, 0)}
    assert line(file).startswith(
        "only numbers of 1 damaged record missing from 2026-03-02 08:30:00 to 10:00:00 (115.1, "
    )


def test_unequal_records_of_one_number_are_counted(tmp_path: Path) -> None:
    records = half_hours()
    changed = bytearray(records[3])
    changed[-60] ^= 1
    assert lost(file_of(smf_file([*records, bytes(changed)]), tmp_path)) == {"MQ01": (0, 0, 0, 1)}
    assert lost(file_of(smf_file([*records, records[3]]), tmp_path)) == {"MQ01": NOTHING}


# ------------------------------------------------------------------------------------------------------ no false alarms


@pytest.mark.slow
def test_overlaps_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_duplicates, "records", test_duplicates.all_kinds)
    for name, make in test_duplicates.INPUTS.items():
        files = [file_of(data, tmp_path, f"{number}.smf") for number, data in enumerate(make())]
        found = lost(*files)
        assert found, name
        assert set(found.values()) == {NOTHING}, name


@pytest.mark.slow
def test_real_dumps_lose_nothing(dump: Path, tmp_path: Path) -> None:
    assert set(lost(dump).values()) == {NOTHING}
    assert line(dump).startswith("no number missing from ")
    records = list(joined(dump.read_bytes()))
    parts = [records[: len(records) * 6 // 10], records[len(records) * 4 // 10 :]]
    files = [
        file_of(smf_file(part, dump_header=False, trailer=False), tmp_path, f"{number}.smf")
        for number, part in enumerate(parts)
    ]
    assert set(lost(*files).values()) == {NOTHING}
    assert set(lost(*sorted(dump.parent.glob("*.dat"))).values()) == {NOTHING}
    redacted = tmp_path / "redacted.smf"
    assert command(["redact", str(dump), "--into", str(redacted)]) == 0
    assert set(lost(redacted).values()) == {NOTHING}


def test_records_of_a_selection_are_not_judged(tmp_path: Path) -> None:
    file = file_of(smf_file(half_hours()), tmp_path)
    reason = "lost records are not counted: records were left out"
    assert command(["ingest", str(file), "--into", str(tmp_path / "data"), "--only", "116", "--jobs", "1"]) == 0
    assert line(dataset=tmp_path / "data") == f"{reason} (dump.smf was ingested with --only)"
    assert lost(dataset=tmp_path / "data") == {}
    from mqstat.base.selection import Selection

    assert line(file, selection=Selection(since=EIGHT + HALF_HOUR)) == f"{reason} (--since)"
    assert line(file, selection=Selection(qmgrs=("MQ01",))).startswith("no number missing")


def test_two_lpars_count_for_themselves(tmp_path: Path) -> None:
    records = [*half_hours(), *half_hours(3, QueueManager(lpar="SYS2"))]
    with opened(file_of(smf_file(records), tmp_path)) as database:
        rows = database.ask("SELECT lpar, lost_records, repeated_numbers FROM sequence_loss ORDER BY lpar").fetchall()
    assert rows == [("SYS1", 0, 0), ("SYS2", 0, 0)]


@pytest.mark.slow
def test_a_selected_day_of_a_dataset_is_judged_with_its_neighbours(tmp_path: Path) -> None:
    """A loss around midnight is between two days; a day alone would not show it, and days that retention dropped are
    not lost.
    """
    evening = DAY.replace(hour=22)
    records = numbered(intervals(QueueManager(), evening, 8))
    with opened(file_of(smf_file(records), tmp_path)) as database:
        local = [row[0] for row in database.ask("SELECT written_local FROM record ORDER BY record_id").fetchall()]
    absent = [number for number, written in enumerate(local) if written == DAY + dt.timedelta(days=1)]
    numbers = sum(numbers_of(records[at]).sequence > 0 for at in absent)
    file = after_loss(tmp_path, records, absent)
    assert command(["ingest", str(file), "--into", str(tmp_path / "data"), "--jobs", "1"]) == 0
    for day in (DAY.date(), DAY.date() + dt.timedelta(days=1)):
        assert lost(dataset=tmp_path / "data", days=[day]) == {"MQ01": (numbers, 0, 0, 0)}
    assert command(["prune", str(tmp_path / "data"), "--before", str(DAY.date() + dt.timedelta(days=1))]) == 0
    assert lost(dataset=tmp_path / "data") == {"MQ01": NOTHING}


@pytest.mark.slow
def test_the_neighbour_of_a_selected_day_has_records_of_the_queue_manager(tmp_path: Path) -> None:
    """MQ01 has no records on two days on which MQ02 has some: its gap is between the first day and the fourth."""
    evening, days = DAY.replace(hour=22), [DAY + dt.timedelta(days=number) for number in range(4)]
    begin, absent, later = (
        intervals(QueueManager(), start, 2) for start in (evening, days[1] + dt.timedelta(hours=9), days[3])
    )
    records = numbered([*begin, *absent, *later])
    left = [*records[: len(begin)], *records[len(begin) + len(absent) :]]
    numbers = sum(numbers_of(record).sequence > 0 for record in records[len(begin) : len(begin) + len(absent)])
    others = numbered(
        [record for day in days for record in intervals(QueueManager("MQ02"), day + dt.timedelta(hours=9), 1)]
    )
    file = file_of(smf_file([*left, *others]), tmp_path)
    assert command(["ingest", str(file), "--into", str(tmp_path / "data"), "--jobs", "1"]) == 0
    for day in (days[0].date(), days[3].date()):
        assert lost(dataset=tmp_path / "data", days=[day]) == {"MQ01": (numbers, 0, 0, 0), "MQ02": NOTHING}
    assert lost(dataset=tmp_path / "data", days=[days[1].date()]) == {"MQ01": NOTHING, "MQ02": NOTHING}


def losses_by_kind(file: Path) -> list[tuple[Any, ...]]:
    """Run, class, seen and lost records of each counter, and the times."""
    query = "SELECT run, counted_class, records_seen, lost_records, sequence_state, first_written_local, last_written_local FROM record_sequence ORDER BY ALL"
    with opened(file) as database:
        return list(database.ask(query).fetchall())


@pytest.mark.slow
def test_redacted_data_shows_the_same_losses(tmp_path: Path) -> None:
    owner = QueueManager()
    start = EIGHT + 5 * HALF_HOUR
    runs = [
        intervals(owner, EIGHT, 4),
        [*owner.interval(start, 1.2, extra_subtypes=(240,)), *intervals(owner, start + dt.timedelta(seconds=1.2), 4)],
    ]
    records = numbered([record for run in runs for record in run])
    choose = random.Random(28)
    absent = [
        *choose.sample(range(10, len(runs[0]) - 10), 12),
        *choose.sample(range(len(runs[0]) + 30, len(records) - 10), 12),
    ]
    file, redacted = (
        file_of(smf_file([record for at, record in enumerate(records) if at not in absent]), tmp_path),
        tmp_path / "redacted.smf",
    )
    assert command(["redact", str(file), "--into", str(redacted)]) == 0
    shown = losses_by_kind(file)
    by_run = {run: sum(row[3] for row in shown if row[0] == run) for run, *_ in shown}
    assert len(by_run) == 2
    assert min(by_run.values()) > 3
    assert losses_by_kind(redacted) == shown


def test_records_of_one_type_are_not_judged_over_all_kinds(tmp_path: Path) -> None:
    records = [record for record in half_hours() if record[5] == 116]
    file = file_of(smf_file(records), tmp_path)
    assert lost(file) == {"MQ01": NOTHING}
    with opened(file) as database:
        query = "SELECT missing_numbers > 0, lost_records, sequence_state FROM record_sequence WHERE counted_class = 'all numbered'"
        assert database.ask(query).fetchall() == [(True, None, "an input has records of one type only")]


def renumbered(record: bytes, sequence: int, trace: int, identifier: int | None = None) -> bytes:
    header = Header.of(record)
    assert header is not None
    out = bytearray(record)
    struct.pack_into(">LL", out, header.offsets[0], sequence, trace)
    if identifier is not None:
        struct.pack_into(">H", out, header.at + 4, identifier)
    return bytes(out)


def test_numbers_that_also_count_what_goes_elsewhere_are_not_judged(tmp_path: Path) -> None:
    records = [
        renumbered(record, numbers_of(record).sequence, 3 * numbers_of(record).trace) if Header.of(record) else record
        for record in half_hours()
    ]
    file = file_of(smf_file(records), tmp_path)
    assert lost(file) == {"MQ01": NOTHING}
    with opened(file) as database:
        query = "SELECT DISTINCT sequence_state FROM record_sequence WHERE counter = 0"
        assert database.ask(query).fetchall() == [("numbers are skipped",)]


def test_an_identifier_of_two_classes_is_not_judged(tmp_path: Path) -> None:
    records = []
    for record in half_hours():
        shared = kind(record) in ("115.1", "115.2")
        own = numbers_of(record)
        records.append(
            renumbered(record, own.sequence + (kind(record) == "115.2") * 9, own.trace, 1) if shared else record
        )
    file = file_of(smf_file(records), tmp_path)
    assert lost(file) == {"MQ01": NOTHING}
    with opened(file) as database:
        query = "SELECT counted_class, lost_records FROM record_sequence WHERE sequence_state = 'one identifier for two classes'"
        assert database.ask(query).fetchall() == [("115.1 and 115.2", None)]


def test_numbers_given_at_the_same_moment_are_no_start(tmp_path: Path) -> None:
    """Two tasks that write at once may get their clocks and their numbers in another order."""
    records = half_hours()
    first, second = positions(records, "116.1")[2:4]
    earlier, later = numbers_of(records[first]), numbers_of(records[second])
    records[first] = renumbered(records[first], later.sequence, later.trace)
    records[second] = renumbered(records[second], earlier.sequence, earlier.trace)
    assert lost(file_of(smf_file(records), tmp_path)) == {"MQ01": NOTHING}


def test_every_level_and_restart_of_the_built_records(tmp_path: Path) -> None:
    found = lost(file_of(smf_file(built_records()), tmp_path))
    assert found == dict.fromkeys(("MQ10", "MQ80", "MQ94"), NOTHING)
