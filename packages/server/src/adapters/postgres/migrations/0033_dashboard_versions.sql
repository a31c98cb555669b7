-- Counts the changes of a dashboard, its tiles included, so that two people at one dashboard notice each other.
alter table dashboards
  add column version integer not null default 1,
  -- null: nobody has changed it since this column exists
  add column last_modified_at timestamptz(3),
  add column last_modified_by integer references users on delete set null;
