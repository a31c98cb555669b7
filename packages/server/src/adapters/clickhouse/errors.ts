import { bisectRejected } from '../../kernel/bisect.js';
import { EventsFull, EventsUnavailable, QueryFailed } from '../../ports/events.js';
import type { Row } from './rows.js';

/** The table refuses a row of the insert; nothing was stored. */
export class EventsRejected extends Error {
  override name = 'EventsRejected';
}

/** ClickHouse's error numbers for data that does not fit its table. */
const BAD_DATA = new Set([
  6, 25, 26, 27, 32, 33, 38, 41, 53, 69, 70, 72, 117, 120, 128, 130, 131, 190, 306, 321, 349, 366, 376, 407, 441, 467, 469, 563,
  691,
]);
const NOT_ENOUGH_SPACE = 243;
const TOO_MANY_PARTS = 252;
/** A statement needs more than it may use. */
export const TOO_MUCH_MEMORY = 241;
/** ClickHouse is stopping, unreachable, or out of threads: the statement is not at fault. */
const AWAY = new Set([198, 202, 203, 209, 210, 225, 236, 242, 279, 439, 999]);

/** The parts of an error message of ClickHouse. */
export interface EngineMessage {
  code: number;
  /** Such as `UNKNOWN_IDENTIFIER`; empty when the engine gave none. */
  name: string;
  text: string;
}

/** Parses `Code: 47. DB::Exception: Unknown … (UNKNOWN_IDENTIFIER) (version …)`. Null for any other text. */
export function parseEngineMessage(message: string): EngineMessage | null {
  const found = /Code: (\d+)\.\s*(?:DB::\w*Exception:\s*)?([\s\S]*)$/.exec(message);
  if (!found) return null;
  // messages quote values, which may be long: none of these patterns backtracks over them
  const whole = (found[2] ?? '').replace(/\(version [^()]*(?:\([^()]*\)[^()]*)?\)\s*$/, '').replace(/,? Stack trace[\s\S]*$/, '');
  const trailer = /\(([A-Z][A-Z0-9_]+)\)\s*$/.exec(whole);
  const text = (trailer ? whole.slice(0, trailer.index) : whole).trimEnd();
  // what a node of a cluster says of another one
  const own = text.replace(/^(?:Received from \S+\. DB::\w*Exception: )+/, '');
  return { code: Number(found[1]), name: trailer?.[1] ?? '', text: own.replace(/:? While executing \w+\.?$/, '').trim() };
}

/** The port's error for a read that failed. */
export function readError({ code, text }: EngineMessage): Error {
  if (AWAY.has(code)) return new EventsUnavailable(`The event store cannot answer now (${code}).`);
  return new QueryFailed(code, text);
}

/** The port's error for an insert that failed. Its message quotes nothing of the data, which the engine's own does. */
export function insertError({ code, name, text }: EngineMessage): Error {
  const label = `${code}${name && ` ${name}`}`;
  if (code === NOT_ENOUGH_SPACE || /No space left|ENOSPC|errno: 28\b/.test(text)) {
    return new EventsFull(`The disk of the event store is full (${label}).`);
  }
  if (BAD_DATA.has(code) || (code === TOO_MANY_PARTS && text.includes('single INSERT block'))) {
    return new EventsRejected(`The table cannot take a row (${label}).`);
  }
  return new EventsUnavailable(`The event store did not take the rows (${label}).`);
}

/** A row that its table refuses in any form. */
interface RefusedRow {
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
