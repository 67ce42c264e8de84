"""Rooms of the source tree, and the imports between them.

A room is a folder or a module directly below `mqstat`; `parsers`, `reports`, `rules` and `fixtures` are rooms of
`mqstat` too. An arrow is an import from one room into another, at the top of a module, inside a function or for type
checkers only.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.costs import cache

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ("mqstat", "parsers", "reports", "rules", "fixtures")

LAYERS: tuple[tuple[str, ...], ...] = (
    ("reports", "rules"),
    ("base",),
    ("parsers",),
    ("sources", "dataset", "sql"),
    ("intake", "judge"),
    ("assemble",),
    ("render", "export", "share"),
    ("api",),
    ("spark",),
    ("daily",),
    ("cli",),
    ("__main__",),
)
"""Rooms from below: a room imports from lower layers only, never from its own (docs/adr/0012)."""

OUTSIDE: Mapping[str, frozenset[str]] = {
    "": frozenset({"api", "base"}),
    "fixtures": frozenset({"parsers", "base"}),
}
"""Rooms without a layer, which no other room imports except by a door, and what they may import: the package `mqstat`
itself, and the fixtures."""

DOORS = frozenset({("cli", "fixtures")})
"""Imports of rooms without a layer that are permitted: `mqstat demo` builds the sample."""


@dataclass(frozen=True)
class Import:
    """An import of one of our modules: where it is, and what it names."""

    module: str
    line: int
    target: str
    names: tuple[str, ...]


@cache
def sources(root: Path = ROOT) -> Mapping[str, ast.Module]:
    """Every shipped Python file: module name -> syntax tree."""
    trees = {}
    for folder in SHIPPED:
        for path in sorted((root / folder).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts if folder == "mqstat" else ("mqstat", *parts)).removesuffix(".__init__")
            trees[name] = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return trees


def room(module: str) -> str:
    """The room of a module: its first name below mqstat, empty for mqstat itself."""
    return ".".join(module.split(".")[1:2])


@cache
def imports(root: Path = ROOT) -> tuple[Import, ...]:
    """All imports of our own modules by our own modules."""
    return tuple(found for module, tree in sources(root).items() for found in _imports_of(module, tree, sources(root)))


def _imports_of(module: str, tree: ast.Module, known: Mapping[str, ast.Module]) -> Iterator[Import]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in known:
                    yield Import(module, node.lineno, alias.name, ())
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            by_target: dict[str, list[str]] = defaultdict(list)
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if whole in known:
                    by_target[whole] = by_target[whole]
                elif node.module in known:
                    by_target[node.module].append(alias.name)
            for target, names in by_target.items():
                yield Import(module, node.lineno, target, tuple(names))


def room_arrows(root: Path = ROOT) -> dict[str, set[str]]:
    """For each room the other rooms that it imports from."""
    arrows: dict[str, set[str]] = {room(module): set() for module in sources(root)}
    for found in imports(root):
        if room(found.module) != room(found.target):
            arrows[room(found.module)].add(room(found.target))
    return arrows


def module_arrows(root: Path = ROOT) -> dict[str, set[str]]:
    """For each module the other modules that it imports, inside functions and for type checkers only too."""
    arrows: dict[str, set[str]] = {module: set() for module in sources(root)}
    for found in imports(root):
        if found.module != found.target:
            arrows[found.module].add(found.target)
    return arrows


def circles(arrows: Mapping[str, set[str]]) -> list[list[str]]:
    """Groups of names that reach each other along arrows (strongly connected components of more than one name, by
    Tarjan).
    """
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = lowest[name] = len(number)
        stack.append(name)
        for other in sorted(arrows.get(name, ())):
            if other not in number:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], number[other])
        if lowest[name] == number[name]:
            group = [stack.pop()]
            while group[-1] != name:
                group.append(stack.pop())
            if len(group) > 1:
                groups.append(sorted(group))

    for name in sorted(arrows):
        if name not in number:
            visit(name)
    return groups
