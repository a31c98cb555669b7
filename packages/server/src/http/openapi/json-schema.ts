import { z } from 'zod';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';

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

/** Placeholder for `undefined` as an alternative, which JSON Schema cannot express. */
const UNDEFINED: JsonObject = { 'x-undefined': true };

const DEFINED_FORMATS = new Set<unknown>(['uuid', 'date-time', 'date', 'email', 'uri']);

/** Simplifies a JSON Schema: drops what a format implies, puts null into `type`, and unwraps single alternatives. */
function tidy(schema: JsonObject): JsonObject {
  const own = { ...schema };
  delete own['$schema'];
  if (DEFINED_FORMATS.has(own['format'])) delete own['pattern'];
  if (own['minimum'] === Number.MIN_SAFE_INTEGER) delete own['minimum'];
  if (own['maximum'] === Number.MAX_SAFE_INTEGER) delete own['maximum'];
  if (isObject(own['propertyNames']) && Object.keys(own['propertyNames']).join() === 'type') delete own['propertyNames'];
  if (Array.isArray(own['required']) && own['required'].length === 0) delete own['required'];
  if (isObject(own['properties'])) own['properties'] = mapObject(own['properties'], tidyJson);
  if (own['example'] !== undefined) {
    own['examples'] = [own['example']];
    delete own['example'];
  }
  if (Array.isArray(own['type'])) own['type'] = nullLast(own['type']);
  const values = Array.isArray(own['enum']) ? own['enum'] : [own['const']];
  if (own['type'] === 'number' && values.every(Number.isInteger)) own['type'] = 'integer';
  for (const key of ['items', 'additionalProperties', 'propertyNames', 'not']) {
    if (isObject(own[key])) own[key] = tidy(own[key]);
  }
  if (isObject(own['additionalProperties']) && Object.keys(own['additionalProperties']).length === 0) {
    own['additionalProperties'] = true;
  }
  const isOpen = own['properties'] === undefined && own['additionalProperties'] === undefined;
  if (isOpen && [own['type']].flat().includes('object')) own['additionalProperties'] = true;
  for (const key of ['oneOf', 'allOf', 'prefixItems']) {
    if (Array.isArray(own[key])) own[key] = own[key].map(tidyJson);
  }
  return Array.isArray(own['anyOf']) ? tidyAlternatives(own, own['anyOf']) : own;
}

const nullLast = (types: Json[]): Json[] => [...new Set([...types.filter((type) => type !== 'null'), ...types])];

const tidyJson = (value: Json): Json => (isObject(value) ? tidy(value) : value);

const mapObject = (object: JsonObject, change: (value: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

function tidyAlternatives(schema: JsonObject, alternatives: Json[]): JsonObject {
  const { anyOf: _, ...rest } = schema;
  const flat = alternatives
    .filter(isObject)
    .map(tidy)
    .flatMap((one) =>
      Object.keys(one).join() === 'anyOf' && Array.isArray(one['anyOf']) ? one['anyOf'].filter(isObject) : [one],
    )
    .filter((one) => one['x-undefined'] === undefined);
  const telling = mergeConstants(flat.filter((one) => one['type'] !== 'null'));
  const [only] = telling;
  const isNullable = flat.some((one) => one['type'] === 'null');
  if (telling.length !== 1 || !only) return { ...rest, anyOf: isNullable ? [...telling, { type: 'null' }] : telling };
  if (!isNullable) return { ...only, ...rest };
  if (Object.keys(only).length === 0) return rest;
  if (only['type'] === undefined) return { ...rest, anyOf: [only, { type: 'null' }] };
  const { const: constant, ...typed } = only;
  const choices = constant === undefined ? only['enum'] : [constant];
  return {
    ...typed,
    type: nullLast([only['type'], 'null'].flat()),
    ...(Array.isArray(choices) ? { enum: [...choices, null] } : {}),
    ...rest,
  };
}

/** Merges alternatives of one constant each into one `enum`. */
function mergeConstants(alternatives: JsonObject[]): JsonObject[] {
  const [first] = alternatives;
  if (!first || alternatives.length < 2) return alternatives;
  const plain = alternatives.every((one) => Object.keys(one).sort().join() === 'const,type' && one['type'] === first['type']);
  return plain ? [tidy({ type: first['type'] ?? null, enum: alternatives.map((one) => one['const'] ?? null) })] : alternatives;
}
