#!/bin/sh
# Makes a base backup of PostgreSQL for recovery to a point in time (docs/operate/recover.md). Its folder has the time at which the
# backup ended. Then removes older base backups, and the archived log that only they need.
# Usage, as postgres: base-backup.sh <archive> <number of base backups to keep>
set -eu
archive=$1
keep=$2

# Left by a run that was interrupted.
rm -rf "$archive"/base/*.unfinished
unfinished=$archive/base/$(date -u +%Y-%m-%dT%H%M%SZ).unfinished
pg_basebackup --pgdata "$unfinished" --checkpoint fast --no-password
mv -T "$unfinished" "$archive/base/$(date -u +%Y-%m-%dT%H%M%SZ)"

cd "$archive/base"
ls | head -n "-$keep" | xargs --no-run-if-empty rm -r
oldest=$(ls | head -n 1)
first=$(sed -n 's/^START WAL LOCATION: .* (file \(.*\))$/\1/p' "$oldest/backup_label")
pg_archivecleanup "$archive/wal" "$first"
