-- The experiments whose results are in the file of an export, or in the stored result of a query: who loses one loses these, too.
alter table exports add column experiment_ids integer[] not null default '{}';
alter table query_runs add column experiment_id integer;
