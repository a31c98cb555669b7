-- The order of the list of groups: a page is one range of this.
create index on groups (project_id, group_type_index, created_at desc, group_key);
