-- What a deleted project, export or account leaves behind in the other stores is written down by the database itself, whatever deletes it.

-- projects whose rows in the event store are to be deleted
create table project_purges (
  project_id integer primary key,
  created_at timestamptz(3) not null
);

drop trigger purge_recordings on projects;
drop function purge_recordings_of_project();

create function purge_project() returns trigger language plpgsql as $$
begin
  insert into blob_purges (prefix, created_at) values ('recordings/' || old.id || '/', now()) on conflict do nothing;
  insert into project_purges (project_id, created_at) values (old.id, now()) on conflict do nothing;
  return null;
end $$;
create trigger purge_project after delete on projects for each row execute function purge_project();

create function purge_export() returns trigger language plpgsql as $$
begin
  insert into blob_purges (prefix, created_at) values ('exports/' || old.project_id || '/' || old.id || '/', now())
  on conflict do nothing;
  return null;
end $$;
create trigger purge_export after delete on exports for each row execute function purge_export();
