"""mqstat prove: the figure of every finding with its formula, its records, and the bytes of the fields in it."""

from __future__ import annotations

import gzip
import hashlib
import html
import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from mqstat.assemble.check import check
from mqstat.assemble.proof import GONE, NO_DUMP, Fetch, Part, Proof, RecordShown, proof_of, prove
from mqstat.base.card_key import card_key
from mqstat.base.errors import UsageError
from mqstat.base.json_object import json_text
from mqstat.fixtures import scenarios
from mqstat.intake.by_field import RawRecord, find_records, record_hash, rows_of, sections_of
from mqstat.intake.open_data import open_data
from mqstat.judge.model import level_number, rules
from mqstat.parsers import LAYOUTS
from mqstat.render import proof as rendering
from mqstat.sources.source import find_sources
from mqstat.sql.workspace import Workspace
from tests.golden_parts import schema_lines
from tests.support import file_of, invoke

Golden = Callable[[str, str], None]


def page_of(proof: Proof) -> str:
    """The page of a proof."""
    stream = io.StringIO()
    rendering.write(proof, "html", stream, 132)
    return stream.getvalue()


@pytest.fixture(scope="module")
def exhausted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(scenarios.find("pool_exhausted").build(), tmp_path_factory.mktemp("dump"), "dump.smf")


@pytest.fixture(scope="module")
def dataset(exhausted: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets") / "set"
    assert invoke("ingest", exhausted, "--into", folder).returncode == 0
    return folder


@contextmanager
def opened(*dumps: Path) -> Iterator[tuple[Workspace, Fetch]]:
    """The database of some dumps after its rules ran, and what reads records from them."""
    names = [str(dump) for dump in dumps]
    with open_data(names) as db:
        check(db)
        yield db, lambda wanted: find_records(find_sources(names), wanted)


@pytest.fixture(scope="module")
def of_pool(exhausted: Path) -> Iterator[tuple[Workspace, Fetch]]:
    with opened(exhausted) as both:
        yield both


@pytest.fixture(scope="module")
def plain(of_pool: tuple[Workspace, Fetch]) -> Proof:
    """The proof of the finding that most tests are about."""
    db, fetch = of_pool
    (row,) = [row for row in findings(db) if row["rule_id"] == "BP002"]
    return proof_of(db, rules()["BP002"], row, "BP002/MQ01", fetch)


def findings(db: Workspace, *outcomes: str) -> list[dict[str, Any]]:
    """The outcomes of the rules that have a figure."""
    rows = db.rows("SELECT * FROM finding WHERE observed IS NOT NULL ORDER BY ALL")
    return [row for row in rows if row["outcome"] in (outcomes or ("breach",))]


def owners_of(db: Workspace) -> list[tuple[str | None, str | None]]:
    return [(row["lpar"], row["qmgr"]) for row in db.rows("SELECT lpar, qmgr FROM qmgr")]


def proofs(db: Workspace, fetch: Fetch, *outcomes: str) -> Iterator[tuple[dict[str, Any], Proof]]:
    """The proof of every outcome of a rule; of a clear rule on a queue manager that of two subjects."""
    seen: dict[tuple[Any, ...], int] = {}
    for row in findings(db, *outcomes):
        place = (row["rule_id"], row["lpar"], row["qmgr"], row["outcome"])
        seen[place] = seen.get(place, 0) + 1
        if row["outcome"] == "breach" or seen[place] <= 2:
            rule = rules()[row["rule_id"]]
            yield row, proof_of(db, rule, row, card_key(rule.id, (row["lpar"], row["qmgr"]), owners_of(db)), fetch)


def check_proof(db: Workspace, fetch: Fetch, row: dict[str, Any], proof: Proof) -> None:
    """The figure is that of the report, a formula gives it with its values, and every field is what its bytes and the
    decoded row have.
    """
    assert (proof.observed, proof.limit, proof.return_code) == (row["observed"], row["limit_value"], 0), proof.key
    assert proof.figure
    if proof.with_values:
        formula, _, value = proof.with_values.rpartition(" = ")
        formula = re.sub(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", r"\g<0>e0", formula)  # as DOUBLE, as in the views
        [(computed,)] = db.execute(f"SELECT ({formula})::DOUBLE").fetchall()
        assert computed == pytest.approx(float(value), rel=1e-9, abs=1e-9), (proof.key, proof.with_values)
        assert computed == pytest.approx(row["observed"], rel=1e-9, abs=1e-9), (proof.key, proof.with_values)
    if row["evidence_record_id"] is not None:
        assert proof.records[0].record_id == row["evidence_record_id"]
    hashes = {bytes.fromhex(record.hash): record.length for record in proof.records}
    copies = fetch(hashes)
    for record in proof.records:
        copy = copies[bytes.fromhex(record.hash)]
        assert (record.offset, record.length) == (copy.offset, len(copy.content))
        assert record_hash(copy.content).hex() == record.hash
        for part in record.parts:
            for line in part.lines:
                assert line.content == copy.content[line.at : line.at + len(line.content) // 2].hex(), (proof.key, line)
            check_values(db, record, part)


def check_values(db: Workspace, record: RecordShown, part: Part) -> None:
    """The numbers that are shown are those of the decoded tables, which the vectorised decoder reads."""
    table = re.match(r"\w+", part.title)
    if table is None or table[0] in ("SMF", "qwhs"):
        return
    layout = LAYOUTS[table[0]]
    known: set[str] = set()
    tables = db.rows("SELECT table_name FROM information_schema.tables WHERE table_schema = 'decoded'")
    for name in {layout.name, *(child.name for child in layout.children)} & {row["table_name"] for row in tables}:
        cursor = db.execute(f"SELECT * FROM decoded.{name} WHERE record_id = {record.record_id}")
        known |= {str(value) for row in cursor.fetchall() for value in row}
    for line in part.lines[1:]:
        value = line.value.split(" ")[0]
        if re.fullmatch(r"\d+", value) and "(" not in line.value:
            assert value in known, (record.record_id, part.title, line)


def test_every_finding_ends_with_the_figure_of_the_report(of_pool: tuple[Workspace, Fetch]) -> None:
    checked = list(proofs(*of_pool, "breach"))
    assert checked
    for row, proof in checked:
        check_proof(*of_pool, row, proof)


@pytest.mark.parametrize("name", ["sample", "queues_used_badly", "channels_troubled", "log_offload_lagging"])
def test_every_finding_of_a_scenario_ends_with_the_figure_of_the_report(name: str, tmp_path: Path) -> None:
    with opened(file_of(scenarios.find(name).build(), tmp_path)) as (db, fetch):
        for row, proof in proofs(db, fetch):
            check_proof(db, fetch, row, proof)


@pytest.mark.parametrize("name", ["TEST115.dat", "TESTCHL.dat", "MQ10_MQ1O.dat"])
def test_every_figure_of_a_real_dump_ends_with_the_figure_of_the_report(name: str, dumps: Path) -> None:
    with opened(dumps / name) as (db, fetch):
        checked = list(proofs(db, fetch, "breach", "clear"))
        assert sum(fields_of(proof) > 0 for _, proof in checked) > 50
        for row, proof in checked:
            check_proof(db, fetch, row, proof)


def fields_of(proof: Proof) -> int:
    """How many fields of sections a proof shows."""
    return sum(len(part.lines) - 1 for record in proof.records for part in record.parts[1:])


def test_most_rules_show_the_fields_of_their_figure(tmp_path: Path) -> None:
    """Rules are counted, so that a view whose lineage is not known is noticed."""
    shown, with_values, others = set[str](), set[str](), set[str]()
    with opened(file_of(scenarios.find("rich_estate").build(), tmp_path)) as (db, fetch):
        for row, proof in proofs(db, fetch, "breach", "clear"):
            check_proof(db, fetch, row, proof)
            (shown if fields_of(proof) else others).add(row["rule_id"])
            if proof.with_values:
                with_values.add(row["rule_id"])
    assert len(shown) >= 123
    assert shown >= {"CV003", "CV006", "CV014", "DQ018"}
    assert len(others - shown) <= 25
    assert with_values >= {"CF003", "CH003", "CN009", "SM003", "TA001"}


def test_the_section_of_the_subject_is_shown_and_no_other(plain: Proof) -> None:
    [record] = plain.records
    _, section = record.parts
    assert section.title == "qpst section 2 at 252, 104 bytes"
    triplet, field = section.lines
    assert (triplet.value, field.name, field.value) == ("44, 104, 4", "qpstdmc", "1840")
    assert int(field.content, 16) == plain.observed == 1840


@pytest.mark.parametrize(
    ("name", "key", "observed"),
    [("damaged_transfer", "CV014/MQ01", 3), ("overlapping_intervals", "DQ018/MQ01", 65)],
)
def test_lost_and_repeated_numbers_are_shown_in_the_headers(name: str, key: str, observed: int, tmp_path: Path) -> None:
    with opened(file_of(scenarios.find(name).build(), tmp_path)) as (db, fetch):
        proof = prove(db, key, fetch)
    assert proof.observed == observed
    names = {line.name for record in proof.records for part in record.parts for line in part.lines}
    assert "qwhsiseq" in names


def test_text_and_page_of_one_finding(exhausted: Path, plain: Proof, golden: Golden) -> None:
    done = invoke("prove", "BP002/MQ01", exhausted)
    assert (done.returncode, done.stderr) == (0, "")
    golden("prove/BP002.txt", done.stdout)
    page = re.sub(r"mqstat \d[\w.]*", "mqstat VERSION", page_of(plain))
    golden("prove/BP002.html", re.sub("<style>.*?</style>", "<style></style>", re.sub("sha256-[^&]*", "sha256-", page), flags=re.DOTALL))  # fmt: skip


class _Page(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_has_a_strict_policy_no_script_and_all_that_text_has(plain: Proof) -> None:
    page = page_of(plain)
    assert re.search(
        r"default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'", html.unescape(page)
    )
    parsed = _Page(page)
    assert not {"script", "iframe", "object", "form"} & set(parsed.tags)
    assert plain.records
    assert plain.rest
    for record in plain.records:
        assert record.hash in parsed.text
        for line in (line for part in record.parts for line in part.lines):
            assert line.content.upper() in parsed.text
    assert plain.rest.digest in parsed.text


def test_json_fits_its_schema(of_pool: tuple[Workspace, Fetch], golden: Golden) -> None:
    text = invoke("prove", "--schema").stdout
    golden("schema/prove.txt", "\n".join(schema_lines(json.loads(text))) + "\n")
    jsonschema_rs.meta.validate(json.loads(text))
    of_schema = jsonschema_rs.Draft202012Validator(json.loads(text))
    for _, proof in proofs(*of_pool, "breach"):
        of_schema.validate(json.loads(json_text(rendering.as_object(proof))))


def test_names_of_records_are_escaped(tmp_path: Path) -> None:
    with opened(file_of(scenarios.find("hostile_everywhere").build(), tmp_path)) as (db, fetch):
        made = [proof for _, proof in proofs(db, fetch, "breach")]
    assert made
    for proof in made:
        text, page = "\n".join(rendering.text_lines(proof, 132)), page_of(proof)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2066]", text + page)
        assert "script" not in _Page(page).tags
        json_text(rendering.as_object(proof))


# --- datasets and dumps


def test_the_query_of_the_rest_gives_its_counts_and_its_digest(plain: Proof, dataset: Path) -> None:
    assert plain.rest is not None
    rows = json.loads(invoke("sql", plain.rest.query, "--from", dataset, "--format", "json").stdout)
    assert sum(plain.rest.counts.values()) == len(rows) > 0
    with open_data(dataset=dataset) as db:
        hashes = [row["record_hash"] for row in db.rows(plain.rest.query)]
    assert hashlib.sha256(b"".join(hashes)).hexdigest() == plain.rest.digest


def test_a_dataset_without_its_dump_shows_hash_and_place(dataset: Path) -> None:
    done = invoke("prove", "BP002/MQ01", "--from", dataset)
    assert done.returncode == 0
    assert NO_DUMP in " ".join(done.stdout.split())
    assert re.search(r"hash [0-9a-f]{32}", done.stdout)
    assert re.search(r"generation \d", done.stdout)


@pytest.mark.parametrize("kind", ["renamed", "compressed"])
def test_the_content_of_a_dump_decides_not_its_name(kind: str, exhausted: Path, dataset: Path, tmp_path: Path) -> None:
    other = tmp_path / "another name.bin"
    other.write_bytes(gzip.compress(exhausted.read_bytes()) if kind == "compressed" else exhausted.read_bytes())
    made = json.loads(invoke("prove", "BP002/MQ01", "--from", dataset, "--dump", other, "--format", "json").stdout)
    plain = json.loads(invoke("prove", "BP002/MQ01", exhausted, "--format", "json").stdout)
    assert made["observed"] == plain["observed"]
    assert [record["parts"] for record in made["records"]] == [record["parts"] for record in plain["records"]]
    record_id = str(made["records"][0]["record_id"])
    traced = invoke("trace", other, record_id, "--from", dataset)
    assert traced.returncode == 0
    assert traced.stdout == invoke("trace", exhausted, record_id, "--from", dataset).stdout


def changed(dump: Path, record: dict[str, Any], folder: Path) -> Path:
    """The dump under the same name with another value in the field that decides."""
    line = record["parts"][-1]["lines"][-1]
    data = bytearray(dump.read_bytes())
    assert data[record["offset"] + line["at"] :].startswith(bytes.fromhex(line["content"]))
    data[record["offset"] + line["at"] + 3] ^= 1
    return file_of(bytes(data), folder, dump.name)


def test_a_changed_dump_of_the_same_name_is_refused_with_both_hashes(
    exhausted: Path, dataset: Path, tmp_path: Path
) -> None:
    record = json.loads(invoke("prove", "BP002/MQ01", exhausted, "--format", "json").stdout)["records"][0]
    other = changed(exhausted, record, tmp_path)
    traced = invoke("trace", other, str(record["record_id"]), "--from", dataset)
    assert traced.returncode == 12
    assert traced.stdout == ""
    both = re.findall(r"hash ([0-9a-f]{32})", traced.stderr)
    assert both[0] == record["hash"]
    assert both[1] == json.loads(invoke("prove", "BP002/MQ01", other, "--format", "json").stdout)["records"][0]["hash"]
    made = invoke("prove", "BP002/MQ01", "--from", dataset, "--dump", other)
    assert made.returncode == 12
    assert GONE in " ".join(made.stdout.split())


def test_a_damaged_record_that_decides_is_shown_as_far_as_it_can_be_read(tmp_path: Path) -> None:
    dump = file_of(scenarios.find("damaged_transfer").build(), tmp_path)
    with opened(dump) as (db, fetch):
        made = [proof for _, proof in proofs(db, fetch, "breach") if proof.rule_id.startswith("DQ")]
    assert made
    shown = [record for proof in made for record in proof.records]
    assert all(record.parts[0].title == "SMF header" for record in shown)


def test_a_record_in_a_dump_is_cut_into_the_sections_of_its_rows(of_pool: tuple[Workspace, Fetch]) -> None:
    """Triplets read one by one give as many sections of each structure as the vectorised reader."""
    db, fetch = of_pool
    rows = db.rows("SELECT * FROM decoded.record WHERE outcome = 'decoded'")
    copies = fetch({row["record_hash"]: row["record_bytes"] for row in rows})
    records = [RawRecord(row, copies[row["record_hash"]], level_number(row["mq_version"])) for row in rows]
    for table in ("qpst", "qjst", "qmst", "qct_adp"):
        [(count,)] = db.execute(f"SELECT count(*) FROM decoded.{table}").fetchall()
        assert len(list(rows_of(records, table))) == count
    assert all(
        each.at + each.length <= len(record.content) for record in records for each in sections_of(record.content)
    )


# --- use


def test_a_rule_that_is_clear_has_a_proof_too(of_pool: tuple[Workspace, Fetch]) -> None:
    proof = prove(of_pool[0], "LG001/MQ01", of_pool[1])
    assert (proof.state, proof.return_code) == ("clear", 0)
    assert fields_of(proof)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Specify the key of a finding"),
        (["BP0O2/MQ01"], "there is no rule BP0O2"),
        (["BP002/MQ01", "--dump", "x"], "--dump DUMP names the dump of a dataset"),
        (["BP002/MQ01", "--format", "csv"], "choose text, html or json"),
    ],
)  # fmt: skip
def test_wrong_use_is_explained(arguments: list[str], message: str, exhausted: Path) -> None:
    done = invoke("prove", *arguments, *([exhausted] if arguments else []))
    assert done.returncode == 16
    assert message in done.stderr


def test_standard_input_cannot_be_read_twice() -> None:
    assert "specify a file instead" in invoke("prove", "BP002/MQ01", "-").stderr


def test_a_key_of_another_lpar_is_refused(of_pool: tuple[Workspace, Fetch]) -> None:
    with pytest.raises(UsageError, match="is not a queue manager of the data"):
        prove(of_pool[0], "BP002/SYS9.MQ01", of_pool[1])
