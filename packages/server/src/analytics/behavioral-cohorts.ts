import { isObject, type JsonObject } from '../kernel/json.js';

/** A cohort as it is stored. */
interface Stored {
  id: number;
  filters: unknown;
}

/** Whether stored cohort filters (`{ properties }`) have a behavioural condition themselves, not through other cohorts. */
export const isBehavioral = (filters: unknown): boolean => leaves(filters).some(({ type }) => type === 'behavioral');

/** The cohorts of a project with a behavioural condition, directly or through cohorts that they name. */
export function behavioralCohorts(cohorts: readonly Stored[]): Set<number> {
  const found = new Set(cohorts.filter(({ filters }) => isBehavioral(filters)).map(({ id }) => id));
  if (found.size === 0) return found;
  const named = cohorts.map(({ id, filters }) => ({ id, names: namesIn(filters) }));
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { id, names } of named) if (names.some((name) => found.has(name))) found.add(id);
  }
  return found;
}

const namesIn = (filters: unknown): number[] =>
  leaves(filters).flatMap(({ type, value }) => (type === 'cohort' ? [value].flat().map(Number) : []));

function leaves(filters: unknown): JsonObject[] {
  const found: JsonObject[] = [];
  for (let level: unknown[] = isObject(filters) ? [filters.properties].flat() : []; level.length > 0; ) {
    const nodes = level.filter(isObject);
    const isGroup = (node: JsonObject): boolean => Array.isArray(node.values) && !('key' in node);
    for (const node of nodes) if (!isGroup(node)) found.push(node);
    level = nodes.filter(isGroup).flatMap(({ values }) => values);
  }
  return found;
}
