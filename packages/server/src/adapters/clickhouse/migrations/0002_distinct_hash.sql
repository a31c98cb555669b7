-- Why: docs/decisions/0010-overrides-by-hash.md

ALTER TABLE events ADD COLUMN IF NOT EXISTS distinct_hash UInt64 MATERIALIZED cityHash64(distinct_id) AFTER distinct_id;
