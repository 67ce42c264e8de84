"""The expected output of mq-smf-csv, computed record by record and value by value with Python's own numbers and
formats.

It shares only the description of the columns with the export (`mqstat.export.columns`), no code that reads bytes or
writes text.
"""

from __future__ import annotations

import datetime as dt
import struct
from collections import defaultdict
from collections.abc import Iterable

from mqstat.export.columns import Cell, CsvFile, files

LEADING = ["Date", "Time", "LPAR", "QMgr", "QSG", "MQ_Version"]
INTERVAL = ["Interval_Start (DATE)", "Interval_Start (TIME)", "Interval_Duration"]
MISSING = {"number": "-1", "microseconds": "-1", "duration": "-1, -1 ", "time": '"1970/01/01","00:00:00,000000"'}
KNOWN = " &-/,%_>?:#@'=<(+|!$*);~{}[]"


def characters(data: bytes) -> str:
    """EBCDIC text in the tool's characters."""
    more = {0x4A: "$", 0x8B: "{", 0x8D: "(", 0x8E: "+", 0x9B: "}", 0x9D: ")", 0xBF: "-"}
    out = ""
    for byte in data:
        character = bytes([byte]).decode("cp037")
        known = character in KNOWN or (character.isascii() and character.isalnum())
        out += more.get(byte, character if known else ".")
    return out


def quoted(text: str) -> str:
    """A text in quotes, with an equals sign if it looks like a number."""
    return ("=" if set(text) <= set("0123456789abcdefABCDEF ") else "") + f'"{text}"'


def clock(raw: int) -> str:
    """Date and time of an STCK value."""
    if raw == 0:
        return '"",""'
    us = max((raw >> 12) - 2_208_988_800_000_000, 0)
    return (dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=us)).strftime('"%Y/%m/%d","%H:%M:%S,%f"')


def value(cell: Cell, section: bytes, level: int, bugs: bool) -> str:
    """One cell of a section."""
    if max(cell.at + cell.width, cell.least) > len(section):
        return MISSING.get(cell.written_as, '"....."')
    data = section[cell.at : cell.at + cell.width]
    raw = int.from_bytes(data, "big", signed=cell.signed)
    if cell.written_as == "text":
        if cell.gate is not None:
            at, width, mask = cell.gate
            data = data if int.from_bytes(section[at : at + width], "big") & mask else b"\x40" * len(data)
        return quoted(characters(data))
    if cell.written_as == "hex":
        return quoted(data.hex().upper())
    if cell.written_as == "time":
        return clock(raw)
    if cell.written_as in ("duration", "microseconds"):
        us = raw >> 12
        if cell.shifted and not bugs and level == 100_000 and raw > 1 << 32 and raw % (1 << 32) == 0:
            us >>= 32
        seconds = us // 1_000_000 % (1 << 32) if bugs else us // 1_000_000
        return f"{seconds}, {us % 1_000_000} " if cell.written_as == "duration" else str(us)
    if cell.written_as == "flag":
        return quoted(dict(cell.words)[int(raw & cell.mask != 0)])
    if cell.written_as == "words":
        return quoted(dict(cell.words).get(raw, ""))
    if cell.unset is not None and raw == cell.unset[0]:
        return str(cell.unset[1])
    return str(raw & (1 << 63) - 1 if bugs and cell.width == 8 and not cell.signed else raw)


def written(header: bytes) -> str:
    """Date and time of a record header."""
    digits = header[10:14].hex()
    day = dt.date(1900 + 100 * int(digits[1]) + int(digits[2:4]), 1, 1) + dt.timedelta(days=int(digits[4:7]) - 1)
    hundredths = struct.unpack_from(">L", header, 6)[0]
    seconds, rest = divmod(hundredths, 100)
    return f'"{day:%Y/%m/%d}","{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d},{rest:02d}0000"'


def expected(records: Iterable[bytes], bugs: bool) -> dict[str, str]:
    """File name -> content, for sound joined records in the order of a dump."""
    lines: dict[str, list[str]] = defaultdict(list)
    shows: dict[str, bool] = {}
    last = (0, 0)
    for record in records:
        kind, subtype = record[5], struct.unpack_from(">H", record, 22)[0]
        if kind not in (115, 116):
            continue
        at, length, _ = struct.unpack_from(">LHH", record, 28)
        area = record[at : at + length]
        stub = area[:2] == b"\0\1"
        own = (0, 0)
        if kind == 115:
            if len(area) >= 52 and not stub:
                own = struct.unpack_from(">QQ", area, 36)
            if not stub or length == 4:
                last = own
            elif bugs:
                own = last
        extension = area[-16:] if area[-16:-12] == bytes.fromhex("00101000") and length in (20, 68, 144) else b""
        group = quoted(characters(extension[4:8])) if extension else '"...."'
        release = characters(extension[8:14] if extension else record[24:27])
        names = ",".join([quoted(characters(record[14:18])), quoted(characters(record[18:22]))])
        leading = f"{written(record)},{names},{group},{quoted(release)},"
        level = (
            int(release) if len(release) == 6 else int(release[0]) * 10_000 + int(release[1]) * 100 + int(release[2])
        )
        seconds = own[1] // 1_000_000 // (4096 if (kind, subtype) == (115, 231) else 1)
        interval = f"{clock(own[0])},{seconds}," if own[0] else ""
        for file in files(bugs):
            for row in rows(file, record, kind, subtype, 2 if stub else area[6], level, bugs, area):
                first = shows.setdefault(file.name, bool(interval))
                shown = interval if bugs else (interval or '"","",-1,') if first else ""
                lines[file.name].append(leading + shown + row)
    return {
        f"SMF-{file.name}.csv": "\n".join(
            [",".join([*LEADING, *(INTERVAL if shows[file.name] else []), *file.columns, ""]), *lines[file.name], ""]
        )
        for file in files(bugs)
        if file.name in lines
    }


def sections(record: bytes, triplet: int, count: int, reach: tuple[int, int, int] | None = None) -> list[bytes]:
    """The sections of a triplet. reach: length to which those with at least a version are read, and where their version
    is.
    """
    if triplet >= count:
        return []
    at, length, number = struct.unpack_from(">LHH", record, 28 + 8 * triplet)
    out = []
    for start in (at + i * length for i in range(number)):
        size = length
        if reach is not None and struct.unpack_from(">l", record, start + reach[1])[0] >= reach[2]:
            size = max(length, reach[0])
        out.append(record[start : start + size].ljust(size, b"\0"))
    return out


def rows(
    file: CsvFile, record: bytes, kind: int, subtype: int, triplets: int, level: int, bugs: bool, area: bytes
) -> Iterable[str]:
    """The rows of one record in one file, without their leading columns."""
    for smf_type, its_subtype, triplet in file.layout.routes:
        if (smf_type, its_subtype) != (kind, subtype):
            continue
        for index, section in enumerate(sections(record, triplet, triplets, file.reach)):
            if file.length not in (None, len(section)):
                continue
            other = area[36:128]
            if file.name == "WTID":
                queues = sections(record, 3 if subtype == 1 else 2, triplets)
                tasks = sections(record, 2, triplets) if subtype == 1 else []
                other = queues[-1][16:32] if queues else tasks[0][8:24] if tasks else bytes(16)
            slots = [section]
            if file.name == "QEST":
                slots = [bytes(8) + section[8 + 64 * i : 72 + 64 * i] for i in range(64) if section[8 + 64 * i]]
            for each in slots:
                sources = {0: each, 1: other}
                yield "".join(
                    f"{index if cell.source < 0 else value(cell, sources[cell.source], level, bugs)},"
                    for cell in file.cells
                )
