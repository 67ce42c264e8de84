"""What every argument and option of the command line means: the sentences of --help and docs/cli.md."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "DUMP": "An SMF dump: a file, an archive, a compressed file, or - for standard input.",
        "DUMP...": "SMF dumps: files, folders, archives (zip, tar), compressed files (gz, zst, bz2, lz4, xz), or - "
        "for standard input.",
        "[DIR]": "A dataset created by mqstat ingest.",
        "[DUMP...]": "SMF dumps: files, folders, archives, compressed files, or - for standard input.",
        "compare A": "A dump or a dataset; with --from a date or a period of days (D..D).",
        "compare B": "Second dump, dataset, date or period; it is compared with A.",
        "daily CONFIG": "Configuration file (TOML); --init creates one.",
        "drop SOURCE": "The number or the name of an input, as ingest printed it and table source has it.",
        "explain NAME": "A rule (BP004), a column (buffer_pool.lowest_free_pct or lowest_free_pct), a field "
        "(QPSTCBSL), a report or picture (log/busy), a plan (log_size_and_count), a view or table (buffer_pool, qpst, "
        "decoded.record), an area (log), a message (CSQE038E) or an APAR.",
        "help [COMMAND]": "A command, such as report or site init.",
        "plan [NAME]": "A plan, such as log_size_and_count. Without a name all plans are listed with the question "
        "that each answers.",
        "prove RULE/QMGR": "The key of a finding as reports show it, such as BP002/MQ05 or BP002/SYS1.MQ05.",
        "reports [AREA]": "Only the reports of this area, such as log.",
        "site check FILE": "A site file (TOML).",
        "redact DUMP": "An SMF dump (a file, an archive, a compressed file, or - for standard input).",
        "sql QUERY": "A SELECT over tables and views; mqstat tables lists them.",
        "trace RECORD": "Record number, from 0 (column record_number of table record), or @ and its offset in bytes "
        "as a finding shows it.",
        "--again": "Also add content that mqstat drop has taken out, or that was replaced.",
        "--against DUMP": "Also decode this dump again and compare every value with the dataset; repeatable. Return "
        "code 8 if they differ, 12 if it is not a source of the dataset.",
        "--all": "Write all structures, record.csv and counts.csv; requires --into.",
        "--application PATTERN": "Only applications whose name matches (* and ?). Repeatable.",
        "--applications N": "Also the N busiest applications of each queue manager.",
        "--baseline SPAN": "With --from and --date: compare each hour of that day with this many days before it, such "
        "as 28d or 4w.",
        "--before DATE": "Remove the days before this local date, such as 2026-01-31.",
        "--bug-compatible": "Repeat the known errors of the tool: each file is the same byte for byte.",
        "--by STEP": "In reports by interval: one row per interval, hour or day (local time).",
        "--channel PATTERN": "Only channels whose name matches (* and ?). Repeatable.",
        "--check": "Check the configuration, show what it does, and exit.",
        "--damage-limit PERCENT": "Up to this percentage of damaged bytes the return code is 4; above it, 12.",
        "--database URI": "Address of the database. What is missing comes from the environment of PostgreSQL (PGHOST, "
        "PGUSER, PGPASSWORD, PGPASSFILE, PGSERVICE); one with a password is refused.",
        "--date DATE": "Only this local day, such as 2026-05-21.",
        "--dd NAME": "Only the reports with the content that MP1B writes to these DDs, such as PSET,MSGM. Repeatable.",
        "--display FILE": "Output of CSQUTIL, or a console log that is not wrapped, with responses to DISPLAY "
        "commands (QMGR, LOG, SYSTEM, USAGE, CHINIT, CFSTATUS, CFSTRUCT, SMDS): add their facts. Repeatable.",
        "--dry-run": "Only show what would be removed.",
        "--dump DUMP": "With --from: a dump with the records, under any name and compression; their hashes decide. "
        "Repeatable.",
        "--fail-on SEVERITY": "Lowest severity that raises the return code: critical, warning, info or never.",
        "--finding RULE/QMGR": "Only this finding, such as BP002/MQ05, as text, Markdown or JSON; its state if it is "
        "not in breach.",
        "export series --findings": "Also run the rules: a series for each rule in breach on a queue manager.",
        "--force": "With --replace: also if the input does not have all undamaged records of the source.",
        "--format FORMAT": "{choices}.",
        "--framing FRAMING": "Framing of the records, if mqstat does not recognise it: rdw, bdw, no-rdw, length-prefixed or another "
        "of docs/framings.md.",
        "--from DIR": "Read this dataset (created by mqstat ingest) instead of dumps: a folder, or s3://BUCKET/KEY.",
        "compare --from DIR": "The dataset that contains both periods: a folder, or s3://BUCKET/KEY.",
        "dataset --from DIR": "The dataset (created by mqstat ingest): a folder, or s3://BUCKET/KEY.",
        "trace --from DIR": "RECORD is a record_id of this dataset (a folder, or s3://BUCKET/KEY), and DUMP the dump "
        "that it came from.",
        "--hold DAY[..DAY]": "Keep these days anyway; repeatable.",
        "daily --from DIR": "With --init: fill in this dataset, and the queue managers of its last seven days as those that are expected every day.",
        "--init": "Write a commented configuration to CONFIG and exit.",
        "export --into DIR": "Folder for the files; created if missing.",
        "export series --into DIR": "Write a file for each UTC day into this folder, created if missing, instead of "
        "all values to --output.",
        "export folder --into DIR": "Folder to write, created if missing; a folder with other files is refused.",
        "ingest --into DIR": "Dataset: a folder, created if missing, or s3://BUCKET/KEY.",
        "--jobs N": "Worker processes that decode dumps [default: one per processor].",
        "--keep DAYS": "Keep this many days, counted back from the newest day in the dataset.",
        "--key-file FILE": "Key of 16 or more bytes: the same key gives the same pseudonyms. Without a key or "
        "passphrase the key is random and not kept.",
        "--lpar NAME": "Only this LPAR. Repeatable.",
        "--max-rc N": "Limit the return code for findings and damage; 16 (internal error) is never limited.",
        "--now": "Delete the files of what left the dataset, now or before, at once: programs that read them fail.",
        "--only TYPE": "Only this SMF type: 115 (statistics) or 116 (accounting).",
        "--output PATH": "Write to this file instead of standard output. Parquet and CSV of several reports need a "
        "folder.",
        "--passphrase-file FILE": "Passphrase of 15 or more characters, from which the key is derived with scrypt.",
        "--prometheus URL": "Address of Prometheus, for the provisioning file.",
        "--protect": "Write a single quote before names that begin with = + - or @, which a spreadsheet runs as a "
        "formula. The tool does not.",
        "--qmgr NAME": "Only this queue manager. Repeatable.",
        "--queue PATTERN": "Only queues whose name matches (* and ?). Repeatable.",
        "--queues N": "Also the N busiest queues of each queue manager.",
        "--raw": "Write CSV texts exactly as recorded, with control characters and with texts that a spreadsheet "
        "would run as a formula.",
        "redact --into FILE": "Dump to write, with RDWs; an earlier file is replaced.",
        "--expect-generation N": "Return code 12 if the dataset has a lower generation: then it is an older copy.",
        "--rebuild-history": "Judge again all days whose data is in the dataset, for the history of findings, before "
        "the reports are written.",
        "--reason TEXT": "Why, as the dataset keeps it.",
        "--replace": "Replace the files of an earlier export in DIR.",
        "--replace SOURCE": "Take this source (number or name) out and add the input in its place, in one step. The "
        "input must not be ruined, and have every undamaged record of the source.",
        "--report NAME": "Only this report, such as buffer_pool/usage, or the reports of a DD name, with the rules "
        "that judge it. Repeatable.",
        "--retention CLASS=PERIOD": "Keep a class for a period, such as 116=30d or 115=13m; repeatable. Tables of "
        "both classes stay as long as the longer of the two.",
        "--rows": "Also check the rows: that each lies in an input and its record exists, that duplicates are equal, "
        "and that ledgers and statistics fit. --against does so too.",
        "--rule ID": "Only this rule, and rules that can silence or explain it. Repeatable.",
        "--schema": "Print the JSON Schema of --format json and exit.",
        "--schema NAME": "Schema of the tables; created if it is missing.",
        "--section N": "Only this section of the structure, counted from 0.",
        "--set NAME=VALUE": "A parameter with its unit, such as log_size=4GiB, or of one subject: "
        '"buffer_pool[3].buffers=60000", "buffer_pool[MQ01/3].buffers=60000", "qmgr[MQ01].log_size=4GiB". Repeatable.',
        "--shift OFFSET": "Move all clocks, such as by -400d or 3d7h20m5.25s; key: by whole weeks that follow from "
        "the key. A dataset moves by whole days.",
        "--since TIME": "Only from this local date or time, such as 2026-01-31 or 2026-01-31T08:00.",
        "--site FILE": "Site file (TOML): facts, limits and severities of this site.",
        "site init --site FILE": "With --display: add the facts to the text of this site file; what it sets is not "
        "changed.",
        "raw --structure NAME": "Structure to print, such as qpst, or record.",
        "trace --structure NAME": "Only sections of this structure.",
        "--systems": "Also replace the names of queue managers, LPARs and queue-sharing groups.",
        "--task COLUMN=PATTERN": "Only class 3 accounting of tasks such as connection_job=PAY*, channel_name, "
        "operator_id or task_correlator. Repeatable.",
        "--timeout SECONDS": "Stop a query that has not ended after this time.",
        "--today DATE": "Run as if today were this local date, to catch up or to test; yesterday is the day before it.",
        "map --top N": "The N busiest pairs of application and queue; the others are summed.",
        "report --top N": "Only the first N subjects of each report, with one row for all others and one for the "
        "total.",
        "--until TIME": "Only before this local time; a date alone includes that day.",
        "-v --verbose": "Print the whole report as text: also coverage, queue managers, verdicts, peaks, reports and "
        "evidence.",
        "--version": "Print the version and exit.",
        "--view NAME": "Only this view; mqstat tables lists them. Repeatable.",
        "export folder --views": "Also write the rows of all views.",
        "--wait SECONDS": "How long to wait while another mqstat writes to the dataset.",
        "--width N": "Width of text output in columns [default: COLUMNS, else 132].",
        "--write FILE": "Also write this file; the format follows the file extension ({choices}). Repeatable.",
        "--wsc N": "Only the reports that answer this query of the WSC samples.",
    }
)
"""By flag and metavar as --help shows them; a command is named first if the same flag means something else
elsewhere."""
