"""The public Python API: decoding in ranges, views, reports and findings as Arrow tables, its errors, and the examples
of docs/python.md.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import doctest
import gzip
import inspect
import io
import os
import re
import subprocess
import sys
import typing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa
import pytest

import mqstat
from mqstat.api.decoding import COUNTS
from mqstat.api.shown import Summary
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.sql import sqlfile
from tests.support import (
    ROOT,
    Tables,
    built_dump,
    built_records,
    decode_bytes,
    difference,
    file_of,
    invoke,
    plain,
    small_dump,
)

BUILT = built_records()
GUIDE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


def joined(batches: Iterable[tuple[str, pa.RecordBatch]]) -> Tables:
    """The rows of batches by table, text plain instead of dictionary-encoded."""
    rows: dict[str, list[pa.RecordBatch]] = {}
    for table, batch in batches:
        assert batch.num_rows, f"{table}: a batch without rows"
        assert batch.schema.equals(mqstat.schemas()[table], check_metadata=True), table
        rows.setdefault(table, []).append(batch)
    return {name: plain(pa.Table.from_batches(parts)).combine_chunks() for name, parts in rows.items()}


# --------------------------------------------------------------------------------------------------------------- decode


def test_decode_gives_the_rows_of_a_dataset(tmp_path: Path) -> None:
    data = built_dump()
    stored, _ = decode_bytes(data, tmp_path)
    expected = {name: table for name, table in stored.items() if name not in COUNTS}
    assert difference(joined(mqstat.decode(tmp_path / "dump.smf")), expected) == []
    assert difference(joined(mqstat.decode(data)), expected) == []


def test_only_the_tables_and_columns_that_are_wanted() -> None:
    data = built_dump()
    assert {name for name, _ in mqstat.decode(data, ["qpst", "qjst"])} == {"qpst", "qjst"}
    _, batch = next(mqstat.decode(data, {"qpst": ["pool_id", "qmgr"]}))
    assert batch.schema.names == ["qmgr", "pool_id"]
    children = {name for name, _ in mqstat.decode(data, ["qjst_log_io"])}
    assert children == {"qjst_log_io"}


def test_input_that_is_truncated_gives_its_rows_and_then_an_error(tmp_path: Path) -> None:
    packed = file_of(gzip.compress(built_dump())[:-4000], tmp_path, "cut.smf.gz")
    batches: list[pa.RecordBatch] = []
    with pytest.raises(mqstat.MqstatError, match=r"^cut\.smf\.gz: "):
        batches.extend(batch for _, batch in mqstat.decode(packed))
    assert sum(batch.num_rows for batch in batches) > 0


# --------------------------------------------------------------------------------------------------- dumps and datasets


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(built_dump(), tmp_path_factory.mktemp("api"))


@pytest.fixture(scope="module")
def opened(built: Path) -> Iterator[mqstat.OpenData]:
    """A dump that is open for several tests."""
    with mqstat.open_dump(built) as data:
        yield data


def test_sql_takes_every_kind_of_query_and_gives_arrow(opened: mqstat.OpenData) -> None:
    for text in (
        "FROM qmgr",
        "VALUES (1)",
        "DESCRIBE qmgr",
        "SUMMARIZE qmgr",
        "SHOW TABLES",
        "FROM decoded.qpst;",
        "WITH q AS (FROM qmgr) FROM q",
    ):
        assert opened.sql(text).num_rows, text


def test_a_view_has_the_rows_and_descriptions_of_its_file(opened: mqstat.OpenData) -> None:
    pools = opened.view("buffer_pool")
    assert pools.num_rows == opened.sql("SELECT * FROM buffer_pool").num_rows > 0
    assert pools.schema.field("lowest_free_pct").metadata[b"unit"] == b"percent"
    assert pools.schema.field("lowest_free_pct").metadata[b"description"].endswith(b".")


def test_rules_run_before_anything_that_shows_findings(opened: mqstat.OpenData) -> None:
    counted = opened.sql("SELECT count(*) AS findings FROM finding").to_pylist()
    findings, report = opened.findings(), opened.report("overview/findings")
    assert opened.view("buffer_pool").num_columns > 20, "views are whole again after the rules"
    assert counted == [{"findings": findings.num_rows}]
    assert report.num_rows == findings.num_rows > 0
    assert findings["rule_id"].to_pylist() == report["rule_id"].to_pylist()


def test_a_dataset_and_its_dump_give_the_same_reports(built: Path, opened: mqstat.OpenData, tmp_path: Path) -> None:
    assert invoke("ingest", built, "--into", tmp_path / "data").returncode in (0, 4)
    with mqstat.open_dataset(tmp_path / "data") as data:
        for name in ("buffer_pool/usage", "log/rate"):
            assert data.report(name).equals(opened.report(name)), name
    chosen = mqstat.Selection(qmgrs=("MQ94",))
    with mqstat.open_dataset(tmp_path / "data", selection=chosen) as data:
        assert data.sql("SELECT DISTINCT qmgr FROM record").to_pylist() == [{"qmgr": "MQ94"}]
    with pytest.raises(mqstat.MqstatError, match="inside the with block"):
        data.view("qmgr")


def test_an_input_that_is_skipped_is_a_warning(tmp_path: Path) -> None:
    dump = file_of(small_dump(), tmp_path)
    with pytest.warns(UserWarning, match="already given"), mqstat.open_dump([dump, dump]) as data:
        assert data.view("source").num_rows == 1


def test_it_is_usable_without_a_block(built: Path) -> None:
    data = mqstat.open_dump(built)
    states = [data.closed]
    assert data.view("qmgr").num_rows > 0
    data.close()
    data.close()
    states.append(data.closed)
    assert states == [False, True]
    assert repr(data) == f"<mqstat.OpenData dump {built}, closed>"
    assert data._repr_html_() == f"<p>&lt;mqstat.OpenData dump {built}, closed&gt;</p>"
    for read in (data.findings, lambda: data.view("qmgr"), lambda: data.sql("FROM qmgr"), data.__enter__):
        with pytest.raises(mqstat.MqstatError, match=r"is closed; open it again"):
            read()


def test_what_is_still_open_is_closed_at_the_end(built: Path, tmp_path: Path) -> None:
    """The temporary files of a dump are removed by a program that does not close it."""
    program = f"import mqstat; data = mqstat.open_dump({str(built)!r}); print(data.view('qmgr').num_rows, flush=True)"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 0
    assert list(tmp_path.iterdir()) == []


def test_its_repr_shows_what_it_holds(built: Path, opened: mqstat.OpenData) -> None:
    (row,) = opened.sql("SELECT count(DISTINCT qmgr) AS n, min(written_local) AS first FROM decoded.record").to_pylist()
    assert repr(opened).startswith(f"<mqstat.OpenData dump {built}: {row['n']} queue managers (")
    assert f"{row['first']:%Y-%m-%d %H:%M} to " in repr(opened)


def test_names_are_escaped_in_html() -> None:
    at = dt.datetime(2026, 5, 21)
    summary = Summary([("SYS1", "<b>&", 1234, at, at), (None, "MQ\x1b1", 1, None, None)], 2)
    html = summary.html("dump a<script>.smf")
    assert "<caption>dump a&lt;script&gt;.smf, 2 inputs</caption>" in html
    assert "<td>SYS1</td><td>&lt;b&gt;&amp;</td><td>1,234</td><td>2026-05-21 00:00</td>" in html
    assert "\x1b" not in html + summary.text()
    assert html.count("<tr>") == 3


def test_a_notebook_shows_the_queue_managers(opened: mqstat.OpenData) -> None:
    for row in opened.view("qmgr").to_pylist():
        assert f"<td>{row['lpar']}</td><td>{row['qmgr']}</td>" in opened._repr_html_()


def test_views_and_reports_are_listed(opened: mqstat.OpenData) -> None:
    assert set(opened.views()) == set(sqlfile.views())
    assert set(opened.reports()) == set(sqlfile.reports())
    assert opened.reports()["buffer_pool/usage"] == sqlfile.reports()["buffer_pool/usage"].title


def test_the_key_of_a_view_is_first(opened: mqstat.OpenData) -> None:
    whole = opened.view("buffer_pool")
    assert whole.schema.names[:4] == ["lpar", "qmgr", "pool_id", "interval_start_local"]
    assert set(whole.schema.names) == set(sqlfile.views()["buffer_pool"].columns)
    assert whole.schema.field("lowest_free_pct").metadata[b"unit"] == b"percent"


def test_parameters_are_values(opened: mqstat.OpenData) -> None:
    attack = "x' OR true OR 'x' = '"
    assert opened.sql(
        "SELECT $name AS name, $day AS day", {"name": attack, "day": dt.date(2026, 5, 21)}
    ).to_pylist() == [{"name": attack, "day": dt.date(2026, 5, 21)}]
    assert opened.sql("FROM qmgr WHERE qmgr = $name", {"name": attack}).num_rows == 0
    first = opened.view("qmgr")["qmgr"][0].as_py()
    assert opened.sql("FROM qmgr WHERE qmgr = ?", [first]).num_rows == 1


def test_a_relation_reads_when_its_rows_are_needed(built: Path, opened: mqstat.OpenData) -> None:
    pools = opened.relation("buffer_pool")
    assert pools.filter("pool_id IS NOT NULL").count("*").fetchall() == [(opened.view("buffer_pool").num_rows,)]
    assert opened.relation("decoded.qpst").columns == mqstat.schemas()["qpst"].names


def test_a_relation_keeps_its_data_open(built: Path) -> None:
    assert mqstat.open_dump(built).relation("qmgr").fetchall()


def test_four_threads_read_at_once(built: Path) -> None:
    """Each thread gets the rows that one alone gets, also of views that are computed once, and of rules that run
    once.
    """
    reports = ("buffer_pool/usage", "log/rate", "overview/collection", "queue/usage")

    def everything(data: mqstat.OpenData) -> list[object]:
        out: list[object] = [data.findings().num_rows, data.view("qmgr").num_rows]
        out += [data.report(name).num_rows for name in reports if name in data.reports()]
        return [
            *out,
            data.sql("SELECT count(*) AS n FROM storage_use").to_pylist(),
            data.sql("SELECT count(*) AS n FROM qpst").to_pylist(),
            data.relation("buffer_pool").count("*").fetchall(),
        ]

    with mqstat.open_dump(built) as alone:
        expected = everything(alone)
    with mqstat.open_dump(built) as data, ThreadPoolExecutor(4) as pool:
        together = [pool.submit(everything, data) for _ in range(8)]
        assert everything(data) == expected
        assert [each.result() for each in together] == [expected] * 8


def test_a_selection_takes_texts_and_dates() -> None:
    whole = mqstat.Selection(
        types=(115,), qmgrs=("MQ1O",), lpars=("SYS1",), since=dt.datetime(2026, 5, 21), until=dt.datetime(2026, 5, 23)
    )
    for types, qmgrs, lpars, since, until in (
        (115, "MQ1O", "SYS1", "2026-05-21", "2026-05-22"),
        ("115", "MQ1O", ["SYS1"], "2026-05-21", "2026-05-22"),
        (["115"], ["MQ1O"], {"SYS1"}, dt.date(2026, 5, 21), dt.date(2026, 5, 22)),
        (iter((115,)), iter(["MQ1O"]), ("SYS1",), "2026-05-21T00:00", "2026-05-23T00:00"),
    ):
        assert mqstat.Selection(types, qmgrs, since, until, lpars) == whole
    assert hash(whole) == hash(mqstat.Selection((115,), "MQ1O", "2026-05-21", "2026-05-22", "SYS1"))
    assert mqstat.Selection().is_all


def test_decode_takes_several_paths_and_open_files(tmp_path: Path) -> None:
    data = built_dump()
    path, packed = file_of(data, tmp_path), file_of(gzip.compress(data), tmp_path, "dump.gz")
    alone = joined(mqstat.decode(path))
    both = joined(mqstat.decode([path, str(packed)]))
    assert {name: table.num_rows for name, table in both.items()} == {n: 2 * t.num_rows for n, t in alone.items()}
    assert both["record"]["source_id"].unique().to_pylist() == [1, 2]
    for file in (path, packed):
        with file.open("rb") as stream:
            assert difference(joined(mqstat.decode(stream)), alone) == []
            assert not stream.closed
            assert stream.read() == b""
    assert difference(joined(mqstat.decode(io.BytesIO(data))), alone) == []


def test_a_file_may_be_named_by_its_uri(tmp_path: Path) -> None:
    (tmp_path / "a b%20[1]").mkdir()
    path = file_of(built_dump(), tmp_path / "a b%20[1]", "dümp#1?.smf")
    alone = joined(mqstat.decode(path))
    for uri in (
        path.as_uri(),
        path.as_uri().replace("///", "/"),
        path.as_uri().replace("file:///", "FILE://localhost/"),
    ):
        assert difference(joined(mqstat.decode(uri)), alone) == []
    with mqstat.open_dump(path.as_uri()) as opened:
        assert opened.view("qmgr").num_rows
    with pytest.raises(mqstat.MqstatError, match=r"file:// is not read; use .* or file:///PATH"):
        list(mqstat.decode("file://host/dump.smf"))


def public_functions() -> Iterator[tuple[str, Callable[..., object]]]:
    """The public functions, and the public methods of public classes."""
    for name in mqstat._MODULES:
        value = getattr(mqstat, name)
        if not inspect.isclass(value):
            yield name, value
            continue
        for method, function in vars(value).items():
            plain_function = function.fget if isinstance(function, property) else function
            if inspect.isfunction(plain_function) and (not method.startswith("_") or method == "__init__"):
                yield f"{name}.{method}", plain_function


def test_public_signatures_are_typed() -> None:
    """Every parameter and result has a type, and none is Any."""
    checked = 0
    for name, function in public_functions():
        if function.__module__.startswith("mqstat"):
            hints = typing.get_type_hints(function)
            parameters = [each for each in inspect.signature(function).parameters if each != "self"]
            assert set(hints) == {*parameters, "return"}, name
            assert not [key for key, hint in hints.items() if "Any" in repr(hint)], name
            checked += 1
    assert checked > 15


# --------------------------------------------------------------------------------------------------------------- errors


def test_errors_are_one_sentence_with_the_nearest_name(opened: mqstat.OpenData, tmp_path: Path) -> None:
    data = built_dump()
    nothing = tmp_path / "nothing.smf"
    for call, message in (
        (lambda: opened.view("bufer_pool"), "There is no view bufer_pool; did you mean buffer_pool"),
        (lambda: opened.report("log/i"), "There is no report log/i; did you mean log/io"),
        (lambda: opened.sql("DELETE FROM finding"), "mqstat writes nothing"),
        (lambda: opened.sql("SELECT nope FROM qmgr"), "The query failed: Binder Error"),
        (lambda: opened.sql("SELECT $a", {"b": 1}), "The query failed: "),
        (lambda: opened.relation("bufer_pool"), "There is no view bufer_pool; did you mean buffer_pool"),
        (lambda: opened.relation("decoded.qpts"), "There is no table qpts; did you mean qpst"),
        (lambda: mqstat.Selection(types="114"), "Type 114 has no records of MQ: choose 115"),
        (lambda: mqstat.Selection(types=["115.1"]), "Type 115.1 has no records of MQ: choose 115"),
        (lambda: mqstat.Selection(since="yesterday"), "since yesterday is not a date or time"),
        (lambda: mqstat.Selection(until=dt.datetime(2026, 5, 21, tzinfo=dt.UTC)), "remove the time zone"),
        (lambda: list(mqstat.decode(cast("BinaryIO", io.StringIO("text")))), "a file opened with 'rb', not StringIO"),
        (lambda: mqstat.decode(data, ["qpts"]), "There is no table qpts; did you mean qpst"),
        (lambda: mqstat.decode(data, ["source"]), "counts over a whole input"),
        (lambda: mqstat.decode(data, {"qpst": ["pool"]}), "Table qpst has no column pool; did you mean pool_id"),
        (lambda: mqstat.decode(data, {"qpst": []}), "Table qpst: name at least one column"),
        (lambda: mqstat.decode(data, source_id=1 << 70), "source_id is from 0 to"),
        (lambda: mqstat.decode(data, first_record_id=-1), "first_record_id from 0 to"),
        (lambda: mqstat.decode(data, framing="rwd"), "There is no framing rwd; did you mean rdw"),
        (lambda: list(mqstat.decode(nothing)), "nothing.smf does not exist"),
        (lambda: list(mqstat.decode(b"This is not a dump. " * 300)), "bytes: "),
        (lambda: mqstat.open_dataset(tmp_path).__enter__(), "not a dataset"),
        (lambda: mqstat.open_dump(nothing).__enter__(), "nothing.smf does not exist"),
    ):
        with pytest.raises(mqstat.MqstatError) as raised:
            call()
        assert message in str(raised.value)
        assert "\n" not in str(raised.value)


# -------------------------------------------------------------------------------------------------------- import, guide


def test_import_loads_nothing() -> None:
    program = "import sys; before = set(sys.modules); import mqstat; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert set(done.stdout.split()) == {"mqstat", "mqstat.base", "mqstat.base.version"}, (
        "mqstat/__init__.py: import when a name is first used"
    )


def test_every_public_name_is_there_and_documented() -> None:
    assert set(mqstat.__all__) - {"__version__"} == set(mqstat._MODULES)
    for name in mqstat._MODULES:
        assert getattr(mqstat, name).__doc__, name
        assert name in GUIDE, f"docs/python.md: describe {name}"
        assert name in dir(mqstat)
    with pytest.raises(AttributeError, match="no attribute 'decoder'"):
        _ = mqstat.decoder  # type: ignore[attr-defined]


def test_the_examples_of_the_guide_run(tmp_path: Path) -> None:
    """The fences `pycon` with their results, in one session; the fence `python`, three lines, finds the full pool of
    the sample.
    """
    file_of(SCENARIOS["sample"].build(), tmp_path, "sample.smf")
    assert invoke("ingest", "sample.smf", "--into", "data", cwd=tmp_path).returncode == 0
    examples = re.findall(r"^```pycon\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    (script,) = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    assert len(examples) > 5
    assert len(list(filter(None, script.splitlines()))) == 3
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    with contextlib.chdir(tmp_path):
        test = doctest.DocTestParser().get_doctest("".join(examples), {}, "docs/python.md", "docs/python.md", 0)
        failed = runner.run(test, out=report.write).failed
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(script, {})  # noqa: S102 - one of our examples
    assert not failed, f"correct these examples of docs/python.md\n{report.getvalue()}"
    assert "'pool_id': 3" in printed.getvalue()
