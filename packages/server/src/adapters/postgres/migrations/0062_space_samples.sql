-- Bytes that each kind of data takes, every hour for a month. They are about the machine that they were measured on, so they are not part of backups.
create table space_samples (
  taken_at timestamptz(3) not null,
  -- the disk that it is on, as far as the service can tell: data, a part of the data directory with a disk of its own, clickhouse, postgres
  place text not null,
  kind text not null check (kind in ('events', 'recordings', 'files', 'postgres', 'logs')),
  used_bytes bigint not null,
  -- of the disk; null: a server does not report it
  free_bytes bigint,
  primary key (taken_at, place, kind)
);
