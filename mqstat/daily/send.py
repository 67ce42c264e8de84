"""Sends the mail of a run through SMTP. A mail that cannot be sent loses nothing: the next one has its remarks, and
states why it was not sent.

The password is read when it is needed, and appears in no message: of what a server answers to it only the code is
shown.
"""

from __future__ import annotations

import datetime as dt
import os
import smtplib
import ssl
import stat
from contextlib import suppress
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid
from pathlib import Path

import msgspec

from mqstat.base import return_codes
from mqstat.base.atomic_write import read_kept, replacing
from mqstat.base.errors import ConfigError, MqstatError
from mqstat.base.formatting import clean
from mqstat.daily.config import Mail
from mqstat.daily.current import Run
from mqstat.daily.state import Day

NAME = ".mail.json"

TIMEOUT = 60
"""Seconds in which a server must answer."""

PORTS = {"starttls": 587, "tls": 465, "none": 25}
"""The usual port by what protects the connection."""

LOWEST = {"always": return_codes.CLEAR, "problems": return_codes.WARNING, "failures": return_codes.UNUSABLE}
"""The lowest return code of a run whose mail is sent."""

LONGEST = 200
"""Characters of the answer of a server that a message shows."""

CARRIED = 30
"""Remarks of mails that were not sent which the next mail has."""


class Last(msgspec.Struct, frozen=True):
    """The last mail: the day that it was about, its return code and its remarks. `unsent` is what nobody has received,
    which the next mail states.
    """

    day: str = ""
    code: int = return_codes.CLEAR
    remarks: tuple[str, ...] = ()
    unsent: tuple[str, ...] = ()


def last_mail(folder: Path) -> Last:
    """What is known about the last mail of a reports folder."""
    try:
        return msgspec.json.decode(read_kept(folder / NAME), type=Last)
    except (OSError, msgspec.MsgspecError):
        return Last()


def send(run: Run, text: str, entry: Day | None = None, error: str = "") -> None:
    """Send the mail of a run if it is wanted, and differs from the last one about the same day. What fails is a remark
    of the run, with return code 4.

    The text begins with its subject; `entry` has the report that is attached; `error` ended the run.
    """
    mail, folder = run.config.mail, run.config.reports.folder
    if mail is None:
        return
    last, day, code = last_mail(folder), str(run.yesterday), run.codes.highest
    had = last if last.day == day else Last()
    remarks = tuple(dict.fromkeys((*had.remarks, *run.notes, *filter(None, [error]))))
    if code < LOWEST[mail.when] and not last.unsent:
        return
    if last.day == day and not run.made and code <= last.code and remarks == last.remarks:
        run.log("mail", f"nothing is new since the last mail about {day}: not sent")
        return
    try:
        refused = _deliver(mail, _message(mail, text, _attachment(mail, folder, entry)))
    except (MqstatError, OSError, smtplib.SMTPException, UnicodeError) as failure:
        subject = text.partition("\n\n")[0].removeprefix("Subject: ")
        problem = (
            f"The mail about {day} was not sent to {', '.join(mail.to)}: {_reason(mail, failure)}. "
            f"Its subject was: {subject}."
        )
        now = Last(unsent=(problem, *remarks)[:CARRIED])
    else:
        received = [name for name in mail.to if name not in refused]
        run.log("mail", f"sent to {', '.join(received)} through {mail.host}")
        problem = (
            f"The mail about {day} was not sent to {', '.join(refused)}: {mail.host} refused it." if refused else ""
        )
        now = Last(day, max(code, had.code), (*remarks, *filter(None, [problem])), tuple(filter(None, [problem])))
    if problem:
        run.note("mail", problem, return_codes.WARNING)
    with suppress(MqstatError, OSError), replacing(folder / NAME) as stream:
        stream.write(msgspec.json.encode(now).decode())


def _attachment(mail: Mail, folder: Path, entry: Day | None) -> Path | None:
    """The report of the day that is attached, if there is one."""
    name = entry.files.get(mail.attached) if entry is not None else None
    return folder / name if name else None


def _message(mail: Mail, text: str, attachment: Path | None) -> EmailMessage:
    """The message of a text that begins with its subject and an empty line."""
    head, _, body = text.partition("\n\n")
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"] = mail.sender, ", ".join(mail.to)
    message["Subject"] = clean(head.removeprefix("Subject: "))
    message["Date"] = format_datetime(dt.datetime.now(dt.UTC))
    message["Message-ID"] = make_msgid(domain=mail.sender.partition("@")[2])
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: nobody answers it automatically
    message.set_content(body)
    if attachment is not None:
        subtype = "html" if mail.attached == "html" else "plain"
        try:
            content = read_kept(attachment)
        except OSError as error:
            raise ConfigError(f"{attachment} (mail.attach) cannot be read: {error.strerror or error}.") from None
        charset = {"charset": "utf-8"}
        message.add_attachment(content, "text", subtype, filename=attachment.name, params=charset)
    return message


def _deliver(mail: Mail, message: EmailMessage) -> list[str]:
    """Send a message; returns the recipients that were refused, unless all were."""
    password = password_of(mail)
    try:
        trusted = ssl.create_default_context(cafile=mail.certificates)
    except OSError as error:
        raise ConfigError(f"{mail.certificates} (mail.certificates) cannot be read as PEM: {error.strerror}.") from None
    port = mail.port or PORTS[mail.security]
    if mail.security == "tls":
        server: smtplib.SMTP = smtplib.SMTP_SSL(mail.host, port, timeout=TIMEOUT, context=trusted)
    else:
        server = smtplib.SMTP(mail.host, port, timeout=TIMEOUT)
    try:
        if mail.security == "starttls":
            server.starttls(context=trusted)
        if mail.user:
            server.login(mail.user, password)
        refused = server.send_message(message)
        with suppress(smtplib.SMTPException, OSError):  # the message is accepted already
            server.quit()
    finally:
        server.close()
    return list(refused)


def password_of(mail: Mail) -> str:
    """The password of the user; ConfigError without one, or if others can read its file."""
    if mail.password_variable:
        if not os.environ.get(mail.password_variable):
            raise ConfigError(f"the environment variable {mail.password_variable} (mail.password_variable) is not set.")
        return os.environ[mail.password_variable]
    if mail.password_file is None:
        return ""
    try:
        if os.name == "posix" and mail.password_file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ConfigError(f"other users can read {mail.password_file} (mail.password_file): chmod 600.")
        lines = mail.password_file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ConfigError(f"{mail.password_file} (mail.password_file) cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{mail.password_file} (mail.password_file) is not UTF-8 text.") from None
    if not lines or not lines[0]:
        raise ConfigError(f"{mail.password_file} (mail.password_file) is empty; its first line is the password.")
    return lines[0]


def _reason(mail: Mail, error: Exception) -> str:
    """Why a mail was not sent, without a full stop. Nothing that a server answers to a password is repeated."""
    server = f"{mail.host} port {mail.port or PORTS[mail.security]}"
    match error:
        case ConfigError():
            return str(error).removesuffix(".")
        case smtplib.SMTPAuthenticationError():
            return f"{server} refused user {mail.user} or its password ({error.smtp_code})"
        case smtplib.SMTPRecipientsRefused():
            codes = sorted({code for code, _ in error.recipients.values()})
            return f"{server} refused all recipients ({', '.join(map(str, codes))})"
        case smtplib.SMTPNotSupportedError():
            what = "a login" if "AUTH" in str(error) else "STARTTLS"
            return f"{server} does not offer {what} (mail.security)"
        case smtplib.SMTPSenderRefused():
            return f"{server} refused the sender {mail.sender} ({error.smtp_code})"
        case smtplib.SMTPResponseException():
            reply = error.smtp_error if isinstance(error.smtp_error, bytes) else str(error.smtp_error).encode()
            shown = clean(reply.decode("utf-8", "replace"))[:LONGEST]
            return f"{server} answered {error.smtp_code} {shown}".rstrip(" .")
        case smtplib.SMTPServerDisconnected() if "timed out" not in str(error):
            return f"{server} closed the connection"
        case ssl.SSLCertVerificationError():
            return (
                f"the certificate of {server} is not trusted ({error.verify_message}); mail.certificates names a file"
            )
        case ssl.SSLError():
            return f"{server} does not use TLS as mail.security expects ({error.reason})"
        case TimeoutError() | smtplib.SMTPServerDisconnected():
            return f"{server} did not answer within {TIMEOUT} seconds"
        case UnicodeError():
            return "user and password must be ASCII"
        case OSError():
            return f"{server} cannot be reached ({error.strerror or error})"
    return str(error)
