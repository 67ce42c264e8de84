"""QWHS - standard header of every record but 115.5, 115.6 and 115.7.

Where:  SMF 115 and 116, at the start of the area of triplet 0
Manual: IBM MQ for z/OS, "Common IBM MQ SMF header"
Size:   52 bytes with the interval times (115, 116.10), 36 without (116.0, 116.1, 116.2, and 115 before 7.1)
"""

from __future__ import annotations

from mqstat.parsers.kit import S16, U8, U32, U64, Ebcdic, Field, Flag, Hex, Layout, StckTime

QWHS = Layout(
    "qwhs",
    "Standard header",
    size=52,
    sizes=(36, 52),
    fields=(
        Field("header_length", "qwhslen", 0, S16, "Length of the standard header: 52 in 115 and 116.10, 36 in 116.0, 116.1 and 116.2 (and in 115 before 7.1), 1 in 115.5, 115.6 and 115.7.", kind="internal", unit="bytes"),
        Field("header_type", "qwhstyp", 2, Hex(1), "Header type: X'01' = standard header.", kind="internal", unit="text", sharing="public"),
        Field("resource_manager", "qwhsrmid", 3, Hex(1), "Resource manager: X'1A' in 115.1, 2, 201, 215, 240 and 116.0, X'F7' in 116.1, X'E7' from the channel initiator, X'80' in 115.5, 6 and 7.", kind="code", unit="text", sharing="public"),
        Field("instrumentation_id", "qwhsiid", 4, S16, "Instrumentation identifier: 1 = 115.1, 2 = 115.2, 3 = 116.0, 8 = 115.215, 9 = 115.201, 12 = 115.240, 25 = 116.1, 0 = channel initiator records.", kind="code", unit="id"),
        Field("triplets", "qwhsnsda", 6, U8, "Number of self-defining sections (triplets) in the record, including the triplet of this header.", kind="internal"),
        Field("release_byte", "qwhsrn", 7, Hex(1), "Release byte: usually X'10', X'00' from the channel initiator.", kind="internal", unit="text", sharing="public"),
        Field("agent_address", "qwhsace", 8, U32, "Agent control element address.", kind="internal", unit="id"),
        Field("subsystem", "qwhsssid", 12, Ebcdic(4), "Subsystem (queue manager) name.", kind="key", unit="text", sharing="system"),
        Field("header_stck_utc", "qwhsstck", 16, StckTime, "Store clock when the header was built (GMT).", kind="clock", unit="ts_utc"),
        Field("instrumentation_sequence", "qwhsiseq", 24, U32, "Sequence number of records of this instrumentation identifier; zero in channel initiator records.", kind="internal", unit="number"),
        Field("trace_sequence", "qwhswseq", 28, U32, "Sequence number of trace writes.", kind="internal", unit="number"),
        Field("header_flags_2", "qwhsflag2", 33, Hex(1), "Flag byte 2; its meaning is not known, and it holds random data in 116.1.", kind="internal", unit="text", reserved=True),
        Field("header_flags_3", "qwhsflag3", 34, Hex(1), "Flag byte 3; its meaning is not known, and it holds random data in 116.1.", kind="internal", unit="text", reserved=True),
        Field("header_flags_4", "qwhsflag4", 35, Hex(1), "Flag byte 4; its meaning is not known.", kind="internal", unit="text", reserved=True),
        Field("record_start_local", "qwhstime", 36, StckTime, "Interval start as a store clock that contains LOCAL time; in 115 except 115.5, 115.6 and 115.7, and in 116.10.", kind="clock", unit="ts_local", since="7.1"),
        Field("record_duration", "qwhsdurn", 44, U64, "Interval length: plain microseconds in 115.1, 2, 201, 215, 216 and 240, STCK units (4096 to the microsecond) in 115.231 and 116.10.", kind="duration", unit="number", since="7.1"),
        Field("interval_continues", "qwhsflag1.qwhssmfc", 32, Flag(0x80, U8), "Bit X'80' of byte 32: more records of the same interval follow.", kind="flag", unit="flag", since="7.1"),
        Field("extension_follows", "qwhsflag1.qwhsqwhx", 32, Flag(0x40, U8), "Bit X'40' of byte 32: a QWHX follows; bytes 32-34 hold random data in 116.1, so the bit is not reliable there.", kind="flag", unit="flag", since="10.0.0"),
    ),
)  # fmt: skip
