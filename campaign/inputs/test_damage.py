"""Damaged dumps through the whole path; the oracle is stated in `tests/mutate.py`, which runs many more of them by
hand.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mqstat.base.errors import MqstatError
from mqstat.cli import run
from mqstat.cli.inspect import _ledger_text
from mqstat.fixtures import damage
from mqstat.fixtures.build import other_record
from mqstat.fixtures.frame import smf_file
from mqstat.parsers.framing import BASIC, Framing
from mqstat.parsers.ledger import Damage, Ledger
from tests import mutate
from tests.support import decode_bytes, file_of

SLOW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))

pieces_of_dumps = st.lists(
    st.one_of(
        st.binary(max_size=40),
        st.binary(max_size=300).map(lambda data: (len(data) + 4).to_bytes(2, "big") + b"\0\0" + data),
        st.binary(max_size=60).map(lambda data: b"\0\x60\0\0\x5e\x73\0\x41\xeb\0\x01\x26\x12\x4f" + data),
        st.sampled_from([b"\0" * 64, b"\r\n", b"\x1f\x8b", b"PK\x03\x04", b"\x5e\x74" * 9, bytes(range(256))]),
    ),
    max_size=12,
).map(b"".join)


@SLOW
@given(data=pieces_of_dumps, framing=st.sampled_from([None, *BASIC]))
@example(data=b"", framing=None)
@example(data=b"\0", framing=Framing.RDW)
@example(data=b"\0\x04\0\0" * 20, framing=Framing.RDW)
@example(data=smf_file([]), framing=None)
def test_arbitrary_bytes_as_an_input(
    data: bytes, framing: Framing | None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    try:
        made, result = decode_bytes(data, folder, framing=framing)
    except MqstatError as error:
        message = str(error)
    else:
        message = ""
    assert not message or "dump.smf" in message
    if message:
        return
    assert mutate.unbalanced(result.part.ledger, result.size) == []
    kept = result.part.ledger.records
    assert made.get("record") is None or made["record"].num_rows <= kept.input


@SLOW
@given(seed=st.integers(0, 1 << 40))
def test_untouched_records_survive_any_damage(seed: int) -> None:
    name, _, bad = mutate.try_seed(seed)
    assert bad == [], name


@settings(SLOW, max_examples=6)
@given(seed=st.integers(0, 1 << 40).map(lambda number: 40 * number))
def test_damaged_dumps_through_files_raw_view_and_trace(seed: int) -> None:
    name, _, bad = mutate.try_seed(seed)
    assert bad == [], name


@pytest.mark.parametrize("number", range(6))
def test_damaged_real_dumps_keep_their_untouched_records(dumps: Path, number: int) -> None:
    """The same with stretches of the real dumps alone."""
    assert any(original.name.startswith("MQ10") for original in mutate.originals()), dumps
    bad = [(seed, *mutate.try_seed(seed)) for seed in range(1000 * number + 1, 1000 * number + 31) if seed % 40]
    assert [(seed, name, faults) for seed, name, _, faults in bad if faults] == []


def original() -> mutate.Original:
    return next(dump for dump in mutate.originals() if dump.name.startswith("built 10.0.0, rdw, None"))


@pytest.mark.parametrize("size", [0, 1, 3, 4, 17, 18, 30, 418])
def test_a_dump_cut_at_any_place_keeps_what_came_before(size: int) -> None:
    dump = original()
    for at in range(size, len(dump.data), 997):
        pieces: list[mutate.Piece] = [(0, at, None)]
        assert (
            mutate.check(dump, dump.data[:at], mutate.untouched(dump, pieces), dump.framing, everything=False) == []
            or not at
        )


def test_every_bit_of_the_first_headers() -> None:
    """One bit flipped at every position of the first two records: nothing else is lost."""
    dump = original()
    for at in range(60):
        for bit in (1, 0x10, 0x80):
            data = damage.flip(dump.data, at, bit)
            pieces: list[mutate.Piece] = [(0, at, None), (0, 0, data[at : at + 1]), (at + 1, len(data), None)]
            assert mutate.check(dump, data, mutate.untouched(dump, pieces), dump.framing, everything=False) == [], (
                at,
                bit,
            )


def test_a_dump_without_mq_records(tmp_path: Path) -> None:
    others = [other_record(30, 200 + i, lpar="SYS1", written_local=mutate.NOON) for i in range(5)]
    made, result = decode_bytes(smf_file(others), tmp_path)
    assert result.part.ledger.records.as_dict()["other_types"] == 7
    assert "record" not in made
    assert made["other_record"].num_rows == 3


def test_the_ledger_lists_the_damage_and_returns_its_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump = original()
    second = dump.records[1]
    path = file_of(damage.overwrite(dump.data, second.offset, b"\xff\xff\xff\xff"), tmp_path)
    for limit, code in (("0.1", 12), ("50", 4)):
        assert run(["ledger", str(path), "--format", "json", "--damage-limit", limit]) == code
        ledger = json.loads(capsys.readouterr().out)
        assert ledger["damage"] == [{"offset": second.offset, "length": second.size, "reason": "bad-rdw", "spans": 1}]
        assert ledger["records"]["damaged"] == 1
        assert ledger["bytes"]["damaged"] == second.size
        assert (
            ledger["bytes"]["input"]
            == path.stat().st_size
            == sum(v for k, v in ledger["bytes"].items() if k != "input")
        )
        assert set(ledger) == {"bytes", "records", "sections_with_tails", "damage"}
        assert (
            list(ledger["bytes"])
            == list(ledger["records"])
            == ["input", "decoded", "other_types", "internal", "raw", "damaged", "skipped"]
        )


def test_columns_of_a_ledger_never_run_together() -> None:
    """Also for inputs of many terabytes, and spans far inside them."""
    ledger = Ledger()
    ledger.add_class("decoded", 7_046_107_374_182, 1_073_741_824_000_000_000)
    ledger.add_damage([Damage(999_999_999_999_999, 88_888_888_888_888, "bad-header", is_record=False)] * 2)
    lines = _ledger_text(["big.smf"], ledger).splitlines()
    assert "decoded             7,046,107,374,182  1,073,741,824,000,000,000" in lines
    assert [line.split()[:2] for line in lines if "bad-header" in line] == [
        ["999,999,999,999,999", "88,888,888,888,888"]
    ] * 2
    small = _ledger_text(["small.smf"], Ledger()).splitlines()
    assert small[3] == f"{'read':18}{'0':>14}{'0':>18}", "the columns of small inputs stay where they are"
