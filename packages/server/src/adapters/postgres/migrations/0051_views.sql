-- When each user last looked at a dashboard or a feature flag, as insight_views and recording_views tell of others.
create table dashboard_views (
  dashboard_id integer not null references dashboards on delete cascade,
  user_id integer not null references users on delete cascade,
  project_id integer not null references projects on delete cascade,
  last_viewed_at timestamptz(3) not null,
  primary key (dashboard_id, user_id)
);
create index on dashboard_views (user_id, project_id, last_viewed_at desc);

create table feature_flag_views (
  feature_flag_id integer not null references feature_flags on delete cascade,
  user_id integer not null references users on delete cascade,
  project_id integer not null references projects on delete cascade,
  last_viewed_at timestamptz(3) not null,
  primary key (feature_flag_id, user_id)
);
create index on feature_flag_views (user_id, project_id, last_viewed_at desc);

create index on recording_views (user_id, viewed_at desc);
