"""Every time in a record lies inside the interval of the record, on the clock of its column name, or its layout states
why it may be earlier.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from mqstat.fixtures.build import section
from mqstat.fixtures.day import DAY
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.parsers import LAYOUTS
from mqstat.parsers.constructs import parse, typed
from mqstat.parsers.decoder import decode_sections
from mqstat.parsers.kit import Field, Layout, StckTime
from mqstat.parsers.record import NONE, packed_day
from tests.outside import outside
from tests.support import Tables, decode_bytes, decode_file

TOLERANCE_US = 1_000_000
"""The header is built up to some milliseconds after the end of the interval."""

DUMPS = ("MQ10_MQ1O.dat", "TEST115.dat", "TEST116.dat", "TESTCHL.dat")
CLOCK_SCENARIOS = ("accounting_day", "clock_change", "dns_blocked", "smds_short_of_buffers", "three_levels")


def clocks() -> Iterator[tuple[Layout, Field]]:
    """Every field that holds a time."""
    for layout in LAYOUTS.values():
        for field in layout.named:
            if field.type is StckTime:
                yield layout, field


def times_outside(tables: Tables) -> list[str]:
    """Each column with a time outside the interval of its record that its layout does not allow, with the distance in
    seconds.
    """
    wrong = []
    for layout, field in clocks():
        table = tables.get(field.child or layout.name)
        if table is None:
            continue
        begin = "interval_start_local" if field.unit == "ts_local" else "interval_start_utc"
        for column in field.columns or (field.name,):
            moments = pa.table(
                {
                    "at": pc.cast(table[column], pa.int64()),
                    "start": pc.cast(table[begin], pa.int64()),
                    "length": table["interval_us"],
                }
            ).drop_null()
            at, start, length = (moments[name].to_numpy() for name in ("at", "start", "length"))
            late, early = at - (start + length), start - at
            if (late > TOLERANCE_US).any():
                wrong.append(f"{layout.name}.{column}: up to {late.max() / 1e6} s after the end")
            if (early > TOLERANCE_US).any() and not field.may_precede:
                wrong.append(f"{layout.name}.{column}: up to {early.max() / 1e6} s before the start")
    return wrong


@pytest.mark.parametrize("name", DUMPS)
def test_times_of_real_dumps_lie_in_their_intervals(name: str) -> None:
    tables, _ = decode_file(outside("MQSTAT_DUMPS", "real dumps") / name)
    assert times_outside(tables) == []
    assert unsigned_lows(tables) == []


@pytest.mark.parametrize("name", CLOCK_SCENARIOS)
def test_times_of_scenarios_lie_in_their_intervals(name: str, tmp_path: Path) -> None:
    tables, _ = decode_bytes(SCENARIOS[name].build(), tmp_path)
    assert times_outside(tables) == []
    assert unsigned_lows(tables) == []


def test_the_name_of_a_time_states_its_clock() -> None:
    for layout, field in clocks():
        for column in field.columns or (field.name,):
            clock = {"ts_local": "local", "ts_utc": "utc"}[field.unit]
            assert column.endswith(f"_{clock}"), f"{layout.name}.{column} is {field.unit}"
            if clock == "local":
                assert re.search(r"\blocal\b", field.doc, re.IGNORECASE), (
                    f"{layout.name}.{column}: the text does not contain the word local"
                )
            else:
                assert not re.search(r"\blocal\b", field.doc, re.IGNORECASE), f"{layout.name}.{column}"


def test_the_longest_request_of_the_channel_initiator_is_in_local_time(tmp_path: Path) -> None:
    """QCTLGTM and QCTLSTM hold local time: read as GMT they are off by the offset, here six hours west."""
    owner = QueueManager(gmt_offset_minutes=-360)
    start = DAY + dt.timedelta(hours=10)
    inside = start + dt.timedelta(minutes=7)
    overrides = {"qct_dns": {0: {"dns_longest_at_local": inside}}, "qct_ssl": {0: {"ssl_longest_at_local": inside}}}
    tables, _ = decode_bytes(smf_file(owner.interval(start, overrides=overrides)), tmp_path)
    assert tables["qct_dns"]["dns_longest_at_local"].to_pylist() == [inside]
    assert tables["qct_ssl"]["ssl_longest_at_local"].to_pylist()[0] == inside
    assert times_outside(tables) == []


def test_the_lowest_number_of_free_smds_buffers_is_signed() -> None:
    """QESDBFMF counts on below zero: one signed column; the word is for the raw view."""
    made = section("qesd", 336, cf_structure="APP1", buffers_free_low=-7)
    assert made[204:208] == b"\xff\xff\xff\xf9"
    assert decode_sections(LAYOUTS["qesd"], [made])["qesd"][0]["buffers_free_low"] == -7
    assert typed(LAYOUTS["qesd"], made)[0]["buffers_free_low"] == -7
    assert parse(LAYOUTS["qesd"], made)["buffers_free_low"] == 4294967289


def unsigned_lows(tables: Tables) -> list[str]:
    """Columns of lowest values that hold a 32-bit word of 2**31 or more."""
    wrong = []
    for layout in LAYOUTS.values():
        for field in layout.named:
            table = tables.get(field.child or layout.name)
            if field.kind != "low" or table is None or field.type.width != 4:
                continue
            for column in field.columns or (field.name,):
                values = (
                    [v for v in table[column].to_pylist() if isinstance(v, int)]
                    if pa.types.is_int64(table[column].type)
                    else []
                )
                wrong += [f"{layout.name}.{column}: {v}" for v in values if v >= 1 << 31]
    return wrong


def test_every_day_of_a_header_is_a_date() -> None:
    """0cyydddF from 1970 to 2042, as `datetime` counts them; day 0, day 367 and what has no digits are no dates."""
    days = [dt.date(1970, 1, 1) + dt.timedelta(days=number) for number in range(73 * 365)]
    texts = [f"{(day.year - 1900) // 100:02}{day.year % 100:02}{day:%j}F" for day in days]
    cells = np.zeros((len(days) + 3, 14), np.uint8)
    for row, text in enumerate([*texts, "0126000F", "0126367F", "01A6001F"]):
        cells[row, 10:14] = bytearray.fromhex(text)
    assert packed_day(cells, 10).tolist() == [*range(len(days)), NONE, NONE, NONE]
