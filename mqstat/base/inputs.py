"""The commands that mqstat prints: each names the inputs of the run that printed it.

A page, a JSON or a Markdown file is read elsewhere: its commands have names without folders, and run next to the
inputs. On standard output and standard error `as_typed` gives the same commands with the inputs as they were given, so
that they run in the folder where they were printed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import PurePath

from mqstat.base.formatting import clean

UNKNOWN = "DUMP"
"""The input in the commands of a run that reads no dump by its name, such as one of the Python interface."""

PATHS = ("--from", "--site")
"""Options whose values are files or folders."""


@dataclass
class Inputs:
    """What a command reads, as it was given: dumps or a dataset, and the options that select and judge.

    `words`: the word that names each source, by its number. `typed`: each command that was made, with the inputs as
    given.
    """

    dumps: Sequence[str] = ()
    dataset: str | None = None
    options: Sequence[tuple[str, str]] = ()
    words: dict[int, str] = field(default_factory=dict)
    typed: dict[str, str] = field(default_factory=dict)
    is_typed: bool = False
    """Whether what is written now is read where it is written."""


in_use: ContextVar[Inputs] = ContextVar("in_use")
"""The inputs of the running command."""


@contextmanager
def naming(inputs: Inputs) -> Iterator[Inputs]:
    """Within it, commands name these inputs."""
    token = in_use.set(inputs)
    try:
        yield inputs
    finally:
        in_use.reset(token)


@contextmanager
def typing() -> Iterator[None]:
    """Within it, `as_typed` gives commands with the inputs as they were given."""
    inputs = in_use.get(None)
    if inputs is None:
        yield
        return
    before, inputs.is_typed = inputs.is_typed, True
    try:
        yield
    finally:
        inputs.is_typed = before


def command(before: Sequence[str], after: Sequence[str] = (), unknown: str = UNKNOWN, *, selects: bool = True) -> str:
    """The command `mqstat BEFORE INPUTS AFTER`, with the options that select and judge.

    Without those that it has itself, or does not take (`selects`). `unknown` = the input in a run without one.
    """
    inputs = in_use.get(None)
    if inputs is None or not (inputs.dumps or inputs.dataset):
        return _text([*before, _argument(unknown), *after])
    own = {word for word in (*before, *after) if word.startswith("--")}
    options = [pair for pair in inputs.options if selects and pair[0] not in own]
    pairs = [("--from", inputs.dataset)] if inputs.dataset else []
    typed = [*before, *map(_argument, inputs.dumps), *_flat(pairs), *after, *_flat(options)]
    pairs = [(option, name_of(value) if option in PATHS else value) for option, value in (*pairs, *options)]
    named = [*before, *(_argument(name_of(word)) for word in inputs.dumps), *_flat(pairs[: len(pairs) - len(options)])]
    return _made([*named, *after, *_flat(pairs[len(pairs) - len(options) :])], typed)


def report_command(name: str) -> str:
    """The command that prints one report."""
    return command(["report"], ["--report", name])


def completed(text: str) -> str:
    """A command of mqstat without inputs, as a rule has it, with them; any other text as it is."""
    if not text.startswith("mqstat "):
        return text
    _, verb, *after = shlex.split(text)
    return command([verb], after)


def source_command(before: Sequence[str], name: str | None, number: int | None, after: Sequence[str] = ()) -> str:
    """The command `mqstat BEFORE SOURCE AFTER` about one source, by its name and number.

    Where the dump of a dataset is now is not known.
    """
    inputs = in_use.get(None)
    shown = clean(name or "") or UNKNOWN
    word = None if inputs is None or number is None else inputs.words.get(number)
    return _made([*before, _argument(shown), *after], [*before, _argument(word), *after] if word else [])


def name_of(word: str) -> str:
    """A file, a folder or a member of an archive without the folders above; a URI as it is."""
    return word if "://" in word else PurePath(word).name or word


def as_typed(text: str) -> str:
    """A text with its commands as they run where they are printed, empty if it is one that cannot.

    In what is read elsewhere, the text as it is.
    """
    inputs = in_use.get(None)
    if inputs is None or not inputs.is_typed or "mqstat " not in text:
        return text
    if text in inputs.typed:
        return inputs.typed[text]
    longest = sorted(inputs.typed, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest)), lambda match: inputs.typed[match[0]], text) if longest else text


def about(verb: str, path: object) -> str:
    """A command about one file, folder or address, as it is: for messages."""
    return _text([*verb.split(), _argument(clean(str(path)))])


def wrapped_command(text: str, room: int) -> list[str]:
    """A command on lines of at most `room` columns where its words allow it; a shell reads them as one line."""
    lines: list[str] = []
    for word in re.findall(r"(?:'[^']*'|\S)+", text):
        if lines and len(lines[-1]) + len(word) + 3 <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [f"{line} \\" for line in lines[:-1]] + lines[-1:]


def _argument(word: str) -> str:
    return f"./{word}" if word.startswith("-") and word != "-" else word


def _flat(pairs: Sequence[tuple[str, str]]) -> list[str]:
    return [clean(word) for pair in pairs for word in pair]


def _made(named: Sequence[str], typed: Sequence[str]) -> str:
    made = _text(named)
    inputs = in_use.get(None)
    if inputs is not None:
        inputs.typed[made] = _text(typed) if typed else ""
    return made


def _text(words: Sequence[str]) -> str:
    return " ".join(["mqstat", *map(shlex.quote, map(clean, words))])
