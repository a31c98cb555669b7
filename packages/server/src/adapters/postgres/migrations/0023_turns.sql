-- Which server does repeated work next: whoever finds that the time of its turn has come, and moves it on.
create table turns (
  name text primary key,
  next_at timestamptz not null
);
