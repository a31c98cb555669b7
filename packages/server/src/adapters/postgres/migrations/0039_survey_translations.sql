-- Texts of the appearance of a survey in other languages, by language.
alter table surveys add column translations jsonb;
