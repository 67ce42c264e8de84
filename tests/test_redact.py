"""mqstat redact: no name of a site remains in the bytes, and every figure and finding is the same."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.parsers import LAYOUTS
from mqstat.parsers.columns import Bytes
from mqstat.parsers.kit import SHARING, Ebcdic, Field, Hex
from mqstat.share.pseudonyms import WORDS, Pseudonyms
from tests.support import POSITION, READERS, Tables, decode_file, file_of, invoke

if TYPE_CHECKING:
    from tests.outputs import Outputs

KEY = b"a key that is only used in tests"

NAMES = ("rich_estate", "hostile_everywhere", "shared_queue_habits", "odd_accounting")
"""Scenarios with all structures, spanned records, names of every kind, and names that rules know."""


def classified() -> Iterator[tuple[str, Field]]:
    """The texts and bytes of all structures."""
    for name, layout in LAYOUTS.items():
        for field in layout.named:
            if isinstance(field.type, Ebcdic | Hex) and not field.reserved:
                yield name, field


PRIVATE = {(name, field.name) for name, field in classified() if field.sharing not in ("public", "clock")}
"""Structure and column of everything that gets a pseudonym."""


def test_every_text_is_classified() -> None:
    missing = [f"{name}.{field.name}" for name, field in classified() if field.sharing not in SHARING]
    assert not missing, f"give each of these fields sharing=... (parsers/kit.py, SHARING): {missing}"
    numbers = [
        f"{name}.{field.name}"
        for name, layout in LAYOUTS.items()
        for field in layout.fields
        if field.sharing and not isinstance(field.type, Ebcdic | Hex)
    ]
    assert not numbers, "numbers are copied"


def pseudonym(text: str, sharing: str = "name", systems: bool = False, key: bytes = KEY, width: int = 48) -> str:
    """The pseudonym of one name."""
    cell = Pseudonyms(key, systems).cells(sharing, cells(text, width=width))
    return cell.tobytes().decode("cp037").rstrip()


def cells(*texts: str, width: int = 48) -> Bytes:
    import numpy as np

    return np.frombuffer(b"".join(text.ljust(width).encode("cp037") for text in texts), "u1").reshape(-1, width)


def test_pseudonyms_are_one_to_one() -> None:
    texts = [
        f"{a}{b}.{c}" for a in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for b in "abcdefghijklmnopqrstuvwxyz" for c in range(10)
    ]
    made = Pseudonyms(KEY).cells("name", cells(*texts, width=4))
    assert {row.tobytes().decode("cp037") for row in made} == set(texts)
    assert sum(row.tobytes().decode("cp037") == text for row, text in zip(made, texts, strict=True)) < 20


def test_pseudonyms_have_the_shape_of_names() -> None:
    assert pseudonym("PAY.Req_01/X") != "PAY.Req_01/X"
    assert [c.isalpha() for c in pseudonym("PAY.Req_01/X")] == [c.isalpha() for c in "PAY.Req_01/X"]
    assert pseudonym("PAY.REQ") == pseudonym("PAY.REQ", width=8)
    assert pseudonym("PAY.REQ") != pseudonym("PAY.REQ", key=KEY + b"2")
    assert pseudonym("PAYROLL1", "job") == pseudonym("PAYROLL1")
    assert pseudonym("PAYROLL1", "thread", width=12)[:4] == pseudonym("PAYR")


def test_names_of_ibm_remain() -> None:
    for kept in ("SYSTEM.CLUSTER.TRANSMIT.QUEUE", "SYSTEM.DEAD.LETTER.QUEUE", "CSQ_ADMIN", "SYSTEM.DEF.SVRCONN"):
        assert pseudonym(kept) == kept
    mine = pseudonym("SYSTEM.CLUSTER.TRANSMIT.PAYROLL")
    assert mine.startswith("SYSTEM.CLUSTER.TRANSMIT.")
    assert mine.rsplit(".", 1)[1] not in {"PAYROLL", *WORDS}
    dynamic = [pseudonym("PAY.REPLY.5F3A9B00C1D2E3F4"), pseudonym("PAY.REPLY.5F3A9B00C1D2E3F5")]
    assert dynamic[0][:10] == dynamic[1][:10]
    assert dynamic[0] != dynamic[1]
    assert all(set(each[10:]) <= set("0123456789ABCDEF") for each in dynamic)


def test_systems_are_kept_unless_asked_for() -> None:
    assert pseudonym("MQ01", "system") == "MQ01"
    assert pseudonym("MQ01CHIN", "job") == "MQ01CHIN"
    other = pseudonym("MQ01", "system", systems=True)
    assert other != "MQ01"
    assert pseudonym("MQ01CHIN", "job", systems=True) == other + "CHIN" == pseudonym("MQ01CHIN")


def findings(*data: str | Path) -> Counter[tuple[Any, ...]]:
    """What the rules find in dumps or in a dataset, without names."""
    return outcomes(json.loads(invoke("check", *data, "--format", "json").stdout)["findings"])


def outcomes(rows: Iterable[Mapping[str, Any]]) -> Counter[tuple[Any, ...]]:
    """Rows of findings without names; numbers with the digits that JSON has."""
    keys = ("rule_id", "outcome", "severity", "observed", "limit_value", "lpar", "qmgr")
    values = ([row.get(key) for key in keys] for row in rows)
    return Counter(tuple(f"{each:.12g}" if isinstance(each, float) else each for each in own) for own in values)


def apart(folder: Path) -> list[Path]:
    """The dumps of NAMES as those of one site, so that they can be judged together: no two have the same LPAR, queue
    manager or queue-sharing group.
    """
    made = []
    for number, name in enumerate(NAMES):
        data = SCENARIOS[name].build()
        if number > 1:  # the first two have different ones already
            for old in ("SYS1", "MQ01", "QSG1"):
                data = data.replace(old.encode("cp037"), f"{old[:2]}{number}{old[3]}".encode("cp037"))
        made.append(file_of(data, folder, f"{name}.smf"))
    return made


def real_dumps() -> list[Path]:
    """All real dumps that are available."""
    folder = os.environ.get("MQSTAT_DUMPS")
    return sorted(Path(folder).glob("*.dat")) if folder else []


def redacted(dump: Path, folder: Path, *options: str, code: int = 0) -> Path:
    """A redacted copy of a dump."""
    (folder / "key").write_bytes(KEY)
    into = folder / f"shared-{dump.name}"
    done = invoke("redact", dump, "--into", into, "--key-file", folder / "key", *options)
    assert done.returncode == code, done.stderr
    return into


def names_of(tables: Tables) -> set[str]:
    """Names of four and more characters that must not remain."""
    out = set()
    for table, column in PRIVATE:
        if table in tables and column in tables[table].column_names:
            field = next(field for field in LAYOUTS[table].fields if field.name == column)
            if isinstance(field.type, Ebcdic) and field.sharing in ("name", "job"):
                out |= {
                    text for text in tables[table][column].unique().to_pylist() if text and len(text.strip(" \0")) >= 4
                }
    return out


def tokens_of(tables: Tables) -> set[str]:
    """Bytes that may contain names, as hexadecimal digits without the zeros and blanks at their end."""
    out = set()
    for table, column in PRIVATE:
        if table in tables and column in tables[table].column_names:
            field = next(field for field in LAYOUTS[table].fields if field.name == column)
            if isinstance(field.type, Hex) and not field.reserved:
                for digits in tables[table][column].unique().to_pylist():
                    out.add(bytes.fromhex(digits or "").rstrip(b"\0\x40").hex().upper())
    return {digits for digits in out if len(digits) >= 8}


def public_of(tables: Tables) -> set[str]:
    """The values of fields that are copied, as hexadecimal digits."""
    out = set()
    for table, field in classified():
        if field.sharing in ("public", "clock") and table in tables and field.name in tables[table].column_names:
            for text in tables[table][field.name].unique().to_pylist():
                out.add((text or "") if isinstance(field.type, Hex) else (text or "").encode("cp037").hex().upper())
    return out


def tokens_left(tokens: set[str], tables: Tables, content: bytes) -> list[str]:
    """The tokens that are in some bytes, as they are or as digits, except those that consist of punctuation and names
    that may remain, or that a public field has too.
    """
    upper, public, systems = content.upper(), public_of(tables), systems_of(tables)
    return [
        digits
        for digits in sorted(tokens - public)
        if (bytes.fromhex(digits) in content or digits.encode() in upper)
        and not all(is_public(run, systems) for run in re.split("[ \0]+", bytes.fromhex(digits).decode("cp037")))
    ]


def systems_of(tables: Tables) -> set[str]:
    """The names of LPARs, queue managers and queue-sharing groups."""
    return {str(each) for column in ("qmgr", "lpar", "qsg") for each in tables["record"][column].unique().to_pylist()}


def is_public(name: str, systems: Collection[str]) -> bool:
    """Whether a name may remain: IBM's words, a name without letters or digits, or an address space of a queue
    manager.
    """
    words = re.sub("[0-9A-F]{16}$", "", name)
    return (
        name in systems
        or name.startswith("CSQ")
        or any(name == system + end for system in systems for end in ("CHIN", "MSTR", "AMSM"))
        or (words.startswith(("SYSTEM.", "AMQ.", "COM.IBM.")) and set(words.split(".")) <= WORDS | {""})
        or not any(character.isalnum() for character in name)
    )


def figures(tables: Tables) -> dict[str, list[Any]]:
    """Every column of the decoded tables that gets no pseudonym and is not about positions in the input."""
    out: dict[str, list[Any]] = {}
    for name, table in tables.items():
        zeros = {field.name for field in LAYOUTS[name].named if field.reserved} if name in LAYOUTS else set()
        if name in (*READERS, "raw_bytes"):
            continue
        for column in table.column_names:
            parent = next((each.name for each in LAYOUTS.values() if any(c.name == name for c in each.children)), name)
            if (parent, column) in PRIVATE or column in (*POSITION, *zeros, "record_hash"):
                continue
            out[f"{name}.{column}"] = table[column].to_pylist()
    numbered = [name for name in tables if "trace_sequence" in tables[name].column_names]
    assert "qwhs" in numbered
    return out | {column: values for name in numbered for column, values in header_figures(name, tables[name]).items()}


def header_figures(name: str, headers: Any) -> dict[str, list[Any]]:
    """The columns of a table with standard headers that a redaction changes: of sequence numbers the distance from the
    lowest of their queue manager and kind, of flags those that are no residual storage.
    """
    rows = headers.to_pylist()
    out: dict[str, list[Any]] = {}
    for column, of in (
        ("instrumentation_sequence", ("lpar", "qmgr", "resource_manager", "instrumentation_id")),
        ("trace_sequence", ("lpar", "qmgr")),
    ):
        lowest: dict[tuple[Any, ...], int] = {}
        keys = [tuple(row[each] for each in of) for row in rows]
        for key, row in zip(keys, rows, strict=True):
            if row[column]:
                lowest[key] = min(row[column], lowest.get(key, row[column]))
        out[f"{name}.{column}"] = [
            row[column] and row[column] - lowest[key] for key, row in zip(keys, rows, strict=True)
        ]
    for column in {"interval_continues", "extension_follows"} & {*headers.column_names}:
        out[f"{name}.{column}"] = [row[column] for row in rows if row["resource_manager"] != "F7"]
    return out


def assert_same_without_names(dump: Path, folder: Path) -> None:
    """The redacted dump has the same figures, and none of the names."""
    into = redacted(dump, folder)
    before, after = decode_file(dump)[0], decode_file(into)[0]
    mine, other = figures(before), figures(after)
    assert mine.keys() == other.keys()
    assert [column for column in mine if mine[column] != other[column]] == []
    content, systems = into.read_bytes(), systems_of(before)
    left = [
        name
        for name in sorted(names_of(before))
        if not is_public(name, systems) and (name.encode("cp037") in content or name.encode("utf-8") in content)
    ]
    assert left == []
    assert tokens_left(tokens_of(before), before, content) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_is_the_same_without_names(name: str, tmp_path: Path) -> None:
    assert_same_without_names(file_of(SCENARIOS[name].build(), tmp_path), tmp_path)


@pytest.mark.slow
def test_a_real_dump_is_the_same_without_names(dump: Path, tmp_path: Path) -> None:
    assert_same_without_names(dump, tmp_path)


@pytest.mark.slow
def test_systems_are_replaced(outputs: Outputs, tmp_path: Path) -> None:
    dump = file_of(SCENARIOS["pool_exhausted"].build(), tmp_path)
    into = redacted(dump, tmp_path, "--systems")
    content = into.read_bytes()
    tables = decode_file(dump)[0]
    systems = {
        each for column in ("qmgr", "lpar", "qsg") for each in tables["record"][column].unique().to_pylist() if each
    }
    assert systems
    assert [each for each in systems if each.encode("cp037") in content] == []
    before = outcomes(outputs.findings("pool_exhausted"))
    assert Counter(key[:5] for key in findings(into).elements()) == Counter(key[:5] for key in before.elements())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["truncated_transfer", "damaged_transfer", "unknown_contents"])
def test_damage_and_unknown_contents_become_zeros(name: str, outputs: Outputs, tmp_path: Path) -> None:
    dump = file_of(SCENARIOS[name].build(), tmp_path)
    into = redacted(dump, tmp_path, code=0 if name == "unknown_contents" else 4)
    before, after = (json.loads(invoke("ledger", path, "--format", "json").stdout) for path in (dump, into))
    assert before["records"]["decoded"] == after["records"]["decoded"]
    assert before["bytes"]["damaged"] == after["bytes"]["damaged"]
    kept = decode_file(into)[0].get("raw_bytes")
    contents = [] if kept is None else kept["content"].to_pylist()
    assert all(len(content) - content.count(0) <= 84 for content in contents), "more than two headers and a triplet"
    found = outcomes(outputs.findings(name))
    left = Counter(key[:3] for key in found) - Counter(key[:3] for key in findings(into))
    assert not left


def test_other_types_and_damaged_records_keep_nothing_but_the_header(tmp_path: Path) -> None:
    secret = "PAYROLL.SECRET.NAME".encode("cp037")
    sound = SCENARIOS["pool_low"].build()
    records = [bytearray(each) for each in records_of(sound)[:6]]
    for each in records:  # a triplet that points outside, and a name where a section was
        if each[5] == 115:
            each[36:40] = b"\x7f\xff\xff\xff"
            each[60 : 60 + len(secret)] = secret
    dump = file_of(b"".join(bytes(each) for each in records) + sound, tmp_path)
    into = redacted(dump, tmp_path, code=4)
    assert secret in dump.read_bytes()
    assert secret not in into.read_bytes()
    assert secret[4:15] not in into.read_bytes()
    before, after = (decode_file(path)[0]["record"] for path in (dump, into))
    assert before["damage"].to_pylist() == after["damage"].to_pylist()
    assert any(before["damage"].to_pylist())


def records_of(data: bytes) -> list[bytes]:
    """The records of a dump with RDWs."""
    out, at = [], 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 2], "big")
        out.append(data[at : at + length])
        at += length
    return out


def test_a_random_key_is_used_once(tmp_path: Path) -> None:
    dump = file_of(SCENARIOS["shared_queue_habits"].build(), tmp_path)
    made = []
    for into in (tmp_path / "1.smf", tmp_path / "2.smf"):
        assert invoke("redact", dump, "--into", into).returncode == 0
        made.append(into.read_bytes())
    assert made[0] != made[1]
    assert len(made[0]) == len(made[1])
    assert redacted(dump, tmp_path).read_bytes() == redacted(dump, tmp_path).read_bytes()


def test_what_cannot_be_redacted_is_refused(tmp_path: Path) -> None:
    dump = file_of(SCENARIOS["pool_low"].build(), tmp_path)
    before = dump.read_bytes()
    (tmp_path / "short").write_text("secret")
    for arguments, words in (
        ((dump, "--into", dump), "is an input of this command"),
        ((dump, "--into", tmp_path / "x", "--key-file", tmp_path / "short"), "write 16 or more random bytes"),
        ((dump, "--into", tmp_path / "x", "--key-file", tmp_path / "none"), "cannot be read"),
    ):
        done = invoke("redact", *arguments)
        assert (done.returncode, words in done.stderr) == (16, True), done.stderr
    assert dump.read_bytes() == before
    assert not (tmp_path / "x").exists()
