-- A change of an account, a membership or a role concerns the projects of its organizations. The triggers of 0010 sent '' (everything)
-- instead, so that every change of one tenant emptied the response caches of all tenants.
create function notify_organization(organization uuid) returns void language sql as $$
  select pg_notify('tidemark_changes', id::text) from projects where organization_id = organization;
$$;

-- The projects of a user's organizations, and those where dashboards and insights show the name of their author, who may have left.
create function notify_user(account integer) returns void language sql as $$
  select pg_notify('tidemark_changes', project_id::text) from (
    select p.id as project_id
      from organization_memberships m join projects p using (organization_id) where m.user_id = account
    union select project_id from dashboards where created_by = account
    union select project_id from insights where created_by = account
  ) concerned;
$$;

create function notify_change_of_user() returns trigger language plpgsql as $$
begin
  perform notify_user(new.id);
  return null;
end $$;

create function notify_deletion_of_user() returns trigger language plpgsql as $$
begin
  perform notify_user(old.id);
  return old;
end $$;

-- of rows with a user_id, such as keys and log-in sessions
create function notify_change_of_users() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then perform notify_user(old.user_id); end if;
  if tg_op <> 'DELETE' and (tg_op = 'INSERT' or new.user_id <> old.user_id) then perform notify_user(new.user_id); end if;
  return null;
end $$;

create function notify_change_of_organization() returns trigger language plpgsql as $$
begin
  perform notify_organization(new.id);
  return null;
end $$;

-- of rows with an organization_id: memberships, roles, projects
create function notify_change_in_organization() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then perform notify_organization(old.organization_id); end if;
  if tg_op <> 'DELETE' and (tg_op = 'INSERT' or new.organization_id <> old.organization_id) then
    perform notify_organization(new.organization_id);
  end if;
  return null;
end $$;

create function notify_change_of_role_member() returns trigger language plpgsql as $$
begin
  perform notify_organization(organization_id) from roles where id in (old.role_id, new.role_id);
  return null;
end $$;

create function notify_change_of_collaborator() returns trigger language plpgsql as $$
begin
  perform pg_notify('tidemark_changes', project_id::text) from dashboards where id in (old.dashboard_id, new.dashboard_id);
  return null;
end $$;

drop trigger tell_change on dashboard_collaborators;
drop trigger tell_change on users;
drop trigger tell_change on personal_api_keys;
drop trigger tell_change on login_sessions;
drop trigger tell_change on organization_memberships;
drop trigger tell_change on organizations;
drop trigger tell_change on projects;
drop trigger tell_change on roles;
drop trigger tell_change on role_memberships;
drop function tell_change();

create trigger notify_change after insert or update or delete on dashboard_collaborators
  for each row execute function notify_change_of_collaborator();
-- before a deletion the memberships, dashboards and insights still name the user
create trigger notify_deletion before delete on users
  for each row execute function notify_deletion_of_user();
create trigger notify_change after update of uuid, distinct_id, email, first_name, last_name, is_active, is_email_verified,
  hedgehog_config, current_organization_id, current_project_id on users
  for each row execute function notify_change_of_user();
create trigger notify_change after delete or update of secure_hash, scopes, scoped_teams, scoped_organizations, user_id on personal_api_keys
  for each row execute function notify_change_of_users();
create trigger notify_change after delete or update of user_id on login_sessions
  for each row execute function notify_change_of_users();
create trigger notify_change after insert or update or delete on organization_memberships
  for each row execute function notify_change_in_organization();
create trigger notify_change after update on organizations
  for each row execute function notify_change_of_organization();
create trigger notify_change after delete or update of organization_id, name, api_token, access_control, timezone, settings on projects
  for each row execute function notify_change_in_organization();
create trigger notify_change after update or delete on roles
  for each row execute function notify_change_in_organization();
create trigger notify_change after insert or update or delete on role_memberships
  for each row execute function notify_change_of_role_member();
