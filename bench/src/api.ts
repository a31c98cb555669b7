// npm run bench -- api [--no-gate]: requests a second of the REST API, against a route of the same server that does nothing.
import { type Service, startService } from '@tidemark/testkit';
import { type LoadResult, percentile, rate, runLoad } from './load.js';
import { finish, report } from './report.js';
import { apiRequest, inTurn } from './requests.js';
import { cookieOf, isRecord } from './session.js';

const SECONDS = 8;
const WARM_UP = 3;
const CONNECTIONS = 16;
const DASHBOARDS = 1_000;
const TILES = 10;
/** More distinct requests than fit into the time, so that none repeats. */
const DISTINCT_REQUESTS = 60_000;
const USERS = 100;
const PASSWORD = 'a long and strong passphrase 42';
const DASHBOARDS_PATH = '/api/environments/@current/dashboards/';

const service = await startService();
let met = false;
try {
  console.log(`Making ${USERS} users and ${DASHBOARDS.toLocaleString('en')} dashboards of ${TILES} tiles`);
  const keys = await makeUsers();
  const ids = await makeDashboards();
  /** Members take turns. */
  const get = (path: string, i: number) => apiRequest('GET', path, keys[i % keys.length] ?? '');
  const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
  const dashboard = (i: number) => `${DASHBOARDS_PATH}${ids[i % ids.length]}/`;

  const nothing = await measured([apiRequest('GET', '/', null)]);
  const list = await measured(times(USERS, (i) => get(`${DASHBOARDS_PATH}?limit=100`, i)));
  const retrieve = await measured(times(DASHBOARDS, (i) => get(dashboard(i), i)));
  // an ignored parameter makes each request uncacheable
  const firstList = await measured(times(DISTINCT_REQUESTS, (i) => get(`${DASHBOARDS_PATH}?limit=100&n=${i}`, i)));
  const firstRetrieve = await measured(times(DISTINCT_REQUESTS, (i) => get(`${dashboard(i)}?n=${i}`, i)));
  const body = { name: 'Made by the bench', description: 'One of many', tags: ['bench'] };
  const create = await measured([apiRequest('POST', DASHBOARDS_PATH, keys[0] ?? '', body)], 201);
  const nothingAgain = await measured([apiRequest('GET', '/', null)]);
  const baseline = Math.max(rate(nothing), rate(nothingAgain));

  met = report(
    `API: ${DASHBOARDS.toLocaleString('en')} dashboards of ${TILES} tiles, ${USERS} users, ${CONNECTIONS} connections, ${SECONDS} s each, load generator on the same machine`,
    [
      { name: 'a route that does nothing', value: baseline, unit: '/s' },
      { name: 'list of 100 dashboards', value: rate(list), unit: '/s' },
      { name: 'ratio', value: rate(list) / baseline, unit: '', atLeast: 0.08 },
      { name: 'p99', value: percentile(list, 0.99), unit: 'ms', below: 60 },
      { name: 'one dashboard with its tiles', value: rate(retrieve), unit: '/s' },
      { name: 'ratio', value: rate(retrieve) / baseline, unit: '', atLeast: 0.15 },
      { name: 'p99', value: percentile(retrieve, 0.99), unit: 'ms', below: 40 },
      { name: 'list of 100 that nobody has asked for before', value: rate(firstList), unit: '/s' },
      { name: 'ratio', value: rate(firstList) / baseline, unit: '' },
      { name: 'p99', value: percentile(firstList, 0.99), unit: 'ms' },
      { name: 'dashboard that nobody has looked at before', value: rate(firstRetrieve), unit: '/s' },
      { name: 'ratio', value: rate(firstRetrieve) / baseline, unit: '' },
      { name: 'p99', value: percentile(firstRetrieve, 0.99), unit: 'ms' },
      { name: 'create', value: rate(create, 201), unit: '/s', atLeast: 400 },
      { name: 'p99', value: percentile(create, 0.99), unit: 'ms' },
    ],
  );
} finally {
  await service.close();
}
finish(met);

async function measured(requests: readonly Buffer[], status = 200): Promise<LoadResult> {
  const load = { port: service.port, connections: CONNECTIONS, next: inTurn(requests), status };
  await runLoad({ ...load, seconds: WARM_UP });
  return runLoad({ ...load, seconds: SECONDS });
}

/** Signs up members, whose requests need access checks; returns a personal key of each. */
async function makeUsers(): Promise<string[]> {
  const keys: string[] = [];
  for (let i = 0; i < USERS; i++) {
    const invite = await made(service.post('/api/organizations/@current/invites/', { target_email: `member${i}@example.com` }));
    const joined = await service.call('POST', `/api/signup/${invite['id']}/`, {
      key: null,
      body: { first_name: `Member ${i}`, password: PASSWORD },
    });
    const body = { label: 'bench', scopes: ['*'] };
    const headers = { cookie: cookieOf(joined) };
    const key = await made(service.call('POST', '/api/personal_api_keys/', { key: null, headers, body }));
    keys.push(String(key['value']));
  }
  return keys;
}

/** Creates dashboards as copies of one, owned by the owner; returns their ids. */
async function makeDashboards(): Promise<number[]> {
  const first = Number((await made(service.post(DASHBOARDS_PATH, { name: 'The first', tags: ['team', 'growth'] })))['id']);
  for (let i = 0; i < TILES; i++) {
    const query = {
      kind: 'InsightVizNode',
      source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: `event ${i}`, math: 'dau' }], interval: 'day' },
    };
    await made(service.post('/api/environments/@current/insights/', { name: `Insight ${i}`, query, dashboards: [first] }));
  }
  const ids = [first];
  for (let i = 1; i < DASHBOARDS; i++) {
    const copy = { name: `Dashboard ${i}`, use_dashboard: first, duplicate_tiles: true, tags: ['team', 'copy'] };
    ids.push(Number((await made(service.post(DASHBOARDS_PATH, copy)))['id']));
  }
  return ids;
}

async function made(call: ReturnType<Service['post']>): Promise<Record<string, unknown>> {
  const { status, body } = await call;
  if (status !== 201 || !isRecord(body)) throw new Error(`Not made: ${status} ${JSON.stringify(body)}`);
  return body;
}
