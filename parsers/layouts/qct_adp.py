"""QCT_ADP - channel initiator adapter tasks, one section per task.

Where:  SMF 115 subtype 231, triplet 3; no eye catcher, the triplet gives the task type
Manual: IBM MQ for z/OS, "Channel initiator statistics data records"
Size:   32 bytes in every release seen (8.0.0 to 10.0.0)
"""

from __future__ import annotations

from mqstat.parsers.kit import U32, Field, Layout, StckInterval

QCT_ADP = Layout(
    "qct_adp",
    "Channel initiator adapter task",
    size=32,
    routes=((115, 231, 3),),
    repeats=True,
    fields=(
        Field("task_tcb", "qcttskn", 0, U32, "Address of the task control block (TCB) of the task, used as its number.", kind="key", unit="id", since="8.0.0"),
        Field("task_requests", "qctreqn", 4, U32, "Requests processed by the task in the interval.", since="8.0.0"),
        Field("task_request_cpu_us", "qctcptm", 8, StckInterval, "CPU time used by the task in the interval.", unit="us", since="8.0.0"),
        Field("task_request_et_us", "qcteltm", 16, StckInterval, "Sum of elapsed times of the task's requests in the interval.", unit="us", since="8.0.0"),
        Field("task_idle_us", "qctwttm", 24, StckInterval, "Total wait time of the task in the interval.", unit="us", since="8.0.0"),
    ),
)  # fmt: skip
