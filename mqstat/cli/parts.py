"""Commands that write a dataset in parts, for schedulers: parts plan, reserve, write, publish."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from mqstat.base.errors import UsageError
from mqstat.cli.commands import Command, group
from mqstat.cli.options import Data, FramingOption, OnlyOption, argument, framing_of, option, reading

Kind = TypeVar("Kind")

parts = group(
    "parts",
    "Write a dataset in parts: many jobs decode dumps at the same time, and each dump is added once.",
    add_completion=False,
)

PlanArgument = Annotated[Path, argument("PLAN", Path)]
IntoOption = Annotated[str, option("ingest --into DIR")]
WaitOption = Annotated[float, option("parts --wait SECONDS", float, least=0)]


def _read(path: Path, made: Callable[[str], Kind]) -> Kind:
    """What the JSON in a file is; UsageError with its name if it is something else."""
    try:
        return made(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read ({getattr(error, 'strerror', None) or 'not UTF-8'}).") from None
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


@parts.command("plan", cls=Command)
def plan(
    uri: Annotated[str, argument("parts plan DUMP")],
    range_bytes: Annotated[int | None, option("--range-bytes N", int)] = None,
    framing: FramingOption = None,
) -> int:
    """Print a plan as JSON: the dumps, and the parts in which they are written."""
    from mqstat.parts import plan as make_plan

    known = framing_of(framing)
    typer.echo(make_plan(uri, range_bytes, framing=known.value if known else None).to_json())
    return 0


@parts.command("reserve", cls=Command)
def reserve(plan: PlanArgument, into: IntoOption, wait: WaitOption = 600) -> int:
    """Reserve a number for each dump of a plan, and print them as JSON. The same plan gets the same numbers for seven days."""
    from mqstat.parts import Plan
    from mqstat.parts import reserve as reserve_numbers

    typer.echo(reserve_numbers(into, _read(plan, Plan.from_json), wait_seconds=wait).to_json())
    return 0


@parts.command("write", cls=Command)
@reading("dumps", "datasets", "site", "framing", "jobs")
def write(
    context: typer.Context,
    plan: PlanArgument,
    number: Annotated[int, argument("parts write NUMBER", int)],
    numbers: Annotated[Path, option("--reservation FILE", Path)],
    staging: Annotated[Path, option("--staging DIR", Path)],
    only: OnlyOption = [],
) -> int:
    """Decode one part of a plan into files of its own, and print what parts publish needs as JSON. A part may be written again, also at the same time."""
    from mqstat.parts import Plan, Reservation
    from mqstat.parts import write as write_part

    made, reservation = _read(plan, Plan.from_json), _read(numbers, Reservation.from_json)
    data: Data = context.obj
    typer.echo(write_part(made, number, reservation.of(made, number), staging, data.selection(only)).to_json())
    return 0


@parts.command("publish", cls=Command)
def publish(
    plan: PlanArgument,
    files: Annotated[list[Path], argument("parts publish PART...", Path)],
    into: IntoOption,
    wait: WaitOption = 600,
) -> int:
    """Add the dumps of a plan to a dataset, and print the results as JSON. A dump with a part missing is refused; a dump that is there already is not added again."""
    from mqstat.parts import Part, Plan
    from mqstat.parts import publish as publish_parts

    written = [_read(path, Part.from_json) for path in files]
    done = publish_parts(into, _read(plan, Plan.from_json), written, wait_seconds=wait)
    typer.echo(done.to_json())
    return done.return_code
