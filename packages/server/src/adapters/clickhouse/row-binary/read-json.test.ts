import { webEventMaker } from '@tidemark/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../kernel/json.js';
import { readProperties } from './read-events.js';
import { bytesOf, createPropertiesCodec } from './write-events.js';

const codec = createPropertiesCodec();
const read = codec.reader(['selected']);
const MOST = 1024 * 1024;

/** What the text is stored as when it is parsed. */
function parsed(text: string): JsonObject {
  const made = codec.encode(JSON.parse(text), MOST);
  if (!made) throw new Error('too long');
  return readProperties(bytesOf(made.encoded));
}

const name = fc.oneof(fc.constantFrom('$os', 'plan', 'selected', 'a.b', 'a%2Eb', '', 'é', '1', '2', '__proto__'), fc.string());
const number = fc.oneof(
  fc.double({ noDefaultInfinity: true, noNaN: true }).map(String),
  fc.tuple(fc.integer(), fc.nat(), fc.nat(12)).map(([whole, part, digits]) => `${whole}.${String(part).padStart(digits, '0')}`),
  fc.constantFrom(
    '0',
    '-0',
    '-0.0',
    '1e3',
    '12E-2',
    '123456789012345678901',
    '9007199254740993',
    '0.1',
    '1.10',
    '999999999999999.5',
    '01',
    '1.',
    '-',
    '.5',
  ),
);
const { object } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string().map((text) => JSON.stringify(text)),
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
    number,
    fc.constantFrom('true', 'false', 'null', 'nul', '"\t"', String.raw`"\ud800"`, String.raw`"a\"b"`, '""', '[]', '{}'),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(name, tie('value'), fc.constantFrom('', ' ', '\n\t')), { maxLength: 6 })
    .map(
      (members) =>
        `{${members.map(([key, inner, space]) => `${space}${JSON.stringify(key)}${space}:${space}${inner}${space}`).join()}}`,
    ),
}));

test('what is read is what parsing makes of it, and what is no JSON is not read', () => {
  let count = 0;
  fc.assert(
    fc.property(object, fc.string(), fc.string(), (text, before, after) => {
      const [prefix, whole] = [Buffer.from(before), Buffer.from(text)];
      const made = read(Buffer.concat([prefix, whole, Buffer.from(after)]), prefix.length);
      if (!made) return;
      count++;
      expect(made.end).toBe(prefix.length + whole.length);
      expect(readProperties(bytesOf(made.encoded))).toEqual(parsed(text));
      const all = JSON.parse(text);
      expect(made.parse()).toEqual(all);
      expect(made.names.list.map((one) => one.name).sort()).toEqual(Object.keys(all).sort());
      for (const { name: key, isNull } of made.names.list) expect(all[key] === null).toBe(isNull);
      expect(made.selected).toEqual('selected' in all ? { selected: all.selected } : {});
    }),
    { numRuns: 3_000 },
  );
  // or else nothing was compared
  expect(count).toBeGreaterThan(300);
});

test('events of pages are read, and those with the same names have the same list of names', () => {
  const make = webEventMaker(3);
  const lists = new Set(
    Array.from({ length: 100 }, () => {
      const text = JSON.stringify({
        ...make().properties,
        flags: ['a', 'b'],
        inner: { a: { b: 1 } },
        title: 'a "quoted" word\n',
      });
      const made = read(Buffer.from(text), 0);
      expect(made && readProperties(bytesOf(made.encoded))).toEqual(parsed(text));
      return made?.names;
    }),
  );
  expect(lists.size).toBe(1);
});

test.each([
  ['a name twice', '{"a":1,"b":2,"a":3}'],
  ['a name twice, once without a value', '{"a":null,"a":3}'],
  ['two names for one path', '{"a":{"b%2Ec":1,"b.c":2}}'],
  ['a prototype', '{"__proto__":{"a":1}}'],
  ['a prototype inside', '{"a":{"__proto__":{"a":1}}}'],
  ['a long distinct id', '{"a":{"distinct_id":12345678901234567890}}'],
  ['half a surrogate pair', String.raw`{"a":"\ud800"}`],
  ['nested deeply', `{"a":${'['.repeat(20)}${']'.repeat(20)}}`],
  ['longer than the limit', `{"a":"${'x'.repeat(70_000)}"}`],
  ['cut off', '{"a":"b'],
  ['no object', '["a"]'],
])('%s is left to be parsed', (_name, text) => {
  expect(read(Buffer.from(text), 0)).toBeNull();
});

test('what was read stays when more is read, and a list of names that is forgotten is made again', () => {
  const texts = Array.from({ length: 25_000 }, (_, index) => `{"name ${index}":${index}}`);
  const first = read(Buffer.from(texts[0] ?? ''), 0);
  for (const text of texts) read(Buffer.from(text), 0);
  expect(first && readProperties(bytesOf(first.encoded))).toEqual({ 'name 0': 0 });
  expect(read(Buffer.from(texts[0] ?? ''), 0)?.names.list).toEqual(first?.names.list);
});
