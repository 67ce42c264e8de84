"""The responses to DISPLAY commands of MQ that are read: their messages, keywords, sentences and rows.

Source: IBM MQ for z/OS, Messages and codes (CSQE, CSQI, CSQJ, CSQM, CSQP, CSQX), and the descriptions of the DISPLAY
commands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HEAD = r"\s*(?:(?P<cpf>\S{1,8}?)\s+)??(?:CSQ[0-9A-Z]{4,5}\s+)?"

QMGR_KEYWORDS = _words(
    "ACCTCONO ACCTINT ACCTMQI ACCTQ ACTCHL ACTIVREC ACTVCONO ACTVTRC ADOPTCHK ADOPTMCA ADVCAP ALTDATE ALTTIME AMQPCAP AUTHOREV BRIDGEEV CAPEXPRY CCSID CERTLABL CERTQSGL CERTVPOL "
    "CFCONLOS CHAD CHADEV CHADEXIT CHIADAPS CHIDISPS CHISERVP CHLAUTH CHLEV CLWLDATA CLWLEXIT CLWLLEN CLWLMRUC CLWLUSEQ CMDEV CMDLEVEL CMDSERV COMMANDQ CONFIGEV CONNAUTH CPILEVEL CRDATE "
    "CRTIME CUSTOM DEADQ DEFCLXQ DEFXMITQ DESCR DISTL DNSGROUP DNSWLM EXPRYINT GROUPUR IDEN IGQ IGQAUT IGQUSER IMGINTVL IMGLOGLN IMGRCOVO IMGRCOVQ IMGSCHED INHIBTEV INITKEY IPADDRV LOCALEV "
    "LOGGEREV LSTRTMR LU62ARM LU62CHL LUGROUP LUNAME MARKINT MAXCHL MAXHANDS MAXMSGL MAXPRTY MAXPROPL MAXUMSGS MONACLS MONCHL MONQ MSGMARK MULCCAPT OPMODE OPORTMAX OPORTMIN PARENT PERFMEV "
    "PLATFORM PSCLUS PSMODE PSNPMSG PSNPRES PSRTYCNT PSSYNCPT QMID QMNAME QSGCERT QSGDISP QSGNAME RCVTIME RCVTMIN RCVTTYPE REMOTEEV REPOS REPOSNL REVDNS ROUTEREC SCHINIT SCMDSERV SCYCASE "
    "SPLCAP SQQMNAME SSLCRLNL SSLCRYP SSLEV SSLFIPS SSLKEYR SSLRKEYC SSLTASKS STATACLS STATCHL STATINT STATMQI STATQ STRSTPEV SUITEB SYNCPT TCPCHL TCPKEEP TCPNAME TCPSTACK TRAXSTR TRAXTBL "
    "TREELIFE TRIGINT VERSION XRCAP KEYRPWD"
)
CF_KEYWORDS = _words(
    "CFSTRUCT CFSTATUS ALTDATE ALTTIME DESCR CFLEVEL RECOVER OFFLOAD OFFLD1SZ OFFLD1TH OFFLD2SZ OFFLD2TH OFFLD3SZ OFFLD3TH DSGROUP DSBLOCK DSBUFS DSEXPAND RECAUTO CFCONLOS TYPE CFTYPE STATUS "
    "SIZEMAX SIZEUSED ENTSMAX ENTSUSED FAILDATE FAILTIME OFFLDUSE RECMODE QMNAME SYSNAME BKUPDATE BKUPTIME BKUPSIZE BKUPSRBA BKUPERBA LOGS SMDS SMDSCONN ACCESS RCVDATE RCVTIME OPENMODE AVAIL "
    "EXPANDST QSGDISP ENCRYPTED"
)
PARAMETERS: Mapping[str, frozenset[str]] = {
    "LOG": _words(
        "INBUFF OUTBUFF MAXRTU MAXARCH TWOACTV TWOARCH TWOBSDS OFFLOAD MAXCNOFF WRTHRSH DEALLCT COMPLOG ZHYWRITE ZHYLINK"
    ),
    "SYSTEM": _words(
        "LOGLOAD CMDUSER QMCCSID ROUTCDE SMFACCT SMFSTAT STATIME ACCTIME OTMACON GROUP MEMBER DRUEXIT AGE TPIPEPFX TRACSTR TRACTBL EXITTCB EXITLIM WLMTIME WLMTIMU QSGDATA QSGNAME DSGNAME "
        "DB2NAME DB2SERV DB2BLOB RESAUDIT QINDXBLD CLCACHE EXCLMSG SPLCAP OPMODE ACELIM CONNSWAP SERVICE IDBACK IDFORE CTHREAD CHINACL STATCHL"
    ),
    "ARCHIVE": _words(
        "UNIT UNIT2 ALCUNIT PRIQTY SECQTY BLKSIZE ARCPFX1 ARCPFX2 TSTAMP ARCRETN ARCWTOR ARCWRTC CATALOG COMPACT PROTECT QUIESCE"
    ),
}
"""Keywords of the responses; all others are reported as unknown."""

ATTRIBUTES: Mapping[str, tuple[str, frozenset[str]]] = {
    "QMNAME": ("QMGR", QMGR_KEYWORDS),
    "CFSTRUCT": ("CFSTRUCT", CF_KEYWORDS),
    "CFSTATUS": ("CFSTATUS", CF_KEYWORDS),
    "SMDS": ("SMDS", CF_KEYWORDS),
    "SMDSCONN": ("SMDSCONN", CF_KEYWORDS),
}
"""The first keyword of a response with attributes -> the command, and its keywords."""

SENTENCES: Mapping[str, tuple[str, Sequence[str], str]] = {
    "CSQX831I": ("CHINIT", ["CHIADAPS"], r"\d+\s*adapter\s*subtasks\s*started,\s*(\d+)\s*requested\s*"),
    "CSQX832I": ("CHINIT", ["CHIDISPS"], r"\d+\s*dispatchers\s*started,\s*(\d+)\s*requested\s*"),
    "CSQX833I": ("CHINIT", ["SSLTASKS"], r"\d+\s*(?:SSL|TLS)\s*server\s*subtasks\s*started,\s*(\d+)\s*requested\s*"),
    "CSQX840I": ("CHINIT", ["MAXCHL"], r"\d+\s*channels\s*current,\s*maximum\s*(\d+)\s*"),
    "CSQX841I": (
        "CHINIT",
        ["ACTCHL"],
        r"\d+\s*channels\s*active,\s*maximum\s*(\d+)\s*(?:,\s*including\s*\d+\s*paused\s*)?",
    ),
    "CSQX002I": ("CHINIT", ["QSGNAME"], r"Queue[- ]*sharing\s*group\s*is\s*([A-Z0-9$#@]{1,4})\s*"),
    "CSQX004I": (
        "CSQX004I",
        ["used MB", "free MB"],
        r"Channel\s*initiator\s*is\s*using\s*(\d+)\s*MB\s*of\s*local\s*storage,\s*(\d+)\s*MB\s*are\s*free\s*",
    ),
    "CSQP001I": ("USAGE", ["pool", "BUFFERS"], r"Buffer\s*pool\s*(\d+)\s*has\s*(\d+)\s*buffers\s*"),
    "CSQJ002I": (
        "CSQJ002I",
        ["STARTRBA", "ENDRBA"],
        r"END\s*OF\s*ACTIVE\s*LOG\s*DATA\s*SET\s*DSNAME\s*=\s*[^\s,]+,?\s*STARTRBA\s*=\s*([0-9A-F]{8,16})\s*,?\s*ENDRBA\s*=\s*([0-9A-F]{8,16})\s*",
    ),
}
"""Message -> the command, the names of the values, and the sentence with the values as groups."""

STORAGE = re.compile(r".*Local\s*storage:\s*used\s*(\d+)\s*MB,\s*free\s*(\d+)\s*MB\b.*", re.IGNORECASE | re.DOTALL)
"""CSQX004I from 9.3."""

ROWS: Mapping[str, tuple[str, Sequence[str], str]] = {
    "CSQI010I": (
        "USAGE page set",
        ["page_set", "pool", "pages", "EXPAND"],
        r"[\s_]*(\d{1,2})\s+(\d{1,2})\s+(\d+)\s+\d+\s+\d+\s+\d+\s+(?:\d+\s+)?(USER|SYSTEM|NONE)(?:\s+\d+)?(?:\s+(?:YES|NO))?\s*",
    ),
    "CSQI065I": (
        "USAGE pool",
        ["pool", "BUFFERS"],
        r"[\s_]*(\d{1,2})\s+(\d+)\s+\d+\s+\d+\s+(?:FIXED)?4KB\s+(?:ABOVE|BELOW|SWITCHING_ABOVE|SWITCHING_BELOW)\s*",
    ),
    "CSQE285I": (
        "USAGE SMDS",
        ["structure", "DSBLOCK", "DSBUFS"],
        r"[\s_]*([A-Z][A-Z0-9_$#@]{0,11})\s+(\d+[KM])\s+(\d+)\s+\d+\s+\d+\s+\d+%\s+-?\d+\s+\d+%\s*",
    ),
}
"""Message -> the part of the response, the names of the columns that are used, and a row of it."""

HEADING_WORDS = _words(
    "APPLICATION BLOCK BUFFER BUFFERS READS LOWEST WAIT STRUCTURE SIZE TOTAL IN USE USED SAVED FREE RATE PAGE UNUSED PERSISTENT NONPERSIST EXPANSION SET POOL PAGES DATA COUNT AVAILABLE STEALABLE "
    "PERCENTAGE CLASS LOCATION ENCRYPTED"
)
"""The words of the headings of tables with rows."""

REPORT = re.compile(HEAD + r"DISPLAY\s*(?P<kind>[A-Z]+)\s*report\b.*", re.IGNORECASE | re.DOTALL)
COLUMN_HEADINGS = re.compile(r"[\s_]*Parameter\s+Initial\s*value.*|[-\s_]+", re.IGNORECASE)
PARAMETER = re.compile(r"[\s_]*([A-Z][A-Z0-9]{2,7})\s+([^\s]+)(?:\s+([^\s]+))?\s*", re.IGNORECASE)
FIRST_WORD = re.compile(r"[\s_]*([A-Z][A-Z0-9]{2,7})(?:\s|\Z)", re.IGNORECASE)
FULL_LOGS = re.compile(r".*Full\s*logs\s*to\s*offload\s*[-=:]?\s*(\d+)\s*of\s*(\d+)(?!\d).*", re.IGNORECASE | re.DOTALL)
SECOND_COPY = re.compile(r"\s*2\s+\d{1,3}\b.*", re.DOTALL)
RESPONSES_FROM = re.compile(HEAD + r"'[^']*'\s*command\s*responses\s*from\s*([A-Z0-9$#@]{1,4})\s*", re.IGNORECASE)
COMPLETION = re.compile(
    HEAD + r"'\s*(?P<command>[A-Z]+(?:\s+[A-Z0-9]+)?)[^']*'\s*(?P<state>NORMAL|ABNORMAL)\s*COMPLETION.*",
    re.IGNORECASE | re.DOTALL,
)
DETAILS = re.compile(r".*\bDISPLAY\s+(?P<kind>[A-Z0-9]+)\s+DETAILS.*", re.IGNORECASE | re.DOTALL)
KEYWORD = re.compile(r"\s*([A-Z][A-Z0-9]*)\(", re.IGNORECASE)
CPF_ONLY = re.compile(r"\s*(\S{1,8})(?=\s)")
OBJECT_MESSAGES = re.compile(r"CSQM(?:201|4[0-9]{2})I")
COMMANDS_WITH_FACTS = re.compile(
    r"(?:DISPLAY|DIS)\s+(?:QMGR|LOG|SYSTEM|ARCHIVE|USAGE|CHINIT|CFSTATUS|CFSTRUCT|SMDS|SMDSCONN)\Z"
)
MESSAGES_WITHOUT_FACTS = _words(
    "CSQI070I CSQE280I CSQJ325I CSQX830I CSQX836I CSQX842I CSQX845I CSQX846I CSQX848I CSQX849I"
)
