#!/bin/bash
# copies the primary once, and follows it. Promote it by: docker compose exec postgres-2 pg_ctl promote
set -e
export PGDATA=/var/lib/postgresql/data
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  PGPASSWORD="$POSTGRES_PASSWORD" pg_basebackup -h postgres-1 -U replicator -D "$PGDATA" -S standby -X stream -R
  chmod 700 "$PGDATA"
fi
exec postgres "$@"
