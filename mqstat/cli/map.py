"""The command map: a graph of queues, applications and channels as text."""

from __future__ import annotations

from typing import Annotated

from mqstat.base.formats import MAP_FORMATS
from mqstat.cli.options import (
    Data,
    DateOption,
    FramingOption,
    FromOption,
    JobsOption,
    LparOption,
    OptionalDumps,
    OutputOption,
    QmgrOption,
    SinceOption,
    SiteOption,
    UntilOption,
    checked_format,
    format_option,
    option,
    remark,
)
from mqstat.cli.output import writing


def queue_map(
    dumps: OptionalDumps = [],
    datasets: FromOption = [],
    queue: Annotated[list[str], option("--queue PATTERN")] = [],
    application: Annotated[list[str], option("--application PATTERN")] = [],
    channel: Annotated[list[str], option("--channel PATTERN")] = [],
    top: Annotated[int, option("map --top N", int, least=1, most=1000)] = 40,
    format: Annotated[str, format_option(MAP_FORMATS)] = "mermaid",
    output: OutputOption = None,
    qmgr: QmgrOption = [],
    lpar: LparOption = [],
    since: SinceOption = None,
    until: UntilOption = None,
    date: DateOption = None,
    site: SiteOption = None,
    framing: FramingOption = None,
    jobs: JobsOption = None,
) -> int:
    """Draw who puts to and gets from which queue, and through which channel, as Graphviz (dot) or Mermaid text."""
    data = Data(dumps, datasets, qmgr, lpar, since, until, date, site, framing, jobs)
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
