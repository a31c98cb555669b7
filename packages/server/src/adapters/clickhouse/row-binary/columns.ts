/** The columns of a row of `events` in the order of its bytes, with their ClickHouse types. */
const COLUMNS = {
  project_id: 'UInt32',
  uuid: 'UUID',
  event: 'LowCardinality(String)',
  distinct_id: 'String',
  person_id: 'UUID',
  person_mode: "Enum8('full' = 1, 'propertyless' = 2)",
  timestamp: "DateTime64(3, 'UTC')",
  inserted_at: "DateTime64(3, 'UTC')",
  elements_chain: 'String',
  group_0: 'String',
  group_1: 'String',
  group_2: 'String',
  group_3: 'String',
  group_4: 'String',
  properties: 'JSON(max_dynamic_paths = 16)',
} as const;

/** Their names, as a statement lists them. */
export const EVENT_COLUMNS = Object.keys(COLUMNS).join();
/** The same with their types. */
export const EVENT_STRUCTURE = Object.entries(COLUMNS)
  .map(([name, type]) => `${name} ${type}`)
  .join();

/** What `person_mode` is on the disk. */
export const PERSON_MODES = { full: 1, propertyless: 2 } as const;

/** Bytes by which RowBinary names the type of a value: https://clickhouse.com/docs/sql-reference/data-types/data-types-binary-encoding */
export const TYPE = {
  nothing: 0x00,
  int64: 0x0a,
  float64: 0x0e,
  text: 0x15,
  array: 0x1e,
  nullable: 0x23,
  /** Followed by how many types it may have. */
  dynamic: 0x2b,
  bool: 0x2d,
  /** Followed by {@link INNER_JSON}. */
  json: 0x30,
} as const;

/** Types that a value of changing type may have, as the engine's own. */
export const DYNAMIC_TYPES = 32;

/**
 * What JSON inside an array is, as where the engine reads text: version 0 of the form, 4 paths of their own, 16 types each, and no
 * paths with a type, none to skip by name, none by pattern.
 */
export const INNER_JSON = [0, 4, 16, 0, 0, 0] as const;

/** How dots in names are kept apart from those between names (the engine's `json_type_escape_dots_in_keys`). */
export const ESCAPED_DOT = '%2E';
