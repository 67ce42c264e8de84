"""The campaign, `make campaign`: all tests of all parts, or of those that are named, and a line for each part in
docs/campaign.md.

It takes hours. What passed is kept in build/campaign for the commit, so that a campaign that was interrupted goes on;
each part has its own command, `make campaign PART=NAME`. `--slice N` runs one slice of a part, as `make test-ci` does,
and `--only WORDS` its tests about something.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

from campaign.slices import ROOT, Part, git, parts, results_of

PAGE = ROOT / "docs" / "campaign.md"
NOTHING_LEFT = 5
"""The return code of pytest that ran no test."""
HEAD = """# Campaign

Tests that take too long for each change: `make campaign` runs all, `make test-ci` one slice of each part. Written by `make campaign` when all
tests of a part have run. The seconds are those of all its tests, one after the other; a + after the commit means that files differed from it.

| part | what it does | commit | date (UTC) | cores | tests | failed | seconds | counts |
|---|---|---|---|---|---|---|---|---|
"""


def pytest_of(part: Part, *words: str) -> int:
    """The return code of pytest over a part."""
    workers = os.environ.get("WORKERS", str(os.cpu_count() or 1))
    options = f"-m pytest -q -n {workers} --dist worksteal".split()
    command = [sys.executable, *options, *map(str, part.paths), *words]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def state() -> str:
    """The commit that is checked out; with a + and a hash of what differs from it, if anything but the page of results
    does.
    """
    changed = git("diff", "HEAD", "--", ".", f":!{PAGE.relative_to(ROOT)}") + git(
        "ls-files", "--others", "--exclude-standard"
    )
    return git("rev-parse", "--short=8", "HEAD") + (
        f"+{hashlib.sha256(changed.encode()).hexdigest()[:6]}" if changed else ""
    )


def run(part: Part) -> int:
    """Run what is left of a part at this commit, and write its line when all of it has run; returns the return code of
    pytest.
    """
    journal = ROOT / "build" / "campaign" / state() / f"{part.name}.jsonl"
    code = pytest_of(part, "--journal", str(journal))
    tests, is_whole = results_of(journal)
    if code == NOTHING_LEFT:
        print(
            f"campaign {part.name}: all of it passed at this commit before; to run it again, delete {journal.relative_to(ROOT)}"
        )
    elif is_whole:
        write({**rows(), part.name: row(part, tests)})
    else:
        print(f"campaign {part.name}: {len(tests)} tests ran, not all; the same command goes on with the others")
    return 0 if code == NOTHING_LEFT else code


def row(part: Part, found: Sequence[dict[str, Any]]) -> str:
    """The line of a part from its journal."""
    counts: Counter[str] = Counter()
    for line in found:
        counts.update(line["counts"])
    failed = sum(line["outcome"] == "failed" for line in found)
    skipped = sum(line["outcome"] == "skipped" for line in found)
    tests = f"{len(found) - skipped:,}" + (f", {skipped} skipped" if skipped else "")
    counted = ", ".join(f"{number:,} {name}" for name, number in counts.items())
    today = dt.datetime.now(dt.UTC).date()
    seconds = sum(line["seconds"] for line in found)
    cells = (part.name, part.what, state(), today, os.cpu_count(), tests, failed, f"{seconds:,.0f}", counted)
    return "| " + " | ".join(str(cell).replace("|", "/") for cell in cells) + " |\n"


def rows() -> dict[str, str]:
    """The lines of the page by part."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    table = text.partition("|---|\n")[2].splitlines(keepends=True)
    return {line.split("|")[1].strip(): line for line in table if line.startswith("| ")}


def write(by_part: dict[str, str]) -> None:
    """The page with these lines, of parts that are there."""
    PAGE.write_text(HEAD + "".join(by_part[name] for name in parts() if name in by_part), encoding="utf-8")


def ages() -> int:
    """Print for each part how many commits ago it ran, and which of the folders that it guards changed since."""
    known = rows()
    for part in parts().values():
        cells = [cell.strip() for cell in known[part.name].split("|")] if part.name in known else []
        at = cells[3].partition("+")[0] if cells else ""
        behind = git("rev-list", "--count", f"{at}..HEAD") if at else ""
        if not cells:
            age = "never run whole"
        elif not behind:
            age = f"{at}, {cells[4]}: its age is unknown, this clone has no such commit"
        else:
            changed = [folder for folder in part.guards if git("diff", "--name-only", at, "HEAD", "--", folder)]
            since = f"changed since: {', '.join(changed)}" if changed else "nothing that it guards changed since"
            age = f"{behind} commits ago ({cells[4]}), {cells[7]} failed; {since}"
        print(f"campaign {part.name}: {age}")
    return 0


def main() -> int:
    """Run parts, or a slice of them, or print their ages; returns 1 if a test failed."""
    known = parts()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(known))
    parser.add_argument("--slice", help="only the slice with this number")
    parser.add_argument("--only", help="only the tests about a rule, a view or a word of their names")
    parser.add_argument("--ages", action="store_true", help="print how old the results are")
    options = parser.parse_args()
    unknown = [name for name in options.parts if name not in known]
    if unknown:
        parser.error(f"{unknown[0]} is no part of the campaign: {', '.join(known)}")
    if options.ages:
        return ages()
    chosen = [known[name] for name in options.parts or known]
    some = [*(("--slice", options.slice) if options.slice else ()), *(("--only", options.only) if options.only else ())]
    codes = [pytest_of(part, *some) if some else run(part) for part in chosen]
    if some and all(code == NOTHING_LEFT for code in codes):
        print(f"no test of {', '.join(part.name for part in chosen)} is about {options.only or options.slice}")
        return 1
    return int(any(code not in (0, NOTHING_LEFT) for code in codes))


if __name__ == "__main__":
    sys.exit(main())
