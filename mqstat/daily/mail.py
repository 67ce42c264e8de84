"""mail.txt: the result of a run, generated from the state alone. The first finding begins in line 3."""

from __future__ import annotations

import datetime as dt
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mqstat.base.formatting import findings_text, listed, pasted, plural, qmgr_name
from mqstat.daily.index import state_of
from mqstat.daily.state import Day
from mqstat.daily.status import Codes
from mqstat.judge.states import PARTLY

WIDTH = 72
"""Columns of the mail, which are those of a card."""

NAMED = 5
"""Queue managers that the mail names; the others are counted."""


def mail(
    yesterday: dt.date,
    entry: Day | None,
    notes: Iterable[str],
    others: Mapping[dt.date, Day],
    codes: Codes,
    reports: str = "",
    dataset: str = "",
) -> str:
    """The text of a mail: its first line is the subject, then an empty line, then the text, at most WIDTH columns wide
    except for addresses.

    `reports` is the address or the path of the folder of the reports, `dataset` the path of the dataset.
    """
    state = findings_text(entry.counts) if entry else "no data has arrived"
    about = f": {_named(entry.worst or _names(entry))}" if entry and entry.qmgrs else ""
    lines = [f"Subject: MQ {yesterday}: {state} (return code {codes.highest}){about}", ""]
    if entry:
        lines += _day(yesterday, entry, state, dataset)
    else:
        lines += _wrapped(f"There is no report of {yesterday}: no dump with data of this day has arrived.")
    lines += _wrapped(f"Return code {codes.highest}: {codes.text() or 'no problems'}.")
    remarks = [note for note in notes if note]
    lines += ["", *(line for note in remarks for line in _wrapped(note, "! "))] if remarks else []
    if others:
        lines += ["", "Other days whose report was written in this run:"]
        for day, other in sorted(others.items()):
            lines += _wrapped(f"{day}: {findings_text(other.counts)}, return code {other.code}", "- ")
    if reports:
        lines += ["", *(f"Report:   {reports}/{name}" for name in ([*entry.files.values()][:1] if entry else []))]
        lines += [f"All days: {reports}/index.html"]
    return "\n".join(lines) + "\n"


def failure(yesterday: dt.date, code: int, error: str, notes: Iterable[str] = ()) -> str:
    """The mail of a run that ended with an error."""
    lines = [f"Subject: MQ {yesterday}: mqstat daily failed (return code {code})", "", *_wrapped(error)]
    return "\n".join([*lines, *(line for note in notes for line in _wrapped(note, "! "))]) + "\n"


_HINT = re.compile("; (--report|mqstat (?!site init)).*")
"""The end of a remark of a report: a command without its dataset."""


def _names(entry: Day) -> list[str]:
    """The queue managers of a day, with their LPAR if there are several."""
    several = len({lpar for lpar, _ in entry.qmgrs}) > 1
    return [qmgr_name(lpar, qmgr, several) for lpar, qmgr in entry.qmgrs]


def _named(names: Sequence[str]) -> str:
    """The first NAMED names, and the number of the others."""
    return listed(names, NAMED) or "none"


def _day(yesterday: dt.date, entry: Day, state: str, dataset: str) -> Iterator[str]:
    """The findings of the day: the card of the first, a line for each other; then exceptions, and what was not
    judged.
    """
    yield from entry.first
    for finding in entry.findings[entry.in_first :]:
        yield from _wrapped(finding, "- ")
    more = sum(entry.counts.values()) - len(entry.findings)
    if more > 0:
        yield f"- and {more} more"
    if entry.findings:
        yield ""
    if entry.accepted:
        yield f"Accepted by the site file: {plural(len(entry.accepted), 'exception')}."
    for text in entry.accepted:
        yield from _wrapped(text, "- ")
    for remark in entry.remarks:
        yield from _wrapped(_HINT.sub("", remark).replace("; mqstat ", ": mqstat "), "- ")
    if entry.remarks and dataset:
        command = f"mqstat report --from {pasted(dataset)} --date {yesterday} --report overview/coverage"
        yield from _wrapped(f"What was not judged, and why: {command}", "- ")
    partly = f", {PARTLY}" if state_of(entry)[0] == PARTLY else ""
    yield from _wrapped(
        f"{yesterday}: {state}{partly}, return code {entry.code}. Queue managers: {_named(_names(entry))}."
    )


def _wrapped(text: str, mark: str = "") -> list[str]:
    """A sentence in lines; a command at its end is on a line of its own, so that it can be copied."""
    sentence, before, command = text.partition(": mqstat ")
    indent = " " * len(mark)
    lines = textwrap.wrap(
        f"{sentence}:" if before else sentence,
        WIDTH,
        initial_indent=mark,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [*lines, f"{indent}mqstat {command}"] if before else lines
