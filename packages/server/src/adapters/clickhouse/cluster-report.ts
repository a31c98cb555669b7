import type { NodeDetails, NodeStatus } from './cluster-status.js';
import { shardsOf, type Topology } from './topology.js';

/** A replica that is further behind has a fault; seconds. */
const MAX_DELAY = 60;
/** Below this share of free disk merges stop. */
const MIN_FREE_DISK = 0.1;

interface Answering extends NodeStatus {
  details: NodeDetails;
}

const answers = (node: NodeStatus): node is Answering => node.details !== null;

/** Tables and columns that nodes have differently, a sentence each. Nodes without any table are new. */
export function differences(nodes: readonly NodeStatus[], { cluster }: Topology): string[] {
  const made = nodes.filter(answers).filter(({ details }) => Object.keys(details.columns).length > 0);
  const [first] = made;
  if (!first) return [];
  const found: string[] = [];
  for (const { url, details } of nodes.filter(answers)) {
    if (Object.keys(details.columns).length === 0) {
      found.push(`${url} of the cluster "${cluster}" has no tables: start a Tidemark server, which makes them.`);
      continue;
    }
    const missing = tablesOf(first.details).filter((table) => !tablesOf(details).includes(table));
    for (const table of missing) found.push(`${url} has no table ${table}: start a Tidemark server, which makes it.`);
    for (const [place, kind] of Object.entries(first.details.columns)) {
      const [table = '', column] = place.split(' ');
      const own = details.columns[place];
      if (own === kind || missing.includes(table)) continue;
      found.push(
        `Column ${column} of ${table} is ${kind} on ${first.url}, and ${own ?? 'missing'} on ${url}: start a Tidemark server of the newest version.`,
      );
    }
    for (const place of Object.keys(details.columns)) {
      if (place in first.details.columns) continue;
      const [table, column] = place.split(' ');
      found.push(
        `${url} has the column ${column} of ${table}, and ${first.url} does not: start a Tidemark server of the newest version.`,
      );
    }
  }
  return found;
}

const tablesOf = ({ columns }: NodeDetails): string[] => [
  ...new Set(Object.keys(columns).map((place) => place.split(' ')[0] ?? '')),
];

/** What is wrong with nodes as they are now, a sentence each. */
export function conditionFaults(nodes: readonly NodeStatus[], topology: Topology): string[] {
  const there = nodes.filter(answers);
  const faults = nodes
    .filter((node) => !answers(node))
    .map(({ url, shard, replica }) => {
      const alone = !there.some((other) => other.shard === shard);
      return `${url} (shard ${shard}, replica ${replica}) does not answer: start it${alone ? '; until then capture and queries answer 503' : ''}.`;
    });
  const versions = new Map(there.map(({ details, url }) => [details.version, url]));
  if (versions.size > 1) {
    const list = [...versions].map(([version, url]) => `${version} on ${url}`).join(', ');
    faults.push(`Nodes run several versions of ClickHouse (${list}): upgrade all of them to the same one.`);
  }
  return [...faults, ...there.flatMap((node) => nodeFaults(node, topology))];
}

function nodeFaults({ url, shard, details }: Answering, topology: Topology): string[] {
  const { replicas, mutations, waitingFiles, freeDisk, fault } = details;
  const faults: string[] = [];
  if (fault) {
    faults.push(
      `${url} cannot read from all shards (${fault}): let all nodes reach each other by the ports and users in <remote_servers>.`,
    );
  }
  const readonly = replicas.filter((one) => one.isReadonly).map(({ table }) => table);
  if (readonly.length > 0) {
    faults.push(
      `${url} takes no rows of ${readonly.join(', ')}: let it reach Keeper, or restore its replica by SYSTEM RESTORE REPLICA if Keeper has lost its data.`,
    );
  }
  const late = replicas.reduce((most, { delay }) => Math.max(most, delay), 0);
  if (late > MAX_DELAY) {
    faults.push(
      `${url} is ${late} s behind the other replicas of shard ${shard}: see last_exception in its system.replication_queue.`,
    );
  }
  const expected = shardsOf(topology).find(([one]) => one?.shard === shard)?.length ?? 1;
  const lonely = replicas.find(({ total }) => total < expected);
  if (lonely) {
    faults.push(
      `Keeper knows ${lonely.total} of the ${expected} replicas of ${lonely.table} on shard ${shard}: start a Tidemark server.`,
    );
  }
  const surplus = replicas.find(({ total }) => total > expected);
  if (surplus) {
    faults.push(
      `Keeper knows ${surplus.total} replicas of ${surplus.table} on shard ${shard}, and the cluster has ${expected}: forget the others by SYSTEM DROP REPLICA, or deduplication logs grow.`,
    );
  }
  if (mutations.fault) faults.push(`A deletion on ${url} fails: ${mutations.fault.slice(0, 200)}`);
  if (waitingFiles > 0) {
    faults.push(
      `${waitingFiles} files wait on ${url} for other shards: another program inserts without distributed_foreground_insert; run SYSTEM FLUSH DISTRIBUTED.`,
    );
  }
  if (freeDisk < MIN_FREE_DISK) {
    faults.push(`The disk of ${url} is ${Math.floor((1 - freeDisk) * 100)} % full: make it larger, or add shards.`);
  }
  return faults;
}
