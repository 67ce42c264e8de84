"""Lines of the repository by part: `python -m campaign.lines [COMMIT]`, by default of the commit that is checked out. `make test-ci` prints them.

The parts of a table are disjoint; the sets above it, of which the size of the house is judged, are not.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from campaign.slices import git

SETS: Mapping[str, Callable[[str], bool]] = MappingProxyType(
    {
        "tracked": lambda path: True,
        "tracked, without tests/oracle": lambda path: not path.startswith("tests/oracle"),
        "Python in mqstat/": lambda path: path.startswith("mqstat/") and path.endswith(".py"),
        "tests/ and campaign/, without tests/oracle": lambda path: (
            path.startswith(("tests/", "campaign/")) and not path.startswith("tests/oracle")
        ),
        "tests/golden": lambda path: path.startswith("tests/golden/"),
    }
)
"""Which files belong to a set."""

DEEP = ("mqstat", "docs", "tests", "reports")
"""Folders whose subfolders are parts of their own."""


def lines(commit: str) -> dict[str, int]:
    """The lines of each tracked file of a commit."""
    found = {}
    for line in git("grep", "--text", "--count", "", commit).splitlines():
        path, _, count = line.removeprefix(f"{commit}:").rpartition(":")
        found[path] = int(count)
    return found


def part(path: str) -> str:
    """The part that a file belongs to: a folder, or `files` for those at the top."""
    folder, *names = path.split("/")
    if not names:
        return "files"
    return f"{folder}/{names[0]}" if folder in DEEP and len(names) > 1 else folder


def commands() -> int:
    """The entries that `mqstat help` lists, and those of each group of commands."""
    from mqstat.cli.app import command

    return sum(1 + len(getattr(entry, "commands", ())) for entry in command().commands.values())


def report(commit: str) -> Iterator[str]:
    """The output, line by line."""
    by_file = lines(commit)
    for name, belongs in SETS.items():
        yield f"{sum(count for path, count in by_file.items() if belongs(path)):>8,}  {name}"
    by_part: Counter[str] = Counter()
    for path, count in by_file.items():
        by_part[part(path)] += count
    yield from ("", *(f"{count:>8,}  {name}" for name, count in by_part.most_common()))


if __name__ == "__main__":
    print(*report(*sys.argv[1:2] or ["HEAD"]), "", f"{commands():>8}  commands (of the files as they are)", sep="\n")
