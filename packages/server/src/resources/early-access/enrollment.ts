import { ApiError } from '../../kernel/errors.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import type { FlagRow } from '../feature-flags/index.js';
import type { Stage } from './schema.js';

/** Tells whether enrollment turns the flag on, which it does in alpha and beta. */
const isOpen = (stage: Stage | null): boolean => stage === 'alpha' || stage === 'beta';

/** The filters of a flag whose feature is at `stage`; null: the feature is deleted. */
export function filtersAt(stage: Stage | null, filters: JsonObject): JsonObject {
  // older clients store enrollment as `super_groups`, a condition above the others
  const { feature_enrollment: _enrollment, super_groups: _older, ...rest } = filters;
  if (isOpen(stage)) return { ...rest, feature_enrollment: true };
  // on for everybody: people who enrolled must not lose the feature when it becomes general
  return stage === 'general-availability' ? { ...rest, groups: [{ properties: [], rollout_percentage: 100 }] } : rest;
}

/** The filters of a flag that is made for a feature: on for people who enroll only. */
export const initialFilters = (stage: Stage): JsonObject =>
  filtersAt(stage, { groups: [{ properties: [], rollout_percentage: 0 }], multivariate: null, payloads: {} });

/** Refuses flags that enrollment cannot control. @throws ApiError invalid_input */
export function requireCompatible({ key, filters, features }: FlagRow): void {
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

/** Makes a flag key from a name. */
export const keyFrom = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'early-access';
