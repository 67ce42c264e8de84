"""The site file: facts that SMF does not record, and thresholds, severities and rules that a site changes.

    [site]
    active_log_mb = 4096
    pool_role = { 3 = "bulk" }

    [lpar.SYS1]
    cpus = 8

    [qmgr.MQ01]
    active_logs = 12

    [[maintenance]]
    weekdays = ["Sunday"]
    from = "22:00"
    to = "02:00"
    reason = "weekly restart"

    [[rate]]
    charge_to = "Payments"
    application = "PAY*"
    cpu_second = 0.02

    [rules.BP004]
    stealable_pct_min = 10.0
    reason = "agreed with the application owners"
    owner = "MQ team"

    [rules.BP004.qmgr.MQ01.subject."buffer pool 1*"]
    off = true
    reason = "batch pools"
    until = 2026-12-31

Facts of a queue manager override those of its LPAR, which override those of `[site]`; maps are merged. Overrides may be
nested by lpar, qmgr and subject in any order; each may be a pattern with * and ?, and the most specific one applies.
Every override has a reason and may have an owner; with `until` it applies for data up to that local date. Every message
names the line.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as default
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, defstruct, field
from msgspec.structs import asdict

from mqstat.base.errors import SiteError
from mqstat.base.formatting import exact_text, subject_name
from mqstat.base.nearest import nearest_or_known
from mqstat.base.toml_model import Document, Table, Wanted, document_of, open_document
from mqstat.sql import sqlfile

SEVERITIES = ("critical", "warning", "info")


@dataclass(frozen=True)
class Fact:
    """A fact that a site may declare; `key` is the key of a map (pool, page set, structure, queue, channel or
    application), None = a single value.
    """

    name: str
    type: str
    key: str | None = None
    displayed: bool = False
    """Whether it is a setting that DISPLAY commands show: a plan prefers the value that records have, which is of the
    time of its figures."""

    @property
    def column(self) -> str:
        """Its column in view site_input; a map includes the name of its key, since the fact itself is a column of other
        views.
        """
        return f"{self.name}_by_{self.key}" if self.key else self.name

    @property
    def is_numbered(self) -> bool:
        """Whether the keys of the map are numbers."""
        return self.key in ("pool", "page_set")


def _facts(type_: str, names: str, key: str | None = None, *, displayed: bool = False) -> list[Fact]:
    return [Fact(name, type_, key, displayed) for name in names.split()]


FACTS: Mapping[str, Fact] = {
    fact.name: fact
    for fact in [
        *_facts(
            "count",
            "active_logs archive_copies log_stripes logload zhl_pfids zhl_other_sessions cpus csq_admin_entsmax",
        ),
        *_facts(
            "number",
            "active_log_mb log_peak_mb_s log_read_forward_mib_per_s log_read_backward_mib_per_s page_read_us",
        ),
        *_facts("number", "chin_31bit_total_mb msu_price"),
        *_facts(
            "flag",
            "metro_mirror single_logging_accepted offload_off_accepted low_logload_accepted tls_required dse_required no_class3",
        ),
        *_facts("text", "qsg criticality role log_device"),
        *_facts("level", "min_partner_version"),
        *_facts(
            "texts",
            "expected_members duplexed_structures smds_offload_custom xmit_queues ims_bridge_queues ams_queues ams_channels",
        ),
        *_facts("texts", "dead_letter_queues retained_queues stopped_channels tls_exempt"),
        *_facts("count", "cf_entries cf_elements", "structure"),
        *_facts("count", "maxdepth", "queue"),
        *_facts("number", "page_set_max_gb", "page_set"),
        *_facts("number", "latency_us", "channel"),
        *_facts("text", "pool_role", "pool"),
        *_facts("text", "application_group", "application"),
        *_facts("text", "xmitq", "channel"),
        *_facts("count", "wrthrsh maxarch chiadaps chidisps ssltasks maxchl actchl maxumsgs", displayed=True),
        *_facts("number", "outbuff_kib inbuff_kib statime_min acctime_min expryint_s sslrkeyc_bytes", displayed=True),
        *_facts("flag", "zhywrite zhylink", displayed=True),
        *_facts("text", "complog", displayed=True),
        *_facts(
            "count",
            "structure_bytes dsbufs cflevel offld1th_pct offld2th_pct offld3th_pct",
            "structure",
            displayed=True,
        ),
        *_facts("number", "dsblock_kib offld1sz_kib offld2sz_kib offld3sz_kib", "structure", displayed=True),
        *_facts("text", "cf_offload", "structure", displayed=True),
        *_facts("flag", "cf_recover", "structure", displayed=True),
        *_facts("count", "buffers", "pool", displayed=True),
        *_facts("count", "page_set_pages", "page_set", displayed=True),
        *_facts("text", "page_set_expand", "page_set", displayed=True),
    ]
}
"""All facts by their name in the site file."""

FACT_OF_COLUMN: Mapping[str, str] = {fact.column: fact.name for fact in FACTS.values()}
"""The name in the site file of a column of view site_input."""


_WILD = re.compile(r"[*?]")


def _fits(pattern: str | None, name: str | None) -> bool:
    """Whether a pattern matches a name: None matches every name, * and ? match any characters."""
    if pattern is None or pattern == name:
        return True
    return name is not None and bool(_WILD.search(pattern)) and fnmatchcase(name, pattern.replace("[", "[[]"))


def _narrowness(pattern: str | None) -> tuple[int, int]:
    """A sort key: names are more specific than patterns, long patterns more specific than short ones."""
    return (0, 0) if pattern is None else (1, len(pattern)) if _WILD.search(pattern) else (2, 0)


@dataclass(frozen=True)
class Override:
    """What a site changes in one rule, and where: None in lpar, qmgr or subject means everywhere."""

    rule_id: str
    lpar: str | None = None
    qmgr: str | None = None
    subject: str | None = None
    thresholds: Mapping[str, float] = default(default_factory=dict)
    severity: str | None = None
    off: bool | None = None
    reason: str = ""
    until: dt.date | None = None
    line: int = 0
    owner: str = ""

    @property
    def scope(self) -> str:
        """Where a threshold comes from, as findings print it: site, qmgr or subject."""
        return "subject" if self.subject is not None else "qmgr" if self.qmgr is not None else "site"

    @property
    def rank(self) -> tuple[bool, bool, bool]:
        """Which of subject, queue manager and LPAR it names."""
        return (self.subject is not None, self.qmgr is not None, self.lpar is not None)

    @property
    def order(self) -> tuple[tuple[int, int], ...]:
        """Sort key: more specific overrides come later."""
        return (_narrowness(self.subject), _narrowness(self.qmgr), _narrowness(self.lpar))

    def holds(self, lpar: str | None, qmgr: str | None, subject: str | None) -> bool:
        """Whether it applies to a subject."""
        return _fits(self.lpar, lpar) and _fits(self.qmgr, qmgr) and _fits(self.subject, subject)

    def changes_text(self, defaults: Mapping[str, float] | None = None) -> str:
        """What it changes, the limits with their default if it is known."""
        known = {name: f" (default {exact_text(value)})" for name, value in (defaults or {}).items()}
        what = [f"{name} {exact_text(value)}{known.get(name, '')}" for name, value in self.thresholds.items()]
        what += [f"severity {self.severity}"] if self.severity else []
        what += ["off" if self.off else "on"] if self.off is not None else []
        return ", ".join(what)

    def around(self, other: Override) -> bool:
        """Whether it applies wherever another override does."""
        return self.holds(other.lpar, other.qmgr, other.subject)

    @property
    def condition(self) -> str:
        """The same as an SQL condition over the columns lpar, qmgr and subject."""
        parts = []
        for name in ("lpar", "qmgr", "subject"):
            value = getattr(self, name)
            if value is not None:
                sign = "GLOB" if _WILD.search(value) else "="
                text = value.replace("[", "[[]") if sign == "GLOB" else value
                parts.append(f"{name} {sign} '" + text.replace("'", "''") + "'")
        return " AND ".join(parts) or "true"

    @property
    def where(self) -> str:
        """Where it applies, as text."""
        if self.qmgr is None:
            return " ".join(value for value in (self.lpar, self.subject) if value)
        return subject_name(self.lpar, self.qmgr, self.subject)


WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True)
class Window:
    """A maintenance window in local time: what breaches only in it is planned. None in lpar or qmgr means everywhere.

    It is from one date and time to another; with weekdays from one time of each of these days to another, on the next
    day if it is not after it.
    """

    start: Any
    end: Any
    weekdays: tuple[str, ...] = ()
    lpar: str | None = None
    qmgr: str | None = None
    reason: str = ""

    def covers(self, lpar: str | None, qmgr: str | None, moments: Iterable[dt.datetime]) -> bool:
        """Whether a queue manager was in maintenance at all of these local moments."""
        return _fits(self.lpar, lpar) and _fits(self.qmgr, qmgr) and all(map(self._has, moments))

    def _has(self, moment: dt.datetime) -> bool:
        if isinstance(self.start, dt.datetime):
            return bool(self.start <= moment <= self.end)
        for day in (moment.date(), moment.date() - dt.timedelta(days=1)):
            start, end = (dt.datetime.combine(day, time) for time in (self.start, self.end))
            if WEEKDAYS[day.weekday()] in self.weekdays and start <= moment <= end + dt.timedelta(days=end <= start):
                return True
        return False

    @property
    def text(self) -> str:
        """The window, where it applies, and why."""
        where = f" {subject_name(self.lpar, self.qmgr, None)}" if self.lpar or self.qmgr else ""
        period = f"{self.start:%Y-%m-%d %H:%M} to {self.end:%Y-%m-%d %H:%M}"
        if self.weekdays:
            period = f"each {', '.join(self.weekdays)} {self.start:%H:%M} to {self.end:%H:%M}"
        return f"{period}{where}: {self.reason}"


RATE_PATTERNS = ("application", "queue", "channel", "user", "qmgr", "type")
"""Keys of a rate with a name or a pattern with * and ?; work is charged by the first rate whose patterns it matches."""

RATE_PRICES = ("cpu_second", "thousand_messages", "mib")
"""Keys of a rate with a price."""

RATES = "rates"
"""Column of view site_input with the rates of the file."""

MOST_DECIMALS = 6
"""Decimal places that an amount may have."""


@dataclass(frozen=True)
class Site:
    """A site file that was read and checked; `Site()` changes nothing."""

    name: str = ""
    everywhere: Mapping[str, Any] = default(default_factory=dict)
    by_lpar: Mapping[str, Mapping[str, Any]] = default(default_factory=dict)
    by_qmgr: Mapping[str, Mapping[str, Any]] = default(default_factory=dict)
    overrides: tuple[Override, ...] = ()
    ended: tuple[Override, ...] = ()
    """Overrides whose last day is before the data; they have no effect."""
    maintenance: tuple[Window, ...] = ()
    rates: tuple[Mapping[str, Any], ...] = ()
    """Who is charged for work in MQ, and for how much; in the order of the file."""

    def on(self, day: dt.date | None) -> Site:
        """The site for data up to this local day: expired overrides are only reported."""
        known = (*self.overrides, *self.ended)
        ended = tuple(o for o in known if day is not None and o.until is not None and o.until < day)
        return dataclasses.replace(self, overrides=tuple(o for o in known if o not in ended), ended=ended)

    @property
    def has_facts(self) -> bool:
        """Whether the file declares any fact."""
        return bool(self.everywhere or self.by_lpar or self.by_qmgr or self.rates)

    def facts(self, lpar: str, qmgr: str) -> dict[str, Any]:
        """All facts of one queue manager by column, None if the site does not give one; maps as lists of pairs, as
        Arrow requires.
        """
        merged: dict[str, Any] = {}
        for level in (
            self.everywhere,
            self.by_lpar.get(lpar, {}),
            self.by_qmgr.get(qmgr, {}),
            self.by_qmgr.get(f"{lpar}.{qmgr}", {}),
        ):
            for name, value in level.items():
                merged[name] = {**merged.get(name, {}), **value} if FACTS[name].key else value
        return {
            fact.column: list(merged[name].items()) if fact.key and name in merged else merged.get(name)
            for name, fact in FACTS.items()
        } | {RATES: list(self.rates) or None}

    def overrides_of(self, rule_id: str) -> tuple[Override, ...]:
        """Overrides of one rule, the least specific first."""
        return tuple(sorted((o for o in self.overrides if o.rule_id == rule_id), key=lambda o: o.order))


def load_site(path: Path) -> Site:
    """Read and check a site file; SiteError names the file and, for an unknown name, the nearest known one."""
    return _site(open_document(path, "the site file", SiteError))


def parse_site(text: str, name: str) -> Site:
    """Check the text of a site file; messages call it `name`."""
    return _site(document_of(text, name, "the site file", SiteError))


_TYPES: Mapping[str, Any] = {
    "count": Annotated[int, Meta(ge=0, le=(1 << 63) - 1), Wanted("must be a whole number")],
    "number": Annotated[float, Meta(ge=0, le=sys.float_info.max), Wanted("must be a number")],
    "flag": Annotated[bool, Wanted("must be true or false")],
    "text": Annotated[str, Wanted("must be a text")],
    "level": Annotated[
        str, Meta(pattern=r"^[0-9]{1,2}(\.[0-9]{1,2}){0,2}\Z"), Wanted("must be an MQ level such as 9.3.0")
    ],
    "texts": Annotated[list[str], Wanted("must be a list of texts")],
    "role": Annotated[Literal["production", "test"], Wanted("must be one of production, test")],
    "pool_role": Annotated[Literal["short", "bulk", "other"], Wanted("must be one of short, bulk, other")],
}
"""The types of facts; `role` and `pool_role` are texts with a choice."""

_NUMBER = Annotated[int, Meta(ge=0, lt=1_000_000_000)]


def _type_of(fact: Fact) -> Any:
    """The type of a fact in a model: optional, and a map if it has keys."""
    value = _TYPES.get(fact.name, _TYPES[fact.type])
    if fact.key:
        value = dict[_NUMBER, value] if fact.is_numbered else dict[str, value]  # type: ignore[valid-type]
    return value | UnsetType


_Facts: Any = defstruct(
    "_Facts", [(fact.name, _type_of(fact), UNSET) for fact in FACTS.values()], bases=(Table,), frozen=True
)

_Text = Annotated[str, Meta(min_length=1), Wanted("must be a text", str.strip)]
_Pattern = Annotated[str | None, Wanted("must be a text, a name or a pattern with * and ?")]
_Price = Annotated[float, Meta(ge=0, lt=1e9), Wanted("must be a number from 0 to below 1000000000")]


class _Rate(Table, frozen=True):
    """A table `[[rate]]`."""

    charge_to: Annotated[str, Wanted("must be a text: who pays", str.strip)]
    application: _Pattern = None
    queue: _Pattern = None
    channel: _Pattern = None
    user: _Pattern = None
    qmgr: _Pattern = None
    type: _Pattern = None
    cpu_second: _Price = 0.0
    thousand_messages: _Price = 0.0
    mib: _Price = 0.0
    currency: Annotated[str | None, Wanted("must be a text")] = None
    decimals: Annotated[
        int, Meta(ge=0, le=MOST_DECIMALS), Wanted(f"must be a whole number from 0 to {MOST_DECIMALS}")
    ] = 2


class _Maintenance(Table, frozen=True):
    """A table `[[maintenance]]`."""

    reason: Annotated[str, Wanted("must be a text that states why", str.strip)]
    start: Any = field(name="from", default=None)
    end: Any = field(name="to", default=None)
    weekdays: (
        Annotated[tuple[str, ...], Meta(min_length=1), Wanted('must be a list of days such as ["Sunday"]')] | None
    ) = None
    lpar: _Text | None = None
    qmgr: _Text | None = None


class _Tables(Table, frozen=True):
    """All tables of a site file."""

    site: _Facts = _Facts()
    lpar: dict[str, _Facts] = field(default_factory=dict)
    qmgr: dict[str, _Facts] = field(default_factory=dict)
    rules: dict[str, dict[str, Any]] = field(default_factory=dict)
    rate: tuple[_Rate, ...] = ()
    maintenance: tuple[_Maintenance, ...] = ()


class _Override(Table, frozen=True):
    """What a table below `[rules]` may have apart from thresholds."""

    severity: (
        Annotated[Literal["critical", "warning", "info"], Wanted("must be one of critical, warning, info")] | None
    ) = None
    off: Annotated[bool, Wanted("must be true or false")] | None = None
    reason: Annotated[str, Wanted("must be a text that states why, and who agreed", str.strip)] | None = None
    owner: Annotated[str, Wanted("must be a text that names who is responsible", str.strip)] | None = None
    until: Annotated[dt.date, Wanted("must be a date such as 2026-12-31, without quotes")] | None = None
    lpar: dict[str, dict[str, Any]] = field(default_factory=dict)
    qmgr: dict[str, dict[str, Any]] = field(default_factory=dict)
    subject: dict[str, dict[str, Any]] = field(default_factory=dict)


def _is_finite(value: float) -> bool:
    return abs(value) <= sys.float_info.max


_LIMIT = Annotated[float | int, Wanted("must be a number", _is_finite)]


def _site(document: Document) -> Site:
    """The tables of a site file as a Site."""
    if isinstance(document.values.get("maintenance"), dict):
        document.values["maintenance"] = [document.values["maintenance"]]
    tables = document.convert(_Tables)
    overrides: list[Override] = []
    for rule_id in tables.rules:
        if rule_id not in sqlfile.rules():
            raise document.fault(
                ("rules", rule_id),
                f"is not a rule{nearest_or_known(rule_id, sqlfile.rules(), 'mqstat rules lists them')}",
            )
        overrides += _overrides(document, ("rules", rule_id), Override(rule_id))
    seen: dict[tuple[str | None, ...], int] = {}
    for override in overrides:
        scope = (override.rule_id, override.lpar, override.qmgr, override.subject)
        if scope in seen:
            raise SiteError(
                f"{document.name}, line {override.line}: rules.{override.rule_id} is overridden twice for the same "
                f"queue manager and subject, first in line {seen[scope]}."
            )
        seen[scope] = override.line
    return Site(
        document.name,
        _facts_of(tables.site),
        {name: _facts_of(facts) for name, facts in tables.lpar.items()},
        {name: _facts_of(facts) for name, facts in tables.qmgr.items()},
        tuple(overrides),
        maintenance=tuple(_window(document, number, table) for number, table in enumerate(tables.maintenance)),
        rates=tuple(map(asdict, tables.rate)),
    )


def _facts_of(facts: Any) -> dict[str, Any]:
    """The facts that a table has."""
    return {name: value for name, value in asdict(facts).items() if value is not UNSET}


def _window(document: Document, number: int, table: _Maintenance) -> Window:
    """A maintenance window; SiteError if its times do not fit each other."""
    path = ("maintenance", str(number))
    start, end = (
        _moment(document, path, name, value, weekly=table.weekdays is not None)
        for name, value in (("from", table.start), ("to", table.end))
    )
    for day in table.weekdays or ():
        if day not in WEEKDAYS:
            message = f"has {day!r}, which is not a day of the week{nearest_or_known(day, WEEKDAYS)}"
            raise document.fault((*path, "weekdays"), message)
    if not table.weekdays and start >= end:
        raise document.fault((*path, "to"), "is not after from: the window ends before it begins")
    return Window(start, end, table.weekdays or (), table.lpar, table.qmgr, table.reason)


def _moment(document: Document, path: tuple[str, ...], name: str, value: Any, *, weekly: bool) -> Any:
    """The start or end of a maintenance window: a local date and time, or in each week a time of the day."""
    if weekly:
        if isinstance(value, str) and re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", value, re.ASCII):
            value = dt.time.fromisoformat(value)
        must, fits = (
            'must be a local time of the day such as "22:00", because there are weekdays',
            isinstance(value, dt.time),
        )
    else:
        must = "must be a local time such as 2026-05-21T22:00:00, without quotes; for each week add weekdays"
        fits = isinstance(value, dt.datetime) and value.tzinfo is None
    if not fits:
        raise document.fault((*path, name), must)
    return value


def _overrides(document: Document, path: tuple[str, ...], scope: Override) -> Iterator[Override]:
    """The overrides of a table of a rule and of the tables in it."""
    thresholds = dict(sqlfile.rules()[scope.rule_id].header.get("threshold", {}))
    model: Any = defstruct(
        "_Rule", [(name, _LIMIT | UnsetType, UNSET) for name in thresholds], bases=(_Override,), frozen=True
    )
    table = document.convert(model, path)
    for level in ("lpar", "qmgr", "subject"):
        nested = getattr(table, level)
        if nested and getattr(scope, level) is not None:
            raise document.fault(path, f"is nested in {level} twice")
        for name in nested:
            narrower = dataclasses.replace(scope, **{level: name})
            yield from _overrides(document, (*path, level, name), narrower)
    limits = {name: value for name in thresholds if (value := getattr(table, name)) is not UNSET}
    changes = limits or table.severity is not None or table.off is not None
    if not (changes or table.reason or table.owner or table.until):
        return
    if table.reason is None:
        raise document.fault(path, 'gives no reason; add reason = "..."')
    if not changes:
        raise document.fault(path, "gives a reason but changes nothing")
    yield dataclasses.replace(
        scope,
        thresholds=limits,
        severity=table.severity,
        off=table.off,
        reason=table.reason.strip(),
        owner=(table.owner or "").strip(),
        until=table.until,
        line=document.lines.of(*path),
    )
