type JsonObject = Record<string, unknown>;

/** Whether a parsed JSON value is an object (not null, not an array). */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A flag of the REST API, as far as its declaration needs it. */
export interface DeclaredFlag {
  key: string;
  name?: string;
  filters: unknown;
  has_encrypted_payloads?: boolean | null;
}

/**
 * Text of a TypeScript declaration file with the keys, values and payloads of flags. It does not depend on the order of the flags.
 * @param module the module whose `FlagRegistry` is augmented
 */
export function flagDeclarations(flags: readonly DeclaredFlag[], module: string): string {
  const lines = flags.toSorted((a, b) => (a.key < b.key ? -1 : 1)).flatMap(declarationOf);
  return `// Written by \`tidemark flags:types\`: run it again instead of changing this file.
import ${JSON.stringify(module)};

declare module ${JSON.stringify(module)} {
  interface FlagRegistry {${lines.map((line) => `\n    ${line}`).join('')}${lines.length ? '\n  ' : ''}}
}
`;
}

function declarationOf(flag: DeclaredFlag): string[] {
  const filters = isObject(flag.filters) ? flag.filters : {};
  const comment = flag.name?.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  const field = `${nameOf(flag.key)}: { value: ${valueTypeOf(filters)}; payload: ${payloadTypeOf(flag, filters)} };`;
  return comment && comment !== flag.key ? [`/** ${comment} */`, field] : [field];
}

function valueTypeOf(filters: JsonObject): string {
  const variants = isObject(filters['multivariate']) ? filters['multivariate']['variants'] : undefined;
  const known = Array.isArray(variants) ? variants.filter(isObject) : [];
  const keys = known.flatMap(({ key }) => (typeof key === 'string' ? JSON.stringify(key) : []));
  if (!keys.length) return 'boolean';
  const held = isObject(filters['holdout']) ? [JSON.stringify(`holdout-${String(filters['holdout']['id'])}`)] : [];
  const share = known.reduce((sum, { rollout_percentage: one }) => sum + (typeof one === 'number' ? one : 0), 0);
  // persons outside of all variants have the flag without one
  return [share < 100 ? 'boolean' : 'false', ...new Set([...keys, ...held])].join(' | ');
}

function payloadTypeOf(flag: DeclaredFlag, filters: JsonObject): string {
  if (flag.has_encrypted_payloads) return 'unknown';
  const payloads = isObject(filters['payloads']) ? Object.values(filters['payloads']) : [];
  const given = payloads.filter((payload) => payload !== null && payload !== '');
  return given.length ? typeOfJson(given.map(parsed)) : 'null';
}

/** Payloads are stored as JSON text. */
function parsed(payload: unknown): unknown {
  if (typeof payload !== 'string') return payload;
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}

/** The TypeScript type that all of the JSON values have, on one line. */
function typeOfJson(values: readonly unknown[]): string {
  const parts = new Set<string>();
  const records: object[] = [];
  const items: unknown[] = [];
  let lists = false;
  for (const value of values) {
    if (Array.isArray(value)) {
      lists = true;
      items.push(...value);
    } else if (typeof value === 'object' && value !== null) records.push(value);
    else parts.add(value === null ? 'null' : typeof value);
  }
  if (records.length) parts.add(typeOfRecords(records));
  if (lists) parts.add(listOf(typeOfJson(items)));
  return [...parts].sort().join(' | ') || 'unknown';
}

const listOf = (item: string): string => (/^\w+$/.test(item) ? `${item}[]` : `(${item})[]`);

/** One type for all values. A field that some values lack is optional. */
function typeOfRecords(records: readonly object[]): string {
  const fields = new Map<string, unknown[]>();
  for (const [name, value] of records.flatMap((record) => Object.entries(record))) {
    fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  const shown = [...fields].map(([name, found]) => {
    return `${nameOf(name)}${found.length < records.length ? '?' : ''}: ${typeOfJson(found)}`;
  });
  return shown.length ? `{ ${shown.join('; ')} }` : 'Record<string, never>';
}

/** A property name in a type, quoted if necessary. */
const nameOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
