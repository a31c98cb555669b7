import { ConfigError } from '../../config.js';
import { type ClusterNode, type Quorum, shardsOf, type Topology } from './topology.js';

/** A node of a cluster by its row in `system.clusters`. */
export interface DefinedNode extends ClusterNode {
  /** Whether a Distributed table writes to one replica, and leaves the others to the tables. */
  internalReplication: boolean;
}

/** What a node says of itself. */
export interface NodeState {
  url: string;
  node: ClusterNode;
  /** How it defines the cluster; empty when it does not know it. */
  definition: readonly DefinedNode[];
  macros: Readonly<Record<string, string>>;
  /** Milliseconds by which its clock is ahead of this machine's. */
  ahead: number;
  /** Whether it has the tables with the rows of its shard. */
  hasTables: boolean;
}

/** Clocks of two machines that differ more than that are refused; milliseconds. */
const MAX_AHEAD = 60_000;

const fault = (text: string): ConfigError => new ConfigError(`CLICKHOUSE_CLUSTER: ${text}`);

/** @throws ConfigError that says which clusters there are */
export function checkName(name: string, url: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const others = known.length > 0 ? `it knows ${known.join(', ')}` : 'it knows none';
  throw fault(`${url} has no cluster "${name}" in <remote_servers>; ${others}. Name one of them, or define it there.`);
}

/** Checks the cluster as its nodes describe it. @throws ConfigError in one sentence that says what to do */
export function checkCluster(topology: Topology, quorum: Quorum, states: readonly NodeState[]): void {
  const [first] = clusterFaults(topology, quorum, states);
  if (first) throw first;
}

/** What stands against the use of the cluster, each fault in one sentence that says what to do. */
export function* clusterFaults(topology: Topology, quorum: Quorum, states: readonly NodeState[]): Generator<ConfigError> {
  const { cluster } = topology;
  for (const shard of shardsOf(topology)) {
    if (typeof quorum === 'number' && quorum > shard.length) {
      yield new ConfigError(
        `TIDEMARK_CLICKHOUSE_QUORUM is ${quorum}, and shard ${shard[0]?.shard} of the cluster "${cluster}" has ${shard.length === 1 ? 'one replica' : `${shard.length} replicas`}: set ${shard.length} at most, or auto.`,
      );
    }
  }
  const [first] = states;
  if (!first) return;
  for (const state of states) {
    if (sameDefinition(state) !== sameDefinition(first)) {
      yield fault(`${state.url} defines "${cluster}" otherwise than ${first.url}: give all nodes the same <remote_servers>.`);
    }
    if (Math.abs(state.ahead) > MAX_AHEAD) yield clockFault(state, { url: "this machine's", ahead: 0 });
  }
  const byClock = states.filter(({ ahead }) => Math.abs(ahead) <= MAX_AHEAD).sort((one, other) => other.ahead - one.ahead);
  const [fastest, slowest] = [byClock[0], byClock.at(-1)];
  if (fastest && slowest && fastest.ahead - slowest.ahead > MAX_AHEAD) {
    yield clockFault(fastest, { url: `that of ${slowest.url}`, ahead: slowest.ahead });
  }
  if (topology.isReplicated) yield* replicaFaults(cluster, states);
}

function clockFault({ url, ahead }: NodeState, than: { url: string; ahead: number }): ConfigError {
  const apart = ahead - than.ahead;
  const [seconds, direction] = [Math.round(Math.abs(apart) / 1_000), apart > 0 ? 'ahead of' : 'behind'];
  return fault(`the clock of ${url} is ${seconds} s ${direction} ${than.url}: let NTP set the clocks of all machines.`);
}

const sameDefinition = ({ definition }: NodeState): string =>
  definition.map(({ shard, replica, host }) => `${shard} ${replica} ${host}`).join();

function* replicaFaults(cluster: string, states: readonly NodeState[]): Generator<ConfigError> {
  if (states.some(({ definition }) => definition.some(({ internalReplication }) => !internalReplication))) {
    yield fault(`each shard of "${cluster}" needs <internal_replication>true</internal_replication>, or rows are stored twice.`);
  }
  const seen = new Map<string, string>();
  const shardMacros = new Map<number, NodeState>();
  for (const state of states) {
    const missing = ['shard', 'replica'].find((name) => !state.macros[name]);
    if (missing) {
      yield fault(`${state.url} has no macro "${missing}": give each node its <shard> and <replica> in <macros>.`);
      continue;
    }
    const { shard, replica } = state.macros;
    const other = seen.get(`${shard} ${replica}`);
    if (other) yield fault(`${other} and ${state.url} have the same macros: give each node its own <replica> in <macros>.`);
    seen.set(`${shard} ${replica}`, state.url);
    const sibling = shardMacros.get(state.node.shard);
    if (sibling && sibling.macros.shard !== shard) {
      yield fault(
        `${sibling.url} and ${state.url} are replicas of one shard, but their macro "shard" differs: make it the same.`,
      );
    }
    shardMacros.set(state.node.shard, state);
  }
  for (const [number, state] of shardMacros) {
    const twin = [...shardMacros].find(([other, { macros }]) => other !== number && macros.shard === state.macros.shard);
    if (twin)
      yield fault(`${state.url} and ${twin[1].url} are of two shards, but have the same macro "shard": give each shard its own.`);
  }
}
