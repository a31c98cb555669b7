// npm run bench -- servers [--events 40K]: processor time of a captured event through one server, and through two behind HAProxy, in turns on the same
// PostgreSQL and ClickHouse. Servers that share no core scale as far as an event costs two of them no more than one.
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
import { rate, runLoad } from './load.js';
import { numberAfter } from './number-after.js';
import { finish, report } from './report.js';
import { batchRequest } from './requests.js';

const BATCH = 20;
const CONNECTIONS = 64;
const PEOPLE = 2_000;
/** Both arrangements in turn, so that a machine that slows down affects both. */
const TURNS = 4;
/** How much more of the servers' processor time an event may cost with two of them. */
const ABOVE = 1.1;

interface Stack {
  clickhouse: ClickHouseServer;
  postgres: PostgresServer;
  haproxy: Haproxy;
  servers: readonly [Service, Service];
}

/** What one arrangement has used: seconds of processor time, events, seconds. */
interface Used {
  servers: number;
  haproxy: number;
  postgres: number;
  clickhouse: number;
  events: number;
  seconds: number;
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
  const alone: Used[] = [];
  const both: Used[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    alone.push(await used(stack, one.port, events / TURNS));
    both.push(await used(stack, haproxy.port, events / TURNS));
  }
  met = compare(added(alone), added(both));
} finally {
  await haproxy.close();
  await Promise.all(stack.servers.map((server) => server.close()));
  await Promise.all([clickhouse.close(), postgres.close()]);
}
finish(met);

/** Sends events of the present moment. @returns how long that took, seconds */
async function capture(port: number, count: number): Promise<number> {
  let left = Math.ceil(count / BATCH);
  const next = () => (left-- > 0 ? batchRequest(one.account.projectKey, make, BATCH) : null);
  const result = await runLoad({ port, connections: CONNECTIONS, seconds: 120, next });
  rate(result);
  return result.seconds;
}

async function used(stack: Stack, port: number, count: number): Promise<Used> {
  const before = await processorTime(stack);
  const seconds = await capture(port, count);
  // the merges of what was captured belong to it
  await untilMerged({ nodes: [stack.clickhouse] });
  const after = await processorTime(stack);
  return {
    servers: after.servers - before.servers,
    haproxy: after.haproxy - before.haproxy,
    postgres: after.postgres - before.postgres,
    clickhouse: after.clickhouse - before.clickhouse,
    events: count,
    seconds,
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
  };
}

function compare(alone: Used, both: Used): boolean {
  const figures = (used: Used) => {
    const unit = 'µs an event';
    const of = (name: 'servers' | 'haproxy' | 'postgres' | 'clickhouse') => (used[name] / used.events) * 1e6;
    const all = of('servers') + of('haproxy') + of('postgres') + of('clickhouse');
    return [
      { name: 'servers', value: of('servers'), unit },
      { name: 'HAProxy', value: of('haproxy'), unit },
      { name: 'PostgreSQL', value: of('postgres'), unit },
      { name: 'ClickHouse, with merges', value: of('clickhouse'), unit },
      { name: 'all of them', value: all, unit },
      { name: 'events on this machine', value: used.events / used.seconds, unit: '/s' },
    ];
  };
  const batches = `batches of ${BATCH} events of known persons on ${CONNECTIONS} connections, ${alone.events.toLocaleString('en')} events`;
  const [first, second] = [figures(alone), figures(both)];
  report(`One server, ${batches}`, first);
  report('Two servers behind HAProxy, the same', second);
  const ratio = (index: number) => (second[index]?.value ?? 0) / (first[index]?.value ?? 0);
  return report('Two beside one, for an event', [
    { name: 'servers', value: ratio(0), unit: '', below: ABOVE },
    { name: 'all of them', value: ratio(4), unit: '' },
  ]);
}
