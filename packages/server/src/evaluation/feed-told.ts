import { momentOf, parseDate } from '@tidemark/flags/filters';
import { isObject, type Json, type JsonObject } from '../kernel/json.js';

/*
 * Clients read some of what is stored in another way than the service: here it is written so that both come to the same.
 */

/** The last moment that JavaScript can write as a date. */
const LAST_DATE = 8.64e15;

/** Dates without a zone are the project's, and numbers are seconds; to clients they are UTC or their own, and milliseconds. */
export function toldDate(property: JsonObject, timezone: string): JsonObject {
  if (property.operator !== 'is_date_before' && property.operator !== 'is_date_after') return property;
  const date = parseDate(property.value);
  const isClear = date?.local ? date.whole && timezone === 'UTC' : typeof property.value !== 'number';
  if (!date || isClear) return property;
  const at = date.local ? momentOf(date.at, timezone) : date.at;
  return Math.abs(at) <= LAST_DATE ? { ...property, value: new Date(at).toISOString() } : property;
}

/** Groups without conditions take everybody; to clients only those of type AND do. Being outside of a cohort is `not_in` to them. */
export function toldTree(node: JsonObject, timezone: string): JsonObject {
  if (Array.isArray(node.values)) {
    const values = node.values.map((one: Json) => (isObject(one) ? toldTree(one, timezone) : one));
    return { ...node, type: values.length === 0 ? 'AND' : (node.type ?? 'AND'), values };
  }
  if (node.type === 'cohort' && node.operator === 'is_not') return { ...node, operator: 'not_in' };
  return toldDate(node, timezone);
}

/**
 * Conditions by which clients that know nothing of early access come to the same: who joined has the flag, who left has not, and of
 * whom that is not known the service is asked.
 */
export function toldEnrollment(groups: JsonObject[], filters: JsonObject, key: string): JsonObject[] {
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
 * Filters of a flag for groups with a condition about somebody else: clients take the flag's type for that, too, unless each
 * condition has its own. By the flag's goes then only who is held out, so with a holdout it stays.
 */
export function toldAggregation(filters: JsonObject, groups: JsonObject[]): { filters: JsonObject; groups: JsonObject[] } {
  const { aggregation_group_type_index: type = null, holdout, holdout_groups: older } = filters;
  const isOther = ({ aggregation_group_type_index: own = type }: JsonObject) => own !== type;
  if (type === null || holdout || older || !groups.some(isOther)) return { filters, groups };
  return {
    filters: { ...filters, aggregation_group_type_index: null },
    groups: groups.map((group) => ({ aggregation_group_type_index: type, ...group })),
  };
}
