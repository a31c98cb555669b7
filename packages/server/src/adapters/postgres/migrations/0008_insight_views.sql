-- When each user last looked at an insight.
create table insight_views (
  insight_id integer not null references insights on delete cascade,
  user_id integer not null references users on delete cascade,
  project_id integer not null references projects on delete cascade,
  last_viewed_at timestamptz(3) not null,
  primary key (insight_id, user_id)
);
create index on insight_views (user_id, project_id, last_viewed_at desc);
