-- What the file of an export lacks, in a sentence; null: nothing, or it is not made yet.
alter table exports add column warning text;
