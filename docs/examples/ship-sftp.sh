#!/bin/sh
# Sends a z/OS UNIX file to the mqstat inbox with sftp, which copies bytes unchanged; scp on z/OS converts them as text.
# usage: ship-sftp.sh FILE USER@HOST /var/lib/mqstat/inbox
set -eu
file=$1
host=$2
inbox=$3
name=$(uname -n).D$(date +%y%m%d)
# The file is renamed when it is complete: mqstat ignores names that end in .part.
sftp -b - "$host" <<END
cd $inbox
put $file $name.part
rename $name.part $name.smf
END
rm "$file"
