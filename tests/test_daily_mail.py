"""`mqstat daily` sends its mail: table `[mail]`, tested against a real SMTP server."""

from __future__ import annotations

import base64
import datetime as dt
import email
import html
import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from filelock import FileLock

from mqstat.daily import days
from mqstat.daily import run as running
from mqstat.daily import send as sending
from tests.installation import DAY, NEXT, Installation, dump, installed_fixture, real_fixture, report_of  # noqa: F401 - fixtures
from tests.postgresql import free_port
from tests.support import call

pytestmark = pytest.mark.slow

SECRET = 'correct horse "battery" staple'  # noqa: S105 - of the server of this test
REFUSED = "nobody@example.com"


def certificate(folder: Path, name: str = "localhost") -> tuple[Path, Path]:
    """A certificate that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(made.public_bytes(Encoding.PEM))
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "server.key").write_bytes(private)
    return folder / "cert.pem", folder / "server.key"


@dataclass
class Server:
    """A mail server: what it received, and a change of what it answers to data."""

    port: int = 0
    cert: Path = Path()
    received: list[EmailMessage] = field(default_factory=list)
    recipients: list[list[str]] = field(default_factory=list)
    reply: str = "250 accepted"

    async def handle_RCPT(self, _: SMTP, __: Session, envelope: Envelope, address: str, ___: list[str]) -> str:  # noqa: N802
        if address == REFUSED:
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _: SMTP, __: Session, envelope: Envelope) -> str:  # noqa: N802
        if self.reply.startswith("250"):
            content = envelope.content
            assert isinstance(content, bytes)
            message = email.message_from_bytes(content, policy=default)
            assert isinstance(message, EmailMessage)
            self.received.append(message)
            self.recipients.append(envelope.rcpt_tos)
        return self.reply


def authenticated(_: SMTP, __: Session, ___: Envelope, mechanism: str, data: Any) -> AuthResult:
    assert isinstance(data, LoginPassword)
    return AuthResult(success=data.login == b"mqstat" and data.password == SECRET.encode(), handled=False)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server that requires STARTTLS and a password."""
    server = Server()
    server.cert, key = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server.cert, key)
    server.port = free_port()
    controller = Controller(
        server,
        "127.0.0.1",
        server.port,
        tls_context=context,
        require_starttls=True,
        authenticator=authenticated,
        auth_required=True,
    )
    controller.start()
    yield server
    controller.stop()


def configure(installed: Installation, server: Server, **keys: str) -> None:
    """A configuration that sends mails through a server; keys of `[mail]` as TOML, `None` to leave one out."""
    password = installed.root / "password"
    if not password.exists():
        password.write_text(SECRET + "\n")
        password.chmod(0o600)
    values = {
        "host": '"localhost"', "port": str(server.port), "certificates": f'"{server.cert}"', "user": '"mqstat"',
        "password_file": '"password"', "from": '"mqstat@example.com"', "to": '["team@example.com"]',
    } | keys  # fmt: skip
    mail = "\n".join(f"{name} = {value}" for name, value in values.items() if value)
    installed.configure(reports='formats = ["html", "text"]\nbaseline_days = 0', mail=mail)


def body(message: EmailMessage) -> str:
    part = message.get_body(("plain",))
    assert part is not None
    text: str = part.get_content()
    return text.replace("\r\n", "\n")


def test_a_mail_is_sent_once_unless_something_is_new(installed: Installation, server: Server) -> None:
    configure(installed, server, link='"https://intranet/mq/"', attach='"page"')
    installed.arrive("a.smf", dump(bad=True))
    code, output = installed.run()
    assert code == 8, output
    assert "mail     sent to team@example.com through localhost" in output
    [message] = server.received
    assert message["Subject"] == f"MQ {DAY}: 2 critical (return code 8): MQ01"
    assert (message["From"], message["To"]) == ("mqstat@example.com", "team@example.com")
    written = (installed.reports / "mail.txt").read_text()
    assert written == f"Subject: {message['Subject']}\n\n{body(message)}"
    assert (
        f"Report:   https://intranet/mq/{report_of(DAY, 'html')}\nAll days: https://intranet/mq/index.html\n" in written
    )
    [attached] = message.iter_attachments()
    assert attached.get_filename() == report_of(DAY, "html")
    assert attached.get_content_type() == "text/html"
    assert attached.get_content().replace("\r\n", "\n") == (installed.reports / report_of(DAY, "html")).read_text()
    code, output = installed.run()
    assert code == 8
    assert f"nothing is new since the last mail about {DAY}: not sent" in output
    installed.arrive("notes.txt", b"This is not a dump. " * 300)
    assert installed.run()[0] == 12
    assert installed.run()[0] == 12
    assert len(server.received) == 2
    assert "notes.txt: It is text, not an SMF dump." in " ".join(body(server.received[1]).split())
    installed.arrive("b.smf", dump(DAY, "MQ02"))
    installed.run()
    assert len(server.received) == 3, "the report of the day was written again"
    assert set(server.recipients[0]) == {"team@example.com"}


@pytest.mark.parametrize(
    ("when", "mailed"),
    [("always", [True, True, True]), ("problems", [False, True, True]), ("failures", [False, False, True])],
)
def test_when_a_mail_is_sent(installed: Installation, server: Server, when: str, mailed: list[bool]) -> None:
    """Of a night without findings, of one with findings, and of a run that fails."""
    configure(installed, server, when=f'"{when}"')
    sent = []
    for number, bad in ((0, False), (1, True)):
        installed.arrive(f"{number}.smf", dump(DAY + dt.timedelta(days=number), bad=bad))
        installed.run(NEXT + dt.timedelta(days=number))
        sent.append(len(server.received))
    (installed.root / "inbox").rename(installed.root / "gone")
    for _ in range(2):
        assert installed.run(NEXT + dt.timedelta(days=2))[0] == 16
    sent.append(len(server.received))
    assert [now > before for before, now in zip([0, *sent], sent, strict=False)] == mailed
    assert server.received[-1]["Subject"] == f"MQ {NEXT + dt.timedelta(days=1)}: mqstat daily failed (return code 16)"
    assert "is the file system mounted?" in " ".join(body(server.received[-1]).split())


def wrong_password(installed: Installation, _: Server) -> dict[str, str]:
    (installed.root / "password").write_text("hunter2hunter2\n")
    (installed.root / "password").chmod(0o600)
    return {}


def readable_password(installed: Installation, _: Server) -> dict[str, str]:
    (installed.root / "password").write_text(SECRET)
    (installed.root / "password").chmod(0o640)
    return {}


def other_port(*_: object) -> dict[str, str]:
    return {"port": str(free_port())}


def full(_: Installation, server: Server) -> dict[str, str]:
    server.reply = "452 4.3.1 \x07mailbox full"
    return {}


FAILURES: dict[str, tuple[Callable[[Installation, Server], dict[str, str]], str]] = {
    "wrong password": (wrong_password, "localhost port PORT refused user mqstat or its password (535)"),
    "a password that others can read": (readable_password, "other users can read ROOT/password (mail.password_file): chmod 600"),
    "no password file": (lambda *_: {"password_file": '"absent"'}, "ROOT/absent (mail.password_file) cannot be read"),
    "no variable": (lambda *_: {"password_file": "", "password_variable": '"MQSTAT_NO"'}, "variable MQSTAT_NO (mail.password_variable) is not set"),
    "no user": (lambda *_: {"user": "", "password_file": ""}, "localhost port PORT refused the sender mqstat@example.com (530)"),
    "all recipients refused": (lambda *_: {"to": f'["{REFUSED}"]'}, "localhost port PORT refused all recipients (550)"),
    "not trusted": (lambda *_: {"certificates": ""}, "the certificate of localhost port PORT is not trusted (self-signed certificate)"),
    "no certificates": (lambda *_: {"certificates": '"absent.pem"'}, "ROOT/absent.pem (mail.certificates) cannot be read as PEM"),
    "tls where starttls is": (lambda *_: {"security": '"tls"'}, "localhost port PORT does not use TLS as mail.security expects"),
    "server down": (other_port, "cannot be reached (Connection refused)"),
    "unknown host": (lambda *_: {"host": '"mail.invalid"'}, "mail.invalid port PORT cannot be reached"),
    "full": (full, "localhost port PORT answered 452 4.3.1 ?mailbox full"),
}  # fmt: skip


@pytest.mark.parametrize("case", FAILURES)
def test_a_mail_that_fails_loses_nothing(
    installed: Installation, server: Server, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """Return code 4 of the run, and a sentence in log, index, mail.txt and status.json; the next run sends it, with the
    reason.
    """
    spoil, expected = FAILURES[case]
    monkeypatch.setenv("MQSTAT_TRACEBACK", "1")
    configure(installed, server)
    configure(installed, server, **spoil(installed, server))
    expected = expected.replace("ROOT", str(installed.root)).replace("PORT", str(server.port))
    installed.arrive("a.smf", dump(bad=True))
    code, output = installed.run()
    assert (code, installed.status()["return_codes"]["run"]) == (8, 4)
    for text in (output, *installed.status()["remarks"], page(installed), plain(installed)):
        assert expected in text, text
    assert (installed.reports / report_of(DAY)).is_file()
    assert server.received == []
    no_secret(installed, output)

    server.reply = "250 accepted"
    (installed.root / "password").unlink()
    configure(installed, server)
    code, output = installed.run()
    assert (code, installed.status()["return_codes"]["run"]) == (8, 0)
    [message] = server.received
    assert expected in " ".join(body(message).split())
    assert "nothing is new" in installed.run()[1]
    no_secret(installed, output)


def page(installed: Installation) -> str:
    return html.unescape((installed.reports / "index.html").read_text())


def plain(installed: Installation) -> str:
    """The text of mail.txt on one line."""
    return " ".join((installed.reports / "mail.txt").read_text().split())


def no_secret(installed: Installation, output: str) -> None:
    """No output has the password, also not as it is sent."""
    files = [path for folder in (installed.reports, installed.dataset) for path in folder.rglob("*") if path.is_file()]
    for content in (output.encode(), installed.config.read_bytes(), *(path.read_bytes() for path in files)):
        for text in (
            SECRET.encode(),
            b"hunter2",
            *map(base64.b64encode, (SECRET.encode(), f"\0mqstat\0{SECRET}".encode())),
        ):
            assert text not in content


def test_a_recipient_that_is_refused_is_reported_and_the_others_get_the_mail(
    installed: Installation, server: Server
) -> None:
    configure(installed, server, to=f'["team@example.com", "{REFUSED}"]')
    installed.arrive("a.smf", dump(bad=True))
    problem = f"The mail about {DAY} was not sent to {REFUSED}: localhost refused it."
    code, output = installed.run()
    assert (code, installed.status()["return_codes"]["run"]) == (8, 4)
    assert problem in output
    assert "nothing is new" in installed.run()[1]
    assert server.recipients == [["team@example.com"]]
    installed.arrive("b.smf", dump(NEXT, bad=True))
    installed.run(NEXT + dt.timedelta(days=1))
    assert problem in " ".join(body(server.received[1]).split())


def test_what_nobody_has_received_is_in_the_next_mail(installed: Installation, server: Server) -> None:
    """The remarks of the night whose mail failed, such as the name of a damaged dump, although the night after it has
    no problem.
    """
    configure(installed, server)
    server.reply = "451 try again"
    (installed.root / "inbox" / "a").mkdir()
    installed.arrive("a/a.smf", dump() + b"\0\x40" + b"x" * 62)
    code, output = installed.run()
    assert code in (4, 12), output
    damage = f"List the damage: mqstat ledger {installed.root}/inbox/a/a.smf"
    assert damage in plain(installed)
    assert any(damage in remark for remark in installed.status()["remarks"])
    server.reply = "250 accepted"
    installed.arrive("b.smf", dump(NEXT))
    assert installed.run(NEXT + dt.timedelta(days=1))[0] == 0
    text = " ".join(body(server.received[0]).split())
    assert (
        f"The mail about {DAY} was not sent to team@example.com: localhost port {server.port} answered 451 try" in text
    )
    assert damage in text


def test_a_server_that_does_not_answer(
    installed: Installation, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        configure(installed, server, port=str(silent.getsockname()[1]))
        installed.arrive("a.smf", dump(bad=True))
        code, output = installed.run()
    assert (code, installed.status()["return_codes"]["run"]) == (8, 4)
    assert "did not answer within 0.2 seconds" in output


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
def test_tls_from_the_start_and_a_password_in_a_variable(
    installed: Installation, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server.cert, server.cert.with_name("server.key"))
    controller = Controller(
        server, "127.0.0.1", free_port(), ssl_context=context,
        authenticator=authenticated, auth_required=True, auth_require_tls=False,
    )  # fmt: skip
    controller.start()
    monkeypatch.setenv("MQSTAT_MAIL", SECRET)
    keys = {
        "security": '"tls"',
        "port": str(controller.port),
        "password_file": "",
        "password_variable": '"MQSTAT_MAIL"',
    }
    try:
        configure(installed, server, **keys)
        installed.arrive("a.smf", dump(bad=True))
        assert installed.run()[0] == 8
    finally:
        controller.stop()
    assert len(server.received) == 1


def test_a_run_that_cannot_begin_or_end_is_mailed(
    installed: Installation, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The inbox of a first run does not exist, so that no folder is created; another run holds the lock; mqstat has a
    fault.
    """
    configure(installed, server)
    (installed.root / "inbox").rename(installed.root / "gone")
    assert installed.run()[0] == 16
    assert not installed.reports.exists()
    (installed.root / "gone").rename(installed.root / "inbox")
    installed.reports.mkdir()
    with FileLock(installed.reports / running.LOCK):
        done = call("daily", installed.config, "--today", str(NEXT))
    assert done.returncode == 16
    with monkeypatch.context() as patch:
        patch.setattr(days, "data_of", lambda _: 1 / 0)
        assert installed.run()[0] == 16
    texts = [" ".join(body(message).split()) for message in server.received]
    assert "The run was interrupted (ZeroDivisionError); see its log." in texts[2]
    assert ["does not exist" in texts[0], "another mqstat daily is running here" in texts[1]] == [True, True]
