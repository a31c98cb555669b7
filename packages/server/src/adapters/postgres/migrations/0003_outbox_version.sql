-- The version that the entry's row had when it was changed: for rows that are gone there is nothing else to count from.
alter table analytics_outbox add column version bigint not null default 0;
