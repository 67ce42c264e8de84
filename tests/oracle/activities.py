"""What happened in each area on each queue manager: sums of counters, or the highest value of a counter at most
(catalogue, states of areas).
"""

from __future__ import annotations

from tests.oracle import Data, Row, view
from tests.oracle.formulas import expression, groups, known
from tests.oracle.records import QMGR

COUNTERS = """
message_manager 115.2 message_manager
  puts = total_puts
  gets = gets
  MQI calls = mqi_calls
  callbacks = callbacks
opentelemetry 115.2 message_manager
  spans = otel_spans_ok + otel_spans_lost
  trace contexts = otel_contexts
data_manager 115.2 data_manager
  gets = dm_gets
  puts = dm_puts
  objects created or deleted = object_creates + object_deletes
  other object requests = object_puts + object_gets + object_locates
lock_manager 115.2 lock_manager
  locks requested = lock_gets
topic 115.2 topic
  publishes = publishes
  messages to subscribers = messages_to_subscribers
  subscription requests = subscription_requests_total
buffer_pool 115.215 buffer_pool
  page gets = page_gets_old + page_gets_new
  page updates = set_writes
  pages read = pages_read
  pages written = pages_written
page_set 115.215 buffer_pool
  pages read and writes of buffer pools = page_set_ios
page_set 115.201 page_set
  page set I/Os = page_set_io_count
  expansions = expansions
log 115.1 log
  log writes = log_writes
  log reads = log_reads
  checkpoints = checkpoints
cf 115.2 cf_structure
  CF calls = cf_calls
smds 115.2 smds
  SMDS requests = smds_allocate_requests + smds_release_requests + smds_read_requests + smds_write_requests
  SMDS I/Os = smds_write_ios + smds_read_ios + remote_read_ios + format_ios
  SMDS buffer requests = buffer_gets
db2 115.2 db2
  Db2 requests = db2_requests
storage 115.1 storage
  storage requests = getmains + freemains
storage 115.7 storage_region
  intervals with storage in use = 1
channel_initiator 115.231 channel_initiator
  dispatcher requests = dispatcher_requests
  adapter requests = adapter_requests
  name lookups = dns_requests
channel 115.231 channel_initiator
  active channels at most = active_channels
channel 116.10 channel
  messages on channels = channel_messages
  batches = batches
  bytes on channels = bytes_sent + bytes_received
encryption 116.10 channel_cipher
  channel instances = channel_instances
message_manager 116.1 task
  puts in accounting = task_puts
  gets in accounting = task_gets
  MQI calls in accounting = mq_calls
task 116.1 task
  MQI calls = mq_calls
  commits = commits
  backouts = backouts
application 116.1 task
  MQI calls = mq_calls
cf 116.1 task
  CF calls in accounting = cf_calls
db2 116.1 task
  Db2 requests in accounting = db2_calls
log 116.1 task
  log writes in accounting = task_log_writes
latch 116.1 task
  latch waits = latch_waits
message_manager 116.0 connection
  puts in class 1 accounting = class1_puts
  gets in class 1 accounting = class1_gets
application 116.0 connection
  puts and gets in class 1 accounting = class1_puts + class1_gets
queue 115.216 queue_statistics
  puts = messages_put
  gets = destructive_gets
  browses = browses
  opens = opens
  messages on a queue at most = depth_high
queue_statistics 115.216 queue_statistics
  puts = messages_put
  gets = destructive_gets
  browses = browses
  opens = opens
  messages on a queue at most = depth_high
cf 115.216 queue_statistics
  puts and gets of shared queues = 0 if cf_structure is None else messages_put + destructive_gets
opentelemetry 115.216 queue_statistics
  spans of queues = otel_spans
queue 116.1 queue_use
  puts in accounting = valid_puts
  gets in accounting = valid_gets
  calls in accounting = queue_calls
encryption 115.1 encryption_period
  data sets = data_sets_encrypted + data_sets_plain
ims 115.216 ims_bridge
  messages to the IMS bridge = messages_put
"""
"""Area, record class and view, then the counters by name with the figure of a row."""
RECORDS = ("data_quality", "coverage", "overview", "collection", "qsg")
"""Areas of which every record is an activity."""


@view("area_activity", f"{QMGR} area activity_counter")
def area_activity(data: Data) -> list[Row]:
    """A class that is there without a row of the view had nothing to count: 0. What has no value in any row was not
    collected: null.
    """
    present = {(r["lpar"], r["qmgr"], r["record_class"]): r["records"] for r in data.view("collection")}
    managers = [(row["lpar"], row["qmgr"]) for row in data.view("qmgr")]
    out = []
    area = record_class = name = ""
    for line in COUNTERS.strip().splitlines():
        if not line.startswith(" "):
            area, record_class, name = line.split()
            continue
        counter, _, formula = line.strip().partition(" = ")
        figure, rows = expression(formula), groups(data.view(name), QMGR)
        for place in managers:
            mine = rows.get(place, ())
            values = known(figure(row, ()) for row in mine)
            value = (max(values) if counter.endswith(" at most") else sum(values)) if values else None
            if not mine and present.get((*place, record_class)):
                value = 0
            out.append(
                {
                    "lpar": place[0],
                    "qmgr": place[1],
                    "area": area,
                    "activity_counter": counter,
                    "activity_value": value,
                    "is_collected": value is not None,
                }
            )
    for place in managers:
        records = sum(count for key, count in present.items() if key[:2] == place)
        out += [
            {"lpar": place[0], "qmgr": place[1], "area": name, "activity_counter": "records", "activity_value": records, "is_collected": True}
            for name in RECORDS
        ]  # fmt: skip
    return out
