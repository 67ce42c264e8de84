"""Millions of damaged spans take little memory and time, and one file of them does not stop the night of the others."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from mqstat.parsers.ledger import Damage, Ledger
from tests.installation import DAY, NEXT, Installation, dump, real_fixture, report_of  # noqa: F401 - fixtures
from tests.support import ROOT, file_of

HEADER = bytes.fromhex("5E73 00057E40 0126062F") + "SYS1MQ01".encode("cp037") + b"\0\1"
RECORD = (len(HEADER) + 4).to_bytes(2, "big") + b"\0\0" + HEADER
"""A record of 24 bytes: a header without a triplet."""
MEASURED = "import re, sys; from mqstat.cli import run; run(sys.argv[1:]); print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"  # fmt: skip
"""The largest memory of this program alone: `ru_maxrss` is not below that of the process that started it."""


def peak_mib(*words: str) -> int:
    """The largest memory of a command in a process of its own, without the larger caches of the C library that the
    Makefile sets.
    """
    environment = {name: value for name, value in os.environ.items() if name != "GLIBC_TUNABLES"}
    command = [sys.executable, "-c", MEASURED, *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True, env=environment)
    return int(done.stdout.splitlines()[-1]) // 1024


def test_equal_spans_that_follow_one_another_are_one() -> None:
    first, second = Damage(100, 24, "short-record", True), Damage(124, 24, "short-record", True)
    assert first.goes_on(second)
    both = first.with_next(second)
    assert both == Damage(100, 48, "short-record", True, 2)
    assert both.goes_on(Damage(148, 24, "short-record", True))
    others = [(149, 24, "short-record", True), (148, 25, "short-record", True), (148, 24, "garbage", True), (148, 24, "short-record", False)]  # fmt: skip
    assert not any(both.goes_on(Damage(*other)) for other in others)
    ledger = Ledger()
    ledger.add_damage([both])
    assert (ledger.damaged_spans, ledger.records.damaged, ledger.bytes.damaged, ledger.spans_left_out) == (2, 2, 48, 0)


@pytest.mark.slow
@pytest.mark.parametrize("count", [100_000, 500_000, 2_000_000])
def test_memory_and_time_of_damaged_spans(count: int, tmp_path: Path) -> None:
    """At most 400 MiB and 5 microseconds of processor time a span, a tenth of what it was, above three seconds of
    start.
    """
    path = file_of(dump()[:-18] + RECORD * count, tmp_path)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert peak_mib("ingest", str(path), "--into", str(tmp_path / "ds")) <= 400
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime <= 3 + 5e-6 * count


@pytest.mark.slow
def test_a_file_of_damaged_spans_does_not_stop_the_night(real: Installation) -> None:
    real.arrive("SMF.A", dump()[:-18] + RECORD * 2_000_000)
    real.arrive("SMF.B", dump())
    assert peak_mib("daily", str(real.config), "--today", str(NEXT)) <= 800
    assert real.status()["return_codes"]["run"] == 12
    assert report_of(DAY) in real.files()
