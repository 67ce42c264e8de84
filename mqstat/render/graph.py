"""The map of queues, applications and channels as Graphviz and Mermaid text.

Names come from dumps: they are escaped for each format so that no name can end its text, start a directive or become a
link.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby

from mqstat.assemble.queue_map import APPLICATION, BROWSE, CHANNEL, OTHERS, QUEUE, Edge, Node, QueueMap
from mqstat.base.formatting import on_one_line, plural

_DOT_SHAPES: Mapping[str, str] = {QUEUE: "cylinder", APPLICATION: "box", CHANNEL: "cds", OTHERS: "note"}
_MERMAID_SHAPES: Mapping[str, tuple[str, str]] = {
    QUEUE: ("[(", ")]"), APPLICATION: ("[", "]"), CHANNEL: ("{{", "}}"), OTHERS: ("([", "])"),
}  # fmt: skip


def edge_text(edge: Edge) -> str:
    """The messages of an edge, and the names that were opened if the queue has another one."""
    opened_as = f" as {edge.opened_as}" if edge.opened_as else ""
    if not edge.messages:
        return f"opens only{opened_as}"
    return f"{plural(edge.messages, edge.verb)}{opened_as}"


def note(graph: QueueMap) -> str:
    """A note about the part of the map that is shown."""
    if graph.pairs == graph.all_pairs:
        return f"{plural(graph.pairs, 'pair')} of application and queue"
    return f"the {graph.pairs:,} busiest of {graph.all_pairs:,} pairs of application and queue"


def _by_owner(graph: QueueMap) -> Iterable[tuple[str, list[tuple[int, Node]]]]:
    numbered = sorted(enumerate(graph.nodes), key=lambda item: (item[1].owner, item[0]))
    return ((owner, list(nodes)) for owner, nodes in groupby(numbered, key=lambda item: item[1].owner))


def dot(graph: QueueMap) -> str:
    """Graphviz text: nodes of a queue manager or queue-sharing group in a cluster, thin dashed lines for browses."""

    def quoted(*lines: str) -> str:
        texts = (on_one_line(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines if line)
        return '"' + "\\n".join(texts) + '"'

    out = [f"// {note(graph)}", "digraph map {", "  rankdir=LR;", '  node [fontname="sans-serif"];']
    for number, (owner, nodes) in enumerate(_by_owner(graph)):
        if owner:
            out += [f"  subgraph cluster_{number} {{", f"    label={quoted(owner)};"]
        for index, node in nodes:
            out.append(f"    n{index} [shape={_DOT_SHAPES[node.kind]}, label={quoted(node.name, node.detail)}];")
        if owner:
            out.append("  }")
    for edge in graph.edges:
        style = ", style=dashed" if edge.verb == BROWSE else ""
        out.append(f"  n{edge.start} -> n{edge.end} [label={quoted(edge_text(edge))}{style}];")
    return "\n".join([*out, "}", ""])


def mermaid(graph: QueueMap) -> str:
    """Mermaid text: a flowchart with the queue managers as subgraphs, dotted lines for browses."""

    def quoted(*lines: str) -> str:
        return '"' + "<br/>".join(_numbered(on_one_line(line)) for line in lines if line) + '"'

    out = [f"%% {note(graph)}", "flowchart LR"]
    for number, (owner, nodes) in enumerate(_by_owner(graph)):
        if owner:
            out.append(f"  subgraph g{number} [{quoted(owner)}]")
        for index, node in nodes:
            before, after = _MERMAID_SHAPES[node.kind]
            out.append(f"    n{index}{before}{quoted(node.name, node.detail)}{after}")
        if owner:
            out.append("  end")
    for edge in graph.edges:
        line = "-.->" if edge.verb == BROWSE else "-->"
        out.append(f"  n{edge.start} {line}|{quoted(edge_text(edge))}| n{edge.end}")
    return "\n".join([*out, ""])


def _numbered(text: str) -> str:
    """Text for Mermaid: any character except letters, digits, blanks and the punctuation of MQ names is written as a
    character number.
    """
    return "".join(
        character if character.isalnum() or character in " .,-_/" else f"#{ord(character)};" for character in text
    )


WRITERS: Mapping[str, Callable[[QueueMap], str]] = {"dot": dot, "mermaid": mermaid}
"""Writers by the name of their format."""
