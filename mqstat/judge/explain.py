"""The pages of `mqstat explain` about rules, columns, reports, pictures, views and tables; they need no data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from mqstat.base.errors import RuleError, UsageError
from mqstat.base.formatting import bare_text, clean, exact_text, number_text, with_endings
from mqstat.base.nearest import did_you_mean, nearest_or_known
from mqstat.judge import lineage
from mqstat.judge.messages import about, messages
from mqstat.judge.model import GUARDS, KINDS, WEIGHTS, Rule, rules
from mqstat.judge.wrapping import WIDTH, wrapped, wrapped_sql
from mqstat.sql import sqlfile
from mqstat.sql.schemas import duckdb_type
from mqstat.sql.ways import NOT_NUMERIC

UNSEEN = "Not seen on real data yet: only built records have given it rows."
"""What the page of a report states whose header has `unseen`."""

_MARGIN = " " * len("Breach when ")

_MESSAGE = re.compile(r"CSQ[A-Z0-9]\d{3}[A-Z]?|[A-Z]{2}\d{5}")
"""The id of a message or APAR."""


def explain(rule_id: str) -> str:
    """The explanation of a rule; RuleError with the nearest id if it is unknown."""
    known = rules()
    rule = known.get(rule_id.upper())
    if rule is None:
        raise RuleError(f"There is no rule {rule_id}{nearest_or_known(rule_id, known, 'mqstat rules lists them')}.")
    return "\n".join(_lines(rule)) + "\n"


def _lines(rule: Rule) -> list[str]:
    lines = [f"{rule.id}  {rule.name}", f"{rule.title}."]
    lines += [
        "",
        f"Severity    {rule.severity}, {rule.weight}: {WEIGHTS[rule.weight]}{'' if rule.default_on else ', off unless the site switches it on'}",
    ]
    lines += [f"Judged by   {rule.judge}; subject: one per {', '.join(rule.grain)}"]
    for number, combined in enumerate(rule.alternatives):
        stated = " and ".join(rule.clauses[clause].stated for clause in combined)
        lines += wrapped(f"{'or' if number else 'Breach when'} {stated}", _MARGIN if number else "", _MARGIN + "  ")
    remarks = []
    if rule.judge.wants_four:
        enough = f" and a weight below {rule.weighted_min:,.0f} {rule.weighted_by}" if rule.weighted_by else ""
        remarks += [f"with fewer than four judged intervals{enough}, a breach is only a note (info)"]
    if rule.judge.kind == "consecutive":
        remarks += ["shorter intervals are put together: they count as one if most of their time is in breach"]
    if rule.weighted_by:
        remarks += [f"intervals are weighted by {rule.weighted_by}"]
    remarks += [f"{GUARDS[guard]} ({guard})" for guard in rule.guards]
    for kind, work in (("culprits", rule.culprits), ("victims", rule.victims)):
        if work is not None:
            remarks += [f"{kind} are ranked by {', else by '.join(work)}" if work else f"no record shows its {kind}"]
    for clause in rule.clauses:
        if clause.counts_when:
            counts = " and ".join(each.stated for each in clause.counts_when)
            remarks += [f"{clause.measure}: counts only where {counts}"]
    for missing, state in (("fails", "not fulfilled"), ("holds", "fulfilled")):
        measured = dict.fromkeys(clause.measure for clause in rule.clauses if clause.missing == missing)
        if measured:
            remarks += [f"{state} if missing: {', '.join(measured)}"]
    if rule.leaves_out:
        remarks += [f"leaves out {rule.leaves_out}"]
    if rule.judged_when:
        remarks += [f"not judged unless {_in_words(rule.judged_when)}"]
    if rule.min_activity:
        remarks += [f"only intervals with {_in_words(rule.min_activity)}"]
    if rule.caused_by:
        causes = ", ".join(rule.caused_by)
        if "causes" in rule.columns:
            causes = f"those of {causes} that column causes lists"
        remarks += [f"explained by {causes} if they breach at the same time, on the same subject or one that it uses"]
    if rule.silenced_by:
        remarks += [f"not reported if {' or '.join(rule.silenced_by)} already reports the same subject"]
    for remark in remarks:
        lines += wrapped(remark, _MARGIN)
    if rule.thresholds:
        lines += ["", "Limits (change them in the site file, with a reason)"]
        for threshold in rule.thresholds.values():
            given = f"{KINDS[threshold.kind]}{': ' if threshold.cite else ''}{threshold.cite}"
            if threshold.margin and threshold.name in {clause.limit for clause in rule.clauses}:
                given += f"; up to {number_text(threshold.margin)} % beyond it, a breach is only a note"
            lines += wrapped(
                f"{threshold.name} = {bare_text(threshold.value)} [{threshold.unit}]: {threshold.why} ({given}).", "  "
            )
    lines += ["", "Source"]
    kind = f" ({KINDS[rule.source.kind]})" if rule.source.kind else ""
    lines += wrapped(f"{rule.source.cite}{kind}.", "  ")
    lines += ["", "What to do"]
    lines += wrapped(_with_names(rule, rule.advice.remedy), "  ")
    lines += _commands(rule)
    lines += ["", "Needs"]
    for column in rule.needs:
        lines += [f"  {column}"]
    for group in rule.needs_any:
        lines += [f"  one of {', '.join(group)}"]
    if classes := _classes_of(rule.needed_views):
        since = f", MQ {rule.mq_since} or later" if rule.mq_since != "base" else ""
        lines += [f"  from records {', '.join(classes)}{since}"]
    shown = [name for name, unit in sqlfile.reports().items() if rule.id in unit.header.get("rules", ())]
    if rule.advice.report in sqlfile.reports():
        lines += ["", f"Report      mqstat report DUMP --report {rule.advice.report}"]
        also = ", ".join(name for name in shown if name != rule.advice.report)
        lines += wrapped(f"also: {also}", _MARGIN) if also else []
    lines += _apart(_listed("Messages", about(rule.id)))
    lines += ["", f"Test        {rule.file.name}", ""]
    for line in rule.statement.splitlines():
        lines += wrapped_sql(line.rstrip(), "  ")
    return lines


def _classes_of(needs: Iterable[str]) -> list[str]:
    """The record classes that the views among these require."""
    views = sqlfile.views()
    return sorted({name for need in needs if need in views for name in views[need].classes})


def _listed(label: str, items: Iterable[str], margin: str | None = None) -> list[str]:
    """A label and what is listed after it; nothing without items."""
    text = ", ".join(items)
    return wrapped(f"{label:<12}{text}", "", margin) if text else []


def _apart(lines: list[str]) -> list[str]:
    """Lines after an empty one, if there are any."""
    return ["", *lines] if lines else []


def _named(ids: Iterable[str]) -> list[str]:
    """The rules among these with their names."""
    return [f"{id_} {rules()[id_].name}" for id_ in ids if id_ in rules()]


def _note(header: Mapping[str, Any]) -> list[str]:
    """The note of a header, and an empty line after it."""
    return ["Note", *wrapped(header["note"], "  "), ""] if header.get("note") else []


def _in_words(condition: str) -> str:
    """A condition in SQL as text: names of limits without their mark, operators in lower case."""
    for word in (" AND ", " OR ", " IS NOT NULL"):
        condition = condition.replace(word, word.lower())
    return condition.replace("$", "")


def _commands(rule: Rule) -> Iterator[str]:
    """The commands of a rule with the names of their values, and how their sizes are computed."""
    for heading, items in (("Look", rule.commands.look), ("Do", rule.commands.do)):
        yield from ("", heading) if items else ()
        for item in items:
            yield from wrapped(_with_names(rule, item if isinstance(item, str) else item.text), "  ", "    ")
    if rule.settings:
        changed = ", ".join(f"{way} {name}" for name, way in rule.settings.items())
        unless = (
            f"; not while {' or '.join(rule.do_unless)} is in breach on the queue manager" if rule.do_unless else ""
        )
        yield from ("", "Settings", *wrapped(f"{changed}{unless}", "  "))
    if rule.do_of_plan:
        yield from ("", "Do", f"  what mqstat plan {rule.do_of_plan} answers")
    for size in rule.commands.sizes.values():
        bound = "" if size.at_most is None else f", at most {exact_text(size.at_most)}"
        holds = f", if {size.when}" if size.when else ""
        yield from wrapped(f"{size.name.replace('_', ' ')} = {size.formula}{bound}{holds}", "  ", "    ")
    for cost in dict.fromkeys(size.cost for size in rule.commands.sizes.values() if size.cost):
        yield from wrapped(_with_names(rule, re.sub("<<|>>", "", cost)), "  ")


def _with_names(rule: Rule, text: str) -> str:
    """A text with its limits filled in and the figures of a finding as names in angle brackets.

    A text that the SQL of the rule chooses appears with all its variants, in square brackets if it may be empty.
    """

    def name(match: re.Match[str]) -> str:
        limit = rule.thresholds.get(match[1])
        if limit is not None:
            return exact_text(limit.value)
        variants, may_be_empty = _variants(rule, match[1])
        if not variants:
            return f"<{match[1].replace('_', ' ')}>"
        listed = " / ".join(variants)
        return f" [{listed}]" if may_be_empty else listed

    return re.sub(r"\{([a-z0-9_]+)(?::[^}]*)?\}", name, with_endings(text, None))


def _variants(rule: Rule, column: str) -> tuple[list[str], bool]:
    """The texts that a column of a rule can have if its SQL chooses among texts, and whether it may be empty."""
    formula = lineage.origin_in(rule.sql, column).formula
    texts = [text.replace("''", "'") for text in re.findall(r"(?:THEN|ELSE)\s+'((?:[^']|'')*)'(?!\s*\|\|)", formula)]
    if len(texts) != len(re.findall(r"\b(?:THEN|ELSE)\b", formula)):
        return [], False  # it chooses among values other than texts
    return [text.strip(" ,;:") for text in texts if text], "" in texts


# --- the page for any name


NO_PLANS: Mapping[str, Callable[[], list[str]]] = MappingProxyType({})


def explain_any(word: str, plans: Mapping[str, Callable[[], list[str]]] = NO_PLANS) -> str:
    """The pages about all that has this name: a rule (id or name), a message or APAR, a report (id or DD name), a
    picture, a column (`view.column` or alone) or field, a view, an area, a decoded table, a plan (`plans`: the page of
    each).

    UsageError with the nearest names for an unknown one.
    """
    by_name = {rule.name: rule.id for rule in rules().values()}
    rule_id = by_name.get(word.lower(), word.upper())
    if rule_id in rules():
        return explain(rule_id)
    if word.upper() in messages():
        return _page(_message(word.upper()))
    name = word.lower()
    pages = [_report(name)] if name in sqlfile.reports() else []
    pages += [_picture(name)] if name in sqlfile.pictures() else []
    pages += _of_tables(word)
    plan = name.replace("-", "_")
    pages += [plans[plan]()] if plan in plans else []
    if not pages:
        pages = [_report(unit.id) for unit in sqlfile.reports().values() if word.upper() in unit.header.get("dd", ())]
    if pages:
        return _page([line for page in pages for line in ("", *page)][1:])
    if _MESSAGE.fullmatch(word.upper()):
        # Names of rules and columns are no message that somebody has just seen.
        known = len(messages())
        # Another number is about something else; only the letter at the end of a message may be wrong.
        same_number = [id_ for id_ in messages() if id_.startswith("CSQ") and id_[:7] == word.upper()[:7]]
        nearest = did_you_mean(word.upper(), same_number)
        raise UsageError(
            f"{clean(word.upper())} is not among the {known} messages and APARs that mqstat explains{nearest}."
        )
    raise UsageError(f"There is no rule, report, plan or column {clean(word)}{_nearest_of_all(word, plans)}.")


def _of_tables(word: str) -> list[list[str]]:
    """The pages about the column or field, the view, the area and the decoded table of a name."""
    name, views = word.lower(), sqlfile.views()
    table, _, column = name.removeprefix("decoded.").rpartition(".")
    if name.startswith("decoded.") and not table:
        return [_decoded_table(column)] if column in _decoded() else []
    if table:
        if table in views and not name.startswith("decoded."):
            return [_column(table, column)] if column in views[table].columns else []
        if column in {field.name for field in _decoded().get(table, (None, ()))[1]}:
            return [_field(f"{table}.{column}")]
        return _columns_named(word)  # a name of IBM may have points: COMMITCF.TYPE[].CFCOUNT
    pages = _columns_named(word)
    pages += [_view(name)] if name in views else []
    area = _area(name)
    pages += [area] if area else []
    pages += [_decoded_table(name)] if name in _decoded() and name not in views else []
    return pages


def _columns_named(word: str) -> list[list[str]]:
    """The page about a column of views, else of reports; else those about fields, by their name or IBM's."""
    name, views = word.lower(), sqlfile.views()
    holders = [view for view in views if name in views[view].columns]
    if holders:
        return [_column(_home(holders, name), name, holders)]
    of_reports = [unit for unit in sqlfile.reports().values() if name in unit.columns]
    if of_reports:
        return [_report_column(of_reports[0], name, of_reports)]
    named = [f"{table}.{field.name}" for table, field in _fields() if field.name == name]
    named += [f"{table}.{field.name}" for table, field in _fields() if _mnemonic(field) == word.upper()]
    return [_field(field) for field in named[:5]]


def _message(id_: str) -> list[str]:
    """What a message or an APAR states about the queue manager, and the rules and reports with figures about it."""
    message = messages()[id_]
    lines = [id_, *wrapped(message.states, ""), *([f"Levels      {message.levels}"] if message.levels else [])]
    lines += ["", "Figures"]
    for name in message.see:
        view, _, column = name.partition(".")
        if column:
            title = sqlfile.views()[view].columns[column].doc
        else:
            title = rules()[name].title if name in rules() else sqlfile.reports()[name].header["question"]
        lines += wrapped(f"{name}  {title}", "  ", "    ")
    return [*lines, "", *wrapped(f"Source      {message.source}", "", "            ")]


def _area(word: str) -> list[str]:
    """The reports and rules of an area (`log`) or of the prefix of its rules (`LG`); empty for another word."""
    units = [unit for unit in sqlfile.reports().values() if unit.area == word]
    own = [rule for rule in rules().values() if rule.area == word or rule.id[:2].lower() == word]
    lines = []
    if units:
        lines += [f"Reports of area {word} (mqstat report DUMP --report NAME shows one)"]
        lines += [f"  {unit.id:32}{unit.header['question']}" for unit in units]
    if own:
        lines += [*([""] if lines else []), f"Rules of area {own[0].area} (mqstat explain ID shows one)"]
        lines += [f"  {rule.id}  {rule.title}" for rule in own]
    return lines


def _nearest_of_all(word: str, plans: Iterable[str]) -> str:
    columns = {f"{view.id}.{name}" for view in sqlfile.views().values() for name in view.columns}
    columns |= {f"{table}.{field.name}" for table, field in _fields()} if "." in word else set()
    known = [*rules(), *(rule.name for rule in rules().values()), *sqlfile.reports(), *sqlfile.pictures()]
    known += [*sqlfile.views(), *_decoded(), *plans]
    known += sorted(columns) if "." in word else sorted({name.partition(".")[2] for name in columns})
    listers = "mqstat rules, mqstat reports, mqstat plan and mqstat tables list the known ones"
    return nearest_or_known(word, known, listers)


def _page(lines: Iterable[str]) -> str:
    return "\n".join(line.rstrip() for line in lines) + "\n"


# --- columns


@cache
def _decoded() -> Mapping[str, tuple[str, tuple[Any, ...]]]:
    from mqstat.parsers.tables import tables

    return tables()


def _fields() -> Iterator[tuple[str, Any]]:
    """The columns of decoded tables, each with its table."""
    return ((table, column) for table, (_, columns) in _decoded().items() for column in columns)


def _mnemonic(column: Any) -> str:
    return str(column.mnemonic).upper()


@cache
def _since() -> Mapping[str, str]:
    """First release of a field by its mnemonic, unless it is the base release."""
    from mqstat.parsers import LAYOUTS

    fields = [field for layout in LAYOUTS.values() for field in layout.fields if getattr(field, "mnemonic", "")]
    return {field.mnemonic.upper(): field.since for field in fields if field.since != "base"}


def _home(holders: list[str], column: str) -> str:
    """The view that defines a column: the one with a formula, otherwise the first that takes it from a record."""
    for view in holders:
        origin = lineage.origin(view, column)
        if origin.formula or origin.column_read:
            return view
    return holders[0]


def _made(origin: lineage.Origin) -> Iterator[str]:
    """Formulas from the top down, then the fields of records at the bottom."""
    chain = lineage.formulas(origin)
    if chain:
        yield ""
        yield "Formula"
        for formula in chain:
            yield from wrapped(f"{formula.name} = {formula.formula}", "  ", "      ")
    fields = lineage.fields(origin)
    if fields:
        yield ""
        yield "From the records"
        for field in fields:
            yield from _from_records(field)


def _from_records(field: str) -> Iterator[str]:
    table, _, name = field.partition(".")
    decoded = next((column for column in _decoded().get(table, ("", ()))[1] if column.name == name), None)
    if decoded is None:
        return
    since = _since().get(_mnemonic(decoded), "")
    fields = f" = {decoded.mnemonic.upper()}" if decoded.mnemonic else ""
    unit = f" [{decoded.unit}]" if decoded.unit not in ("text", "id", "flag") else ""
    yield from wrapped(f"{field}{fields}{unit}{f', since {since}' if since else ''}: {decoded.doc}", "  ")


def _field(field: str) -> list[str]:
    table, _, name = field.partition(".")
    decoded = next(column for column in _decoded()[table][1] if column.name == name)
    lines = [f"{field}  [{decoded.unit}, {decoded.kind}]", *wrapped(decoded.doc, ""), ""]
    is_field = bool(decoded.mnemonic)
    lines += [f"Field       {_mnemonic(decoded)}" if is_field else "Set by the reader; not a field of the record."]
    if _mnemonic(decoded) in _since():
        lines += [f"Since       {_since()[_mnemonic(decoded)]}"]
    lines += [f"Table       {table}: {_decoded()[table][0]}"]
    return lines + _listed("Read by", _readers(table))


def _column(view: str, name: str, holders: Iterable[str] = ()) -> list[str]:
    unit = sqlfile.views()[view]
    column = unit.columns[name]
    lines = [f"{view}.{name}  [{column.unit}, {column.kind}]", *wrapped(column.doc, "")]
    lines += ["", f"View        {view}: {unit.title}, {unit.header['grain']}"]
    if unit.header.get("mq_since", "base") != "base":
        lines += [f"Since       MQ {unit.header['mq_since']}"]
    lines += [f"Records     {', '.join(unit.classes)}"] if unit.classes else []
    if column.unit not in NOT_NUMERIC:
        lines += wrapped(f"Together    {column.way.in_words()}", "", _MARGIN)
    lines += _made(lineage.origin(view, name))
    lines += _apart(_note(unit.header)[:-1])
    lines += _apart(_listed("Messages", about(f"{view}.{name}")))
    lines += _used(name, [view, *holders])
    others = [other for other in holders if other != view]
    also = {f"{other}.{name}": sqlfile.views()[other].columns[name].doc for other in others}
    if others:
        also |= {f"decoded.{table}.{name}": field.doc for table, field in _fields() if field.name == name}
    lines += ["", "Also in"] if also else []
    for other, doc in also.items():
        lines += wrapped(f"{other}: {doc}", "  ")
    return lines


def _used(name: str, views: Iterable[str]) -> list[str]:
    """Reports and rules that use a column of these views."""
    chosen = set(views)
    reports = [unit.id for unit in sqlfile.reports().values() if name in unit.columns and chosen & set(unit.needs)]
    columns = {f"{view}.{name}" for view in chosen}
    judged = [rule.id for rule in rules().values() if not columns.isdisjoint(rule.columns_read)]
    return _apart(_listed("Reports", reports) + _listed("Rules", _named(judged)))


def _report_column(unit: sqlfile.SqlFile, name: str, units: Iterable[sqlfile.SqlFile]) -> list[str]:
    column = unit.columns[name]
    lines = [f"{unit.id}: {name}  [{column.unit}, {column.kind}]", *wrapped(column.doc or unit.title, "")]
    lines += _made(lineage.origin_in(unit.text, name))
    return lines + _apart(_listed("Reports", (unit.id for unit in units)))


# --- reports and views


def _report(name: str) -> list[str]:
    unit = sqlfile.reports()[name]
    header = unit.header
    lines = [f"{unit.id}  {unit.title}", *wrapped(header["question"], ""), ""]
    lines += [UNSEEN, ""] if header.get("unseen") else []
    lines += _note(header)
    labels = {"dd": "DD names", "wsc": "WSC query", "site_input": "Site facts", "drill_down": "See also"}
    for key, label in labels.items():
        lines += _listed(label, map(str, header.get(key, ())))
    lines += _listed("Rules", _named(header.get("rules", ()))) + _listed("Messages", about(name))
    lines += _listed("Reads", unit.needs) + _listed("Records", _classes_of(unit.needs))
    return [*lines, "", "Columns", *_columns(unit)]


def _columns(unit: sqlfile.SqlFile) -> Iterator[str]:
    """The columns of a view with their formulas, or of a report with their headings."""
    room = max(len(name) for name in unit.columns) + 2
    for column in unit.columns.values():
        lead = f"  {column.name:<{room}}{column.unit:<10}"
        is_named = column.label in ("", column.name, column.name.replace("_", " "))
        text = column.doc if is_named else f"{column.doc} Heading: {column.label}.".strip()
        formula = lineage.formula_of(unit.id, column.name) if unit.kind == "view" else ""
        for part in filter(None, (text, f"= {formula}" if formula else "")):
            yield from wrapped(part, lead, " " * len(lead), WIDTH + 20)
            lead = " " * len(lead)
        if lead.strip():
            yield lead


def _picture(name: str) -> list[str]:
    unit = sqlfile.pictures()[name]
    head = unit.header
    drawn = "lines" if head["kind"] == "line" else "rows of cells"
    lines = [f"{unit.id}  {unit.title} (picture)", *wrapped(head["question"], ""), ""]
    lines += _note(head)
    lines += [f"Drawn as    {drawn}, in {head['unit']}; the {head['worst']} value is the worst"]
    for limit in head.get("limits", ()):
        value = f"{limit['threshold']} of {limit['rule']}" if "rule" in limit else limit["column"]
        lines += wrapped(f"Limit       {limit['text']}: {value}", "", _MARGIN)
    lines += _listed("Marks", _named(head.get("rules", ())), _MARGIN)
    lines += (
        [f"Figures     mqstat report DUMP --report {head['report']}"] if head["report"] in sqlfile.reports() else []
    )
    return lines + _listed("Reads", unit.needs, _MARGIN)


def _view(name: str) -> list[str]:
    unit = sqlfile.views()[name]
    lines = [f"{name}  {unit.title}", *wrapped(unit.header["grain"], ""), ""]
    lines += _note(unit.header)
    lines += [f"Records     {', '.join(unit.classes)}"] if unit.classes else []
    lines += wrapped(f"Reads       {', '.join(unit.needs)}", "")
    return [*lines, "", "Columns", *_columns(unit)]


def _decoded_table(name: str) -> list[str]:
    """A decoded table: its columns, and for a structure where it occurs and its fields by offset."""
    from mqstat.parsers import LAYOUTS

    title, columns = _decoded()[name]
    lines = [f"{name}  {title}", ""]
    layout = LAYOUTS.get(name)
    if layout is not None:
        routes = "; ".join(
            f"type {kind} subtype {subtype}, triplet {triplet}" for kind, subtype, triplet in layout.routes
        )
        lines += wrapped(f"Found in    {f'SMF {routes}' if routes else 'the header area of the record'}", "", _MARGIN)
        lines += [f"Bytes       {', '.join(map(str, layout.sizes))}"]
    parent = next((owner.name for owner in LAYOUTS.values() if name in {child.name for child in owner.children}), "")
    lines += [f"Array of    {parent}"] if parent else []
    lines += wrapped(f"Read by     {', '.join(_readers(name)) or 'no view'}", "", _MARGIN)
    lines += ["", "Columns"]
    for column in columns:
        described = f"{duckdb_type(column.type)}, {column.unit}, {column.kind}"
        lines += wrapped(f"{column.name} [{described}] {_mnemonic(column)} {column.doc}".replace("  ", " "), "  ")
    return [*lines, "", "Fields of the record", *_fields_by_offset(layout)] if layout is not None else lines


def _readers(table: str) -> list[str]:
    """The views that read a decoded table themselves."""
    return [view.id for view in sqlfile.views().values() if f"decoded.{table}" in view.needs]


def _fields_by_offset(layout: Any) -> Iterator[str]:
    """A line for each field of a structure: offset, bytes, stride, type, IBM's name, column, and remarks of its
    declaration.

    Bytes of an array are its dimensions times the width of an element; its strides are in the same order.
    """
    yield f"  {'offset':>6}  {'bytes':<11}{'stride':<9}{'type':<15}field"
    for field in layout.named:
        size = " x ".join(str(count) for count in (*(n for n, _ in field.dims if n > 1), field.type.width))
        strides = ", ".join(str(stride) for _, stride in field.dims)
        remarks = [f"never set: {field.never_set:#x}"] if field.never_set is not None else []
        remarks += [f"no limit: {field.no_limit:#x}"] if field.no_limit is not None else []
        remarks += [f"since {field.since}"] if field.since != "base" else []
        remarks += [", ".join(f"{code} = {word}" for code, word in field.codes.items())] if field.codes else []
        remarks += [f"valid when {field.valid_when}"] if field.valid_when else []
        lead = f"  {field.at:>6}  {size:<11}{strides:<9}{field.type.ctype:<15}"
        text = "; ".join([f"{field.mnemonic.upper()} = {field.name}", *remarks])
        yield from wrapped(text, lead, " " * len(lead), WIDTH + 20)
