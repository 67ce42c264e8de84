"""Compare every output of this tree with the outputs of another commit: `python -m tests.yardstick COMMIT`, or
`make yardstick BASE=COMMIT`.

Inputs: the real dumps of `MQSTAT_DUMPS`, the sample, a month of ten queue managers as a dataset that each tree ingests
itself, and 2 GB of class 3 accounting. Outputs: `report` and `check` in every format (CSV of all reports), summed by
day, with the first subjects only, and `chargeback`, `map`, `ledger`. Each command runs as a process of its own; its
return code, what it prints and each file that it writes are compared byte by byte, and its processor seconds and peak
memory are listed for both trees. Dumps and outputs are kept in build/yardstick; the outputs of a commit are made once.

The exit status is 0 if everything is equal, else 1.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("parsers", "reports", "rules", "fixtures")
INPUTS = ("real", "sample", "month", "class3")
WRITTEN = tuple(f"report.{ending}" for ending in ("txt", "json", "md", "html", "prom"))
DIFFERENT_LINES = 3
LINE_WIDTH = 200

COMMANDS: Mapping[str, Sequence[str]] = {
    "report": ("report", "{input}", "--format", "csv", "--output", "findings.csv", *(word for name in WRITTEN for word in ("--write", name))),
    "all reports as CSV": ("report", "{input}", "--format", "csv", "--output", ".", "{reports}"),
    "report by day": ("report", "{input}", "--by", "day", "--format", "json"),
    "report top 3": ("report", "{input}", "--top", "3"),
    **{f"check {name}": ("check", "{input}", "--format", name) for name in ("text", "json", "csv", "markdown", "openmetrics")},
    "chargeback": ("report", "{input}", "--report", "application/chargeback", "--site", "{rates}"),
    "map": ("map", "{input}"),
    "ledger": ("ledger", "{input}"),
}  # fmt: skip
"""The commands that are compared; each runs in an empty folder. {reports} is every report of the compared commit."""

RATES = """
[[rate]]
currency = "EUR"
charge_to = "everybody"
cpu_second = 0.12
thousand_messages = 0.30
mib = 0.01
"""

FEW = ("report", "all reports as CSV", "check text", "check json")
"""Commands for the inputs that take half a minute each."""


@dataclass(frozen=True)
class Made:
    """One command on one input: its return code, processor seconds, peak memory of its largest process, and the hash of
    each output.
    """

    return_code: int
    seconds: float
    peak_mib: float
    hashes: Mapping[str, str]


def tree_of(commit: str | None, folder: Path) -> Path:
    """A folder from which `python -m mqstat` runs that commit, or this tree with its uncommitted changes if there is
    none, whatever is installed.
    """
    source, tree = folder / "source", folder / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    if commit is None:
        source = ROOT
    elif not source.exists():
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=BytesIO(archive)) as packed:
            packed.extractall(source, filter="data")
    (tree / "mqstat").mkdir(parents=True)
    for path in [*(source / "mqstat").iterdir(), *(source / part for part in PARTS)]:
        (tree / "mqstat" / path.name).symlink_to(path)
    return tree


def run(tree: Path, folder: Path, words: Sequence[str]) -> tuple[int, float, float]:
    """Run a command of a tree in a new folder that keeps its output: return code, processor seconds and MiB."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as errors:
        environment = {**os.environ, "PYTHONPATH": str(tree), "COLUMNS": "132"}
        command = [sys.executable, "-m", "mqstat", *words]
        pid = subprocess.Popen(command, cwd=folder, stdout=out, stderr=errors, env=environment).pid
        _, status, usage = os.wait4(pid, 0)
    return (
        os.waitstatus_to_exitcode(status),
        round(usage.ru_utime + usage.ru_stime, 2),
        round(usage.ru_maxrss / 1024, 1),
    )


def dumps(chosen: Sequence[str], folder: Path) -> Iterator[tuple[str, Path]]:
    """Label and path of each input; what is missing is built by this tree, so that both trees read the same bytes."""
    made = folder / "dumps"
    made.mkdir(parents=True, exist_ok=True)
    if "real" in chosen:
        real = os.environ.get("MQSTAT_DUMPS")
        if real is None:
            print("real dumps: left out, MQSTAT_DUMPS is not set")
        else:
            yield from ((path.stem, path) for path in sorted(Path(real).resolve().glob("*.dat")))
    built = {"sample": ("sample",), "month": ("busy-month",), "class3": ("bulk", "class3")}
    for name, words in built.items():
        if name in chosen:
            path = made / f"{name}.smf"
            if not path.exists():
                print(f"building {path.name}", flush=True)
                subprocess.run(
                    [sys.executable, "-m", "mqstat.fixtures", *words, str(path)],
                    cwd=ROOT,
                    check=True,
                    stdout=subprocess.DEVNULL,
                )
            yield name, path


def report_names(commit: str) -> list[str]:
    """The reports of a commit, by the paths of their files."""
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", commit, "reports/"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    files = [Path(line).relative_to("reports") for line in listed.splitlines() if line.endswith(".sql")]
    return [path.with_suffix("").as_posix() for path in files if len(path.parts) == 2 and path.parts[0] != "views"]


def hashes(folder: Path) -> dict[str, str]:
    """The hash of each file below a folder, by its path in it."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def outputs(tree: Path, folder: Path, inputs: Sequence[tuple[str, Path]], reports: Sequence[str]) -> dict[str, Made]:
    """Run all commands on all inputs; results that are there already are kept."""
    rates = folder / "rates.toml"
    rates.write_text(RATES)
    known = folder / "made.json"
    made: dict[str, Made] = {}
    if known.exists():
        made = {key: Made(**values) for key, values in json.loads(known.read_text()).items()}
    for name, path in inputs:
        given = {
            "{input}": [str(path)],
            "{rates}": [str(rates)],
            "{reports}": [word for report in reports for word in ("--report", report)],
        }
        if name == "month":
            dataset = folder / "month"
            if not dataset.exists():
                run(tree, folder / "ingest", ["ingest", str(path), "--into", str(dataset)])
            given["{input}"] = ["--from", str(dataset)]
        for command, words in COMMANDS.items():
            key = f"{name}: {command}"
            if key in made or (name in ("month", "class3") and command not in FEW):
                continue
            target = folder / "outputs" / key.replace(": ", "/").replace(" ", "-")
            result = run(tree, target, [part for word in words for part in given.get(word, [word])])
            made[key] = Made(*result, hashes(target))
            print(f"  {key}: return code {result[0]}, {result[1]} s, {result[2]} MiB", flush=True)
            known.write_text(json.dumps({key: asdict(value) for key, value in made.items()}))
    return made


def text_of(path: Path, ignored: Sequence[str]) -> str:
    """An output as text without what matches one of the patterns; empty if it was not written."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    for pattern in ignored:
        text = re.sub(pattern, "", text)
    return text


def different_lines(one: str, other: str) -> Iterator[str]:
    """The first lines in which two texts differ."""
    shown = 0
    for number, (left, right) in enumerate(zip_longest(one.splitlines(), other.splitlines()), 1):
        if left != right:
            yield f"      line {number}"
            for sign, text in (("-", left), ("+", right)):
                yield f"      {sign} {_near(text, left or '', right or '')}"
            shown += 1
            if shown == DIFFERENT_LINES:
                return


def _near(text: str | None, left: str, right: str) -> str:
    """The part of a line from a little before the first difference."""
    pairs = enumerate(zip(left, right, strict=False))
    same = next((place for place, (a, b) in pairs if a != b), min(len(left), len(right)))
    return "(no line)" if text is None else text[max(0, same - 60) :][:LINE_WIDTH]


def differences(
    folders: tuple[Path, Path], base: Mapping[str, Made], new: Mapping[str, Made], ignored: Sequence[str]
) -> Iterator[str]:
    """What differs: a line for each command and output, with the first lines that differ."""
    for key in base:
        if base[key].return_code != new[key].return_code:
            yield f"{key}: return code {base[key].return_code} -> {new[key].return_code}"
        for name in sorted({*base[key].hashes, *new[key].hashes}):
            if base[key].hashes.get(name) != new[key].hashes.get(name):
                part = Path("outputs") / key.replace(": ", "/").replace(" ", "-") / name
                texts = [text_of(folder / part, ignored) for folder in folders]
                if not ignored or texts[0] != texts[1]:
                    yield f"{key}: {name} differs"
                    yield from different_lines(*texts)


def main() -> int:
    """Make the outputs of both trees and print how they differ."""
    words = argparse.ArgumentParser(
        prog="python -m tests.yardstick", description="Compare every output with those of another commit."
    )
    words.add_argument("commit")
    words.add_argument("--inputs", default=",".join(INPUTS), help=f"of {', '.join(INPUTS)} (default all)")
    words.add_argument("--folder", type=Path, default=ROOT / "build/yardstick", help="where dumps and outputs are kept")
    words.add_argument(
        "--ignore", action="append", default=[], help="a regular expression: what it matches may differ; repeatable"
    )
    given = words.parse_args()
    commit = subprocess.run(
        ["git", "rev-parse", "--short=12", given.commit], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    folder = given.folder.resolve()
    folders = (folder / commit, folder / "this-tree")
    shutil.rmtree(folders[1], ignore_errors=True)
    inputs = list(dumps(given.inputs.split(","), folder))
    results = []
    reports = report_names(commit)
    for where, revision in zip(folders, (commit, None), strict=True):
        where.mkdir(parents=True, exist_ok=True)
        print(f"outputs of {revision or 'this tree'}", flush=True)
        results.append(outputs(tree_of(revision, where), where, inputs, reports))
    labels = {name for name, _ in inputs}
    base, new = ({key: made for key, made in result.items() if key.split(": ")[0] in labels} for result in results)
    print(f"\n{'':34}{'processor s':>16}{'MiB':>18}")
    for key, was in base.items():
        now = new[key]
        print(
            f"{key:34}{was.seconds:>7} {now.seconds:>7} {now.seconds / max(was.seconds, 0.01):>5.2f}{was.peak_mib:>9} {now.peak_mib:>8}"
        )
    lines = list(differences(folders, base, new, given.ignore))
    files = sum(len(made.hashes) for made in base.values())
    print(
        "\n".join(
            ["", *lines, "", f"{len(base)} commands, {files} outputs: {'all equal' if not lines else 'DIFFERENT'}"]
        )
    )
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
