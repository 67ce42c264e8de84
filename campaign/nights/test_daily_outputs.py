"""The outputs of `mqstat daily`: files of each day and rows of a database, what happens when they fail, and that the
results of the day stay.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import duckdb
import pytest

from mqstat.assemble.frozen_check import check_folder
from mqstat.assemble.series import Series, metrics
from mqstat.intake.open_data import open_data
from tests.installation import DAY, NEXT, Installation, dump, real_fixture, whole_dump  # noqa: F401 - fixture
from tests.postgresql import asked, changed_by, check_sums, needs_server, server_fixture  # noqa: F401 - fixture
from tests.test_feeds import of_ndjson, of_openmetrics, text_of


def outputs(real: Installation, *tables: dict[str, Any]) -> None:
    """Write a configuration with these outputs."""
    real.configure(reports='formats = ["text"]\nbaseline_days = 0')
    with real.config.open("a") as stream:
        for table in tables:
            lines = [f"{name} = {value if isinstance(value, int) else repr(value)}" for name, value in table.items()]
            stream.write("\n".join(["[[output]]", *lines]) + "\n")


def test_a_day_has_its_files(real: Installation) -> None:
    """A file that cannot be written raises the return code, is in the mail, and the next run writes it."""
    outputs(real, *({"format": name, "into": "feeds", "queues": 2} for name in ("openmetrics", "ndjson")))
    (real.root / "feeds").write_text("in the way")
    real.arrive("SMF.D260521", whole_dump())
    code, output = real.run()
    assert code == 4, output
    assert real.status()["return_codes"] == {"run": 4, "day": 0, "other_days": None}
    assert real.status()["failed_outputs"] == real.metrics()["mqstat_daily_outputs_failed"] == 2
    assert "feeds cannot be written" in " ".join((real.reports / "mail.txt").read_text().split())
    (real.root / "feeds").unlink()
    code, output = real.run()
    assert code == 0, output
    assert real.metrics()["mqstat_daily_outputs_failed"] == 0
    assert "written again: " in output
    written = {path.name for path in (real.root / "feeds").iterdir()}
    assert written == {f"{DAY}-series.prom", f"{DAY}-series.ndjson", f"{DAY}-findings.ndjson"}
    values = of_openmetrics((real.root / f"feeds/{DAY}-series.prom").read_text())
    assert values == of_ndjson((real.root / f"feeds/{DAY}-series.ndjson").read_text())
    with open_data(dataset=real.root / "dataset") as db:
        assert len(values) >= Series(db, metrics()).count() > 100
    before = {path: path.read_bytes() for path in (real.root / "feeds").iterdir()}
    code, output = real.run()
    assert "written again" not in output, output
    assert before == {path: path.read_bytes() for path in (real.root / "feeds").iterdir()}


def test_an_output_that_is_added_gets_the_earlier_days(real: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once: files that another program has moved away are not written again."""
    outputs(real)
    real.arrive("SMF.D260521", dump(bad=True))
    real.arrive("SMF.D260522", dump(NEXT))
    assert real.run(NEXT)[0] == 8
    outputs(real, {"format": "ndjson", "into": "feeds"})
    output = real.run(NEXT)[1]
    assert output.count("written again: ") == 2, output
    feeds = real.root / "feeds"
    assert {path.name for path in feeds.iterdir()} == {f"{day}-{kind}.ndjson" for day in (DAY, NEXT) for kind in ("series", "findings")}  # fmt: skip
    with open_data(dataset=real.dataset, days=[DAY]) as db:
        whole = text_of(Series(db, metrics()), "ndjson").splitlines()
    written = (feeds / f"{DAY}-series.ndjson").read_text().splitlines()
    assert [line for line in written if "mqstat_rule_breach" not in line] == whole
    for path in feeds.iterdir():
        path.unlink()
    monkeypatch.chdir(real.root)
    for root in (real.root, Path()):
        output = Installation(root, real.capsys).run(NEXT)[1]
        assert "written again" not in output, output
        assert list(feeds.iterdir()) == []


def test_each_output_has_its_own_queues(real: Installation) -> None:
    outputs(
        real,
        {"format": "ndjson", "into": "few", "queues": 1},
        {"format": "openmetrics", "into": "none"},
        {"format": "openmetrics", "into": "few", "queues": 1},
    )
    real.arrive("SMF.D260521", whole_dump())
    assert real.run()[0] == 0
    few, none = (of_openmetrics((real.root / f"{name}/{DAY}-series.prom").read_text()) for name in ("few", "none"))
    assert none.items() <= few.items()
    assert len((real.root / f"few/{DAY}-series.ndjson").read_text().splitlines()) == len(few)


@pytest.mark.parametrize(
    "failure",
    [
        OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
        duckdb.OutOfMemoryException("Out of Memory Error: no space left"),
    ],
)
def test_a_full_disk_does_not_hide_the_day(
    real: Installation, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    """The report of the day has its return code, and the run after it writes the output."""
    outputs(real, {"format": "ndjson", "into": "feeds"})
    real.arrive("SMF.D260521", dump(bad=True))

    def fail(*_: object) -> None:
        raise failure

    with monkeypatch.context() as broken:
        broken.setattr("mqstat.render.feeds.write", fail)
        code, output = real.run()
    assert code == 8, output
    assert real.status()["return_codes"] == {"run": 4, "day": 8, "other_days": None}
    assert "Output ndjson" in output
    assert list((real.root / "feeds").iterdir()) == []
    assert "Output ndjson" in (real.reports / "mail.txt").read_text()
    assert real.run()[0] == 8
    assert (real.root / f"feeds/{DAY}-findings.ndjson").stat().st_size
    assert real.status()["failed_outputs"] == 0


VIEWS = ("record", "buffer_pool", "qmgr")


@needs_server
def test_a_database_follows_the_dataset(real: Installation, server: str) -> None:
    """Two days, a late dump, a run without news: all sums are those of the views, and only what changed is sent."""
    outputs(
        real,
        {"format": "postgresql", "database": server, "views": list(VIEWS)},
        {"format": "folder", "into": "frozen"},
    )
    real.arrive("one.smf", dump())
    code, output = real.run()
    assert code == 0, output
    assert check_sums(server, real.root / "dataset", *VIEWS) > 50
    code, output = real.run()
    assert "schema mqstat: 0 days with 0 rows loaded, the rows of 0 days deleted" in output
    assert "0 written, 0 removed" in output
    assert check_folder(real.root / "frozen").problems == []
    real.arrive("late.smf", dump(qmgr="MQ02", bad=True))
    real.arrive("two.smf", dump(NEXT))
    code, output = real.run(NEXT)
    assert check_sums(server, real.root / "dataset", *VIEWS) > 50
    days = asked(server, "SELECT qmgr, count(DISTINCT loaded_day) FROM mqstat.record GROUP BY qmgr ORDER BY qmgr")
    assert days == [("MQ01", 2), ("MQ02", 1)]


@needs_server
def test_a_password_comes_from_a_file(real: Installation, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that asks for one: without the file the load fails in one sentence, and the day has its return code."""
    changed_by(server, "CREATE ROLE loader LOGIN PASSWORD 'geheim'")
    changed_by(server, "GRANT CREATE ON DATABASE postgres TO loader")
    host, port = server.rpartition("@")[2].partition("/")[0].split(":")
    uri = f"postgresql://loader@{host}:{port}/postgres"
    outputs(real, {"format": "postgresql", "database": uri, "schema": "by_loader"})
    real.arrive("one.smf", dump(bad=True))
    monkeypatch.setenv("PGPASSFILE", str(real.root / "missing"))
    code, output = real.run()
    assert code == 8, output
    assert real.status()["return_codes"] == {"run": 4, "day": 8, "other_days": None}
    (remark,) = [text for text in real.status()["remarks"] if text.startswith("Output postgresql")]
    assert "no password supplied" in remark
    passes = real.root / "pgpass"
    passes.write_text(f"{host}:{port}:*:loader:geheim\n")
    passes.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passes))
    code, output = real.run()
    assert (code, real.status()["failed_outputs"]) == (8, 0), output
    assert asked(server, "SELECT count(*) > 0 FROM by_loader.record") == [(True,)]


def test_a_database_that_is_down(real: Installation) -> None:
    outputs(real, {"format": "postgresql", "database": "postgresql://127.0.0.1:1/x"})
    real.arrive("one.smf", dump(bad=True))
    code, output = real.run()
    assert code == 8, output
    assert real.status()["return_codes"] == {"run": 4, "day": 8, "other_days": None}
    assert real.metrics()["mqstat_daily_outputs_failed"] == 1
    assert "PostgreSQL cannot be reached" in " ".join((real.reports / "mail.txt").read_text().split())
    assert "Traceback" not in output
