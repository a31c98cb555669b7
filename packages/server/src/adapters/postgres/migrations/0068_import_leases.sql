-- Which import of objects works on a project: two at once would both make what neither has found.
create table import_leases (
  project_id integer primary key references projects on delete cascade,
  -- of this taking: another import, or the same one again, gets another
  id uuid not null unique,
  -- of the import, which has it in its state file: a run that was killed takes its lease again before it expires
  holder uuid not null,
  -- what is imported, for people
  subject text not null,
  -- null: that user is gone
  taken_by integer references users on delete set null,
  taken_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
