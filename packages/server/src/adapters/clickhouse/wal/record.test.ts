import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeRecord, readRecords, type WalRecord } from './record.js';

const kinds: Pick<WalRecord, 'table' | 'format'>[] = [
  { table: 'events', format: 'binary' },
  { table: 'events', format: 'lines' },
  { table: 'persons', format: 'lines' },
  { table: 'person_overrides', format: 'lines' },
  { table: 'groups', format: 'lines' },
];
const record = fc
  .record({
    seq: fc.nat({ max: 2 ** 40 }),
    applied: fc.nat({ max: 2 ** 40 }),
    kind: fc.constantFrom(...kinds),
    token: fc.uuid(),
    rows: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  })
  .map(({ kind, ...rest }): WalRecord => ({ ...rest, ...kind }));
const encoded = (records: readonly WalRecord[]) => Buffer.concat(records.flatMap(encodeRecord));

test('records are decoded as encoded', () => {
  fc.assert(
    fc.property(fc.array(record), (records) => {
      expect(readRecords(encoded(records)).records).toEqual(records);
    }),
  );
});

test('a record has the bytes of released versions', () => {
  const record: WalRecord = {
    seq: 258,
    applied: 3,
    table: 'persons',
    format: 'lines',
    token: 'abc',
    rows: Buffer.from('{"a":1}\n'),
  };
  const hex = '19000000d29cbec102010000000003000000000001036162637b2261223a317d0a';
  expect(encoded([record]).toString('hex')).toBe(hex);
  expect(readRecords(Buffer.from(hex, 'hex')).records).toEqual([record]);
});

test('of a truncated file the complete records are read', () => {
  fc.assert(
    fc.property(fc.array(record, { minLength: 1 }), fc.nat(), (records, cut) => {
      const bytes = encoded(records);
      const left = bytes.subarray(0, cut % bytes.length);
      let whole = 0;
      while (encoded(records.slice(0, whole + 1)).length <= left.length) whole++;
      expect(readRecords(left).records).toEqual(records.slice(0, whole));
    }),
  );
});

/** As a log writes them: each with the next number. */
const log = (most: number) =>
  fc
    .array(record, { minLength: 1, maxLength: most })
    .map((records) => records.map((one, i): WalRecord => ({ ...one, seq: i + 1 })));

test('a changed byte loses only its record, and every byte is a record or reported', () => {
  fc.assert(
    fc.property(log(5), fc.nat(), fc.integer({ min: 1, max: 255 }), (records, at, flip) => {
      const bytes = encoded(records);
      const place = at % bytes.length;
      bytes[place] = (bytes[place] ?? 0) ^ flip;
      let before = 0;
      while (encoded(records.slice(0, before + 1)).length <= place) before++;
      const read = readRecords(bytes);
      expect(read.records).toEqual(records.filter((_, i) => i !== before));
      const damaged = read.damaged.reduce((sum, part) => sum + part.bytes.length, 0);
      expect(damaged + encoded(read.records).length).toBe(bytes.length);
    }),
  );
});

test('garbage after the last record loses none, and rows that look like a record are not one', () => {
  const inner = encoded([{ seq: 7, applied: 0, table: 'events', format: 'lines', token: 'forged', rows: Buffer.from('{}\n') }]);
  const rows = Buffer.concat([Buffer.from('a'), inner, Buffer.from('b')]);
  const outer: WalRecord = { seq: 1, applied: 0, table: 'events', format: 'lines', token: 'own', rows };
  const bytes = encoded([outer]);
  // the length of the outer one is damaged, so that its end is not known
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  expect(readRecords(bytes)).toEqual({ records: [], damaged: [{ at: 0, bytes }] });
  fc.assert(
    fc.property(log(3), fc.uint8Array({ minLength: 1, maxLength: 100 }), (records, garbage) => {
      const read = readRecords(Buffer.concat([encoded(records), garbage]));
      expect(read.records).toEqual(records);
      expect(read.damaged).toHaveLength(1);
    }),
  );
});
