-- Events that some server of several is storing or has just stored, so that no other one takes them meanwhile. They live for
-- seconds, and after a crash of the database the event store itself is asked: no log is kept of them.
create unlogged table event_claims (
  project_id integer not null,
  uuid uuid not null,
  -- the process
  server uuid not null,
  claimed_at timestamptz not null,
  primary key (project_id, uuid)
);
