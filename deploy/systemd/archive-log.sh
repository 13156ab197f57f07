#!/bin/sh
# The archive_command of PostgreSQL: copies a file of its log into the archive, all of it or nothing, and never over
# another file (docs/operate/recover.md).
# Usage: archive-log.sh <file> <file in the archive>
set -eu
# It is there already if the server was stopped before it could note that.
if [ -e "$2" ]; then exec cmp "$1" "$2"; fi
cp "$1" "$2.part"
sync "$2.part"
mv "$2.part" "$2"
