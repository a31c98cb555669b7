-- What deleting a dashboard took away with it, so that restoring it brings back that and nothing else.
alter table dashboard_tiles add column deleted_with_dashboard boolean not null default false;
alter table insights add column deleted_with_dashboard integer references dashboards on delete set null;
-- deletions of before did not note what they took away: their restoration brings back what it would have brought back then
update dashboard_tiles t set deleted_with_dashboard = true
  from dashboards d where d.id = t.dashboard_id and d.deleted and t.deleted;
update insights i set deleted_with_dashboard = (
    select min(t.dashboard_id) from dashboard_tiles t join dashboards d on d.id = t.dashboard_id
    where t.insight_id = i.id and t.deleted and d.deleted and d.delete_insights)
  where i.deleted;

-- who last opened the public page to visitors: it shows what the access rules leave to them; null: what they leave to everybody
alter table sharing_configurations add column published_by integer references users on delete set null;
