"""One line per area, including those without findings: its state and the deciding figure. The rules have judged already; this module selects what to show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mqstat.assemble.conditions import deciding
from mqstat.assemble.deciding import finding_text
from mqstat.assemble.lines import many_lpars_in
from mqstat.assemble.page_model import Verdict
from mqstat.assemble.status import unjudged_text
from mqstat.assemble.table_model import LocalTimes
from mqstat.base.areas import AREAS, TITLES
from mqstat.base.formatting import plural
from mqstat.judge import states
from mqstat.judge.model import rules
from mqstat.judge.states import Place, RuleState, areas_asked_for, status


def verdict_lines(parts: Sequence[RuleState], times: LocalTimes, owners: Sequence[Place]) -> Iterable[Verdict]:
    """The verdicts of all areas that have rules; `parts` are the states of the rules on each of `places`.

    `areas_asked_for` names the areas that have one.
    """
    asked = areas_asked_for(parts)
    for area in AREAS:
        if area in asked:
            yield _verdict(area, [part for part in parts if part.area == area], times, owners)


def _verdict(area: str, parts: Sequence[RuleState], times: LocalTimes, owners: Sequence[Place]) -> Verdict:
    decided = status(parts)
    if decided is None:
        raise RuntimeError("a verdict needs rules")
    many_lpars = many_lpars_in(owners)
    title, rule_id = TITLES[area], decided.row["rule_id"]
    judged = len({part.rule_id for part in parts if part.state in states.JUDGED})
    every = len({part.rule_id for part in parts})
    if decided.state == states.BROKEN:
        text = f"rule {rule_id} failed: this area is not completely judged"
        return Verdict(title, decided.state, text, area, rule_id, judged, every)
    if decided.state in states.UNJUDGED:
        text = unjudged_text(decided, owners, many_lpars)
        return Verdict(title, decided.state, text, area, rule_id, judged, every)
    rule = rules()[rule_id]
    shown = finding_text(decided.row, rule, times, many_lpars)
    breaches = len(decided.breaches)
    more = [plural(breaches - 1, "more finding")] if breaches > 1 else []
    remarks = [*([shown.why] if shown.why else []), *more]
    return Verdict(
        title, decided.state, "; ".join([shown.text, *more]), area, rule_id, judged, every,
        shown.measure, shown.value, shown.limit, shown.where, shown.when, shown.share, "; ".join(remarks),
        deciding(decided.row),
    )  # fmt: skip
