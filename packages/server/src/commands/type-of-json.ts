/** The TypeScript type that all of the JSON values have, on one line. */
export function typeOfJson(values: readonly unknown[]): string {
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
export const nameOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
