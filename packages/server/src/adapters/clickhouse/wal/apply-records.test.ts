import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { eventRow } from '../../../testing/events-contract/index.js';
import { createScheduler } from '../../system/index.js';
import { EventsRejected } from '../errors.js';
import { encodeEvents } from '../row-binary/index.js';
import { type ApplyTarget, createApplyRecords } from './apply-records.js';

test('events that the table refuses are inserted as JSON, then with their properties as text, then written to a file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-apply-records-'));
  const refusedFile = join(directory, 'refused.ndjson');
  const stored: unknown[] = [];
  const insert: ApplyTarget['insert'] = async ({ table, format }, rows) => {
    if (format === 'binary' || /"poison":|hopeless|\d{20}/.test(String(rows))) throw new EventsRejected('no');
    for (const line of String(rows).trimEnd().split('\n')) stored.push([table, JSON.parse(line)]);
  };
  const apply = createApplyRecords({
    target: { insert, insertRanges: never, write: never },
    refusedFile,
    log: pino({ level: 'silent' }),
    scheduler: createScheduler(),
  });
  const [good, odd, lost] = [
    eventRow({ properties: { list: [1, { 'a.b': null }], deep: { er: true }, long: 1e20 } }),
    eventRow({ properties: { poison: 1 } }),
    eventRow({ event: 'hopeless', properties: { a: 1 } }),
  ];
  await apply(
    [
      {
        seq: 1,
        applied: 0,
        table: 'events',
        format: 'binary',
        token: 'a',
        rows: await encodeEvents([good, odd, lost], createScheduler()),
      },
    ],
    false,
  );
  expect(stored).toEqual([
    ['events', { ...good, properties: { list: [1, {}], deep: { er: true }, long: 1e20 } }],
    ['events', { ...odd, properties: { $raw_properties: '{"poison":1}' } }],
  ]);
  expect(JSON.parse(await readFile(refusedFile, 'utf8'))).toEqual({ ...lost, properties: { $raw_properties: '{"a":1}' } });
  await rm(directory, { recursive: true });
});

const never = () => Promise.reject(new Error('not called'));
