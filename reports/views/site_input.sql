/*---
id      = "site_input"
title   = "Facts from the site file"
grain   = "one row per lpar and qmgr; facts that the site file does not give are null"
needs   = ["decoded.site_input"]

[columns]
active_logs = { unit = "count", kind = "setting", doc = "Number of active log data sets per copy." }
expected_members = { unit = "text", kind = "setting", doc = "Queue managers that should report." }
active_log_mb = { unit = "mib", kind = "setting", doc = "Size of one active log, in units of 1048576 bytes." }
archive_copies = { unit = "count", kind = "setting", doc = "Archive copies written (0, 1, 2)." }
metro_mirror = { unit = "flag", kind = "setting", doc = "Active logs mirrored synchronously." }
log_stripes = { unit = "count", kind = "setting", doc = "Stripes of the active logs." }
log_device = { unit = "text", kind = "setting", doc = "Device profile name of the reference table." }
log_peak_mb_s = { unit = "mib_per_s", kind = "setting", doc = "Highest sustainable log rate of the DASD, per copy, in units of 1048576 bytes." }
log_read_forward_mib_per_s = { unit = "mib_per_s", kind = "setting", doc = "Log read rate forward at restart." }
log_read_backward_mib_per_s = { unit = "mib_per_s", kind = "setting", doc = "Log read rate backward at restart." }
page_read_us = { unit = "us", kind = "setting", doc = "Time to read one page from a page set at restart." }
logload = { unit = "count", kind = "setting", doc = "LOGLOAD in force." }
outbuff_kib = { unit = "kib", kind = "setting", doc = "OUTBUFF." }
single_logging_accepted = { unit = "flag", kind = "setting", doc = "Single logging is intended." }
offload_off_accepted = { unit = "flag", kind = "setting", doc = "OFFLOAD=NO is intended." }
low_logload_accepted = { unit = "flag", kind = "setting", doc = "A LOGLOAD below the recommended range is intended." }
zhl_pfids = { unit = "count", kind = "setting", doc = "Number of zHyperLink function ids that the log volumes share." }
zhl_other_sessions = { unit = "count", kind = "setting", doc = "Number of zHyperLink write sessions of other users of the same volumes." }
cpus = { unit = "count", kind = "setting", doc = "Processors of the LPAR." }
chin_31bit_total_mb = { unit = "mib", kind = "setting", doc = "31-bit storage of the channel initiator, used plus free (CSQX004I), in units of 1048576 bytes." }
structure_bytes_by_structure = { unit = "bytes", kind = "setting", doc = "Size of the CF structure, per structure name." }
cf_entries_by_structure = { unit = "count", kind = "setting", doc = "Entries of the CF structure, per structure name." }
cf_elements_by_structure = { unit = "count", kind = "setting", doc = "Elements of the CF structure, per structure name." }
page_set_max_gb_by_page_set = { unit = "gib", kind = "setting", doc = "Largest size that the data set of a page set can reach, in units of 1073741824 bytes: 4 without extended addressability, otherwise what its volumes have space for, at most 64; per page set number." }
csq_admin_entsmax = { unit = "count", kind = "setting", doc = "Maximum number of entries of the CSQ_ADMIN structure." }
duplexed_structures = { unit = "text", kind = "setting", doc = "Names of system-managed duplexed structures, or patterns with * and ?." }
smds_offload_custom = { unit = "text", kind = "setting", doc = "Structures with intentionally changed offload rules, by name or pattern with * and ?." }
xmit_queues = { unit = "text", kind = "setting", doc = "Names of transmission queues, or patterns with * and ?." }
ims_bridge_queues = { unit = "text", kind = "setting", doc = "Names of IMS bridge queues, or patterns with * and ?." }
ams_queues = { unit = "text", kind = "setting", doc = "Names of queues with an AMS policy, or patterns with * and ?." }
ams_channels = { unit = "text", kind = "setting", doc = "Names of channels with SPLPROT other than PASSTHRU, or patterns with * and ?." }
dead_letter_queues = { unit = "text", kind = "setting", doc = "Names of the dead-letter queues, or patterns with * and ?; SYSTEM.DEAD.LETTER.QUEUE if not given." }
retained_queues = { unit = "text", kind = "setting", doc = "Names of queues that keep messages on purpose, or patterns with * and ?." }
stopped_channels = { unit = "text", kind = "setting", doc = "Names of channels that are stopped on purpose, or patterns with * and ?." }
pool_role_by_pool = { unit = "text", kind = "setting", doc = "Short, bulk or other, per buffer pool number." }
maxdepth_by_queue = { unit = "count", kind = "setting", doc = "MAXDEPTH, per queue name or pattern with * and ?; the longest pattern that fits a queue wins." }
latency_us_by_channel = { unit = "us", kind = "setting", doc = "One-way link latency, per channel, connection name or address, or pattern with * and ?; the longest pattern that fits wins, a name before all patterns." }
application_group_by_application = { unit = "text", kind = "setting", doc = "Name of a group of applications, per pattern of their names with * and ?; the first pattern that an application matches gives its name." }
xmitq_by_channel = { unit = "text", kind = "setting", doc = "Transmission queue (XMITQ), per channel name." }
tls_required = { unit = "flag", kind = "setting", doc = "Channels must use TLS." }
tls_exempt = { unit = "text", kind = "setting", doc = "Channels, connection names or addresses that need no TLS, or patterns with * and ?." }
min_partner_version = { unit = "text", kind = "setting", doc = "Lowest MQ level a partner may have, such as 9.3.0." }
dse_required = { unit = "flag", kind = "setting", doc = "Data sets must be encrypted." }
no_class3 = { unit = "flag", kind = "setting", doc = "Class 3 accounting is off on purpose." }
msu_price = { unit = "number", kind = "setting", doc = "Price of one CPU second for chargeback." }
criticality = { unit = "text", kind = "setting", doc = "Class of service label of the queue manager." }
role = { unit = "text", kind = "setting", doc = "Production or test: rules about redundancy and logging do not apply to a test queue manager." }
wrthrsh = { unit = "count", kind = "setting", doc = "WRTHRSH: filled output buffers at which the log is written." }
maxarch = { unit = "count", kind = "setting", doc = "MAXARCH: archive logs that the BSDS records." }
chiadaps = { unit = "count", kind = "setting", doc = "CHIADAPS: adapter tasks of the channel initiator." }
chidisps = { unit = "count", kind = "setting", doc = "CHIDISPS: dispatchers of the channel initiator." }
ssltasks = { unit = "count", kind = "setting", doc = "SSLTASKS: TLS tasks of the channel initiator." }
maxchl = { unit = "count", kind = "setting", doc = "MAXCHL: channels that can be current." }
actchl = { unit = "count", kind = "setting", doc = "ACTCHL: channels that can be active." }
maxumsgs = { unit = "count", kind = "setting", doc = "MAXUMSGS: messages in one unit of work." }
inbuff_kib = { unit = "kib", kind = "setting", doc = "INBUFF." }
statime_min = { unit = "min", kind = "setting", doc = "STATIME, in minutes." }
acctime_min = { unit = "min", kind = "setting", doc = "ACCTIME, in minutes; null if STATIME applies." }
expryint_s = { unit = "s", kind = "setting", doc = "EXPRYINT: seconds between scans for expired messages; null if OFF." }
sslrkeyc_bytes = { unit = "bytes", kind = "setting", doc = "SSLRKEYC: bytes on a channel after which the TLS key is negotiated again; 0 = never." }
zhywrite = { unit = "flag", kind = "setting", doc = "ZHYWRITE: active logs are written with zHyperWrite." }
zhylink = { unit = "flag", kind = "setting", doc = "ZHYLINK: active logs are written with zHyperLink." }
complog = { unit = "text", kind = "setting", doc = "COMPLOG: log compression (NONE, RLE or ANY)." }
dsbufs_by_structure = { unit = "count", kind = "setting", doc = "DSBUFS: buffers for the shared message data set, per structure name." }
cflevel_by_structure = { unit = "count", kind = "setting", doc = "CFLEVEL of the CFSTRUCT object, per structure name." }
offld1th_pct_by_structure = { unit = "percent", kind = "setting", doc = "OFFLD1TH: use of the structure at which the first offload rule applies, per structure name." }
offld2th_pct_by_structure = { unit = "percent", kind = "setting", doc = "OFFLD2TH: use of the structure at which the second offload rule applies, per structure name." }
offld3th_pct_by_structure = { unit = "percent", kind = "setting", doc = "OFFLD3TH: use of the structure at which the third offload rule applies, per structure name." }
dsblock_kib_by_structure = { unit = "kib", kind = "setting", doc = "DSBLOCK: logical block of the shared message data set, per structure name." }
offld1sz_kib_by_structure = { unit = "kib", kind = "setting", doc = "OFFLD1SZ: messages larger than this are offloaded by the first rule, per structure name." }
offld2sz_kib_by_structure = { unit = "kib", kind = "setting", doc = "OFFLD2SZ: messages larger than this are offloaded by the second rule, per structure name." }
offld3sz_kib_by_structure = { unit = "kib", kind = "setting", doc = "OFFLD3SZ: messages larger than this are offloaded by the third rule, per structure name." }
cf_offload_by_structure = { unit = "text", kind = "setting", doc = "OFFLOAD of the CFSTRUCT object (SMDS, DB2 or NONE), per structure name." }
cf_recover_by_structure = { unit = "flag", kind = "setting", doc = "RECOVER of the CFSTRUCT object: persistent messages can be recovered, per structure name." }
buffers_by_pool = { unit = "count", kind = "setting", doc = "BUFFERS of the buffer pool, per buffer pool number." }
page_set_pages_by_page_set = { unit = "count", kind = "setting", doc = "Pages of the page set, per page set number." }
page_set_expand_by_page_set = { unit = "text", kind = "setting", doc = "EXPAND of the page set (USER, SYSTEM or NONE), per page set number." }
rates = { unit = "text", kind = "setting", doc = "Rates of chargeback (tables [[rate]]) in the order of the file: charge_to, patterns, prices, currency and decimals." }
---*/
SELECT lpar, qmgr, qsg, active_logs, expected_members, active_log_mb, archive_copies, metro_mirror, log_stripes, log_device, log_peak_mb_s, log_read_forward_mib_per_s, log_read_backward_mib_per_s, page_read_us, logload, outbuff_kib, single_logging_accepted, offload_off_accepted, low_logload_accepted, zhl_pfids, zhl_other_sessions, cpus, chin_31bit_total_mb, structure_bytes_by_structure, cf_entries_by_structure, cf_elements_by_structure, page_set_max_gb_by_page_set, csq_admin_entsmax, duplexed_structures, smds_offload_custom, xmit_queues, ims_bridge_queues, ams_queues, ams_channels, dead_letter_queues, retained_queues, stopped_channels, pool_role_by_pool, maxdepth_by_queue, latency_us_by_channel, application_group_by_application, xmitq_by_channel, tls_required, tls_exempt, min_partner_version, dse_required, no_class3, msu_price, criticality, role, wrthrsh, maxarch, chiadaps, chidisps, ssltasks, maxchl, actchl, maxumsgs, inbuff_kib, statime_min, acctime_min, expryint_s, sslrkeyc_bytes, zhywrite, zhylink, complog, dsbufs_by_structure, cflevel_by_structure, offld1th_pct_by_structure, offld2th_pct_by_structure, offld3th_pct_by_structure, dsblock_kib_by_structure, offld1sz_kib_by_structure, offld2sz_kib_by_structure, offld3sz_kib_by_structure, cf_offload_by_structure, cf_recover_by_structure, buffers_by_pool, page_set_pages_by_page_set, page_set_expand_by_page_set, rates
FROM decoded.site_input
