"""Part `faults`: two faults of system calls while a dataset changes, then one healthy ingest, after which it must be as
if nothing had happened.

Part `each`: one fault at each call in turn, full disks and kills, and the next run of the same change.

Part `races`: two ingests at the same time where locks exclude nobody.

The trials run in children of a process that was started with `faults.c` preloaded; a child that ends by itself ends
with a return code of the ladder and without a traceback.
"""

from __future__ import annotations

import contextlib
import ctypes
import datetime as dt
import errno
import os
import random
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path

from mqstat.cli import run
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures import accounting
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from tests.costs import cache
from tests.support import file_of, unknown_record

SOURCE = Path(__file__).with_name("faults.c")
ACTIONS = {"kill": -1, "kill after": -2, "ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EACCES": errno.EACCES}
CODES = frozenset((0, 4, 8, 12, 16))
CHANGES = ("ingest", "longer", "compact", "prune")
KILLED = -9


def compiled(folder: Path) -> Path | None:
    """The library of faults, None without a C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    target = folder / "faults.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", target, SOURCE, "-ldl"], check=True)
    return target


@cache
def library() -> ctypes.CDLL:
    """The preloaded library."""
    loaded = ctypes.CDLL(None)
    loaded.faults_arm.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_long, ctypes.c_int]
    loaded.faults_counted.restype = ctypes.c_long
    return loaded


@cache
def prepared() -> Path:
    """A folder with two dumps, a longer copy of the first one, and a dataset of the first."""
    folder = Path(tempfile.mkdtemp(prefix="mqstat-campaign-"))
    file_of(first_dump(), folder, "a.smf")
    file_of(second_dump(), folder, "b.smf")
    (folder / "longer").mkdir()
    file_of(first_dump() + second_dump(), folder / "longer", "a.smf")
    for dump, dataset in (("a.smf", "set"), ("b.smf", "two")):
        if dataset == "two":
            shutil.copytree(folder / "set", folder / "two")
        code, text, _ = child(
            partial(run, ["ingest", str(folder / dump), "--into", str(folder / dataset), "--jobs", "1"]), folder
        )
        if code:
            raise RuntimeError(f"the first ingest returned {code}: {text}")
    return folder


def child(
    act: Callable[[], int], folder: Path, faults: tuple[int, int, int, int] | None = None
) -> tuple[int, str, int]:
    """Run in a child process, with faults: its return code (negative for a signal), what it printed and the number of
    calls.
    """
    output = folder / "output"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child neither uses threads of the parent nor returns
        pid = os.fork()
    if pid == 0:
        code = 99
        try:
            handle = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(handle, 1)
            os.dup2(handle, 2)
            library().faults_arm(os.fsencode(folder / "work"), *(faults or (0, 0, 0, 0)))
            code = act()
        finally:
            counted = library().faults_counted()
            library().faults_arm(b"", 0, 0, 0, 0)
            os.write(2, f"\n{counted}".encode())
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    text = output.read_text(errors="replace")
    return code, text, int(text.rpartition("\n")[2]) if code >= 0 else 0


def change(kind: str, work: Path) -> Callable[[], int]:
    """What changes the dataset `work`."""
    dumps = prepared()
    arguments = {
        "ingest": ["ingest", str(dumps / "b.smf"), "--into", str(work), "--jobs", "1"],
        "longer": ["ingest", str(dumps / "longer" / "a.smf"), "--into", str(work), "--jobs", "1"],
        "compact": ["compact", str(work)],
        "prune": ["prune", str(work), "--before", "2026-03-29"],
    }[kind]
    return lambda: run(arguments)


@cache
def calls(kind: str) -> int:
    """The calls of a change that nothing disturbs. The modules that it imports are imported here too, so that no later
    child has to.
    """
    with workspace(kind) as folder:
        modules = folder / "modules"

        def act() -> int:
            code = change(kind, folder / "work")()
            modules.write_text("\n".join(sys.modules))
            return code

        code, text, counted = child(act, folder)
        if code or not counted:
            raise RuntimeError(f"{kind} returned {code}: {text}")
        for name in modules.read_text().splitlines():
            with contextlib.suppress(ImportError):
                import_module(name)
    return counted


@contextlib.contextmanager
def workspace(kind: str) -> Iterator[Path]:
    """A folder with a copy of a dataset to change."""
    with tempfile.TemporaryDirectory(prefix="mqstat-campaign-") as name:
        folder = Path(name)
        shutil.copytree(prepared() / ("two" if kind in ("compact", "prune") else "set"), folder / "work")
        yield folder


def trial(seed: int) -> tuple[Counter[str], list[str]]:
    """Two faults, in one change or one in each of two, then one healthy ingest."""
    rng = random.Random(seed)
    kind = rng.choice(CHANGES)
    names = rng.choices(tuple(ACTIONS), k=2)
    one, two = (rng.randint(max(1, calls(kind) - rng.choice((60, 300, 1 << 20))), calls(kind)) for _ in range(2))
    together = rng.random() < 0.4
    figures: Counter[str] = Counter({"pairs of faults": 1, f"during {kind}": 1})
    where = f"{kind}, {names[0]} at {one}, {names[1]} at {two}{' of one run' if together else ' of the next run'}"
    first = (one, ACTIONS[names[0]], two, ACTIONS[names[1]]) if together else (one, ACTIONS[names[0]], 0, 0)
    faults = []
    with workspace(kind) as folder:
        runs = [child(change(kind, folder / "work"), folder, first)]
        if not together:
            again = rng.choice((kind, "ingest"))
            runs.append(
                child(
                    change(again, folder / "work"),
                    folder,
                    (two if again == kind else 1 + two % calls(again), ACTIONS[names[1]], 0, 0),
                )
            )
        for code, text, _ in runs:
            figures["killed"] += code == KILLED
            if code not in (*CODES, KILLED) or "Traceback" in text or "unexpected error" in text:
                faults.append(f"returned {code}: {text[-600:]!r}")
        code, text, _ = child(change("longer" if kind == "longer" else "ingest", folder / "work"), folder)
        if code not in (0, 4):
            faults.append(f"the healthy ingest returned {code}: {text[-600:]!r}")
        faults += problems(folder / "work")
    return figures, [f"{fault} ({where})" for fault in faults]


def each(number: int) -> tuple[Counter[str], list[str]]:
    """A full disk and a kill at one call of each change (the calls after so many trials, again from the first one): the
    old or the new state, and the next run.
    """
    figures: Counter[str] = Counter()
    faults: list[str] = []
    for kind in CHANGES:
        for name in ("ENOSPC", "kill"):
            at = number + 1
            if at > calls(kind):
                continue
            figures["single faults"] += 1
            with workspace(kind) as folder:
                states = [content(folder)]
                code, text, _ = child(change(kind, folder / "work"), folder, (at, ACTIONS[name], 0, 0))
                is_named = code == KILLED or (code in CODES and text.count("\n") <= 2 and "unexpected" not in text)
                states.append(content(folder))
                again, more, _ = child(change(kind, folder / "work"), folder)
                states.append(content(folder))
                if not is_named or again not in (0, 4) or states[1] not in (states[0], states[2]):
                    faults.append(
                        f"{kind}, {name} at {at}: {code} {text[-300:]!r}, then {again} {more[-300:]!r}, {states}"
                    )
                faults += [f"{kind}, {name} at {at}: {text}" for text in problems(folder / "work")]
    return figures, faults


def content(folder: Path) -> str:
    """The rows of each table of a dataset and its inputs, found in a child."""
    result = folder / "content"

    def act() -> int:
        manifest = open_dataset(folder / "work").manifest
        counts: Counter[str] = Counter()
        for entry in manifest.files:
            counts[entry.table] += entry.rows
        result.write_text(f"{sorted(counts.items())} {[source.name for source in manifest.sources]}")
        return 0

    code, text, _ = child(act, folder)
    return result.read_text() if code == 0 else f"return code {code}: {text[-300:]!r}"


STARTS = (dt.datetime(2026, 3, 28, 12), dt.datetime(2026, 3, 29, 12))


def first_dump(name: str = "MQ01") -> bytes:
    """A dump of few tables with rows of two days: every call by which it becomes a dataset fails once, and the costs
    grow with the square of the calls.
    """
    owner = QueueManager(name, gmt_offset_minutes=0)
    return dump([accounting.channels(owner, start, 1800, ("A.TO.B",)) for start in STARTS])


def second_dump() -> bytes:
    """A dump of the same days, also with a table that the first one does not have."""
    owner = QueueManager("MQ02", gmt_offset_minutes=0)
    return first_dump(owner.name) + dump([unknown_record(owner, start) for start in STARTS])


def dump(records: list[bytes]) -> bytes:
    """A dump of these records only: those of its begin and end are in a table of their own."""
    return smf_file(records, spanned="vbs", dump_header=False, trailer=False)


def problems(work: Path) -> list[str]:
    """Problems and remarks of a dataset, and what is left in its folder; found in a child: a process that has used
    Delta tables cannot be forked.
    """
    result = work.parent / "problems"

    def act() -> int:
        result.write_text("\n".join(_problems(work)))
        return 0

    code, text, _ = child(act, work.parent)
    return [f"verify returned {code}: {text[-600:]!r}"] if code else result.read_text().splitlines()


def _problems(work: Path) -> list[str]:
    found = verify(work)
    out = [
        f"verify: {each}" for each in (*found.problems, *found.remarks) if "were dropped with their days" not in each
    ]
    left = [path.name for path in work.iterdir() if path.name.endswith(".part") or path.name == "_staging"]
    return out + [f"left: {name}" for name in left]


# ---------------------------------------------------------------------------------------------------------------- races


def race(seed: int) -> tuple[Counter[str], list[str]]:
    """Two ingests of two dumps start at about the same time, and every lock succeeds."""
    import fcntl
    import time

    rng = random.Random(seed)
    waits = [rng.choice((0, 0, rng.random() * 0.3)) for _ in range(2)]
    figures: Counter[str] = Counter({"races": 1})
    faults = []

    def act(number: int, work: Path) -> int:
        fcntl.flock = lambda *_: None
        time.sleep(waits[number])
        return change(("ingest", "longer")[number], work)()

    with workspace("ingest") as folder:
        if rng.random() < 0.3:
            shutil.rmtree(folder / "work")
        pids = []
        for number in range(2):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                pid = os.fork()
            if pid == 0:
                code = 99
                try:
                    handle = os.open(folder / f"out{number}", os.O_WRONLY | os.O_CREAT, 0o600)
                    os.dup2(handle, 1)
                    os.dup2(handle, 2)
                    code = act(number, folder / "work")
                finally:
                    os._exit(code)
            pids.append(pid)
        for number, pid in enumerate(pids):
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            text = (folder / f"out{number}").read_text()
            figures[f"return code {code}"] += 1
            if code not in (0, 4, 16) or "Traceback" in text or (code == 16 and text.strip().count("\n")):
                faults.append(f"writer {number} returned {code}: {text[-400:]!r}")
        faults += problems(folder / "work")
    return figures, [f"{fault} (waits {waits})" for fault in faults]
