"""The configuration of `mqstat daily`: a TOML file. Errors report the line.

`initial.toml` describes all keys for people, the models below for the reader and its messages.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from msgspec import Meta, field

from mqstat.base.database_address import INSTEAD, WANTED, is_address, is_schema
from mqstat.base.errors import ConfigError, UsageError
from mqstat.base.formatting import clean, pasted
from mqstat.base.nearest import nearest_or_known
from mqstat.base.toml_model import Document, Table, Wanted, open_document
from mqstat.dataset.classes import CLASSES
from mqstat.dataset.retention import Period, Policy, parse_hold, parse_period
from mqstat.parsers.framing import is_framing
from mqstat.render.feeds import FEEDS
from mqstat.render.formats import formats, formats_of

FORMATS = tuple(name for name in formats_of("report") if formats()[name].is_stream)
"""Formats of a day's report: all that are one file."""

POSTGRESQL = "postgresql"
"""The format of an output that is a database."""

FOLDER = "folder"
"""The format of an output that is a frozen folder."""

OUTPUTS = (*FEEDS, FOLDER, POSTGRESQL)


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # not found, not a name, a folder
        return False
    return True


def _is_valid(parse: Callable[[str], object], text: str) -> bool:
    """Whether a text can be parsed."""
    try:
        parse(text)
    except UsageError:
        return False
    return True


def _is_printable(text: str) -> bool:
    return clean(text) == text


def _one_of(known: Iterable[str]) -> Meta:
    return Meta(pattern=rf"^(?:{'|'.join(known)})\Z")


Count = Annotated[int, Meta(ge=0, lt=1_000_000), Wanted("must be a whole number, 0 or more")]
Number = Annotated[float, Meta(ge=0, lt=1_000_000), Wanted("must be a number, 0 or more")]
Percent = Annotated[float, Meta(ge=0, le=100), Wanted("must be a number from 0 to 100")]
Port = Annotated[int, Meta(ge=1, le=65535), Wanted("must be a whole number from 1 to 65535")]
Text = Annotated[str, Meta(min_length=1), Wanted("must be a text in quotes")]
Texts = Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Wanted('must be a list of texts, such as ["a", "b"]')]
Folder = Annotated[Path, Wanted("must be a path in quotes")]
Switch = Annotated[bool, Wanted("must be true or false")]
Zone = Annotated[str, Wanted("must be the name of a time zone in quotes, such as Europe/Berlin", _is_zone)]
PeriodText = Annotated[
    str,
    Wanted('must be a period in quotes, such as "30 days", "13 months" or "2 years"', partial(_is_valid, parse_period)),
]
Holds = Annotated[
    tuple[str, ...],
    Wanted(
        'must be a list of days or ranges, such as ["2026-03-01", "2026-03-05..2026-03-09 incident 4711"]',
        partial(_is_valid, parse_hold),
    ),
]
Address = Annotated[str, Wanted(f"{WANTED}; {INSTEAD}", is_address)]
Schema = Annotated[str, Wanted("must be a name in quotes, of 1 to 63 bytes and without control characters", is_schema)]
Formats = Annotated[
    tuple[Annotated[str, _one_of(FORMATS)], ...],
    Meta(min_length=1),
    Wanted(f"must be a list of one or more of {', '.join(FORMATS)}"),
]
MailAddress = Annotated[
    str, Meta(pattern=r"^[!-;=?A-~]+@[!-;=?A-~]+\Z"), Wanted("must be an address in quotes, such as mq@example.com")
]


class Inbox(Table, frozen=True):
    """The folder in which dumps arrive."""

    folder: Folder
    files: Texts = ("*",)
    settle_seconds: Number = 60.0
    rest_hours: Number = 20.0
    file_minutes: Number = 60.0
    framing: Annotated[str | None, Wanted("must be a name of docs/framings.md, such as rdw", is_framing)] = None


class Dataset(Table, frozen=True):
    """The dataset to which dumps are added."""

    folder: Folder
    keep_days: Count = 0


class Retention(Table, frozen=True):
    """How long each class of data is kept."""

    statistics: PeriodText | None = field(name="115", default=None)
    accounting: PeriodText | None = field(name="116", default=None)
    hold: Holds = ()


class Reports(Table, frozen=True):
    """The reports of the days."""

    folder: Folder
    keep_days: Count = 0
    formats: Formats = ("html", "text", "json")
    baseline_days: Annotated[int, Meta(ge=0, le=120), Wanted("must be a whole number from 0 to 120")] = 28
    site: Folder | None = None
    metrics_folder: Folder | None = None
    damage_limit_percent: Percent = 0.1


class Expect(Table, frozen=True):
    """What must be in the data of every day."""

    qmgrs: Texts = ()


class Mail(Table, frozen=True):
    """The mail with the result of a run."""

    host: Text
    sender: MailAddress = field(name="from")
    to: Annotated[
        tuple[MailAddress, ...], Meta(min_length=1), Wanted('must be a list of addresses, such as ["mq@example.com"]')
    ]
    security: Annotated[Literal["starttls", "tls", "none"], Wanted("must be one of starttls, tls, none")] = "starttls"
    port: Port | None = None
    certificates: Folder | None = None
    user: Annotated[str, Wanted("must be a text in quotes")] = ""
    password_file: Folder | None = None
    password_variable: Annotated[str, Wanted("must be a text in quotes")] = ""
    when: Annotated[Literal["always", "problems", "failures"], Wanted("must be one of always, problems, failures")] = (
        "problems"
    )
    link: Annotated[str, Wanted("must be an address or a path in quotes", _is_printable)] = ""
    attach: Annotated[Literal["page", "text", "nothing"], Wanted("must be one of page, text, nothing")] = "nothing"

    @property
    def attached(self) -> str:
        """The format of the report that is attached; empty for none."""
        return {"page": "html", "text": "text"}.get(self.attach, "")


class Output(Table, frozen=True):
    """An output: its keys are the options of `mqstat export`."""

    format: Annotated[str, _one_of(OUTPUTS), Wanted(f"must be one of {', '.join(OUTPUTS)}")]
    into: Folder = Path()
    queues: Count = 0
    applications: Count = 0
    database: Address = "postgresql://"
    schema: Schema = "mqstat"
    views: Texts = ()

    @property
    def is_files(self) -> bool:
        """Whether it is the files of a day."""
        return self.format in FEEDS

    @property
    def name(self) -> str:
        """What messages call it; an address may have what others must not read."""
        return f"{self.format} ({self.schema if self.format == POSTGRESQL else self.into})"

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that such an output may have."""
        if self.format == POSTGRESQL:
            return ("format", "database", "schema", "views")
        return ("format", "into", *(("queues", "applications") if self.is_files else ()))


class Config(Table, frozen=True):
    """A configuration that was read and checked; paths are absolute."""

    inbox: Inbox
    dataset: Dataset
    reports: Reports
    retention: Retention = Retention()
    expect: Expect = Expect()
    mail: Mail | None = None
    output: tuple[Output, ...] = ()
    wait_seconds: Count = 600
    time_zone: Zone = ""
    jobs: Annotated[int, Meta(ge=1, lt=1000), Wanted("must be a whole number, 1 or more")] | None = None

    def today(self) -> dt.date:
        """The current date in the time zone of the queue managers."""
        return (dt.datetime.now(ZoneInfo(self.time_zone)) if self.time_zone else dt.datetime.now()).date()

    @property
    def policy(self) -> Policy:
        """What the dataset keeps, and how long."""
        given = {"115": self.retention.statistics, "116": self.retention.accounting}
        keep = self.dataset.keep_days
        periods = {name: Period(f"{keep} days", days=keep) for name in CLASSES if keep}
        periods |= {name: parse_period(text) for name, text in given.items() if text}
        return Policy(periods, tuple(map(parse_hold, self.retention.hold)))


def load_config(path: Path) -> Config:
    """Read and check a configuration; ConfigError names the file, the line and, for an unknown key, the nearest known
    one.
    """
    hint = f"; create one with: mqstat daily --init {pasted(str(path.absolute()))}"
    document = open_document(path, "the configuration", ConfigError, hint)

    def below(_: type, value: object) -> Path:
        """A path as seen from the folder of the configuration."""
        if not isinstance(value, str) or not value or "\0" in value:
            raise ValueError
        return path.absolute().parent / value

    config = document.convert(Config, parse=below)
    _check(config, document)
    return config


def _check(config: Config, document: Document) -> None:
    """ConfigError for values that do not fit each other."""
    folders = {(name, "folder"): getattr(config, name).folder.resolve() for name in ("inbox", "dataset", "reports")}
    for key, folder in folders.items():
        for other, outer in folders.items():
            if key != other and folder.is_relative_to(outer):
                raise document.fault(key, f"lies in {'.'.join(other)}; the three folders must be separate")
    baseline = config.reports.baseline_days
    for name, period in config.policy.periods.items():
        if 0 < period.days <= baseline:
            key = ("retention", name) if name in document.values.get("retention", {}) else ("dataset", "keep_days")
            shown = period.text if key[0] == "retention" else str(period.days)
            message = f"is {shown}, so there are no {baseline} days to compare with (reports.baseline_days); keep at least {baseline + 1}"
            raise document.fault(key, message)
    if config.mail is not None:
        _check_mail(config, config.mail, document)
    for number, output in enumerate(config.output):
        at = ("output", str(number))
        given = document.values["output"][number]
        for name in given:
            if name not in output.keys:
                raise document.fault((*at, name), f"is not a key of an output {output.format}; remove it")
        if "into" in output.keys and "into" not in given:
            raise document.fault((*at, "into"), "is missing; it must be a path in quotes")
        for key, folder in list(folders.items())[:2]:
            if "into" in given and output.into.resolve().is_relative_to(folder):
                raise document.fault((*at, "into"), f"lies in {'.'.join(key)}; specify another folder")
        _check_among(output, config.output[:number], document, at)


def _check_mail(config: Config, mail: Mail, document: Document) -> None:
    """ConfigError unless there is a password for the user, which goes through a protected connection."""
    given = [name for name in ("password_file", "password_variable") if getattr(mail, name)]
    if len(given) > 1:
        raise document.fault(("mail", given[1]), f"cannot be combined with {given[0]}; remove one of them")
    if mail.user and not given:
        raise document.fault(("mail", "user"), "needs a password: specify mail.password_file or mail.password_variable")
    if given and not mail.user:
        raise document.fault(("mail", given[0]), "needs a user: specify mail.user")
    if mail.user and mail.security == "none":
        message = "would send the password unprotected; specify starttls or tls, or remove mail.user"
        raise document.fault(("mail", "security"), message)
    if mail.attached and mail.attached not in config.reports.formats:
        raise document.fault(("mail", "attach"), f"needs {mail.attached} in reports.formats")


def _check_among(output: Output, others: Iterable[Output], document: Document, at: tuple[str, str]) -> None:
    """ConfigError for an output whose files or tables another one also writes, or for a view whose rows depend on more
    than the data.
    """
    for other in others:
        if other.format != output.format:
            continue
        if output.format != POSTGRESQL and other.into.resolve() == output.into.resolve():
            raise document.fault((*at, "into"), "has the same files as another output; specify another folder")
        if output.format == POSTGRESQL and (other.database, other.schema) == (output.database, output.schema):
            raise document.fault(at, "has the same schema as another output; specify another schema")
    for name in output.views:
        from mqstat.intake.view_rows import view_names

        if name not in view_names():
            message = f"has {name}, which is not a view that can be loaded{nearest_or_known(name, view_names(), 'mqstat tables lists them')}"
            raise document.fault((*at, "views"), message)
