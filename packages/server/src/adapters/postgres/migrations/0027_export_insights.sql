-- The insights in the file of an export; null: it is not made yet. Who downloads the file needs access to each.
alter table exports add column insight_ids integer[];

-- files of dashboards from before hold at most the tiles that the dashboards have, or had
update exports e set insight_ids = array(
  select distinct t.insight_id from dashboard_tiles t where t.dashboard_id = e.dashboard_id and t.insight_id is not null
) where content_size is not null;
