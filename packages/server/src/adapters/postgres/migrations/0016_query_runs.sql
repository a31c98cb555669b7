-- Computations of queries that can be asked for, or ended, by a name, at any server.
create table query_runs (
  project_id integer not null references projects on delete cascade,
  name text not null,
  -- another one each time that the name is used
  run uuid not null unique,
  started_at timestamptz(3) not null,
  -- until when its server has said that it is at it
  leased_until timestamptz(3) not null,
  -- null: it goes on, or its server has died
  ended_at timestamptz(3),
  error_message text,
  -- the answer as JSON text, and its length
  results text,
  size integer not null default 0,
  primary key (project_id, name)
);
create index on query_runs (started_at);
