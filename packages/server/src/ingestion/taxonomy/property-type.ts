import { isoPattern } from '@tidemark/flags/iso-date';
import type { Json } from '../../kernel/json.js';

export type PropertyType = 'String' | 'Numeric' | 'Boolean' | 'DateTime';

const DATE = isoPattern({ longFraction: true });

/** Infers the type of a property from a value; null: no inference. */
export function propertyType(value: Json): PropertyType | null {
  if (typeof value === 'number') return 'Numeric';
  if (typeof value === 'boolean') return 'Boolean';
  if (typeof value !== 'string') return null;
  if (value === 'true' || value === 'false') return 'Boolean';
  return DATE.test(value) ? 'DateTime' : 'String';
}
