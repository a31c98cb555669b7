import { ApiError } from '../../../kernel/errors.js';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';
import type { UpdateFields } from '../schema.js';
import type { FlagRow } from '../store.js';

/** The update that a scheduled change makes to the current flag. @throws ApiError invalid_input for `payload` */
export function plannedFields({ filters }: Pick<FlagRow, 'filters'>, { operation, value }: JsonObject): UpdateFields {
  if (operation === 'update_status') {
    if (typeof value !== 'boolean') refuse('The value of update_status must be true or false.');
    return { active: value };
  }
  if (operation === 'add_release_condition') {
    const { groups, payloads = null } = objectOf(value, operation);
    if (!Array.isArray(groups) || groups.length === 0) refuse('The value of add_release_condition needs a list of groups.');
    const others = Array.isArray(filters['groups']) ? filters['groups'] : [];
    return { filters: withPayloads({ ...filters, groups: [...others, ...groups] }, payloads) };
  }
  if (operation === 'update_variants') {
    const { variants, payloads = null } = objectOf(value, operation);
    if (!Array.isArray(variants)) refuse('The value of update_variants needs a list of variants.');
    return { filters: withPayloads({ ...filters, multivariate: { variants } }, payloads) };
  }
  return refuse('The operation must be update_status, add_release_condition or update_variants.');
}

function objectOf(value: Json | undefined, operation: string): JsonObject {
  return isObject(value) ? value : refuse(`The value of ${operation} must be a dictionary.`);
}

/** Filters with more payloads; new payloads replace existing ones with the same key. */
function withPayloads(filters: JsonObject, payloads: Json): JsonObject {
  if (payloads === null) return filters;
  if (!isObject(payloads)) return refuse('Payloads must be a dictionary.');
  return { ...filters, payloads: { ...(isObject(filters['payloads']) ? filters['payloads'] : {}), ...payloads } };
}

function refuse(detail: string): never {
  throw new ApiError('invalid_input', detail, 'payload');
}
