"""`python -m campaign.random_faults KIND BATCH` runs the trials of one batch and prints their figures and faults as
JSON.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections import Counter
from importlib import import_module

from campaign.random_faults import KINDS


def main(kind: str, batch: int) -> int:
    """Run a batch; an exception of a trial is a fault."""
    module, function = KINDS[kind].function.split(".")
    trial = getattr(import_module(f"campaign.random_faults.{module}"), function)
    figures: Counter[str] = Counter()
    faults: list[str] = []
    first = batch * KINDS[kind].trials
    for number in range(first, first + KINDS[kind].trials):
        try:
            counted, wrong = trial(number)
        except Exception:
            counted, wrong = Counter(), ["exception: " + traceback.format_exc()]
        figures.update(counted)
        faults += [f"{number}: {fault}"[:2_000] for fault in wrong]
    print(json.dumps({"figures": figures, "faults": faults}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
