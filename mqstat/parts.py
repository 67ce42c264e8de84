"""Dumps -> dataset in parts, which any number of processes and machines write at the same time.

    plan = parts.plan("/dumps/friday.smf", range_bytes=1 << 30)
    numbers = parts.reserve("/data/mq", plan)
    written = [parts.write(plan, n, numbers.of(plan, n), "/data/staging") for n in range(len(plan.parts))]
    done = parts.publish("/data/mq", plan, written)

`mqstat ingest` works the same way. What the functions return is JSON with `to_json`, and comes back with `from_json`: a scheduler passes it from job to job.
A part may be written several times, and `publish` repeated: each input is added once. docs/parts.md shows it in use.
"""

from __future__ import annotations

from mqstat.api.parts import plan, publish, reserve, write
from mqstat.api.plans import Part, Plan, PlannedInput, PlannedPart, Published, PublishedInput, Reservation

__all__ = [
    "Part", "Plan", "PlannedInput", "PlannedPart", "Published", "PublishedInput", "Reservation", "plan", "publish", "reserve", "write",
]  # fmt: skip
