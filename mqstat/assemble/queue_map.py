"""The map of queues, applications and channels: which applications put to and get from which queues, limited to the
busiest part.

DuckDB selects and sums; the size of the result depends on the number of pairs that are shown, not on the number of
queues.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mqstat.base.formatting import plural
from mqstat.sql.workspace import Workspace

QUEUE, APPLICATION, CHANNEL, OTHERS = "queue", "application", "channel", "others"
PUT, GET, BROWSE = "put", "get", "browse"

MOST_PAIRS = 40
"""Pairs of application and queue that are shown; the others are summed."""

QUERY = """
SELECT
  lpar, qmgr,
  -- A shared queue is one queue for all members of its group.
  CASE WHEN queue_class = 'shared' AND qsg IS NOT NULL THEN qsg ELSE qmgr END                  AS owner,
  CASE WHEN queue_class = 'shared' AND qsg IS NOT NULL THEN NULL ELSE lpar END                 AS owner_lpar,
  coalesce(base_name, '?')    AS base_name,
  coalesce(application, '?')  AS application,
  channel_name, partner_name, queue_class, is_transmission, sending_channels, opened_as, connection_type_name,
  coalesce(valid_puts, 0)              AS puts,
  coalesce(valid_destructive_gets, 0)  AS gets,
  coalesce(browses, 0)                 AS browses
FROM queue_map
"""

_MATCHES = """
(len($queues) = 0 OR len(list_filter($queues, lambda p: base_name GLOB replace(p, '[', '[[]'))) > 0)
AND (len($applications) = 0 OR len(list_filter($applications, lambda p: application GLOB replace(p, '[', '[[]'))) > 0)
AND (len($channels) = 0 OR len(list_filter($channels, lambda p: coalesce(channel_name, '') GLOB replace(p, '[', '[[]'))) > 0)
"""
_ORDER = "puts + gets DESC, browses DESC, owner, base_name, lpar, qmgr, application, connection_type_name"


@dataclass(frozen=True)
class Node:
    """A queue, an application, a channel, or the total of those not shown; `owner` is its queue manager, or the group
    of a shared queue.
    """

    kind: str
    name: str
    owner: str
    detail: str = ""


@dataclass(frozen=True)
class Edge:
    """Messages from one node to another: put to a queue, got or browsed from it. start, end: numbers of nodes;
    `opened_as` = names of remote queues and aliases that were opened.
    """

    start: int
    end: int
    verb: str
    messages: int
    opened_as: str = ""


@dataclass(frozen=True)
class QueueMap:
    """The busiest pairs of application and queue as nodes and edges; `pairs` of `all_pairs` are shown, the others are
    summed in nodes of kind OTHERS.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    pairs: int
    all_pairs: int


def queue_map(
    db: Workspace,
    queues: Sequence[str] = (),
    applications: Sequence[str] = (),
    channels: Sequence[str] = (),
    most: int = MOST_PAIRS,
) -> QueueMap:
    """The map of a database: its `most` busiest pairs of application and queue, and sums of all others, so that the
    messages add up.

    queues, applications, channels: patterns of names (* and ?), of which one must match; none = all.
    """
    db.keep([QUERY])
    patterns = {"queues": list(queues), "applications": list(applications), "channels": list(channels)}
    db.execute(f"CREATE OR REPLACE TEMP TABLE map_pair AS SELECT * FROM ({QUERY}) WHERE {_MATCHES}", patterns)  # noqa: S608 - no text of a user
    try:
        shown = db.rows(f"SELECT * FROM map_pair ORDER BY {_ORDER} LIMIT {int(most)}")  # noqa: S608 - no text of a user
        by_queue = db.rows(
            f"""
            WITH shown AS (SELECT DISTINCT owner, owner_lpar, base_name FROM (SELECT * FROM map_pair ORDER BY {_ORDER} LIMIT {int(most)}))
            SELECT s.owner, s.owner_lpar, s.base_name, count(*) AS pairs, sum(p.puts)::BIGINT AS puts, sum(p.gets)::BIGINT AS gets,
              sum(p.browses)::BIGINT AS browses
            FROM map_pair AS p
            LEFT JOIN shown AS s ON s.owner = p.owner AND s.owner_lpar IS NOT DISTINCT FROM p.owner_lpar AND s.base_name = p.base_name
            GROUP BY s.owner, s.owner_lpar, s.base_name
            """  # noqa: S608 - as above
        )
    finally:
        db.execute("DROP TABLE temp.map_pair")
    return _graph(shown, by_queue)


class _Builder:
    """Nodes by their key, and the edges between them."""

    def __init__(self) -> None:
        self.nodes: dict[tuple[Any, ...], tuple[int, Node]] = {}
        self.edges: list[Edge] = []

    def node(self, key: tuple[Any, ...], node: Node) -> int:
        """The number of a node; a new node is added."""
        return self.nodes.setdefault(key, (len(self.nodes), node))[0]

    def add(self, application: int, queue: int, figures: Mapping[str, Any]) -> None:
        """The edges of a pair: one for each verb that was used; a pair that only opened the queue gets a browse of 0
        messages.
        """
        verbs = [(PUT, figures["puts"]), (GET, figures["gets"]), (BROWSE, figures["browses"])]
        used = [(verb, count) for verb, count in verbs if count > 0 and (verb != BROWSE or not figures["gets"])]
        for verb, count in used or [(BROWSE, 0)]:
            start, end = (application, queue) if verb == PUT else (queue, application)
            self.edges.append(Edge(start, end, verb, count, figures.get("opened_as") or ""))


def _queue_key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (QUEUE, row["owner"], row["owner_lpar"], row["base_name"])


def _graph(shown: list[dict[str, Any]], by_queue: Iterable[dict[str, Any]]) -> QueueMap:
    made = _Builder()
    sums: dict[tuple[Any, ...], dict[str, int]] = {}
    for row in shown:
        queue = made.node(_queue_key(row), Node(QUEUE, row["base_name"], row["owner"], _detail(row)))
        kind = APPLICATION if row["channel_name"] is None else CHANNEL
        partner = f"partner {row['partner_name']}" if row["partner_name"] else ""
        key = (kind, row["lpar"], row["qmgr"], row["application"])
        application = made.node(key, Node(kind, row["application"], row["qmgr"], partner))
        made.add(application, queue, row)
        seen = sums.setdefault(_queue_key(row), {"pairs": 0, "puts": 0, "gets": 0, "browses": 0})
        for name in seen:
            seen[name] += 1 if name == "pairs" else row[name]
    everything = 0
    for total in sorted(by_queue, key=lambda row: str(_queue_key(row))):
        everything += total["pairs"]
        seen = sums.get(_queue_key(total), {})
        left = {name: total[name] - seen.get(name, 0) for name in ("pairs", "puts", "gets", "browses")}
        if not left["pairs"]:
            continue
        others = made.node((OTHERS, APPLICATION), Node(OTHERS, "other applications", ""))
        if total["base_name"] is None:
            queue = made.node((OTHERS, QUEUE), Node(OTHERS, "other queues", "", plural(left["pairs"], "pair")))
        else:
            queue = made.nodes[_queue_key(total)][0]
        made.add(others, queue, left)
    nodes = tuple(node for _, node in made.nodes.values())
    return QueueMap(nodes, tuple(made.edges), len(shown), everything)


def _detail(row: Mapping[str, Any]) -> str:
    """The kind of a queue, empty for an ordinary one."""
    if row["is_transmission"]:
        return "transmission queue" + (f" of {row['sending_channels']}" if row["sending_channels"] else "")
    return {"shared": "shared queue", "temporary": "temporary queues", "topic": "topic"}.get(row["queue_class"], "")
