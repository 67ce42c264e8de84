"""Usage lines, -h, unknown commands and names for shell completion."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from mqstat.base.errors import UsageError
from mqstat.base.nearest import nearest, nearest_or_known
from mqstat.cli.options import READING, Data, data_parameters

OUTPUTS = ("output", "write", "into")
"""Parameters of the commands that name files or folders to write."""

_STEPS = Path("publish", "_delta_log")
"""In a dataset: the commits of the table of its steps (`mqstat.dataset.steps`)."""


def group(name: str, text: str, **more: Any) -> typer.Typer:
    """A group of commands, without a command yet."""
    return typer.Typer(
        name=name,
        help=text,
        no_args_is_help=True,
        cls=Group,
        context_settings={"help_option_names": ["-h", "--help"]},
        rich_markup_mode=None,
        **more,
    )


class Command(TyperCommand):
    """A command whose usage line shows arguments as they are typed: `DUMP...`, `[AREA]`.

    One whose function is marked by `reading` also has the parameters of `Data`, and its context has them as `obj`.
    """

    def __init__(self, *args: Any, params: list[Any], callback: Any, **more: Any) -> None:
        without = vars(callback).get(READING)
        shared = {} if without is None else data_parameters()
        self.shared = [shared[name] for name in shared if name not in (without or ())]
        super().__init__(*args, params=[*params, *self.shared], callback=callback, **more)

    def invoke(self, ctx: Any) -> Any:
        """Run the command, unless it would overwrite what it reads."""
        refuse_to_overwrite_inputs(ctx.params)
        if self.shared:
            ctx.obj = Data(**{parameter.name: ctx.params.pop(parameter.name) for parameter in self.shared})
        return super().invoke(ctx)

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, with that of --help."""
        return _with_plain_values(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """[OPTIONS] and the arguments."""
        arguments = [parameter for parameter in self.get_params(ctx) if isinstance(parameter, TyperArgument)]
        names = [(parameter.metavar or "", parameter.required) for parameter in arguments]
        return ["[OPTIONS]", *(name if required or name[0] == "[" else f"[{name}]" for name, required in names)]


def refuse_to_overwrite_inputs(given: Mapping[str, Any]) -> None:
    """UsageError if a file to write (`--output`, `--write`, `--into`) is one that the command reads, or is part of a
    dataset that it reads.
    """
    inputs = [path for name in given if name not in OUTPUTS for path in _paths(given[name])]
    for option in OUTPUTS:
        for target in _paths(given.get(option)):
            if not target.is_file():
                continue
            for path in inputs:
                if path.is_file() and target.samefile(path):
                    raise UsageError(f"{target} is an input of this command; specify another file with --{option}.")
                above = target.resolve().parents
                dataset = next((folder for folder in above if (folder / _STEPS).is_dir()), None)
                if dataset is not None and path.resolve() in (dataset, dataset.parent):
                    raise UsageError(
                        f"{target} is part of the dataset {dataset if path.resolve() != dataset else path}; specify another file with --{option}."
                    )


def _paths(value: Any) -> list[Path]:
    """The existing files and folders that the value of an argument or option names."""
    values = value if isinstance(value, list | tuple) else [value]
    paths = [Path(each) for each in values if isinstance(each, str | Path)]
    return [path for path in paths if _exists(path)]


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a text that is no path: too long, or with X'00'
        return False


def _with_plain_values(parameters: list[Any]) -> list[Any]:
    """Convert values without typer, whose conversion imports pydantic in a tenth of a second; arguments show no type of
    Python.
    """
    for parameter in parameters:
        if isinstance(parameter, TyperArgument):
            vars(parameter)["display_type_rich"] = lambda ctx: None
        if hasattr(parameter, "type_descriptor"):  # typer 0.28 converts without pydantic
            vars(parameter)["process_value"] = partial(_value, parameter)
    return parameters


def _value(parameter: Any, ctx: Any, value: Any) -> Any:
    """A value as the parser of the parameter makes it, or the text."""
    parser = parameter.type_descriptor.parameter_info.parser
    many = parameter.multiple or parameter.nargs == -1
    if value is None or value in ((), []):
        if parameter.required:
            return type(parameter).process_value(parameter, ctx, value)  # typer refuses it
        value = () if many else value
    elif parser is not None:
        value = [parser(text) for text in value] if many else parser(value)
    elif not isinstance(value, str | bool) and parameter.type_descriptor.annotation != list[str]:
        return type(parameter).process_value(parameter, ctx, value)
    return value if parameter.callback is None else parameter.callback(ctx, parameter, value)


def command_words(ctx: Any) -> str:
    """The words of a command after `mqstat`: `export series`."""
    return str(ctx.command_path).partition(" ")[2]


START = (
    ("mqstat demo", "Build a sample dump, print its report and write its page: nothing else is needed."),
    ("mqstat DUMP", "Print the health report of a dump: what is wrong, where, and what to do."),
    ("mqstat doctor DUMP", "Find out why a dump cannot be read."),
)
EXAMPLES = (
    ("mqstat report DUMP --write mq.html", "Write the report as a page, too."),
    ("mqstat explain BP002", "Explain a rule: what it checks, its limit, its source."),
    ("mqstat daily mq.toml --init", "Prepare a report of every night."),
)
"""Commands at the beginning of `mqstat help`; DUMP is a file or folder."""


class Group(TyperGroup):
    """A group that lists its commands by purpose, and rejects an unknown one with the same wording as every other
    error.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, with that of --help."""
        return _with_plain_values(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command named by the first argument, `report` if it is an input; UsageError for any other word."""
        if args and (args[0] == "-" or not args[0].startswith("-")) and self.get_command(ctx, args[0]) is None:
            from mqstat.sources.source import is_input

            if ctx.parent is None and is_input(args[0]):
                return super().resolve_command(ctx, ["report", *args])
            near = nearest_or_known(args[0], self.list_commands(ctx), f"{ctx.command_path} --help lists them")
            if ctx.parent is None and re.search(r"[./\\]", args[0]) and args[0] not in INSTEAD:
                raise UsageError(f"{args[0]} does not exist, and is no command; {ctx.command_path} --help lists them.")
            raise UsageError(f"There is no command {args[0]}{INSTEAD.get(args[0], near)}.")
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """What to start with, the commands by purpose with their first sentences, and the options."""
        sections: dict[str, list[tuple[str, str]]] = {}
        if ctx.parent is None:
            sections = {"Start here": list(START), "Examples": list(EXAMPLES)}
        commands: Any = self.commands
        for name, command in commands.items():
            rows = sections.setdefault(command.rich_help_panel or "Commands", [])
            rows.append((name, _first_sentence(command.help or "")))
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)
        super().format_options(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Nothing: `format_options` has them."""


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=\.) (?=[A-Z])|\n\n", " ".join(text.partition("\n\n")[0].split()))[0]


INSTEAD = {"version": "; did you mean --version", "describe": "; did you mean explain"}
"""What to use instead of a command that other programs have."""


def unknown_option(name: str, context: Any) -> str:
    """The message about an option that a command does not have: the format of this name, the nearest option, or where
    all are listed.
    """
    from mqstat.render.formats import formats

    path, word = context.command_path, name.lstrip("-")
    known = [flag for parameter in context.command.params for flag in parameter.opts if flag.startswith("-")]
    having = [
        key
        for key, inner in getattr(context.command, "commands", {}).items()
        if any(name in parameter.opts for parameter in inner.params)
    ]
    word = next(iter(nearest(word, [*known, *formats()], most=1)), word)
    written = formats().get(word)
    if having:
        return f"There is no option {name} before the command; write it after it: mqstat {having[0]} {name} ..."
    if written is not None:
        command = path.split()[-1] if path.split()[-1] in written.commands else "report"
        output = " --output FILE" if "page" in written.needs or not written.is_stream else ""
        return f"There is no option {name}; write --format {word}: mqstat {command} DUMP --format {word}{output}"
    near = nearest_or_known(name, known, f"{path} --help lists them")
    return f"There is no option {name}{near}" + (f"; run: {path} --help" if "did you" in near else ".")


# --- names for completion


def report_names() -> list[str]:
    """Ids of all reports."""
    from mqstat.sql import sqlfile

    return list(sqlfile.reports())


def areas() -> list[str]:
    """Areas that have reports."""
    from mqstat.assemble.catalogue import areas_of_reports

    return areas_of_reports()


def dd_names() -> list[str]:
    """DD names of MP1B, with the report of each."""
    from mqstat.sql import sqlfile

    return sorted({dd for unit in sqlfile.reports().values() for dd in unit.header.get("dd", ())})


def plan_names() -> list[str]:
    """Names of all plans."""
    from mqstat.assemble.plan.model import names

    return names()


def rule_ids() -> list[str]:
    """Ids of all rules."""
    from mqstat.sql import sqlfile

    return list(sqlfile.rules())


def table_names() -> list[str]:
    """Views and decoded tables."""
    from mqstat.parsers.tables import tables
    from mqstat.sql import sqlfile

    return sorted({*sqlfile.views(), *tables()})


def explained() -> list[str]:
    """Everything that `explain` accepts, except columns."""
    from mqstat.assemble.plan.model import names
    from mqstat.judge.messages import messages

    return [*rule_ids(), *report_names(), *table_names(), *names(), *messages()]


def structures() -> list[str]:
    """Structures of the records."""
    from mqstat.parsers import LAYOUTS

    return [*LAYOUTS, "record"]
