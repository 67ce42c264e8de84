#!/bin/sh
# Mails what the run had to tell. mail.txt begins with its subject; it is not there when a run did not come to its end.
# usage: mail-report.sh /var/lib/mqstat/reports mq-team@example.com
set -eu
reports=$1
receiver=$2
{
    echo "To: $receiver"
    echo "MIME-Version: 1.0"
    echo "Content-Type: text/plain; charset=utf-8"
    if [ -f "$reports/mail.txt" ]; then
        cat "$reports/mail.txt"
    else
        echo "Subject: mqstat daily has left no mail"
        echo
        echo "Its last run did not come to its end; see its log."
    fi
} | "${SENDMAIL:-/usr/sbin/sendmail}" -t
