-- false: nothing of the organization's projects can be shared with the public
alter table organizations add column allow_publicly_shared_resources boolean not null default true;
