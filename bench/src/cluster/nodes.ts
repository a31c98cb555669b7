import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseCluster, type ClickHouseServer, cpuOf, listProcesses } from '@tidemark/testkit';

/** The nodes of a cluster, or a server alone. */
type Nodes = { nodes: readonly Pick<ClickHouseServer, 'url'>[] };

/** Milliseconds that the merges of what was captured may take. */
const MERGES_WITHIN = 20_000;

/** Waits until no node merges any more: the processor time of merges belongs to the events. */
export async function untilMerged(nodes: Nodes): Promise<void> {
  const end = performance.now() + MERGES_WITHIN;
  for (let quiet = 0; quiet < 3 && performance.now() < end; await sleep(200)) {
    quiet = (await onAll(nodes, 'SELECT count() FROM system.merges')) === 0 ? quiet + 1 : 0;
  }
}

/** Seconds of processor time of each node so far. */
export async function cpuByNode({ nodes }: ClickHouseCluster): Promise<number[]> {
  const all = await listProcesses();
  return Promise.all(nodes.map((node) => cpuOf(all.filter(({ pid }) => pid === node.pid))));
}

/** Bytes that a node has received by its connections so far. */
export const receivedBytes = async ({ nodes }: ClickHouseCluster, node: number): Promise<number> =>
  Number(await post(nodes[node]?.url ?? '', "SELECT sum(value) FROM system.events WHERE event = 'NetworkReceiveBytes'"));

/** Bytes that the nodes but the first, which takes all statements, have received so far. */
export async function othersReceived(cluster: ClickHouseCluster): Promise<number> {
  let bytes = 0;
  for (let node = 1; node < cluster.nodes.length; node++) bytes += await receivedBytes(cluster, node);
  return bytes;
}

/** The sum of what each node answers. */
export async function onAll({ nodes }: Nodes, sql: string): Promise<number> {
  let total = 0;
  for (const { url } of nodes) total += Number(await post(url, sql));
  return total;
}

/** Runs a statement by HTTP. @throws Error with the text of a refusal */
export async function post(url: string, body: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', body });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text.trim();
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
