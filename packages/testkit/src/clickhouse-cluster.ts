import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { type ClickHouseServer, launchClickHouse } from './clickhouse-server.js';
import { freePort } from './free-port.js';
import { canReplicate } from './interserver.js';
import { hasZooKeeper, startZooKeeper, type ZooKeeper } from './zookeeper.js';

export interface ClickHouseClusterOptions {
  shards: number;
  /** Replicas of each shard, 1 by default; more need {@link whyNoReplicas} to be null. */
  replicas?: number;
  /** Memory limit of each server, bytes. */
  memory?: number;
  /** Further `remote_servers`, as XML, such as clusters that are set up wrongly. `{host}` is the node's own address, `{port}` the native port of all. */
  otherClusters?: string;
}

/** ClickHouse servers. All have the same ports, each on a loopback address of its own, as machines would. */
export interface ClickHouseCluster {
  /** Its name in `remote_servers`. */
  readonly name: string;
  /** Address of the HTTP interface of the first node. */
  readonly url: string;
  /** The servers, shard by shard. */
  readonly nodes: readonly ClickHouseServer[];
  /** Of the replicas; null without any. */
  readonly keeper: Pick<ZooKeeper, 'kill9' | 'restart'> | null;
  /** Stops them and removes their data. */
  close(): Promise<void>;
}

const NAME = 'tests';

/** Why this machine cannot run replicas, as a sentence; null if it can. */
export const whyNoReplicas = (): string | null => {
  if (!hasZooKeeper()) return 'ZooKeeper is not installed (apt-get install --no-install-recommends zookeeper).';
  return canReplicate() ? null : 'The library of the embedded engine is another build than the one that tests can complete.';
};

/** Starts the servers of a cluster. Needs no network, and Linux for the loopback addresses. */
export async function startClickHouseCluster({
  shards,
  replicas = 1,
  memory,
  otherClusters = '',
}: ClickHouseClusterOptions): Promise<ClickHouseCluster> {
  const numbers = Array.from({ length: shards * replicas }, (_, index) => index + 1);
  const [hosts, copying] = [numbers.map((number) => `127.0.0.${number}`), numbers.map((number) => `127.0.1.${number}`)];
  const httpPort = await freePort(replicas > 1 ? [...hosts, ...copying] : hosts);
  const [tcpPort, others] = [await freePort(hosts), await freePort(hosts)];
  const keeper = replicas > 1 ? await startZooKeeper() : null;
  const proxies = await Promise.all(hosts.map((host) => relay(host, others, tcpPort)));
  const configOf = async (own: string, index: number) => {
    // each node uses its own tables without a connection, as on machines with one port
    const replicaOf = (host: string) => `<replica><host>${host}</host><port>${host === own ? tcpPort : others}</port></replica>`;
    const shardOf = (_: unknown, shard: number) =>
      `<shard><internal_replication>true</internal_replication>${hosts
        .slice(shard * replicas, (shard + 1) * replicas)
        .map(replicaOf)
        .join('')}</shard>`;
    const more = otherClusters.replaceAll('{port}', String(tcpPort)).replaceAll('{host}', own);
    const cluster = `<${NAME}>${Array.from({ length: shards }, shardOf).join('')}</${NAME}>`;
    const servers = `<remote_servers>${cluster}${more}</remote_servers>`;
    if (!keeper) return servers;
    return `${servers}
      <macros><shard>${Math.floor(index / replicas) + 1}</shard><replica>${(index % replicas) + 1}</replica></macros>
      <zookeeper><node><host>127.0.0.1</host><port>${await keeper.portOf(index + 1)}</port></node><session_timeout_ms>5000</session_timeout_ms></zookeeper>`;
  };
  const started = await Promise.allSettled(
    hosts.map(async (host, index) => {
      const interserver = keeper ? copying[index] : undefined;
      return launchClickHouse({ host, httpPort, tcpPort, memory, interserver, config: await configOf(host, index) });
    }),
  );
  const nodes = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const close = async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await keeper?.close();
    for (const proxy of proxies) proxy.close();
  };
  const failed = started.find((result) => result.status === 'rejected');
  if (failed) {
    await close();
    throw failed.reason;
  }
  return { name: NAME, url: nodes[0]?.url ?? '', nodes, keeper, close };
}

/**
 * Connects a port of a host with another. A query that fails resets its connections to the other shards: ClickHouse goes on, but the
 * library of the embedded engine, which our servers are run from, would end. So connections end in order here.
 */
async function relay(host: string, port: number, target: number): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (from) => {
    const to = connect({ host, port: target, allowHalfOpen: true, noDelay: true });
    from.pipe(to);
    to.pipe(from);
    const leave = () => {
      to.end();
      // until it ends, too
      to.resume();
    };
    from.on('error', leave).on('close', leave);
    to.on('error', () => from.destroy()).on('close', () => from.destroy());
  }).listen(port, host);
  await once(server, 'listening');
  return server;
}
