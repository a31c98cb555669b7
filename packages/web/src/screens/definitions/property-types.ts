import type { PropertyDefinition } from '../../data/definitions.js';

const TYPES: Record<string, string> = { String: 'Text', Numeric: 'Number', Boolean: 'Yes or no', DateTime: 'Time' };

/** The type of a property's values in a word. */
export const typeName = (type: PropertyDefinition['property_type']): string => (type && TYPES[type]) || 'Not known';
