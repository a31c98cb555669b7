// npm run bench -- cluster [--events 1M] [SHARDS...]: processor time per event and per query on clusters of 1, 2 and 4 shards with the same
// data, the share of the node that coordinates, bytes on the wire and on the disk; then PostgreSQL statements per captured event.
import { clusterCosts, type ShardCosts } from './cluster/costs.js';
import { statementsPerEvent } from './cluster/statements.js';
import { type Figure, finish, report } from './report.js';

const words = process.argv.slice(2);
const given = words[words.indexOf('--events') + 1] ?? '';
const events = words.includes('--events') ? Number.parseFloat(given) * (given.endsWith('M') ? 1_000_000 : 1) : 1_000_000;
const chosen = words.filter((word) => /^[1-9]$/.test(word)).map(Number);
const shardCounts = chosen.length > 0 ? chosen : [1, 2, 4];
/** How far the cost of a shard may be above its part of the cost on one. */
const ABOVE = 1.15;
/** Queries that shards answer each for their rows: their cost falls with the number of shards. */
const DIVIDED = /^(trend|funnel)/;

let met = true;
let alone: ShardCosts | null = null;
for (const shards of shardCounts) {
  const costs = await clusterCosts({ shards, events });
  if (shards === 1) alone = costs;
  met =
    report(`${shards} ${shards === 1 ? 'shard' : 'shards'}, ${events.toLocaleString('en')} events`, figuresOf(costs, alone)) &&
    met;
}
const statements = await statementsPerEvent();
met =
  report('PostgreSQL statements for 1,000 captured events in batches of 20', [
    { name: 'of persons without a profile', value: statements.anonymous, unit: '' },
    { name: 'of known persons, nothing new', value: statements.known, unit: '' },
    { name: 'of new persons, one an event', value: statements.fresh, unit: '' },
  ]) && met;
finish(met);

function figuresOf({ shards, insert, queries, disk }: ShardCosts, one: ShardCosts | null): Figure[] {
  return [
    { name: 'insert, processor time of all nodes', value: insert.cpu, unit: 'µs an event' },
    { name: '  of it the node that takes it', value: insert.coordinator * 100, unit: '%' },
    { name: '  between nodes', value: insert.wire, unit: 'bytes an event' },
    { name: 'on the disk of all nodes', value: disk, unit: 'bytes an event' },
    ...queries.flatMap(({ name, cpu, perShard, coordinator, wire }): Figure[] => {
      const before = one?.queries.find((other) => other.name === name);
      const ratio = before && shards > 1 ? (perShard * shards) / before.perShard : null;
      return [
        { name, value: cpu, unit: 'ms of processor time' },
        ...(shards === 1
          ? []
          : [
              { name: '  share of the coordinator', value: coordinator * 100, unit: '%' },
              { name: '  between nodes', value: wire / 1000, unit: 'KB' },
            ]),
        ...(ratio === null
          ? []
          : [
              {
                name: '  of a shard, times their number, beside one',
                value: ratio,
                unit: '',
                ...(DIVIDED.test(name) ? { below: ABOVE } : {}),
              },
            ]),
      ];
    }),
  ];
}
