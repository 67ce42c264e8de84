"""The documents that limits and messages cite, read as text: their headings and sections. They are outside the
repository (MQSTAT_SOURCES).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from tests.costs import cache

FILES = {"V92": "000_*.txt", "MP1J": "001_*.txt", "Z17": "002_*.txt", "MP16": "003_*.txt", "AMSI": "004_*.txt"}
"""The file of each document, by the name that citations use."""

LONGEST_HEADING = 160
SECTION_LINES = 60
"""Lines that a section is read for: the ends of sections are not marked in all documents."""

_NAMED = re.compile(rf"\b({'|'.join(FILES)})\b")
_QUOTED = re.compile(r"'((?:[^']|'(?=\w))+)'")


def cited(cite: str) -> Iterator[tuple[str, list[str]]]:
    """Each document of a citation, whose parts are separated by semicolons, with the sections that it quotes."""
    for part in cite.split(";"):
        named = _NAMED.search(part)
        if named:
            yield named[1], _QUOTED.findall(part)


def plain(line: str) -> str:
    """A heading without marks, links, numbers, quotation marks and page number, in lower case."""
    line = re.sub(r"<sup>.*?</sup>|</?\w+>|\$.*\$", "", line)
    line = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", line).replace("\\", "")
    line = re.sub(r"[#*_\u201c\u201d\u2019\"`']", " ", line)
    line = re.sub(r"\.{3,}\s*\d*\s*$|\s\d+\s*$", "", line)
    line = re.sub(r"^\s*(?:\d+(?:\.\d+)*[.)]?|[a-z]\))\s+", "", line)
    return re.sub(r"\s+(?=\?)", "", " ".join(line.split())).strip(" :.").casefold()


@cache
def lines_of(folder: Path, document: str) -> tuple[str, ...]:
    """The lines of a document that are not empty."""
    (path,) = folder.glob(FILES[document])
    return tuple(line for line in path.read_text(encoding="utf-8").splitlines() if line.strip())


@cache
def headings(folder: Path, document: str) -> Mapping[str, list[int]]:
    """Every line of a document, and every two lines that may be a broken heading, each with the line after each of its
    occurrences.

    A heading in bold may begin a line of text.

    A line of running text is not a heading, but no citation is equal to one.
    """
    lines = lines_of(folder, document)
    found = defaultdict(list)
    for number, (line, further) in enumerate(pairwise((*lines, ""))):
        found[plain(line)].append(number + 1)
        run_in = re.match(r"\*\*([^*]+)\*\* ", line)
        if run_in:
            found[plain(run_in[1])].append(number)
        if len(line + further) < LONGEST_HEADING:
            found[plain(f"{line} {further}")].append(number + 2)
    return found


def section(folder: Path, document: str, heading: str) -> str:
    """The text that follows a heading, wherever it occurs: a document may have two sections of one name."""
    lines = lines_of(folder, document)
    starts = headings(folder, document)[plain(heading)]
    return " ".join(line for start in starts for line in lines[start : start + SECTION_LINES])
