-- Values that SQL questions name as {variables.code_name}, and that dashboards set for all their tiles.
create table insight_variables (
  id uuid primary key,
  project_id integer not null references projects on delete cascade,
  name text not null,
  -- how questions call it; the same for ever, so that a new name breaks no question
  code_name text not null,
  type text not null check (type in ('String', 'Number', 'Boolean', 'List', 'Date')),
  default_value jsonb,
  -- what a List can be
  "values" jsonb,
  created_by integer references users on delete set null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (project_id, code_name)
);

-- a default is in results of questions
create trigger tell_change after insert or update or delete on insight_variables
  for each row execute function tell_change_of_project();
