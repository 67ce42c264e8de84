"""The language of prose: hand-written documents, docstrings, comments and names of tests. CONTRIBUTING.md, "Language",
has the usual words.

`PHRASES` are the expressions that must not come back, no tracked file may contain them.
Of Python files the test reads comments, docstrings and names of tests; of Markdown everything outside generated parts
and code; of SQL comments and the texts that users read: all values of the header that are sentences, and text in the
SQL; of other files comments. `TEXTS` lists the Python files and folders whose string literals are clean, too.
"""

from __future__ import annotations

import ast
import io
import re
import shutil
import subprocess
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.costs import cache

ROOT = Path(__file__).resolve().parent.parent

# expression -> the better word
PHRASES = {
    r"t(ell|ells|elling|old)": "report, show, list, detect, distinguish",
    r"sa(y|ys|id|ying)": "report, state, show, specify",
    r"st(and|ands|anding|ood)(?!-(in|ins|alone)\b)": "is, appears, has, is listed",
    r"besides?": "with, compared with, next to, also",
    r"behind": "after, past, of",
    r"in front of": "before",
    r"(?<!HTML )(?<!web )forms?(?! feed|-action)": "format, kind, layout",
    r"dear|dearer": "expensive, more expensive",
    r"(?<!there )(is|are|was|were|has|have) (?-i:none)": "is not valid, is ignored, has no ...",
    r"none of (theirs|its own|ours)": "excluding ...",
    r"look (what|next)": "check, see also",
    r"all is well": "no problems",
    r"belongs? into": "belongs in",
    r"at the (most|least|worst|best)": "at most, at least, at worst, at best",
    r"set otherwise": "changed",
    r"without (a word|care)": "silently, unattended",
    r"spoil(s|t|ed|ing)?": "mutate, damage, change",
    r"a hair": "slightly",
    r"worth a (case|look)": "open a case, check",
    r"pass(es|ed)? over": "skip",
    r"br(eaks?|oke|oken) off": "is truncated",
    r"(come|comes|came) to (its|their|an) end": "ends, completes",
    r"(take|takes|took) the place of": "replaces",
    r"anew": "again",
    r"advis(e|es|ed) to": "recommends ...ing",
    r"(is )?of no use": "not usable",
    r"start-ups?": "startup",
    r"our number": "our own limit",
    r"explains it\b(?= too)": "also explains it",
    r"means little": "is not reliable",
    r"(deepest|longest|highest|fewest) the": "highest depth of the",
    r"when the [\w/]+( [\w/]+)? happened": "time of the ...",
    r"(set|done) differently": "changed",
    r"against what is": "compared with",
    r"(requests|time|puts|gets|completed) less (?!than)\w+": "minus",
    r"straight from": "directly from",
    r"bec(a|o)mes? of": "the result of",
    r"(an?|the) \w+ of ours": "our own, one of our ...",
    r"as people read": "as text",
    r"made literals": "written as literals",
    r"held against": "compared with",
    r"null if there is none": "null if there is no ...",
}
# Every phrase begins and ends with a letter; without names of groups the search is ten times as fast.
FORBIDDEN = re.compile(rf"\b(?=\w)(?:{'|'.join(f'(?:{phrase})' for phrase in PHRASES)})\b", re.IGNORECASE)
NUMBERED = re.compile("|".join(f"(?P<p{n}>\\b(?:{phrase})\\b)" for n, phrase in enumerate(PHRASES)), re.IGNORECASE)
BETTER = list(PHRASES.values())

NOT_READ = ("tests/test_language.py", "tests/golden/")
"""This file quotes the phrases, as does the glossary of CONTRIBUTING.md; expected outputs hold texts of files that are
read themselves."""
# of these files all texts in string literals are read: messages, descriptions, labels
TEXTS = (
    "parsers",
    "mqstat",
    "docs/generate.py",
    "docs/pages",
    "rules",
    "reports",
    "bench",
    "fixtures/*.py",
)
QUOTES = re.compile(r"^\*\*Phrases that must not come back\*\*$.*?^(?=## )", re.MULTILINE | re.DOTALL)
GENERATED = re.compile(r"^<!-- begin: .*?^<!-- end -->$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
COMMENT = {
    ".sql": r"(?<!\S)--(?= ).*|/\*(?!---).*?\*/",
    ".js": r"//.*|/\*.*?\*/",
    ".css": r"/\*.*?\*/",
    ".html": r"\{#.*?#\}|<!--.*?-->",
}


def blank(match: re.Match[str]) -> str:
    """As many line ends as a piece of text has, so that line numbers stay right."""
    return "\n" * match[0].count("\n")


class Parts(NamedTuple):
    """What the tests read of a Python file, each with its line."""

    prose: list[tuple[int, str]]
    """Docstrings, descriptions of attributes and names of tests."""
    texts: list[tuple[int, str]]
    """String literals of more than one word."""
    names: list[tuple[int, str]]
    """Functions, classes, arguments and variables that the file names."""


@cache
def parts(text: str) -> Parts:
    """The parts of a Python file, of which each test reads some: one walk through its syntax tree."""
    out = Parts([], [], [])
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                out.names.append((node.lineno, node.id))
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and re.search(r"\w \w", node.value):
                out.texts.append((node.lineno, node.value))
        elif isinstance(node, ast.arg):
            out.names.append((node.lineno, node.arg))
        elif isinstance(body := getattr(node, "body", None), list):
            # a string as a statement is a docstring, or the description of the attribute above it
            out.prose.extend(
                (each.lineno, each.value.value)
                for each in body
                if isinstance(each, ast.Expr)
                and isinstance(each.value, ast.Constant)
                and isinstance(each.value.value, str)
            )
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                out.names.append((node.lineno, node.name))
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                    out.prose.append((node.lineno, node.name.replace("_", " ")))
    return out


def suspicious_comments(text: str) -> Iterator[tuple[int, str]]:
    """Comments of a Python file with their line, if one may have a phrase: reading all files by tokens takes
    seconds.
    """
    if any("#" in line and FORBIDDEN.search(CODE.sub(blank, line) + line) for line in text.splitlines()):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def python_prose(text: str) -> Iterator[tuple[int, str]]:
    """Comments that may have a phrase, docstrings and names of tests of a Python file, with the line of each."""
    yield from suspicious_comments(text)
    yield from parts(text).prose


def sql_texts(text: str) -> Iterator[tuple[int, str]]:
    """Quoted texts with more than one word of an SQL file, of its header and of its statement, with the line of
    each.
    """
    for number, line in enumerate(text.splitlines(), 1):
        for quoted in re.finditer(r'"((?:[^"\\]|\\.)*)"|\'([^\']*)\'', line):
            if re.search(r"\w \w", quoted[0]):
                yield number, quoted[0]


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a file that a person wrote to be read, with the line where each begins."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from python_prose(text)
    elif path.suffix == ".md":
        for pattern in (QUOTES, GENERATED, CODE):
            text = pattern.sub(blank, text)
        yield 1, text
    elif path.suffix in COMMENT:
        for comment in re.finditer(COMMENT[path.suffix], text, 0 if path.suffix == ".sql" else re.DOTALL):
            yield text.count("\n", 0, comment.start()) + 1, comment[0]
        if path.suffix == ".sql":
            yield from sql_texts(text)
    elif path.suffix in (".jcl", ".xml"):
        yield 1, text
    else:
        for number, line in enumerate(text.splitlines(), 1):
            if mark := re.search(r"(^|\s)#.*", line):
                yield number, mark[0]


def files(entry: str) -> list[Path]:
    """The files of one entry: a file, a folder, or a pattern of files."""
    inside = [path for match in ROOT.glob(entry) for path in (match, *match.rglob("*"))]
    return sorted(path for path in inside if path.is_file() and "__pycache__" not in path.parts)


def forbidden(path: Path, read: Callable[[Path], Iterator[tuple[int, str]]] = prose) -> Iterator[str]:
    """A line for each forbidden phrase of a file: file, line, phrase, better words."""
    for first, text in read(path):
        code = CODE.sub(blank, text)
        for match in NUMBERED.finditer(code) if FORBIDDEN.search(code) else ():
            line = first + code.count("\n", 0, match.start())
            better = BETTER[int(str(match.lastgroup)[1:])]
            yield f"{path.relative_to(ROOT)}:{line}: {match[0]!r}: {better}"


def tracked() -> list[Path]:
    """The tracked files of the repository, or the files of its source folders if this is a copy without git."""
    git = shutil.which("git")
    if git and (ROOT / ".git").exists():
        listed = subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]
    folders = ("mqstat", "parsers", "reports", "rules", "fixtures", "tests", "campaign", "bench", "docs")
    return [*filter(Path.is_file, ROOT.glob("*.*")), *(path for name in folders for path in files(name))]


def test_no_tracked_file_has_a_forbidden_phrase() -> None:
    bad: list[str] = []
    for path in tracked():
        if path.relative_to(ROOT).as_posix().startswith(NOT_READ) or b"\0" in path.read_bytes()[:1000]:
            continue
        bad += forbidden(path)
    assert not bad, "\n  ".join(["reword these phrases (CONTRIBUTING.md, Language):", *bad])


@pytest.mark.parametrize("entry", TEXTS)
def test_texts_have_no_forbidden_phrase(entry: str) -> None:
    paths = [path for path in files(entry) if path.suffix == ".py"]
    assert paths, f"tests/test_language.py: TEXTS names {entry}, which has no files; remove it"
    bad = [
        line
        for path in paths
        for line in forbidden(path, lambda each: iter(parts(each.read_text(encoding="utf-8")).texts))
    ]
    assert not bad, "\n  ".join(["reword these phrases (CONTRIBUTING.md, Language):", *bad])


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("a.py", '"""What the field says."""\n', [1]),
        ("a.py", "X = 1\n# the row\n# behind it\n", [3]),
        ("a.py", "def f() -> None:\n    '''Fine.\n\n    It stands here.\n    '''\n", [4]),
        ("a.py", 'MESSAGE = "the file says"\nstand = f"told"  # `told` is code\n', []),
        ("a.py", "def test_a_row_is_told() -> None: ...\n", [1]),
        ("a.md", "Fine.\n\n```\nit says\n```\nAt the\nleast `form` and form.\n", [7]),
        ("a.sql", "/*---\ndoc = 'it says'\nid = 'says'\n---*/\nSELECT 1 -- beside\n", [5, 2]),
        ("a.sql", "/*---\nnote = \"what stands here\"\n---*/\nSELECT 'is told' || told -- beside\n", [4, 2, 4]),
        ("a.jcl", "//* USER STANDS IN\n", [1]),
        ("Makefile", "# an HTML form\nx: ; echo told # dearer\n", [2]),
    ],
)
def test_phrases_are_detected_with_their_line(
    name: str, text: str, lines: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert [int(line.split(":")[1]) for line in forbidden(path)] == lines


def test_the_glossary_lists_the_phrases() -> None:
    table = QUOTES.search((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert table, "CONTRIBUTING.md: restore the table 'Phrases that must not come back'"
    matched = {str(match.lastgroup) for match in NUMBERED.finditer(table[0])}
    missing = [phrase for n, phrase in enumerate(PHRASES) if f"p{n}" not in matched]
    assert not missing, f"CONTRIBUTING.md: add these phrases to the table 'Phrases that must not come back': {missing}"


NAMES = frozenset("told said hop six looked spot spots Spot Answers answers answer gone held how wide".split())
"""Names that must not come back: each describes nothing that it holds."""

VAGUE = frozenset({"found", "one", "place", "places"})
CLEAN = ("bench/", "docs/", "fixtures/", "mqstat/", "parsers/", "rules/")
"""Folders in which no function, class, argument or variable has one of the vague names."""


def test_names_describe_what_they_hold() -> None:
    bad = []
    for path in tracked():
        name = path.relative_to(ROOT).as_posix()
        if path.suffix != ".py" or name.startswith(NOT_READ):
            continue
        refused = NAMES | VAGUE if name.startswith(CLEAN) else NAMES
        bad += [
            f"{name}:{line}: {each}"
            for line, each in parts(path.read_text(encoding="utf-8")).names
            if each.lstrip("_") in refused
        ]
    assert not bad, "\n  ".join(["name what these hold (CONTRIBUTING.md, Language):", *bad])


def test_names_are_read_with_their_line() -> None:
    text = "def told(place):\n    found = 1\n    for one in (): ...\n    return found\n"
    assert parts(text).names == [(1, "told"), (1, "place"), (2, "found"), (3, "one")]
