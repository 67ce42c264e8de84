"""QCT_SSL - channel initiator SSL/TLS tasks, one section per task.

Where:  SMF 115 subtype 231, triplet 4; no eye catcher, the triplet gives the task type
Manual: IBM MQ for z/OS, "Channel initiator statistics data records"
Size:   48 bytes in every release seen (8.0.0 to 10.0.0)
"""

from __future__ import annotations

from mqstat.parsers.kit import U32, Field, Layout, StckInterval, StckTime

QCT_SSL = Layout(
    "qct_ssl",
    "Channel initiator SSL/TLS task",
    size=48,
    routes=((115, 231, 4),),
    repeats=True,
    fields=(
        Field("task_tcb", "qcttskn", 0, U32, "Address of the task control block (TCB) of the task, used as its number.", kind="key", unit="id", since="8.0.0"),
        Field("task_requests", "qctreqn", 4, U32, "Requests processed by the task in the interval.", since="8.0.0"),
        Field("task_request_cpu_us", "qctcptm", 8, StckInterval, "CPU time used by the task in the interval.", unit="us", since="8.0.0"),
        Field("task_request_et_us", "qcteltm", 16, StckInterval, "Sum of elapsed times of the task's requests in the interval.", unit="us", since="8.0.0"),
        Field("task_idle_us", "qctwttm", 24, StckInterval, "Total wait time of the task in the interval.", unit="us", since="8.0.0"),
        Field("ssl_longest_at_local", "qctlstm", 32, StckTime, "Local time of the longest SSL/TLS request of the interval.", kind="clock", unit="ts_local", since="8.0.0", may_precede="some levels do not clear the longest request, so it may be from an earlier interval"),
        Field("ssl_longest_us", "qctlsdu", 40, StckInterval, "Duration of the longest SSL/TLS request.", kind="high", unit="us", since="8.0.0"),
    ),
)  # fmt: skip
