"""One line per rule, and one tile per area and queue manager: their states, and the figure that decides each. Rules have judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mqstat.render.deciding import Row, Standing, blind_places, standing, told
from mqstat.render.model import Curve, LocalTimes, RuleLine, Tile
from mqstat.render.words import plural
from mqstat.rules.model import AREAS, Rule, rules
from mqstat.rules.sentences import NEEDS_SITE, clean, command_of, facts_of, why_blind

Place = tuple[str | None, str | None]
"""An LPAR and a queue manager."""

IDLE = "the records are there, with no activity or no interval that can be judged"


def rule_lines(
    rows: Sequence[Row],
    times: LocalTimes,
    qmgrs: Sequence[Mapping[str, Any]],
    curves: Mapping[str, Curve] | None = None,
) -> tuple[RuleLine, ...]:
    """A line for every rule in the order of areas and ids, green ones and blind ones too; `rows` are those of view finding, the worst first."""
    many_lpars = len({row["lpar"] for row in qmgrs}) > 1
    mine: dict[str, list[Row]] = {}
    for row in rows:
        mine.setdefault(row["rule_id"], []).append(row)
    made = []
    for rule in sorted(rules().values(), key=lambda one: (AREAS.index(one.area), one.id)):
        found = standing(mine.get(rule.id, ()))
        curve = (curves or {}).get(rule.id)
        made.append(_line(rule, found, mine.get(rule.id, ()), times, many_lpars, len(qmgrs), curve))
    return tuple(made)


def _line(
    rule: Rule,
    found: Standing | None,
    rows: Iterable[Row],
    times: LocalTimes,
    many_lpars: bool,
    qmgrs: int,
    curve: Curve | None,
) -> RuleLine:
    if found is None:  # no queue manager in the data
        text = "no record of a queue manager is in the data"
        return RuleLine(rule.id, rule.area, rule.title, "not-collected", text, measure=rule.measure)
    advices = [str(row["advice"]) for row in rows if row["outcome"] == "no-data"]
    command = next((command_of(advice) for advice in advices if command_of(advice)), "")
    facts = ", ".join(dict.fromkeys(fact for advice in advices for fact in facts_of(advice)))
    parts = None
    if found.state in ("critical", "warning", "info", "ok") and found.row["outcome"] != "broken":
        parts = told(found.row, rule, times, many_lpars)
        more = [f"{plural(len(found.breaches) - 1, 'more place')}"] if len(found.breaches) > 1 else []
        text = "; ".join([parts.text, *more, *blind_places(found.absent, qmgrs)])
    else:
        text = _blind(found)
    return RuleLine(
        rule.id, rule.area, rule.title, found.state, text,
        measure=rule.measure,
        value=parts.value if parts else "",
        limit=parts.limit if parts else "",
        where=parts.where if parts else "",
        when=parts.when if parts else "",
        share=(parts.share or parts.why) if parts else "",
        places=len(found.breaches),
        command=command,
        fact=facts,
        curve=curve,
    )  # fmt: skip


def _blind(found: Standing) -> str:
    """The sentence of a state that no figure decides."""
    advice = clean(str(found.row["advice"] or ""))
    if found.state == "idle":
        return IDLE
    if found.state == "needs-site":
        return f"waits for the site file: {advice.removeprefix(NEEDS_SITE).rstrip('.')}"
    if found.state == "broken":
        return advice
    text = why_blind(advice)
    return text if text else "switched off"


# --- tiles


def tiles(rows: Sequence[Row], times: LocalTimes, qmgrs: Sequence[Mapping[str, Any]]) -> tuple[Tile, ...]:
    """A tile for every area with rules and every queue manager; one without a queue manager where rules judge inputs or whole systems."""
    many_lpars = len({row["lpar"] for row in qmgrs}) > 1
    places: list[Place] = [(row["lpar"], row["qmgr"]) for row in qmgrs]
    by_area: dict[str, list[Row]] = {}
    for row in rows:
        by_area.setdefault(row["rule_area"], []).append(row)
    made = []
    for area in AREAS:
        sorted_in = _by_place(by_area.get(area, ()), places)
        for place in [*places, *sorted(set(sorted_in) - set(places), key=lambda one: (one[0] or "", one[1] or ""))]:
            found = standing(sorted_in.get(place, ()))
            if found is not None:
                made.append(_tile(area, place, found, times, many_lpars))
    return tuple(made)


def _by_place(rows: Iterable[Row], places: Sequence[Place]) -> dict[Place, list[Row]]:
    """The findings of each queue manager. A rule about queue managers that is off or broken as a whole is so on each of them."""
    found: dict[Place, list[Row]] = {}
    for row in rows:
        everywhere = (
            row["lpar"] is None and row["qmgr"] is None and {"lpar", "qmgr"} <= set(rules()[row["rule_id"]].grain)
        )
        for place in places if everywhere else [(row["lpar"], row["qmgr"])]:
            found.setdefault(place, []).append(row)
    return found


def _tile(area: str, place: Place, found: Standing, times: LocalTimes, many_lpars: bool) -> Tile:
    rule = rules()[found.row["rule_id"]]
    if found.state in ("critical", "warning", "info", "ok"):
        text = told(found.row, rule, times, many_lpars, placed=False).text
        if len(found.breaches) > 1:
            text += f"; {len(found.breaches) - 1} more"
    elif found.state == "off":
        text = "all rules of this area are switched off"
    elif found.state == "broken":
        text = f"rule {rule.id} failed: this area is not judged completely"
    else:
        text = _blind(found)
    return Tile(area, place[0], place[1], found.state, text, rule.id)
