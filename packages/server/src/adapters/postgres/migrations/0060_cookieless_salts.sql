-- The secret of a UTC day from which the ids of visitors without cookies are computed. Only that of today exists; all servers share it.
create table cookieless_salts (
  day date primary key,
  salt bytea not null
);
