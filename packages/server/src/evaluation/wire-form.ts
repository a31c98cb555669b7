import { momentOf, parseDate } from '@tidemark/flags/filters';
import { isObject, type Json, type JsonObject } from '../kernel/json.js';

/*
 * Clients interpret some stored conditions differently from the service. These functions rewrite conditions to the wire form, with which both get the
 * same result.
 */

/** The last time of a JavaScript Date, epoch milliseconds. */
const MAX_DATE_MS = 8.64e15;

/** Stored dates without a zone are in the project's time zone, and numbers are seconds; clients assume UTC or their own zone, and milliseconds. */
export function toWireDate(property: JsonObject, timezone: string): JsonObject {
  if (property.operator !== 'is_date_before' && property.operator !== 'is_date_after') return property;
  const date = parseDate(property.value);
  const isClear = date?.local ? date.whole && timezone === 'UTC' : typeof property.value !== 'number';
  if (!date || isClear) return property;
  const at = date.local ? momentOf(date.at, timezone) : date.at;
  return Math.abs(at) <= MAX_DATE_MS ? { ...property, value: new Date(at).toISOString() } : property;
}

/** For the service every group without conditions matches, for clients only one of type AND. Clients write `not_in` for being outside of a cohort. */
export function toWireTree(node: JsonObject, timezone: string): JsonObject {
  if (Array.isArray(node.values)) {
    const values = node.values.map((one: Json) => (isObject(one) ? toWireTree(one, timezone) : one));
    return { ...node, type: values.length === 0 ? 'AND' : (node.type ?? 'AND'), values };
  }
  if (node.type === 'cohort' && node.operator === 'is_not') return { ...node, operator: 'not_in' };
  return toWireDate(node, timezone);
}

/**
 * Conditions for clients without early access: the flag is on for persons who joined, off for persons who left, and clients ask the service about
 * the others.
 */
export function toWireEnrollment(groups: JsonObject[], filters: JsonObject, key: string): JsonObject[] {
  const joined = { key: `$feature_enrollment/${key}`, type: 'person', operator: 'exact', value: ['true'] };
  const older = Array.isArray(filters.super_groups) ? (filters.super_groups[0] ?? null) : null;
  const enrollment: Json = filters.feature_enrollment === true ? { properties: [joined], rollout_percentage: 100 } : older;
  if (!isObject(enrollment) || !Array.isArray(enrollment.properties)) return groups;
  const undecided = enrollment.properties
    .filter(isObject)
    .map((property) => ({ key: property.key ?? '', type: 'person', operator: 'is_not_set', value: 'is_not_set' }));
  if (undecided.length === 0) return groups;
  const others = groups.map((group) => {
    const own = group.properties ?? [];
    return Array.isArray(own) ? { ...group, properties: [...own, ...undecided] } : group;
  });
  return [enrollment, ...others];
}

/**
 * Filters of a group flag with a condition about another type: clients apply the flag's type to every condition without its own type. With a
 * holdout the flag's type stays, because the holdout follows it.
 */
export function toWireAggregation(filters: JsonObject, groups: JsonObject[]): { filters: JsonObject; groups: JsonObject[] } {
  const { aggregation_group_type_index: type = null, holdout, holdout_groups: older } = filters;
  const isOther = ({ aggregation_group_type_index: own = type }: JsonObject) => own !== type;
  if (type === null || holdout || older || !groups.some(isOther)) return { filters, groups };
  return {
    filters: { ...filters, aggregation_group_type_index: null },
    groups: groups.map((group) => ({ aggregation_group_type_index: type, ...group })),
  };
}
