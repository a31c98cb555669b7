#!/bin/bash
# once, when the database is made: a role and a slot for the standby
set -e
psql -v ON_ERROR_STOP=1 -v password="$POSTGRES_PASSWORD" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
create role replicator with replication login password :'password';
select pg_create_physical_replication_slot('standby');
SQL
echo 'host replication replicator all scram-sha-256' >> "$PGDATA/pg_hba.conf"
