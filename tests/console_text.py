"""Responses to DISPLAY commands in the format of MQ with names of our own, and how consoles, logs and utilities write
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

RESPONSES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "DISPLAY QMGR": (
        """\
CSQM201I !MQ07 CSQMDRTC  DISPLAY QMGR DETAILS
QMNAME(MQ07)
DESCR(orders (north) and MAXCHL notes)
MAXCHL(900)
ACTCHL(800)
CHIADAPS(30)
CHIDISPS(20)
SSLTASKS(21)
TCPCHL(900)
MAXUMSGS(10000)
EXPRYINT(OFF)
SSLRKEYC(52428800)
QSGNAME(QSG1)
DEADQ(MQ07.DEAD.QUEUE)
DEFXMITQ( )
END QMGR DETAILS
CSQ9022I !MQ07 CSQMDRTC ' DISPLAY QMGR' NORMAL COMPLETION
""",
        {
            "maxchl": 900, "actchl": 800, "chiadaps": 30, "chidisps": 20, "ssltasks": 21, "maxumsgs": 10000, "sslrkeyc_bytes": 52428800.0,
            "qsg": "QSG1", "dead_letter_queues": ["MQ07.DEAD.QUEUE"],
        },
    ),
    "DISPLAY LOG": (
        """\
CSQJ322I !MQ07 DISPLAY LOG report ...
Parameter   Initial value       SET value
----------- ------------------- -------------------
INBUFF      60
OUTBUFF     4000
MAXRTU      2
MAXARCH     500                 600
TWOACTV     YES
TWOARCH     YES
TWOBSDS     YES
OFFLOAD     YES
MAXCNOFF    31
WRTHRSH     20
DEALLCT     0
COMPLOG     NONE
ZHYWRITE    NO
ZHYLINK     YES
End of LOG report
CSQJ370I !MQ07 LOG status report ...
Copy %Full zHyperWrite Encrypted DSName
1     68   NO          NO        MQ07.LOGCOPY1.DS01
2     68   NO          NO        MQ07.LOGCOPY2.DS01
Restarted at 2026-05-27 06:01:02 using RBA=000000000891B000
Latest RBA=000000000891CCF8
Offload task is AVAILABLE
Full logs to offload - 0 of 8
CSQ9022I !MQ07 CSQJC001 ' DISPLAY LOG' NORMAL COMPLETION
""",
        {"inbuff_kib": 60.0, "outbuff_kib": 4000.0, "maxarch": 600, "wrthrsh": 20, "complog": "NONE", "zhywrite": False, "zhylink": True, "archive_copies": 2},
    ),
    "DISPLAY SYSTEM": (
        """\
CSQJ322I !MQ07 DISPLAY SYSTEM report ...
Parameter   Initial value       SET value
----------- ------------------- -------------------
LOGLOAD     500000              4000000
CMDUSER     CSQOPR
SMFACCT     NO (00000000)
STATIME     30
ACCTIME     -1
OTMACON
  GROUP
  DRUEXIT   DFSYDRU0
  AGE       2147483647
QSGDATA
  QSGNAME   QSG1
  DB2SERV   4
End of SYSTEM report
CSQ9022I !MQ07 CSQJC001 ' DISPLAY SYSTEM' NORMAL COMPLETION
""",
        {"logload": 4000000, "statime_min": 30.0, "qsg": "QSG1"},
    ),
    "DISPLAY ARCHIVE": (
        """\
CSQJ322I !MQ07 DISPLAY ARCHIVE report ...
Parameter   Initial value       SET value
----------- ------------------- -------------------
UNIT        TAPE
PRIQTY      25715
ARCWRTC     1,3,4
End of ARCHIVE report
CSQJ325I !MQ07 ARCHIVE tape unit report ...
No tape archive reading activity
End of tape unit report
CSQ9022I !MQ07 CSQJC001 ' DISPLAY ARCHIVE' NORMAL COMPLETION
""",
        {},
    ),
    "DISPLAY USAGE": (
        """\
CSQI010I !MQ07 Page set usage ...
_     Page Buffer  Total  Unused Persistent NonPersist Expansion
_     set  pool   pages   pages data pages data pages count
_      0      0     1602    1553         49          0 USER     0
_      4      3  1048000  900000     100000       1000 SYSTEM   2
End of page set report
CSQI065I !MQ07 Buffer pool attributes ...
_    Buffer  Available  Stealable  Stealable  Page   Location
_     pool    buffers    buffers   percentage class
_       0      20000      19950        99     4KB     BELOW
_       3     200000     150000        75     FIXED4KB ABOVE
End of buffer pool attributes
CSQE285I !MQ07 SMDS buffer usage ...
   Application  Block -------- Buffers --------  Reads Lowest  Wait
    structure    size  Total  In use   Saved saved   free  rate
_  APPL1         256K    100      0       60   15%     72    0%
End of SMDS buffer report
CSQ9022I !MQ07 CSQIDUSE ' DISPLAY USAGE' NORMAL COMPLETION
""",
        {
            "page_set_pages.0": 1602, "page_set_pages.4": 1048000, "page_set_expand.0": "USER", "page_set_expand.4": "SYSTEM",
            "buffers.0": 20000, "buffers.3": 200000, "dsblock_kib.APPL1": 256.0, "dsbufs.APPL1": 100,
        },
    ),
    "DISPLAY CHINIT": (
        """\
CSQX830I !MQ07 CSQXRDQM Channel initiator active
CSQX002I !MQ07 CSQXRDQM Queue-sharing group is QSG1
CSQX831I !MQ07 CSQXRDQM 8 adapter subtasks started, 30 requested
CSQX832I !MQ07 CSQXRDQM 20 dispatchers started, 20 requested
CSQX833I !MQ07 CSQXRDQM 21 SSL server subtasks started, 21 requested
CSQX840I !MQ07 CSQXRDQM 12 channels current, maximum 900
CSQX841I !MQ07 CSQXRDQM 11 channels active, maximum 800, including 0 paused
CSQX842I !MQ07 CSQXRDQM 0 channels starting, 1 stopped, 0 retrying
CSQX836I !MQ07 CSQXRDQM Maximum channels - TCP/IP 900, LU 6.2 200
CSQX845I !MQ07 CSQXRDQM TCP/IP system name is TCPIP
CSQ9022I !MQ07 CSQXCRPS ' DISPLAY CHINIT' NORMAL COMPLETION
""",
        {"qsg": "QSG1", "chiadaps": 30, "chidisps": 20, "ssltasks": 21, "maxchl": 900, "actchl": 800},
    ),
    "DISPLAY CFSTATUS": (
        """\
CSQM293I !MQ07 CSQMDRTC 2 CFSTATUS FOUND MATCHING REQUEST CRITERIA
CSQM201I !MQ07 CSQMDRTC DISPLAY CFSTATUS DETAILS
CFSTATUS(APPL1)
TYPE(SUMMARY)
CFTYPE(APPL)
STATUS(ACTIVE)
SIZEMAX(12288)
SIZEUSED(5)
ENTSMAX(10000)
ENTSUSED(30)
FAILTIME( )
FAILDATE( )
OFFLDUSE(SMDS)
END CFSTATUS DETAILS
CSQM201I !MQ07 CSQMDRTC DISPLAY CFSTATUS DETAILS
CFSTATUS(CSQ_ADMIN)
TYPE(SUMMARY)
CFTYPE(ADMIN)
SIZEMAX(65536)
ENTSMAX(1200)
END CFSTATUS DETAILS
CSQ9022I !MQ07 CSQMDRTC ' DISPLAY CFSTATUS' NORMAL COMPLETION
""",
        {
            "structure_bytes.APPL1": 12582912, "cf_entries.APPL1": 10000, "structure_bytes.CSQ_ADMIN": 67108864, "cf_entries.CSQ_ADMIN": 1200,
            "csq_admin_entsmax": 1200,
        },
    ),
    "DISPLAY CFSTRUCT": (
        """\
CSQM201I !MQ07 CSQMDRTC DISPLAY CFSTRUCT DETAILS
CFSTRUCT(APPL2)
DESCR( )
CFLEVEL(5)
RECOVER(YES)
OFFLOAD(SMDS)
OFFLD1SZ(32K)
OFFLD1TH(70)
OFFLD2SZ(4K)
OFFLD2TH(80)
OFFLD3SZ(0K)
OFFLD3TH(90)
DSGROUP('MQ.QSG1.*.APPL2')
DSBLOCK(1M)
DSBUFS(200)
DSEXPAND(YES)
RECAUTO(YES)
CFCONLOS(ASQMGR)
END CFSTRUCT DETAILS
CSQ9022I !MQ07 CSQMDRTC ' DISPLAY CFSTRUCT' NORMAL COMPLETION
""",
        {
            "cflevel.APPL2": 5, "cf_recover.APPL2": True, "cf_offload.APPL2": "SMDS", "offld1sz_kib.APPL2": 32.0, "offld1th_pct.APPL2": 70,
            "offld2sz_kib.APPL2": 4.0, "offld2th_pct.APPL2": 80, "offld3sz_kib.APPL2": 0.0, "offld3th_pct.APPL2": 90, "dsblock_kib.APPL2": 1024.0,
            "dsbufs.APPL2": 200,
        },
    ),
    "DISPLAY SMDS": (
        """\
CSQM201I !MQ07 CSQMDRTC DISPLAY SMDS DETAILS
SMDS(MQ07)
CFSTRUCT(APPL3)
DSBUFS(400)
DSEXPAND(DEFAULT)
END SMDS DETAILS
CSQM201I !MQ07 CSQMDRTC DISPLAY SMDS DETAILS
SMDS(MQ07)
CFSTRUCT(APPL4)
DSBUFS(DEFAULT)
END SMDS DETAILS
CSQ9022I !MQ07 CSQMDRTC ' DISPLAY SMDS' NORMAL COMPLETION
""",
        {"dsbufs.APPL3": 400},
    ),
    "DISPLAY SMDSCONN": (
        """\
CSQM201I !MQ07 CSQMDRTC DISPLAY SMDSCONN DETAILS
SMDSCONN(MQ07)
CFSTRUCT(APPL3)
OPENMODE(UPDATE)
STATUS(OPEN)
AVAIL(NORMAL)
EXPANDST(NORMAL)
END SMDSCONN DETAILS
""",
        {},
    ),
    "messages of the log": (
        """\
CSQX004I !MQ07 CSQXSPRM Channel initiator is using 40 MB of local storage, 1503 MB are free
CSQJ002I !MQ07 END OF ACTIVE LOG DATA SET DSNAME=MQ07.LOGCOPY1.DS01, STARTRBA=0000000000000000 ENDRBA=00000000FFFFFFFF
""",
        {"chin_31bit_total_mb": 1543.0, "active_log_mb": 4096.0},
    ),
    "newer messages of the log": (
        """\
CSQX004I !MQ07 CSQXSPRM Channel initiator storage usage :-
 Local storage: used 40MB, free 1503MB
 Above bar: used 100MB, free 2GB
""",
        {"chin_31bit_total_mb": 1543.0},
    ),
    "a buffer pool of older releases": ("CSQP001I !MQ07 Buffer pool 2 has 5000 buffers\n", {"buffers.2": 5000}),
}  # fmt: skip
"""Command -> the response, and the facts of queue manager MQ07 in it, with the key of a map after a full stop."""

ALL = "".join(text for text, _ in RESPONSES.values())


def each_line(prefix: str) -> Callable[[str], str]:
    """A log that puts the same before every line."""
    return lambda text: "".join(f"{prefix}{line}\n" for line in text.splitlines())


def _with_numbers(text: str, first: str, more: str, number: int) -> str:
    """A log that numbers the messages of many lines from 100 + `number` in twos, and puts this number before the lines
    that continue them.
    """
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("CSQ"):
            number += 2
            many = re.search(r"report|usage|attributes|DETAILS", line)
            lines.append(f"{first.replace('?', 'M' if many else 'N')}{line}{f' {100 + number % 900}' if many else ''}")
        else:
            kind = "E" if line.lower().startswith("end") else "D"
            lines.append(f"{more.replace('?', kind).replace('###', str(100 + number % 900))}{line}")
    return "\n".join(lines) + "\n"


def syslog(text: str, number: int = 0) -> str:
    """SYSLOG and OPERLOG."""
    first = "? 4000000 SYS1     26147 09:30:01.12 STC01234 00000090  "
    return _with_numbers(text, first, f"?{' ' * 41}### 00000090  ", number)


def job_log(text: str) -> str:
    """JESMSGLG."""
    return _with_numbers(text, "09.30.01 S0001234  ", "   ###             ", 0)


STYLES: Mapping[str, Callable[[str], str]] = {
    "plain": str,
    "times": each_line("2026-05-27 09:30:01.12 STC01234  "),
    "SDSF": each_line("SYS1     26147  09:30:01.12 STC01234    "),
    "SYSLOG": syslog,
    "job log": job_log,
}

OTHERS: Mapping[str, Callable[[str], str]] = {
    "CR LF": lambda text: text.replace("\n", "\r\n"),
    "carriage control": each_line(" "),
    "cards": lambda text: "".join(f"{line:<80}\n" for line in text.splitlines()),
    "tabs": lambda text: re.sub("   +", "\t", text),
    "no-break spaces": lambda text: text.replace(" ", "\xa0"),
    "lower case": lambda text: "".join(
        line if line.startswith("DEADQ") else line.lower() for line in text.splitlines(keepends=True)
    ),
    "authorised": lambda text: re.sub(r"(?m)^CSQX", "+CSQX", text),
    "prefix first": lambda text: re.sub(r"(?m)^(CSQ\w+) (!MQ07)", r"\2 \1", text),
    "several attributes in a line": lambda text: re.sub(r"\)\n(?=[A-Z0-9]+\()", ") ", text),
    "utility": lambda text: re.sub(r"(?m)^CSQ9022I", "CSQN205I   COUNT=       3, RETURN=00000000, REASON=00000000\nCSQ9022I", text)
    + "CSQU057I 9 commands read\nCSQU058I 9 commands issued and responses received, 0 failed\n",
}  # fmt: skip
"""More ways to write a plain text."""


def wrapped(text: str, columns: int, *, strip: bool = False, indent: str = "") -> str:
    """The text with lines cut at a column; with the spaces at the cut removed, or the rest indented."""
    lines: list[str] = []
    for line in text.splitlines():
        pieces = [line[at : at + columns] for at in range(0, len(line), columns)] or [""]
        first, *rest = (piece.rstrip() if strip else piece for piece in pieces)
        lines += [first, *(f"{indent}{piece}" for piece in rest)]
    return "\n".join(lines) + "\n"
