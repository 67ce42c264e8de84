"""Planted faults, which `make test` must find: `python -m tests.planted [WORD...]`, or `make planted`.

Each fault replaces one piece of one file, in a copy of the tree. The tests of `make test` run there until one fails: first the files that the
fault names, then all for the faults that are left. Prints the test that found each fault; returns 1 if fewer than `SHARE` of them are found.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.merges import Copy, copy_tree
from tests.statement_mutants import Replacement, changed

SHARE = 0.8
FIRST_TIER = "not slow"
"""The tests of `make test`, as pytest selects them."""
NONE_SELECTED = 5
"""The return code of pytest if the named files have no test of the first tier."""


@dataclass(frozen=True)
class Fault(Replacement):
    """A wrong version of one file; `tests` are the files of tests that are tried first, for speed alone."""

    tests: str = ""


FAULTS = (
    Fault("times of day are in tenths of their length", "parsers/record.py",
          "day * 86_400_000_000 + hundredths * 10_000, NONE)", "day * 86_400_000_000 + hundredths * 1_000, NONE)", "marks,fixtures,walk"),
    Fault("a record without a proof is accepted within damage", "parsers/repair.py",
          "if sure and strict and (proven or not mq):", "if sure and (proven or not mq):", "walk,damage,damaged_neighbours"),
    Fault("the section of a flag that is off keeps its value", "parsers/decoder.py",
          "type.mask) != 0\n", "type.mask) == 0\n", "layouts,house_layouts"),
    Fault("a partial first read of a section begins at its start", "parsers/decoder.py",
          "start = min(item.at for item in chosen)", "start = max(item.at for item in chosen)", "layouts,pipeline,reports"),
    Fault("records written within a second of the end of an interval have none", "parsers/interval.py",
          "- own.stub_written[open_[good]]) <= SECOND", "- own.stub_written[open_[good]]) <= 0 * SECOND", "pipeline,clocks"),
    Fault("the second triplet of 115.5 to 7 is not read", "parsers/dialects.py",
          "if 5 <= subtype <= 7:", "if 5 <= subtype <= 6:", "walk,pipeline"),
    Fault("the header of a zip entry in lzma is a byte short", "mqstat/sources/compression.py",
          'length = 4 + int.from_bytes(self.head[2:4], "little")', 'length = 3 + int.from_bytes(self.head[2:4], "little")', "archive"),
    Fault("a long name of a tar entry stays for the next one", "mqstat/sources/archive.py",
          '            label, size = long_name or own, size if long_size < 0 else long_size\n            long_name, long_size = "", -1\n',
          "            label, size = long_name or own, size if long_size < 0 else long_size\n", "archive"),
    Fault("UTF-8 is recognised in half of the bytes", "mqstat/sources/transfer.py",
          "2 * pairs >= 0.98 * high", "2 * pairs >= 2.98 * high", "doctor"),
    Fault("empty files of a folder are read", "mqstat/sources/source.py",
          "            if not file.stat().st_size:\n                continue\n", "            file.stat()\n", "source,cli"),
    Fault("rows of two days are in the file of the first", "mqstat/dataset/writer.py",
          "self._hold(table, int(days[start]), rows.slice(start, end - start))", "self._hold(table, int(days[0]), rows.slice(start, end - start))", "daily,dataset"),
    Fault("a period of days keeps one more", "mqstat/dataset/retention.py",
          "dt.timedelta(days=self.days - 1)", "dt.timedelta(days=self.days)", "retention,daily"),
    Fault("prune drops the day it names", "mqstat/dataset/prune.py",
          "if day is not None and day < before and day not in keep:", "if day is not None and day <= before and day not in keep:", "prune"),
    Fault("verify computes the hash of no file", "mqstat/dataset/verification.py",
          "publishing.checksum(path) != entry.sha256", "False", "dataset_loss,dataset"),
    Fault("a rebuilt manifest keeps the older of two equal sources", "mqstat/dataset/rebuild.py",
          "if first != number:", "if first == number:", "dataset_loss"),
    Fault("a dump that replaces another leaves its files", "mqstat/intake/publication.py",
          "retire=retire,", "retire=(),", "daily,dataset,compact"),
    Fault("a selection counts all records as selected", "mqstat/intake/part.py",
          "chosen = len(r) if keep is None else int(keep.sum())", "chosen = len(r)", "selection,nothing"),
    Fault("--until with a date excludes that day", "mqstat/base/selection.py",
          "return moment + dt.timedelta(days=1) if end and _is_day(text) else moment", "return moment", "selection"),
    Fault("verify --against counts its duplicates from another record", "mqstat/intake/row_comparison.py",
          "actual = actual.filter((number >= first) &", "actual = actual.filter((number > first) &", "against"),
    Fault("a pattern of a site file matches without case", "mqstat/sql/site.py",
          "fnmatchcase(name, pattern", "fnmatchcase(name.lower(), pattern.lower()", "site"),
    Fault("an override ends on its last day", "mqstat/sql/site.py",
          "o.until < day)", "o.until <= day)", "site"),
    Fault("the least specific override sets the severity", "mqstat/judge/scope.py",
          "for o in reversed(overrides):\n        if o.severity", "for o in overrides:\n        if o.severity", "site,rules"),
    Fault("rows of damaged records are judged", "mqstat/judge/judging.py",
          'if damaged and rule.judge.kind != "whole" and "record_id" in has:', "if False:", "damaged_neighbours,rules"),
    Fault("a share exactly at its limit is no hit", "mqstat/judge/judging.py",
          'return bool(subject["breached"] > 0 and share_pct(subject) >= judge.number)', 'return bool(subject["breached"] > 0 and share_pct(subject) > judge.number)', "rules"),
    Fault("a row covers one step more of its curve", "mqstat/judge/series.py",
          "THEN probes_behind - 1 ELSE step_of_middle END AS last_step", "THEN probes_behind ELSE step_of_middle END AS last_step", "curves"),
    Fault("the comparison takes hours of too few days", "mqstat/assemble/usual.py",
          "before.hours[qmgr][hour].days >= ENOUGH}", "before.hours[qmgr][hour].days >= 1}", "compare"),
    Fault("amounts are rounded half up", "mqstat/assemble/chargeback.py",
          "Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN)", 'Decimal(1).scaleb(-decimals), "ROUND_HALF_UP")', "chargeback"),
    Fault("notes choose the report of an area", "mqstat/assemble/health.py",
          'if name and finding.severity != "info":', "if name:", "scenarios,reports"),
    Fault("a narrow terminal cuts the names of queue managers", "mqstat/render/layout.py",
          "room = max(len(name) for name in names.values()) + 2", "room = min(len(name) for name in names.values()) + 2", "scenarios,reports"),
    Fault("OpenMetrics counts subjects as findings", "mqstat/render/formats/openmetrics.py",
          'report.counts[severity])', 'sum(row["severity"] == severity for row in breaches))', "formats,scenarios"),
    Fault("a day of a page ends at 00:00", "mqstat/render/html/scales.py",
          '"24:00" if one_day(grid)', '"00:00" if one_day(grid)', "curves,pictures,html"),
    Fault("a changed dump in the inbox counts as known", "mqstat/daily/inbox.py",
          "[file.size, file.changed]:", "[file.size, entry[1]]:", "daily"),
    Fault("the daily job applies a new retention at once", "mqstat/daily/run.py",
          "    for step in steps:\n        run.note(\"prune\", f\"{step.text('The next run drops')}.\", return_codes.CLEAR)\n    return before\n",
          "    for step in steps:\n        run.note(\"prune\", f\"{step.text('The next run drops')}.\", return_codes.CLEAR)\n    return policy\n", "daily,retention,daily_configuration"),
    Fault("check judges the first of several named rules only", "mqstat/cli/judge.py",
          "    return ids or None\n", "    return [rule_id for rule_id in ids[:1]] or None\n", "check,cli"),
    Fault("unknown commands return 12", "mqstat/cli/__init__.py",
          "return _failed(on_one_line(_usage(error)), 16)", "return _failed(on_one_line(_usage(error)), 12)", "cli,return_codes"),
    Fault("a pseudonym of a dynamic queue loses its shape", "mqstat/share/pseudonyms.py",
          "self._name(core[:-16]) + self._permuted(core[-16:], [_HEX] * 16)", "self._name(core)", "redact"),
    Fault("a CSV file lacks the interval if its first row has none", "mqstat/export/rows.py",
          "setdefault(file.name, bool(mine[0]))", "setdefault(file.name, bool(mine.all()))", "export"),
    Fault("a page set's used pages include the unused ones", "reports/views/page_set.sql",
          "total_pages - unused_pages         ", "total_pages                        ", "scenarios,reports"),
    Fault("channels that stopped before the interval have time in it", "reports/views/channel.sql",
          "greatest(0, epoch_us(coalesce(channel_stop_utc, interval_end_utc)", "abs(epoch_us(coalesce(channel_stop_utc, interval_end_utc)", "channel_views,scenarios"),
    Fault("fragments count for the usual length of an interval", "reports/views/interval_cut.sql",
          "FILTER (judgeable(interval_seconds) AND NOT startup_interval)", "FILTER (NOT startup_interval)", "area_views,scenarios"),
)  # fmt: skip


def found_by(copy: Copy, fault: Fault, paths: Sequence[str]) -> str:
    """The first test of the first tier in some files or folders that fails with a fault in place; empty if none does."""
    path = copy.folder / fault.file
    sound, before = path.read_text(encoding="utf-8"), path.stat()
    path.write_text(changed(fault, copy.folder), encoding="utf-8", newline="\n")
    os.utime(
        path, (before.st_atime, before.st_mtime + 2 + FAULTS.index(fault))
    )  # else a compiled copy counts as current
    try:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-m", FIRST_TIER, *paths]
        done = subprocess.run(command, cwd=copy.folder, env=copy.env, capture_output=True, encoding="utf-8")
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        if done.returncode not in (0, NONE_SELECTED):
            return failed[0] if failed else f"pytest ended with {done.returncode}"
    finally:
        path.write_text(sound, encoding="utf-8", newline="\n")
        os.utime(path, (before.st_atime, before.st_mtime))
    return ""


def main(words: Sequence[str]) -> int:
    """Plant the faults (all, or those whose name or file holds one of the words), one after the other, and print a table."""
    chosen = [fault for fault in FAULTS if not words or any(word in f"{fault.file} {fault.name}" for word in words)]
    left = chosen
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "tree"
        folder.mkdir()
        copy_tree(folder)
        copy = Copy(folder)
        for every in (False, True):
            for fault in tuple(left):
                start = time.perf_counter()
                paths = ["tests"] if every else [f"tests/test_{name}.py" for name in fault.tests.split(",")]
                test = found_by(copy, fault, paths)
                word = "found" if test else "ALIVE" if every else "later"
                print(
                    f"{word}  {fault.file}: {fault.name}  ({time.perf_counter() - start:.0f} s)\n       {test[:150]}",
                    flush=True,
                )
                left = [other for other in left if other is not fault or not test]
    print(f"{len(chosen) - len(left)} of {len(chosen)} planted faults found by the tests of make test")
    return 0 if len(left) <= (1 - SHARE) * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
