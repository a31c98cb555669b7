-- Why: docs/decisions/0098-an-index-of-distinct-ids.md

ALTER TABLE events ADD INDEX IF NOT EXISTS distinct_hash_filter distinct_hash TYPE bloom_filter(0.001) GRANULARITY 1;

ALTER TABLE events MATERIALIZE INDEX distinct_hash_filter;
