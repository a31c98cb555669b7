import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../adapters/system/index.js';
import type { ProjectByKey } from '../auth/index.js';
import type { EventLog } from '../ports/event-log.js';
import { eventLogContract } from '../testing/event-log-contract.js';
import { openFileEventLog } from '../testing/file-event-log.js';
import { captured, type TestIngest, testIngest } from '../testing/ingest.js';
import type { CapturedEvent, Intake } from './capture.js';
import { createIntake } from './index.js';

const PARTITIONS = 4;

eventLogContract('a log in files', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tidemark-log-'));
  let time = 1_000_000;
  const clock = { now: () => time };
  const log = await openFileEventLog(home, PARTITIONS, clock);
  return {
    log,
    reopen: async () => {
      // what a process writes as it is killed
      for (let index = 0; index < PARTITIONS; index++) await appendFile(join(home, `${index}.ndjson`), '{"offset":99,"at":1,"ke');
      return openFileEventLog(home, PARTITIONS, clock);
    },
    pass: (ms) => {
      time += ms;
    },
    now: () => time,
    remove: async () => {
      await log.close();
      await rm(home, { recursive: true, force: true });
    },
  };
});

// The writer as it is, behind a log: what capture appends is read, given to the intake, and committed when the intake has stored it.

const READER = 'writer';

/** What capture would append: the event, and what the request said about its sender. */
const entriesOf = (project: ProjectByKey, events: readonly CapturedEvent[]) =>
  events.map((event) => ({
    key: `${project.id}/${event.distinctId}`,
    uuid: event.uuid,
    body: Buffer.from(JSON.stringify({ project, ip: '81.2.69.142', receivedAt: systemClock.now(), event })),
  }));

/** Stores what a partition has from the last commit on, up to some bytes. Resolves with the offset to commit; null: there was nothing. */
async function storeNext(log: EventLog, intake: Intake, partition: number, maxBytes: number): Promise<number | null> {
  const records = await log.read({ partition, from: await log.committed(READER, partition), maxBytes });
  await Promise.all(
    records.map(({ body }) => {
      const { event, ...rest } = JSON.parse(Buffer.from(body).toString());
      return intake.capture({ ...rest, events: [event] });
    }),
  );
  const last = records.at(-1);
  return last ? last.offset + 1 : null;
}

let world: TestIngest;
let home: string;
beforeAll(async () => {
  world = await testIngest();
  home = await mkdtemp(join(tmpdir(), 'tidemark-log-'));
});
afterAll(async () => {
  await world.close();
  await rm(home, { recursive: true, force: true });
});

test('a writer that fails before its commit reads again, and each event is stored once with the person of the order of its key', async () => {
  const project = await world.project();
  const log = await openFileEventLog(join(home, String(project.id)), PARTITIONS, systemClock);
  const people = ['ann', 'ben', 'cay', 'dan', 'eve'];
  const events = Array.from({ length: 60 }, (_, number) =>
    captured({ distinctId: people[number % people.length] ?? '', properties: { $set: { last: number } } }),
  );
  for (let at = 0; at < events.length; at += 10) await log.append(entriesOf(project, events.slice(at, at + 10)));
  // a sender that was not answered appends again
  await log.append(entriesOf(project, events.slice(20, 30)));

  // stores what it reads, and is killed before it commits
  const first = createIntake({ ...world.deps, metrics: new Registry() });
  for (let partition = 0; partition < PARTITIONS; partition++) await storeNext(log, first, partition, 1e6);
  await first.close();

  const second = createIntake({ ...world.deps, metrics: new Registry() });
  let read = 0;
  for (let partition = 0; partition < PARTITIONS; partition++) {
    for (let next = await storeNext(log, second, partition, 2_000); next !== null; read++) {
      await log.commit(READER, partition, next);
      next = await storeNext(log, second, partition, 2_000);
    }
    expect(await log.committed(READER, partition)).toBe((await log.bounds(partition)).next);
  }
  expect(read).toBeGreaterThan(PARTITIONS);
  await second.close();
  await log.close();

  const params = { project: project.id };
  const { rows } = await world.deps.events.query<{ uuid: string }>({
    sql: 'select toString(uuid) as uuid from events where project_id = {project:UInt32}',
    params,
  });
  expect(rows.map(({ uuid }) => uuid).sort()).toEqual(events.map(({ uuid }) => uuid).sort());
  const persons = await world.deps.db.selectFrom('persons').select('properties').where('project_id', '=', project.id).execute();
  expect(persons.map(({ properties }) => (properties as { last: number }).last).sort()).toEqual([55, 56, 57, 58, 59]);
});
