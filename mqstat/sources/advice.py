"""The exact commands that bring an SMF dump from z/OS undamaged, as the doctor prints them.

Manual: z/OS MVS System Management Facilities, "The SMF dump programs"; z/OS Communications Server, "FTP subcommands";
z/OS UNIX System Services Command Reference, "cp"; Connect:Direct, "COPY statement", and IBM Support, "How to send a VB
file from Mainframe to UNIX"
"""

from __future__ import annotations

from mqstat.parsers.framing import Framing

FTP = (
    "Transfer it again in binary, with the RDWs. In an FTP client on the workstation:",
    "    bin",
    "    quote site rdw            (LITERAL SITE RDW in some clients)",
    "    get 'HLQ.SMF.DUMP' dump.smf",
    "Or push it from z/OS, in the input of a job step with PGM=FTP:",
    "    locsite rdw",
    "    binary",
    "    put 'HLQ.SMF.DUMP' dump.smf",
)

ZOWE = (
    "Or with Zowe, which keeps the record lengths in its own format:",
    '    zowe zos-files download data-set "HLQ.SMF.DUMP" --record --file dump.smf',
    "Without --record the lengths are lost; such a file can be read only if it has no types other than 115 and 116:",
    '    zowe zos-files download data-set "HLQ.SMF.DUMP" --binary --file dump.smf',
)

UNIX = (
    "Or with SFTP, from a file of z/OS UNIX in which cp keeps the record lengths (-F rec):",
    "    cp -F rec \"//'HLQ.SMF.DUMP'\" /tmp/dump.smf",
    "    sftp user@zos:/tmp/dump.smf dump.smf",
)

CONNECT_DIRECT = (
    "Or with Connect:Direct, as RECFM=U so that the descriptor words of blocks and records are data:",
    "    COPY FROM (PNODE DSN=HLQ.SMF.DUMP DCB=(RECFM=U) DISP=SHR) -",
    "         TO   (SNODE DSN='dump.smf' DISP=NEW SYSOPTS=\":datatype=binary:\")",
)

TRANSFER = FTP + ZOWE + UNIX + CONNECT_DIRECT


def of_framing(framing: Framing) -> tuple[str, ...]:
    """How to transfer a dump without the bytes that this framing adds."""
    undo = framing.undo
    first = (f"Before the transfer, set in the FTP client: {undo}.",) if undo else ()
    return (f"Nothing is lost. {framing.text[0].upper()}{framing.text[1:]}.", *first, *FTP)


PACKED = (
    "Transfer the compressed file again in binary, and compare its size with the original. In an FTP client:",
    "    bin",
    "    get /tmp/dump.smf.gz dump.smf.gz",
    "Or with SFTP:",
    "    sftp user@zos:/tmp/dump.smf.gz dump.smf.gz",
)

PARTS = (
    "It is a later part of a split file. Concatenate the parts in their order:",
    "    cat dump.part1 dump.part2 > dump.smf",
    f"Or t{FTP[0][1:]}",
    *FTP[1:],
)

IFASMFDP = (
    "Write the MQ records to a separate data set. From SMF data sets:",
    "    //MQSMF    EXEC PGM=IFASMFDP",
    "    //SYSPRINT DD SYSOUT=*",
    "    //DUMPIN   DD DISP=SHR,DSN=HLQ.SMF.DAILY",
    "    //DUMPOUT  DD DISP=(NEW,CATLG),DSN=HLQ.SMF.DUMP,",
    "    //            SPACE=(CYL,(100,100),RLSE),RECFM=VBS,LRECL=32760",
    "    //SYSIN    DD *",
    "      INDD(DUMPIN,OPTIONS(DUMP))",
    "      OUTDD(DUMPOUT,TYPE(115,116))",
    "    /*",
    "From an SMF log stream:",
    "    //MQSMF    EXEC PGM=IFASMFDL",
    "    //SYSPRINT DD SYSOUT=*",
    "    //DUMPOUT  DD DISP=(NEW,CATLG),DSN=HLQ.SMF.DUMP,",
    "    //            SPACE=(CYL,(100,100),RLSE),RECFM=VBS,LRECL=32760",
    "    //SYSIN    DD *",
    "      LSNAME(IFASMF.YOUR.STREAM,OPTIONS(DUMP))",
    "      OUTDD(DUMPOUT,TYPE(115,116))",
    "    /*",
)

UNPACK = (
    "Unpack it on z/OS:",
    "    //UNTERSE  EXEC PGM=AMATERSE,PARM='UNPACK'",
    "    //SYSPRINT DD SYSOUT=*",
    "    //SYSUT1   DD DISP=SHR,DSN=HLQ.SMF.TERSED",
    "    //SYSUT2   DD DISP=(NEW,CATLG),DSN=HLQ.SMF.DUMP,",
    "    //            SPACE=(CYL,(500,500),RLSE)",
    "Or use the output of IFASMFDP or IFASMFDL directly, before it is tersed.",
)

RECEIVE = (
    "Receive it on z/OS under TSO (the file must have RECFM=FB, LRECL=80):",
    "    RECEIVE INDATASET('HLQ.SMF.XMIT')",
)

TRACE = (
    "Make sure that the queue managers write the records. On each of them:",
    "    DISPLAY TRACE(*)",
    "    START TRACE(STAT) CLASS(*) DEST(SMF)",
    "    START TRACE(ACCTG) CLASS(3,4) DEST(SMF)",
    "Make sure that SMFPRMxx does not exclude types 115 and 116:",
    "    D SMF,O",
)
