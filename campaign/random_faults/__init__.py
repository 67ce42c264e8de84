"""Random faults by numbers: trial 17 of a kind is the same in every run. Each kind is a function from a number to
figures and faults.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of trial: its function, the trials of a batch, the batches of the campaign, and how many trials of a batch
    may fail, which is known and bounded.
    """

    function: str
    trials: int
    batches: int
    may_fail: int = 0


KINDS = {
    "records": Kind("records.trial", 500, 60, 1),
    "values": Kind("records.values_trial", 100, 20),
    "files": Kind("commands.files_trial", 50, 10),
    "commands": Kind("commands.commands_trial", 15, 10),
    "dataset": Kind("commands.dataset_trial", 10, 5),
    "sections": Kind("sections.trial", 20, 25),
    "faults": Kind("faults.trial", 25, 40),
    "each": Kind("faults.each", 10, 34),
    "races": Kind("faults.race", 10, 10),
}
"""Of the trials of `records` some lose a framing, because a few bytes of a small dump decide it."""
