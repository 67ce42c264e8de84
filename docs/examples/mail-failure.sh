#!/bin/sh
# Mails the last lines of the journal of a unit that failed.
# usage: mail-failure.sh mqstat-daily.service mq-team@example.com
set -eu
unit=$1
receiver=$2
{
    echo "To: $receiver"
    echo "Subject: $unit failed on $(uname -n)"
    echo "MIME-Version: 1.0"
    echo "Content-Type: text/plain; charset=utf-8"
    echo
    "${JOURNALCTL:-journalctl}" --unit "$unit" --lines 50 --no-pager || echo "The journal of $unit cannot be read."
} | "${SENDMAIL:-/usr/sbin/sendmail}" -t
