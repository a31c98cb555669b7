-- Every process keeps some answers in memory. These triggers tell them all, in the transaction of the change, what to forget:
-- the number of a project, or '' for everything.
create function tell_change_of_project() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform pg_notify('tidemark_changes', old.project_id::text);
  else
    perform pg_notify('tidemark_changes', new.project_id::text);
  end if;
  return null;
end $$;

create function tell_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('tidemark_changes', '');
  return null;
end $$;

-- what dashboards and insights show; that somebody looked at one is no change of it
create trigger tell_change after insert or delete or update of name, description, pinned, deleted, creation_mode, use_template,
  use_dashboard, delete_insights, filters, variables, tags, restriction_level, created_by on dashboards
  for each row execute function tell_change_of_project();
create trigger tell_change after insert or update or delete on dashboard_tiles
  for each row execute function tell_change_of_project();
create trigger tell_change after insert or update or delete on dashboard_texts
  for each row execute function tell_change_of_project();
create trigger tell_change after insert or update or delete on insights
  for each row execute function tell_change_of_project();
create trigger tell_change after insert or update or delete on sharing_configurations
  for each row execute function tell_change_of_project();
create trigger tell_change after insert or update or delete on access_controls
  for each row execute function tell_change_of_project();
create trigger tell_change after insert or update or delete on explicit_memberships
  for each row execute function tell_change_of_project();
create trigger tell_change after insert or update or delete on dashboard_collaborators
  for each statement execute function tell_change();

-- who may see them; a use of a key or a log-in is no change
create trigger tell_change after delete or update of uuid, distinct_id, email, first_name, last_name, is_active, is_email_verified,
  hedgehog_config, current_organization_id, current_project_id on users
  for each statement execute function tell_change();
create trigger tell_change after delete or update of secure_hash, scopes, scoped_teams, scoped_organizations, user_id on personal_api_keys
  for each statement execute function tell_change();
create trigger tell_change after delete or update of user_id on login_sessions
  for each statement execute function tell_change();
create trigger tell_change after insert or update or delete on organization_memberships
  for each statement execute function tell_change();
create trigger tell_change after update or delete on organizations
  for each statement execute function tell_change();
create trigger tell_change after delete or update of organization_id, name, api_token, access_control, timezone, settings on projects
  for each statement execute function tell_change();
create trigger tell_change after update or delete on roles
  for each statement execute function tell_change();
create trigger tell_change after insert or update or delete on role_memberships
  for each statement execute function tell_change();
