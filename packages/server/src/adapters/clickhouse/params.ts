import { QueryFailed } from '../../ports/events.js';

const PLACEHOLDER = /\{\s*([A-Za-z_]\w*)\s*:/g;
const ESCAPES: Record<string, string> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '\\0', "'": "\\'", '\\': '\\\\' };

/**
 * The values that a statement's placeholders name, in ClickHouse's escaped text form.
 * @throws QueryFailed when one is missing: a session would take an earlier statement's value for it
 */
export function statementParams(sql: string, params: Record<string, unknown> = {}): Record<string, string> {
  const named: Record<string, string> = {};
  for (const [, name = ''] of sql.matchAll(PLACEHOLDER)) {
    if (!Object.hasOwn(params, name)) throw new QueryFailed(456, `Substitution \`${name}\` is not set.`);
    named[name] = paramText(params[name]);
  }
  return named;
}

function paramText(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'boolean') return value ? '1' : '0';
  return itemText(value);
}

/** As it stands inside an array. */
function itemText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return `'${escaped(value)}'`;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(itemText).join(',')}]`;
  throw new QueryFailed(457, `A parameter cannot be of type ${typeof value}.`);
}

const escaped = (text: string): string => text.replace(/[\t\n\r\0'\\]/g, (char) => ESCAPES[char] ?? char);
