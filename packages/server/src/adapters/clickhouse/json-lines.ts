import type { EventTables } from '../../ports/events.js';
import type { Scheduler } from '../../ports/system.js';

/** Rows that are encoded between two turns of the event loop: about 3 ms. */
const ROWS_PER_TURN = 1_000;
const NEWLINE = 10;

/** A row of any table. */
export type Row = EventTables[keyof EventTables];

/** Encodes rows as JSONEachRow: one JSON object a line. */
export async function encodeLines(rows: readonly Row[], scheduler: Scheduler): Promise<Buffer> {
  const texts = rows.map((row) => `${shortIntegers(JSON.stringify(row))}\n`);
  let length = 0;
  for (const text of texts) length += Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const [i, text] of texts.entries()) {
    if (i > 0 && i % ROWS_PER_TURN === 0) await scheduler.yield();
    // one by one: a single wide character in a joined text would double the memory of all
    at += bytes.write(text, at, 'utf8');
  }
  return bytes;
}

/** The rows that `encodeLines` encoded. @throws SyntaxError when a line is not JSON */
export function decodeLines(bytes: Buffer): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline;
    if (end > at) rows.push(JSON.parse(bytes.toString('utf8', at, end)));
    at = end + 1;
  }
  return rows;
}

const STRING_FLOAT_OR_LONG = /"(?:[^"\\]|\\.)*"|-?\d+\.\d+|-?\d{19,}/g;

/** The same JSON text with integers that may not fit 64 bits in exponent form: ClickHouse refuses longer ones. */
export function shortIntegers(json: string): string {
  if (!/\d{19}/.test(json)) return json;
  return json.replace(STRING_FLOAT_OR_LONG, (token) => (/^-?\d+$/.test(token) ? Number(token).toExponential() : token));
}
