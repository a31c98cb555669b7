import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClickHouseCluster,
  type ClickHouseServer,
  compareStored,
  eventually,
  type LoadTarget,
  type Service,
  startClickHouseCluster,
  startLoad,
  startService,
} from '@tidemark/testkit';
import { type PostgresServer, startPostgresServer } from '../../../packages/server/src/testing/postgres-server.js';

/** The parts of a cluster that are attacked in turn. */
export const PARTS = ['replica', 'hung-replica', 'shard', 'keeper', 'server', 'postgres'] as const;
/** A server killed while another part is away, with inserts under way that it can no longer repeat. Only where they are named. */
export const PAIRS = ['keeper+server', 'hung-replica+server'] as const;
export type Part = (typeof PARTS)[number] | (typeof PAIRS)[number];

/** Parts that others replace: reads go on while they are away. */
const REPLACED: readonly Part[] = ['replica', 'hung-replica', 'keeper', 'server', ...PAIRS];
/** How long a part is away, milliseconds. */
const AWAY_MS: Record<Part, number> = {
  replica: 3_000,
  'hung-replica': 12_000,
  shard: 2_000,
  keeper: 10_000,
  server: 500,
  postgres: 1_000,
  'keeper+server': 10_000,
  'hung-replica+server': 12_000,
};
/** How long one part of a pair is away before the other one goes, milliseconds. */
const BETWEEN_MS = 1_000;
const DATABASE = 'rounds';
const READ_EVERY_MS = 50;
/** In which time capture must be restored for the rounds to continue, however slow the machine is, milliseconds. */
const RESTORED_WITHIN = 600_000;
/** As a client that has several servers behind one address, milliseconds. */
const READ_PATIENCE_MS = 15_000;

export interface ClusterRounds {
  /** Rounds that were run. */
  rounds: number;
  acknowledged: number;
  stored: number;
  lost: number;
  doubled: number;
  /** The most events that a node had twice after a round: merges remove copies before the end. */
  doubledOnNode: number;
  retries: number;
  /** From the return of a part until both servers are ready and an event is acknowledged, milliseconds; the longest. */
  recovery: number;
  /** While a part that others replace is away and until it is well again: reads, and the longest time without one that was answered, milliseconds. */
  reads: number;
  longestGap: number;
  /** Reads that a server refused which was not attacked. */
  refusedReads: number;
  /** Reads that ended with the connection to a killed server, so that a client sends them to the other one. */
  brokenReads: number;
  /** Servers of ClickHouse that ended by themselves, as those of the tests do when a connection breaks, and were started again. */
  restarted: number;
}

interface Stack {
  cluster: ClickHouseCluster;
  postgres: PostgresServer;
  servers: Service[];
  /** Nodes that are away by an attack. */
  away: Set<ClickHouseServer>;
  /** Addresses of servers that are away by an attack. */
  serversAway: Set<string>;
}

/**
 * Attacks each part of two servers, two shards of two replicas, their Keeper and PostgreSQL in turn, under load.
 * @param isOver ends before all rounds; what was acknowledged until then is compared
 */
export async function clusterRounds(
  parts: readonly Part[],
  { rounds, quorum, isOver }: { rounds: number; quorum: string; isOver: () => boolean },
  onRound: (round: number, part: Part, recovery: number, gap: number | null) => void,
): Promise<ClusterRounds> {
  const stack = await startStack(quorum);
  let turn = 0;
  const [first] = stack.servers;
  if (!first) throw new Error('There is no server.');
  const target: LoadTarget = {
    get url() {
      return stack.servers[turn++ % stack.servers.length]?.url ?? first.url;
    },
    account: first.account,
    output: () => stack.servers.map((server) => server.output()).join('\n'),
  };
  const supervisor = supervise(stack);
  try {
    const load = startLoad(target, Date.now());
    await eventually(async () => load.mustHaveAcknowledgedSince(0), { within: 60_000 });
    const result = { recovery: 0, doubledOnNode: 0, reads: 0, refusedReads: 0, brokenReads: 0, longestGap: 0 };
    let run = 0;
    for (let round = 1; round <= rounds && !isOver(); round++) {
      const part = parts[(round - 1) % parts.length] ?? 'replica';
      await sleep(500 + Math.random() * 1_000);
      const reader = REPLACED.includes(part) ? keepReading(target, stack) : null;
      const restore = await takeAway(stack, part, round);
      await sleep(AWAY_MS[part]);
      await restore();
      const back = performance.now();
      await Promise.all(
        stack.servers.map((server) => eventually(() => mustBeReady(server), { within: RESTORED_WITHIN, every: 50 })),
      );
      const ready = performance.now();
      await eventually(async () => load.mustHaveAcknowledgedSince(ready), { within: RESTORED_WITHIN, every: 20 });
      const recovery = performance.now() - back;
      result.recovery = Math.max(result.recovery, recovery);
      let gap: number | null = null;
      if (reader) {
        const { reads, refused, broken, longestGap } = await reader.stop();
        gap = longestGap;
        result.reads += reads;
        result.refusedReads += refused;
        result.brokenReads += broken;
        result.longestGap = Math.max(result.longestGap, longestGap);
      }
      result.doubledOnNode = Math.max(result.doubledOnNode, await doubledOnNode(stack));
      onRound(round, part, recovery, gap);
      run = round;
    }
    const { acknowledged, retries } = await load.stop();
    await eventually(() => mustAgree(stack.cluster), { within: RESTORED_WITHIN, every: 200 });
    const stored = await first.storedUuids();
    const { lost, doubled } = compareStored(acknowledged, stored);
    return {
      rounds: run,
      acknowledged: acknowledged.size,
      stored: stored.length,
      lost: lost.length,
      doubled: doubled.length,
      retries,
      restarted: await supervisor.stop(),
      ...result,
    };
  } finally {
    await supervisor.stop();
    await Promise.all(stack.servers.map((server) => server.close()));
    await Promise.all([stack.cluster.close(), stack.postgres.close()]);
  }
}

/** @throws Error unless the replicas of each shard have the same events */
async function mustAgree({ nodes }: ClickHouseCluster): Promise<void> {
  const counts = await Promise.all(
    nodes.map(async ({ url }) => {
      const body = `SELECT count(), sum(cityHash64(uuid)) FROM ${DATABASE}_local.events`;
      return (await fetch(url, { method: 'POST', body })).text();
    }),
  );
  for (let first = 0; first < counts.length; first += 2) {
    if (counts[first] !== counts[first + 1]) throw new Error(`Replicas have ${counts[first]} and ${counts[first + 1]} events.`);
  }
}

/** How many events a node has twice, at most; those are printed with their parts. Nodes that do not answer are left out. */
async function doubledOnNode({ cluster }: Stack): Promise<number> {
  const body = `SELECT uuid, min(inserted_at), max(inserted_at), groupArray(_part) FROM ${DATABASE}_local.events GROUP BY uuid HAVING count() > 1`;
  const answers = await Promise.all(
    cluster.nodes.map(async ({ url }) => {
      const answer = await fetch(url, { method: 'POST', body }).catch(() => null);
      const rows = answer?.ok ? (await answer.text()).split('\n').filter(Boolean) : [];
      if (rows.length > 0) console.log(`  ${url} has events twice:\n    ${rows.slice(0, 5).join('\n    ')}`);
      return rows.length;
    }),
  );
  return Math.max(...answers);
}

async function startStack(quorum: string): Promise<Stack> {
  const [cluster, postgres] = await Promise.all([
    startClickHouseCluster({ shards: 2, replicas: 2, memory: 1024 ** 3 }),
    startPostgresServer(),
  ]);
  const [start, ...others] = cluster.nodes.map(({ url }) => url);
  const env = {
    DATABASE_URL: postgres.url(),
    CLICKHOUSE_URL: `${[start, ...others.map((url) => new URL(url).host)].join()}/${DATABASE}`,
    TIDEMARK_CLICKHOUSE_QUORUM: quorum,
    CLICKHOUSE_CLUSTER: cluster.name,
  };
  const first = await startService({ env });
  const second = await startService({ env, account: first.account });
  return { cluster, postgres, servers: [first, second], away: new Set(), serversAway: new Set() };
}

/** Takes a part away. @returns brings it back */
async function takeAway(stack: Stack, part: Part, round: number): Promise<() => Promise<unknown>> {
  const { cluster, postgres, servers, away, serversAway } = stack;
  const { nodes, keeper } = cluster;
  const victim = nodes[Math.floor(Math.random() * nodes.length)] ?? nodes[0];
  if (!victim) throw new Error('There is no node.');
  const kill = async (node: ClickHouseServer) => {
    away.add(node);
    await node.kill9();
  };
  const restart = async (node: ClickHouseServer) => {
    await node.restart();
    away.delete(node);
  };
  switch (part) {
    case 'replica':
      await kill(victim);
      return () => restart(victim);
    case 'hung-replica': {
      await eventually(async () => mustRun(victim));
      const { pid } = victim;
      process.kill(pid, 'SIGSTOP');
      return async () => process.kill(pid, 'SIGCONT');
    }
    case 'shard': {
      // the nodes stand shard by shard, two of each
      const begin = (round % 2) * 2;
      const shard = nodes.slice(begin, begin + 2);
      await Promise.all(shard.map(kill));
      return () => Promise.all(shard.map(restart));
    }
    case 'keeper':
      await keeper?.kill9();
      return async () => keeper?.restart();
    case 'server': {
      const server = servers[round % servers.length];
      if (!server) throw new Error('There is no server.');
      serversAway.add(server.url);
      await server.kill9();
      return async () => {
        // as a supervisor would: a start fails while both replicas of a shard are away, of which one may have ended by itself
        await eventually(() => server.restart(), { within: RESTORED_WITHIN, every: 1_000 });
        serversAway.delete(server.url);
      };
    }
    case 'postgres':
      await postgres.kill9();
      return () => postgres.restart();
    case 'keeper+server':
    case 'hung-replica+server': {
      const restore = await takeAway(stack, part === 'keeper+server' ? 'keeper' : 'hung-replica', round);
      await sleep(BETWEEN_MS);
      const restart = await takeAway(stack, 'server', round);
      return async () => {
        await restore();
        await restart();
      };
    }
  }
}

async function mustBeReady({ url, output }: Service): Promise<void> {
  const response = await fetch(`${url}/_ready`);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`/_ready answers ${response.status}\n${output()}`);
}

interface Reads {
  reads: number;
  refused: number;
  broken: number;
  longestGap: number;
}

/** Reads from the store without a pause, as a client behind a balancer that tries another server. Refusals are printed. */
function keepReading(target: LoadTarget, { serversAway }: Stack): { stop(): Promise<Reads> } {
  const authorization = `Bearer ${target.account.personalKey}`;
  // a connection that a server closes while it is idle would look like a refusal
  const headers = { authorization, 'content-type': 'application/json', connection: 'close' };
  const query = { kind: 'HogQLQuery', query: 'select event, count() from events group by event' };
  const body = JSON.stringify({ query, refresh: 'force_blocking' });
  const result: Reads = { reads: 0, refused: 0, broken: 0, longestGap: 0 };
  let isOver = false;
  const read = async (): Promise<boolean> => {
    const { url } = target;
    const begun = performance.now();
    const wasAway = serversAway.has(url);
    const signal = AbortSignal.timeout(READ_PATIENCE_MS);
    try {
      const answer = await fetch(`${url}/api/projects/@current/query/`, { method: 'POST', headers, body, signal });
      const text = await answer.text();
      if (answer.ok) return true;
      result.refused += 1;
      const reason =
        target
          .output()
          .match(/"reason":"[^"]*"/g)
          ?.at(-1) ?? text;
      console.log(`  a read was refused with ${answer.status} after ${(performance.now() - begun).toFixed(0)} ms: ${reason}`);
    } catch (error) {
      if (wasAway || serversAway.has(url)) {
        result.broken += 1;
      } else {
        result.refused += 1;
        console.log(
          `  a read ended after ${(performance.now() - begun).toFixed(0)} ms without an answer: ${error instanceof Error ? (error.cause ?? error) : error}`,
        );
      }
    }
    return false;
  };
  const running = (async () => {
    for (let answered = performance.now(); !isOver; await sleep(READ_EVERY_MS)) {
      result.reads += 1;
      const isAnswered = await read();
      result.longestGap = Math.max(result.longestGap, performance.now() - answered);
      if (isAnswered) answered = performance.now();
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await running;
      return result;
    },
  };
}

/** @throws Error when the process of a node has ended */
function mustRun(node: ClickHouseServer): void {
  process.kill(node.pid, 0);
}

/** Starts nodes again that ended without an attack, as the supervisor of a machine would. */
function supervise({ cluster, away }: Stack): { stop(): Promise<number> } {
  let restarted = 0;
  let isOver = false;
  const running = (async () => {
    while (!isOver) {
      for (const node of cluster.nodes) {
        try {
          mustRun(node);
        } catch {
          if (away.has(node) || isOver) continue;
          restarted += 1;
          await node.restart().catch(() => {});
        }
      }
      await sleep(200);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await running;
      return restarted;
    },
  };
}
