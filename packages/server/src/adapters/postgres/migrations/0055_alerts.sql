-- Alerts, which compare the numbers of an insight with bounds again and again.
create table alerts (
  id uuid primary key,
  project_id integer not null references projects on delete cascade,
  insight_id integer not null references insights on delete cascade,
  name text not null,
  enabled boolean not null default true,
  calculation_interval text not null check (calculation_interval in ('hourly', 'daily', 'weekly', 'monthly')),
  -- what is compared, with what, and which line of the insight (resources/alerts/schema.ts)
  condition jsonb not null,
  threshold jsonb not null,
  config jsonb not null,
  -- a secret: its holder can post to the channel behind it
  webhook_url text,
  -- under which address who saved the alert reached the service; links of notifications begin with it
  site_url text not null,
  snoozed_until timestamptz(3),
  -- whether a number was out of bounds in the last check that did not fail
  is_firing boolean not null default false,
  -- why the last check failed; null: it did not
  error text,
  last_checked_at timestamptz(3),
  last_value double precision,
  last_notified_at timestamptz(3),
  -- null: no check is due, because the alert is not enabled
  next_check_at timestamptz(3),
  -- grows with each change of what is checked; results of checks that began before are dropped
  revision integer not null default 0,
  deleted boolean not null default false,
  created_by integer references users on delete set null,
  -- on whose behalf it is checked
  last_modified_by integer references users on delete set null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index on alerts (project_id) where not deleted;
create index on alerts (insight_id);
create index on alerts (next_check_at) where enabled and not deleted;

-- Users on whose home page an alert appears while it fires.
create table alert_subscribers (
  alert_id uuid not null references alerts on delete cascade,
  user_id integer not null references users on delete cascade,
  primary key (alert_id, user_id)
);
create index on alert_subscribers (user_id);

-- The last checks of each alert.
create table alert_checks (
  id uuid primary key,
  alert_id uuid not null references alerts on delete cascade,
  created_at timestamptz(3) not null,
  state text not null check (state in ('Not firing', 'Firing', 'Errored')),
  -- what was compared with the bounds; null: the check failed, or the number is not finite
  calculated_value double precision,
  -- what was found, or why the check failed, in a sentence
  message text not null,
  -- whether the webhook was called; null: there was nothing to tell or no webhook
  webhook text check (webhook in ('waiting', 'delivered', 'failed')),
  webhook_error text
);
create index on alert_checks (alert_id, created_at desc, id desc);
