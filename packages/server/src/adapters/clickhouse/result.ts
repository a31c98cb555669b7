import type { ReadResult } from '../../ports/events.js';

interface Compact {
  meta: { name: string; type: string }[];
  data: unknown[][];
}

/** Parses a JSONCompact result, which names each column once, into row objects. */
export function parseResult<Row>(bytes: Buffer): ReadResult<Row> {
  const { meta, data }: Compact = JSON.parse(bytes.toString('utf8'));
  const toRow = ([...values]: unknown[]) => Object.fromEntries(meta.map(({ name }, i) => [name, values[i]])) as Row;
  return { rows: data.map(toRow), columns: meta.map(({ name, type }) => ({ name, type })) };
}
