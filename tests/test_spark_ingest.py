"""What the workers of Spark write and the driver publishes, without Spark: each task in this process, its task and
result by pickle as Spark passes them.
"""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mqstat.spark
from campaign.spark.same import assert_same, several
from mqstat.api.spark import ingesting
from mqstat.base.errors import UsageError
from mqstat.cli import run
from mqstat.dataset.store import open_dataset
from tests.support import built_dump, file_of, small_dump

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each task runs twice; the result of the second attempt counts."""

    def spread(_: Any, function: Callable[[int], Any], count: int) -> list[Any]:
        return [pickle.loads(pickle.dumps([function(number), function(number)][1])) for number in range(count)]  # noqa: S301 - of this test

    monkeypatch.setattr(ingesting, "spread", spread)


def test_the_tables_are_those_of_ingest(tmp_path: Path) -> None:
    folder = tmp_path / "dumps"
    folder.mkdir()
    file_of(several(tmp_path), folder, "a.smf")
    for name, data in (("b.smf", built_dump()), ("c.smf", small_dump()), ("d.smf", small_dump() * 2)):
        file_of(data, folder, name)
    with zipfile.ZipFile(folder / "e.zip", "w") as archive:
        for count, name in enumerate(("f.smf", "g.smf"), 3):
            archive.writestr(name, small_dump() * count)
    (folder / "h.smf").write_text("not a dump\n" * 100)
    assert run(["ingest", str(folder), "--into", str(tmp_path / "one"), "--jobs", "1"]) == 12
    done = ingesting.ingest(None, folder, tmp_path / "two")
    assert [each.state for each in done.outcomes] == ["added"] * 6 + ["refused"]
    assert done.return_code() == 12
    assert_same(tmp_path / "one", tmp_path / "two")
    again = ingesting.ingest(None, [folder / "b.smf", folder / "a.smf"], tmp_path / "two")
    assert [each.state for each in again.outcomes] == ["there", "there"]


def test_a_longer_copy_replaces_the_shorter_one(tmp_path: Path) -> None:
    for name, data in (("first", small_dump()), ("second", small_dump() + built_dump())):
        (tmp_path / name).mkdir()
        file_of(data, tmp_path / name, "a.smf")
    done = ingesting.ingest(None, [tmp_path / "first", tmp_path / "second"], tmp_path / "set")
    assert "in place of source 1, of which it has all undamaged records" in done.lines[1]
    assert [each.source_id for each in open_dataset(tmp_path / "set").manifest.sources] == [2]


def test_what_is_refused_adds_nothing(tmp_path: Path) -> None:
    (tmp_path / "text.smf").write_text("not a dump\n" * 100)
    done = ingesting.ingest(None, tmp_path / "text.smf", tmp_path / "set")
    assert [(each.state, done.return_code()) for each in done.outcomes] == [("refused", 12)]
    assert not [*open_dataset(tmp_path / "set").manifest.sources]
    for shards in (0, -1):
        with pytest.raises(UsageError, match=f"^{shards} shards cannot be judged; give 1 or more"):
            mqstat.spark.check(None, tmp_path / "set", shards=shards)
    for paths, into in ((tmp_path, "s3://test/set"), ("-", tmp_path / "set"), (tmp_path, "ftp://test/set")):
        with pytest.raises(UsageError):
            ingesting.ingest(None, paths, into)
