"""Applications: the sums of their tasks and queue blocks."""

from __future__ import annotations

from tests.oracle import Data, Row, view
from tests.oracle.formulas import computed, grouped, groups, joined, where
from tests.oracle.pools import site
from tests.oracle.queue_statistics import named, with_kind
from tests.oracle.records import QMGR

APPLICATION = "lpar qmgr application connection_type_name"
USER = "lpar qmgr base_name application connection_type_name"
SUMS = """
mq_calls mq_cpu_us mq_et_us mq_srb_us queue_cpu_us other_verbs_cpu_us task_puts task_gets task_messages put_bytes get_bytes shared_messages
persistent_messages commits commit_et_us commit_cpu_us prepares backouts backout_et_us rollbacks rollback_et_us units_of_work task_log_bytes task_log_forces
task_log_force_us log_forces_total latch_wait_us db2_us cf_us smds_us
""".split()
COUNTED = (
    "task_records tasks tasks_ended unit_messages judged_units lookup_records lookup_db2_calls lookup_db2_us".split()
)


def sums(names: list[str]) -> str:
    return "".join(f"{name} = sum({name})\n" for name in names)


def with_names_of_site(data: Data, rows: list[Row], column: str) -> list[Row]:
    """The rows with the name that the site file has for the first pattern that an application matches."""
    facts = site(data)
    out = []
    for row in rows:
        patterns = facts.get((row["lpar"], row["qmgr"]), {}).get("application_group_by_application") or {}
        name = next((group for pattern, group in patterns.items() if named(row[column], (pattern,))), row[column])
        out.append({**row, column: name})
    return out


def tasks(data: Data) -> list[Row]:
    """Tasks under the name of their application group; a task without a queue that calls Db2 looks up a name (MP16)."""
    rows = []
    for row in data.view("task"):
        channel_task = row["connection_type_code"] == 6
        rows.append({
            **row, "application": row["application_group"],
            "lookup": (row["db2_calls"] or 0) > 0 and (row["other_calls"] or 0) > 0 and row["queue_blocks"] == 0 and row["connection_type_code"] != 5
            and not (channel_task and row["channel_name"] is None),
        })  # fmt: skip
    return computed(
        rows,
        """
        db2_us = db2_thread_us
        cf_us = cf_call_us
        smds_us = task_smds_wait_us
        judged = units_of_work > 0 and missing_queue_blocks == 0
        unit = task_messages / units_of_work
        shared_unit = shared_messages / units_of_work if shared_messages > 0 else None
        """,
    )


WORK = """
end_backouts = max(end_backouts)
task_records = count()
tasks = distinct(task_correlator)
tasks_ended = count(where=task_ended)
unit_messages = sum(task_messages, where=judged)
judged_units = sum(units_of_work, where=judged)
largest_unit = max(unit)
largest_unit_record_id = earliest(record_id, -unit, task_interval_start_utc, record_id)
largest_unit_utc = earliest(task_interval_start_utc, -unit, task_interval_start_utc, record_id)
largest_shared_unit = max(shared_unit)
largest_shared_unit_record_id = earliest(record_id, -shared_unit, task_interval_start_utc, record_id)
largest_shared_unit_utc = earliest(task_interval_start_utc, -shared_unit, task_interval_start_utc, record_id)
most_messages_per_commit = max(messages_per_commit)
oldest_without_commit_s = max(task_age_s, where=task_log_bytes > 0 and commits == 0)
most_queue_blocks = max(queue_blocks)
most_queue_blocks_record_id = earliest(record_id, -queue_blocks, task_interval_start_utc, record_id)
most_queue_blocks_utc = earliest(task_interval_start_utc, -queue_blocks, task_interval_start_utc, record_id)
lookup_records = count(where=lookup)
lookup_db2_calls = first(sum(db2_calls, where=lookup), 0)
lookup_db2_us = first(sum(db2_thread_us, where=lookup), 0)
"""


@view("application_work", f"{APPLICATION} connection_job")
def application_work(data: Data) -> list[Row]:
    by = "lpar qmgr qsg application connection_type_name connection_job"
    users = groups([row for row in tasks(data) if row["lookup"]], by)
    out = grouped(tasks(data), by, WORK + sums(SUMS))
    for row in out:
        names = {r["operator_id"] for r in users.get(tuple(row[name] for name in by.split()), ())} - {None}
        row["lookup_users"] = ", ".join(sorted(names)[:5]) or None
    return out


@view("application_period", APPLICATION)
def application_period(data: Data) -> list[Row]:
    rows = with_names_of_site(data, data.view("application_work"), "application")
    out = grouped(
        rows, "lpar qmgr qsg application connection_type_name",
        sums([*COUNTED, *SUMS])
        + """
end_backouts = max(end_backouts)
largest_unit_record_id = earliest(largest_unit_record_id, -largest_unit, largest_unit_utc, largest_unit_record_id)
largest_unit_utc = earliest(largest_unit_utc, -largest_unit, largest_unit_utc, largest_unit_record_id)
largest_unit = max(largest_unit)
largest_shared_unit_record_id = earliest(largest_shared_unit_record_id, -largest_shared_unit, largest_shared_unit_utc, largest_shared_unit_record_id)
largest_shared_unit_utc = earliest(largest_shared_unit_utc, -largest_shared_unit, largest_shared_unit_utc, largest_shared_unit_record_id)
largest_shared_unit = max(largest_shared_unit)
most_queue_blocks_record_id = earliest(most_queue_blocks_record_id, -most_queue_blocks, most_queue_blocks_utc, most_queue_blocks_record_id)
most_queue_blocks_utc = earliest(most_queue_blocks_utc, -most_queue_blocks, most_queue_blocks_utc, most_queue_blocks_record_id)
most_queue_blocks = max(most_queue_blocks)
most_messages_per_commit = max(most_messages_per_commit)
oldest_without_commit_s = max(oldest_without_commit_s)
""",
    )  # fmt: skip
    users = groups(rows, APPLICATION)
    for row in out:
        of_jobs = [
            r["lookup_users"] for r in users[tuple(row[name] for name in APPLICATION.split())] if r["lookup_users"]
        ]
        row["lookup_users"] = ", ".join(sorted({name for names in of_jobs for name in names.split(", ")})) or None
    return out


@view("application_use", "lpar qmgr application connection_type_name hour_start_utc")
def application_use(data: Data) -> list[Row]:
    rows = where(with_names_of_site(data, data.view("task"), "application_group"), "task_interval_end_utc is not None")
    rows = computed(rows, "hour_start_utc = task_hour_start_utc\nhour_local = task_hour_start_local")
    names = "mq_calls mq_cpu_us mq_et_us other_verbs_cpu_us queue_cpu_us task_puts task_gets task_messages put_bytes get_bytes commits task_log_bytes task_log_force_us latch_wait_us cf_calls db2_calls"
    return grouped(
        rows, "lpar qmgr qsg application application_group connection_type_name hour_start_utc",
        sums(names.split())
        + """
hour_local = min(hour_local)
task_records = count()
tasks = distinct(task_correlator)
tasks_ended = count(where=task_ended)
cpu_per_message_us = mq_cpu_us / task_messages
calls_per_message = mq_calls / task_messages
messages_per_commit = task_messages / commits
""",
    )  # fmt: skip


@view("application_hour", "lpar qmgr application connection_type_name hour_start_utc")
def application_hour(data: Data) -> list[Row]:
    rows = computed(
        where(data.view("task"), "task_interval_end_utc is not None"),
        "application = application_group\nhour_start_utc = task_hour_start_utc\nhour_local = task_hour_start_local",
    )
    names = "mq_calls mq_cpu_us queue_cpu_us other_verbs_cpu_us mq_et_us task_puts task_gets put_bytes get_bytes task_messages commits task_log_bytes"
    return grouped(
        with_names_of_site(data, rows, "application"), "lpar qmgr connection_type_name hour_start_utc application",
        sums(names.split()) + "task_records = count()\nhour_local = min(hour_local)",
    )  # fmt: skip


BLOCK_SUMS = """
opens open_et_us open_cpu_us closes close_et_us close_cpu_us gets get_et_us get_cpu_us valid_gets valid_destructive_gets browses_any
browses_specific gets_any gets_specific get_bytes get_page_set_reads get_page_set_us persistent_gets pages_skipped messages_skipped
expired_messages puts put_et_us put_cpu_us put1s put1_et_us put1_cpu_us valid_puts put_bytes mqputs_to_waiting_getter
mqput1s_to_waiting_getter generated_messages persistent_mqputs persistent_mqput1s inquires inquire_cpu_us sets set_cpu_us callback_cpu_us
streamed_messages time_on_queue_total_us queue_mq_cpu_us queue_mq_et_us topic_srb_us gets_without_message specific_gets any_gets
puts_to_waiting_getter igq_puts readlist_requests move_requests
""".split()


@view("queue_application_total", "lpar qmgr base_name application connection_type_name")
def queue_application_total(data: Data) -> list[Row]:
    rows = [
        {
            **row,
            "base_name": row["queue_group"],
            "was_temporary": row["is_temporary_dynamic"],
            "queue": row["base_name"],
        }
        for row in data.view("queue_use")
        if row["base_name"] is not None
    ]
    for row in rows:
        row["task_end_utc"] = row["interval_end_utc"]
        row["destructive"] = row["valid_destructive_gets"]
    out = grouped(
        rows, "lpar qmgr qsg base_name application application_group connection_type_name",
        sums([*BLOCK_SUMS, "open_suspend_us", "get_errors", "browses", "selector_opens"])
        + """
queue_records = count()
is_topic = all(is_topic)
no_accounting = any(no_accounting)
is_shared = any(is_shared)
cf_structure = max(cf_structure)
page_set_id = max(page_set_id)
pool_id = max(pool_id)
index_type = earliest(index_type, -interval_end_utc, index_type == 'None', index_type, where=index_type is not None)
depth_high = max(depth_high)
time_on_queue_high_us = max(time_on_queue_high_us)
selector_length = max(selector_length)
queue_disposition = max(queue_disposition)
time_on_queue_low_us = min(time_on_queue_low_us, where=time_on_queue_total_us > 0)
operator_id = min(operator_id) if distinct(operator_id) == 1 else None
channel_name = max(channel_name)
longest_task_record_id = earliest(task_record_id, -time_on_queue_high_us, interval_start_utc, task_record_id, where=time_on_queue_high_us > 0)
is_temporary_dynamic = any(was_temporary)
model_queue = max(open_name, where=was_temporary)
first_used_utc = min(interval_start_utc)
last_used_utc = max(interval_end_utc)
""",
    )  # fmt: skip
    names = groups(rows, USER)
    of_queue = "index_type = earliest(index_type, -last_used_utc, index_type == 'None', index_type, where=index_type is not None)"
    last = {
        (row["lpar"], row["qmgr"], row["base_name"]): row["index_type"]
        for row in grouped(out, "lpar qmgr base_name", of_queue)
    }
    for row in out:
        row["index_type"] = last[row["lpar"], row["qmgr"], row["base_name"]]
        blocks = names[tuple(row[name] for name in USER.split())]
        opened = {block["open_name"] for block in blocks} - {None}
        other = {
            block["open_name"]
            for block in blocks
            if block["open_name"] != block["queue"] and block["was_temporary"] is False
        } - {None}
        row["opened_as"] = ", ".join(sorted(other)[:5]) or None
        row["open_names"] = ", ".join(sorted(opened)[:5]) or None
    return out


@view("queue_total", "lpar qmgr base_name")
def queue_total(data: Data) -> list[Row]:
    out = grouped(
        data.view("queue_application_total"), "lpar qmgr qsg base_name",
        sums(BLOCK_SUMS)
        + """
queue_records = sum(queue_records)
is_topic = all(is_topic)
no_accounting = any(no_accounting)
is_shared = any(is_shared)
cf_structure = max(cf_structure)
page_set_id = max(page_set_id)
pool_id = max(pool_id)
index_type = max(index_type)
depth_high = max(depth_high)
time_on_queue_high_us = max(time_on_queue_high_us)
applications = distinct(application)
putting_applications = distinct(application if valid_puts > 0 else None)
getting_applications = distinct(application if first(valid_destructive_gets, valid_gets) > 0 else None)
average_time_on_queue_us = time_on_queue_total_us / first(valid_destructive_gets, valid_gets)
attention = ('G' if gets_without_message > 10 * valid_gets else '') + ('X' if messages_skipped + pages_skipped > gets else '') + ('E' if expired_messages > 0 else '')
  + ('P' if valid_puts > 0 and valid_gets == 0 and not is_shared else '') + ('O' if opens >= puts + gets and opens > 100 else '')
longest_time_task = earliest(application, -time_on_queue_high_us, application, where=time_on_queue_high_us > 0)
longest_task_record_id = earliest(longest_task_record_id, -time_on_queue_high_us, application, longest_task_record_id, where=time_on_queue_high_us > 0)
time_on_queue_low_us = min(time_on_queue_low_us)
top_application = top(application, queue_mq_cpu_us)
""",
    )  # fmt: skip
    names = groups(where(data.view("queue_use"), "base_name is not None"), "lpar qmgr queue_group")
    for row in out:
        row["queue_names"] = len({block["base_name"] for block in names[row["lpar"], row["qmgr"], row["base_name"]]})
    return with_kind(data, out, "base_name")


@view("queue_hour", "lpar qmgr base_name hour_start_utc")
def queue_hour(data: Data) -> list[Row]:
    hours = data.by("task", "record_id")
    rows = []
    for row in data.view("queue_use"):
        task = hours.get((row["task_record_id"],))
        if task is not None and row["base_name"] is not None:
            rows.append(
                {**row, "hour_start_utc": task["task_hour_start_utc"], "hour_local": task["task_hour_start_local"]}
            )
    return grouped(
        rows, "lpar qmgr base_name hour_start_utc",
        sums("valid_puts valid_gets put_bytes gets_without_message expired_messages get_page_set_reads".split()) + "is_shared = any(is_shared)\nhour_local = min(hour_local)",
    )  # fmt: skip


__all__ = ["QMGR", "groups", "joined"]
