#!/bin/sh
# Ships a file of z/OS UNIX into the inbox of mqstat with sftp, which copies bytes as they are; scp of z/OS translates them as text.
# usage: ship-sftp.sh FILE USER@HOST INBOX
set -eu
file=$1
host=$2
inbox=$3
name=$(uname -n).D$(date +%y%m%d)
# The file gets its name when it is whole: mqstat never takes a name that ends in .part.
sftp -b - "$host" <<END
cd $inbox
put $file $name.part
rename $name.part $name.smf
END
rm "$file"
