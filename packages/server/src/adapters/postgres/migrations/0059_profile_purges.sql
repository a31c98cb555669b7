-- What a deleted person leaves in the event store goes in any case: the versions of their profile. Their events go if that was asked for.
alter table person_purges
  add column with_events boolean not null default true,
  -- the UUIDs that the person ever had
  add column person_ids uuid[] not null default '{}';
