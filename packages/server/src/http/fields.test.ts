import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../kernel/errors.js';
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
  primaryKey,
  text,
  uuid,
} from './fields.js';
import { validate } from './validate.js';

/** The refusal of one field named `f`, as `code: detail (attr)`. */
function refusal(schema: z.ZodType, value: unknown): string {
  try {
    return `accepted: ${JSON.stringify(validate(z.object({ f: schema }), { f: value }).f)}`;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `${error.body.code}: ${error.body.detail} (${error.body.attr})`;
  }
}

describe('a field', () => {
  test.each([
    [text(), undefined, 'required: This field is required. (f)'],
    [text(), null, 'null: This field may not be null. (f)'],
    [text(), '  ', 'blank: This field may not be blank. (f)'],
    [text(), ['a'], 'invalid_input: Not a valid string. (f)'],
    [text({ max: 3 }), 'abcd', 'max_length: Ensure this field has no more than 3 characters. (f)'],
    [text({ max: 3 }), '😀😀😀', 'accepted: "😀😀😀"'],
    [text({ max: 3 }), '😀😀😀😀', 'max_length: Ensure this field has no more than 3 characters. (f)'],
    [text(), 'a\0b', 'invalid_input: Null characters are not allowed. (f)'],
    [text(), 5, 'accepted: "5"'],
    [text({ blank: true }), '', 'accepted: ""'],
    [bool(), 'nope', 'invalid_input: Must be a valid boolean. (f)'],
    [bool(), 'True', 'accepted: true'],
    [bool(), 0, 'accepted: false'],
    [integer(), 'x', 'invalid_input: A valid integer is required. (f)'],
    [integer(), '', 'invalid_input: A valid integer is required. (f)'],
    [integer(), 1.5, 'invalid_input: A valid integer is required. (f)'],
    [integer(), '12', 'accepted: 12'],
    [integer(), 3_000_000_000, 'invalid_input: Ensure this value is less than or equal to 2147483647. (f)'],
    [integer({ bounded: false }), 3_000_000_000, 'accepted: 3000000000'],
    [primaryKey(), '12', 'accepted: 12'],
    [primaryKey(), 3_000_000_000, 'accepted: 3000000000'],
    [primaryKey(), 'x', 'incorrect_type: Incorrect type. Expected pk value, received str. (f)'],
    [primaryKey(), true, 'incorrect_type: Incorrect type. Expected pk value, received bool. (f)'],
    [primaryKey(), [], 'incorrect_type: Incorrect type. Expected pk value, received list. (f)'],
    [primaryKey(), 1.5, 'incorrect_type: Incorrect type. Expected pk value, received float. (f)'],
    [integerChoice([1, 8]), 5, 'invalid_choice: "5" is not a valid choice. (f)'],
    [integerChoice([1, 8]), '8', 'accepted: 8'],
    [choice(['a', 'b']), 'c', 'invalid_choice: "c" is not a valid choice. (f)'],
    [uuid(), '0189', 'invalid_input: Must be a valid UUID. (f)'],
    [uuid(), '0189D5A2b5ab7fff8000000000000001', 'accepted: "0189d5a2-b5ab-7fff-8000-000000000001"'],
    [email(), 'nobody', 'invalid_input: Enter a valid email address. (f)'],
    [email(), ' a@b.co ', 'accepted: "a@b.co"'],
    [dateTime(), '2021-05-02T00:00:00', 'accepted: "2021-05-02T00:00:00.000Z"'],
    [dateTime(), '2021-05-02 03:00:00+03', 'accepted: "2021-05-02T00:00:00.000Z"'],
    [dateTime(), '2024-02-29', 'accepted: "2024-02-29T00:00:00.000Z"'],
    [dateTime(), '0001-01-01T00:00:00Z', 'accepted: "0001-01-01T00:00:00.000Z"'],
    [list(z.object({})), [5], 'invalid_input: Invalid data. Expected a dictionary. (f__0)'],
    [list(text()), 'x', 'not_a_list: Expected a list of items but got type "str". (f)'],
    [list(text()), ['a', ''], 'blank: This field may not be blank. (f__1)'],
    [object('Filters must be a dictionary'), [], 'invalid_input: Filters must be a dictionary (f)'],
    [optional(integer()), undefined, 'accepted: undefined'],
    [optional(integer()), null, 'null: This field may not be null. (f)'],
    [optional(nullable(bool())), null, 'accepted: null'],
    [optional(nullable(bool())), 'zz', 'invalid_input: Must be a valid boolean. (f)'],
  ])('%# %j', (schema, value, expected) => {
    expect(refusal(schema, value)).toBe(expected);
  });

  test.each([
    '2023-02-29',
    '2030-02-30T00:00:00Z',
    '2030-04-31',
    '2030-00-10',
    '2030-01-02T24:00:00Z',
    '0000-01-01',
    '2030-1-2',
    5,
  ])('%j is not a time', (value) =>
    expect(refusal(dateTime(), value)).toMatch(/^invalid_input: Datetime has wrong format\. .*Z\]\. \(f\)$/),
  );
});

test('only the first error is reported, in the order of the fields', () => {
  const schema = z.object({ level: integer(), user_uuid: uuid() });
  expect(() => validate(schema, {})).toThrow(
    expect.objectContaining({ body: expect.objectContaining({ attr: 'level', code: 'required' }) }),
  );
  expect(() => validate(schema, { level: 1 })).toThrow(
    expect.objectContaining({ body: expect.objectContaining({ attr: 'user_uuid' }) }),
  );
});

test('any JSON value is accepted or refused without an exception', () => {
  const schema = z.object({ a: text(), b: optional(integer()), c: nullable(list(uuid())), d: dateTime(), e: bool() });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.jsonValue(),
        fc.record({ a: fc.jsonValue(), b: fc.jsonValue(), c: fc.jsonValue(), d: fc.jsonValue(), e: fc.jsonValue() }),
      ),
      (value) => {
        try {
          validate(schema, value);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      },
    ),
  );
});
