"""What a run leaves for people and programs: the index, the mail, the status and the metrics."""

from __future__ import annotations

import dataclasses
from contextlib import nullcontext, suppress
from pathlib import Path

from mqstat.assemble.history import memory
from mqstat.base import return_codes
from mqstat.base.atomic_write import read_kept, replacing
from mqstat.base.errors import MqstatError
from mqstat.base.formatting import findings_text, plural
from mqstat.daily import index, mail, status
from mqstat.daily import state as states
from mqstat.daily.current import Run
from mqstat.daily.index_findings import index_findings
from mqstat.sql.site import Site

INDEX, MAIL = "index.html", "mail.txt"

EXPORTED = "mqstat.prom"
"""Name of the metrics in the folder of the node exporter."""

MEANING = {
    0: "no problems",
    4: "warnings, or data is missing",
    8: "critical findings",
    12: "an input cannot be used",
    16: "internal error or usage error",
}


def write_outcome(run: Run, state: states.State, site: Site) -> None:
    """Report missing data, then write the index and the mail."""
    config, entry = run.config, state.days.get(run.yesterday)
    if entry is None:
        newest = max((day for day in state.days if day < run.today), default=None)
        since = f"; the newest day with data is {newest}" if newest else "; there is no data yet"
        run.note("missing", f"No data for {run.yesterday} has arrived{since}.", 4)
    else:
        absent = index.missing(entry, config.expect.qmgrs)
        if absent:
            run.note("missing", f"No data for {', '.join(absent)} on {run.yesterday}.", 4)
        if run.yesterday not in run.made:
            run.log("report", f"{run.yesterday}: up to date: {findings_text(entry.counts)}, return code {entry.code}")
        run.codes = dataclasses.replace(run.codes, day=entry.code)
    findings = index_findings(memory(config.dataset.folder), state, site.on(run.today), run.today)
    rows = index.index_rows(state, run.today, config.expect.qmgrs, findings)
    with replacing(config.reports.folder / INDEX) as stream:
        index.render_index(rows, run.today, run.notes, stream, findings)
    states.save(config.reports.folder, state)
    run.log("index", f"{config.reports.folder / INDEX}: {plural(len(state.days), 'day')}")
    write_status(run, entry)
    others = {day: made for day, made in run.made.items() if day != run.yesterday}
    with replacing(config.reports.folder / MAIL) as stream:
        stream.write(mail.mail(run.yesterday, entry, run.notes, others, run.codes))


def write_failure(run: Run, error: MqstatError) -> None:
    """Write the status and a mail with the error, if there is disk space."""
    run.log("end", f"return code {error.return_code}: {MEANING.get(error.return_code, 'stopped')}")
    text = mail.failure(run.yesterday, error.return_code, str(error))
    with suppress(MqstatError), replacing(run.config.reports.folder / MAIL) as stream:
        stream.write(text)
    write_status(run, None, error.return_code, str(error))


def write_status(run: Run, entry: states.Day | None, code: int = return_codes.CLEAR, error: str | None = None) -> None:
    """Write status.json and the metrics. Of a run that succeeded it raises MqstatError if it cannot; one that failed (`error`) leaves what it can."""
    config, ended = run.config, status.now()
    run.raise_to(code)
    prom = entry.files.get("openmetrics") if entry is not None else None
    result = status.Status(
        run.started,
        ended,
        run.yesterday,
        run.codes,
        ended if status.is_success(run.codes) else status.last_success(config.reports.folder),
        error,
        tuple(run.notes),
        None if entry is None else entry.counts,
        tuple(run.kept),
        tuple(run.dropped),
        run.failed_outputs,
        () if entry is None else entry.remarks,
    )
    failing = suppress(MqstatError, OSError) if error else nullcontext()
    with failing:
        text = status.metrics(result, read_kept(config.reports.folder / prom).decode() if prom else "")
        if config.reports.metrics_folder is not None and not _exported(config.reports.metrics_folder, text):
            problem = f"The metrics could not be written to {config.reports.metrics_folder} (reports.metrics_folder): does the folder exist, and may mqstat write to it?"
            run.note("metrics", problem, return_codes.WARNING)
            result = dataclasses.replace(result, codes=run.codes, remarks=tuple(run.notes))
            text = status.metrics(result, read_kept(config.reports.folder / prom).decode() if prom else "")
        with replacing(config.reports.folder / status.METRICS) as stream:
            stream.write(text)
        status.write_status(config.reports.folder, result)


def _exported(folder: Path, text: str) -> bool:
    """Whether the metrics could be written to the folder of the node exporter."""
    try:
        with replacing(folder / EXPORTED) as stream:
            stream.write(text)
    except MqstatError:
        return False
    return True
