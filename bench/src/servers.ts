// npm run bench -- servers [--events 40K]: processor time of a captured event through one server, and through two behind HAProxy with as many
// connections each and with as many together, in turns on the same PostgreSQL and ClickHouse. Servers that share no core scale as far as an event
// costs two of them no more than one under the same load of each.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClickHouseServer,
  cpuOf,
  type Haproxy,
  hasHaproxy,
  processTree,
  type Service,
  startClickHouseServer,
  startHaproxy,
  startService,
  webEventMaker,
} from '@tidemark/testkit';
import { type PostgresServer, startPostgresServer } from '../../packages/server/src/testing/postgres-server.js';
import { untilMerged } from './cluster/nodes.js';
import { runLoad } from './load.js';
import { numberAfter } from './number-after.js';
import { type Figure, finish, report } from './report.js';
import { batchRequest } from './requests.js';

const BATCH = 20;
const CONNECTIONS = 64;
const PEOPLE = 2_000;
/** All arrangements in turn, so that a machine that slows down affects all. */
const TURNS = 4;
/** How long the servers are watched while nobody sends anything, milliseconds. */
const REST_MS = 5_000;
/** How much more of the servers' processor time an event may cost with two of them. */
const ABOVE = 1.1;

interface Stack {
  clickhouse: ClickHouseServer;
  postgres: PostgresServer;
  haproxy: Haproxy;
  servers: readonly [Service, Service];
}

/** What one arrangement has used: seconds of processor time, events, seconds, inserts of events, events that were looked up. */
interface Used {
  servers: number;
  haproxy: number;
  postgres: number;
  clickhouse: number;
  events: number;
  seconds: number;
  inserts: number;
  lookedUp: number;
  /** Events that were answered 503. */
  refused: number;
}

if (!hasHaproxy()) throw new Error('HAProxy is not installed (apt-get install haproxy).');
const events = numberAfter('--events', 40_000);
const [clickhouse, postgres] = await Promise.all([startClickHouseServer({ memory: 2 * 1024 ** 3 }), startPostgresServer()]);
const env = { DATABASE_URL: postgres.url(), CLICKHOUSE_URL: `${clickhouse.url}/servers` };
const one = await startService({ env });
const two = await startService({ env, account: one.account });
const haproxy = await startHaproxy([one.port, two.port]);
const stack: Stack = { clickhouse, postgres, haproxy, servers: [one, two] };
const make = webEventMaker(1, PEOPLE);
let met = false;
try {
  for (const server of stack.servers) await capture(server.port, PEOPLE * 5);
  await capture(haproxy.port, PEOPLE * 5);
  const rest = await atRest(stack);
  const alone: Used[] = [];
  const both: Used[] = [];
  const shared: Used[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    alone.push(await used(stack, one.port, events / TURNS));
    both.push(await used(stack, haproxy.port, events / TURNS, 2 * CONNECTIONS));
    shared.push(await used(stack, haproxy.port, events / TURNS));
  }
  met = compare(added(alone), added(both), added(shared), rest);
} finally {
  await haproxy.close();
  await Promise.all(stack.servers.map((server) => server.close()));
  await Promise.all([clickhouse.close(), postgres.close()]);
}
finish(met);

/** Sends events of the present moment. A machine that is too busy refuses some. @returns how long that took, seconds, and how many were stored */
async function capture(port: number, count: number, connections = CONNECTIONS): Promise<{ seconds: number; stored: number }> {
  let left = Math.ceil(count / BATCH);
  const next = () => (left-- > 0 ? batchRequest(one.account.projectKey, make, BATCH) : null);
  const result = await runLoad({ port, connections, seconds: 120, next });
  const taken = result.statuses.get(200) ?? 0;
  const others = [...result.statuses].filter(([status]) => status !== 200 && status !== 503);
  if (others.length || taken === 0)
    throw new Error(`Unexpected answers: ${others.map(([status, n]) => `${n} x ${status}`).join(', ')}`);
  return { seconds: result.seconds, stored: taken * BATCH };
}

async function used(stack: Stack, port: number, count: number, connections = CONNECTIONS): Promise<Used> {
  const before = await counted(stack);
  const { seconds, stored } = await capture(port, count, connections);
  // the merges of what was captured belong to it
  await untilMerged({ nodes: [stack.clickhouse] });
  const after = await counted(stack);
  const of = (name: keyof typeof after) => after[name] - before[name];
  return {
    servers: of('servers'),
    haproxy: of('haproxy'),
    postgres: of('postgres'),
    clickhouse: of('clickhouse'),
    events: stored,
    refused: count - stored,
    seconds,
    inserts: of('inserts'),
    lookedUp: of('lookedUp'),
  };
}

/** Seconds of processor time that one server uses each second while nobody sends anything. */
async function atRest(stack: Stack): Promise<number> {
  await untilMerged({ nodes: [stack.clickhouse] });
  const [before, begun] = [(await processorTime(stack)).servers, performance.now()];
  await sleep(REST_MS);
  const seconds = (await processorTime(stack)).servers - before;
  return seconds / stack.servers.length / ((performance.now() - begun) / 1_000);
}

async function counted(stack: Stack) {
  const metrics = await Promise.all(stack.servers.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
  const of = (name: RegExp) => metrics.reduce((sum, text) => sum + Number(name.exec(text)?.[1] ?? 0), 0);
  return {
    ...(await processorTime(stack)),
    inserts: of(/^tidemark_ingest_insert_rows_count\{[^}]*table="events"[^}]*\} (\S+)/m),
    lookedUp: of(/^tidemark_ingest_lookup_events_total (\S+)/m),
  };
}

async function processorTime({ clickhouse, postgres, haproxy, servers }: Stack) {
  const of = async (pid: number) => cpuOf(await processTree(pid));
  const own = await Promise.all(servers.map(async (server) => cpuOf(await server.tree())));
  return {
    servers: own.reduce((sum, seconds) => sum + seconds, 0),
    haproxy: await of(haproxy.pid),
    postgres: await of(postgres.pid),
    clickhouse: await of(clickhouse.pid),
  };
}

function added(turns: readonly Used[]): Used {
  const sum = (of: keyof Used) => turns.reduce((total, turn) => total + turn[of], 0);
  return {
    servers: sum('servers'),
    haproxy: sum('haproxy'),
    postgres: sum('postgres'),
    clickhouse: sum('clickhouse'),
    events: sum('events'),
    seconds: sum('seconds'),
    inserts: sum('inserts'),
    lookedUp: sum('lookedUp'),
    refused: sum('refused'),
  };
}

function compare(alone: Used, both: Used, shared: Used, rest: number): boolean {
  const costs = (used: Used) => {
    const of = (name: 'servers' | 'haproxy' | 'postgres' | 'clickhouse') => (used[name] / used.events) * 1e6;
    const parts = { servers: of('servers'), haproxy: of('haproxy'), postgres: of('postgres'), clickhouse: of('clickhouse') };
    return { ...parts, all: parts.servers + parts.haproxy + parts.postgres + parts.clickhouse };
  };
  const figures = (used: Used): Figure[] => {
    const unit = 'µs an event';
    const { servers, haproxy, postgres, clickhouse, all } = costs(used);
    return [
      { name: 'servers', value: servers, unit },
      { name: 'HAProxy', value: haproxy, unit },
      { name: 'PostgreSQL', value: postgres, unit },
      { name: 'ClickHouse, with merges', value: clickhouse, unit },
      { name: 'all of them', value: all, unit },
      { name: 'events of an insert', value: used.events / used.inserts, unit: '' },
      { name: 'events that were looked up', value: (used.lookedUp / used.events) * 100, unit: '%' },
      { name: 'events that were refused', value: used.refused, unit: '' },
      { name: 'events on this machine', value: used.events / used.seconds, unit: '/s' },
    ];
  };
  const load = `batches of ${BATCH} events of known persons, ${alone.events.toLocaleString('en')} events`;
  report(`One server, ${CONNECTIONS} connections, ${load}`, figures(alone));
  report(`Two servers behind HAProxy, ${2 * CONNECTIONS} connections`, figures(both));
  report(`Two servers behind HAProxy, ${CONNECTIONS} connections`, figures(shared));
  const [first, second, third] = [costs(alone), costs(both), costs(shared)];
  return report('Two beside one, for an event', [
    { name: 'servers, with the same load of each', value: second.servers / first.servers, unit: '', below: ABOVE },
    { name: 'all processes, with the same load of each', value: second.all / first.all, unit: '' },
    { name: 'servers, with the load shared between them', value: third.servers / first.servers, unit: '' },
    { name: 'all processes, with the load shared between them', value: third.all / first.all, unit: '' },
    { name: 'a server at rest', value: rest * 1_000, unit: 'ms of processor time a second' },
  ]);
}
