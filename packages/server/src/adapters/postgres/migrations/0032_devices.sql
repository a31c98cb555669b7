-- What a person sees of their own log-in sessions.
alter table login_sessions
  -- names the session in the API; the id is derived from its secret
  add column public_id uuid not null default gen_random_uuid() unique,
  add column user_agent text not null default '',
  -- network address of the last use; empty: not known
  add column address text not null default '',
  add column last_used_at timestamptz(3);

-- Links that set a new password; a newer link of the same user replaces the older one.
create table password_resets (
  user_id integer primary key references users on delete cascade,
  -- SHA-256 of the token of the link
  token_hash bytea not null unique,
  created_by integer references users on delete set null,
  expires_at timestamptz(3) not null
);
