import { isObject, type Json, type JsonObject } from '../kernel/json.js';

/** Limit of conditions that replace one condition. */
const MAX_ALTERNATIVES = 20;

/**
 * Translates a condition for clients without cohorts: replaces its only cohort, if simple, by person properties, one condition for each
 * alternative. Other conditions stay unchanged; clients ask the server about them.
 */
export function inlineCohort(group: JsonObject, cohorts: ReadonlyMap<string, JsonObject>): JsonObject[] {
  const properties = Array.isArray(group.properties) ? group.properties : [];
  const [own, ...others] = properties.filter((property) => isObject(property) && property.type === 'cohort');
  if (!isObject(own) || others.length > 0 || own.negation === true || own.operator === 'not_in') return [group];
  const tree = cohorts.get(String(own.value));
  const alternatives = tree ? alternativesOf(tree) : null;
  if (!alternatives || alternatives.length === 0 || alternatives.length > MAX_ALTERNATIVES) return [group];
  const rest = properties.filter((property) => property !== own);
  return alternatives.map((leaves) => ({ ...group, properties: [...rest, ...leaves] }));
}

/** The disjunctive normal form of a tree: alternatives of properties that must all match; null: not that simple. */
function alternativesOf(node: Json): JsonObject[][] | null {
  if (!isObject(node)) return null;
  if (!Array.isArray(node.values)) return isLeaf(node) ? [[node]] : null;
  const parts = node.values.map(alternativesOf);
  if (!parts.every((part) => part !== null)) return null;
  if (node.type === 'OR') return parts.flat();
  // at most one part may have several alternatives: products would grow exponentially
  if (parts.filter((part) => part.length > 1).length > 1) return null;
  return parts.reduce<JsonObject[][]>((sum, part) => sum.flatMap((left) => part.map((right) => [...left, ...right])), [[]]);
}

const isLeaf = (node: JsonObject): boolean =>
  (node.type === 'person' || node.type === undefined) && node.negation !== true && node.key !== undefined;
