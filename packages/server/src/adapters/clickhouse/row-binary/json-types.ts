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
