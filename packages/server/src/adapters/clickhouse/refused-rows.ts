import { bisectRejected } from '../../kernel/bisect.js';
import { EventsRejected } from './errors.js';
import type { Row } from './json-lines.js';

/** A row that its table refuses in any form. */
export interface RefusedRow {
  /** Its index among the rows that were given. */
  index: number;
  /** The row with its properties as text. */
  asText: Row;
}

/**
 * Inserts rows of which the table refuses at least one. Bisection finds the rows at fault; those are tried again with their properties
 * as JSON text under one name, `$raw_properties`, which every table takes and people can still read.
 * @param insert inserts rows as JSON lines, which the engine reads more leniently than RowBinary
 * @returns the rows that the table refuses in that form, too; all others are stored
 * @throws what `insert` throws, except EventsRejected
 */
export async function insertAroundRefused(
  rows: readonly Row[],
  insert: (part: readonly Row[]) => Promise<unknown>,
): Promise<RefusedRow[]> {
  const numbered = rows.map((row, index) => ({ index, row }));
  const { refused } = await bisectRejected(numbered, (part) => insert(part.map(({ row }) => row)), isRejection);
  const texts = refused.map(({ index, row }) => ({ index, asText: withPropertiesAsText(row) }));
  return (await bisectRejected(texts, (part) => insert(part.map(({ asText }) => asText)), isRejection)).refused;
}

export const isRejection = (error: unknown): boolean => error instanceof EventsRejected;

const withPropertiesAsText = (row: Row): Row =>
  'properties' in row ? { ...row, properties: { $raw_properties: JSON.stringify(row.properties) } } : row;
