"""One report model, several writers. Figures come from views, reports and findings; nothing is computed here."""

from __future__ import annotations

from mqstat.render.document import render_json
from mqstat.render.health import health_report, return_code
from mqstat.render.markdown import render_markdown
from mqstat.render.model import Finding, Report, Table, Verdict
from mqstat.render.writers import render_csv, render_terminal, render_text

__all__ = [
    "Finding", "Report", "Table", "Verdict", "health_report", "render_csv", "render_json", "render_markdown", "render_terminal", "render_text", "return_code",
]  # fmt: skip
