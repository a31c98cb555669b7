-- The schedules of background work are rows of the queue without a project, one of each kind: claimed, leased and retried as jobs are.
alter table jobs alter column project_id drop not null;
create unique index jobs_schedule on jobs (kind) where project_id is null;
drop table turns;
