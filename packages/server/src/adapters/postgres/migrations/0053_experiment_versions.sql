-- Counts the changes of an experiment and of the variants that it compares, so that two people who edit one notice each other.
alter table experiments
  add column version integer not null default 1,
  -- null: nobody has changed it since this column exists
  add column last_modified_by integer references users on delete set null;
