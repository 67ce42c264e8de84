"""The first screen: the verdict in words, the worst findings as cards, a line for each other rule, the queue managers,
and what was not judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from operator import attrgetter

from mqstat.assemble.finding import COUNTED, accepted_text
from mqstat.assemble.finding_tree import Tree, trees
from mqstat.assemble.model import Report
from mqstat.assemble.page_model import QmgrState
from mqstat.base import return_codes
from mqstat.base.areas import TITLES
from mqstat.base.formatting import clean, findings_text, listed, plural, qmgr_name, short
from mqstat.base.grouping import grouped_by
from mqstat.base.inputs import as_typed, command
from mqstat.judge import states
from mqstat.judge.model import SEVERITIES
from mqstat.render.card_text import (
    STYLE,
    SUBJECTS,
    Line,
    brief_card,
    cut,
    figure_of,
    hanging,
    more_command,
    subject_of,
    without_command,
)

CARDS = 3
"""The worst findings have a card."""

CARD_LINES = 7
"""The most lines of a card."""

RULES = 12
"""Lines of other rules."""

QMGRS = 10
"""Queue managers with a line, the worst first."""

GAPS = 5
"""Lines of what was not judged, or only in part."""

WIDE, MOST, MOST_NARROW = 100, 60, 70
"""From this width on the screen has at most MOST lines, below it MOST_NARROW."""

LABEL, RULE_LABEL = 21, 15
"""Columns of the labels below the cards, and of those of other rules."""

NAMED = 3
"""Queue managers and rules that the headline names."""

INFOS = 6
"""Rules of severity info that one line names."""


def first_screen(report: Report, width: int) -> list[Line]:
    """The lines of the screen: as few as its limit allows, so the cards and lines get shorter until all fit."""
    limit = MOST if width >= WIDE else MOST_NARROW
    made: list[Line] = []
    for card_lines, wraps, rules in (
        (CARD_LINES, True, RULES),
        (CARD_LINES, False, RULES),
        (CARD_LINES - 1, False, RULES),
        (CARD_LINES - 2, False, RULES),
        (CARD_LINES - 2, False, RULES - 2),
    ):
        made = list(_Screen(report, width, card_lines, rules, wraps=wraps).lines())
        if len(made) <= limit:
            break
    return made


class _Screen:
    """One layout of the screen: the most lines of a card and of other rules, and whether other lines may wrap: all, or
    only the one of what was not collected.
    """

    def __init__(self, report: Report, width: int, card_lines: int, rules: int, *, wraps: bool) -> None:
        self.report, self.width, self.card_lines, self.rules, self.wraps = report, width, card_lines, rules, wraps

    @cached_property
    def trees(self) -> Sequence[Tree]:
        """The findings, each with those that it explains, the worst first."""
        return trees(self.report.findings)

    @cached_property
    def cards(self) -> Sequence[Tree]:
        """Those with a card."""
        return [tree for tree in self.trees if tree.lead.severity != states.INFO][:CARDS]

    def lines(self) -> Iterator[Line]:
        """All lines."""
        yield from headline_lines(self.report, self.width)
        for text in self.report.summary_lines:
            yield from hanging([("  ", "")], as_typed(text), self.width, "  ")
        yield []
        for tree in self.cards:
            yield from brief_card(tree, self.report, self.width, self.card_lines)
            yield []
        rest = list(self._rest())
        yield from rest
        yield from [[]] if rest else []
        yield from self._qmgrs()
        yield from self._gaps()
        code = self.report.return_code
        counts = findings_text(self.report.counts)
        yield from hanging([("", "")], f"return code {code}: {return_codes.MEANING[code]}; {counts}", self.width, "  ")
        yield from hanging([("the whole report: ", "")], as_typed(command(["report"], ["-v"])), self.width)

    def _labelled(self, label: str, text: str, columns: int = LABEL) -> Iterator[Line]:
        start = [(f"  {label:<{columns}}", STYLE.get(label.removeprefix("also "), "dim"))]
        room = self.width - columns - 2
        shown = as_typed(text)
        # Nothing but the command of this line leads to what is missing.
        may_wrap = self.wraps or label == states.NOT_COLLECTED
        if not may_wrap and len(shown) > room and not shown.startswith("mqstat "):
            shown = cut(without_command(shown), room)
        yield from hanging(start, shown, self.width, " " * (columns + 2))

    # --- other rules

    def _rest(self) -> Iterator[Line]:
        """A line for each rule that no card shows, by severity; those of severity info together if there is no room."""
        shown = {id(tree) for tree in self.cards}
        rest = [tree for tree in self.trees if id(tree) not in shown]
        rest += [Tree((finding,)) for tree in self.cards for finding in tree.others]  # what the cards lead to
        rest.sort(key=lambda tree: COUNTED.index(tree.lead.severity))
        by_rule = list(grouped_by(rest, lambda tree: (tree.lead.severity, tree.lead.rule_id)).items())
        serious = [(key, problems) for key, problems in by_rule if key[0] != states.INFO]
        infos = [(key, problems) for key, problems in by_rule if key[0] == states.INFO]
        together = len(by_rule) > self.rules or not self.wraps
        last = ""
        for (severity, _), problems in serious[: self.rules] if together else by_rule:
            label = severity if severity == states.INFO or not self.cards else f"also {severity}"
            yield from self._labelled("" if label == last else label, self._rule(problems), RULE_LABEL)
            last = label
        if len(serious) > self.rules and together:
            yield from self._labelled("", f"{plural(len(serious) - self.rules, 'more rule')}: -v", RULE_LABEL)
        if infos and together:
            texts = [self._counted(rule_id, problems) for (_, rule_id), problems in infos]
            room = self.width - RULE_LABEL - 2
            lines = [listed(texts, most) for most in range(min(INFOS, len(texts)), 0, -1)]
            fitting = [line for line in lines if self.wraps or len(line) <= room]
            yield from self._labelled(states.INFO, [*fitting, lines[-1]][0], RULE_LABEL)
        if rest and not self.cards:
            yield from self._labelled("one in full", more_command(rest[0].lead), RULE_LABEL)

    def _rule(self, problems: Sequence[Tree]) -> str:
        """A rule with its worst subject, and the number of its queue managers."""
        lead = problems[0].lead
        others = [finding.rule_id for finding in problems[0].others]
        also = f"; leads to {listed(others, SUBJECTS)}" if others and len(problems) == 1 else ""
        if lead.depth:
            also = f"; caused by {', '.join(lead.row['caused_by'] or ())}"
        where = _where(self.report, problems)
        if len(where) > 1:
            worst = f"{_where(self.report, problems[:1])[0]} ({figure_of(lead)})"
            return clean(f"{lead.rule_id} on {len(where)} queue managers: {_lowered(lead.title)}; worst {worst}")
        more = f"; {plural(len(lead.others), 'more subject')}" if lead.others else ""
        if lead.severity == states.BROKEN:
            return clean(f"{lead.rule_id} {lead.summary}")
        subject, figure = lead.row["subject"] or "", figure_of(lead)
        about = "" if figure.startswith(f"{subject} ") else subject
        named = " ".join(filter(None, (*where, about))) or lead.location
        return clean(f"{lead.rule_id} {named}{':' if about or not where else ''} {figure}{more}{also}")

    def _counted(self, rule_id: str, problems: Sequence[Tree]) -> str:
        where = _where(self.report, problems)
        if len(where) > 1:
            return f"{rule_id} on {len(where)}"
        return f"{rule_id} {where[0]}" if where else rule_id

    # --- queue managers

    def _qmgrs(self) -> Iterator[Line]:
        """A table of the worst queue managers; of a single one its areas."""
        managers = self.report.qmgrs
        if len(managers) < 2:
            if self.report.verdicts:
                yield from self._labelled("areas", _areas(self.report))
                yield []
            return
        on_manager = self.report.findings_on
        counted = {
            id(manager): Counter(finding.severity for finding in on_manager.get((manager.lpar, manager.qmgr), ()))
            for manager in managers
        }
        order = {id(manager): number for number, manager in enumerate(managers)}

        def urgency(manager: QmgrState) -> tuple[int, ...]:
            counts = counted[id(manager)]
            return (states.STATUSES.index(manager.state), *(-counts[name] for name in SEVERITIES), order[id(manager)])

        ranked = sorted(managers, key=urgency)
        shown = [
            manager for manager in ranked if manager.state not in states.CALM or any(counted[id(manager)].values())
        ]
        shown = shown[:QMGRS]
        names = {id(manager): self.report.name_of(manager) for manager in managers}
        room = max([len("queue manager"), *(len(names[id(manager)]) for manager in shown)]) + 2
        if shown:
            yield [(f"  {'queue manager':<{room}}worst  critical  warning  info  areas not clear", "bold")]
        for manager in shown:
            counts = counted[id(manager)]
            own = on_manager.get((manager.lpar, manager.qmgr), ())
            worst = min(own, key=lambda finding: finding.urgency).rule_id if own else ""
            start = f"  {names[id(manager)]:<{room}}{worst:<5}" + "".join(
                f"  {counts[name]:>{width},}" for name, width in zip(SEVERITIES, (8, 7, 4), strict=True)
            )
            areas = ", ".join(_areas_not_clear(self.report, manager)) or manager.state
            yield [(start + "  ", STYLE.get(manager.state, "")), (short(areas, self.width - len(start) - 2), "")]
        left = ranked[len(shown) :]
        if left:
            by_state = Counter(manager.state for manager in left)
            texts = [
                f"{number} {state}"
                for state, number in sorted(by_state.items(), key=lambda item: states.STATUSES.index(item[0]))
            ]
            yield [
                (
                    f"  {f'{len(left)} more' if shown else plural(len(left), 'queue manager'):<{room}}{', '.join(texts)}",
                    "",
                )
            ]
        yield []

    # --- what was not judged

    def _gaps(self) -> Iterator[Line]:
        """What was collected in part or not judged, then what the site accepted and the days before."""
        pairs = sorted(self.report.gaps, key=lambda pair: "in part" not in pair[0])
        texts = list(pairs[:GAPS])
        if len(pairs) > GAPS:
            texts[-1] = (texts[-1][0], f"{texts[-1][1]}; {plural(len(pairs) - GAPS, 'more reason')}: -v")
        if self.report.accepted:
            more = f"; {len(self.report.accepted) - 1} more: -v" if len(self.report.accepted) > 1 else ""
            texts.append(("accepted", f"{accepted_text(self.report.accepted[0])}{more}"))
        if self.report.baseline is not None:
            unusual = [pair for pair in self.report.baseline.lines if pair[0] == "Unusual"]
            texts += [("unusual", text) for _, text in (unusual or list(self.report.baseline.lines))[:1]]
        for label, text in texts:
            yield from self._labelled(label, text)


def headline_lines(report: Report, width: int) -> Iterator[Line]:
    """The headline in the style of its state."""
    style = f"bold {STYLE.get(report.state, '')}".strip()
    for line in hanging([("mqstat: ", "bold")], headline(report), width, "  "):
        yield [*line[:-1], (line[-1][0], style)]


def headline(report: Report) -> str:
    """What is wrong and where, in words: the severity, the queue managers, and the titles of the worst findings;
    without a warning, how much was judged.

    What is judged of a damaged input, or with a rule that failed, is incomplete.
    """
    if not report.qmgrs:
        return "there are no queue manager records in the data"
    problems = trees(report.findings)
    severities = [tree.lead.severity for tree in problems]
    worst = next((name for name in (states.CRITICAL, states.WARNING) if name in severities), None)
    texts = ["the input is damaged and this report incomplete"] if report.return_code == return_codes.UNUSABLE else []
    failed = list(dict.fromkeys(tree.lead.rule_id for tree in problems if tree.lead.severity == states.BROKEN))
    if failed:
        texts.append(f"{plural(len(failed), 'rule')} failed ({listed(failed, NAMED)}), so the verdict is incomplete")
    texts.append(_worst_text(report, problems, worst) if worst else _no_warning_text(report))
    return clean("; ".join(texts))


def _no_warning_text(report: Report) -> str:
    """How much was judged, if no finding is worse than a note."""
    partly = [manager for manager in report.qmgrs if manager.state == states.PARTLY]
    infos = report.counts[states.INFO]
    if partly:
        first, more = partly[0], plural(len(partly) - 1, "other")
        about = f"{states.PARTLY} on {report.name_of(first)}, {first.judged} of {plural(first.rules, 'rule')}"
        about += f", and on {more}" if len(partly) > 1 else ""
    else:
        many = len(report.qmgrs)
        where = plural(many, "queue manager") if many > 1 else report.name_of(report.qmgrs[0])
        state = report.state if report.state in (*states.CALM, *states.UNJUDGED) else states.CLEAR
        about = f"{state} on {where} in all that was judged"
    return f"{about}: no critical finding, no warning{f', {infos:,} info' if infos else ''}"


def _worst_text(report: Report, problems: Sequence[Tree], worst: str) -> str:
    """The findings of the highest severity."""
    worst_trees = [tree for tree in problems if tree.lead.severity == worst]
    where = sorted(_where(report, worst_trees))
    of_inputs = not all(_where(report, [tree]) for tree in worst_trees)
    where_text = ""
    if where:
        where_text = f" on {where[0]}" if len(where) == 1 else f" on {len(where)} of {len(report.qmgrs)} queue managers"
        where_text += " and in the input" if of_inputs else ""
    named = len(where) != 1 or of_inputs
    by_rule = grouped_by(worst_trees, lambda tree: tree.lead.rule_id)
    texts = [_phrase(report, trees_of_rule, named) for trees_of_rule in list(by_rule.values())[:NAMED]]
    texts += [plural(len(by_rule) - NAMED, "more rule")] if len(by_rule) > NAMED else []
    return f"{worst.upper()}{where_text}: {'; '.join(texts)}"


def _phrase(report: Report, problems: Sequence[Tree], named: bool) -> str:
    """The title of a rule with its subject, or with its queue managers."""
    lead = problems[0].lead
    title = _lowered(lead.title)
    where = _where(report, problems)
    if where and (named or len(where) > 1):
        return f"{title} on {listed(where, NAMED)}"
    subject = subject_of(lead.row)
    about = f"{subject}: " if lead.row["subject"] else ""
    cause = problems[0].root
    why = "" if cause is lead else f"; cause: {subject_of(cause.row)}"
    return f"{about}{title}{why}"


def _lowered(title: str) -> str:
    """A title in the middle of a sentence."""
    return title[0].lower() + title[1:] if title[1:2] in " " or title[1:2].islower() else title


def _where(report: Report, problems: Iterable[Tree]) -> list[str]:
    """The queue managers of the leading findings, with their LPAR where another one has the same name."""
    known = Counter(manager.qmgr for manager in report.qmgrs)
    subjects = (at.row for tree in problems for at in tree.lead.subjects if at.row["qmgr"])
    owners = dict.fromkeys((row["lpar"], row["qmgr"]) for row in subjects)
    return [qmgr_name(lpar, qmgr, known[qmgr] > 1) for lpar, qmgr in owners]


def _areas_not_clear(report: Report, manager: QmgrState) -> list[str]:
    """The areas of a queue manager with a finding, or clear only in part, the most urgent first."""
    tiles = [tile for tile in report.tiles if (tile.lpar, tile.qmgr) == (manager.lpar, manager.qmgr)]
    bad = [tile for tile in tiles if tile.state in (states.BROKEN, *SEVERITIES, states.PART)]
    return [TITLES[tile.area] for tile in sorted(bad, key=lambda tile: states.STATUSES.index(tile.state))]


def _areas(report: Report) -> str:
    """The areas of each state, the most urgent state first."""
    by_state = grouped_by(report.verdicts, attrgetter("state"))
    ordered = sorted(by_state, key=states.STATUSES.index)
    return "; ".join(f"{state}: {', '.join(verdict.area for verdict in by_state[state])}" for state in ordered)
