import type { ClusterStatus } from '../adapters/clickhouse/index.js';
import { formatTable } from '../terminal/table.js';

type Node = ClusterStatus['nodes'][number];

const HEADS = ['shard', 'replica', 'node', 'version', 'events', 'persons', 'bytes', 'disk free', 'behind', 'queue', 'state'];

/** The state of a cluster as a table for people. */
export function formatClusterStatus(status: ClusterStatus): string {
  const { cluster, database, shards, nodes, faults } = status;
  const lines = formatTable([HEADS, ...nodes.map(rowOf)], (column) => column >= 4 && column < 10);
  const counted = firstOfShards(nodes);
  const total = counted.reduce((sum, { details }) => sum + (details?.tables['events']?.rows ?? 0), 0);
  const summary = `${total.toLocaleString('en')} events, ${size(counted.reduce((sum, node) => sum + bytesOf(node), 0))} on one replica of each shard`;
  return [
    `Cluster "${cluster}", database ${database}: ${plural(shards, 'shard')}, ${plural(nodes.length, 'node')}`,
    '',
    ...lines,
    '',
    summary,
    ...(faults.length > 0 ? ['', ...faults] : []),
  ].join('\n');
}

function rowOf({ shard, replica, url, details }: Node): string[] {
  const place = [String(shard), String(replica), url];
  if (!details) return [...place, '', '', '', '', '', '', '', 'does not answer'];
  const { version, tables, replicas, mutations, freeDisk } = details;
  const isReadonly = replicas.some((one) => one.isReadonly);
  return [
    ...place,
    version,
    (tables['events']?.rows ?? 0).toLocaleString('en'),
    (tables['persons']?.rows ?? 0).toLocaleString('en'),
    size(Object.values(tables).reduce((sum, { bytes }) => sum + bytes, 0)),
    `${Math.floor(freeDisk * 100)} %`,
    replicas.length > 0 ? `${replicas.reduce((most, { delay }) => Math.max(most, delay), 0)} s` : '',
    replicas.length > 0 ? String(replicas.reduce((sum, { queue }) => sum + queue, 0)) : '',
    isReadonly ? 'takes no rows' : mutations.running > 0 ? plural(mutations.running, 'deletion') : 'well',
  ];
}

/** One node of each shard that answers: replicas have the same rows. */
const firstOfShards = (nodes: readonly Node[]): Node[] => [
  ...new Map(nodes.filter(({ details }) => details).map((node) => [node.shard, node])).values(),
];

const bytesOf = ({ details }: Node): number => Object.values(details?.tables ?? {}).reduce((sum, { bytes }) => sum + bytes, 0);

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

function size(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1000 ** power).toFixed(power > 0 ? 1 : 0)} ${units[power]}`;
}
