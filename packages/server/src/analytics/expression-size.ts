import { isObject } from '../kernel/json.js';

/** Characters that the expressions of a query, or of one tree of filters, may have together: each is read before anything is computed. */
const MOST_CHARACTERS = 20_000;

/** What is wrong with the expressions of SQL in a query as it was sent; null: nothing. Looks at each value once. */
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

/** The expressions that an object has itself. */
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
