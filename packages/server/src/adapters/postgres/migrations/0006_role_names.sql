-- "Support" and "support" would be one role to people.
alter table roles drop constraint roles_organization_id_name_key;
create unique index on roles (organization_id, lower(name));
