import { QueryFailed, type ReadStatement } from '../../ports/events.js';
import type { Settings } from './engine/protocol.js';
import { MAX_STATEMENT } from './settings.js';

const PLACEHOLDER = /\{\s*([A-Za-z_]\w*)\s*:/g;
const ESCAPES: Record<string, string> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '\\0', "'": "\\'", '\\': '\\\\' };

/**
 * The values of a statement's `{name:Type}` placeholders, in ClickHouse's escaped text form.
 * @throws QueryFailed when one is missing: a session would use the value of an earlier statement
 * @throws QueryFailed for a statement that is too long with its values: the engine would refuse it too, after it has read all of it
 */
export function statementParams(sql: string, params: Record<string, unknown> = {}): Record<string, string> {
  const named: Record<string, string> = {};
  // in characters, which are no more than the bytes that the engine counts
  let length = sql.length;
  for (const [, name = ''] of sql.matchAll(PLACEHOLDER)) {
    if (Object.hasOwn(named, name)) continue;
    if (!Object.hasOwn(params, name)) throw new QueryFailed(456, `Substitution \`${name}\` is not set.`);
    const text = paramText(params[name]);
    length += text.length;
    if (length > MAX_STATEMENT) throw new QueryFailed(62, 'Max query size exceeded');
    named[name] = text;
  }
  return named;
}

/** Characters of a value from which on it is written into its statement: ClickHouse takes 128 KiB of a value, and 1 MiB of an address. */
const LONG_VALUE = 4_096;
const TYPED_PLACEHOLDER = /\{\s*([A-Za-z_]\w*)\s*:\s*([^{}]+?)\s*\}/g;

/** A statement whose long values, such as the people of a cohort, are literals in it, and the values that remain. */
export function inlineLongValues({ sql, params = {} }: Pick<ReadStatement, 'sql' | 'params'>): {
  sql: string;
  params: Record<string, unknown>;
} {
  const rest = { ...params };
  const inlined = sql.replace(TYPED_PLACEHOLDER, (placeholder, name: string, type: string) => {
    const value = Object.hasOwn(params, name) ? params[name] : null;
    const text = typeof value === 'string' ? value : Array.isArray(value) ? itemText(value) : '';
    if (text.length < LONG_VALUE) return placeholder;
    delete rest[name];
    return `CAST(${quoteText(text)}, ${quoteText(type)})`;
  });
  return { sql: inlined, params: rest };
}

/** A text as an SQL literal. */
export const quoteText = (text: string): string => `'${escapeText(text)}'`;

/** Settings as the `SETTINGS` clause of a statement, or `SET`, lists them. */
export const settingsClause = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = ${typeof value === 'number' ? value : quoteText(value)}`)
    .join(', ');

function paramText(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'boolean') return value ? '1' : '0';
  return itemText(value);
}

/** A value inside an array, where texts are quoted. */
function itemText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return quoteText(value);
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(itemText).join(',')}]`;
  throw new QueryFailed(457, `A parameter cannot be of type ${typeof value}.`);
}

const escapeText = (text: string): string => text.replace(/[\t\n\r\0'\\]/g, (char) => ESCAPES[char] ?? char);
