import type { Json } from '../../kernel/json.js';

export type PropertyType = 'String' | 'Numeric' | 'Boolean' | 'DateTime';

const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** Infers the type of a property from a value; null: no inference. */
export function propertyType(value: Json): PropertyType | null {
  if (typeof value === 'number') return 'Numeric';
  if (typeof value === 'boolean') return 'Boolean';
  if (typeof value !== 'string') return null;
  if (value === 'true' || value === 'false') return 'Boolean';
  return DATE.test(value) ? 'DateTime' : 'String';
}
