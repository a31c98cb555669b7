import { join } from 'node:path';
import { processTree } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestService, type TestService } from '../testing/service.js';
import { applyMerges } from './merges.js';

const HOUR = 3_600_000;
/** More than a project needs to be worth it. */
const PEOPLE = 1_100;

let service: TestService;
/** Milliseconds by which the uptime is ahead. */
let ahead = 0;
beforeAll(async () => {
  service = await startTestService();
  const { scheduler } = service.deps;
  const uptime = scheduler.uptime.bind(scheduler);
  vi.spyOn(scheduler, 'uptime').mockImplementation(() => uptime() + ahead);
});
afterAll(() => service.close());

const capture = async (batch: object[]) => {
  const answer = await service.call('POST', '/batch/', { key: null, body: { api_key: service.projectKey, batch } });
  expect(answer.statusCode, answer.body).toBe(200);
};
const visit = (distinct_id: string, event = '$pageview') => ({ event, distinct_id });

const visits = [{ kind: 'EventsNode', event: '$pageview' }];
const QUESTIONS = [
  { kind: 'TrendsQuery', series: [{ ...visits[0], math: 'dau' }], dateRange: { date_from: '-2d' } },
  { kind: 'FunnelsQuery', series: [...visits, { kind: 'EventsNode', event: 'bought' }], dateRange: { date_from: '-2d' } },
  { kind: 'LifecycleQuery', series: visits, dateRange: { date_from: '-2d' } },
  { kind: 'HogQLQuery', query: 'select count(distinct person_id), count() from events' },
];
/** The results of all questions, computed anew. */
const answers = () =>
  Promise.all(
    QUESTIONS.map(async (query) => {
      const path = `/api/projects/${service.projectId}/query/`;
      const answer = await service.call('POST', path, { body: { query, refresh: 'force_blocking' } });
      expect(answer.statusCode, answer.body).toBe(200);
      return answer.json().results;
    }),
  );
const peopleOf = (results: unknown[]) => (results[3] as number[][])[0]?.[0];

const engine = async () => {
  const directory = join(service.deps.config.dataDir, 'events');
  return (await processTree(process.pid)).find(({ workingDirectory }) => workingDirectory === directory)?.pid;
};
/** Kills the engine. Resolves when another one answers. */
async function killEngine(): Promise<void> {
  const killed = (await engine()) ?? expect.fail('there is no engine');
  process.kill(killed, 'SIGKILL');
  await expect.poll(engine).toSatisfy((pid) => pid !== undefined && pid !== killed);
  await expect.poll(() => service.deps.events.ping().catch(() => null)).not.toBeNull();
}

/** A run of the schedule, and what it began in the background. @param meanwhile runs before that has ended */
async function run(hours: number, meanwhile = async () => {}): Promise<void> {
  ahead += hours * HOUR;
  await applyMerges(service.deps);
  await meanwhile();
  const sql = 'SELECT count() AS n FROM system.mutations WHERE database = currentDatabase() AND NOT is_done';
  await expect.poll(async () => (await service.deps.events.query({ sql })).rows, { timeout: 60_000 }).toEqual([{ n: 0 }]);
}
const overrides = async () => {
  const sql = 'SELECT uniqExact(distinct_id) AS n FROM person_overrides';
  return (await service.deps.events.query<{ n: number }>({ sql })).rows[0]?.n;
};

test('people who were identified stay one person each while their merges are written into the events and after it', async () => {
  const people = Array.from({ length: PEOPLE }, (_, at) => at);
  await capture(people.map((at) => visit(`anonymous ${at}`)));
  await capture(
    people.map((at) => ({ event: '$identify', distinct_id: `user ${at}`, properties: { $anon_distinct_id: `anonymous ${at}` } })),
  );
  await capture(people.slice(0, 100).map((at) => visit(`user ${at}`, 'bought')));
  const before = await answers();
  expect(peopleOf(before)).toBe(PEOPLE);

  await run(0);
  expect(await overrides()).toBe(PEOPLE);
  for (const hours of [1, 1, 1, 1, 0]) {
    expect(await answers()).toEqual(before);
    await run(hours);
  }
  expect(await overrides()).toBe(0);
  expect(await answers()).toEqual(before);

  // both ids of somebody, and one who is merged again
  await capture([visit('anonymous 7'), visit('user 7')]);
  await capture([{ event: '$merge_dangerously', distinct_id: 'user 8', properties: { alias: 'user 9' } }]);
  expect(peopleOf(await answers())).toBe(PEOPLE - 1);
});

test('kill -9 of the engine at each step, while a mutation runs and after it, changes no answer', async () => {
  const people = Array.from({ length: PEOPLE }, (_, at) => at);
  await capture(people.map((at) => visit(`user ${at}`)));
  // each is merged twice
  const merge = (into: string) =>
    capture(
      people.map((at) => ({ event: '$merge_dangerously', distinct_id: `${into} ${at}`, properties: { alias: `user ${at}` } })),
    );
  await merge('first');
  await merge('second');
  const before = await answers();
  for (const hours of [25, 0, 1, 1, 0, 0]) {
    await run(hours, killEngine);
    expect(await answers()).toEqual(before);
    await killEngine();
    expect(await answers()).toEqual(before);
  }
  expect(await overrides()).toBe(0);
});
