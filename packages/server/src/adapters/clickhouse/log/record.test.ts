import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeRecords, encodeRecord, type LogRecord } from './record.js';

const kinds: Pick<LogRecord, 'table' | 'format'>[] = [
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
  .map(({ kind, ...rest }): LogRecord => ({ ...rest, ...kind }));
const encoded = (records: readonly LogRecord[]) => Buffer.concat(records.flatMap(encodeRecord));

test('records come back as they were written', () => {
  fc.assert(
    fc.property(fc.array(record), (records) => {
      expect([...decodeRecords(encoded(records))]).toEqual(records);
    }),
  );
});

test('of a file that breaks off, the records that are whole come back', () => {
  fc.assert(
    fc.property(fc.array(record, { minLength: 1 }), fc.nat(), (records, cut) => {
      const bytes = encoded(records);
      const left = bytes.subarray(0, cut % bytes.length);
      let whole = 0;
      while (encoded(records.slice(0, whole + 1)).length <= left.length) whole++;
      expect([...decodeRecords(left)]).toEqual(records.slice(0, whole));
    }),
  );
});

test('a byte that changed ends the log before its record', () => {
  fc.assert(
    fc.property(
      fc.array(record, { minLength: 1, maxLength: 5 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (records, at, flip) => {
        const bytes = encoded(records);
        const place = at % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ flip;
        let before = 0;
        while (encoded(records.slice(0, before + 1)).length <= place) before++;
        expect([...decodeRecords(bytes)]).toEqual(records.slice(0, before));
      },
    ),
  );
});
