"""The examples of docs/daily.md: cron, systemd, Windows, mail, and and z/OS jobs, as far as they can be tested here."""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mqstat.daily.config import load_config

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"


CONFIG = load_config(EXAMPLES / "daily.toml")


def cron_jobs() -> list[list[str]]:
    """The fields of the crontab's jobs; the last one is the command."""
    lines = (EXAMPLES / "mqstat-daily.cron").read_text().splitlines()
    return [
        line.split(maxsplit=6) for line in lines if line and not line.startswith("#") and "=" not in line.split()[0]
    ]


def test_the_crontab_has_its_fields() -> None:
    assert len(cron_jobs()) == 2
    for minute, hour, day, month, weekday, user, command in cron_jobs():
        assert int(minute) in range(60)
        assert int(hour) in range(24)
        assert [day, month, weekday, user] == ["*", "*", "*", "mqstat"]
        assert " daily /etc/mqstat/daily.toml " in command
        assert "%" not in command, "cron makes a new line of it"
    assert "MAILTO=mq-team@example.com" in (EXAMPLES / "mqstat-daily.cron").read_text().splitlines()


@pytest.mark.parametrize(("code", "error"), [(0, ""), (8, ""), (16, "mqstat: line 3: not known")])
def test_cron_mails_error_messages(tmp_path: Path, code: int, error: str) -> None:
    """cron mails what a command prints: error messages, and no steps."""
    program = tmp_path / "mqstat"
    program.write_text("\n".join(["#!/bin/sh", "echo a step", f"printf '{error}' >&2", f"exit {code}\n"]))
    program.chmod(0o755)
    for *_, line in cron_jobs():
        job = line.replace("/opt/mqstat/bin/mqstat", str(program)).replace("/var/log/mqstat", str(tmp_path))
        done = subprocess.run(["sh", "-c", job], capture_output=True, text=True, check=False)
        assert done.stdout + done.stderr == error
    assert (tmp_path / "daily.log").read_text() == "a step\n" * 2


UNITS = ("mqstat-daily.service", "mqstat-daily-failed.service", "mqstat-daily.timer")


def test_the_units_are_accepted_by_systemd(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed: the units are not verified")
    for name in UNITS:
        text = (EXAMPLES / name).read_text()
        (tmp_path / name).write_text(re.sub(r"/opt/mqstat/bin/[\w.-]+", "/bin/sh", text))
    units = [str(tmp_path / name) for name in UNITS]
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True)
    messages = [line for line in done.stderr.splitlines() if "mqstat" in line]
    assert (done.returncode, messages) == (0, []), done.stderr


def test_the_service_reports_failures_and_can_write_all_it_must() -> None:
    """Its folders are those of the configuration, that of the node exporter too; what it starts is among the
    examples.
    """
    settings: dict[str, list[str]] = {}
    for name in UNITS[:2]:
        for line in (EXAMPLES / name).read_text().splitlines():
            if "=" in line and not line.startswith("#"):
                settings.setdefault(line.partition("=")[0], []).append(line.partition("=")[2])
    assert settings["ExecStart"][0] == "/opt/mqstat/bin/mqstat daily /etc/mqstat/daily.toml"
    assert settings["OnFailure"] == ["mqstat-daily-failed.service"]
    assert settings["SuccessExitStatus"] == ["4 8"]
    writable = [Path(path.removeprefix("-")) for path in settings["ReadWritePaths"][0].split()]
    assert CONFIG.reports.metrics_folder is not None
    for folder in (CONFIG.dataset.folder, CONFIG.reports.folder, CONFIG.reports.metrics_folder):
        assert any(path == folder or path in folder.parents for path in writable), folder
    assert CONFIG.inbox.folder.is_relative_to(settings["RequiresMountsFor"][0])
    assert (EXAMPLES / settings["ExecStart"][1].split()[0].removeprefix("/opt/mqstat/bin/")).is_file()


def test_all_examples_use_one_inbox() -> None:
    """That of daily.toml, in every job, script and page; no example has another folder of mqstat."""
    folders = [
        CONFIG.inbox.folder,
        CONFIG.dataset.folder,
        CONFIG.reports.folder,
        *(output.into for output in CONFIG.output),
    ]
    for path in [*EXAMPLES.iterdir(), EXAMPLES.parent / "daily.md"]:
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"/var/lib/[\w./-]*(?:mqstat|inbox)[\w./-]*", text):
            folder = name.rstrip(".")
            assert folder == "/var/lib/mqstat" or any(Path(folder).is_relative_to(known) for known in folders), (
                path,
                folder,
            )
    for name in ("ship-ftp.jcl", "ship-sftp.jcl", "ship-sftp.sh"):
        assert f"{CONFIG.inbox.folder}" in (EXAMPLES / name).read_text(), name


def test_the_task_of_windows_is_well_formed() -> None:
    root = ElementTree.parse(EXAMPLES / "mqstat-daily-task.xml").getroot()  # noqa: S314 - one of our files
    name = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
    assert root.tag == name + "Task"
    arguments = root.findtext(f"{name}Actions/{name}Exec/{name}Arguments") or ""
    assert "mqstat.exe daily D:\\mqstat\\daily.toml >>" in arguments
    assert dt.datetime.fromisoformat(root.findtext(f".//{name}StartBoundary") or "")


JOBS = sorted(EXAMPLES.glob("*.jcl"))


@pytest.mark.parametrize("job", JOBS, ids=[job.name for job in JOBS])
def test_the_jobs_are_well_formed_jcl(job: Path) -> None:
    """Only the syntax: they have not run on z/OS."""
    inside = False
    lines = job.read_text(encoding="ascii").splitlines()
    for number, line in enumerate(lines, start=1):
        assert len(line) <= 71, (number, line)
        if inside:
            inside = line != "/*"
            assert not line.startswith("//"), (number, line)
            continue
        assert re.match(r"//\*|//[A-Z0-9@#$]{0,8} ", line), (number, line)
        if not line.startswith("//*"):
            continued = lines[number - 2].rstrip().endswith(",")
            assert continued == (line.startswith("//   ") and " THEN" not in line and "ENDIF" not in line), (
                number,
                line,
            )
        inside = " DD *" in line
    assert not inside
    assert re.match(r"//\w+ +JOB ", lines[0])


def test_the_jobs_select_the_types_of_mq() -> None:
    assert len(JOBS) == 4
    for name in ("smf-data-sets", "smf-log-stream"):
        assert "  OUTDD(DUMPOUT,TYPE(115,116))\n" in (EXAMPLES / f"{name}.jcl").read_text()
    ftp = (EXAMPLES / "ship-ftp.jcl").read_text()
    assert ftp.index("\nbinary\n") < ftp.index("\nlocsite rdw\n") < ftp.index("\nput ")


def test_ftp_requires_tls_for_logon_and_data() -> None:
    """In the statements of the client, and in a policy of AT-TLS that fits the job; every name that the policy refers
    to is defined in it.
    """
    ftp = (EXAMPLES / "ship-ftp.jcl").read_text()
    statements = dict(line.split() for line in ftp.partition("//SYSFTPD  DD *\n")[2].partition("/*")[0].splitlines())
    required = {
        "SECURE_MECHANISM": "TLS",
        "SECURE_FTP": "REQUIRED",
        "SECURE_CTRLCONN": "PRIVATE",
        "SECURE_DATACONN": "PRIVATE",
    }
    assert required.items() <= statements.items()
    assert statements["TLSMECHANISM"] == "ATTLS"
    policy = (EXAMPLES / "ship-ftp.policy").read_text()
    lines = [line.split() for line in policy.splitlines() if line.strip(" {}") and not line.strip().startswith("#")]
    values = {words[0]: words[1] for words in lines}
    assert all(len(words) == 2 for words in lines)
    assert policy.count("{") == policy.count("}")
    for name, value in values.items():
        if name.endswith("Ref"):
            assert values[name.removesuffix("Ref")] == value
    assert values["Jobname"] == ftp.split()[0].removeprefix("//")
    assert (values["HandshakeRole"], values["Direction"]) == ("Client", "Outbound")
    assert (values["ApplicationControlled"], values["SecondaryMap"]) == ("On", "On")
    assert (values["TLSv1"], values["TLSv1.1"], values["TLSv1.2"]) == ("Off", "Off", "On")


def replacement(folder: Path, name: str) -> Path:
    """A program that writes down its words and what it is given to read."""
    path = folder / name
    path.write_text(f'#!/bin/sh\necho "$@" >{folder}/{name}.words\ncat >{folder}/{name}.input\n')
    path.chmod(0o755)
    return path


def test_a_failure_is_mailed_with_its_journal(tmp_path: Path) -> None:
    sendmail, journal = replacement(tmp_path, "sendmail"), tmp_path / "journalctl"
    command = ["sh", str(EXAMPLES / "mail-failure.sh"), "mqstat-daily.service", "team@example.com"]
    for code, text in ((0, "--unit mqstat-daily.service --lines 50 --no-pager"), (1, "cannot be read")):
        journal.write_text(f'#!/bin/sh\necho "$@"\nexit {code}\n')
        journal.chmod(0o755)
        programs = {"SENDMAIL": str(sendmail), "JOURNALCTL": str(journal)}
        subprocess.run(command, check=True, env={**os.environ, **programs})
        head, _, body = (tmp_path / "sendmail.input").read_text().partition("\n\n")
        assert head.splitlines()[:1] == ["To: team@example.com"]
        assert "Subject: mqstat-daily.service failed on " in head
        assert text in body


def test_the_sftp_transfer_renames_complete_files(tmp_path: Path) -> None:
    replacement(tmp_path, "sftp")
    (tmp_path / "smf.mq").write_bytes(b"1")
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    command = ["sh", str(EXAMPLES / "ship-sftp.sh"), str(tmp_path / "smf.mq"), "me@host", "/inbox"]
    subprocess.run(command, check=True, env={**os.environ, "PATH": path})
    assert (tmp_path / "sftp.words").read_text() == "-b - me@host\n"
    change, put, rename = (tmp_path / "sftp.input").read_text().splitlines()
    assert change == "cd /inbox"
    assert put.endswith(".part")
    assert rename == f"rename {put.split()[-1]} {put.split()[-1].removesuffix('.part')}.smf"
    assert not (tmp_path / "smf.mq").exists()


def test_a_page_names_every_example() -> None:
    text = "".join(
        (EXAMPLES.parent / name).read_text(encoding="utf-8") for name in ("daily.md", "feeds.md", "scale.md")
    )
    assert set(re.findall(r"\]\(examples/([^)]+)\)", text)) == {path.name for path in EXAMPLES.iterdir()}
