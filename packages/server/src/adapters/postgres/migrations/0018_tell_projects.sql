-- Capture and flags know projects by their keys: each process is told which one to look at again.
create function tell_change_of_itself() returns trigger language plpgsql as $$
begin
  perform pg_notify('tidemark_changes', coalesce(new.id, old.id)::text);
  return null;
end $$;

create trigger tell_change_of_itself after insert or delete or update of organization_id, api_token, timezone, anonymize_ips on projects
  for each row execute function tell_change_of_itself();
