import { isObject, type Json, type JsonObject } from '../kernel/json.js';

/** Most conditions that one is told as. */
const MOST = 20;

/**
 * A condition of a flag for clients that know no cohorts: its one cohort, when it is simple, told as properties of persons, of
 * which there may be alternatives. Others are left as they are; clients ask the server about them.
 */
export function withoutCohorts(group: JsonObject, cohorts: ReadonlyMap<string, JsonObject>): JsonObject[] {
  const properties = Array.isArray(group.properties) ? group.properties : [];
  const [own, ...others] = properties.filter((property) => isObject(property) && property.type === 'cohort');
  if (!isObject(own) || others.length > 0 || own.negation === true || own.operator === 'not_in') return [group];
  const tree = cohorts.get(String(own.value));
  const alternatives = tree ? alternativesOf(tree) : null;
  if (!alternatives || alternatives.length === 0 || alternatives.length > MOST) return [group];
  const rest = properties.filter((property) => property !== own);
  return alternatives.map((leaves) => ({ ...group, properties: [...rest, ...leaves] }));
}

/** A tree as alternatives of properties that must all hold; null when it is not that simple. */
function alternativesOf(node: Json): JsonObject[][] | null {
  if (!isObject(node)) return null;
  if (!Array.isArray(node.values)) return isLeaf(node) ? [[node]] : null;
  const parts = node.values.map(alternativesOf);
  if (!parts.every((part) => part !== null)) return null;
  if (node.type === 'OR') return parts.flat();
  // of all parts but one there must be a single alternative: products would grow without end
  if (parts.filter((part) => part.length > 1).length > 1) return null;
  return parts.reduce<JsonObject[][]>((sum, part) => sum.flatMap((left) => part.map((right) => [...left, ...right])), [[]]);
}

const isLeaf = (node: JsonObject): boolean =>
  (node.type === 'person' || node.type === undefined) && node.negation !== true && node.key !== undefined;
