-- How often a public page was opened, by the day in UTC; nothing of who opened it. Beside the configuration, as a view is no change
-- of it.
create table share_views (
  sharing_configuration_id integer not null references sharing_configurations on delete cascade,
  day date not null,
  views integer not null,
  primary key (sharing_configuration_id, day)
);
