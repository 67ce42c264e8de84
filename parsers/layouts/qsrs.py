"""QSRS - storage manager region summary: 24-bit, 31-bit and 64-bit storage.

Where:  SMF 115 subtype 7, triplet 1
Manual: IBM MQ for z/OS, "Self-defining sections"; no page of its own, part of it is for IBM only
Size:   232 bytes (10.0.0)
"""

from __future__ import annotations

from mqstat.parsers.kit import S32, S64, U8, U16, U64, Ebcdic, Field, Layout, Unused

QSRS = Layout(
    "qsrs",
    "Storage manager region summary",
    size=232,
    eyecatcher="QSRS",
    identifier=0xE20C,
    routes=((115, 7, 1),),
    fields=(
        Field("struct_id", "qsrsid", 0, U16, "Control block identifier.", kind="internal", unit="number"),
        Field("struct_length", "qsrsll", 2, U16, "Length of this section, including the identifier.", kind="internal", unit="bytes"),
        Field("eyecatcher", "qsrseyec", 4, Ebcdic(4), "Eye catcher, always QSRS.", kind="internal", unit="text", sharing="public"),
        Field("global_fixed_pool_bytes", "qsrsphbgf", 8, S32, "Fixed pools in global storage in bytes.", kind="gauge", unit="bytes"),
        Field("global_variable_pool_bytes", "qsrsphbgv", 12, S32, "Variable pools in global storage in bytes.", kind="gauge", unit="bytes"),
        Field("local_fixed_pool_bytes", "qsrsphblf", 16, S32, "Fixed pools in local storage in bytes.", kind="gauge", unit="bytes"),
        Field("local_variable_pool_bytes", "qsrsphblv", 20, S32, "Variable pools in local storage in bytes.", kind="gauge", unit="bytes"),
        Field("getmained_bytes", "qsrsgmbt", 24, S32, "Storage from GETMAINs in bytes.", kind="gauge", unit="bytes"),
        Field("stack_bytes", "qsrsstkt", 28, S32, "Stack storage in bytes.", kind="gauge", unit="bytes"),
        Field("region_24_start_address", "qsrsstrta", 32, S32, "24-bit region start address.", kind="internal", unit="id"),
        Field("region_24_bytes", "qsrssiza", 36, S32, "24-bit region size in bytes.", kind="setting", unit="bytes"),
        Field("region_24_top_address", "qsrscrgtp", 40, S32, "24-bit region top address.", kind="internal", unit="id"),
        Field("region_24_limit_bytes", "qsrslimit", 44, S32, "24-bit region limit.", kind="setting", unit="bytes"),
        Field("user_24_bytes", "qsrsloal", 48, S32, "24-bit user storage allocated in bytes.", kind="gauge", unit="bytes"),
        Field("user_24_bytes_before", "qsrsoloal", 52, S32, "24-bit user storage allocated at the previous record.", kind="gauge", unit="bytes"),
        Field("system_24_bytes", "qsrshial", 56, S32, "24-bit system storage allocated in bytes.", kind="gauge", unit="bytes"),
        Field("system_24_bytes_before", "qsrsohial", 60, S32, "24-bit system storage allocated at the previous record.", kind="gauge", unit="bytes"),
        Field("smf_limit_24_bytes", "qsrssmfl", 64, S32, "24-bit limit known to SMF in bytes.", kind="setting", unit="bytes", never_set=-1),
        Field("smf_region_24_bytes", "qsrssmfr", 68, S32, "24-bit region known to SMF in bytes.", kind="setting", unit="bytes", never_set=-1),
        Field("region_31_start_address", "qsrsestra", 72, S32, "31-bit region start address.", kind="internal", unit="id"),
        Field("region_31_bytes", "qsrsesiza", 76, S32, "31-bit region size in bytes.", kind="setting", unit="bytes"),
        Field("region_31_top_address", "qsrsergtp", 80, S32, "31-bit region top address.", kind="internal", unit="id"),
        Field("region_31_limit_bytes", "qsrselim", 84, S32, "31-bit region limit.", kind="setting", unit="bytes"),
        Field("user_31_bytes", "qsrseloal", 88, S32, "31-bit user storage allocated in bytes.", kind="gauge", unit="bytes"),
        Field("user_31_bytes_before", "qsrsoeloal", 92, S32, "31-bit user storage allocated at the previous record.", kind="gauge", unit="bytes"),
        Field("system_31_bytes", "qsrsehial", 96, S32, "31-bit system storage allocated in bytes.", kind="gauge", unit="bytes"),
        Field("system_31_bytes_before", "qsrsoehial", 100, S32, "31-bit system storage allocated at the previous record.", kind="gauge", unit="bytes"),
        Field("smf_limit_31_bytes", "qsrssmfel", 104, S32, "31-bit limit known to SMF in bytes.", kind="setting", unit="bytes", never_set=-1),
        Field("smf_region_31_bytes", "qsrssmfer", 108, S32, "31-bit region known to SMF in bytes.", kind="setting", unit="bytes", never_set=-1),
        Field("memlimit_mib", "qsrsmemlim", 112, U64, "MEMLIMIT in megabytes; null if there is no limit.", kind="setting", unit="mib", no_limit=17_592_186_040_320),
        Field("memory_object_bytes", "qsrsabytes", 120, U64, "Total bytes of 64-bit memory objects.", kind="gauge", unit="bytes"),
        Field("usable_64_bytes_high", "qsrsgbytes", 128, U64, "High-water mark of usable 64-bit bytes.", kind="high", unit="bytes"),
        Field("memory_objects", "qsrsnmomb", 136, S32, "64-bit memory objects allocated.", kind="gauge"),
        Field("memlimit_source", "qsrsmemlims", 140, U8, "Source of MEMLIMIT, a one-byte code.", kind="code", unit="id"),
        Unused(3, at=141),
        Field("backed_frames", "qsrsfmct", 144, S32, "Real storage frames that back the storage (RAX count).", kind="gauge", unit="pages"),
        Unused(4, at=148),
        Field("available_31_bytes", "qsrsaval", 152, S32, "31-bit storage still available in bytes.", kind="gauge", unit="bytes"),
        Field("mvs_reserve_31_bytes", "qsrsmvs", 156, S32, "31-bit storage reserved for MVS in bytes.", kind="setting", unit="bytes"),
        Field("critical_reserve_31_bytes", "qsrscrit", 160, S32, "31-bit critical reserve in bytes.", kind="setting", unit="bytes"),
        Field("sos_reserve_31_bytes", "qsrssos", 164, S32, "31-bit short-on-storage reserve in bytes.", kind="setting", unit="bytes"),
        Field("available_64_bytes", "qsrsaval64", 168, S64, "64-bit storage still available in bytes; signed, and negative if there is no MEMLIMIT.", kind="gauge", unit="bytes", never_negative=True),
        Field("cushion_64_bytes", "qsrscush64", 176, U64, "64-bit cushion in bytes; 1844674406941458432 (a tenth of 2**64) if there is no MEMLIMIT.", kind="setting", unit="bytes", no_limit=1_844_674_406_941_458_432),
        Field("smds_64_bytes", "qsrssmds64", 184, U64, "64-bit storage for SMDS buffers in bytes.", kind="gauge", unit="bytes"),
        Field("latch_waits_global_fixed", "qsrsphblgf", 192, U64, "Latch waits for fixed pools in global storage."),
        Field("latch_waits_global_variable", "qsrsphblgv", 200, U64, "Latch waits for variable pools in global storage."),
        Field("latch_waits_local_fixed", "qsrsphbllf", 208, U64, "Latch waits for fixed pools in local storage."),
        Field("latch_waits_local_variable", "qsrsphbllv", 216, U64, "Latch waits for variable pools in local storage."),
        Field("latch_waits_getmain", "qsrsgmbl", 224, U64, "Latch waits for GETMAIN storage."),
    ),
)  # fmt: skip
