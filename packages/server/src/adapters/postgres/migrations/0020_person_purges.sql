-- People who were deleted with their events: a job deletes these from the event store, and then the row.
create table person_purges (
  id bigint generated always as identity primary key,
  project_id integer not null references projects on delete cascade,
  -- of one person in several rows where there are very many
  distinct_ids text[] not null,
  -- what comes afterwards is of somebody new
  created_at timestamptz(3) not null
);
create index on person_purges (project_id);
