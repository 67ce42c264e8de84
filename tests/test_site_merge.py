"""Facts of DISPLAY responses in a site file: lines are added, and nothing that the file has is changed."""

from __future__ import annotations

import tomllib
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from mqstat.assemble.site_merge import merge
from mqstat.fixtures.frame import smf_file
from mqstat.intake.display_facts import Facts, KnownFact
from mqstat.sql.site import load_site, parse_site
from tests.console_text import ALL, RESPONSES, syslog
from tests.support import built_records, file_of, invoke
from tests.test_display import EXPECTED

SITE = """\
# our site
[site]
active_log_mb = 4096   # since 2025
cf_entries = { APPL1 = 5 }

[qmgr.MQ07]   # orders
# logload = 0
maxchl   =   200 # old

[qmgr.MQ07.structure_bytes]
"APPL9" = 1

[rules.BP004.qmgr.MQ07]
off = true
reason = "batch"
"""


def facts(*listed: tuple[str, str | None, Any], qmgr: str = "MQ07") -> Facts:
    return Facts([KnownFact(qmgr, name, value, "DISPLAY X, a line 1", key) for name, key, value in listed])


def has_all_lines_of(text: str, former: str) -> bool:
    """Whether a text has all lines of another, in their order."""
    lines = iter(text.splitlines(keepends=True))
    return all(any(line == each for each in lines) for line in former.splitlines(keepends=True))


def test_new_facts_are_lines_below_the_header_of_their_table() -> None:
    merged = merge(
        SITE, facts(("logload", None, 500000), ("structure_bytes", "APPL1", 77), ("dsbufs", "APPL1", 100)), "site.toml"
    )
    assert has_all_lines_of(merged.text, SITE)
    assert (
        "[qmgr.MQ07]   # orders\nlogload = 500000  # DISPLAY X, a line 1\ndsbufs.APPL1 = 100  # DISPLAY X, a line 1\n"
        in merged.text
    )
    assert "[qmgr.MQ07.structure_bytes]\nAPPL1 = 77  # DISPLAY X, a line 1\n" in merged.text
    assert len(merged.written) == 3
    assert parse_site(merged.text, "s").facts("SYS1", "MQ07")["logload"] == 500000


@pytest.mark.parametrize(
    ("fact", "line"),
    [
        (("maxchl", None, 900), "# qmgr.MQ07.maxchl = 900  # DISPLAY X, a line 1; not changed\nmaxchl   =   200 # old\n"),
        (("active_log_mb", None, 2048.0), "# qmgr.MQ07.active_log_mb = 2048  # DISPLAY X, a line 1; not changed\nactive_log_mb = 4096"),
        (("cf_entries", "APPL1", 7), "# qmgr.MQ07.cf_entries.APPL1 = 7  # DISPLAY X, a line 1; not changed\ncf_entries = {"),
    ],
)  # fmt: skip
def test_a_fact_with_another_value_is_a_comment_and_is_stated(fact: tuple[str, str | None, Any], line: str) -> None:
    """Also if the file sets it for all queue managers."""
    merged = merge(SITE, facts(fact), "site.toml")
    assert has_all_lines_of(merged.text, SITE)
    assert line in merged.text
    assert tomllib.loads(merged.text) == tomllib.loads(SITE)
    assert merged.kept
    assert merged.kept[0].startswith("site.toml, line ")
    assert merge(merged.text, facts(fact), "site.toml").text == merged.text


def test_the_same_value_changes_nothing() -> None:
    merged = merge(SITE, facts(("maxchl", None, 200), ("active_log_mb", None, 4096.0)), "site.toml")
    assert merged.text == SITE
    assert len(merged.same) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a comment",
        "[qmgr.MQ07]",
        "[qmgr.MQ07]\n[site]\nqsg = 'A'",
        "[qmgr.'MQ07']\ncpus = 1\n",
        "[ qmgr . MQ07 ]\ncpus = 1\n",
        '[qmgr."SYS1.MQ07"]\ncpus = 1\n',
        "[qmgr.MQ07.buffers]\n3 = 1\n",
        "[site]\r\nqsg = 'A'\r\n\r\n[qmgr.MQ07]\r\ncpus = 1\r\n",
        "[site]\nlog_device = '''\n[qmgr.MQ07]\n'''\n",
        "[site]\nxmit_queues = [\n  '[qmgr.MQ07]',\n]\n",
        "[lpar.SYS1]\ncpus = 1\n# [qmgr.MQ07]\n",
        "[qmgr.MQ07] # \u2028[qmgr.MQ08]\ncpus = 1",
    ],
)
def test_facts_are_added_to_any_file(text: str) -> None:
    added = facts(("logload", None, 5), ("buffers", "4", 6), ("dsbufs", "APPL1", 7))
    merged = merge(text, added, "site.toml")
    assert not merged.kept
    assert has_all_lines_of(merged.text, text) or has_all_lines_of(merged.text, text + "\n")
    found = parse_site(merged.text, "s").facts("SYS1", "MQ07")
    assert (found["logload"], dict(found["buffers_by_pool"])[4], dict(found["dsbufs_by_structure"])) == (
        5,
        6,
        {"APPL1": 7},
    )
    assert ("\r\n" in text) == ("\r\n" in merged.text)
    assert "\n" not in merged.text.replace("\r\n", "") or "\r\n" not in text
    assert merge(merged.text, added, "site.toml").text == merged.text


@pytest.mark.parametrize(
    "text",
    ["qmgr.MQ07 = { cpus = 1 }\n", "[qmgr]\nMQ07.cpus = 1\n", "[qmgr.MQ07]\nbuffers = { 3 = 1 }\n", "qmgr = {}\n"],
)
def test_a_table_that_cannot_take_a_line_is_stated(text: str) -> None:
    merged = merge(text, facts(("buffers", "4", 6)), "site.toml")
    assert has_all_lines_of(merged.text, text)
    assert tomllib.loads(merged.text) == tomllib.loads(text)
    assert merged.kept == [
        "site.toml: qmgr.MQ07.buffers.4 = 6 (DISPLAY X, a line 1) cannot be added to a table in braces or with dots; add it there"
    ]


def test_many_facts_for_a_file_that_cannot_take_some_of_them() -> None:
    many = [(name, f"APPL{n}", n) for n in range(500) for name in ("dsbufs", "cf_entries")]
    start = process_time()
    merged = merge("[qmgr.MQ07]\ndsbufs = {}\n", facts(*many), "site.toml")
    assert (len(merged.written), len(merged.kept)) == (500, 500)
    assert process_time() - start < 5


def test_a_name_of_a_file_is_one_comment(tmp_path: Path) -> None:
    console = file_of(RESPONSES["DISPLAY CHINIT"][0].encode(), tmp_path, "a\nmaxchl = 1\n\x1b\u2028[site]\udcff")
    made = tmp_path / "site.toml"
    assert invoke("site", "init", "--display", console, "--output", made).returncode == 0
    assert load_site(made).facts("A", "MQ07")["maxchl"] == 900


def test_facts_of_several_queue_managers_keep_to_their_tables() -> None:
    mixed = (
        facts(("logload", None, 1)).facts
        + facts(("logload", None, 2), qmgr="MQ08").facts
        + facts(("wrthrsh", None, 3)).facts
    )
    data = tomllib.loads(merge("", Facts(mixed), "s").text)
    assert data == {"qmgr": {"MQ07": {"logload": 1, "wrthrsh": 3}, "MQ08": {"logload": 2}}}


# ---------------------------------------------------------------------------------------------------------- the command


def test_a_site_file_from_console_text(tmp_path: Path) -> None:
    console = file_of(ALL.encode(), tmp_path, "console.txt")
    made = tmp_path / "site.toml"
    finished = invoke("site", "init", "--display", console, "--output", made)
    assert finished.returncode == 0, finished.stderr
    assert f"{len(EXPECTED)} facts added, 0 already set, 0 not changed." in finished.stderr
    assert invoke("site", "check", made).returncode == 0
    found = load_site(made).facts("SYS1", "MQ07")
    assert found["logload"] == 4000000
    assert dict(found["dsbufs_by_structure"]) == {"APPL1": 100, "APPL2": 200, "APPL3": 400}
    assert "logload = 4000000  # DISPLAY SYSTEM, console.txt line " in made.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_site_file_from_a_dump_and_a_log(tmp_path: Path) -> None:
    dump = file_of(smf_file(built_records()), tmp_path, "dump.smf")
    console = file_of(syslog(RESPONSES["DISPLAY LOG"][0]).encode(), tmp_path, "syslog.txt")
    finished = invoke("site", "init", dump, "--display", console)
    assert finished.returncode == 0, finished.stderr
    assert "MQ07: responses to DISPLAY commands, but no records in the data." in finished.stderr
    assert "outbuff_kib = 4000  # DISPLAY LOG, syslog.txt line 5, 2026-05-27 09:30:01" in finished.stdout
    assert has_all_lines_of(finished.stdout, invoke("site", "init", dump).stdout)
    parse_site(finished.stdout, "s")


def test_a_site_file_that_sets_another_value(tmp_path: Path) -> None:
    console = file_of(ALL.encode(), tmp_path, "console.txt")
    site = file_of(SITE.replace("\n", "\r\n").encode(), tmp_path, "site.toml")
    made = tmp_path / "new.toml"
    finished = invoke("site", "init", "--display", console, "--site", site, "--output", made)
    assert finished.returncode == 4
    assert "site.toml, line 8: qmgr.MQ07.maxchl is 200, not 900 (DISPLAY CHINIT, console.txt line " in finished.stderr
    assert has_all_lines_of(made.read_bytes().decode(), site.read_bytes().decode())
    assert invoke("site", "check", made).returncode == 0
    assert invoke("site", "init", "--display", console, "--site", site, "--output", site).returncode == 16


@pytest.mark.parametrize(
    ("content", "arguments", "code", "sentence"),
    [
        (b"", (), 12, "no response to a DISPLAY command with a fact"),
        (bytes(range(256)) * 100, (), 12, "no response to a DISPLAY command with a fact"),
        (ALL.encode("cp037"), (), 12, "is EBCDIC: transfer it as text"),
        (ALL.encode("utf-16"), (), 0, "facts added"),
        (b"CSQP001I @# Buffer pool 2 has 5000 buffers\n", (), 16, "add --qmgr NAME."),
        (b"CSQP001I @# Buffer pool 2 has 5000 buffers\n", ("--qmgr", "MQ01"), 0, "1 fact added"),
        (b"CSQM201I !A X DISPLAY QMGR DETAILS\nQMNAME(A)\nMAXCHL(5)\nDEADQ(\x1b[31m<b>)\nEND QMGR DETAILS\n", (), 12, "DEADQ is '?[31m<b>'"),
        (b"CSQM201I !A X DISPLAY QMGR DETAILS\nQMNAME(A)\nMAXCHL(5)\nFOO\x1b(\nEND QMGR DETAILS\n", (), 12, r"console.txt, line 4 'FOO\x1b(' has no complete KEYWORD(VALUE)"),
        (b"see CSQP001I and others\nCSQU058I 0 failed\n", (), 12, "console.txt, line 1 'see CSQP001I and others' has an MQ message after a prefix"),
        (b"\nCSQU058I 0 failed\n", (), 12, "console.txt (first MQ message in line 2): no response"),
    ],
)  # fmt: skip
def test_return_codes(tmp_path: Path, content: bytes, arguments: tuple[str, ...], code: int, sentence: str) -> None:
    finished = invoke("site", "init", "--display", file_of(content, tmp_path, "console.txt"), *arguments)
    assert (finished.returncode, sentence in finished.stderr) == (code, True), finished.stderr
    assert all(line.startswith("mqstat: ") for line in finished.stderr.splitlines())
    assert finished.stderr.isascii()
    assert "\x1b" not in finished.stderr + finished.stdout
    if code in (12, 16):
        assert finished.stdout == ""


@pytest.mark.parametrize("arguments", [("--display", "absent.txt"), ("--site", "absent.toml")])
def test_files_that_do_not_exist(arguments: tuple[str, ...]) -> None:
    finished = invoke("site", "init", *arguments)
    assert finished.returncode in (12, 16)
    assert len(finished.stderr.splitlines()) == 1
