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

Facts of a queue manager override those of its LPAR, which override those of `[site]`; maps are merged. Overrides may be nested by lpar, qmgr and
subject in any order; each may be a pattern with * and ?, and the most specific one applies. Every override has a reason and may have an owner; with
`until` it applies for data up to that local date. Every message names the line.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from mqstat.base.errors import SiteError
from mqstat.base.formatting import subject_name
from mqstat.base.nearest import nearest_or_known
from mqstat.base.toml_lines import Lines, TomlError, read
from mqstat.sql import sqlfile

SEVERITIES = ("critical", "warning", "info")


@dataclass(frozen=True)
class Fact:
    """A fact that a site may declare; `key` is the key of a map (pool, page set, structure, queue, channel or application), None = a single value."""

    name: str
    type: str
    key: str | None = None
    displayed: bool = False
    """Whether it is a setting that DISPLAY commands show: a plan prefers the value that records have, which is of the time of its figures."""

    @property
    def column(self) -> str:
        """Its column in view site_input; a map includes the name of its key, since the fact itself is a column of other views."""
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

TABLES = ("site", "lpar", "qmgr", "rules", "rate", "maintenance")
"""The tables of a site file."""

_CHOICES = {"pool_role": ("short", "bulk", "other"), "role": ("production", "test")}


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
    thresholds: Mapping[str, float] = field(default_factory=dict)
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

    It is from one date and time to another; with weekdays from one time of each of these days to another, on the next day if it is not after it.
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
    everywhere: Mapping[str, Any] = field(default_factory=dict)
    by_lpar: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    by_qmgr: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
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
        """All facts of one queue manager by column, None if the site does not give one; maps as lists of pairs, as Arrow requires."""
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
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SiteError(
            f"The site file {path.name} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8 text'}."
        ) from error
    return parse_site(text, path.name)


def parse_site(text: str, name: str) -> Site:
    """Check the text of a site file; messages call it `name`."""
    try:
        data, lines = read(text)
    except TomlError as error:
        raise SiteError(f"{name}, line {error.line}: the site file is not TOML: {error.reason}.") from error
    return _Reader(name, lines).site(data)


_WANTED = {
    "count": "a whole number",
    "number": "a number",
    "flag": "true or false",
    "text": "a text",
    "level": "an MQ level such as 9.3.0",
    "texts": "a list of texts",
}


@dataclass(frozen=True)
class _Reader:
    """Converts the tables of a site file to a Site; errors report the line."""

    name: str
    lines: Lines

    def at(self, path: tuple[str, ...], message: str) -> str:
        named = ".".join(
            path[:1] + path[2:] if path[0] == "maintenance" and path[1:2] and path[1].isdecimal() else path
        )
        return f"{self.name}, line {self.lines.of(*path)}: {named} {message}."

    def table(self, value: Any, path: tuple[str, ...]) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise SiteError(self.at(path, "must be a table"))
        return value

    def site(self, data: dict[str, Any]) -> Site:
        for key in data:
            if key not in TABLES:
                near = nearest_or_known(key, TABLES)
                raise SiteError(f"{self.name}, line {self.lines.of(key)}: the table [{key}] is unknown{near}.")
        overrides: list[Override] = []
        for rule_id, table in self.table(data.get("rules", {}), ("rules",)).items():
            path = ("rules", rule_id)
            if rule_id not in sqlfile.rules():
                raise SiteError(
                    self.at(
                        path, f"is not a rule{nearest_or_known(rule_id, sqlfile.rules(), 'mqstat rules lists them')}"
                    )
                )
            overrides += self.overrides(self.table(table, path), Override(rule_id), path)
        seen: dict[tuple[str | None, ...], int] = {}
        for override in overrides:
            scope = (override.rule_id, override.lpar, override.qmgr, override.subject)
            if scope in seen:
                raise SiteError(
                    f"{self.name}, line {override.line}: rules.{override.rule_id} is overridden twice for the same queue manager "
                    f"and subject, first in line {seen[scope]}."
                )
            seen[scope] = override.line
        return Site(
            self.name,
            self.facts(self.table(data.get("site", {}), ("site",)), ("site",)),
            self.nested_tables(data, "lpar"),
            self.nested_tables(data, "qmgr"),
            tuple(overrides),
            maintenance=tuple(self.windows(data.get("maintenance", []))),
            rates=tuple(self.rates(data.get("rate", []))),
        )

    def rates(self, listed: Any) -> Iterator[dict[str, Any]]:
        if not isinstance(listed, list) or not all(isinstance(table, dict) for table in listed):
            raise SiteError(self.at(("rate",), "must be tables [[rate]]"))
        keys = ("charge_to", *RATE_PATTERNS, *RATE_PRICES, "currency", "decimals")
        for number, table in enumerate(listed, 1):
            where = f"{self.name}, rate {number}"
            for key in table:
                if key not in keys:
                    raise SiteError(f"{where}: {key} is not a known key{nearest_or_known(key, keys)}.")
            charge_to = table.get("charge_to")
            if not isinstance(charge_to, str) or not charge_to.strip():
                raise SiteError(f"{where}: charge_to must be a text: who pays.")
            for key in (*RATE_PATTERNS, "currency"):
                if not isinstance(table.get(key, ""), str):
                    what = "" if key == "currency" else ", a name or a pattern with * and ?"
                    raise SiteError(f"{where}: {key} must be a text{what}.")
            for key in RATE_PRICES:
                price = table.get(key, 0)
                if isinstance(price, bool) or not isinstance(price, (int, float)) or not 0 <= price < 1e9:
                    raise SiteError(f"{where}: {key} must be a number from 0 to below 1000000000.")
            decimals = table.get("decimals", 2)
            if type(decimals) is not int or not 0 <= decimals <= MOST_DECIMALS:
                raise SiteError(f"{where}: decimals must be a whole number from 0 to {MOST_DECIMALS}.")
            prices = {key: float(table.get(key, 0)) for key in RATE_PRICES}
            yield {**dict.fromkeys(keys), **table, **prices, "decimals": decimals}

    def windows(self, listed: Any) -> Iterator[Window]:
        keys = ("from", "to", "weekdays", "lpar", "qmgr", "reason")
        many = isinstance(listed, list)
        for number, table in enumerate(listed if many else [listed]):
            path = ("maintenance", str(number)) if many else ("maintenance",)
            own = self.table(table, path)
            for key in own:
                if key not in keys:
                    raise SiteError(self.at((*path, key), f"is not known{nearest_or_known(key, keys)}"))
            start, end = (self.moment(own, key, path) for key in ("from", "to"))
            weekdays = own.get("weekdays", [])
            if not isinstance(weekdays, list) or ("weekdays" in own and not weekdays):
                raise SiteError(self.at((*path, "weekdays"), 'must be a list of days such as ["Sunday"]'))
            for day in weekdays:
                if day not in WEEKDAYS:
                    near = nearest_or_known(str(day), WEEKDAYS)
                    raise SiteError(self.at((*path, "weekdays"), f"has {day!r}, which is not a day of the week{near}"))
            if not weekdays and start >= end:
                raise SiteError(self.at((*path, "to"), "is not after from: the window ends before it begins"))
            texts = {key: own[key] for key in ("lpar", "qmgr", "reason") if key in own}
            if not all(isinstance(text, str) and text.strip() for text in texts.values()):
                raise SiteError(self.at(path, "has lpar, qmgr and reason as texts"))
            if "reason" not in texts:
                raise SiteError(self.at(path, 'gives no reason; add reason = "..."'))
            yield Window(start, end, tuple(weekdays), **texts)

    def moment(self, own: Mapping[str, Any], key: str, path: tuple[str, ...]) -> Any:
        """The start or end of a maintenance window: a local date and time, with weekdays a time of the day."""
        value = own.get(key)
        if "weekdays" in own:
            if isinstance(value, str) and re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", value, re.ASCII):
                value = dt.time.fromisoformat(value)
            wanted, fits = 'with weekdays a local time of the day such as "22:00"', isinstance(value, dt.time)
        else:
            wanted = "a local time such as 2026-05-21T22:00:00, without quotes; for each week add weekdays"
            fits = isinstance(value, dt.datetime) and value.tzinfo is None
        if not fits:
            where = (*path, key) if key in own else path
            raise SiteError(f"{self.name}, line {self.lines.of(*where)}: maintenance needs {key}, {wanted}.")
        return value

    def nested_tables(self, data: dict[str, Any], kind: str) -> dict[str, dict[str, Any]]:
        table = self.table(data.get(kind, {}), (kind,))
        return {key: self.facts(self.table(value, (kind, key)), (kind, key)) for key, value in table.items()}

    def facts(self, table: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
        checked: dict[str, Any] = {}
        for key, value in table.items():
            fact, here = FACTS.get(key), (*path, key)
            if fact is None:
                raise SiteError(
                    self.at(here, f"is not a known fact{nearest_or_known(key, FACTS, 'mqstat site init lists them')}")
                )
            if fact.key:
                checked[key] = {
                    self.map_key(fact, inner, here): self.value(fact, item, (*here, inner))
                    for inner, item in self.table(value, here).items()
                }
            else:
                checked[key] = self.value(fact, value, here)
        return checked

    def map_key(self, fact: Fact, key: str, path: tuple[str, ...]) -> Any:
        if not fact.is_numbered:
            return key
        if not key.isdecimal() or len(key) > 9:
            raise SiteError(self.at((*path, key), "must be keyed by a number"))
        return int(key)

    def value(self, fact: Fact, value: Any, path: tuple[str, ...]) -> Any:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        fits = {
            "count": isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63,
            "number": number and 0 <= value <= sys.float_info.max,
            "flag": isinstance(value, bool),
            "text": isinstance(value, str),
            "level": isinstance(value, str) and re.fullmatch(r"\d{1,2}(\.\d{1,2}){0,2}", value, re.ASCII) is not None,
            "texts": isinstance(value, list) and all(isinstance(item, str) for item in value),
        }[fact.type]
        if not fits:
            raise SiteError(self.at(path, f"must be {_WANTED[fact.type]}"))
        if fact.name in _CHOICES and value not in _CHOICES[fact.name]:
            raise SiteError(self.at(path, f"must be one of {', '.join(_CHOICES[fact.name])}"))
        return float(value) if fact.type == "number" else value

    def overrides(self, table: Mapping[str, Any], scope: Override, path: tuple[str, ...]) -> list[Override]:
        thresholds = dict(sqlfile.rules()[scope.rule_id].header.get("threshold", {}))
        listed: list[Override] = []
        own: dict[str, Any] = {}
        for key, value in table.items():
            here = (*path, key)
            if key in ("lpar", "qmgr", "subject"):
                if getattr(scope, key) is not None:
                    raise SiteError(self.at(path, f"is nested in {key} twice"))
                for inner, item in self.table(value, here).items():
                    scope_of_override: dict[str, Any] = {key: inner}
                    narrower = dataclasses.replace(scope, **scope_of_override)
                    listed += self.overrides(self.table(item, (*here, inner)), narrower, (*here, inner))
            elif key == "severity":
                if value not in SEVERITIES:
                    raise SiteError(self.at(here, f"must be one of {', '.join(SEVERITIES)}"))
                own["severity"] = value
            elif key == "off":
                if not isinstance(value, bool):
                    raise SiteError(self.at(here, "must be true or false"))
                own["off"] = value
            elif key in ("reason", "owner"):
                if not isinstance(value, str) or not value.strip():
                    what = "that states why, and who agreed" if key == "reason" else "that names who is responsible"
                    raise SiteError(self.at(here, f"must be a text {what}"))
                own[key] = value.strip()
            elif key == "until":
                if not isinstance(value, dt.date) or isinstance(value, dt.datetime):
                    raise SiteError(self.at(here, "must be a date such as 2026-12-31, without quotes"))
                own["until"] = value
            elif key in thresholds:
                if (
                    not isinstance(value, (int, float))
                    or isinstance(value, bool)
                    or not abs(value) <= sys.float_info.max
                ):
                    raise SiteError(self.at(here, "must be a number"))
                own.setdefault("thresholds", {})[key] = value
            else:
                near = nearest_or_known(key, [*thresholds, "severity", "off", "reason", "owner", "until"])
                raise SiteError(self.at(here, f"is not a threshold of {scope.rule_id}{near}"))
        if own:
            if "reason" not in own:
                raise SiteError(self.at(path, 'gives no reason; add reason = "..."'))
            if not set(own) - {"reason", "owner", "until"}:
                raise SiteError(self.at(path, "gives a reason but changes nothing"))
            listed.append(dataclasses.replace(scope, **own, line=self.lines.of(*path)))
        return listed
