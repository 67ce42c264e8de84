"""The settings that advice changes (rules/settings.toml): the value in force at the end of the data, and when it
changed.

Advice is about the value in force: its sizes follow from intervals since the last change, and it withholds what is done
already.
"""

# ruff: noqa: S608 - names of columns are those of our files

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any

from mqstat.base.errors import SqlFileError
from mqstat.base.formatting import exact_text, plural, unit_text
from mqstat.sql import sqlfile


@dataclass(frozen=True)
class Setting:
    """A setting; see rules/settings.toml for its keys. `shown` is empty if no record has its value."""

    name: str
    of: str
    shown: str = ""
    by: str = ""
    where: str = ""
    value: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    unset: str = ""
    fact: str = ""
    most: float | None = None
    ask: str = ""
    why: str = ""

    @property
    def view(self) -> str:
        """The view that has its value; empty if none has."""
        return self.shown.partition(".")[0]

    def text(self, value: str) -> str:
        """A value of records as text."""
        number = None if value in self.words else _number(value)
        unit = sqlfile.views()[self.view].columns[self.shown.partition(".")[2]].unit
        unit_of_number = "" if unit in ("count", "buffers") else unit_text(unit)
        return self.words.get(value, value) if number is None else f"{exact_text(number)}{unit_of_number}"


@dataclass(frozen=True)
class Change:
    """The last change of a setting of a subject: the value in force, that before, the start of the first interval with
    it in local time, and that of the next one in UTC.

    Of the first interval nobody knows which part had which value; `since` is its own start if no interval follows.
    """

    setting: Setting
    before: str
    now: str
    at_local: datetime | None
    since: datetime

    def is_done(self, way: str) -> bool:
        """Whether it is what advice of this way (raises, lowers or sets) asks for."""
        before, now = (None if value in self.setting.words else _number(value) for value in (self.before, self.now))
        if way == "sets" or before is None or now is None:
            return not self.setting.unset or self.now != self.setting.unset
        return now > before if way == "raises" else now < before


def phrases_of(changes: Iterable[Change], local: Mapping[datetime, str]) -> str:
    """What changed, with the local times as text: settings that changed at once from and to the same values
    together.
    """
    together: dict[str, list[str]] = {}
    for each in changes:
        what = f"changed at {local[each.since]} from {each.setting.text(each.before)} to {each.setting.text(each.now)}"
        together.setdefault(what, []).append(each.setting.name)
    return ", ".join(f"{', '.join(names)} {what}" for what, names in together.items())


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


@cache
def settings() -> Mapping[str, Setting]:
    """All settings by name; SqlFileError if a column is not one of a view."""
    text = resources.files("mqstat.rules").joinpath("settings.toml").read_text(encoding="utf-8")
    made = {name: Setting(name, **stated) for name, stated in tomllib.loads(text).items()}
    for each in made.values():
        view, _, column = each.shown.partition(".")
        if each.shown and (view not in sqlfile.views() or column not in sqlfile.views()[view].columns):
            raise SqlFileError(f"rules/settings.toml: {each.name}: {each.shown} is not a column of a view.")
    return made


def value_of(setting: Setting) -> str:
    """The SELECT of the values in force: a row for each subject, with `before`, `at_local` and `since` of the last
    change, NULL without one.

    Objects of one name with several values in an interval, such as instances of a channel, have no value there.
    """
    column = setting.value or setting.shown.partition(".")[2]
    key = f"{setting.by}::VARCHAR" if setting.by else "NULL::VARCHAR"
    condition = f"{setting.where or 'true'} AND {column} IS NOT NULL AND interval_start_utc IS NOT NULL"
    return f"""
        SELECT
          lpar, qmgr, setting_key, arg_max(value, start) AS now,
          max({{'start': start, 'before': before, 'at_local': start_local, 'since': coalesce(following, start)}}) FILTER (before <> value) AS change
        FROM (
          SELECT *, lag(value) OVER same AS before, lead(start) OVER same AS following
          FROM (
            SELECT lpar, qmgr, {key} AS setting_key, interval_start_utc AS start, min(interval_start_local) AS start_local, max({column})::VARCHAR AS value
            FROM {setting.view} WHERE {condition} GROUP BY ALL HAVING min({column}) = max({column})
          )
          WINDOW same AS (PARTITION BY lpar, qmgr, setting_key ORDER BY start)
        )
        GROUP BY lpar, qmgr, setting_key
    """


def change_of(setting: Setting, row: Mapping[str, Any]) -> Change | None:
    """The change in a row of `value_of`."""
    last = row["change"]
    return last and Change(setting, last["before"], row["now"], last["at_local"], last["since"])


@dataclass(frozen=True)
class InForce:
    """What is known of the settings of a subject that is hit: the values in force, the last changes, and the rows of
    the rule since the latest of them.

    `judged`, `breached` and `row` (the worst one in breach, with its sizes) are of these rows; NULL for a rule that
    judges the whole period.
    """

    now: Mapping[str, str]
    changes: tuple[Change, ...] = ()
    judged: int | None = None
    breached: int | None = None
    row: Mapping[str, Any] | None = None

    @property
    def since(self) -> datetime | None:
        """The start of the first interval that has all values in force as a whole."""
        return max((change.since for change in self.changes), default=None)


NOTHING = InForce({})


def advice_parts(
    ways: Mapping[str, str],
    known: InForce,
    facts: Mapping[str, Any],
    values: Mapping[str, Any],
    written: Iterable[Mapping[str, Any]],
    local: Mapping[datetime, str],
) -> Iterator[tuple[str, Any]]:
    """What the settings of a finding change about its advice, as figures of it (see `mqstat.judge.commands`).

    `ways` = raises, lowers or sets for each setting of the rule; `facts` = those of the site file; `values` = the
    figures of the commands; `written` = the parameters of each command by keyword; `local` = local times as text.
    """
    phrases = phrases_of(known.changes, local)
    if known.changes and known.judged is None and any(each.is_done(ways[each.setting.name]) for each in known.changes):
        yield "setting_instead", f"{phrases}: the figures are those of the whole period, so there is no command."
        return
    if known.changes and known.breached == 0:
        intervals = plural(known.judged or 0, "interval")
        yield "setting_settled", f"{phrases}, no breach since ({intervals if known.judged else 'no interval'} judged)."
        return
    for parameters in written:
        for name, size in parameters.items():
            now = _number(known.now.get(name, ""))
            if now is not None and ways.get(name) in ("raises", "lowers") and _is_done(ways[name], now, size):
                yield "setting_instead", f"{f'{phrases}. ' if phrases else ''}{name} is {exact_text(now)} already."
                return
    asked = []
    for name, way in ways.items():
        setting, stated = settings()[name], facts.get(settings()[name].fact)
        size = next((each[name] for each in written if name in each), setting.most)
        if stated is not None:
            if _is_done(way, stated, size):
                yield "setting_instead", f"{name} is {_fact_text(stated)} already, by the site file."
                return
            asked.append(f"{name} is {_fact_text(stated)} by the site file.")
        elif setting.ask:
            asked.append(setting.ask.format(**values))
    if asked:
        yield "setting_condition", " ".join(asked)
    if known.changes:
        intervals = plural(known.judged or 0, "interval")
        share = f", in breach in {known.breached} of {intervals} since" if known.judged else ""
        yield "setting_changed", f"{phrases}{share}; the command is for the value in force."


def _is_done(way: str, stated: Any, size: Any) -> bool:
    """Whether a value in force, or a fact of the site file, is what advice asks for."""
    if way == "sets":
        return bool(stated is True or str(stated).upper() == "NONE")
    return isinstance(size, (int, float)) and (stated >= size if way == "raises" else stated <= size)


def _fact_text(value: Any) -> str:
    words = {"True": "YES", "False": "NO"}
    return words.get(str(value)) or (exact_text(value) if isinstance(value, (int, float)) else str(value))
