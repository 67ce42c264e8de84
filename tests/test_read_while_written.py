"""Commands that read a dataset while others write it: each answer is that of the state that was opened, whatever is
published in the middle of the read.
"""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from contextvars import copy_context
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

import mqstat
from mqstat.cli import run
from mqstat.daily import days
from mqstat.dataset import snapshot
from mqstat.dataset.verification import verify
from mqstat.sql.workspace import Workspace
from tests.finding_days import Planted, day, plant
from tests.installation import dump, sketch
from tests.postgresql import check_sums, needs_server, server_fixture  # noqa: F401 - fixture
from tests.support import file_of

pytestmark = pytest.mark.slow

DAYS = 7
"""Of the dataset: six to compare the last one with."""

MOMENTS = {0, 1, 2, 3, *range(100, 10_000, 100)}
"""When another command writes: as soon as the dataset was opened, and before the statements of these numbers."""


LAST = day(DAYS)

READERS: dict[str, list[str]] = {
    "sql": ["sql", "SELECT qmgr, pool_id, count(*), sum(page_gets_new) FROM buffer_pool GROUP BY ALL ORDER BY ALL", "--from", "set"],
    "report": ["report", "--from", "set", "--write", "out/page.html", "--write", "out/all.json"],
    "report of a day": ["report", "--from", "set", "--date", f"{LAST}", "--baseline", "6d"],
    "report of some tables": ["report", "--report", "buffer_pool/usage", "--from", "set", "--by", "day"],
    "check": ["check", "--from", "set"],
    "rules": ["rules", "--from", "set"],
    "export findings": ["export", "findings", "--from", "set", "--date", f"{LAST}"],
    "export series": ["export", "series", "--from", "set"],
    "export folder": ["export", "folder", "--from", "set", "--into", "out/frozen"],
    "plan": ["plan", "buffer_pool_size_needed", "--from", "set"],
    "prove": ["prove", "BP001/MQ01", "--from", "set"],
    "compare": ["compare", f"{day(1)}", f"{LAST}", "--from", "set"],
    "map": ["map", "--from", "set"],
    "tables": ["tables", "--from", "set"],
    "site": ["site", "init", "--from", "set"],
    "trace": ["trace", "1.smf", "1", "--from", "set"],
}  # fmt: skip
"""Every command that reads a dataset."""


def write_ingest(number: int) -> int:
    """Another queue manager, on all days."""
    content = b"".join(dump(day(each), f"NEW{number}") for each in range(1, DAYS + 1))
    return run(["ingest", str(file_of(content, Path(), f"new{number}.smf")), "--into", "set"])


def write_compact(number: int) -> int:
    return write_ingest(number) or run(["compact", "set"])


def write_prune(number: int) -> int:
    return run(["prune", "set", "--before", str(day(number + 1))])


def write_drop(number: int) -> int:
    """Take the dump of a day out, or put it back."""
    name = f"{number}.smf"
    return run(["drop", name, "set"]) and run(["ingest", name, "--into", "set", "--again"])


def write_daily(number: int) -> int:
    """A night of another configuration, whose reports are elsewhere, and findings of days, which it would write with
    each report.
    """
    plant(Path("set"), [Planted("BP001", "B" * (DAYS - 1))], DAYS - 1)
    Path("inbox").mkdir(exist_ok=True)
    file_of(dump(LAST, f"NIT{number}"), Path("inbox"), f"night{number}.smf")
    Path("other.toml").write_text(
        '[dataset]\nfolder = "set"\n[inbox]\nfolder = "inbox"\nsettle_seconds = 0\n[reports]\nfolder = "elsewhere"\nformats = ["text"]\nbaseline_days = 0\n'
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(days, "make", sketch)
        return run(["daily", "other.toml", "--today", str(day(DAYS + 1))])


WRITERS = (write_ingest, write_daily, write_drop, write_prune, write_compact)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dataset of a dump for each day, not to be changed. A pool is without buffers on the last day
    only.
    """
    root = tmp_path_factory.mktemp("made")
    for number in range(1, DAYS + 1):
        file_of(dump(day(number), bad=number == DAYS), root, f"{number}.smf")
    assert quietly(["ingest", *map(str, sorted(root.glob("*.smf"))), "--into", str(root / "set")])[0] == 0
    plant(root / "set", [Planted("BP001", "c" * (DAYS - 1))], DAYS - 1)
    return root


def quietly(words: list[str]) -> tuple[int, str]:
    """Return code and output of a command."""
    text = io.StringIO()
    with redirect_stdout(text), redirect_stderr(text):
        code = copy_context().run(run, words)
    return code, text.getvalue()


def read_by(
    made: Path, root: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> tuple[int, str, dict[str, bytes]]:
    """Return code, output and files of a command that reads a copy of the dataset."""
    shutil.copytree(made, root)
    monkeypatch.chdir(root)
    Path("out").mkdir()
    code, text = quietly(words)
    return code, text, {str(path): path.read_bytes() for path in sorted(Path("out").rglob("*")) if path.is_file()}


@contextmanager
def meanwhile(act: Callable[[], None], moments: Container[int] = MOMENTS) -> Iterator[list[int]]:
    """Have something happen at each of these moments of what is done in the context; gives those that came."""
    happened: list[int] = []
    seen, acting = -1, False

    def next_moment() -> None:
        nonlocal seen, acting
        seen += 1
        if seen in moments:
            acting = True
            happened.append(seen)
            act()
            acting = False

    def statement(method: Callable[..., Any]) -> Callable[..., Any]:
        def execute(self: Workspace, *given: Any) -> Any:
            if not acting and seen >= 0:
                next_moment()
            return method(self, *given)

        return execute

    def load(*given: Any) -> Any:
        out = known(*given)
        if not acting and seen < 0:
            next_moment()
        return out

    known = snapshot.load
    with pytest.MonkeyPatch.context() as patch:
        for name in ("execute", "arrow", "reader"):
            patch.setattr(Workspace, name, statement(getattr(Workspace, name)))
        patch.setattr(snapshot, "load", load)
        yield happened


def writing() -> Callable[[], None]:
    """All writers in turn."""
    turns = enumerate(cycle(WRITERS))

    def act() -> None:
        turn, write = next(turns)
        number = 1 + turn % (DAYS - 2)  # the last two days are never dropped
        text = io.StringIO()
        with redirect_stdout(text), redirect_stderr(text):
            code = copy_context().run(write, number)
        assert code in (0, 4, 8), f"{write.__name__}: {text.getvalue()}"

    return act


@pytest.mark.parametrize("name", READERS)
def test_the_answer_is_that_of_the_state_that_was_opened(
    made: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = read_by(made, tmp_path / "alone", READERS[name], monkeypatch)
    assert expected[0] < 12, expected[1]
    with meanwhile(writing()) as happened:
        got = read_by(made, tmp_path / "written", READERS[name], monkeypatch)
    assert got == expected
    assert happened
    assert verify(Path("set")).problems == []


ROWS = "SELECT count(*), sum(hash(t)::HUGEINT) FROM {} AS t"


def test_every_view_has_the_rows_of_the_state_that_was_opened(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rows(folder: Path) -> dict[str, Any]:
        monkeypatch.chdir(shutil.copytree(made, folder))
        with mqstat.open_dataset("set") as opened:
            return {view: opened.sql(ROWS.format(view)).to_pylist() for view in opened.views()}

    expected = rows(tmp_path / "alone")
    with meanwhile(writing()) as happened:
        assert rows(tmp_path / "written") == expected
    assert len(happened) > len(WRITERS)


@needs_server
def test_a_database_gets_the_rows_of_the_state_that_was_opened(
    made: Path, tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shutil.copytree(made, tmp_path / "root"))
    views = ("buffer_pool", "page_set", "queue_use", "log")
    words = ["export", "postgresql", "--from", "set", "--database", server]
    with meanwhile(writing(), range(len(WRITERS) + 1)) as happened:
        code, text = quietly([*words, *(word for view in views for word in ("--view", view))])
    assert code < 12, text
    assert len(happened) > len(WRITERS)
    assert check_sums(server, made / "set", *views) > 100


def test_a_night_writes_the_reports_of_all_days_that_are_left(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A day that another command has dropped meanwhile has no report; the others do."""
    monkeypatch.chdir(shutil.copytree(made, tmp_path / "root"))
    Path("empty").mkdir()
    Path("daily.toml").write_text(
        '[dataset]\nfolder = "set"\n[inbox]\nfolder = "empty"\n[reports]\nfolder = "out"\nformats = ["text"]\nbaseline_days = 0\n'
    )
    with meanwhile(writing(), {1, 2, 3, 4}) as happened:  # the last two drop days
        code, text = quietly(["daily", "daily.toml", "--today", str(day(DAYS + 1))])
    assert code == 8, text
    assert happened == [1, 2, 3, 4]
    assert "another command has dropped this day meanwhile" in text
    kept = {f"mqstat-{day(number)}.txt" for number in (DAYS - 1, DAYS)}
    assert kept <= {path.name for path in Path("out").iterdir()}
