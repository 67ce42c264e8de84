"""The output of the program for a scenario or real dump, made once per test run and shared by all tests and workers.

Decoding, judging, and writing text, JSON and page of a dump take seconds; many tests only read them. The first test
that needs them makes them, under a lock, and keeps them in a folder of this run.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock

from mqstat.assemble.health import health_report
from mqstat.assemble.model import Report
from mqstat.assemble.tables import table
from mqstat.base.selection import Selection
from mqstat.intake.pipeline import columns_to_decode
from mqstat.render.layout import all_lines
from mqstat.sql import sqlfile
from mqstat.sql.needs import health_columns
from mqstat.sql.site import Site, parse_site
from mqstat.sql.workspace import Workspace
from tests.answers import compared, needed_columns
from tests.costs import charged
from tests.counts import count_contradictions
from tests.estates import ESTATE_OF, Judged, in_words, judged
from tests.marks import MARKED, filled_columns, report_rows, wrong_keys, wrong_marks, wrong_sections
from tests.report_checks import check_formats, valid_json, written
from tests.support import file_of, reading
from tests.truth import contradictions
from tests.truth_facts import NEEDED
from tests.truth_words import page_contradictions, text_contradictions

IN_EVERY_FORMAT = (
    "damaged_transfer",
    "hostile_everywhere",
    "hostile_names",
    "missing_classes",
    "old_release",
    "rich_estate",
    "three_levels",
)
"""Scenarios whose reports are checked in every format; of the others the JSON must be valid."""


TERMINALS = ((80, False), (80, True), (100, False), (140, True), (200, True))
"""Columns of a terminal, and whether it shows the whole report."""


@dataclass(frozen=True)
class Output:
    """The report of one dump: text, JSON (parsed), page, Markdown, the rows of decoded.finding, what of it the data
    contradicts, which marks are wrong, the columns of all reports that have values, and the answers of several units to
    one question.
    """

    text: str
    document: Mapping[str, Any]
    page: str
    markdown: str
    findings: Sequence[Mapping[str, Any]]
    contradictions: Sequence[str]
    wrong_marks: Sequence[str]
    filled_columns: frozenset[tuple[str, str]]
    agreement: tuple[Mapping[str, int], Sequence[str]]
    """How many answers to each question of tests/questions.toml were compared, and those that differ."""
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Of an estate: the names that the queue managers of each story have in it."""
    tables_text: str = ""
    """Of a real dump: every report as text."""
    screens: Sequence[tuple[int, str]] = ()
    """Columns and text of the first screen and of the whole report on terminals of several widths."""


def make(dump: Path, site: Site, *, every_format: bool = False, every_table: bool = False) -> Output:
    """Decode a dump as for a report made directly from it, judge it, write the report, and check its statements against
    the data.
    """
    wanted = columns_to_decode(health_columns())
    for name, columns in [*NEEDED.items(), *needed_columns().items()]:
        wanted[name] = frozenset(wanted.get(name, ())) | columns
    with reading(dump, wanted, site=site) as db:
        report = health_report(db, Selection(), page=True, monitored=every_format)
        text = "\n".join(all_lines(report, verbose=True)) + "\n"
        screens = [(width, "\n".join(all_lines(report, width, verbose=whole))) for width, whole in TERMINALS]
        if every_format:
            check_formats(report)
        document = valid_json(written(report, "json"))
        page, markdown = written(report, "html"), written(report, "markdown")
        findings = db.rows("SELECT * FROM decoded.finding")
        shown = [*report.tables, *(report.page.tables if report.page else ())]
        tables_text = text_of_tables(db, report) if every_table else ""
        lines = contradictions(document, findings, db, site, shown)
        of_page = {each.report_id: each for each in (*report.page.tables, *report.page.empty)} if report.page else {}
        rows = report_rows(db, of_page.values())
        marks = [
            *wrong_keys(rows),
            *(line for name in MARKED for line in wrong_marks(db, name, len(rows[name]), findings, of_page.get(name))),
            *wrong_sections(db, findings),
        ]
        agreement = compared(db, site, findings)
    lines += [*text_contradictions(document, text), *page_contradictions(document, page)]
    lines += count_contradictions(report, findings, text, page)
    filled = filled_columns(rows)
    return Output(
        text,
        document,
        page,
        markdown,
        findings,
        lines,
        marks,
        filled,
        agreement,
        tables_text=tables_text,
        screens=screens,
    )


def text_of_tables(db: Workspace, report: Report) -> str:
    """Every report as text: those of the page with as many rows as there, and those that compare two sides, which a
    page lacks.
    """
    assert report.page
    of_page = {each.report_id: each for each in (*report.page.tables, *report.page.empty)}
    tables = tuple(of_page.get(name) or table(db, name) for name in sqlfile.reports())
    return "\n".join(all_lines(replace(report, tables=tables, only_tables=True))) + "\n"


class Outputs:
    """Outputs by scenario, kept in a folder that all workers of a run share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.last: tuple[str, Output] | None = None  # tests that read the same output follow each other
        folder.mkdir(parents=True, exist_ok=True)

    def scenario(self, name: str) -> Output:
        """The output of an estate (tests/estates.py), or of a scenario that is in no estate, under its own site
        file.
        """
        output = self._kept(name, partial(judged, name))
        assert str(self.folder) not in output.text + output.page, f"{name}: the report names the folder of its input"
        return output

    def of_story(self, name: str) -> tuple[Output, Mapping[str, str]]:
        """The output that shows a scenario, its own or that of its estate, and the names that its queue managers have
        in it (none: their own).
        """
        output = self.scenario(ESTATE_OF.get(name, name))
        return output, output.names.get(name, {})

    def findings(self, name: str) -> list[Mapping[str, Any]]:
        """The rows of decoded.finding for the queue managers and LPARs of a scenario, with the names that they have in
        it, and those for inputs.
        """
        output, own = self.of_story(name)
        if not own:
            return list(output.findings)
        names = {new: old for old, new in own.items()}
        others = {new for by_name in output.names.values() for new in by_name.values()} - names.keys()
        return [
            {**row, "qmgr": names.get(row["qmgr"]), "subject": row["subject"] and in_words(row["subject"], names)}
            for row in output.findings
            if (row["qmgr"] in names if row["qmgr"] else not any(other in (row["subject"] or "") for other in others))
        ]

    def dump(self, path: Path) -> Output:
        """The output of a real dump without a site file."""
        return self._kept(path.name, lambda: Judged(path.read_bytes(), "", {}), every_table=True)

    def _kept(self, name: str, given: Callable[[], Judged], *, every_table: bool = False) -> Output:
        if self.last and self.last[0] == name:
            return self.last[1]
        kept = self.folder / f"{name}.pickle"
        with FileLock(f"{kept}.lock"):
            if not kept.exists():
                with charged(f"estate {name}"):
                    data = given()
                    dump = file_of(data.dump, self.folder, f"{name}.smf")
                    site = parse_site(data.site, "site.toml") if data.site else Site()
                    made = make(dump, site, every_format=name in IN_EVERY_FORMAT, every_table=every_table)
                    made = replace(made, names=data.names)
                    kept.write_bytes(pickle.dumps(made))
                    dump.unlink()
            output: Output = pickle.loads(kept.read_bytes())  # noqa: S301 - written by this run
        self.last = (name, output)
        return output
