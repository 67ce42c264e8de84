"""The help of --format and --write lists exactly the formats that the command accepts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import typer

from mqstat.cli import run
from mqstat.cli.app import app
from mqstat.render.formats import endings, formats

ARGUMENTS = {
    "report": ["{}"],
    "map": ["{}"],
    "check": ["{}"],
    "compare": ["{}", "{}"],
    "sql": ["SELECT 1", "{}"],
    "ledger": ["{}"],
    "prove": ["BP002/MQ05", "{}"],
    "plan": ["restart_time", "{}"],
}
"""The commands with --format, with arguments that name a dump that does not exist."""

Captured = pytest.CaptureFixture[str]


def options_of(option: str) -> dict[str, str]:
    """The help text of an option by command."""
    group: Any = typer.main.get_command(app)
    return {
        name: parameter.help
        for name, command in group.commands.items()
        for parameter in command.params
        if option in parameter.opts
    }


def accepts(command: str, options: list[str], tmp_path: Path, capsys: Captured) -> bool:
    """Whether a command gets as far as its missing dump."""
    missing = str(tmp_path / "missing.smf")
    run([command, *(argument.format(missing) for argument in ARGUMENTS[command]), *options])
    message = capsys.readouterr().err
    assert message, "a missing dump is an error"
    return "missing.smf" in message


@pytest.mark.slow
@pytest.mark.parametrize("command", options_of("--format"))
def test_help_lists_the_accepted_formats(command: str, tmp_path: Path, capsys: Captured) -> None:
    listed = re.findall(r"\w+(?=, | or |\.)", options_of("--format")[command].partition(".")[0] + ".")
    output = str(tmp_path / "out")
    accepted = [
        name for name in (*formats(), "dot", "mermaid")
        if accepts(command, ["--format", name, *(["--output", output] if command not in ("sql", "ledger") else [])], tmp_path, capsys)
    ]  # fmt: skip
    assert sorted(listed) == sorted(accepted)


@pytest.mark.parametrize("command", options_of("--write"))
def test_help_lists_the_accepted_extensions(command: str, tmp_path: Path, capsys: Captured) -> None:
    listed = set(re.findall(r"\.\w+(?=[ )])", options_of("--write")[command]))
    accepted = {
        ending
        for ending in endings(formats())
        if accepts(command, ["--write", str(tmp_path / f"out{ending}")], tmp_path, capsys)
    }
    assert listed | {".htm"} == accepted
