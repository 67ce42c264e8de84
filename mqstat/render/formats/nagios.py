"""A line for Nagios, Icinga and other monitoring systems that run plugins: state, counts, the worst findings, and
performance data; return code 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN, also if the command fails.

Source: Monitoring Plugins Development Guidelines, https://www.monitoring-plugins.org/doc/guidelines.html: the text ends
at `|`, then come performance data as `label=value;warn;crit;min;max`, separated by blanks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from mqstat.base.formatting import clean, findings_text
from mqstat.base.return_codes import CLEAR, CRITICAL, FAILED, UNUSABLE, WARNING
from mqstat.render.format import Format, Options

if TYPE_CHECKING:
    from mqstat.assemble.model import Report

CODES = {CLEAR: 0, WARNING: 1, CRITICAL: 2, UNUSABLE: 3, FAILED: 3}
"""The return code of a plugin for each of ours."""

STATES = ("OK", "WARNING", "CRITICAL", "UNKNOWN")

LISTED = 5
"""Findings in the text: many systems keep only its first 255 to 4,096 bytes."""

_SAFE = str.maketrans({"|": "/", "<": "(", ">": ")", "&": "+"})


def render(report: Report, stream: TextIO, options: Options) -> None:
    """One line: programs that read plugins take the first one."""
    from mqstat.assemble.finding import COUNTED, sentence

    counts, stated = report.counts, findings_text(report.counts)
    shown = [finding for finding in report.findings if finding.severity != "info"]
    listed = "; ".join(map(sentence, sorted(shown, key=lambda finding: finding.urgency)[:LISTED]))
    more = f"; and {len(shown) - LISTED} more" if len(shown) > LISTED else ""
    part = "".join(f"; {state}: {text}" for state, text in report.coverage)
    text = _text(f"{STATES[CODES[report.return_code]]} - {stated}{': ' if listed else ''}{listed}{more}{part}")
    data = " ".join([*(f"{name}={counts[name]};;;0" for name in COUNTED), f"return_code={report.return_code};;;0;16"])
    stream.write(f"MQSTAT {text} | {data}\n")


def _text(text: str) -> str:
    """Text on one line that neither begins the performance data nor is markup: Nagios shows it in web pages as it
    is.
    """
    return clean(text).translate(_SAFE)


def failure(message: str) -> str:
    """The line for a command that ends with an error."""
    return f"MQSTAT UNKNOWN - {_text(message)}"


FORMAT = Format(render, commands=("check",), is_utf8=True, return_codes=CODES, failure=failure)
