#!/bin/sh
# Mails the result of the run. mail.txt begins with the subject; it is missing if the run did not complete.
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
        echo "Subject: mqstat daily wrote no mail"
        echo
        echo "The last run did not complete; see its log."
    fi
} | "${SENDMAIL:-/usr/sbin/sendmail}" -t
