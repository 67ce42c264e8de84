"""The site file: facts that SMF does not hold, and thresholds, severities and rules that a site changes.

    [site]
    active_log_mb = 4096
    pool_role = { 3 = "bulk" }

    [lpar.SYS1]
    cpus = 8

    [qmgr.MQ01]
    active_logs = 12

    [rules.BP004]
    stealable_pct_min = 10.0
    reason = "agreed with the application owners"

    [rules.BP004.qmgr.MQ01.subject."buffer pool 3"]
    off = true
    reason = "batch pool"

Facts of a queue manager win over those of its LPAR, and these over `[site]`; maps are merged. Overrides may be nested by lpar, qmgr and
subject in any order; the narrowest one wins. Every override says its reason.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mqstat import sqlfile
from mqstat.errors import SiteError

SEVERITIES = ("critical", "warning", "info")


@dataclass(frozen=True)
class Fact:
    """One fact a site may declare; `key` says what a map is keyed by (pool, structure, queue or channel), None = one value."""

    name: str
    type: str
    key: str | None = None

    @property
    def column(self) -> str:
        """Its column in view site_input; a map says what it is keyed by, since the fact itself is a column of other views."""
        return f"{self.name}_by_{self.key}" if self.key else self.name


def _facts(type_: str, names: str, key: str | None = None) -> list[Fact]:
    return [Fact(name, type_, key) for name in names.split()]


FACTS: Mapping[str, Fact] = {
    fact.name: fact
    for fact in [
        *_facts(
            "count",
            "active_logs archive_copies log_stripes logload zhl_pfids zhl_other_sessions cpus csq_admin_entsmax",
        ),
        *_facts(
            "number",
            "active_log_mb log_peak_mb_s log_read_forward_mib_per_s log_read_backward_mib_per_s page_read_us outbuff_kib",
        ),
        *_facts("number", "chin_31bit_total_mb msu_price"),
        *_facts(
            "flag",
            "metro_mirror single_logging_accepted offload_off_accepted low_logload_accepted tls_required dse_required no_class3",
        ),
        *_facts("text", "qsg log_device min_partner_version criticality"),
        *_facts(
            "texts",
            "expected_members duplexed_structures smds_offload_custom xmit_queues ims_bridge_queues ams_queues ams_channels",
        ),
        *_facts("texts", "dead_letter_queues retained_queues stopped_channels tls_exempt"),
        *_facts("count", "structure_bytes cf_entries cf_elements", "structure"),
        *_facts("count", "maxdepth", "queue"),
        *_facts("number", "latency_us", "channel"),
        *_facts("text", "pool_role", "pool"),
    ]
}
"""All facts by the name that the site file gives them."""

FACT_OF_COLUMN: Mapping[str, str] = {fact.column: fact.name for fact in FACTS.values()}
"""The name that the site file gives a column of view site_input."""

_CHOICES = {"pool_role": ("short", "bulk", "other")}


@dataclass(frozen=True)
class Override:
    """What a site changes in one rule, and where it holds: a None in lpar, qmgr or subject means everywhere."""

    rule_id: str
    lpar: str | None = None
    qmgr: str | None = None
    subject: str | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)
    severity: str | None = None
    off: bool | None = None
    reason: str = ""

    @property
    def scope(self) -> str:
        """Where a threshold comes from, as findings print it: site, qmgr or subject."""
        return "subject" if self.subject is not None else "qmgr" if self.qmgr is not None else "site"

    @property
    def rank(self) -> tuple[bool, bool, bool]:
        """Narrower overrides have a higher rank."""
        return (self.subject is not None, self.qmgr is not None, self.lpar is not None)


@dataclass(frozen=True)
class Site:
    """A site file that was read and checked; `Site()` changes nothing."""

    name: str = ""
    everywhere: Mapping[str, Any] = field(default_factory=dict)
    by_lpar: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    by_qmgr: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    overrides: tuple[Override, ...] = ()

    @property
    def has_facts(self) -> bool:
        """Whether the file declares any fact."""
        return bool(self.everywhere or self.by_lpar or self.by_qmgr)

    def facts(self, lpar: str, qmgr: str) -> dict[str, Any]:
        """All facts of one queue manager by column, None where the site gives none; maps as lists of pairs, as Arrow wants them."""
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
        }

    def overrides_of(self, rule_id: str) -> tuple[Override, ...]:
        """Overrides of one rule, the widest first."""
        return tuple(sorted((o for o in self.overrides if o.rule_id == rule_id), key=lambda o: o.rank))


def load_site(path: Path) -> Site:
    """Read and check a site file; SiteError names the file and, for an unknown name, the nearest known one."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SiteError(
            f"The site file {path.name} cannot be read: {getattr(error, 'strerror', None) or error}."
        ) from error
    return parse_site(text, path.name)


def parse_site(text: str, name: str) -> Site:
    """Check the text of a site file; `name` is what messages call it."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SiteError(f"{name}: the site file is not TOML: {error}.") from error
    for key in data:
        if key not in ("site", "lpar", "qmgr", "rules"):
            raise SiteError(f"{name}: the table [{key}] is unknown{_nearest(key, ('site', 'lpar', 'qmgr', 'rules'))}.")
    rules = _table(data.get("rules", {}), name, "rules")
    overrides: list[Override] = []
    for rule_id, table in rules.items():
        if rule_id not in sqlfile.rules():
            raise SiteError(f"{name}: rules.{rule_id} is not a rule{_nearest(rule_id, sqlfile.rules())}.")
        overrides += _overrides(_table(table, name, f"rules.{rule_id}"), Override(rule_id), f"rules.{rule_id}", name)
    seen: set[tuple[str, str | None, str | None, str | None]] = set()
    for override in overrides:
        place = (override.rule_id, override.lpar, override.qmgr, override.subject)
        if place in seen:
            raise SiteError(
                f"{name}: rules.{override.rule_id} is overridden twice for the same queue manager and subject."
            )
        seen.add(place)
    return Site(
        name,
        _check_facts(_table(data.get("site", {}), name, "site"), "site", name),
        {key: _check_facts(_table(value, name, f"lpar.{key}"), f"lpar.{key}", name) for key, value in _table(data.get("lpar", {}), name, "lpar").items()},
        {key: _check_facts(_table(value, name, f"qmgr.{key}"), f"qmgr.{key}", name) for key, value in _table(data.get("qmgr", {}), name, "qmgr").items()},
        tuple(overrides),
    )  # fmt: skip


def _table(value: Any, name: str, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SiteError(f"{name}: {where} must be a table.")
    return value


def _nearest(word: str, known: Iterable[str]) -> str:
    names = {name.casefold(): name for name in known}
    found = difflib.get_close_matches(word.casefold(), list(names), 1, 0.5)
    return f"; did you mean {names[found[0]]}" if found else ""


def _check_facts(table: Mapping[str, Any], where: str, name: str) -> dict[str, Any]:
    checked: dict[str, Any] = {}
    for key, value in table.items():
        fact = FACTS.get(key)
        if fact is None:
            raise SiteError(f"{name}: {where}.{key} is not a known fact{_nearest(key, FACTS)}.")
        if fact.key:
            checked[key] = {
                _map_key(fact, inner, f"{where}.{key}", name): _value(fact, item, f"{where}.{key}.{inner}", name)
                for inner, item in _table(value, name, f"{where}.{key}").items()
            }
        else:
            checked[key] = _value(fact, value, f"{where}.{key}", name)
    return checked


def _map_key(fact: Fact, key: str, where: str, name: str) -> Any:
    if fact.key != "pool":
        return key
    if not key.isdecimal():
        raise SiteError(f"{name}: {where}.{key} must be keyed by a number.")
    return int(key)


def _value(fact: Fact, value: Any, where: str, name: str) -> Any:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    fits = {
        "count": isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63,
        "number": number and value >= 0,
        "flag": isinstance(value, bool),
        "text": isinstance(value, str),
        "texts": isinstance(value, list) and all(isinstance(item, str) for item in value),
    }[fact.type]
    if not fits:
        wanted = {
            "count": "a whole number",
            "number": "a number",
            "flag": "true or false",
            "text": "a text",
            "texts": "a list of texts",
        }
        raise SiteError(f"{name}: {where} must be {wanted[fact.type]}.")
    if fact.name in _CHOICES and value not in _CHOICES[fact.name]:
        raise SiteError(f"{name}: {where} must be one of {', '.join(_CHOICES[fact.name])}.")
    return float(value) if fact.type == "number" else value


def _overrides(table: Mapping[str, Any], scope: Override, where: str, name: str) -> list[Override]:
    header = sqlfile.rules()[scope.rule_id].header
    thresholds = dict(header.get("threshold", {}))
    found: list[Override] = []
    own: dict[str, Any] = {}
    for key, value in table.items():
        if key in ("lpar", "qmgr", "subject"):
            if getattr(scope, key) is not None:
                raise SiteError(f"{name}: {where} is nested in {key} twice.")
            for inner, item in _table(value, name, f"{where}.{key}").items():
                narrower = Override(
                    **{**{part: getattr(scope, part) for part in ("rule_id", "lpar", "qmgr", "subject")}, key: inner}
                )
                found += _overrides(
                    _table(item, name, f"{where}.{key}.{inner}"), narrower, f"{where}.{key}.{inner}", name
                )
        elif key == "severity":
            if value not in SEVERITIES:
                raise SiteError(f"{name}: {where}.severity must be one of {', '.join(SEVERITIES)}.")
            own["severity"] = value
        elif key == "off":
            if not isinstance(value, bool):
                raise SiteError(f"{name}: {where}.off must be true or false.")
            own["off"] = value
        elif key == "reason":
            if not isinstance(value, str) or not value.strip():
                raise SiteError(f"{name}: {where}.reason must be a text.")
            own["reason"] = value.strip()
        elif key in thresholds:
            if not isinstance(value, (int, float)) or isinstance(value, bool):
                raise SiteError(f"{name}: {where}.{key} must be a number.")
            own.setdefault("thresholds", {})[key] = value
        else:
            raise SiteError(
                f"{name}: {where}.{key} is not a threshold of {scope.rule_id}{_nearest(key, [*thresholds, 'severity', 'off', 'reason'])}."
            )
    if own:
        if "reason" not in own:
            raise SiteError(f'{name}: {where} gives no reason; add reason = "...".')
        if len(own) == 1:
            raise SiteError(f"{name}: {where} gives a reason but changes nothing.")
        found.append(Override(scope.rule_id, scope.lpar, scope.qmgr, scope.subject, **own))
    return found
