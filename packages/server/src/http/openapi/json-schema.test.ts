import { expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../kernel/json.js';
import {
  bool,
  choice,
  dateTime,
  email,
  integer,
  integerChoice,
  list,
  nullable,
  object,
  optional,
  secret,
  text,
  uuid,
} from '../fields.js';
import { toJsonSchema } from './json-schema.js';

const thing = z.object({ id: z.int().describe('Number.') }).meta({ id: 'Thing', description: 'A thing.' });

test.each([
  [text({ max: 4 }), { type: 'string', minLength: 1, maxLength: 4 }],
  [text({ blank: true }), { type: 'string' }],
  [secret(), { type: 'string', minLength: 1, maxLength: 1024, format: 'password' }],
  [email(), { type: 'string', minLength: 1, maxLength: 254, format: 'email' }],
  [bool(), { type: 'boolean' }],
  [integer(), { type: 'integer', format: 'int32' }],
  [integerChoice([1, 8]), { type: 'integer', enum: [1, 8] }],
  [choice(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
  [uuid(), { type: 'string', format: 'uuid' }],
  [dateTime(), { type: 'string', format: 'date-time' }],
  [object(), { type: 'object', additionalProperties: true }],
  [list(uuid()), { type: 'array', items: { type: 'string', format: 'uuid' } }],
  [optional(text({ max: 4 })).describe('Shown.'), { type: 'string', minLength: 1, maxLength: 4, description: 'Shown.' }],
  [optional(nullable(bool())), { type: ['boolean', 'null'] }],
  [nullable(choice(['a'])), { type: ['string', 'null'], enum: ['a', null] }],
  [nullable(list(integer())), { type: ['array', 'null'], items: { type: 'integer', format: 'int32' } }],
  [text().transform((value) => value.length), { type: 'string', minLength: 1 }],
])('input %#', (schema, expected) => {
  expect(toJsonSchema(schema, 'input', new Map())).toEqual(expected);
});

test.each([
  [z.iso.datetime().nullable(), { type: ['string', 'null'], format: 'date-time' }],
  [z.uuid(), { type: 'string', format: 'uuid' }],
  [z.int(), { type: 'integer' }],
  [z.literal([1, 8]), { type: 'integer', enum: [1, 8] }],
  [z.union([z.literal(21), z.literal(37)]).nullable(), { type: ['integer', 'null'], enum: [21, 37, null] }],
  [z.literal('x').nullable(), { type: ['string', 'null'], enum: ['x', null] }],
  [z.record(z.string(), z.unknown()), { type: 'object', additionalProperties: true }],
  [thing, { $ref: '#/components/schemas/Thing' }],
  [thing.describe('The one.'), { $ref: '#/components/schemas/Thing', description: 'The one.' }],
  [thing.nullable(), { anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] }],
  [nullable(thing), { anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] }],
  [
    z.object({ a: z.string(), b: optional(z.string()) }),
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    },
  ],
])('output %#', (schema, expected) => {
  expect(toJsonSchema(schema, 'output', new Map())).toEqual(expected);
});

test('a request schema requires the fields that are refused when absent', () => {
  const schema = z.object({
    a: text(),
    b: list(text()),
    c: nullable(integer()),
    d: optional(text()),
    e: z.unknown().optional().transform(String),
    f: optional(nullable(list(text()))),
  });
  expect(toJsonSchema(schema, 'input', new Map())['required']).toEqual(['a', 'b', 'c']);
});

test('named schemas become components, and two of one name are refused', () => {
  const components = new Map<string, JsonObject>();
  toJsonSchema(z.array(thing), 'output', components);
  expect(components.get('Thing')).toEqual({
    type: 'object',
    properties: { id: { type: 'integer', description: 'Number.' } },
    required: ['id'],
    additionalProperties: false,
    description: 'A thing.',
  });
  const taken = new Map<string, JsonObject>([['Thing', { type: 'string' }]]);
  expect(() => toJsonSchema(thing, 'output', taken)).toThrow('Two different schemas are called Thing');
});
