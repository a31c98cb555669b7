-- What annotations are about: an insight (dashboard_item), a dashboard, the project, or all projects of its organization.
alter table annotations
  add column scope text not null default 'project' check (scope in ('dashboard_item', 'dashboard', 'project', 'organization')),
  -- the insight and the dashboard on which they were made
  add column insight_id integer references insights on delete cascade,
  add column dashboard_id integer references dashboards on delete cascade,
  add check (scope <> 'dashboard_item' or insight_id is not null),
  add check (scope <> 'dashboard' or dashboard_id is not null);
create index on annotations (insight_id) where insight_id is not null;
create index on annotations (dashboard_id) where dashboard_id is not null;
