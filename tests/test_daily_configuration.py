"""The configuration of daily runs, and the index of their reports."""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from itertools import product
from pathlib import Path

import pytest

from mqstat.assemble.history import memory
from mqstat.base.errors import ConfigError, SiteError
from mqstat.base.toml_model import fields, table_of
from mqstat.cli import run as command
from mqstat.daily import inbox as arriving
from mqstat.daily import index, mail
from mqstat.daily import state as states
from mqstat.daily.config import FORMATS, Config, Output, load_config
from mqstat.daily.index_findings import index_findings
from mqstat.daily.initial import initial
from mqstat.daily.status import Codes
from mqstat.dataset.store import open_dataset
from mqstat.fixtures.day import intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.sql.site import FACTS, RATE_PATTERNS, RATE_PRICES, load_site, parse_site
from tests.browser import Chromium
from tests.finding_days import Planted, plant
from tests.installation import DAY, NEXT, Installation, dump, installed_fixture, real_fixture  # noqa: F401 - fixtures

# -------------------------------------------------------------------------------------------------------- configuration


def test_the_initial_configuration(installed: Installation) -> None:
    """It is valid, states the defaults, and has each key of the models, as a comment too."""
    installed.config.unlink()
    assert command(["daily", "--init", str(installed.config)]) == 0
    text = installed.config.read_text()
    assert text == initial(installed.config)[0]
    assert command(["daily", "--init", str(installed.config)]) == 16
    assert "already exists" in installed.capsys.readouterr().err
    assert command(["daily", "--check", str(installed.config)]) == 0
    shown = installed.capsys.readouterr().out
    assert "daily.toml is valid" in shown
    assert "mail     none is sent: daily.toml has no table [mail]" in shown
    installed.config.write_text(VALID)
    config, plain = load_config(installed.config), tomllib.loads(text)
    for table, values in plain.items():
        for name, value in (values if isinstance(values, dict) else {}).items():
            if name not in ("folder", "keep_days"):
                default = getattr(getattr(config, table), name)
                assert (list(default) if isinstance(default, tuple) else default) == value, (table, name)
    whole = re.sub(r"^#(\w+ = |\[)", r"\1", text, flags=re.MULTILINE)
    given = tomllib.loads(whole)
    models = [
        (given, Config),
        *(
            (given[field.name], table_of(field.type))
            for field in fields(Config)
            if field.name in given and isinstance(given[field.name], dict)
        ),
    ]
    for values, model in models:
        assert model is not None
        assert set(values) == {field.name for field in fields(model)}
    assert {name for values in given["output"] for name in values} == {field.name for field in fields(Output)}
    for name in FORMATS:
        assert name in re.findall(r"(?m)^# Formats of the report: (.*)", text)[0]
    installed.config.write_text(whole.replace('password_variable = "', '#"'))
    config = load_config(installed.config)
    assert config.expect.qmgrs == ("MQ01", "SYS2.MQ02")
    assert [(output.format, output.into.name) for output in config.output] == [
        ("openmetrics", "feeds"), ("folder", "frozen"), ("postgresql", ""),
    ]  # fmt: skip
    assert command(["daily", "--check", str(installed.config)]) == 16  # it has no key to sign with
    checked = installed.capsys.readouterr().out
    assert f"output   openmetrics ({installed.root / 'feeds'})\n" in checked
    assert "output   postgresql (mqstat) of postgresql://loader@db" in checked


@pytest.mark.slow
def test_the_initial_configuration_expects_the_queue_managers_of_a_dataset(installed: Installation) -> None:
    """Those of the dataset that is named, or is at the usual path; one that moved to another LPAR is named without
    it.
    """
    for number, (day, qmgr, lpar) in enumerate(
        [
            (DAY, "MQ01", "SYS1"),
            (NEXT, "MQ01", "SYS2"),
            (DAY, "MQ02", "SYS1"),
            (NEXT, "MQ03", "SYS1"),
            (NEXT, "MQ03", "SYS2"),
        ]
    ):
        installed.arrive(f"{number}.smf", dump(day, qmgr, lpar))
    assert installed.run(NEXT)[0] == 0
    expected = ("MQ01", "MQ02", "SYS1.MQ03", "SYS2.MQ03")
    other = installed.root / "other.toml"
    assert command(["daily", "--init", str(other)]) == 0
    assert load_config(other).expect.qmgrs == expected
    moved = installed.dataset.rename(installed.root / "elsewhere")
    other.unlink()
    assert command(["daily", "--init", str(other), "--from", str(moved)]) == 0
    assert (load_config(other).expect.qmgrs, load_config(other).dataset.folder) == (expected, moved)
    other.unlink()
    assert command(["daily", "--init", str(other), "--from", str(installed.root / "inbox")]) == 16
    assert not other.exists()
    assert command(["daily", str(installed.config), "--from", str(moved)]) == 16
    assert "--from is an option of --init" in installed.capsys.readouterr().err


VALID = """wait_seconds = 5
[inbox]
folder = "inbox"
[dataset]
folder = "dataset"
[reports]
folder = "reports"
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (VALID + "keep_dayz = 3\n", "daily.toml, line 8: reports.keep_dayz is not known; did you mean keep_days."),
        ("wait = 5\n" + VALID, "daily.toml, line 1: wait is not known; did you mean wait_seconds."),
        ("keep_days = 5\n" + VALID, "line 1: keep_days is not known; it belongs in [dataset] or [reports]."),
        (VALID + "[report]\n", "line 8: report is not known; did you mean reports."),
        (VALID + "keep_days = -1\n", "line 8: reports.keep_days must be a whole number, 0 or more."),
        (VALID + 'keep_days = "30"\n', "line 8: reports.keep_days must be a whole number"),
        (VALID + "keep_days = true\n", "line 8: reports.keep_days must be a whole number"),
        (VALID + 'formats = ["html", "pdf"]\n', f"line 8: reports.formats must be a list of one or more of {', '.join(FORMATS)}."),
        (VALID + 'formats = ["html\\n"]\n', "line 8: reports.formats must be a list of one or more"),
        (VALID + "formats = []\n", "line 8: reports.formats must be a list of one or more"),
        (VALID + "damage_limit_percent = 101\n", "line 8: reports.damage_limit_percent must be a number from 0 to 100."),
        (VALID + "baseline_days = 121\n", "line 8: reports.baseline_days must be a whole number from 0 to 120."),
        (VALID + "[inbox.more]\n", "line 8: inbox.more is not known"),
        (VALID + '[expect]\nqmgrs = "MQ01"\n', "line 9: expect.qmgrs must be a list of texts"),
        (VALID + '[output]\nformat = "openmetrics"\n', "line 8: output must be a table: write [[output]] on a line of its own."),
        (VALID + '[[output]]\nformat = "openmetrics"\ninto = "a"\n[[output]]\nformat = "xml"\n', "line 12: output.format must be one of ndjson, "),
        (VALID + '[[output]]\nformat = "openmetrics"\n', "line 8: output.into is missing; it must be a path in quotes."),
        (VALID + '[[output]]\nformat = "openmetrics"\ninto = "a"\nschema = "b"\n', "line 11: output.schema is not a key of an output openmetrics; remove it."),
        (VALID + '[[output]]\nformat = "postgresql"\ninto = "a"\n', "line 10: output.into is not a key of an output postgresql; remove it."),
        (VALID + '[[output]]\nformat = "folder"\n', "line 8: output.into is missing; it must be a path in quotes."),
        (VALID + '[[output]]\nformat = "openmetrics"\ninto = "inbox/a"\n', "line 10: output.into lies in inbox.folder; specify another folder."),
        (VALID + '[[output]]\nformat = "openmetrics"\ninto = "a"\n' * 2, "line 13: output.into has the same files as another output"),
        (VALID + '[[output]]\nformat = "postgresql"\ndatabase = "postgresql://me:geheim@db/x"\n', "line 10: output.database must be an address without a password"),
        (VALID + '[[output]]\nformat = "postgresql"\nviews = ["recrod"]\n', "line 10: output.views has recrod, which is not a view that can be loaded; did you mean record."),
        (VALID + f'[[output]]\nformat = "postgresql"\nschema = "{"é" * 32}"\n', "line 10: output.schema must be a name in quotes, of 1 to 63 bytes"),
        (VALID + '[[output]]\nformat = "postgresql"\n[[output]]\nformat = "postgresql"\n', "line 10: output has the same schema as another output"),
        (VALID + '[outputs]\n', "line 8: outputs is not known; did you mean output."),
        ('time_zone = "Europe/Atlantis"\n' + VALID, "line 1: time_zone must be the name of a time zone"),
        ('time_zone = "../../etc/passwd"\n' + VALID, "line 1: time_zone must be the name of a time zone"),
        ("jobs = 0\n" + VALID, "line 1: jobs must be a whole number, 1 or more."),
        ("inbox = 3\n", "line 1: inbox must be a table: write [inbox] on a line of its own."),
        (VALID.replace('folder = "inbox"', ""), "line 2: inbox.folder is missing; it must be a path in quotes."),
        ("", "daily.toml: the table [inbox] is missing; add it."),
        (VALID.replace('"reports"', '"inbox/reports"'), "line 7: reports.folder lies in inbox.folder; the three folders must be separate."),
        (VALID.replace('"inbox"', '"."'), "lies in inbox.folder"),
        (VALID.replace('"dataset"', '"x/../reports"'), "must be separate"),
        (VALID.replace('"dataset"\n', '"dataset"\nkeep_days = 28\n'), "line 6: dataset.keep_days is 28, so there are no 28 days to compare with"),
        (VALID + "keep_days = \n", "daily.toml, line 8: the configuration is not TOML"),
        (VALID + 'folder = "twice"\n', "daily.toml, line 8: the configuration is not TOML"),
        ('[inbox]\nfolder = "D:\\smf"\n', "daily.toml, line 2: the configuration is not TOML"),
    ],
)  # fmt: skip
def test_faults_of_a_configuration_name_the_line(installed: Installation, text: str, message: str) -> None:
    installed.config.write_text(text, encoding="utf-8")
    code, output = installed.run()
    assert code == 16
    assert message in output
    assert output.count("\n") == 1
    assert not installed.reports.exists()
    assert not installed.dataset.exists()


MAIL = {
    "host": '"localhost"', "user": '"mqstat"', "password_file": '"password"', "from": '"mqstat@example.com"', "to": '["team@example.com"]',
}  # fmt: skip


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"host": ""}, "line 9: mail.host is missing; it must be a text in quotes."),
        ({"password": '"x"'}, "mail.password is not known; did you mean password_file or password_variable."),
        ({"to": "[]"}, 'mail.to must be a list of addresses, such as ["mq@example.com"].'),
        ({"to": r'["a@b\nBcc: c@d"]'}, "mail.to must be a list of addresses"),
        ({"from": r'"a@b\n"'}, "mail.from must be an address in quotes, such as mq@example.com."),
        ({"from": '"Team"'}, "mail.from must be an address in quotes, such as mq@example.com."),
        ({"port": "70000"}, "mail.port must be a whole number from 1 to 65535."),
        ({"security": '"ssl"'}, "mail.security must be one of starttls, tls, none."),
        ({"security": '"none"'}, "mail.security would send the password unprotected; specify starttls or tls, or remove mail.user."),
        ({"password_file": ""}, "mail.user needs a password: specify mail.password_file or mail.password_variable."),
        ({"user": ""}, "mail.password_file needs a user: specify mail.user."),
        ({"password_variable": '"X"'}, "mail.password_variable cannot be combined with password_file; remove one of them."),
        ({"when": '"daily"'}, "mail.when must be one of always, problems, failures."),
        ({"link": r'"a\u0007"'}, "mail.link must be an address or a path in quotes."),
        ({"attach": '"pdf"'}, "mail.attach must be one of page, text, nothing."),
        ({"attach": '"page"'}, "mail.attach needs html in reports.formats."),
    ],
)  # fmt: skip
def test_faults_of_the_table_mail_name_the_key(installed: Installation, keys: dict[str, str], message: str) -> None:
    mail = "".join(f"{name} = {value}\n" for name, value in (MAIL | keys).items() if value)
    installed.config.write_text(f'{VALID}formats = ["text"]\n[mail]\n{mail}', encoding="utf-8")
    code, output = installed.run()
    assert code == 16
    assert re.match(r"mqstat: daily.toml, line \d+: ", output)
    assert message in output
    assert output.count("\n") == 1


def test_a_check_reads_the_password_and_does_not_show_it(installed: Installation) -> None:
    mail = "".join(f"{name} = {value}\n" for name, value in MAIL.items())
    installed.config.write_text(f"{VALID}[mail]\n{mail}", encoding="utf-8")
    code, output = installed.run(NEXT, "--check")
    assert code == 16
    assert f"{installed.root / 'password'} (mail.password_file) cannot be read" in output
    (installed.root / "password").write_text("correct horse\n")
    (installed.root / "password").chmod(0o600)
    code, output = installed.run(NEXT, "--check")
    assert code == 0
    assert "mail     problems: to team@example.com through localhost (starttls)" in output
    assert "horse" not in output


def test_a_configuration_that_cannot_be_read(installed: Installation) -> None:
    installed.config.unlink()
    code, output = installed.run()
    assert code == 16
    assert "mqstat daily --init" in output
    installed.config.write_bytes(b"\xff\xfe\x00")
    assert "it is not UTF-8 text" in installed.run()[1]
    installed.config.write_text("#" * 1_000_001)
    assert "has more than 1,000,000 characters" in installed.run()[1]
    installed.config.write_text("wait_seconds = 0\n" + "a." * 50_000 + "a = 1\n")
    assert "line 2: the configuration is not TOML: it has more than 5,000 dots" in installed.run()[1]
    installed.config.unlink()
    installed.config.symlink_to("/dev/zero")
    assert "has more than 1,000,000 characters" in installed.run()[1]


def test_a_byte_order_mark_is_no_part_of_a_configuration(installed: Installation) -> None:
    installed.config.write_bytes(b"\xef\xbb\xbf" + installed.config.read_bytes())
    installed.arrive("SMF.D1", dump())
    assert installed.run()[0] == 0


def test_no_inbox(installed: Installation) -> None:
    (installed.root / "inbox").rmdir()
    code, output = installed.run()
    assert code == 16
    assert "does not exist; is the file system mounted? Nothing was done." in output
    assert not installed.reports.exists()
    (installed.root / "inbox").write_text("")
    assert "is no folder" in installed.run()[1]


def test_a_site_file_with_a_fault_stops_before_anything_is_done(installed: Installation) -> None:
    (installed.root / "site.toml").write_text("[site]\nactive_logz = 3\n")
    installed.configure(reports='formats = ["text"]\nbaseline_days = 0\nsite = "site.toml"')
    installed.arrive("a.smf", dump())
    code, output = installed.run()
    assert code == 16
    assert "site.toml, line 2" in output
    assert not installed.dataset.exists()


def test_an_invalid_date(installed: Installation) -> None:
    assert installed.run("yesterday")[0] == 16


def test_the_calendar_is_that_of_the_time_zone(installed: Installation) -> None:
    dates = set()
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):  # 25 hours apart
        installed.configure(top=f'time_zone = "{zone}"')
        dates.add(load_config(installed.config).today())
    assert len(dates) == 2


# ------------------------------------------------------------------------------------------------------------ the index


def test_untrusted_names_are_shown_literally(installed: Installation) -> None:
    day = states.Day(
        "x",
        8,
        {"critical": 1},
        ('CRITICAL BP001 <script>alert(1)</script> "\u202e',),
        (("<b>", "MQ'1"),),
        {"html": "a.html"},
    )
    state = states.State({DAY: day})
    path = installed.root / "index.html"
    with path.open("w", encoding="utf-8") as stream:
        index.render_index(index.index_rows(state, NEXT), NEXT, ["<i>note</i>"], stream)
    text = path.read_text(encoding="utf-8")
    assert text.count("<script") == 1, "that of the page"
    assert "<i>" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "\u202e" not in text
    assert " style=" not in text
    assert not re.findall(r"(?:src|href)=\"(?!a\.html|#|data:,)", text)


def test_the_index_does_not_grow_without_bound(installed: Installation) -> None:
    day = states.Day("x", 0, {}, (), (("SYS1", "MQ01"),), {"html": "a.html"})
    state = states.State({dt.date(1990, 1, 1): day, DAY: day, DAY - dt.timedelta(days=3): day})
    rows = index.index_rows(state, NEXT + dt.timedelta(days=1))
    assert [row.day for row in rows[:5]] == [DAY + dt.timedelta(days=number) for number in (1, 0, -1, -2, -3)]
    assert len(rows) == 6
    assert index.index_rows(states.State(), NEXT) == []


def test_a_day_of_which_hardly_anything_was_judged_is_not_green() -> None:
    day = states.Day("x", 0, {}, (), (("SYS1", "MQ01"),), {"html": "a.html"}, (), "partly judged")
    (row,) = index.index_rows(states.State({DAY: day}), NEXT)
    assert (row.state, row.word) == ("partly judged", "partly judged")
    assert "no findings, partly judged, return code 0" in mail.mail(DAY, day, [], {}, Codes(day=0))


def test_a_missing_inbox_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        arriving.files_of(tmp_path / "nowhere", ["*"])


@pytest.mark.slow
def test_dumps_as_the_jobs_ship_them(installed: Installation) -> None:
    """With RDW alone, as FTP sends them, and in blocks with BDW and RDW, as they lie in the file that sftp sends."""
    records = intervals(QueueManager("MQ01", "SYS1"), dt.datetime.combine(DAY, dt.time(8)), 2, with_accounting=False)
    installed.arrive("ftp.smf", smf_file(records))
    assert installed.run()[0] == 0
    installed.arrive("sftp.smf", smf_file(records, framing="bdw", spanned="vbs"))
    code, output = installed.run()
    assert code == 0, output
    first, second = open_dataset(installed.dataset).manifest.sources
    assert (first.framing, second.framing) == ("rdw", "bdw")
    # The same records again: each counts once.
    assert second.ledger["records"]["duplicate"] == first.ledger["records"]["decoded"] > 0
    assert second.ledger["records"]["input"] == first.ledger["records"]["input"]


@pytest.mark.slow
def test_the_index_in_a_browser(tmp_path: Path, chromium: Chromium | None) -> None:
    """No message of the console, no request, no finding of axe-core, readable in the dark, in print and on a
    telephone.
    """
    if chromium is None:
        pytest.skip("chromium is not installed: the index was not opened in a browser")
    finding = "CRITICAL BP001 MQ01 buffer pool 2: Buffer pool 2 (50000 buffers) ran out of buffers 17 times (limit 0)."
    files = {"html": "mqstat.html", "text": "mqstat.txt"}
    bad = states.Day("x", 8, {"critical": 1, "warning": 2}, (finding,), (("SYS1", "MQ01"), ("SYS2", "MQ02")), files)
    clear, warned = (
        states.Day("x", 0, {}, (), (("SYS1", "MQ01"),), files),
        states.Day("x", 4, {"warning": 1}, (finding,), (), files),
    )
    back = [0, 2, 3, 40, 80]
    reported = dict(
        zip((DAY - dt.timedelta(days=number) for number in back), [bad, clear, warned, clear, bad], strict=True)
    )
    path = tmp_path / "index.html"
    findings = [Planted("BP002", "BcBB", f"MQ{number:02}", subjects=3) for number in range(60)]
    findings += [
        Planted("LG004", "cccB", "MQ59", severity="critical"),
        Planted("CV001", "BBBB", "M" * 48),
        Planted("DQ001", "BcBc", None, None),
    ]
    plant(tmp_path / "dataset", findings, 4)
    site = parse_site(
        '[rules.LG004]\noff = true\nreason = "test"\nowner = "MQ team"\nuntil = 2026-05-01\n', "site.toml"
    ).on(NEXT)
    shown = index_findings(memory(tmp_path / "dataset"), states.State(reported), site, NEXT)
    with path.open("w", encoding="utf-8") as stream:
        rows = index.index_rows(states.State(reported), NEXT, ["MQ01", "MQ03"], shown)
        index.render_index(rows, NEXT, [f"No data for MQ03 on {DAY}."], stream, shown)
    faults = [*chromium.faults(path), *chromium.thorough_faults(path)]
    assert [fault for fault in faults if "=mqstat." not in fault] == [], "only links to the reports lead out of it"


VALUES = ("3", "-1", "1.5", "nan", "true", '"x"', '""', '"a\\n"', '"\\u0000"', "[]", "[1]", '["x"]', "[[]]", "{}", "{ a = 1 }", "2026-05-21", "02:00:00", "9" * 400)  # fmt: skip
"""Values of every type of TOML; for each key most of them are wrong."""


@pytest.mark.slow
def test_every_wrong_value_is_one_sentence_about_its_key(tmp_path: Path) -> None:
    """Of the configuration and of the site file; no sentence is that of a library."""
    path = tmp_path / "daily.toml"
    faults: dict[str, str] = {}
    tables = {field.name: model for field in fields(Config) if (model := table_of(field.type)) is not None}
    keys = [
        (f"[{table}]", field.name) for table, model in tables.items() for field in fields(model) if table != "output"
    ]
    keys += [("[[output]]", field.name) for field in fields(Output)]
    keys += [("", name) for name in ("wait_seconds", "time_zone", "jobs", *tables)]
    site = [("[site]", name) for name in {(fact.type, fact.key): name for name, fact in FACTS.items()}.values()]
    site += [("[lpar.SYS1]", "cpus"), ("[qmgr.MQ01]", "pool_role")]
    site += [
        ("[rules.BP004]", name)
        for name in ("off", "severity", "reason", "owner", "until", "stealable_pct_min", "qmgr", "subject")
    ]
    site += [("[[rate]]", name) for name in ("charge_to", *RATE_PATTERNS, *RATE_PRICES, "currency", "decimals")]
    site += [("[[maintenance]]", name) for name in ("from", "to", "weekdays", "lpar", "qmgr", "reason")]
    site += [("", name) for name in ("site", "lpar", "qmgr", "rules", "rate", "maintenance")]
    for (header, key), value in product((*keys, *site), VALUES):
        text = f"{header}\n{key} = {value}\n"
        path.write_text(text, encoding="utf-8")
        try:
            (load_site if (header, key) in site else load_config)(path)
        except (ConfigError, SiteError) as error:
            faults[text] = str(error)
    sentence = r"daily\.toml(, line \d+)?: \S[^\n]* (must|is|gives|lies|has|needs) [^\n]+\."
    library = r"Expected|Object|Invalid|\$|object|array|msgspec"
    assert [each for each in faults.items() if not re.fullmatch(sentence, each[1]) or re.search(library, each[1])] == []
    assert len(faults) > 900
