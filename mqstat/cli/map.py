"""The command map: a graph of queues, applications and channels as text."""

from __future__ import annotations

from typing import Annotated

import typer

from mqstat.base.formats import MAP_FORMATS
from mqstat.cli.options import Data, OutputOption, checked_format, format_option, reads_data, remark
from mqstat.cli.output import writing


def _pattern(option: str, what: str) -> object:
    return typer.Option(
        option, metavar="PATTERN", help=f"Only {what} whose name matches (* and ?). Repeatable.", show_default=False
    )


@reads_data
def queue_map(
    data: Data,
    queue: Annotated[list[str], _pattern("--queue", "queues")] = [],  # noqa: B006 - typer reads the default and never changes it
    application: Annotated[list[str], _pattern("--application", "applications")] = [],  # noqa: B006 - as above
    channel: Annotated[list[str], _pattern("--channel", "channels")] = [],  # noqa: B006 - as above
    top: Annotated[
        int,
        typer.Option(
            "--top",
            metavar="N",
            min=1,
            max=1000,
            help="The N busiest pairs of application and queue; the others are summed.",
        ),
    ] = 40,
    format: Annotated[str, format_option(MAP_FORMATS)] = "mermaid",
    output: OutputOption = None,
) -> int:
    """Draw who puts to and gets from which queue, and through which channel, as Graphviz (dot) or Mermaid text."""
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
    return 0
