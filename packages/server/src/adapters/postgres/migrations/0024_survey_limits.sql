alter table surveys
  -- whether the targeting flag was made of the survey's own targeting filters: it changes and goes with the survey
  add column owns_targeting_flag boolean not null default false,
  -- once: nobody is asked again; recurring: again in each iteration; always: whenever the conditions hold
  add column schedule text not null default 'once' check (schedule in ('once', 'recurring', 'always')),
  add column iteration_count integer check (iteration_count > 0),
  add column iteration_frequency_days integer check (iteration_frequency_days > 0),
  -- the survey ends once so many answers are stored
  add column responses_limit integer check (responses_limit > 0),
  add column enable_partial_responses boolean not null default false;
