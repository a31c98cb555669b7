import { z } from 'zod';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { tidy, UNDEFINED } from './tidy.js';

/** JSON pointer to the named schemas of a document. */
const COMPONENTS = '#/components/schemas/';

/** Named schemas, collected during conversion. */
export type Components = Map<string, JsonObject>;

/**
 * Converts a schema to JSON Schema, of requests (`input`) or responses (`output`). Schemas with an `id` become components, which the result
 * references.
 * @throws Error if two different schemas have the same name
 */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', components: Components): JsonObject {
  // inside an object, because at the top a named schema cannot be distinguished from its content
  const made: unknown = z.toJSONSchema(z.object({ root: schema }), {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if (def.type === 'undefined') Object.assign(jsonSchema, UNDEFINED);
      if (def.type === 'object' && io === 'input') jsonSchema.required = requiredKeys(zodSchema);
    },
  });
  const { $defs = {}, properties = {} } = JSON.parse(JSON.stringify(made).replaceAll('#/$defs/', COMPONENTS));
  for (const [name, definition] of Object.entries($defs)) add(components, name, tidy(definition as JsonObject));
  return tidy(properties.root);
}

function add(components: Components, name: string, definition: JsonObject): void {
  delete definition['id'];
  const known = components.get(name);
  if (name.startsWith('__')) throw new Error('A schema that contains itself needs a name: .meta({ id })');
  if (known && JSON.stringify(known) !== JSON.stringify(definition)) {
    throw new Error(`Two different schemas are called ${name}: ${JSON.stringify(known)} and ${JSON.stringify(definition)}`);
  }
  components.set(name, definition);
}

/** Required keys of a request. Zod's own list is too short, because lenient fields accept undefined and refuse it themselves. */
function requiredKeys(schema: z.core.$ZodType): string[] {
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape)
    .filter(([, field]) => !mayBeAbsent(field))
    .map(([key]) => key);
}

function mayBeAbsent(field: unknown): boolean {
  if (field instanceof z.ZodOptional || field instanceof z.ZodDefault || field instanceof z.ZodPrefault) return true;
  if (field instanceof z.ZodNullable) return mayBeAbsent(field.unwrap());
  if (field instanceof z.ZodUnion) return field.options.some(mayBeAbsent);
  if (field instanceof z.ZodPipe) return mayBeAbsent(field.in instanceof z.ZodTransform ? field.out : field.in);
  return field instanceof z.ZodUndefined;
}

/** The properties of an object schema. */
export function propertiesOf(schema: JsonObject): [string, JsonObject][] {
  const { properties } = schema;
  if (!isObject(properties)) return [];
  return Object.entries(properties).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
}
