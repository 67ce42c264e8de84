"""The doctor reports the damage from a transfer, shows evidence, and prints the commands for a correct transfer."""

from __future__ import annotations

import base64
import gzip
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from mqstat.fixtures.frame import frame
from mqstat.sources import advice
from mqstat.sources.doctor import Diagnosis, diagnose, render_text
from mqstat.sources.source import find_sources


def record(seed: int, others: bool = False) -> bytes:
    """An MQ record (or one of type 30) without RDW, with eye catchers and every byte value somewhere."""
    rng = random.Random(seed)
    kind = 30 if others and seed % 5 == 0 else 115
    body = "QPST".encode("cp037") + rng.randbytes(rng.randrange(300, 700)) + "QJST".encode("cp037")
    head = bytes([0x5E, kind]) + (seed * 991).to_bytes(4, "big") + b"\x01\x26\x01\x5f" + "SYS1MQ01".encode("cp037")
    head += b"\0\1\xf8\xf0\xf0\0"
    triplets = (44 + len(body)).to_bytes(4, "big") + b"\0\x34\0\1" + (44).to_bytes(4, "big")
    return head + triplets + len(body).to_bytes(2, "big") + b"\0\1" + body + b"\0\x34\0\0\0\0\2\0" + rng.randbytes(44)


RECORDS = [record(n) for n in range(1, 400)]
DUMP = b"".join((len(each) + 4).to_bytes(2, "big") + b"\0\0" + each for each in RECORDS)


ADDED = (
    ("escape", "stru-r"),
    ("escape", "stru-r-no-rdw"),
    ("prefix", "prefix.3.0.rdw"),
    ("prefix", "prefix.4.4.le4.4.0"),
    ("prefix", "prefix.1.0.rdw"),
)
"""Framings that add bytes to records, with the findings that report them."""


@pytest.fixture
def doctor(tmp_path: Path) -> Callable[[bytes], Diagnosis]:
    def examine(data: bytes) -> Diagnosis:
        path = tmp_path / "dump.smf"
        path.write_bytes(data)
        (source,) = find_sources([str(path)], refuse=False)
        diagnosis = diagnose(source)
        text = render_text(diagnosis)
        assert max(map(len, text.splitlines())) <= 100
        assert text.isascii()
        assert all(each.evidence and each.action for each in diagnosis.findings)
        return diagnosis

    return examine


def cut_to_80(data: list[bytes]) -> bytes:
    return b"".join(each[:80].ljust(80, b"\0") for each in data)


@pytest.mark.parametrize(
    ("code", "verdict", "data"),
    [
        ("ascii", "ruined", DUMP.decode("cp037").encode("latin1", "replace")),
        ("utf-8", "ruined", DUMP.decode("latin1").encode("utf-8")),
        ("replaced", "ruined", DUMP.decode("utf-8", "replace").encode("utf-8")),
        ("crlf", "ruined", DUMP.replace(b"\n", b"\r\n")),
        ("cr-lost", "ruined", DUMP.replace(b"\r", b"\n")),
        ("line-ends", "sound, with notes", b"".join(each + b"\r\n" for each in RECORDS)),
        ("line-ends", "sound, with notes", b"".join(each + b"\x15" for each in RECORDS)),
        *((code, "sound, with notes", frame([bytes(4) + each for each in RECORDS], name)) for code, name in ADDED),
        ("prefix", "sound, with notes", DUMP + frame([bytes(4) + each for each in RECORDS], "prefix.3.0.rdw")),
        ("fixed", "ruined", cut_to_80(RECORDS)),
        ("truncated", "damaged above the limit", DUMP[:-100]),
        ("starts-inside", "damaged above the limit", DUMP[1000:]),
        ("fill", "sound, with notes", DUMP + bytes(160)),
        ("damage", "damaged above the limit", DUMP[:5000] + bytes(300) + DUMP[5300:]),
        ("no-lengths", "sound, with notes", b"".join(RECORDS)),
        ("mixed-no-lengths", "sound, with notes", b"".join(record(n, others=True) for n in range(1, 60))),
        ("no-trailer", "sound, with notes", bytes.fromhex("001200001E0200267FD30115343F") + b"SYSX" + DUMP),
        ("no-mq", "nothing of MQ", bytes.fromhex("001200001E0200267FD30115343F") + b"SYSX"),
        ("tersed", "ruined", bytes.fromhex("02017FF80400000000007FF8") + random.Random(1).randbytes(900)),
        ("xmit", "not SMF", b"\x50\xe0" + "INMR01".encode("cp037") + bytes(100)),
        ("compress", "not SMF", b"\x1f\x9d\x90" + random.Random(1).randbytes(900)),
        ("base64", "not SMF", base64.encodebytes(DUMP)),
        ("base64", "not SMF", base64.b64encode(DUMP)),
        ("hex", "not SMF", DUMP.hex("\n", 40).upper().encode()),
        ("text", "not SMF", b"date,time,value\n2026-01-01,10:00,1\n" * 90),
        ("text", "not SMF", b'{"records": [1, 2, 3]}\n' * 90),
        ("text", "not SMF", ("//JOB1 JOB CLASS=A  LISTING OF A JOB " * 60).encode("cp037")),
        ("not-smf", "not SMF", random.Random(2).randbytes(50_000)),
        ("not-smf", "not SMF", bytes(5000)),
        ("not-smf", "not SMF", b"%PDF-1.7\n" + random.Random(4).randbytes(5000)),
        ("empty", "not SMF", b""),
        ("broken-stream", "damaged above the limit", gzip.compress(DUMP)[:-20_000]),
    ],
)
def test_transfer_errors_are_named(doctor: Callable[[bytes], Diagnosis], code: str, verdict: str, data: bytes) -> None:
    diagnosis = doctor(data)
    assert code in [each.code for each in diagnosis.findings]
    assert diagnosis.verdict == verdict
    assert diagnosis.return_code == {"sound": 0, "sound, with notes": 0, "nothing of MQ": 0, "damaged": 4}.get(
        verdict, 12
    )


def test_an_intact_dump_has_no_problems(doctor: Callable[[bytes], Diagnosis]) -> None:
    diagnosis = doctor(DUMP)
    assert (diagnosis.verdict, diagnosis.findings, diagnosis.mq_records) == ("sound", [], len(RECORDS))
    assert "Nothing is wrong with it." in render_text(diagnosis)


def test_the_advice_has_the_commands(doctor: Callable[[bytes], Diagnosis]) -> None:
    text = render_text(doctor(DUMP.decode("cp037").encode("latin1", "replace")))
    for command in (
        "bin",
        "quote site rdw",
        "get 'HLQ.SMF.DUMP' dump.smf",
        "zowe zos-files download data-set",
        "cp -F rec",
        "sftp ",
        "COPY FROM",
    ):
        assert command in text
    assert "stru f" in render_text(doctor(frame([bytes(4) + each for each in RECORDS], "stru-r")))
    assert "PGM=AMATERSE,PARM='UNPACK'" in render_text(doctor(bytes.fromhex("078969A5") + bytes(100)))
    assert any("OUTDD(DUMPOUT,TYPE(115,116))" in line for line in advice.IFASMFDP)


@pytest.mark.parametrize("seed", range(8))
def test_the_doctor_accepts_any_content(doctor: Callable[[bytes], Diagnosis], seed: int) -> None:
    rng = random.Random(seed)
    data = bytearray(DUMP[: rng.randrange(1, 60_000)])
    for _ in range(seed * 20):
        data[rng.randrange(len(data))] = rng.randrange(256)
    doctor(bytes(data))


def test_real_dumps_are_sound(dumps: Path) -> None:
    for path in sorted(dumps.glob("*.dat")):
        (source,) = find_sources([str(path)])
        has_trailer = path.name not in ("TEST115.dat", "TEST116.dat")
        assert diagnose(source).verdict == ("sound" if has_trailer else "sound, with notes")
