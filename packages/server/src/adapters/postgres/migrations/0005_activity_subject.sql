-- The object whose access rules decide who sees an entry: a dashboard for what happens to its tiles, its sharing, its
-- collaborators. Null: whoever may see the project.
alter table activity_log
  add column resource text,
  add column resource_id integer,
  add check ((resource is null) = (resource_id is null));
