/** A layout of the table `events`. */
export interface Variant {
  name: string;
  /** Type and codec of `properties`. */
  properties: string;
  /** Further settings of the table. */
  table?: string;
  /** Further settings of each insert. */
  insert?: Record<string, string | number>;
  /** Rows come as RowBinary in a file instead of JSON lines. */
  binary?: true;
}

const WIDE_LATE = 'min_bytes_for_wide_part = 134217728';
const MAPS = `${WIDE_LATE}, merge_selector_base = 20, object_shared_data_serialization_version = 'map_with_buckets',
  object_shared_data_serialization_version_for_zero_level_parts = 'map'`;
const json = (paths: number, hints = '') => `JSON(max_dynamic_paths = ${paths}${hints})`;
const HINTED = ['$os', '$os_version', '$browser', '$device_type', '$current_url', '$host', '$pathname', '$raw_user_agent', '$lib']
  .concat(['$lib_version', '$session_id', '$window_id', '$referrer', '$referring_domain', '$timezone', 'title', 'plan'])
  .map((name) => `, \`${name}\` String`)
  .join('');

/** The service's table, with rows as JSON lines. */
export const LINES: Variant = { name: 'JSON, 16 paths, maps', properties: json(16), table: MAPS };

/** What the service uses: see adapters/clickhouse/migrations. */
export const CHOSEN: Variant = {
  name: 'chosen: JSON, 16 paths, maps, binary rows',
  properties: json(16),
  table: MAPS,
  binary: true,
};

export const VARIANTS: readonly Variant[] = [
  { name: 'text', properties: 'String', table: WIDE_LATE },
  { name: 'JSON as it comes (1024 paths, wide from 10 MB)', properties: 'JSON' },
  { name: 'JSON, 1024 paths', properties: 'JSON', table: WIDE_LATE },
  { name: 'JSON, 128 paths', properties: json(128), table: WIDE_LATE },
  { name: 'JSON, 64 paths', properties: json(64), table: WIDE_LATE },
  { name: 'JSON, 32 paths', properties: json(32), table: WIDE_LATE },
  { name: 'JSON, 16 paths', properties: json(16), table: WIDE_LATE },
  { name: 'JSON, 16 paths, wide from 10 MB', properties: json(16) },
  {
    name: 'JSON, 16 paths after merges only',
    properties: json(16),
    table: WIDE_LATE,
    insert: { max_dynamic_subcolumns_in_json_type_parsing: 0 },
  },
  { name: 'JSON, 32 paths, maps', properties: json(32), table: MAPS },
  { name: 'JSON, 0 paths, maps', properties: json(0), table: MAPS },
  { name: 'JSON, 16 paths, maps, ZSTD', properties: `${json(16)} CODEC(ZSTD(1))`, table: MAPS },
  { name: 'JSON, 16 paths, 17 typed, maps', properties: json(16, HINTED), table: MAPS },
  LINES,
  CHOSEN,
];
