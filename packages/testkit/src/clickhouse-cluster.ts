import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { type ClickHouseServer, type LaunchOptions, launchClickHouse } from './clickhouse-server.js';
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
  /** By it nodes trust each other's statements, which run as the user who sent them; absent: as the default user. */
  secret?: string;
  /** Further elements of the configuration, as XML. `{host}` is the node's own address. */
  config?: string;
  /** The certificate, with its key, of all nodes, in PEM: they reach each other and Keeper by TLS, and HTTPS leads to each. `config` names their authority. */
  tls?: { cert: string; key: string };
  users?: LaunchOptions['users'];
  env?: LaunchOptions['env'];
}

/** ClickHouse servers. All have the same ports, each on a loopback address of its own, as machines would. */
export interface ClickHouseCluster {
  /** Its name in `remote_servers`. */
  readonly name: string;
  /** Address of the HTTP interface of the first node. */
  readonly url: string;
  /** The same by HTTPS; empty without a certificate. */
  readonly httpsUrl: string;
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
  secret,
  tls,
  config: elements = '',
  users,
  env,
}: ClickHouseClusterOptions): Promise<ClickHouseCluster> {
  const numbers = Array.from({ length: shards * replicas }, (_, index) => index + 1);
  const [hosts, copying] = [numbers.map((number) => `127.0.0.${number}`), numbers.map((number) => `127.0.1.${number}`)];
  const httpPort = await freePort(replicas > 1 ? [...hosts, ...copying] : hosts);
  const [tcpPort, others] = [await freePort(hosts), await freePort(hosts)];
  const keeper = replicas > 1 ? await startZooKeeper() : null;
  const httpsPort = tls ? await freePort([...hosts, ...copying]) : 0;
  const proxies = await Promise.all([
    ...hosts.map((host) => relay(host, others, tcpPort, tls)),
    ...(tls ? [...hosts, ...(keeper ? copying : [])].map((host) => relay(host, httpsPort, httpPort, tls)) : []),
  ]);
  const configOf = async (own: string, index: number) => {
    // each node uses its own tables without a connection, as on machines with one port
    const placeOf = (host: string) => {
      if (host === own) return `<port>${tcpPort}</port>`;
      return `<port>${others}</port>${tls ? '<secure>1</secure>' : ''}`;
    };
    const replicaOf = (host: string) => `<replica><host>${host}</host>${placeOf(host)}</replica>`;
    const shardOf = (_: unknown, shard: number) =>
      `<shard><internal_replication>true</internal_replication>${hosts
        .slice(shard * replicas, (shard + 1) * replicas)
        .map(replicaOf)
        .join('')}</shard>`;
    const more = otherClusters.replaceAll('{port}', String(tcpPort)).replaceAll('{host}', own);
    const trust = secret ? `<secret>${secret}</secret>` : '';
    const cluster = `<${NAME}>${trust}${Array.from({ length: shards }, shardOf).join('')}</${NAME}>`;
    const servers = `${elements.replaceAll('{host}', own)}<remote_servers>${cluster}${more}</remote_servers>`;
    if (!keeper) return servers;
    return `${servers}
      <macros><shard>${Math.floor(index / replicas) + 1}</shard><replica>${(index % replicas) + 1}</replica></macros>
      <zookeeper><node><host>127.0.0.1</host><port>${await keeper.portOf(index + 1, tls)}</port>${tls ? '<secure>1</secure>' : ''}</node><session_timeout_ms>5000</session_timeout_ms></zookeeper>`;
  };
  const started = await Promise.allSettled(
    hosts.map(async (host, index) => {
      const copies = `127.0.1.${index + 1}`;
      const address = tls ? `https://${copies}:${httpsPort}` : `http://${copies}:${httpPort}`;
      const interserver = keeper ? { host: copies, url: address } : undefined;
      return launchClickHouse({ host, httpPort, tcpPort, memory, interserver, config: await configOf(host, index), users, env });
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
  const httpsUrl = tls ? `https://${hosts[0]}:${httpsPort}` : '';
  return { name: NAME, url: nodes[0]?.url ?? '', httpsUrl, nodes, keeper, close };
}

/**
 * Connects a port of a host with another. A query that fails resets its connections to the other shards: ClickHouse goes on, but the
 * library of the embedded engine, which our servers are run from, would end. So connections end in order here.
 */
async function relay(host: string, port: number, target: number, tls?: { cert: string; key: string }): Promise<Server> {
  const accept = (from: Socket) => {
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
  };
  const options = { allowHalfOpen: true, noDelay: true };
  const server = tls ? createTlsServer({ ...options, ...tls }, accept) : createServer(options, accept);
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}
