"""The command map: a graph of queues, applications and channels as text."""

from __future__ import annotations

from typing import Annotated

import typer

from mqstat.base.formats import MAP_FORMATS
from mqstat.cli.options import Data, OutputOption, checked_format, format_option, option, reading, remark
from mqstat.cli.output import writing


@reading()
def queue_map(
    context: typer.Context,
    queue: Annotated[list[str], option("--queue PATTERN")] = [],
    application: Annotated[list[str], option("--application PATTERN")] = [],
    channel: Annotated[list[str], option("--channel PATTERN")] = [],
    top: Annotated[int, option("map --top N", int, least=1, most=1000)] = 40,
    format: Annotated[str, format_option(MAP_FORMATS)] = "mermaid",
    output: OutputOption = None,
) -> int:
    """Draw who puts to and gets from which queue, and through which channel, as Graphviz (dot) or Mermaid text."""
    data: Data = context.obj
    checked_format(format, output, MAP_FORMATS)
    from mqstat.assemble import queue_map as maps
    from mqstat.render import graph
    from mqstat.sql.needs import decoded_columns

    with data.open(columns=lambda: decoded_columns([maps.QUERY])) as database:
        drawn = maps.queue_map(database, queue, application, channel, top)
        if not drawn.pairs:
            named = queue or application or channel
            remark(
                "No queue matches."
                if named
                else "The selection has no queue accounting (116.1), which the map is drawn from."
            )
        text = graph.WRITERS[format](drawn)
        with writing(output, is_utf8=True) as stream:
            stream.write(text)
    return data.return_code()
