-- What imports made in a project, so that an import that runs again knows its objects, whatever their names are by now.
create table imported_objects (
  project_id integer not null references projects on delete cascade,
  -- the project that an object comes from: its uuid
  source text not null,
  kind text not null,
  source_id text not null,
  -- the id in the API of this project; the object may be gone
  target_id text not null,
  created_at timestamptz(3) not null,
  primary key (project_id, source, kind, source_id)
);
