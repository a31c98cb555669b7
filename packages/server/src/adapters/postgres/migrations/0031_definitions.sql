-- What people say about an event or a property; ingestion never writes these columns.
alter table event_definitions
  add column description text not null default '',
  add column tags text[] not null default '{}',
  add column verified boolean not null default false,
  add column verified_at timestamptz(3),
  add column verified_by integer references users on delete set null,
  add column hidden boolean not null default false,
  add column updated_at timestamptz(3),
  add column updated_by integer references users on delete set null;

alter table property_definitions
  add column description text not null default '',
  add column tags text[] not null default '{}',
  add column verified boolean not null default false,
  add column verified_at timestamptz(3),
  add column verified_by integer references users on delete set null,
  add column hidden boolean not null default false,
  add column updated_at timestamptz(3),
  add column updated_by integer references users on delete set null;

-- which events have a property
create index on event_properties (project_id, property);
