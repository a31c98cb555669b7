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
