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

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"


def test_the_crontab_has_its_fields() -> None:
    lines = (EXAMPLES / "mqstat-daily.cron").read_text().splitlines()
    jobs = [
        line.split(maxsplit=6) for line in lines if line and not line.startswith("#") and "=" not in line.split()[0]
    ]
    assert len(jobs) == 2
    for minute, hour, day, month, weekday, user, command in jobs:
        assert int(minute) in range(60)
        assert int(hour) in range(24)
        assert [day, month, weekday, user] == ["*", "*", "*", "mqstat"]
        assert " daily /etc/mqstat/daily.toml " in command
        assert "%" not in command, "cron makes a new line of it"
    assert "MAILTO=mq-team@example.com" in lines


def test_the_units_are_accepted_by_systemd(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed: the units are not verified")
    text = (EXAMPLES / "mqstat-daily.service").read_text()
    assert "ExecStart=/opt/mqstat/bin/mqstat daily " in text
    (tmp_path / "mqstat-daily.service").write_text(text.replace("/opt/mqstat/bin/mqstat", "/bin/sh"))
    shutil.copy(EXAMPLES / "mqstat-daily.timer", tmp_path)
    units = [str(tmp_path / f"mqstat-daily.{kind}") for kind in ("service", "timer")]
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True)
    messages = [line for line in done.stderr.splitlines() if "mqstat" in line]
    assert (done.returncode, messages) == (0, []), done.stderr


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


def replacement(folder: Path, name: str) -> Path:
    """A program that writes down its words and what it is given to read."""
    path = folder / name
    path.write_text(f'#!/bin/sh\necho "$@" >{folder}/{name}.words\ncat >{folder}/{name}.input\n')
    path.chmod(0o755)
    return path


def test_the_mail_is_sent(tmp_path: Path) -> None:
    sendmail = replacement(tmp_path, "sendmail")
    command = ["sh", str(EXAMPLES / "mail-report.sh"), str(tmp_path), "team@example.com"]
    for text, subject in (("Subject: MQ\n\nbody\n", "MQ"), (None, "mqstat daily wrote no mail")):
        (tmp_path / "mail.txt").write_text(text) if text else (tmp_path / "mail.txt").unlink()
        subprocess.run(command, check=True, env={**os.environ, "SENDMAIL": str(sendmail)})
        sent = (tmp_path / "sendmail.input").read_text()
        head, _, body = sent.partition("\n\n")
        assert head.splitlines()[0] == "To: team@example.com"
        assert head.splitlines()[-1] == f"Subject: {subject}"
        assert body
        assert (tmp_path / "sendmail.words").read_text() == "-t\n"


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


def test_the_page_about_it_names_every_example() -> None:
    text = (EXAMPLES.parent / "daily.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\(examples/([^)]+)\)", text)) == {path.name for path in EXAMPLES.iterdir()}
