import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { EventsRejected } from '../../../ports/events.js';
import { binary, eventRow } from '../../../testing/events-contract/index.js';
import { createBringRows, type RowsTarget } from './bring-rows.js';

test('binary rows that the table refuses go in as lines, then with their properties as text, then into a file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-bring-rows-'));
  const refusedFile = join(directory, 'refused.ndjson');
  const stored: unknown[] = [];
  const insert: RowsTarget['insert'] = async ({ table, format }, rows) => {
    if (format === 'binary' || /"poison":|hopeless|\d{20}/.test(String(rows))) throw new EventsRejected('no');
    for (const line of String(rows).trimEnd().split('\n')) stored.push([table, JSON.parse(line)]);
  };
  const bring = createBringRows({
    target: { insert, insertFrom: never, write: never },
    refusedFile,
    log: pino({ level: 'silent' }),
  });
  const [good, odd, lost] = [
    eventRow({ properties: { list: [1, { 'a.b': null }], deep: { er: true }, long: 1e20 } }),
    eventRow({ properties: { poison: 1 } }),
    eventRow({ event: 'hopeless', properties: { a: 1 } }),
  ];
  await bring([{ seq: 1, applied: 0, table: 'events', format: 'binary', token: 'a', rows: binary(good, odd, lost) }], false);
  expect(stored).toEqual([
    ['events', { ...good, properties: { list: [1, {}], deep: { er: true }, long: 1e20 } }],
    ['events', { ...odd, properties: { $raw_properties: '{"poison":1}' } }],
  ]);
  expect(JSON.parse(await readFile(refusedFile, 'utf8'))).toEqual({ ...lost, properties: { $raw_properties: '{"a":1}' } });
  await rm(directory, { recursive: true });
});

const never = () => Promise.reject(new Error('nobody asks for this'));
