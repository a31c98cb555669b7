import { ApiError } from '../../kernel/errors.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import type { FlagRow } from '../feature-flags/index.js';
import type { Stage } from './schema.js';

/** Whether people decide by enrolling whether the flag is on for them. */
const isOpen = (stage: Stage | null): boolean => stage === 'alpha' || stage === 'beta';

/** The filters of a flag whose feature is at a stage; null: there is no feature any more. */
export function filtersAt(stage: Stage | null, filters: JsonObject): JsonObject {
  // older clients wrote enrolment as a condition that stands above the others
  const { feature_enrollment: _enrollment, super_groups: _older, ...rest } = filters;
  if (isOpen(stage)) return { ...rest, feature_enrollment: true };
  // people who had it by enrolling must not lose it at the moment when everybody gets it
  return stage === 'general-availability' ? { ...rest, groups: [{ properties: [], rollout_percentage: 100 }] } : rest;
}

/** The filters of a flag made for a feature: nobody has it but those who enroll. */
export const firstFilters = (stage: Stage): JsonObject =>
  filtersAt(stage, { groups: [{ properties: [], rollout_percentage: 0 }], multivariate: null, payloads: {} });

/** @throws ApiError invalid_input: enrolling cannot decide about such a flag */
export function requireFit({ key, filters, features }: FlagRow): void {
  const refuse = (detail: string): never => {
    throw new ApiError('invalid_input', detail, 'feature_flag_id');
  };
  if (features.length > 0) refuse(`The feature flag ${key} has an early access feature already.`);
  const { groups, multivariate } = filters;
  const variants = isObject(multivariate) ? multivariate.variants : null;
  if (Array.isArray(variants) && variants.length > 0) refuse('Feature flags with variants cannot have early access.');
  const conditions = [filters, ...(Array.isArray(groups) ? groups : [])];
  const isOfGroups = conditions.some((one) => isObject(one) && typeof one.aggregation_group_type_index === 'number');
  if (isOfGroups) refuse('Feature flags of groups cannot have early access: people enroll.');
}

/** A flag key made from a name. */
export const keyFrom = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'early-access';
