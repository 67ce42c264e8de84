"""An initial site file generated from the data: every fact as a comment with the rules that need it."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mqstat.assemble.facts_read import facts_read
from mqstat.assemble.plan.model import plans
from mqstat.base.formatting import clean, figure, number_text, qmgr_name
from mqstat.judge.model import rules
from mqstat.sql import sqlfile
from mqstat.sql.site import FACTS, Fact
from mqstat.sql.workspace import Workspace

QUERIES: Mapping[str, str] = {
    "qmgrs": "SELECT lpar, qmgr, qsg, mq_versions, intervals FROM qmgr ORDER BY lpar, qmgr",
    "pools": """
        SELECT lpar, qmgr, pool_id, max(buffers) AS buffers, max(pool_mib) AS mib, min(lowest_free_pct) AS lowest_free_pct
        FROM buffer_pool WHERE buffers > 0 GROUP BY ALL ORDER BY lpar, qmgr, pool_id
    """,
    "structures": "SELECT DISTINCT cf_structure FROM cf_structure WHERE cf_structure IS NOT NULL ORDER BY cf_structure",
    "channels": """
        SELECT lpar, qmgr, max(current_channels) AS current_channels, max(max_channels) AS max_channels
        FROM channel_initiator GROUP BY ALL ORDER BY lpar, qmgr
    """,
}
"""The data for an initial site file."""

EXAMPLES: Mapping[str, str] = {
    "count": "0",
    "number": "0.0",
    "flag": "false",
    "text": '""',
    "level": '"9.3.0"',
    "texts": "[]",
}


def rules_of(fact: Fact) -> tuple[list[str], list[str]]:
    """The rules that cannot be judged without a fact, and the rules that it makes more precise."""
    column = f"site_input.{fact.column}"
    needing = [rule.id for rule in rules().values() if column in rule.needed]
    others = [rule.id for rule in rules().values() if rule.id not in needing and fact.name in facts_read(rule.id)]
    return sorted(needing), sorted(others)


def key(name: str) -> str:
    """A name as a key of TOML."""
    return name if name.isascii() and name.replace("_", "").replace("-", "").isalnum() else json.dumps(name)


def _comment(text: str) -> Iterator[str]:
    for line in textwrap.wrap(clean(text), 110, break_long_words=False):
        yield f"# {line}"


def _about(fact: Fact) -> Iterator[str]:
    """What a fact is, which rules and reports use it, and whether plans do."""
    needing, others = rules_of(fact)
    sentences = [sqlfile.views()["site_input"].columns[fact.column].doc]
    if needing:
        sentences.append(f"Enables {', '.join(needing)}.")
    if others:
        sentences.append(f"Makes {', '.join(others)} more precise.")
    using = [unit.id for unit in sqlfile.reports().values() if fact.name in unit.header.get("site_input", ())]
    if using:
        sentences.append(f"Shown in {', '.join(using)}.")
    if any(each.fact == fact.name for plan in plans().values() for each in plan.parameters.values()):
        sentences.append("An input of plans.")
    yield from _comment(" ".join(sentences))


def site_file(db: Workspace, names: Sequence[str] = ()) -> Iterator[str]:
    """The lines of a site file for the queue managers of a database; `names` = the inputs, for its first line."""
    data = {name: db.ask_rows(query) for name, query in QUERIES.items()}
    yield from _comment(f"Site file of mqstat, made from {', '.join(names)}." if names else "Site file of mqstat.")
    yield from _comment(
        "Everything is a comment: remove the # from the facts that you know, and enter your values. "
        "mqstat site check FILE checks the file; mqstat report DUMP --site FILE uses it."
    )
    yield ""
    yield from _comment("Facts that SMF does not contain. Facts under [lpar.NAME] or [qmgr.NAME] override these.")
    yield "[site]"
    for fact in FACTS.values():
        if fact.key is None:
            yield from ("", *_about(fact))
            yield f"# {fact.name} = {_example(fact, data)}"
    for fact in FACTS.values():
        if fact.key is not None and fact.key != "pool":
            yield from ("", *_about(fact), f"[site.{fact.name}]")
            names_ = [row["cf_structure"] for row in data["structures"]] if fact.key == "structure" else []
            for name in names_ or ["4" if fact.is_numbered else f"{fact.key.upper()}.NAME"]:
                yield f"# {key(name)} = {EXAMPLES[fact.type]}"
    many = len({row["lpar"] for row in data["qmgrs"]}) > 1
    for row in data["qmgrs"]:
        yield from _qmgr(row, data, many)
    yield ""
    yield from _comment(
        "Maintenance windows in local time: what breaches only in one of them, such as a planned restart, is info. One table for each; lpar and qmgr are optional. With weekdays it comes every week."
    )
    yield from ("# [[maintenance]]", "# from = 2026-05-21T22:00:00", "# to = 2026-05-22T02:00:00")
    yield from ('# qmgr = "MQ01"', '# reason = "change 4711"', "")
    yield from ("# [[maintenance]]", '# weekdays = ["Sunday"]', '# from = "22:00"', '# to = "02:00"')
    yield '# reason = "weekly restart"'
    yield ""
    yield from _comment(
        "Limits, severities and rules of this site, each with a reason and optionally an owner and a last day. Names may contain * and ?."
    )
    rule = rules()["BP004"] if "BP004" in rules() else next(iter(rules().values()))
    yield f'# [rules.{rule.id}.qmgr."MQ*".subject."buffer pool 1*"]'
    for threshold in list(rule.thresholds.values())[:1]:
        yield f"# {threshold.name} = {threshold.value}"
    yield '# severity = "info"'
    yield '# reason = "agreed with the application owners"'
    yield '# owner = "MQ team"'
    yield "# until = 2099-12-31"


def _example(fact: Fact, data: Mapping[str, list[dict[str, Any]]]) -> str:
    """An initial value: from the data if available."""
    if fact.name == "qsg":
        groups = sorted({row["qsg"] for row in data["qmgrs"] if row["qsg"]})
        return json.dumps(groups[0] if groups else "")
    if fact.name == "expected_members":
        return json.dumps(sorted({row["qmgr"] for row in data["qmgrs"]}))
    return EXAMPLES[fact.type]


def _qmgr(row: Mapping[str, Any], data: Mapping[str, list[dict[str, Any]]], many: bool) -> Iterator[str]:
    manager = (row["lpar"], row["qmgr"])
    name = key(f"{row['lpar']}.{row['qmgr']}" if many else row["qmgr"])
    yield ""
    yield from _comment(
        f"{qmgr_name(row['lpar'], row['qmgr'])}, MQ {row['mq_versions'] or 'level unknown'}, {row['intervals']} statistics intervals."
    )
    for channel in data["channels"]:
        if (channel["lpar"], channel["qmgr"]) == manager and channel["current_channels"] is not None:
            yield from _comment(f"At most {channel['current_channels']} current channels of {channel['max_channels']}.")
    yield f"[qmgr.{name}]"
    pools = [pool for pool in data["pools"] if (pool["lpar"], pool["qmgr"]) == manager]
    if pools:
        yield ""
        yield from _about(FACTS["pool_role"])
        yield f"[qmgr.{name}.pool_role]"
        for pool in pools:
            free = (
                "" if pool["lowest_free_pct"] is None else f", lowest free {figure(pool['lowest_free_pct'], 'percent')}"
            )
            role = "other" if pool["pool_id"] == 0 else "short"
            yield f'# {pool["pool_id"]} = "{role}"   # {number_text(pool["buffers"])} buffers, {figure(pool["mib"], "mib")}{free}'
