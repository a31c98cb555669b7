import type { Json, JsonObject } from '../../../kernel/json.js';
import { type ApiDocument, listOf, objectOf } from './document.js';

/** Levels of nested objects that an example shows. */
const MAX_DEPTH = 4;

/**
 * An example value of a JSON schema: its own example or default, else made of its type. Objects have their required fields, or all fields
 * for a response.
 */
export function exampleOf(
  schema: JsonObject,
  resolve: ApiDocument['resolve'],
  { whole = false, depth = 0 }: { whole?: boolean; depth?: number } = {},
): Json {
  const resolved = resolve(schema);
  const { examples, type } = resolved;
  if (Array.isArray(examples) && examples[0] !== undefined) return examples[0];
  if (resolved['const'] !== undefined) return resolved['const'];
  if (resolved['default'] !== undefined) return resolved['default'];
  const [first] = [...listOf(resolved['anyOf']), ...listOf(resolved['oneOf'])];
  const next = { whole, depth: depth + 1 };
  if (first) return depth > MAX_DEPTH ? null : exampleOf(first, resolve, next);
  if (Array.isArray(resolved['enum'])) return resolved['enum'][0] ?? null;
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object': {
      if (depth > MAX_DEPTH) return {};
      const required = Array.isArray(resolved['required']) ? resolved['required'] : [];
      const properties = Object.entries(objectOf(resolved['properties'])).filter(([name]) => whole || required.includes(name));
      return Object.fromEntries(properties.map(([name, property]) => [name, exampleOf(objectOf(property), resolve, next)]));
    }
    case 'array':
      return depth > MAX_DEPTH || !resolved['items'] ? [] : [exampleOf(objectOf(resolved['items']), resolve, next)];
    case 'integer':
    case 'number':
      return typeof resolved['minimum'] === 'number' ? resolved['minimum'] : 1;
    case 'boolean':
      return true;
    case 'string':
      return exampleText(resolved['format']);
    default:
      return null;
  }
}

function exampleText(format: Json | undefined): string {
  switch (format) {
    case 'uuid':
      return '0190f8a2-5d2c-7c1e-9a4b-3f6d2e8b7c10';
    case 'date-time':
      return '2026-11-24T09:30:00.000Z';
    case 'date':
      return '2026-11-24';
    case 'email':
      return 'ada@example.com';
    case 'uri':
      return 'https://example.com/';
    default:
      return 'text';
  }
}
