"""Cards of findings take their sizes from plans, or state why not."""

from __future__ import annotations

from mqstat.assemble.plan.model import plan_of
from mqstat.judge.model import rules
from mqstat.judge.mqsc import Template
from mqstat.sql.needs import decoded_columns, rule_columns

SIZES_OF_RULES = {
    "BP006": "no plan: MP16 gives no figure for contention, so half more is a first step",
    "BP008": "the plan buffer_pool_zero needs the number of objects, which is not in SMF: half more is a first step",
    "BP009": "no plan: the pool is large enough for its use, so a tenth more is a first step",
    "BP015": "the plan buffer_pool_what_if answers for a size that a person sets; the rule states one to try",
    "BP016": "the sizes that MP16 recommends to begin with; the plan buffer_pool_zero needs the number of objects",
    "CN009": "the plan batch_size_advisor has no BATCHLIM: the rule states the data of a full batch",
    "CV008": "STATIME follows from the rule; the plan smf115_volume shows what it costs",
    "LG018": "a peak of two hours; the plan logload_advice needs LOGLOAD, which is not in SMF, and the whole period",
    "QU002": "no plan: how deep the queue will get is not in the data, so half more is a step",
    "SM008": "a step: no document gives the number of buffers that saves reads",
}
"""Rules whose commands have a size that no plan gives, with the reason."""


def test_every_size_of_a_card_is_that_of_a_plan_or_listed() -> None:
    stating = set()
    for rule in rules().values():
        sizes = {name for name, size in rule.commands.sizes.items() if size.at_most is not None} | set(rule.thresholds)
        stating |= {rule.id for item in rule.commands.do if isinstance(item, Template) and item.columns & sizes}
    assert stating == set(SIZES_OF_RULES)


def test_the_step_of_a_peak_is_the_least_of_the_plan() -> None:
    (size,) = rules()["LG018"].commands.sizes.values()
    assert f"{plan_of('logload_advice').parameters['logload_least'].default}" == size.formula


def test_what_cards_take_from_plans_is_decoded_for_check() -> None:
    """The views of these plans read only tables that rules read too: a card has the answer in each command."""
    named = {rule.do_of_plan for rule in rules().values()} - {""}
    missing = {name: set(decoded_columns([list(plan_of(name).needs)])) - set(rule_columns()) for name in named}
    assert not any(missing.values()), missing


TAKEN_FROM_PLANS = {
    "pool_exhausted": {"BP001", "BP002"},
    "pool_nearly_full": {"BP003"},
    "pool_low": {"BP004"},
    "pool_running_over": {"BP017"},
    "adapters_saturated": {"CH001", "CH002", "CH003"},
    "dispatchers_crowded": {"CH007"},
    "tls_tasks_few": {"CH009"},
    "channels_troubled": {"CN004", "CN005", "CN008"},
    "checkpoints_frequent": {"LG019"},
    "smds_short_of_buffers": {"SM001"},
    "smds_buffer_sizes": {"SM005"},
}
"""Rules that leave what to do to a plan, by a scenario in which they have a finding."""


def test_each_rule_that_asks_a_plan_has_a_scenario() -> None:
    assert {rule.id for rule in rules().values() if rule.do_of_plan} == set().union(*TAKEN_FROM_PLANS.values())
