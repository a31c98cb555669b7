import fc from 'fast-check';
import { isObject, type Json, type JsonObject } from '../kernel/json.js';

/** How deep objects of a recursive schema go. */
const DEEPEST = 6;

/** What clients send by mistake, or on purpose. */
export const oddValue: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    0,
    -1,
    1.5,
    2_147_483_648,
    1e21,
    '',
    '  ',
    '0',
    '%',
    '\0',
    '\ud800',
    'a'.repeat(401),
    [],
    {},
    [null],
  ),
  fc.jsonValue({ maxDepth: 3 }).map((value) => toJson(value)),
  fc.string({ unit: 'binary', maxLength: 30 }),
);

const toJson = (value: unknown): Json => JSON.parse(JSON.stringify(value));

/** Values that fit a schema of the API's description, as far as JSON Schema tells what fits. */
export function anyValue(document: JsonObject, schema: Json | undefined, depth = 0): fc.Arbitrary<Json> {
  const own = resolve(document, schema);
  const inner = (part: Json | undefined) => anyValue(document, part, depth + 1);
  const { type, enum: choices, anyOf, oneOf = anyOf, minimum, maximum } = own;
  if (Array.isArray(choices)) return fc.constantFrom(...choices);
  if ('const' in own) return fc.constant(own['const'] ?? null);
  if (Array.isArray(oneOf)) return fc.oneof(...oneOf.map(inner));
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => anyValue(document, { ...own, type: one }, depth)));
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' || type === 'number') {
    const least = typeof minimum === 'number' ? minimum : -5;
    const most = typeof maximum === 'number' ? maximum : Math.max(least, 0) + 30;
    const between =
      type === 'integer' ? fc.integer({ min: least, max: most }) : fc.double({ min: least, max: most, noNaN: true });
    return fc.oneof(between, fc.constantFrom(least, most));
  }
  if (type === 'string') return anyText(own);
  if (type === 'array') return fc.array(inner(own['items']), { maxLength: 3 });
  if (type !== 'object' || depth > DEEPEST) return fc.jsonValue({ maxDepth: 2 }).map(toJson);
  const fields = Object.entries(toObject(own['properties'])).map(([name, field]): [string, fc.Arbitrary<Json>] => [
    name,
    inner(field),
  ]);
  if (fields.length === 0)
    return fc.dictionary(fc.string({ maxLength: 8 }), inner(toObject(own['additionalProperties'])), { maxKeys: 3 });
  const required = Array.isArray(own['required']) ? own['required'].map(String) : [];
  return fc.record(Object.fromEntries(fields), {
    requiredKeys: required.filter((name) => fields.some(([known]) => known === name)),
  });
}

function anyText({ format, minLength = 0, maxLength = 40 }: JsonObject): fc.Arbitrary<Json> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time')
    return fc
      .date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (format === 'email') return fc.emailAddress();
  const most = Math.min(Number(maxLength), 400);
  return fc.oneof(fc.string({ unit: 'grapheme', minLength: Number(minLength), maxLength: most }), fc.constant('x'.repeat(most)));
}

/** A value in which one thing, however deep, is something else or missing. */
export const withOneFault = (value: Json): fc.Arbitrary<Json> =>
  fc.tuple(fc.nat(), fc.option(oddValue)).map(([which, odd]) => {
    const copy = structuredClone(value);
    const places = placesIn(copy);
    const place = places[which % (places.length || 1)];
    if (!place) return odd;
    const [holder, key] = place;
    if (Array.isArray(holder)) holder[Number(key)] = odd;
    else if (odd === null) delete holder[key];
    else holder[key] = odd;
    return copy;
  });

const placesIn = (value: Json): [holder: Json[] | JsonObject, key: string][] =>
  Array.isArray(value) || isObject(value)
    ? Object.entries(value).flatMap(([key, inner]): [Json[] | JsonObject, string][] => [[value, key], ...placesIn(inner)])
    : [];

/** A schema or what its `$ref` says. */
export function resolve(document: JsonObject, schema: Json | undefined): JsonObject {
  const own = toObject(schema);
  const { $ref: reference } = own;
  if (typeof reference !== 'string') return own;
  return resolve(
    document,
    reference
      .slice(2)
      .split('/')
      .reduce<Json>((at, name) => toObject(at)[name] ?? null, document),
  );
}

export const toObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
