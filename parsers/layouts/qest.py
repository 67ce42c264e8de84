"""QEST - coupling facility manager statistics: 64 slots, one per CF structure.

Where:  SMF 115 subtype 2, triplet 6
Manual: IBM MQ for z/OS, "Coupling Facility manager data records"
Size:   4104 bytes in every release seen (8.0.0 to 10.0.0)
"""

from __future__ import annotations

from mqstat.parsers.kit import U16, U32, Child, Ebcdic, Field, Key, Layout, StckInterval, Unused

QEST = Layout(
    "qest",
    "Coupling facility manager statistics",
    size=4104,
    eyecatcher="QEST",
    identifier=0xC513,
    routes=((115, 2, 6),),
    fields=(
        Field("struct_id", "qestid", 0, U16, "Control block identifier.", kind="internal", unit="number"),
        Field("struct_length", "qestll", 2, U16, "Length of this section, including the identifier.", kind="internal", unit="bytes"),
        Field("eyecatcher", "qesteyec", 4, Ebcdic(4), "Eye catcher, always QEST.", kind="internal", unit="text", sharing="public"),
        Field("cf_structure", "qeststuc[].qeststr", 8, Ebcdic(12), "CF structure name; the slot is not in use if the first byte is X'00'.", kind="key", unit="text", dims=((64, 64),), child="qest_structure", sharing="name"),
        Field("structure_number", "qeststuc[].qeststrn", 20, U32, "Structure number; 0 = administration structure.", kind="code", unit="id", dims=((64, 64),), child="qest_structure"),
        Field("single_calls", "qeststuc[].qestcsec", 24, U32, "IXLLSTE (single entry) calls.", dims=((64, 64),), child="qest_structure"),
        Field("multiple_calls", "qeststuc[].qestcmec", 28, U32, "IXLLSTM (multiple entry) calls.", dims=((64, 64),), child="qest_structure"),
        Field("single_call_us", "qeststuc[].qestsstc", 32, StckInterval, "Time spent in IXLLSTE calls.", unit="us", dims=((64, 64),), child="qest_structure"),
        Field("multiple_call_us", "qeststuc[].qestmstc", 40, StckInterval, "Time spent in IXLLSTM calls.", unit="us", dims=((64, 64),), child="qest_structure"),
        Field("single_redrives", "qeststuc[].qestrsec", 48, U32, "IXLLSTE redrives.", dims=((64, 64),), child="qest_structure"),
        Field("multiple_redrives", "qeststuc[].qestrmec", 52, U32, "IXLLSTM redrives.", dims=((64, 64),), child="qest_structure"),
        Field("structure_fulls", "qeststuc[].qestsful", 56, U32, "Structure-full conditions.", dims=((64, 64),), child="qest_structure"),
        Field("entries_high", "qeststuc[].qestmnus", 60, U32, "Highest number of list entries in use.", kind="high", dims=((64, 64),), child="qest_structure"),
        Field("elements_high", "qeststuc[].qestmlus", 64, U32, "Highest number of list elements in use.", kind="high", dims=((64, 64),), child="qest_structure"),
        Unused(4, at=68, dims=((64, 64),)),
    ),
    children=(
        Child(
            "qest_structure",
            "Coupling facility manager statistics, one row per CF structure.",
            (Key("slot", 64, "Slot of the CF structure in the block."),),
            has="has_structures",
        ),
    ),
    slots="qest_structure",
)  # fmt: skip
