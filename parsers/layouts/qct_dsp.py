"""QCT_DSP - channel initiator dispatcher tasks, one section per task.

Where:  SMF 115 subtype 231, triplet 2; no eye catcher, the triplet tells the task type
Manual: IBM MQ for z/OS, "Channel initiator statistics data records"
Size:   36 bytes in every release seen (8.0.0 to 10.0.0)
"""

from __future__ import annotations

from mqstat.parsers.kit import S32, U32, Field, Layout, StckInterval

QCT_DSP = Layout(
    "qct_dsp",
    "Channel initiator dispatcher task",
    size=36,
    routes=((115, 231, 2),),
    repeats=True,
    fields=(
        Field(
            "task_tcb",
            U32,
            "Task number: address of the task control block (TCB) of the task.",
            mnemonic="qcttskn",
            at=0,
            kind="key",
            unit="id",
            since="8.0.0",
        ),
        Field(
            "task_requests",
            U32,
            "Requests processed by the task in the interval.",
            mnemonic="qctreqn",
            at=4,
            kind="counter",
            unit="count",
            since="8.0.0",
        ),
        Field(
            "task_request_cpu_us",
            StckInterval,
            "CPU time used by the task in the interval.",
            mnemonic="qctcptm",
            at=8,
            kind="counter",
            unit="us",
            since="8.0.0",
        ),
        Field(
            "task_request_et_us",
            StckInterval,
            "Sum of elapsed times of the task's requests in the interval.",
            mnemonic="qcteltm",
            at=16,
            kind="counter",
            unit="us",
            since="8.0.0",
        ),
        Field(
            "task_idle_us",
            StckInterval,
            "Total wait time of the task in the interval.",
            mnemonic="qctwttm",
            at=24,
            kind="counter",
            unit="us",
            since="8.0.0",
        ),
        Field(
            "task_channels",
            S32,
            "Channels assigned to this dispatcher.",
            mnemonic="qctchln",
            at=32,
            kind="gauge",
            unit="count",
            since="8.0.0",
        ),
    ),
)
