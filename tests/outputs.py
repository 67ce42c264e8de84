"""The output of the program for a scenario or real dump, made once per test run and shared by all tests and workers.

Decoding, judging, and writing text, JSON and page of a dump take seconds; many tests only read them. The first test that needs them makes them, under a
lock, and keeps them in a folder of this run.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from mqstat.base.selection import Selection
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.pipeline import columns_to_decode
from mqstat.render.writers import all_lines
from mqstat.report.health import health_report
from mqstat.sql.plans import health_columns
from mqstat.sql.site import Site, parse_site
from tests.marks import MARKED, filled_columns, report_rows, wrong_keys, wrong_marks
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


@dataclass(frozen=True)
class Output:
    """The report of one dump: text, JSON (parsed), page, Markdown, the rows of decoded.finding, what of it the data contradicts, which marks are wrong, and the columns of all reports that have values."""

    text: str
    document: Mapping[str, Any]
    page: str
    markdown: str
    findings: Sequence[Mapping[str, Any]]
    contradictions: Sequence[str]
    wrong_marks: Sequence[str]
    filled_columns: frozenset[tuple[str, str]]


def make(dump: Path, site: Site, *, every_format: bool = False) -> Output:
    """Decode a dump as for a report made directly from it, judge it, write the report, and check its statements against the data."""
    wanted = columns_to_decode(health_columns())
    for table, columns in NEEDED.items():
        wanted[table] = frozenset(wanted.get(table, ())) | columns
    with reading(dump, wanted, site=site) as db:
        report = health_report(db, Selection(), page=True)
        text = "\n".join(all_lines(report)) + "\n"
        if every_format:
            check_formats(report)
        document = valid_json(written(report, "json"))
        page, markdown = written(report, "html"), written(report, "markdown")
        findings = db.rows("SELECT * FROM decoded.finding")
        shown = [*report.tables, *(report.page.tables if report.page else ())]
        lines = contradictions(document, findings, db, site, shown)
        rows = report_rows(db)
        marks = [
            *wrong_keys(rows),
            *(line for name in MARKED for line in wrong_marks(db, name, len(rows[name]), findings)),
        ]
    lines += [*text_contradictions(document, text), *page_contradictions(document, page)]
    return Output(text, document, page, markdown, findings, lines, marks, filled_columns(rows))


class Outputs:
    """Outputs by scenario, kept in a folder that all workers of a run share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def scenario(self, name: str) -> Output:
        """The output of a scenario under its own site file."""
        output = self._kept(name, SCENARIOS[name].build, SCENARIOS[name].site)
        assert str(self.folder) not in output.text + output.page, f"{name}: the report names the folder of its input"
        return output

    def dump(self, path: Path) -> Output:
        """The output of a real dump without a site file."""
        return self._kept(path.name, path.read_bytes, "")

    def _kept(self, name: str, data: Callable[[], bytes], site: str) -> Output:
        kept = self.folder / f"{name}.pickle"
        with FileLock(f"{kept}.lock"):
            if not kept.exists():
                dump = file_of(data(), self.folder, f"{name}.smf")
                made = make(
                    dump, parse_site(site, "site.toml") if site else Site(), every_format=name in IN_EVERY_FORMAT
                )
                kept.write_bytes(pickle.dumps(made))
                dump.unlink()
            output: Output = pickle.loads(kept.read_bytes())  # noqa: S301 - written by this run
        return output
