"""The map of queues, applications and channels: what is shown and summed, filters, and names in each format."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from mqstat.assemble.queue_map import APPLICATION, CHANNEL, OTHERS, QUERY, QUEUE, QueueMap, queue_map
from mqstat.fixtures import accounting, hostile
from mqstat.fixtures.accounting import Task
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.render import graph
from mqstat.render.html.map import BOLD, NODE_PX, map_svg
from mqstat.render.html.svg import text_width
from mqstat.sql.workspace import Workspace
from tests.support import START, built_records, file_of, invoke, reading

TASKS = (
    Task("CICS", "CICSPRD1", "USER1", "OR01"),
    Task("RRS", "NIGHTJOB", "BATCH1", ""),
    Task("CHIN", "MQ01CHIN", "CLNT01", "", "APP1.SVRCONN", "10.20.0.40"),
)
QUEUES = [f"APP.QUEUE.{number}" for number in range(6)]


def records() -> list[bytes]:
    """Three applications, one of them a channel, that use six queues; and one shared queue of two members."""
    out: list[bytes] = []
    for owner in (
        QueueManager("MQ01", "SYS1", qsg="QSG1", structures=("APP1",)),
        QueueManager("MQ02", "SYS1", qsg="QSG1", structures=("APP1",)),
    ):
        for number, task in enumerate(TASKS):
            end = START + dt.timedelta(minutes=5 + number)
            out += accounting.class3(
                owner, task, end - dt.timedelta(minutes=1), end, QUEUES[number : number + 4], number=number
            )
    return out


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A database over `records`."""
    with reading(file_of(smf_file(records()), tmp_path_factory.mktemp("map"))) as db:
        yield db


@pytest.fixture(scope="module")
def spoilt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A database over records with hostile names."""
    with reading(file_of(smf_file(hostile.spoilt(built_records())), tmp_path_factory.mktemp("spoilt"))) as db:
        yield db


def messages(drawn: QueueMap) -> int:
    """All messages on the edges."""
    return sum(edge.messages for edge in drawn.edges if edge.verb != "browse")


def test_what_is_not_shown_is_summed(database: Workspace) -> None:
    everything = queue_map(database)
    assert (everything.pairs, everything.all_pairs) == (24, 24)
    assert {node.kind for node in everything.nodes} == {QUEUE, APPLICATION, CHANNEL}
    total = database.execute(f"SELECT sum(puts + gets) FROM ({QUERY})").fetchall()[0][0]
    assert messages(everything) == total > 0
    for most in (1, 5, 23):
        part = queue_map(database, most=most)
        assert (part.pairs, part.all_pairs) == (most, 24)
        assert messages(part) == total
        assert len(part.edges) <= 6 * most + 3
        assert any(node.kind == OTHERS for node in part.nodes)


def test_edges_lead_from_who_puts_to_who_gets(database: Workspace) -> None:
    drawn = queue_map(database)
    for edge in drawn.edges:
        queue = drawn.nodes[edge.end if edge.verb == "put" else edge.start]
        assert queue.kind == QUEUE, edge


@pytest.mark.parametrize(
    ("filters", "queues", "applications"),
    [
        ({"queues": ["APP.QUEUE.0"]}, {"APP.QUEUE.0"}, {"CICSPRD1/OR01"}),
        ({"queues": ["*.0", "*.5"]}, {"APP.QUEUE.0", "APP.QUEUE.5"}, {"CICSPRD1/OR01", "APP1.SVRCONN from 10.20.0.40"}),
        ({"applications": ["NIGHT*"], "queues": ["*.?"]}, set(QUEUES[1:5]), {"NIGHTJOB"}),
        ({"channels": ["APP?.SVRCONN"]}, set(QUEUES[2:6]), {"APP1.SVRCONN from 10.20.0.40"}),
        ({"queues": ["app.*"]}, set(), set()),
        ({"queues": ["'; DROP TABLE x --"]}, set(), set()),
    ],
)
def test_filters(database: Workspace, filters: dict[str, Any], queues: set[str], applications: set[str]) -> None:
    drawn = queue_map(database, **filters)
    assert {node.name for node in drawn.nodes if node.kind == QUEUE} == queues
    assert {node.name for node in drawn.nodes if node.kind in (APPLICATION, CHANNEL)} == applications


DOT_LINE = re.compile(
    r'// [\w ,]+|digraph map \{|  rankdir=LR;|  node \[fontname="sans-serif"\];|  subgraph cluster_\d+ \{|    label="(?:[^"\\]|\\.)*";|  \}|\}'
    r'|    n\d+ \[shape=\w+, label="(?:[^"\\]|\\.)*"\];|  n\d+ -> n\d+ \[label="[\w ,]+"(?:, style=dashed)?\];'
)
MERMAID_TEXT = r'"(?:[^"#<>&`%{}\[\]\\\'()]|#\d+;|<br/>)*"'
MERMAID_LINE = re.compile(
    rf"%% [\w ,]+|flowchart LR|  subgraph g\d+ \[{MERMAID_TEXT}\]|  end|    n\d+(?:\[\({MERMAID_TEXT}\)\]|\[{MERMAID_TEXT}\]|\{{\{{{MERMAID_TEXT}\}}\}}|\(\[{MERMAID_TEXT}\]\))"
    rf"|  n\d+ (?:-->|-\.->)\|{MERMAID_TEXT}\| n\d+"
)


@pytest.mark.parametrize(("name", "line"), [("dot", DOT_LINE), ("mermaid", MERMAID_LINE)])
@pytest.mark.parametrize("most", [3, 40])
def test_hostile_names_stay_in_their_texts(name: str, line: re.Pattern[str], most: int, spoilt: Workspace) -> None:
    text = graph.WRITERS[name](queue_map(spoilt, most=most))
    assert text.count("\n") > 5
    for each in text.splitlines():
        assert line.fullmatch(each), each


def test_the_drawing_of_a_page(database: Workspace, spoilt: Workspace) -> None:
    """Each application is on the side of what it does; the size is bounded by the pairs that are shown; hostile names
    are text.
    """
    drawn = queue_map(database, most=6)
    tree = ElementTree.fromstring(map_svg(drawn))  # noqa: S314 - our own drawing
    texts = [element.text or "" for element in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("other queues") == 1
    for node in drawn.nodes:
        assert any(text.startswith(node.name[:20]) for text in texts), node
    assert len(texts) <= 3 + 2 * 3 * (6 + 1)
    lines = [element for element in tree.iter("{http://www.w3.org/2000/svg}path") if element.get("stroke-width")]
    assert len(lines) == len(drawn.edges)
    for element in ElementTree.fromstring(map_svg(queue_map(spoilt))).iter("{http://www.w3.org/2000/svg}text"):  # noqa: S314 - as above
        if element.get("font-weight") == "bold":  # bold letters are wider
            assert text_width(element.text or "") <= (NODE_PX - 10) / BOLD
    assert map_svg(QueueMap((), (), 0, 0)) == ""
    assert ElementTree.fromstring(map_svg(queue_map(spoilt))).tag.endswith("svg")  # noqa: S314 - as above


def test_dot_and_mermaid_of_one_pair(database: Workspace) -> None:
    drawn = queue_map(database, queues=["APP.QUEUE.0"], most=1)
    assert drawn.all_pairs == 2
    dot, mermaid = graph.dot(drawn), graph.mermaid(drawn)
    assert 'label="APP.QUEUE.0"];' in dot
    assert "-> n" in dot
    assert '[("APP.QUEUE.0")]' in mermaid
    assert "the 1 busiest of 2 pairs" in mermaid


def test_the_command(tmp_path: Path) -> None:
    dump = file_of(smf_file(records()), tmp_path)
    assert invoke("map", dump).stdout.startswith("%% 24 pairs of application and queue\nflowchart LR\n")
    assert invoke("map", dump, "--format", "dot", "--output", tmp_path / "map.dot").returncode == 0
    assert (tmp_path / "map.dot").read_text("utf-8").startswith("// 24 pairs")
    nothing = invoke("map", dump, "--queue", "NO.SUCH")
    assert (nothing.returncode, nothing.stderr) == (0, "mqstat: No queue matches.\n")
    refused = invoke("map", dump, "--format", "svg")
    assert (refused.returncode, refused.stderr) == (16, "mqstat: --format svg: choose dot or mermaid.\n")


def test_a_remote_queue_is_named_as_it_was_opened(tmp_path: Path) -> None:
    story = SCENARIOS["transmission_queues"]
    with reading(file_of(story.build(), tmp_path)) as db:
        text = graph.dot(queue_map(db, queues=["PAY.QUEUE"]))
    assert "transmission queue of MQ01.TO.PAY01" in text
    assert "32,000 puts as PAYMENTS.REMOTE" in text
    assert "16,000 gets" in text
