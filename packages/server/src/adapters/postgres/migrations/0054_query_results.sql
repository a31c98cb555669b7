-- Results of queries that servers on one event store share, and which of them is being computed. Unlogged: a crash costs computations.
create unlogged table query_results (
  -- the cache key of the query
  key text primary key,
  project_id integer not null references projects on delete cascade,
  -- the computation that runs or ran last, and until when its server has said that it is at it; null: none runs
  run uuid not null,
  leased_until timestamptz(3),
  -- the result as JSON text, the version of the data that it is of, and until when it is complete; null: there is none yet
  result text,
  data_version text,
  complete_until timestamptz(3),
  computed_at timestamptz(3),
  -- milliseconds that its computation took
  cost double precision,
  changed_at timestamptz(3) not null
);
create index on query_results (changed_at);
create index on query_results (project_id);
