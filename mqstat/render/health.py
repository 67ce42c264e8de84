"""Puts a health report together: head, coverage, verdict, findings, tables, foot. All figures come from views, reports and findings."""

# ruff: noqa: S608 - statements are put together from files of this package; names are quoted, values are bound or made literals

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa

from mqstat import __version__, sqlfile
from mqstat.database import Database, quoted
from mqstat.errors import UsageError
from mqstat.plans import HEAD_QUERIES, keep
from mqstat.render.model import Finding, LocalTimes, Report, Table, Verdict
from mqstat.rules import run_rules
from mqstat.rules.engine import clean
from mqstat.rules.model import AREAS, Rule, rules
from mqstat.selection import Selection
from mqstat.site import Site

SCREEN_ROWS = 20
"""Rows of a report on a screen; all of them are in files."""

_UNIT_TEXT = {"percent": " %", "us": " us", "s": " s", "ratio": "", "count": "", "number": "", "buffers": ""}
_STATES = {"critical": "CRITICAL", "warning": "WARNING", "info": "note"}


def health_report(
    db: Database,
    selection: Selection | None = None,
    site: Site | None = None,
    reports: Sequence[str] | None = None,
    damage_limit_pct: float = 0.1,
) -> Report:
    """Run the rules and gather the report; `reports` = only these tables, `damage_limit_pct` in percent of the bytes.

    UsageError for an unknown report. The basic views of the database are computed once and kept.
    """
    names = [find_report(name) for name in reports or ()]
    site = site or db.site
    keep(
        db,
        [
            *(unit.text for unit in sqlfile.rules().values()),
            *HEAD_QUERIES,
            *(sqlfile.reports()[name].text for name in names),
        ],
    )
    found = run_rules(db, site)
    rows = db.rows(
        f"SELECT * FROM finding ORDER BY{sqlfile.reports()['overview/findings'].text.rsplit('ORDER BY', 1)[1]}"
    )
    qmgrs = db.rows(
        "SELECT lpar, qmgr, qsg, mq_versions, first_written_local, last_written_local, intervals FROM qmgr ORDER BY lpar, qmgr"
    )
    times = _times(db, qmgrs)
    sources = db.rows("SELECT * FROM source ORDER BY source_id")
    code = return_code(found, sources, damage_limit_pct)
    lpars = {row["lpar"] for row in qmgrs}
    hidden = frozenset(name for name, many in (("lpar", len(lpars) > 1), ("qmgr", len(qmgrs) > 1)) if not many)
    chosen = names or sorted(filter(lambda name: _wanted(name, rows), sqlfile.reports()), key=_place)
    keep(db, [*HEAD_QUERIES, *(sqlfile.reports()[name].text for name in chosen)])
    return Report(
        title="MQ health report",
        head=tuple(_head(qmgrs, sources, times, selection, db)),
        coverage=tuple(_coverage(db, len(qmgrs))),
        verdicts=tuple(_verdicts(rows, times, qmgrs)),
        findings=tuple(_findings(rows, times, sources, len(lpars) > 1)),
        tables=tuple(table(db, name, rows) for name in chosen),
        all_findings=table(db, "overview/findings"),
        foot=tuple(_foot(site, rows, code, bool(names), chosen)),
        times=times,
        return_code=code,
        only_tables=bool(names),
        hidden=hidden,
    )


def find_report(name: str) -> str:
    """The id of a report, given as `area/name` or by the DD name that users of MP1B know."""
    known = sqlfile.reports()
    if name in known:
        return name
    for report in known.values():
        if name.upper() in report.header.get("dd", ()):
            return report.id
    near = difflib.get_close_matches(name, list(known), 1, 0.4)
    raise UsageError(
        f"There is no report {clean(name)}"
        + (f"; the nearest is {near[0]}." if near else f"; there are {', '.join(known)}.")
    )


def return_code(found: pa.Table, sources: Sequence[Mapping[str, Any]] = (), damage_limit_pct: float = 0.1) -> int:
    """The z/OS return code: 16 broken rule, 12 no record decoded or too much damage, 8 critical, 4 warning or some damage, else 0."""
    outcomes = set(zip(found["outcome"].to_pylist(), found["severity"].to_pylist(), strict=True))
    total = sum(row["source_bytes"] or 0 for row in sources)
    damaged = sum(row["bytes_damaged"] or 0 for row in sources)
    if any(outcome == "broken" for outcome, _ in outcomes):
        return 16
    if sources and not sum(row["records_decoded"] or 0 for row in sources):
        return 12
    if total and 100 * damaged > damage_limit_pct * total:
        return 12
    if ("breach", "critical") in outcomes:
        return 8
    return 4 if ("breach", "warning") in outcomes or damaged else 0


# --- head


def _times(db: Database, qmgrs: Sequence[Mapping[str, Any]]) -> LocalTimes:
    changes: dict[tuple[str | None, str | None], list[tuple[datetime, int]]] = {}
    query = """
        WITH moment AS (
          SELECT lpar, qmgr, date_trunc('hour', written_local - to_minutes(gmt_offset_minutes)) AS utc, gmt_offset_minutes AS minutes
          FROM record WHERE gmt_offset_minutes IS NOT NULL
          GROUP BY ALL
          UNION
          SELECT lpar, qmgr, interval_start_utc, epoch_us(interval_start_local - interval_start_utc) // 60000000
          FROM interval_cut WHERE interval_start_local IS NOT NULL
        ),
        changed AS (
          SELECT *, lag(minutes) OVER (PARTITION BY lpar, qmgr ORDER BY utc, minutes) IS DISTINCT FROM minutes AS is_change FROM moment
        )
        SELECT lpar, qmgr, utc, minutes FROM changed WHERE is_change ORDER BY lpar, qmgr, utc
    """
    for row in db.rows(query):
        changes.setdefault((row["lpar"], row["qmgr"]), []).append((row["utc"], int(row["minutes"])))
    # A day that ends with the record written at midnight is one day.
    late = timedelta(minutes=1)
    moments = [row["first_written_local"] for row in qmgrs] + [row["last_written_local"] for row in qmgrs]
    days = {(moment - late).date() for moment in moments if moment}
    first = db.execute("SELECT min(interval_start_local) FROM interval_cut").fetchall()[0][0]
    days |= {first.date()} if first else set()
    return LocalTimes({key: tuple(value) for key, value in changes.items()}, len(days) <= 1)


def offset_text(minutes: int) -> str:
    """UTC+01:00 and the like."""
    return f"UTC{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}" if minutes else "UTC"


def _plural(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _head(
    qmgrs: Sequence[Mapping[str, Any]],
    sources: Sequence[Mapping[str, Any]],
    times: LocalTimes,
    selection: Selection | None,
    db: Database,
) -> Iterable[tuple[str, str]]:
    starts = [row["first_written_local"] for row in qmgrs if row["first_written_local"]]
    ends = [row["last_written_local"] for row in qmgrs if row["last_written_local"]]
    covered = db.rows(
        "SELECT min(interval_start_local) AS first, max(interval_start_local + to_microseconds(interval_us)) AS last FROM interval_cut"
    )[0]
    first = min([*starts, *([covered["first"]] if covered["first"] else [])], default=None)
    last = max([*ends, *([covered["last"]] if covered["last"] else [])], default=None)
    if first and last:
        end = last.strftime("%H:%M:%S" if first.date() == last.date() else "%Y-%m-%d %H:%M:%S")
        yield "Period", f"{first:%Y-%m-%d %H:%M:%S} to {end}, local time"
    if selection is not None and not selection.is_all:
        parts = [f"type {number}" for number in selection.types] + [
            f"queue manager {clean(name)}" for name in selection.qmgrs
        ]
        parts += [f"from {selection.since:%Y-%m-%d %H:%M}"] if selection.since else []
        parts += [f"before {selection.until:%Y-%m-%d %H:%M}"] if selection.until else []
        yield "Selected", ", ".join(parts)
    for row in qmgrs[:6]:
        offsets = dict.fromkeys(minutes for _, minutes in times.changes.get((row["lpar"], row["qmgr"]), ()))
        clock = " then ".join(offset_text(minutes) for minutes in offsets) or "clock offset unknown"
        group = f", group {row['qsg']}" if row["qsg"] else ""
        yield (
            "System" if row is qmgrs[0] else "",
            clean(
                f"{row['qmgr']} on {row['lpar']}{group}, MQ {row['mq_versions'] or 'level unknown'}, {_plural(row['intervals'], 'interval')}, {clock}"
            ),
        )
    if len(qmgrs) > 6:
        yield "", f"and {len(qmgrs) - 6} more queue managers (report overview/contents)"
    for row in sources[:6]:
        parts = [f"{row['records_decoded'] or 0} records decoded"]
        for name, text in (("other_types", "of other types"), ("internal", "internal"), ("raw", "kept raw")):
            if row[f"records_{name}"]:
                parts.append(f"{row[f'records_{name}']} {text}")
        parts.append(
            f"{row['records_damaged'] or 0} damaged ({row['bytes_damaged'] or 0} of {row['source_bytes'] or 0} bytes)"
        )
        yield "Read" if row is sources[0] else "", clean(f"{row['source_name']}: {', '.join(parts)}")
        if row["diagnosis"]:
            yield "", clean(f"{row['source_name']}: {row['diagnosis']}")
    if len(sources) > 6:
        yield "", f"and {len(sources) - 6} more inputs (view source)"


def _coverage(db: Database, qmgrs: int) -> Iterable[tuple[str, str]]:
    """What was not collected, one line per state, place and command: it stands above every result it touches."""
    query = """
        SELECT record_class, class_holds, coverage_state, command_to_collect,
          count(*) AS places, string_agg(qmgr, ', ' ORDER BY lpar, qmgr) AS names,
          min(intervals_present) AS present, min(intervals_expected) AS expected
        FROM collection
        WHERE coverage_state NOT IN ('collected', 'collected (event driven)')
        GROUP BY record_class, class_holds, coverage_state, command_to_collect
        ORDER BY split_part(record_class, '.', 1), try_cast(split_part(record_class, '.', 2) AS INTEGER)
    """
    merged: dict[tuple[str, str, str], list[str]] = {}
    for row in db.rows(query):
        state = {"collected in part": "in part", "not in this release": "not in release"}.get(
            row["coverage_state"], row["coverage_state"]
        )
        where = (
            ""
            if row["places"] == qmgrs
            else f" on {row['places']} of {qmgrs} queue managers ({_short(clean(row['names']))})"
        )
        end = f": {row['command_to_collect']}" if state == "not collected" else ""
        if state == "in part":
            end = f": {row['present']} of {row['expected']} intervals" + (" at the least" if row["places"] > 1 else "")
        merged.setdefault((state, where, end), []).append(f"{row['record_class']} {row['class_holds']}")
    for (state, where, end), classes in sorted(
        merged.items(), key=lambda item: ("not collected", "in part", "not in release").index(item[0][0])
    ):
        yield state, f"{', '.join(classes)}{where}{end}"


def _short(text: str, width: int = 40) -> str:
    return text if len(text) <= width else text[: width - 4].rsplit(", ", 1)[0] + ", ..."


# --- verdict


def figure(value: float | None, unit: str | None) -> str:
    """A figure with its unit, as sentences print it."""
    if value is None:
        return "n/a"
    number = f"{value:.0f}" if float(value).is_integer() else f"{value:.1f}"
    return number + _UNIT_TEXT.get(unit or "", f" {unit}")


def area_title(area: str) -> str:
    """The area as a reader calls it."""
    return {"smds": "SMDS", "cf": "Coupling facility", "db2": "Db2", "qsg": "Sharing group", "ims": "IMS"}.get(
        area, area.replace("_", " ").capitalize()
    )


def _verdicts(
    rows: Sequence[Mapping[str, Any]], times: LocalTimes, qmgrs: Sequence[Mapping[str, Any]]
) -> Iterable[Verdict]:
    many_lpars = len({row["lpar"] for row in qmgrs}) > 1
    for area in AREAS:
        mine = [row for row in rows if row["rule_area"] == area]
        if mine:
            yield _verdict(area, mine, times, many_lpars, len(qmgrs))


def _verdict(area: str, rows: list[Mapping[str, Any]], times: LocalTimes, many_lpars: bool, qmgrs: int) -> Verdict:
    known = rules()
    title = area_title(area)
    broken = [row for row in rows if row["outcome"] == "broken"]
    breaches = [row for row in rows if row["outcome"] == "breach"]
    judged = [row for row in rows if row["outcome"] == "clear" and row["intervals_checked"]]
    absent = [row for row in rows if row["outcome"] == "no-data"]
    idle = [row for row in rows if row["outcome"] == "clear" and not row["intervals_checked"]]
    if broken:
        return Verdict(title, "BROKEN", f"rule {broken[0]['rule_id']} failed: this area is not judged completely")
    if breaches:
        worst = breaches[0]
        text = _decider(worst, known[worst["rule_id"]], times, many_lpars)
        share = f", in {_share(worst)}" if worst["worst_interval_utc"] else ""
        more = f"; {len(breaches) - 1} more below" if len(breaches) > 1 else ""
        return Verdict(title, _STATES[worst["severity"]], f"{text}{share}{more}{_missing_part(absent, qmgrs)}")
    if judged:
        nearest = max(judged, key=lambda row: _closeness(row, known[row["rule_id"]]))
        return Verdict(
            title, "ok", _decider(nearest, known[nearest["rule_id"]], times, many_lpars) + _missing_part(absent, qmgrs)
        )
    if absent:
        return Verdict(
            title,
            "not in release" if absent[0]["advice"].startswith("Not in this release") else "not collected",
            _reason(absent[0]["advice"]),
        )
    if idle:
        return Verdict(
            title, "nothing to judge", "the records are there, with no activity or no interval that can be judged"
        )
    return Verdict(title, "off", "all rules of this area are switched off")


def _reason(advice: str) -> str:
    text = advice.removeprefix("Not collected: ").removeprefix("Not in this release: ").rstrip(".")
    return text[0].lower() + text[1:] if text else text


def _missing_part(absent: Sequence[Mapping[str, Any]], qmgrs: int) -> str:
    """What could not be judged beside a verdict, so that it never looks complete when it is not."""
    if not absent:
        return ""
    places = sorted({clean(f"{row['qmgr']}") for row in absent if row["qmgr"]})
    ids = sorted({row["rule_id"] for row in absent})
    where = f" on {len(places)} of {qmgrs} queue managers ({_short(', '.join(places))})" if qmgrs > 1 and places else ""
    return f"; not judged{where}: {_short(', '.join(ids))}"


def _closeness(row: Mapping[str, Any], rule: Rule) -> float:
    """How near a clear figure is to its limit; the nearest decides what the green line prints."""
    observed, limit = row["observed"], row["limit_value"]
    if observed is None or limit is None:
        return -1.0
    if rule.worst == "lowest":
        return limit / observed if observed > 0 else 0.0
    return observed / limit if limit > 0 else 0.0


def _decider(row: Mapping[str, Any], rule: Rule, times: LocalTimes, many_lpars: bool) -> str:
    limit = f" (limit {figure(row['limit_value'], row['limit_unit'])})" if row["limit_value"] is not None else ""
    where = clean(row["subject"] or "")
    if row["qmgr"]:
        where += f" on {clean(row['qmgr'])}" + (f"/{clean(row['lpar'])}" if many_lpars else "")
    moment = times.text(row["lpar"], row["qmgr"], row["worst_interval_utc"])
    return f"{rule.measure} {figure(row['observed'], row['limit_unit'])}{limit}, {where}" + (
        f" at {moment}" if moment else ""
    )


# --- findings


def _findings(
    rows: Sequence[Mapping[str, Any]], times: LocalTimes, sources: Sequence[Mapping[str, Any]], many_lpars: bool
) -> Iterable[Finding]:
    """Breaches and broken rules, the worst first; subjects of one rule and severity stand together."""
    known = rules()
    names = {row["source_id"]: row["source_name"] for row in sources}
    groups: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["outcome"] in ("breach", "broken"):
            groups.setdefault((row["outcome"], row["severity"], row["rule_id"]), []).append(row)
    ranks = {"broken": -1, "critical": 0, "warning": 1, "info": 2}
    for (outcome, severity, rule_id), group in sorted(
        groups.items(), key=lambda item: ranks[item[0][0] if item[0][0] == "broken" else item[0][1]]
    ):
        rule = known[rule_id]
        for row in group:
            if outcome == "broken":
                yield Finding(
                    "broken",
                    rule.id,
                    "",
                    rule.title,
                    row["advice"],
                    f"{rule.file.name}; the other rules were run",
                    "",
                    row,
                )
                continue
            place = clean(f"{row['qmgr']} " if row["qmgr"] else "") + (
                f"({clean(row['lpar'])}) " if many_lpars and row["lpar"] else ""
            )
            short = figure(row["observed"], row["limit_unit"])
            if row["worst_interval_utc"]:
                short += f", {_share(row)}, worst {times.text(row['lpar'], row['qmgr'], row['worst_interval_utc'])}"
            facts = _facts(row, rule, times, names)
            yield Finding(
                severity, rule.id, place + clean(row["subject"] or ""), rule.title, row["advice"], facts, short, row
            )


def _share(row: Mapping[str, Any]) -> str:
    return f"{row['intervals_breached']} of {_plural(row['intervals_checked'], 'interval')}"


def _facts(row: Mapping[str, Any], rule: Rule, times: LocalTimes, names: Mapping[int, str]) -> str:
    parts = []
    if row["worst_interval_utc"]:
        here = (row["lpar"], row["qmgr"])
        text = f"{_share(row)}, worst {times.text(*here, row['worst_interval_utc'])}"
        if row["intervals_breached"] > 1:
            text += (
                f", first {times.text(*here, row['first_seen_utc'])}, last {times.text(*here, row['last_seen_utc'])}"
            )
        parts.append(text)
    first = rule.first_threshold
    if first and row["limit_from"] != "default":
        parts.append(f"limit {row['limit_value']:g} from the site ({row['limit_from']}), default {first.value:g}")
    parts.append(row["rule_source"])
    if row["evidence_offset"] is not None:
        name = names.get(row["evidence_source_id"])
        parts.append(clean(f"evidence {name + ' ' if name else ''}offset {row['evidence_offset']}"))
    if row["report"]:
        parts.append(f"look at {row['report']}")
    return "; ".join(parts)


# --- tables


def _place(name: str) -> tuple[bool, int]:
    """The order of tables in a health report: that of the areas, what is in the data last."""
    area = name.partition("/")[0]
    return area == "overview", AREAS.index(area)


def _wanted(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a health report shows a table: what is in the data always, the rest when one of its rules is in breach."""
    report = sqlfile.reports()[name]
    hit = {row["rule_id"] for row in rows if row["outcome"] == "breach"}
    return name == "overview/contents" or bool(hit & set(report.header.get("rules", ())))


def table(db: Database, name: str, rows: Sequence[Mapping[str, Any]] = ()) -> Table:
    """A report with its first rows; rows in breach stand first."""
    report = sqlfile.reports()[name]
    text = report.text.rstrip().rstrip(";")
    keep(db, [text])
    known = rules()
    marks = []
    hit = {row["rule_id"] for row in rows if row["outcome"] == "breach"}
    for rule_id in report.header.get("rules", ()):
        if rule_id not in hit:
            continue
        keys = [
            column[0]
            for column in db.execute(f"SELECT * FROM {quoted('breach_' + known[rule_id].id)} LIMIT 0").description
        ]
        if all(key in report.columns for key in keys):
            same = " AND ".join(f"b.{quoted(key)} IS NOT DISTINCT FROM r.{quoted(key)}" for key in keys)
            marks.append(f"EXISTS (SELECT 1 FROM {quoted('breach_' + rule_id)} AS b WHERE {same})")
    if marks:
        body, order = text.rsplit("\nORDER BY", 1)
        query = f"SELECT r.*, {' OR '.join(marks)} AS in_breach FROM ({body}) AS r ORDER BY in_breach DESC,{order}\nLIMIT {SCREEN_ROWS}"
        shown = db.execute(query).fetchall()
        marked = tuple(bool(row[-1]) for row in shown)
        shown = [row[:-1] for row in shown]
    else:
        shown = db.execute(f"{text}\nLIMIT {SCREEN_ROWS}").fetchall()
        marked = (False,) * len(shown)
    header = report.header
    # One row less than asked for: that was all of them, and the report need not run twice.
    total = len(shown) if len(shown) < SCREEN_ROWS else db.execute(f"SELECT count(*) FROM ({text})").fetchall()[0][0]
    return Table(
        name,
        report.title,
        header["question"],
        header.get("note", ""),
        tuple(report.columns.values()),
        tuple(shown),
        marked,
        total,
        db,
        text,
    )


# --- foot


def _foot(
    site: Site, rows: Sequence[Mapping[str, Any]], code: int, only: bool, shown: Sequence[str]
) -> Iterable[tuple[str, str]]:
    if site.overrides:
        for override in site.overrides:
            what = [
                f"{name} {value:g} (default {rules()[override.rule_id].thresholds[name].value:g})"
                for name, value in override.thresholds.items()
            ]
            what += [f"severity {override.severity}"] if override.severity else []
            what += ["off" if override.off else "on"] if override.off is not None else []
            where = "".join(f" {value}" for value in (override.lpar, override.qmgr, override.subject) if value)
            yield "Site", clean(f"{override.rule_id}{where}: {', '.join(what)}, {override.reason}")
        yield "Limits", "all others are the defaults; mqstat explain RULE shows them with their sources"
    else:
        yield "Limits", "defaults; mqstat explain RULE shows them with their sources, a site file changes them"
    counts = {
        outcome: sum(row["outcome"] == outcome for row in rows)
        for outcome in ("breach", "broken", "no-data", "clear", "off")
    }
    told = [f"{counts['breach']} in breach", f"{counts['clear']} clear", f"{counts['no-data']} without data"]
    told += [f"{counts[name]} {name}" for name in ("broken", "off") if counts[name]]
    yield "Rules", f"{len(rules())} rules: {', '.join(told)} (per queue manager and subject; report overview/findings)"
    if not only:
        others = [name for name in sqlfile.reports() if name not in shown]
        if others:
            yield "Reports", f"mqstat report --report NAME shows {', '.join(others)}"
    meaning = {
        0: "no warnings",
        4: "warnings",
        8: "critical findings",
        12: "the input is damaged or holds no MQ records",
        16: "a rule failed",
    }
    yield "mqstat", f"version {__version__}, return code {code} ({meaning[code]})"
