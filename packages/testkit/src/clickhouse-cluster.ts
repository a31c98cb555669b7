import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { type ClickHouseServer, launchClickHouse } from './clickhouse-server.js';
import { freePort } from './free-port.js';

export interface ClickHouseClusterOptions {
  shards: number;
  /** Memory limit of each server, bytes. */
  memory?: number;
  /** Further `remote_servers`, as XML, such as clusters that are set up wrongly. `{host}` is the node's own address, `{port}` the native port of all. */
  otherClusters?: string;
}

/** ClickHouse servers of one replica a shard. All have the same ports, each on a loopback address of its own, as machines would. */
export interface ClickHouseCluster {
  /** Its name in `remote_servers`. */
  readonly name: string;
  /** Address of the HTTP interface of the first node. */
  readonly url: string;
  /** One server a shard, in the order of the shards. */
  readonly nodes: readonly ClickHouseServer[];
  /** Stops them and removes their data. */
  close(): Promise<void>;
}

const NAME = 'tests';

/** Starts a server for each shard. Needs no network, and Linux for the loopback addresses. */
export async function startClickHouseCluster({
  shards,
  memory,
  otherClusters = '',
}: ClickHouseClusterOptions): Promise<ClickHouseCluster> {
  const hosts = Array.from({ length: shards }, (_, index) => `127.0.0.${index + 1}`);
  const [httpPort, tcpPort, others] = [await freePort(hosts), await freePort(hosts), await freePort(hosts)];
  const proxies = await Promise.all(hosts.map((host) => relay(host, others, tcpPort)));
  const configOf = (own: string) => {
    // each node uses its own tables without a connection, as on machines with one port
    const shardOf = (host: string) =>
      `<shard><internal_replication>true</internal_replication><replica><host>${host}</host><port>${host === own ? tcpPort : others}</port></replica></shard>`;
    const more = otherClusters.replaceAll('{port}', String(tcpPort)).replaceAll('{host}', own);
    return `<remote_servers><${NAME}>${hosts.map(shardOf).join('')}</${NAME}>${more}</remote_servers>`;
  };
  const started = await Promise.allSettled(
    hosts.map((host) => launchClickHouse({ host, httpPort, tcpPort, memory, config: configOf(host) })),
  );
  const nodes = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const close = async () => {
    await Promise.all(nodes.map((node) => node.close()));
    for (const proxy of proxies) proxy.close();
  };
  const failed = started.find((result) => result.status === 'rejected');
  if (failed) {
    await close();
    throw failed.reason;
  }
  return { name: NAME, url: nodes[0]?.url ?? '', nodes, close };
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
