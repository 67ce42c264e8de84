"""Mutated dumps through files: part `files` in every compression and archive, part `commands` through the command line,
part `dataset` through a dataset.
"""

from __future__ import annotations

import contextlib
import io
import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from campaign.inputs.test_attack import WRAPPINGS, wrapped
from campaign.random_faults.records import mutated
from mqstat.api import opened
from mqstat.base.errors import InputError
from mqstat.base.selection import Selection
from mqstat.cli import run
from mqstat.dataset.snapshot import is_dataset
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.intake.part import Job
from mqstat.intake.pipeline import measure
from mqstat.parsers.tables import table_schemas
from mqstat.sources.source import find_sources
from tests import mutate
from tests.costs import cache
from tests.support import file_of

COMMANDS = (
    "ledger", "doctor", "check", "report", "map", "tables", "sql", "chargeback", "trace", "raw", "export", "redact", "compare", "explain", "ingest",
)  # fmt: skip
ABOUT_INPUTS = frozenset(("source", "damage", "section"))
"""Tables with the name of the input, or the number that it has in a dataset."""
CODES = frozenset((0, 4, 8, 12, 16))


def mutant(seed: int) -> tuple[random.Random, mutate.Original, bytes, int]:
    """A mutated dump that is not empty, its original, and the number of untouched records."""
    rng = random.Random(seed)
    originals = mutate.originals(small=True)
    while True:
        original = rng.choice(originals)
        pieces = mutated(rng, original)
        data = mutate.applied(original, pieces)
        if data:
            return rng, original, data, len(mutate.untouched(original, pieces))


def files_trial(seed: int) -> tuple[Counter[str], list[str]]:
    """A mutated dump inside a compression or an archive: the ledger is that of the dump itself; then bytes of the file
    are damaged too.
    """
    rng, original, data, untouched = mutant(seed)
    figures: Counter[str] = Counter({"dumps": 1, "bytes": len(data), "mutated records": len(original.records)})
    kind = rng.choice(WRAPPINGS)
    outer = bytearray(wrapped(data, kind))
    faults = []
    with tempfile.TemporaryDirectory(prefix="mqstat-campaign-") as folder:
        plain, other = file_of(data, Path(folder), "a.smf"), file_of(bytes(outer), Path(folder), "b.smf")
        if _ledgers(plain) != _ledgers(other) and untouched:
            faults.append(f"the ledger in {kind} differs ({original.name})")
        for _ in range(rng.choice((1, 1, 3, 10))):
            outer[rng.randrange(len(outer))] = rng.randrange(256)
        if rng.random() < 0.3:
            del outer[rng.randrange(len(outer)) :]
        other.write_bytes(bytes(outer))
        began = time.monotonic()
        _ledgers(other)
        figures["damaged files"] += 1
        if time.monotonic() - began > 30:
            faults.append(f"slow: {time.monotonic() - began:.0f} s for {kind} ({original.name})")
    return figures, faults


def _ledgers(path: Path) -> list[object]:
    """The ledgers of the inputs of a file; RuntimeError for one that does not balance."""
    out: list[object] = []
    for source in find_sources([str(path)], limit_seconds=60):
        if source.fault is not None:
            continue
        try:
            result = measure(source, Job(1, 0, Selection(), {}, Path()))
        except InputError:
            continue
        bad = mutate.unbalanced(result.part.ledger, result.size)
        if bad:
            raise RuntimeError(bad[0])
        out.append(result.part.ledger.as_dict())
    return out


@cache
def healthy(folder: str) -> Path:
    """An undamaged dump to compare with."""
    return file_of(mutate.originals()[0].data, Path(folder), "healthy.smf")


def command(name: str, dump: Path, folder: Path) -> list[str]:
    """The arguments of a command over a dump."""
    return {
        "tables": ["tables", str(dump)],
        "sql": ["sql", "SELECT smf_type, subtype, count(*) FROM record GROUP BY ALL", str(dump)],
        "chargeback": ["report", str(dump), "--report", "application/chargeback", "--format", "csv"],
        "trace": ["trace", str(dump), "0"],
        "raw": ["raw", str(dump), "--into", str(folder / "raw")],
        "export": ["export", "mq-smf-csv", str(dump), "--into", str(folder / "csv")],
        "redact": ["redact", str(dump), "--into", str(folder / "redacted.smf")],
        "compare": ["compare", str(dump), str(dump)],
        "explain": ["explain", "BP002"],
        "ingest": ["ingest", str(dump), "--into", str(folder / "set")],
    }.get(name, [name, str(dump)])


def commands_trial(seed: int) -> tuple[Counter[str], list[str]]:
    """A mutated dump through one command: a return code of the ladder and no unexpected error."""
    _, original, data, _ = mutant(seed)
    name = COMMANDS[seed % len(COMMANDS)]
    figures: Counter[str] = Counter({"dumps": 1, "bytes": len(data), "mutated records": len(original.records), name: 1})
    with tempfile.TemporaryDirectory(prefix="mqstat-campaign-") as folder:
        given = command(name, file_of(data, Path(folder), "dump.smf"), Path(folder))
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(given)
    if code not in CODES or "unexpected error" in err.getvalue() or "Traceback" in err.getvalue():
        return figures, [f"{name} returned {code}: {err.getvalue()[-300:]!r} ({original.name})"]
    return figures, []


def dataset_trial(seed: int) -> tuple[Counter[str], list[str]]:
    """A mutated dump in a dataset has the rows of the dump, and the dataset has no problem."""
    rng, original, data, _ = mutant(seed)
    figures: Counter[str] = Counter({"dumps": 1, "bytes": len(data), "mutated records": len(original.records)})
    with tempfile.TemporaryDirectory(prefix="mqstat-campaign-") as folder:
        dump, target = file_of(data, Path(folder), "dump.smf"), Path(folder) / "set"
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            run(["ingest", str(dump), "--into", str(target), "--jobs", "1"])
        if not is_dataset(target) or not open_dataset(target).manifest.sources:
            return figures, []
        faults = [f"verify: {each} ({original.name})" for each in verify(target).problems]
        with opened.open_dump(dump) as one, opened.open_dataset(target) as other:
            for name in ("record", *rng.sample(sorted(table_schemas().keys() - ABOUT_INPUTS), 6)):
                query = f"SELECT * FROM {name} ORDER BY ALL"
                direct, stored = one.sql(query), other.sql(query)
                figures["rows compared"] += direct.num_rows
                if not direct.equals(stored):
                    faults.append(f"wrong rows: {name} of dump and dataset ({original.name})")
    return figures, faults
