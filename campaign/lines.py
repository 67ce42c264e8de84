"""Lines of the repository by part: `python -m campaign.lines [COMMIT]`, by default of the commit that is checked out.

`make test-ci` prints them. The parts are disjoint; the sets above them, by which the size of the repository is judged,
are not. The oracle is `tests/oracle/` with the modules whose names begin like it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from campaign.slices import git

ORACLE = "tests/oracle"

SETS: Mapping[str, Callable[[str], bool]] = MappingProxyType(
    {
        "tracked": lambda path: True,
        "tracked, without the oracle": lambda path: not path.startswith(ORACLE),
        "Python in mqstat/": lambda path: path.startswith("mqstat/") and path.endswith(".py"),
        "tests/ and campaign/, without the oracle": lambda path: (
            path.startswith(("tests/", "campaign/")) and not path.startswith(ORACLE)
        ),
        "tests/golden": lambda path: path.startswith("tests/golden/"),
    }
)
"""Whether a file belongs to a set, by the name of the set."""

DIVIDED = ("mqstat", "docs", "tests", "reports")
"""Folders whose subfolders are parts."""


def lines(commit: str) -> dict[str, int]:
    """The lines of each tracked file of a commit."""
    by_file = {}
    for line in git("grep", "--text", "--count", "", commit).splitlines():
        path, _, count = line.removeprefix(f"{commit}:").rpartition(":")
        by_file[path] = int(count)
    return by_file


def part(path: str) -> str:
    """The part that a file belongs to: a folder, or `files` for those at the top."""
    folder, *names = path.split("/")
    if not names:
        return "files"
    if folder in DIVIDED and len(names) > 1:
        return f"{folder}/{names[0]}"
    return folder


def commands() -> int:
    """The number of commands: the entries that `mqstat help` lists, and those of each group of commands."""
    from mqstat.cli.app import command

    return sum(1 + len(getattr(entry, "commands", ())) for entry in command().commands.values())


def report(commit: str) -> Iterator[str]:
    """The lines of the output about a commit."""
    by_file = lines(commit)
    for name, belongs in SETS.items():
        yield f"{sum(count for path, count in by_file.items() if belongs(path)):>8,}  {name}"
    by_part: Counter[str] = Counter()
    for path, count in by_file.items():
        by_part[part(path)] += count
    yield ""
    for name, count in by_part.most_common():
        yield f"{count:>8,}  {name}"


def main(commit: str = "HEAD") -> None:
    """Print the lines of a commit, and the number of commands of the files as they are."""
    print(*report(commit), "", f"{commands():>8}  commands (of the files as they are)", sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
