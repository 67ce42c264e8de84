"""One finding of a report, found by its key."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from mqstat.assemble.conditions import row_phrase, why_clear
from mqstat.assemble.finding import Finding
from mqstat.assemble.model import Report
from mqstat.base import return_codes
from mqstat.base.card_key import ALL, Owner, card_key
from mqstat.base.errors import UsageError
from mqstat.base.formatting import clean, qmgr_name
from mqstat.base.nearest import did_you_mean, nearest_or_known
from mqstat.judge.model import rules
from mqstat.judge.sentences import reason_of
from mqstat.judge.states import CALM, RuleState, closeness


def one_finding(report: Report, key: str) -> Report:
    """The report with only the finding of this key, or with the state of its rule there; UsageError for an unknown rule
    or queue manager.
    """
    known = rule_of(key)
    line = next((line for line in report.rule_lines if line.rule_id == known), None)
    parts = line.states if line else ()
    owners = [(manager.lpar, manager.qmgr) for manager in report.qmgrs]
    owner = owner_named(key, owners, (*owners, *(part.owner for part in parts)))
    finding = _finding(report, known, owner, card_key(known, owner, owners))
    if finding is not None:
        code = return_codes.of_findings([(finding.row["outcome"], finding.severity)])
        return replace(report, card=finding, return_code=code)
    return replace(report, card=_state(report, known, owner, parts), return_code=return_codes.CLEAR)


def owner_named(key: str, owners: Collection[Owner], judged: Iterable[Owner]) -> Owner:
    """The one of `judged` that a key names, in any case of letters, or `ALL`; UsageError for another one. `owners` are
    the queue managers of the data.
    """
    name = key.strip().partition("/")[2]
    names = {card_key("", owner, owners)[1:]: owner for owner in (*judged, ALL)}
    whole = {f"{lpar}.{qmgr}": (lpar, qmgr) for lpar, qmgr in names.values() if qmgr is not None}
    owner = {known.upper(): each for known, each in (whole | names).items()}.get(name.upper())
    if owner is None:
        raise UsageError(
            f"{key}: {f'{name!r} is not' if name else 'name'} a queue manager of the data{did_you_mean(name, names)}; "
            f"write RULE/NAME with one of {', '.join(sorted(names)[:FEW])}."
        )
    return owner


def rule_of(key: str) -> str:
    """The rule of a key; UsageError with the nearest one if there is none."""
    rule_id = key.strip().partition("/")[0].upper()
    if rule_id not in rules():
        raise UsageError(
            f"{key}: there is no rule {rule_id}{nearest_or_known(rule_id, rules(), 'mqstat rules lists them')}."
        )
    return rule_id


FEW = 5
"""Names that the message about an unknown one lists."""


def _finding(report: Report, rule_id: str, owner: Owner, key: str) -> Finding | None:
    """The finding of this key, or the one about the estate that its queue manager is part of."""
    own = [finding for finding in report.findings if finding.rule_id == rule_id]
    return next((finding for finding in own if finding.key == key), None) or next(
        (finding for finding in own if any((at.row["lpar"], at.row["qmgr"]) == owner for at in finding.subjects)), None
    )


def _state(report: Report, rule_id: str, owner: Owner, parts: tuple[RuleState, ...]) -> str:
    """Why there is no such finding: the state of the rule there, with the figure that is clear or what is missing."""
    here = next((part for part in parts if part.owner == owner), None)
    if here is None:
        own = [finding.key for finding in report.findings if finding.rule_id == rule_id]
        most = f"{rule_id} is not in breach on most queue managers"
        return f"{most}{'; its findings: ' + ', '.join(own) if own else ''}."
    where = qmgr_name(*owner, "lpar" not in report.hidden) or owner[0] or "the inputs"
    row = here.deciding[0]
    why = reason_of(row)
    if here.state in CALM:
        nearest = max(here.deciding, key=closeness)
        texts = (row_phrase(nearest), why_clear(nearest))
        why = "; ".join(text for text in texts if text)
    return clean(f"{rule_id} on {where}: {here.state} ({why})." if why else f"{rule_id} on {where}: {here.state}.")
