"""Dumps -> the CSV files of mq-smf-csv in a folder, chunk by chunk: memory does not grow with the input."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from mqstat.base import return_codes
from mqstat.base.atomic_write import part_of
from mqstat.base.errors import InputError, UsageError, write_failure
from mqstat.export.rows import RowMaker
from mqstat.intake.part import PartResult, account
from mqstat.intake.pipeline import chunks_of
from mqstat.intake.stream import walked
from mqstat.parsers.framing import Framing
from mqstat.parsers.ledger import Ledger
from mqstat.parsers.record import read
from mqstat.sources.source import Source
from mqstat.sources.verdict import verdict

Step = Callable[[int, int | None], None]
"""Called with the bytes read of a source, and its size if known."""


@dataclass
class Exported:
    """Result of an export: rows by file, the ledger of all inputs, and the problems of inputs."""

    rows: dict[str, int] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    problems: list[str] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)

    @property
    def return_code(self) -> int:
        """The return code of the command."""
        return return_codes.of_inputs(self.codes)


class _Folder:
    """The files of one export under temporary names; they are renamed when all are complete."""

    def __init__(self, folder: Path, *, replace: bool) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.old = sorted(folder.glob("SMF-*.csv"))
        if self.old and not replace:
            raise UsageError(
                f"{folder}: already holds {self.old[0].name} and {len(self.old) - 1} more of these files; "
                "choose another folder, or replace them with --replace."
                if len(self.old) > 1
                else f"{folder}: already holds {self.old[0].name}; choose another folder, or replace it with --replace."
            )
        self._open: dict[str, BinaryIO] = {}
        self._parts: dict[str, Path] = {}

    def write(self, name: str, header: str, texts: pa.Array) -> None:
        """Add rows to a file, after its header if they are the first."""
        if name not in self._open:
            self._parts[name] = part_of(self.folder / name)
            self._open[name] = self._parts[name].open("xb")
            self._open[name].write(header.encode())
        _, offsets, data = texts.buffers()
        ends = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
        self._open[name].write(memoryview(data)[int(ends[0]) : int(ends[-1])])

    def publish(self) -> None:
        """Rename all files to their final names, and remove those of an earlier export."""
        for stream in self._open.values():
            stream.flush()
            os.fsync(stream.fileno())
            stream.close()
        for name in self._open:
            self._parts[name].replace(self.folder / name)
        for path in self.old:
            if path.name not in self._open:
                path.unlink(missing_ok=True)
        self._open = {}

    def abandon(self) -> None:
        """Remove incomplete files."""
        for name, stream in self._open.items():
            with suppress(OSError):  # on a full disk the buffered rest cannot be written
                stream.close()
            self._parts[name].unlink(missing_ok=True)


@contextmanager
def _complete_or_nothing(folder: Path, *, replace: bool) -> Iterator[_Folder]:
    """The files of an export in a folder: all of them, or no file if it fails; DatasetError if the folder cannot be
    written.
    """
    files = None
    try:
        files = _Folder(folder, replace=replace)
        yield files
        files.publish()
    except OSError as error:
        raise write_failure(folder, "the files could not be written", error, "no file was added") from None
    finally:
        if files is not None:
            files.abandon()


def export(
    sources: Iterable[Source],
    folder: Path,
    *,
    bug_compatible: bool = False,
    protect: bool = False,
    replace: bool = False,
    framing: Framing | None = None,
    damage_limit: float = return_codes.DAMAGE_LIMIT_PCT,
    progress: Callable[[str], AbstractContextManager[Step | None]] | None = None,
) -> Exported:
    """Write the records of all sources into `folder`, one file `SMF-<structure>.csv` for each structure that has rows.

    bug_compatible: reproduce the known errors of the original tool; protect: no cell begins like a formula; replace:
    replace the files of an earlier export; damage_limit: as for a ledger. The files appear when all are complete, so
    that a load never reads half of them. An unreadable input is a problem in the result. Raises UsageError if the
    folder already contains such files, and DatasetError if it cannot be written.
    """
    done = Exported()
    with _complete_or_nothing(folder, replace=replace) as files:
        maker = RowMaker(bug_compatible, protect)
        for source in sources:
            part = PartResult()
            try:
                if progress is None:
                    _export(source, framing, maker, files, done, part, None)
                else:
                    with progress(source.name) as step:
                        _export(source, framing, maker, files, done, part, step)
            except InputError as error:
                done.codes.append(error.return_code)
                done.problems.append(str(error))
                continue
            done.ledger.merge(part.ledger)
            done.codes.append(verdict(part.ledger, problem=source.problem).return_code(damage_limit))
            if source.problem:
                done.problems.append(source.problem)
    return done


def _export(
    source: Source,
    framing: Framing | None,
    maker: RowMaker,
    files: _Folder,
    done: Exported,
    part: PartResult,
    step: Step | None,
) -> None:
    size = 0
    for chunk in chunks_of(source, framing):
        r = read(chunk, part.records)
        account(part, r, 0, count_sections=False)
        for file, rows, texts in maker.rows(r):
            name = f"SMF-{file.name}.csv"
            files.write(name, maker.header(file), texts)
            done.rows[name] = done.rows.get(name, 0) + rows
        size += walked(chunk)
        if step is not None:
            step(size, source.size)
