import { Command } from 'commander';
import type { ClusterStatus, ReshardStep } from '../adapters/clickhouse/index.js';
import { loadConfig } from '../config.js';
import { formatClusterStatus } from './cluster-text.js';
import { type CommandIo, print } from './command-io.js';

/** `tidemark cluster`: looks at a ClickHouse cluster, and moves its rows to another one. */
export const clusterCommand = (io: CommandIo): Command =>
  new Command('cluster')
    .description('look at a ClickHouse cluster, and move its rows to one with other shards')
    .addCommand(statusCommand(io))
    .addCommand(checkCommand(io))
    .addCommand(reshardCommand(io));

const SAME_SETTINGS = `
Set CLICKHOUSE_URL, CLICKHOUSE_CLUSTER and TIDEMARK_CLICKHOUSE_QUORUM as for the service. It may run or not.`;

const statusCommand = (io: CommandIo): Command =>
  new Command('status')
    .description('show nodes, rows by shard, lag and queues of replicas, and tables that differ')
    .option('--json', 'everything, as JSON', false)
    .addHelpText('after', SAME_SETTINGS)
    .action(async ({ json }: { json: boolean }) => {
      const status = await readStatus(io);
      print(io, json ? JSON.stringify(status, null, 2) : formatClusterStatus(status));
    });

const checkCommand = (io: CommandIo): Command =>
  new Command('check')
    .description('say what is wrong with a cluster, each fault in one sentence; exit code 1 if there is any')
    .addHelpText('after', SAME_SETTINGS)
    .action(async () => {
      const { faults, nodes, cluster } = await readStatus(io);
      for (const fault of faults) print(io, fault);
      if (faults.length > 0)
        throw new Error(`${faults.length === 1 ? 'One fault' : `${faults.length} faults`} in the cluster "${cluster}".`);
      print(io, `The ${nodes.length} nodes of the cluster "${cluster}" are well.`);
    });

interface ReshardFlags {
  to: string;
  toCluster?: string;
  finish: boolean;
  cancel: boolean;
}

const reshardCommand = (io: CommandIo): Command =>
  new Command('reshard')
    .description('copy all rows to a cluster with other shards, or from one server to a cluster')
    .requiredOption('--to <url>', 'the new CLICKHOUSE_URL, with a database of its own; without a user, that of CLICKHOUSE_URL')
    .option('--to-cluster <name>', 'the new CLICKHOUSE_CLUSTER; without it the new place is one server')
    .option('--finish', 'let the old tables take no more rows, copy the rest, and compare everything', false)
    .option('--cancel', 'let the old tables take rows again', false)
    .addHelpText(
      'after',
      `${SAME_SETTINGS}

Without --finish it copies while the service runs, and can be interrupted and repeated. With --finish capture answers 503 until the servers
start with the new settings; queries go on.`,
    )
    .action(async ({ to, toCluster, finish, cancel }: ReshardFlags, command: Command) => {
      if (finish && cancel) command.error('error: --finish and --cancel exclude each other');
      const step: ReshardStep = cancel ? 'cancel' : finish ? 'finish' : 'copy';
      const config = loadConfig({ ...io.env });
      // the same rules, and the same sentences
      const target = loadConfig({ CLICKHOUSE_URL: withUserOf(to, config.clickhouseUrl), CLICKHOUSE_CLUSTER: toCluster });
      const [{ loadClusterCommands }, { createScheduler, systemClock }] = await Promise.all([
        import('../adapters/clickhouse/index.js'),
        import('../adapters/system/index.js'),
      ]);
      const { reshard } = await loadClusterCommands();
      await reshard(config, {
        to: { address: target.clickhouseUrl ?? '', cluster: target.clickhouseCluster },
        step,
        clock: systemClock,
        scheduler: createScheduler(),
        print: (line) => print(io, line),
      });
    });

async function readStatus(io: CommandIo): Promise<ClusterStatus> {
  const [{ loadClusterCommands }, { systemClock }] = await Promise.all([
    import('../adapters/clickhouse/index.js'),
    import('../adapters/system/index.js'),
  ]);
  return (await loadClusterCommands()).readStatus(loadConfig(io.env), { clock: systemClock });
}

/** An address with the user and password of another one, unless it has its own: passwords do not belong among arguments. */
function withUserOf(address: string, other: string | null): string {
  const user = /^\w+:\/\/([^/@]*@)/.exec(other ?? '')?.[1];
  return user && !/^\w+:\/\/[^/]*@/.test(address) ? address.replace('://', `://${user}`) : address;
}
