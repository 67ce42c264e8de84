"""A DAG for Apache Airflow 2.4 or newer: the dumps of a day are added to a dataset by eight tasks.

The folders are on a file system that all workers mount. A task that fails is repeated: write adds nothing, and publish adds each dump once.
"""

from __future__ import annotations

import datetime as dt

from airflow import DAG
from airflow.operators.bash import BashOperator

TASKS = 8
RUN = "cd /mq/runs/{{ ds }}"

with DAG(
    "mqstat",
    schedule="0 5 * * *",
    start_date=dt.datetime(2026, 11, 1),
    catchup=False,
    default_args={"retries": 3, "retry_delay": dt.timedelta(minutes=5)},
):
    plan = BashOperator(
        task_id="plan",
        bash_command=f"""
            mkdir -p /mq/runs/{{{{ ds }}}} && {RUN} && rm -f part-*.json &&
            mqstat parts plan /mq/dumps/{{{{ ds }}}} > plan.json &&
            mqstat parts reserve plan.json --into /mq/dataset > numbers.json &&
            python3 -c 'import json; print(len(json.load(open("plan.json"))["parts"]))' > count
        """,
    )
    write = BashOperator.partial(
        task_id="write",
        bash_command=f"""
            {RUN} &&
            for part in $(seq "$FIRST" {TASKS} $(($(cat count) - 1))); do
                mqstat parts write plan.json "$part" --reservation numbers.json --staging /mq/staging > "new-$part" &&
                mv "new-$part" "part-$part.json" || exit
            done
        """,
        append_env=True,
    ).expand(env=[{"FIRST": str(number)} for number in range(TASKS)])
    publish = BashOperator(
        task_id="publish",
        bash_command=f"""
            {RUN} &&
            mqstat parts publish plan.json part-*.json --into /mq/dataset > published.json ||
            test $? -eq 4  # damage, which is located and counted
        """,
    )
    check = BashOperator(
        task_id="check",
        bash_command="mqstat check --from /mq/dataset --date {{ ds }} --max-rc 0",
        retries=0,
    )
    plan >> write >> publish >> check
