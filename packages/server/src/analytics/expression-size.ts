import { isObject } from '../kernel/json.js';

/** Maximum characters of all SQL expressions of a query or filter tree together. Parsing them is synchronous work. */
const MOST_CHARACTERS = 20_000;

/** Checks the size of the SQL expressions in an unvalidated query. Visits each value once. @returns an error message, or null */
export function expressionsFault(query: unknown): string | null {
  let left = MOST_CHARACTERS;
  const open: unknown[] = [query];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) open.push(...value);
    if (!isObject(value)) continue;
    for (const text of expressionsOf(value)) left -= text.length;
    if (left < 0) return `The expressions of a query may have ${MOST_CHARACTERS} characters together.`;
    open.push(...Object.values(value));
  }
  return null;
}

/** The SQL expressions in the fields of one object. */
function expressionsOf(value: Record<string, unknown>): string[] {
  const { type, key, property, breakdown_type, breakdown, math_hogql, funnelAggregateByHogQL, pathsHogQLExpression } = value;
  const texts = [
    math_hogql,
    funnelAggregateByHogQL,
    pathsHogQLExpression,
    ...(type === 'hogql' ? [key, property] : []),
    ...(breakdown_type === 'hogql' ? [breakdown].flat() : []),
  ];
  return texts.filter((text) => typeof text === 'string');
}
