"""QCST - channel accounting (class 4), one section per channel instance.

Where:  SMF 116 subtype 10, triplet 1
Manual: IBM MQ for z/OS, "Channel accounting data records"
Size:   324 bytes (8.0.0), 340 (10.0.0)
"""

from __future__ import annotations

from mqstat.parsers.kit import S8, U16, U32, U64, Ebcdic, Field, Hex, Layout, StckTime
from mqstat.parsers.lookups import CHLD, CHS, CHT, MON

QCST = Layout(
    "qcst",
    "Channel accounting (class 4)",
    size=340,
    sizes=(324, 340),
    eyecatcher="QCST",
    identifier=0xE74A,
    routes=((116, 10, 1),),
    repeats=True,
    fields=(
        Field("struct_id", "qcstid", 0, U16, "Control block identifier.", kind="internal", unit="number", since="8.0.0"),
        Field("struct_length", "qcstll", 2, U16, "Length of this section, including the identifier.", kind="internal", unit="bytes", since="8.0.0"),
        Field("eyecatcher", "qcsteyec", 4, Ebcdic(4), "Eye catcher, always QCST.", kind="internal", unit="text", since="8.0.0", sharing="public"),
        Field("collected_utc", "qcstcltm", 8, StckTime, "Time the channel status was collected (GMT).", kind="clock", unit="ts_utc", since="8.0.0"),
        Field("channel_name", "qcstchnm", 16, Ebcdic(20), "Channel name.", kind="key", unit="text", since="8.0.0", sharing="name"),
        Field("channel_disposition", "qcstchdp", 36, S8, "Disposition of the channel: Private, Shared or Fixshared.", kind="code", unit="text", codes=CHLD, since="8.0.0"),
        Field("channel_type", "qcstchty", 37, S8, "Channel type, such as Sender, ClusRcvr or SvrConn.", kind="code", unit="text", codes=CHT, since="8.0.0"),
        Field("channel_status", "qcstchst", 38, S8, "Channel state, such as Running or Inactive.", kind="code", unit="text", codes=CHS, since="8.0.0"),
        Field("statistics_setting", "qcststcl", 39, S8, "STATCHL in force: Low, Medium, High or Off.", kind="setting", unit="text", codes=MON, since="8.0.0"),
        Field("connection_name", "qcstcnnm", 40, Ebcdic(48), "Address of the partner (connection name).", kind="key", unit="text", since="8.0.0", sharing="name"),
        Field("channel_start_utc", "qcststrt", 88, StckTime, "Channel start time (GMT).", kind="key", unit="ts_utc", since="8.0.0", may_precede="a channel may have started before the interval"),
        Field("channel_stop_utc", "qcstludt", 96, StckTime, "Channel stop time (GMT); null while running.", kind="clock", unit="ts_utc", since="8.0.0"),
        Field("last_message_utc", "qcstlmst", 104, StckTime, "Time of the last message or MQI call (GMT).", kind="clock", unit="ts_utc", since="8.0.0", may_precede="a running channel may have been idle since before the interval"),
        Field("batch_size_limit", "qcstcbsz", 112, U32, "Batch size of the channel (BATCHSZ).", kind="setting", since="8.0.0"),
        Field("channel_messages", "qcstnmsg", 116, U32, "Messages moved, or MQI calls of a SVRCONN channel.", since="8.0.0"),
        Field("persistent_channel_messages", "qcstnpmg", 120, U32, "Persistent messages moved.", since="8.0.0"),
        Field("batches", "qcstbatc", 124, U32, "Batches completed.", since="8.0.0"),
        Field("full_batches", "qcstfuba", 128, U32, "Batches that reached the full batch size.", since="8.0.0"),
        Field("buffers_sent", "qcstbfst", 132, U32, "Transmission buffers sent.", since="8.0.0"),
        Field("buffers_received", "qcstbfrc", 136, U32, "Transmission buffers received.", since="8.0.0"),
        Field("shared_conversations", "qcstcscv", 140, U32, "Conversations currently sharing the channel.", kind="gauge", since="8.0.0"),
        Field("channel_message_bytes", "qcstnbyt", 144, U64, "Bytes of message data.", unit="bytes", since="8.0.0"),
        Field("persistent_channel_bytes", "qcstnpby", 152, U64, "Bytes of persistent message data.", unit="bytes", since="8.0.0"),
        Field("bytes_sent", "qcstbyst", 160, U64, "Bytes sent, data plus control.", unit="bytes", since="8.0.0"),
        Field("bytes_received", "qcstbyrc", 168, U64, "Bytes received, data plus control.", unit="bytes", since="8.0.0"),
        Field("compression_rate_pct", "qcstcpra", 176, U32, "Compression rate (percent assumed, zero in all data seen).", kind="gauge", unit="percent", since="8.0.0"),
        Field("exit_average_us", "qcstetav", 180, U32, "Average time in exits; microseconds assumed, as in DISPLAY CHSTATUS.", kind="gauge", unit="us", since="8.0.0"),
        Field("exit_shortest_us", "qcstetmn", 184, U32, "Minimum time in exits (X'8FFFFFFF' = never set); microseconds assumed, as in DISPLAY CHSTATUS.", kind="low", unit="us", never_set=0x8FFFFFFF, since="8.0.0"),
        Field("exit_longest_us", "qcstetmx", 188, U32, "Maximum time in exits; microseconds assumed, as in DISPLAY CHSTATUS.", kind="high", unit="us", since="8.0.0"),
        Field("exit_longest_at_utc", "qcstetdt", 192, StckTime, "Time of the maximum exit time.", kind="clock", unit="ts_utc", since="8.0.0"),
        Field("dns_resolution_time", "qcstdnrt", 200, U32, "DNS resolution time; its unit is not documented (zero in all data seen).", kind="gauge", unit="number", since="8.0.0"),
        Field("network_average_us", "qcstntav", 204, U32, "Average network time; microseconds assumed, as in DISPLAY CHSTATUS.", kind="gauge", unit="us", since="8.0.0"),
        Field("network_shortest_us", "qcstntmn", 208, U32, "Minimum network time (X'8FFFFFFF' = never set); microseconds assumed, as in DISPLAY CHSTATUS.", kind="low", unit="us", never_set=0x8FFFFFFF, since="8.0.0"),
        Field("network_longest_us", "qcstntmx", 212, U32, "Maximum network time; microseconds assumed, as in DISPLAY CHSTATUS.", kind="high", unit="us", since="8.0.0"),
        Field("network_longest_at_utc", "qcstntdt", 216, StckTime, "Time of the maximum network time.", kind="clock", unit="ts_utc", since="8.0.0"),
        Field("partner_name", "qcstrqmn", 224, Ebcdic(48), "Queue manager or application at the other end.", kind="text", unit="text", since="8.0.0", sharing="name"),
        Field("certificate_serial", "qcstslsn", 272, Hex(8), "Serial number of the partner's certificate, in hexadecimal.", kind="text", unit="text", since="8.0.0", sharing="bytes"),
        Field("certificate_issuer_cn", "qcstslcn", 280, Ebcdic(16), "Common name of the issuer of the partner's certificate (SSLCERTI).", kind="text", unit="text", since="8.0.0", sharing="name"),
        Field("cipher_code", "qcstslcs", 296, U32, "CipherSpec as a number; 0 = no TLS.", kind="code", unit="id", since="8.0.0"),
        Field("put_retries", "qcstptrc", 300, U32, "Puts that were retried.", since="8.0.0"),
        Field("transmission_queue_empty", "qcstqetc", 304, U32, "Number of times the transmission queue was empty.", since="8.0.0"),
        Field("batch_interval_ms", "qcstcbit", 308, U32, "Batch interval (BATCHINT, milliseconds).", kind="setting", unit="ms", since="8.0.0"),
        Field("batch_limit_kib", "qcstcbdl", 312, U32, "Batch data limit (BATCHLIM, kilobytes).", kind="setting", unit="kib", since="8.0.0"),
        Field("dispatcher_number", "qcstdspn", 316, U16, "Number of the dispatcher that ran the channel.", kind="code", unit="id", since="8.0.0"),
        Field("reserved_318", "qcstrsv1", 318, Hex(6), "Reserved.", kind="internal", unit="text", reserved=True, since="8.0.0"),
        Field("partner_product", "qcstrpid", 324, Ebcdic(4), "Partner product identifier (4 characters).", kind="code", unit="text", since="10.0.0", sharing="public"),
        Field("partner_version", "qcstrver", 328, Ebcdic(8), "Partner product version (VVRRMMFF, 8 characters).", kind="code", unit="text", since="10.0.0", sharing="public"),
        Field("reserved_336", "qcstrsv2", 336, Hex(4), "Reserved.", kind="internal", unit="text", reserved=True, since="10.0.0"),
    ),
)  # fmt: skip
