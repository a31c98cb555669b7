-- The sample data of a project: one set at a time.
create table sample_data (
  project_id integer primary key references projects on delete cascade,
  state text not null check (state in ('loading', 'loaded', 'removing', 'failed')),
  seed integer not null,
  -- events stored so far, and in all; 0: not known yet
  done integer not null default 0,
  total integer not null default 0,
  -- the objects made with it, as {"table", "id"}
  objects jsonb not null default '[]',
  error text,
  -- when the sample ends
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
