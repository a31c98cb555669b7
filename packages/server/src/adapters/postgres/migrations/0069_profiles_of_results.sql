-- Whose profiles (person, group) the file of an export shows: who may not see these any more loses the file, too.
alter table exports add column profiles text[] not null default '{}';
-- The same of queries in the background, by the name under which anybody in the project can poll them. A row is there before a run of
-- the name begins, and names only gain profiles, so that no poll finds a run without what it shows.
create table query_run_profiles (
  project_id integer not null references projects on delete cascade,
  name text not null,
  profiles text[] not null,
  marked_at timestamptz(3) not null,
  primary key (project_id, name)
);
create index on query_run_profiles (marked_at);
