"""One line per area: its state, and the figure that decides it, green ones too. Rules have judged; this picks what a reader sees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mqstat.render.deciding import not_judged, standing, told
from mqstat.render.model import LocalTimes, Verdict
from mqstat.render.words import area_title
from mqstat.rules.model import AREAS, rules
from mqstat.rules.sentences import why_blind

_STATES = {
    "broken": "BROKEN", "critical": "CRITICAL", "warning": "WARNING", "info": "note", "ok": "ok", "not-collected": "not collected",
    "not-in-release": "not in release", "idle": "nothing to judge", "needs-site": "off", "off": "off",
}  # fmt: skip


def verdict_lines(
    rows: Sequence[Mapping[str, Any]], times: LocalTimes, qmgrs: Sequence[Mapping[str, Any]]
) -> Iterable[Verdict]:
    """The verdicts of all areas that have rules; `rows` are those of view finding, the worst first."""
    lpars = len({row["lpar"] for row in qmgrs})
    for area in AREAS:
        mine = [row for row in rows if row["rule_area"] == area]
        if mine:
            yield _verdict(area, mine, times, lpars > 1, len(qmgrs))


def _verdict(area: str, rows: list[Mapping[str, Any]], times: LocalTimes, many_lpars: bool, qmgrs: int) -> Verdict:
    found = standing(rows)
    state = "off" if found is None else found.state
    title, word = area_title(area), _STATES[state]
    if found is None or state in ("off", "needs-site"):
        return Verdict(title, word, "all rules of this area are switched off or wait for facts of the site file")
    if state == "broken":
        return Verdict(title, word, f"rule {found.row['rule_id']} failed: this area is not judged completely")
    if state == "idle":
        return Verdict(title, word, "the records are there, with no activity or no interval that can be judged")
    if state in ("not-collected", "not-in-release"):
        return Verdict(title, word, why_blind(found.row["advice"]))
    rule = rules()[found.row["rule_id"]]
    parts = told(found.row, rule, times, many_lpars)
    more = [f"{len(found.breaches) - 1} more"] if len(found.breaches) > 1 else []
    blind = not_judged(found.absent, qmgrs)
    remarks = [*([parts.why] if parts.why else []), *more, *blind]
    return Verdict(
        title, word, "; ".join([parts.text, *more, *blind]), rule.measure, parts.value, parts.limit, parts.where, parts.when, parts.share,
        "; ".join(remarks),
    )  # fmt: skip
