"""The configuration of `mqstat daily`: a TOML file. Errors report the line.

`KEYS` describes all keys: the reader, its messages and the commented initial file are generated from it.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from mqstat.base.database_address import INSTEAD, WANTED, is_address, is_schema
from mqstat.base.errors import ConfigError, UsageError
from mqstat.base.formatting import pasted
from mqstat.base.nearest import nearest_or_known
from mqstat.base.removed import instead
from mqstat.base.toml_lines import Lines, TomlError, read
from mqstat.daily.key import Key
from mqstat.daily.output_config import FORMATS as OUTPUTS
from mqstat.daily.output_config import TABLES, Output, keys_of
from mqstat.dataset.classes import CLASSES
from mqstat.dataset.retention import Period, Policy, parse_hold, parse_period
from mqstat.render.formats import formats, formats_of

FORMATS = tuple(name for name in formats_of("report") if formats()[name].is_stream)
"""Formats of a day's report: all that are one file."""

LONGEST_BASELINE = 120
"""Maximum number of days that a day is compared with."""

FRAMINGS = ("rdw", "bdw", "no-rdw", "length-prefixed")


KEYS: Mapping[str, tuple[Key, ...]] = {
    "": (
        Key("wait_seconds", "count", 600, "600", "How long a run waits for files that are still being written, and for another run to end."),
        Key("time_zone", "zone", "", "", "Time zone that determines which day is yesterday, such as Europe/Berlin; default: the clock of this machine."),
        Key("jobs", "jobs", None, "", "Worker processes that read large dumps; default: one per processor."),
    ),
    "inbox": (
        Key("folder", "path", None, '"inbox"', "The folder in which dumps arrive, including its subfolders. mqstat does not change or remove anything in it."),
        Key("files", "texts", ("*",), '["*"]', "Names of files to read, with * and ?. Names that begin with a dot or end in .tmp, .part, .partial or .filepart are always ignored."),
        Key("settle_seconds", "number", 60.0, "60", "A file that changed within this number of seconds is still being written: the run waits for it."),
        Key("rest_hours", "number", 20.0, "20", "A truncated dump (incomplete last record) is skipped for this number of hours: the rest may still arrive."),
        Key("file_minutes", "number", 60.0, "60", "Time limit for reading one file; a file that takes longer is reported, and the run goes on with the next. 0 = no limit."),
        Key("framing", "framing", None, "", "Framing of the dumps, if mqstat does not recognise it: rdw, bdw, no-rdw or length-prefixed."),
    ),
    "dataset": (
        Key("folder", "path", None, '"dataset"', "The dataset to which dumps are added; created if missing."),
        Key("keep_days", "count", 0, "60", "Days that the dataset keeps, counted back from its newest one; 0 = all of them."),
    ),
    "retention": (
        Key("115", "period", None, "", "How long the dataset keeps statistics, such as 13 months; default: dataset.keep_days. Table record and other tables of both classes stay as long as the longer of the two."),
        Key("116", "period", None, "", "How long the dataset keeps accounting, such as 30 days; default: dataset.keep_days."),
        Key("hold", "holds", (), "", "Days that stay whatever the retention is: a day, or a range FIRST..LAST; a reason may follow."),
        Key("rollup", "switch", True, "", "Whether hourly sums, minima and maxima are kept in the folder rollup of the dataset before the detail of a class is dropped."),
    ),
    "reports": (
        Key("folder", "path", None, '"reports"', "The folder for the reports, index.html, mail.txt, status.json and latest.prom; created if missing."),
        Key("keep_days", "count", 0, "400", "Days whose reports are kept, counted back from the newest one; 0 = all of them."),
        Key("formats", "formats", ("html", "text", "json"), '["html", "text", "json"]', f"Formats of the report: {', '.join(FORMATS)}."),
        Key("baseline_days", "count", 28, "28", "Number of previous days that a day is compared with; 0 = no comparison."),
        Key("site", "path", None, "", "Site file with the facts and limits of this site (mqstat site init creates one)."),
        Key("metrics_folder", "path", None, "", "Folder of the node exporter's textfile collector: every run also writes its metrics there, as mqstat.prom."),
        Key("damage_limit_percent", "percent", 0.1, "0.1", "Up to this percentage of damaged bytes the return code is 4; above it, 12."),
    ),
    "sign": (
        Key("key", "path", None, "", "Ed25519 private key in PEM format, which only its owner can read: each run signs the dataset when it has changed (mqstat sign)."),
        Key("copy", "path", None, "", "Folder to which each signature is also copied, on another machine or a file system where nothing can be changed; it must exist."),
    ),
    "expect": (
        Key("qmgrs", "texts", (), "", 'Queue managers that must have data every day, as "MQ01" or with their LPAR "SYS1.MQ01"; return code 4 if one is missing.'),
    ),
}  # fmt: skip
"""Tables and keys in the order of the file; the table "" is the top level."""

OUTPUT = "output"
"""The name of the tables `[[output]]`, of which there may be several."""

REQUIRED = (("inbox", "folder"), ("dataset", "folder"), ("reports", "folder"))

_WANTED = {
    "count": "must be a whole number, 0 or more",
    "jobs": "must be a whole number, 1 or more",
    "number": "must be a number, 0 or more",
    "percent": "must be a number from 0 to 100",
    "path": "must be a path in quotes",
    "zone": "must be the name of a time zone in quotes, such as Europe/Berlin",
    "texts": 'must be a list of texts, such as ["a", "b"]',
    "formats": f"must be a list of one or more of {', '.join(FORMATS)}",
    "output": f"must be one of {', '.join(OUTPUTS)}",
    "address": f"{WANTED}; {INSTEAD}",
    "schema": "must be a name in quotes, of 1 to 63 bytes and without control characters",
    "period": 'must be a period in quotes, such as "30 days", "13 months" or "2 years"',
    "holds": 'must be a list of days or ranges, such as ["2026-03-01", "2026-03-05..2026-03-09 incident 4711"]',
    "switch": "must be true or false",
    "framing": f"must be one of {', '.join(FRAMINGS)}",
}


@dataclass(frozen=True)
class Config:
    """A configuration that was read and checked; paths are absolute or relative to the current folder."""

    name: str
    inbox: Path
    dataset: Path
    reports: Path
    files: tuple[str, ...] = ("*",)
    settle_seconds: float = 60.0
    rest_hours: float = 20.0
    file_minutes: float = 60.0
    framing: str | None = None
    retention: Policy = field(default_factory=Policy)
    keep_reports: int = 0
    formats: tuple[str, ...] = ("html", "text", "json")
    baseline_days: int = 28
    site: Path | None = None
    metrics_folder: Path | None = None
    damage_limit_percent: float = 0.1
    qmgrs: tuple[str, ...] = ()
    sign_key: Path | None = None
    sign_copy: Path | None = None
    outputs: tuple[Output, ...] = ()
    wait_seconds: int = 600
    time_zone: str = ""
    jobs: int | None = None

    def today(self) -> dt.date:
        """The current date in the time zone of the queue managers."""
        return (dt.datetime.now(ZoneInfo(self.time_zone)) if self.time_zone else dt.datetime.now()).date()


def load_config(path: Path) -> Config:
    """Read and check a configuration; ConfigError names the file, the line and, for an unknown key, the nearest known one."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(
            f"The configuration {path} cannot be read: {why}; create one with: mqstat daily --init {pasted(str(path))}"
        ) from error
    try:
        data, lines = read(text)
    except TomlError as error:
        raise ConfigError(f"{path.name}, line {error.line}: the configuration is not TOML: {error.reason}.") from error
    return _Reader(path, lines).config(data)


def example() -> str:
    """The commented text of an initial configuration."""
    lines = [
        "# Configuration of `mqstat daily`. Paths that do not begin at the root are relative to the folder of this file.",
        "# On Windows write paths in single quotes: 'D:\\smf\\inbox'.",
    ]
    for table, keys in KEYS.items():
        lines += ["", f"[{table}]"] if table else []
        for key in keys:
            lines += [
                "",
                f"# {key.doc}",
                f"{key.name} = {key.shown}" if key.shown else f"#{key.name} = {_SAMPLES[key.name]}",
            ]
    for keys in TABLES:
        lines += ["", "#[[output]]"]
        for key in keys:
            lines += ["", f"# {key.doc}", f"#{key.name} = {key.sample}"]
    return "\n".join(lines) + "\n"


_SAMPLES = {
    "time_zone": '"Europe/Berlin"', "jobs": "2", "framing": '"rdw"', "site": '"site.toml"',
    "key": '"/etc/mqstat/sign.pem"', "copy": '"/mnt/evidence"', "115": '"13 months"', "116": '"30 days"', "hold": '["2026-03-05..2026-03-09 incident 4711"]', "rollup": "true",
    "metrics_folder": '"/var/lib/node_exporter/textfile"', "qmgrs": '["MQ01", "SYS2.MQ02"]',
}  # fmt: skip
"""Sample values of the keys that the initial file has as comments."""


@dataclass(frozen=True)
class _Reader:
    """Converts the tables of a configuration to a Config; errors report the line."""

    path: Path
    lines: Lines

    def at(self, path: tuple[str, ...], message: str) -> str:
        name = ".".join((path[0], *path[2:]) if path[0] == OUTPUT else path)
        return f"{self.path.name}, line {self.lines.of(*path)}: {name} {message}."

    def config(self, data: Mapping[str, Any]) -> Config:
        tables = [name for name in KEYS if name]
        top = [key.name for key in KEYS[""]]
        for name, value in data.items():
            if name in tables:
                if not isinstance(value, dict):
                    raise ConfigError(self.at((name,), f"must be a table: write [{name}] on a line of its own"))
            elif name not in top and name != OUTPUT:
                owners = [f"[{table}]" for table in tables for key in KEYS[table] if key.name == name]
                hint = (
                    f"; it belongs in {' or '.join(owners)}"
                    if owners
                    else nearest_or_known(name, [*top, *tables, OUTPUT])
                )
                raise ConfigError(self.at((name,), f"is not known{hint}"))
        values: dict[tuple[str, str], Any] = {}
        for table, keys in KEYS.items():
            given = data.get(table, {}) if table else {name: data[name] for name in top if name in data}
            known = {key.name: key for key in keys}
            for name, value in given.items():
                where = (table, name) if table else (name,)
                if name not in known:
                    raise ConfigError(self.at(where, f"is not known{nearest_or_known(name, known)}"))
                values[table, name] = self.value(known[name], value, where)
            for key in keys:
                values.setdefault((table, key.name), key.default)
        for table, name in REQUIRED:
            if values[table, name] is None:
                line = f", line {self.lines.of(table)}" if table in data else ""
                raise ConfigError(f"{self.path.name}{line}: {table}.{name} is missing; specify the folder.")
        return self.checked(values, self.outputs(data.get(OUTPUT, [])))

    def outputs(self, given: Any) -> tuple[Output, ...]:
        """The tables `[[output]]`."""
        if not isinstance(given, list) or not all(isinstance(table, dict) for table in given):
            raise ConfigError(self.at((OUTPUT,), f"must be a table: write [[{OUTPUT}]] on a line of its own"))
        made: list[Output] = []
        for number, table in enumerate(given):
            known, at = keys_of(table), (OUTPUT, str(number))
            values = {}
            for name, value in table.items():
                if name not in known:
                    raise ConfigError(self.at((*at, name), f"is not known{nearest_or_known(name, known)}"))
                values[name] = self.value(known[name], value, (*at, name))
            for name, key in known.items():
                if name not in values and key.default is None:
                    raise ConfigError(self.at(at, f"has no {name}; specify it"))
            output = Output(**values)
            if any((each.format, each.into.resolve()) == (output.format, output.into.resolve()) for each in made):
                raise ConfigError(
                    self.at((*at, "into"), "has the same files as another output; specify another folder")
                )
            if not output.is_files:
                self.check_database(output, made, at)
            made.append(output)
        return tuple(made)

    def check_database(self, output: Output, others: Iterable[Output], at: tuple[str, ...]) -> None:
        """ConfigError for a view without facts, or for the schema of another output, whose tables each load would drop."""
        from mqstat.intake.facts import fact_views

        for name in output.views:
            if name not in fact_views():
                raise ConfigError(
                    self.at(
                        (*at, "views"),
                        f"has {name}, which is no view with facts{nearest_or_known(name, fact_views(), 'mqstat tables lists them')}",
                    )
                )
        schema = (output.database, output.schema)
        if any(not each.is_files and (each.database, each.schema) == schema for each in others):
            raise ConfigError(self.at(at, "has the same schema as another output; specify another schema"))

    def checked(self, values: Mapping[tuple[str, str], Any], outputs: tuple[Output, ...]) -> Config:
        """The values as a Config, after checking them together."""
        folders = [(values[table, name], (table, name)) for table, name in REQUIRED]
        for folder, key in folders:
            for other, around in folders:
                inside, outside = folder.resolve(), other.resolve()
                if key != around and (outside == inside or outside in inside.parents):
                    raise ConfigError(self.at(key, f"lies in {'.'.join(around)}; the three folders must be separate"))
        for number, output in enumerate(outputs):
            for folder, key in folders[:2]:
                if folder.resolve() in (output.into.resolve(), *output.into.resolve().parents):
                    where = (OUTPUT, str(number), "into")
                    raise ConfigError(self.at(where, f"lies in {'.'.join(key)}; specify another folder"))
        keep, baseline = values["dataset", "keep_days"], values["reports", "baseline_days"]
        if baseline > LONGEST_BASELINE:
            raise ConfigError(
                self.at(("reports", "baseline_days"), f"is {baseline}; at most {LONGEST_BASELINE} days are allowed")
            )
        if 0 < keep <= baseline:
            raise ConfigError(self.at(("dataset", "keep_days"), _too_short(str(keep), baseline)))
        periods = {name: Period(f"{keep} days", days=keep) for name in CLASSES if keep}
        for name in CLASSES:
            period = values["retention", name]
            if period is not None:
                if 0 < period.days <= baseline:
                    raise ConfigError(self.at(("retention", name), _too_short(period.text, baseline)))
                periods[name] = period
        if values["sign", "copy"] is not None and values["sign", "key"] is None:
            raise ConfigError(self.at(("sign", "copy"), "needs a key: specify sign.key"))
        by_class = any(values["retention", name] for name in CLASSES)
        return Config(
            name=self.path.name,
            inbox=values["inbox", "folder"],
            dataset=values["dataset", "folder"],
            reports=values["reports", "folder"],
            retention=Policy(periods, values["retention", "hold"], by_class and values["retention", "rollup"]),
            keep_reports=values["reports", "keep_days"],
            sign_key=values["sign", "key"],
            outputs=outputs,
            sign_copy=values["sign", "copy"],
            **{
                name: value
                for (table, name), value in values.items()
                if name not in ("folder", "keep_days") and table not in ("retention", "sign")
            },
        )

    def value(self, key: Key, value: Any, where: tuple[str, ...]) -> Any:
        number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
        whole = isinstance(value, int) and not isinstance(value, bool)
        texts = isinstance(value, list) and all(isinstance(item, str) and item for item in value)
        fits = {
            "count": whole and 0 <= value < 1_000_000,
            "jobs": whole and 0 < value < 1_000,
            "number": number and value < 1_000_000,
            "percent": number and value <= 100,
            "path": isinstance(value, str) and bool(value) and "\0" not in value,
            "zone": isinstance(value, str) and _is_zone(value),
            "texts": texts,
            "period": isinstance(value, str) and _is(parse_period, value),
            "holds": texts and all(_is(parse_hold, item) for item in value),
            "switch": isinstance(value, bool),
            "formats": texts and bool(value) and set(value) <= set(FORMATS),
            "output": isinstance(value, str) and value in OUTPUTS,
            "address": isinstance(value, str) and is_address(value),
            "schema": isinstance(value, str) and is_schema(value),
            "framing": value in FRAMINGS,
        }[key.kind]
        if not fits:
            named = value if key.kind == "formats" and texts else ()
            removed = [f"has {name}. {sentence}" for name in named if (sentence := instead("format", name)) is not None]
            raise ConfigError(self.at(where, removed[0] if removed else _WANTED[key.kind]))
        if key.kind == "path":
            return self.path.parent / value
        if key.kind == "period":
            return parse_period(value)
        if key.kind == "holds":
            return tuple(map(parse_hold, value))
        if key.kind in ("texts", "formats"):
            return tuple(dict.fromkeys(value))
        return float(value) if key.kind in ("number", "percent") else value


def _too_short(period: str, baseline: int) -> str:
    return f"is {period}, so there are no {baseline} days to compare with (reports.baseline_days); keep at least {baseline + 1}"


def _is(parse: Callable[[str], object], text: str) -> bool:
    """Whether a text can be parsed."""
    try:
        parse(text)
    except UsageError:
        return False
    return True


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # not found, not a name, a folder
        return False
    return True
