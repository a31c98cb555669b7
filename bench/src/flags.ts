// npm run bench -- flags [--minutes N] [--no-gate]: flags of a known person, and definitions for SDKs that evaluate by themselves,
// against a route of the same server that does nothing.
import { memoryOf, type Service, startService } from '@tidemark/testkit';
import { type LoadResult, percentile, rate, runLoad } from './load.js';
import { type Figure, finish, report } from './report.js';
import { apiRequest, flagsRequest, inTurn } from './requests.js';

const SECONDS = 8;
const WARM_UP = 3;
const CONNECTIONS = 16;
const FLAGS = 50;
const DEFINITIONS = 1_000;
const PERSONS = 200;
/** So many distinct requests that none repeats while its response is cached. */
const NEW_QUESTIONS = 60_000;
const MB = 1024 * 1024;
const FLAGS_PATH = '/api/projects/@current/feature_flags/';
const minutes = Number(process.argv[process.argv.indexOf('--minutes') + 1] || 0) || 0;

const service = await startService();
let met = false;
try {
  console.log(`Making ${PERSONS} persons and ${FLAGS} flags`);
  await makePersons();
  await makeFlags(0, FLAGS);
  const nothing = await measured([apiRequest('GET', '/', null)]);
  const questions = Array.from({ length: PERSONS }, (_, i) => flagsRequest(service.account.projectKey, `person-${i}`));
  const flags = await measured(questions);
  const news = Array.from({ length: NEW_QUESTIONS }, (_, i) =>
    flagsRequest(service.account.projectKey, `person-${i % PERSONS}`, `device-${i}`),
  );
  const first = await measured(news);
  const long: Figure[] = minutes > 0 ? await memoryOverTime(questions) : [];

  console.log(`Making ${DEFINITIONS - FLAGS} more flags`);
  await makeFlags(FLAGS, DEFINITIONS);
  const path = `/flags/definitions?token=${service.account.projectKey}&send_cohorts`;
  const definitions = await measured([
    apiRequest('GET', path, service.account.personalKey, undefined, 'Accept-Encoding: gzip\r\n'),
  ]);
  const nothingAgain = await measured([apiRequest('GET', '/', null)]);
  const baseline = Math.max(rate(nothing), rate(nothingAgain));

  met = report(`Flags: ${CONNECTIONS} connections, ${SECONDS} s each, load generator on the same machine`, [
    { name: 'a route that does nothing', value: baseline, unit: '/s' },
    { name: `${FLAGS} flags of a known person`, value: rate(flags), unit: '/s', atLeast: 5_000 },
    { name: 'ratio', value: rate(flags) / baseline, unit: '', atLeast: 0.3 },
    { name: 'p99', value: percentile(flags, 0.99), unit: 'ms', below: 20 },
    { name: 'the same, never asked before', value: rate(first), unit: '/s', atLeast: 5_000 },
    { name: 'ratio', value: rate(first) / baseline, unit: '' },
    { name: 'p99', value: percentile(first, 0.99), unit: 'ms', below: 20 },
    { name: `definitions of ${DEFINITIONS.toLocaleString('en')} flags`, value: rate(definitions), unit: '/s' },
    { name: 'ratio', value: rate(definitions) / baseline, unit: '', atLeast: 0.5 },
    { name: 'p99', value: percentile(definitions, 0.99), unit: 'ms' },
    ...long,
  ]);
} finally {
  await service.close();
}
finish(met);

async function measured(requests: readonly Buffer[]): Promise<LoadResult> {
  const load = { port: service.port, connections: CONNECTIONS, next: inTurn(requests) };
  await runLoad({ ...load, seconds: WARM_UP });
  return runLoad({ ...load, seconds: SECONDS });
}

/** Memory after the first minute of load and at its end. */
async function memoryOverTime(requests: readonly Buffer[]): Promise<Figure[]> {
  const used: number[] = [];
  const { all } = await service.processes();
  for (let minute = 0; minute < minutes; minute++) {
    await runLoad({ port: service.port, connections: CONNECTIONS, next: inTurn(requests), seconds: 60 });
    used.push((await memoryOf(all)) / MB);
    console.log(`  after ${minute + 1} min: ${Math.round(used.at(-1) ?? 0)} MB`);
  }
  const [first = 0, last = 0] = [used[0], used.at(-1)];
  return [
    { name: 'memory after the first minute', value: first, unit: 'MB' },
    { name: `after ${minutes} minutes`, value: last, unit: 'MB', below: first * 1.15 },
  ];
}

async function makePersons(): Promise<void> {
  const batch = Array.from({ length: PERSONS }, (_, i) => ({
    event: '$identify',
    distinct_id: `person-${i}`,
    properties: { $groups: { company: `company-${i % 7}` } },
    $set: {
      email: `person${i}@example.com`,
      country: ['DE', 'FR', 'US'][i % 3],
      plan: i % 4 ? 'pro' : 'free',
      age: 20 + (i % 50),
    },
  }));
  await made(service.call('POST', '/batch/', { key: null, body: { api_key: service.account.projectKey, batch } }), 200);
}

/** Typical flags: rollouts, properties, variants and payloads. */
async function makeFlags(from: number, to: number): Promise<void> {
  const person = (key: string, operator: string, value: unknown) => ({ key, operator, value, type: 'person' });
  const variants = [
    { key: 'control', rollout_percentage: 50 },
    { key: 'test', rollout_percentage: 50 },
  ];
  const kinds: ((i: number) => object)[] = [
    (i) => ({ groups: [{ properties: [], rollout_percentage: i % 100 }] }),
    () => ({ groups: [{ properties: [person('email', 'icontains', '@example.com')], rollout_percentage: 50 }] }),
    () => ({
      groups: [{ properties: [person('country', 'exact', ['DE', 'FR']), person('age', 'gt', '30')], rollout_percentage: 100 }],
    }),
    () => ({
      groups: [{ properties: [], rollout_percentage: 100 }],
      multivariate: { variants },
      payloads: { test: '{"color":"blue"}' },
    }),
    () => ({
      groups: [
        { properties: [person('plan', 'is_not', ['free'])], rollout_percentage: 30 },
        { properties: [], rollout_percentage: 10 },
      ],
    }),
  ];
  for (let i = from; i < to; i++) {
    const body = { key: `flag-${i}`, name: `Flag ${i}`, filters: kinds[i % kinds.length]?.(i), active: true };
    await made(service.post(FLAGS_PATH, body), 201);
  }
}

async function made(call: ReturnType<Service['post']>, expected: number): Promise<void> {
  const { status, body } = await call;
  if (status !== expected) throw new Error(`Not made: ${status} ${JSON.stringify(body)}`);
}
