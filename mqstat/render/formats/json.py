"""JSON for programs: everything, with all rows; `--schema` prints its JSON Schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from mqstat.render.format import Format, Options

if TYPE_CHECKING:
    from mqstat.assemble.model import Report


def render(report: Report, stream: TextIO, options: Options) -> None:
    """The report as one JSON object."""
    from mqstat.render.json_writing import write_json

    write_json(report, stream)


FORMAT = Format(render, endings=(".json",), needs=frozenset({"checksums"}))
