"""What a run leaves for people and programs: the index, the mail, the status and the metrics."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path

import msgspec

from mqstat.assemble.history import memory
from mqstat.base import return_codes
from mqstat.base.atomic_write import read_kept, replacing
from mqstat.base.errors import MqstatError
from mqstat.base.formatting import findings_text, plural
from mqstat.daily import index, mail, status
from mqstat.daily import state as states
from mqstat.daily.current import Run
from mqstat.daily.index_findings import index_findings
from mqstat.daily.send import send
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
        if newest is None and state.days:
            since = f"; the first day with data is {min(state.days)}: is a clock wrong?"
        run.note("missing", f"No data for {run.yesterday} has arrived{since}.", 4)
    else:
        absent = index.missing(entry, config.expect.qmgrs)
        if absent:
            run.note("missing", f"No data for {', '.join(absent)} on {run.yesterday}.", 4)
        if run.yesterday not in run.made:
            run.log("report", f"{run.yesterday}: up to date: {findings_text(entry.counts)}, return code {entry.code}")
        run.codes = msgspec.structs.replace(run.codes, day=entry.code)
    findings = index_findings(memory(config.dataset.folder), state, site.on(run.today), run.today)
    rows = index.index_rows(state, run.today, config.expect.qmgrs, findings)
    others = {day: made for day, made in run.made.items() if day != run.yesterday}
    link = config.mail.link.rstrip("/") if config.mail is not None else ""
    states.save(config.reports.folder, state)

    def write() -> str:
        with replacing(config.reports.folder / INDEX) as stream:
            index.render_index(rows, run.today, run.notes, stream, findings)
        write_status(run, entry)
        reports, dataset = link or str(config.reports.folder), str(config.dataset.folder)
        text = mail.mail(run.yesterday, entry, run.notes, others, run.codes, reports, dataset)
        with replacing(config.reports.folder / MAIL) as stream:
            stream.write(text)
        return text

    run.log("index", f"{config.reports.folder / INDEX}: {plural(len(state.days), 'day')}")
    _mailed(run, write, entry)


def write_failure(run: Run, error: MqstatError) -> None:
    """Write the status and a mail with the error, if there is disk space."""
    run.log("end", f"return code {error.return_code}: {MEANING.get(error.return_code, 'stopped')}")

    def write() -> str:
        text = mail.failure(run.yesterday, error.return_code, str(error), run.notes)
        with suppress(MqstatError), replacing(run.config.reports.folder / MAIL) as stream:
            stream.write(text)
        write_status(run, None, error.return_code, str(error))
        return text

    _mailed(run, write, error=str(error))


def _mailed(run: Run, write: Callable[[], str], entry: states.Day | None = None, error: str = "") -> None:
    """Write the results and send the mail with their text; write them again if it could not be sent, which is a
    remark.
    """
    text, before = write(), len(run.notes)
    send(run, text, entry, error)
    if len(run.notes) > before:
        write()


def write_status(run: Run, entry: states.Day | None, code: int = return_codes.CLEAR, error: str | None = None) -> None:
    """Write status.json and the metrics. Of a run that succeeded it raises MqstatError if it cannot; one that failed
    (`error`) leaves what it can.
    """
    config, ended = run.config, status.now()
    run.raise_to(code)
    prom = entry.files.get("openmetrics") if entry is not None else None
    succeeded = ended if status.is_success(run.codes) else status.last_success(config.reports.folder)

    def result() -> status.Status:
        return status.Status(
            started_utc=run.started,
            ended_utc=ended,
            last_success_utc=succeeded,
            return_code=run.codes.highest,
            return_codes=run.codes,
            day=run.yesterday,
            findings=None if entry is None else entry.counts,
            error=error,
            remarks=tuple(run.notes),
            kept_days=tuple(run.kept),
            dropped_days=tuple(run.dropped),
            failed_outputs=run.failed_outputs,
            gaps=() if entry is None else entry.remarks,
        )

    def metrics() -> str:
        return status.metrics(result(), read_kept(config.reports.folder / prom).decode() if prom else "")

    failing = suppress(MqstatError, OSError) if error else nullcontext()
    with failing:
        folder = config.reports.metrics_folder
        if folder is not None and not _exported(folder, metrics()):
            run.note(
                "metrics",
                f"The metrics could not be written to {folder} (reports.metrics_folder): does the folder exist, and may mqstat write to it?",
                return_codes.WARNING,
            )
        with replacing(config.reports.folder / status.METRICS) as stream:
            stream.write(metrics())
        status.write_status(config.reports.folder, result())


def _exported(folder: Path, text: str) -> bool:
    """Whether the metrics could be written to the folder of the node exporter."""
    try:
        with replacing(folder / EXPORTED) as stream:
            stream.write(text)
    except MqstatError:
        return False
    return True
