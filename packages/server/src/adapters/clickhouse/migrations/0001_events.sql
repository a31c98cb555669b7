-- Why the tables are as they are: docs/decisions/0001-events-table.md

CREATE TABLE IF NOT EXISTS events (
  project_id UInt32,
  uuid UUID,
  event LowCardinality(String),
  distinct_id String,
  person_id UUID,
  person_mode Enum8('full' = 1, 'propertyless' = 2),
  timestamp DateTime64(3, 'UTC'),
  inserted_at DateTime64(3, 'UTC'),
  elements_chain String,
  group_0 String,
  group_1 String,
  group_2 String,
  group_3 String,
  group_4 String,
  properties JSON(max_dynamic_paths = 16)
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(timestamp)
PRIMARY KEY (project_id, toDate(timestamp), event, cityHash64(distinct_id))
ORDER BY (project_id, toDate(timestamp), event, cityHash64(distinct_id), uuid)
SETTINGS
  non_replicated_deduplication_window = 10000,
  min_bytes_for_wide_part = 134217728,
  merge_selector_base = 20,
  object_shared_data_serialization_version = 'map_with_buckets',
  object_shared_data_serialization_version_for_zero_level_parts = 'map';

CREATE TABLE IF NOT EXISTS persons (
  project_id UInt32,
  person_id UUID,
  properties JSON(max_dynamic_paths = 16),
  is_identified Bool,
  is_deleted Bool,
  created_at DateTime64(3, 'UTC'),
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (project_id, person_id)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS person_overrides (
  project_id UInt32,
  distinct_id String,
  person_id UUID,
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (project_id, distinct_id)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS groups (
  project_id UInt32,
  group_type_index UInt8,
  group_key String,
  properties JSON(max_dynamic_paths = 16),
  created_at DateTime64(3, 'UTC'),
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (project_id, group_type_index, group_key)
SETTINGS non_replicated_deduplication_window = 10000;
