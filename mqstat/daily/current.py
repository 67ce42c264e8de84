"""The current run of `mqstat daily`."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from mqstat.base import return_codes
from mqstat.base.formatting import escaped, pasted, plural
from mqstat.daily import inbox, status
from mqstat.daily import state as states
from mqstat.daily.config import Config
from mqstat.daily.status import Codes
from mqstat.dataset import snapshot, store
from mqstat.dataset.manifest import Manifest
from mqstat.intake.workers import Progress
from mqstat.parsers.ledger import Ledger

Log = Callable[[str, str], None]
"""Logs what a step did: its name, and a sentence."""


@dataclass
class Run:
    """A run: its configuration, the command that starts it from anywhere, today's date, its log and clock, and its
    results.

    `rebuild_history` = judge again all days whose data is in the dataset.
    """

    config: Config
    command: str
    today: dt.date
    log: Log
    progress: Callable[[str], AbstractContextManager[Progress | None]]
    pause: inbox.Pause = time.sleep
    rebuild_history: bool = False
    codes: Codes = field(default_factory=Codes)
    notes: list[str] = field(default_factory=list)
    made: dict[dt.date, states.Day] = field(default_factory=dict)
    kept: list[dt.date] = field(default_factory=list)
    dropped: list[dt.date] = field(default_factory=list)
    failed_outputs: int = 0
    known: Manifest | None = None
    started: dt.datetime = field(default_factory=lambda: status.now())  # noqa: PLW0108 - a test sets the clock

    @property
    def yesterday(self) -> dt.date:
        """The day whose report matters most."""
        return self.today - dt.timedelta(days=1)

    def note(self, step: str, text: str, code: int) -> None:
        """Report a problem: it also appears in the index and the mail, and counts for the return code of the run."""
        text = escaped(text)
        if text not in self.notes:
            self.log(step, text)
            self.notes.append(text)
        self.raise_to(code)

    def note_output(self, text: str) -> None:
        """Report an output that could not be written."""
        self.failed_outputs += 1
        self.note("output", text, return_codes.WARNING)

    def note_damage(self, name: str, path: Path, ledger: Ledger) -> None:
        """Report the damage of an input that is added, if it has any; the return code of the ingest counts it."""
        records, lost, size = ledger.records.damaged, ledger.bytes.damaged, ledger.bytes.input
        if records or lost:
            damaged = (
                f"{plural(records, 'record')}, {lost:,} of {size:,} bytes" if records else f"{lost:,} of {size:,} bytes"
            )
            text = f"{name} is damaged: {damaged}. List the damage: mqstat ledger {pasted(str(path))}"
            self.note("damage", text, return_codes.CLEAR)

    def raise_to(self, code: int) -> None:
        """Raise the return code of the run to at least `code`."""
        self.codes = msgspec.structs.replace(self.codes, run=max(self.codes.run, code))

    def manifest(self) -> Manifest:
        """The manifest of the dataset as it is now; empty if the dataset does not exist yet. DatasetError for a folder
        with anything else.
        """
        folder = self.config.dataset.folder
        if self.known is None or not snapshot.is_current(folder, self.known):
            self.known = snapshot.load(folder)
        if self.known is None and folder.exists():
            store.refuse_unless_empty(folder)
        return self.known or Manifest()
