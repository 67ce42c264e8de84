"""The return codes of a job step, and how damage, findings and inputs map to them. The highest code wins.

The damage limit is in percent of the bytes everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mqstat.base.formatting import listed, number_text, plural

CLEAR, WARNING, CRITICAL, UNUSABLE, FAILED = 0, 4, 8, 12, 16

MEANING = {
    CLEAR: "no warnings",
    WARNING: "warnings",
    CRITICAL: "critical findings",
    UNUSABLE: "the input is damaged, or no MQ record in it can be decoded",
    FAILED: "a rule failed",
}
"""Meaning of each return code of a report."""

LADDER = tuple(MEANING)

HELP = "Return codes: 0 clear; 4 warnings or some damage; 8 critical findings; 12 input unusable; 16 internal error or usage error."

DAMAGE_LIMIT_PCT = 0.1
"""Damage up to this percentage of the bytes is a warning."""

FAIL_ON = ("critical", "warning", "info", "never")
"""Lowest severity that raises the return code."""

_OF_SEVERITY = {"critical": CRITICAL, "warning": WARNING, "info": WARNING}


def damage_text(names: Sequence[str], input_bytes: int, damaged_bytes: int, damaged_records: int, ledger: str) -> str:
    """One sentence that names the damage of the inputs below the figures of a command; empty if there is none. `ledger`
    = the command that lists it.
    """
    if not damaged_bytes and not damaged_records:
        return ""
    share = f" ({number_text(100 * damaged_bytes / input_bytes, 3)} %)" if input_bytes else ""
    return (
        f"the input is damaged: {plural(damaged_records, 'record')}, {damaged_bytes:,} of {input_bytes:,} bytes{share} of {listed(names, 3)}; "
        f"the figures are incomplete. {ledger} lists the damage of a dump."
    )


def of_findings(outcomes: Iterable[tuple[str, str]], fail_on: str = "warning") -> int:
    """The code of (outcome, severity) pairs: 16 a broken rule, 8 a critical breach, 4 a breach of lower severity; less
    severe than `fail_on` counts 0.
    """
    counting = () if fail_on == "never" else FAIL_ON[: FAIL_ON.index(fail_on) + 1]
    code = CLEAR
    for outcome, severity in outcomes:
        if outcome == "broken":
            return FAILED
        if outcome == "breach" and severity in counting:
            code = max(code, _OF_SEVERITY[severity])
    return code


def of_report(outcomes: Iterable[tuple[str, str]], damage: int, fail_on: str = "warning") -> int:
    """The code of findings over an input whose damage has the code `damage`; a little damage counts as a warning
    does.
    """
    return max(of_findings(outcomes, fail_on), damage if damage != WARNING or fail_on in ("warning", "info") else CLEAR)


def of_inputs(codes: Iterable[int]) -> int:
    """The code of several inputs: the highest. An input that cannot be used has 12."""
    return max(codes, default=CLEAR)
