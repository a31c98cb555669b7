import { pino } from 'pino';
import { type Config, ConfigError } from '../../config.js';
import { sentenceOf } from '../../kernel/errors.js';
import { sleep } from '../../kernel/scheduler.js';
import type { Clock, Scheduler } from '../../ports/system.js';
import { alterSide, type CopyContext, chunksOf, copyChunk, TABLES, waitForMutations } from './cluster-chunks.js';
import { columnsOf, endCopies, openSide, type Place, readableFrom, type Side } from './cluster-copy.js';
import { openHttpEvents } from './http-events.js';
import { quoteText } from './sql-literals.js';

/** What a run of `reshard` does. */
export type ReshardStep =
  /** Copies while the service runs. */
  | 'copy'
  /** Lets the old place take no more rows, copies what is left, and compares everything. */
  | 'finish'
  /** Lets the old place take rows again. */
  | 'cancel';

export interface ReshardOptions {
  to: Place;
  step: ReshardStep;
  clock: Clock;
  scheduler: Scheduler;
  /** Called with a line for people. */
  print(line: string): void;
}

/** Copies while events arrive are repeated that often at most, and as long as the last one found many. */
const PASSES = 3;
const MANY = 100_000;
/** The comment of the new tables of events says how far the copy is. */
const STATES = {
  copying: 'Tidemark copies rows into this table',
  copied: 'Tidemark has copied all rows into this table',
} as const;
/** With that a table refuses each insert, as one that has too many parts. Clients then get 503 and try again. */
const CLOSED = 'max_parts_in_total = 0';
const CLOSED_TABLES = ['events', 'persons', 'person_overrides', 'groups', 'changes'];
/** Milliseconds between two looks at inserts that run. */
const LOOK_EVERY = 100;

/**
 * Moves all rows from the place of CLICKHOUSE_URL and CLICKHOUSE_CLUSTER to another one with other shards. It goes by what both places
 * have, so it can be interrupted and run again. No acknowledged event is lost: with `finish` the old place refuses rows before the last comparison.
 * @throws ConfigError in one sentence that says what to do
 */
export async function reshard(config: Config, options: ReshardOptions): Promise<void> {
  const { clickhouseUrl, clickhouseCluster: cluster, clickhouseQuorum: quorum } = config;
  const { to: target, step, print, scheduler } = options;
  if (!clickhouseUrl) throw new ConfigError('Set CLICKHOUSE_URL, and CLICKHOUSE_CLUSTER if there is one, as for the service.');
  const ca = config.clickhouseAuthority ?? undefined;
  const from = await openSide({ address: clickhouseUrl, cluster }, quorum, ca);
  try {
    if (step === 'cancel') {
      await setClosed(from, false);
      return print('The old tables take rows again.');
    }
    await makeTables(config, options, from);
    const to = await openSide(target, quorum, ca);
    try {
      await requireOwnRows(to);
      await endCopies(to);
      const context = { from, to, scheduler, source: await readableFrom(from, to) };
      if (step === 'copy') await copy(context, print);
      else await finish(context, print);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** Makes the new tables, with all checks of a start. */
async function makeTables(config: Config, { to, clock, scheduler }: ReshardOptions, from: Side): Promise<void> {
  const { clickhouseQuorum: quorum, clickhouseAuthority: ca } = config;
  const database = decodeURIComponent(new URL(to.address.replace(/,[^/]*/, '')).pathname.slice(1));
  const nodes = from.nodes.map(({ url }) => new URL(url).host);
  if (database === from.server.database && to.address.split(/[@/,]/).some((host) => nodes.includes(host))) {
    throw new ConfigError(`Both places are the database ${database} on ${from.server.url}: name another database in --to.`);
  }
  const store = await openHttpEvents(to.address, {
    log: pino({ level: 'silent' }),
    scheduler,
    clock,
    ca: ca ?? undefined,
    cluster: to.cluster ? { name: to.cluster, quorum } : null,
  });
  await store.close();
}

/** Rows of a new place that the old one has not are deleted, so it must not be in use. @throws ConfigError */
async function requireOwnRows(to: Side): Promise<void> {
  const { database } = to.server;
  const [row] = await to.rows<{ comment: string }>(
    "SELECT comment FROM system.tables WHERE database = {database:String} AND name = 'events'",
    { database: to.topology?.local ?? database },
  );
  if (row?.comment === STATES.copied) {
    throw new ConfigError(`All rows are in ${database} already: start the servers on it, or drop its databases to begin anew.`);
  }
  if (row?.comment === STATES.copying) return;
  if ((await to.rows('SELECT 1 FROM events LIMIT 1')).length > 0) {
    throw new ConfigError(`The database ${database} has events of its own: name an empty or a new one in --to.`);
  }
  await mark(to, STATES.copying);
}

const mark = (to: Side, state: string): Promise<void> => alterSide(to, `ALTER TABLE events MODIFY COMMENT ${quoteText(state)}`);

type Print = ReshardOptions['print'];

async function copy(context: CopyContext, print: Print): Promise<void> {
  for (let pass = 1; ; pass += 1) {
    const { copied, differing } = await copyAll(context, print);
    if (differing > 0 && copied >= MANY && pass < PASSES) continue;
    print(
      'The new tables have all rows but those that arrived meanwhile. To switch, stop the servers with the role "jobs", and run this command with --finish.',
    );
    return;
  }
}

async function finish(context: CopyContext, print: Print): Promise<void> {
  const { from, to, scheduler } = context;
  await setClosed(from, true);
  print('The old tables take no more rows: capture answers 503, and clients keep their events.');
  await waitForInserts(from, scheduler);
  await syncReplicas(from);
  await waitForMutations(from, scheduler);
  await copyAll(context, print);
  // one more comparison of everything: what a repaired fault of the network has left is repaired, too
  const { rows, differing } = await copyAll(context, () => {});
  if (differing > 0) {
    throw new Error(
      `${differing} parts of the tables differ still: see whether another program writes to either place, and run this again. --cancel opens the old tables.`,
    );
  }
  await copyVersions(context);
  await mark(to, STATES.copied);
  const { cluster } = to.topology ?? { cluster: null };
  print(
    `All ${rows} rows are in ${to.server.database}, with equal counts and checksums. Start all servers with ${cluster ? `CLICKHOUSE_CLUSTER=${cluster}, ` : 'no CLICKHOUSE_CLUSTER, '}the new CLICKHOUSE_URL, and no other change. Drop the old databases later.`,
  );
}

/** Makes all chunks the same. */
async function copyAll(context: CopyContext, print: Print): Promise<{ copied: number; rows: number; differing: number }> {
  const sum = { copied: 0, rows: 0, differing: 0 };
  for (const table of TABLES) {
    const columns = await columnsOf(context.from, context.to, table.name);
    for (const chunk of await chunksOf(context, table)) {
      const { copied, count, isSame } = await copyChunk(context, table, { columns, chunk });
      const when = chunk.part > 0 ? ` of ${String(chunk.part).replace(/(?=..$)/, '-')}` : '';
      if (copied > 0 || !isSame) {
        print(
          `${table.name} of project ${chunk.project}${when}: ${copied} copied, ${count} in all${isSame ? '' : ', more arrive'}`,
        );
      }
      sum.copied += copied;
      sum.rows += count;
      if (!isSame) sum.differing += 1;
    }
  }
  return sum;
}

/** Lets each node of the old place refuse inserts, or take them again. The setting belongs to a node, so each must answer. */
async function setClosed({ nodes }: Side, isClosed: boolean): Promise<void> {
  for (const { client, url } of nodes) {
    for (const table of CLOSED_TABLES) {
      const change = isClosed ? `MODIFY SETTING ${CLOSED}` : 'RESET SETTING max_parts_in_total';
      try {
        await client.command({ query: `ALTER TABLE ${table} ${change}` });
      } catch (error) {
        const [what, reason] = [isClosed ? 'closed' : 'opened', sentenceOf(error)];
        throw new ConfigError(`The table ${table} of ${url} cannot be ${what}: ${reason.slice(0, 200)}`);
      }
    }
  }
}

/** Waits for inserts that had begun before the tables were closed. */
async function waitForInserts({ nodes, server, topology }: Side, scheduler: Scheduler): Promise<void> {
  const closed = scheduler.uptime();
  for (const { client } of nodes) {
    for (;;) {
      const answer = await client.query({
        query: `SELECT 1 FROM system.processes WHERE query_kind = 'Insert' AND elapsed >= {seconds:Float64}
          AND current_database IN ({databases:Array(String)}) LIMIT 1`,
        query_params: {
          seconds: (scheduler.uptime() - closed) / 1_000,
          // a shard runs the part of an insert in the default database of the user
          databases: [server.database, topology?.local ?? server.database, 'default'],
        },
        format: 'JSONEachRow',
      });
      if ((await answer.json()).length === 0) break;
      await sleep(scheduler, LOOK_EVERY);
    }
  }
}

/** Lets each replica have what another one took. */
async function syncReplicas({ nodes, topology }: Side): Promise<void> {
  if (!topology?.isReplicated) return;
  for (const { client } of nodes) {
    for (const table of CLOSED_TABLES) await client.command({ query: `SYSTEM SYNC REPLICA ${table}` });
  }
}

/** Versions of data in the new place are above those of the old one, so no result that was cached for those counts as fresh. */
async function copyVersions({ to, source }: CopyContext): Promise<void> {
  const insert = 'INSERT INTO changes (project_id, kind, day, rows)';
  await to.run(`${insert} SELECT project_id, kind, day, sum(rows) FROM ${source('changes')} GROUP BY project_id, kind, day`);
  await to.run(`${insert} SELECT DISTINCT project_id, 'deletions', 0, 1 FROM ${source('changes')}`);
}
