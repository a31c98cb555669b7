// npm run bench -- cluster [--events 1M] [--service 20K | --no-service] [--no-queries] [--only WORDS] [--keep FILE] [SHARDS...]: processor time per event
// and per query on clusters of 1, 2 and 4 shards with the same data, the share of the node that coordinates, bytes on the wire and on the
// disk; then what an event and a request for flags cost each process of a whole service; then PostgreSQL statements by kind of person.
// `--keep` adds the figures to a file that `bench -- scale-model` reads; `--only` takes the queries with these words in their names.
import { cpus } from 'node:os';
import { clusterCosts, type ShardCosts } from './cluster/costs.js';
import { keepCosts } from './cluster/kept-costs.js';
import { type ServiceCosts, serviceCosts, type UnitCosts } from './cluster/service-costs.js';
import { statementsPerEvent } from './cluster/statements.js';
import { numberAfter } from './number-after.js';
import { type Figure, finish, report } from './report.js';

const words = process.argv.slice(2);
const events = numberAfter('--events', 1_000_000);
const captured = numberAfter('--service', 20_000);
const wordAfter = (word: string) => (words.includes(word) ? words[words.indexOf(word) + 1] : undefined);
const file = wordAfter('--keep');
const only = wordAfter('--only') ?? '';
const chosen = words.filter((word) => /^[1-9]$/.test(word)).map(Number);
const shardCounts = chosen.length > 0 ? chosen : [1, 2, 4];
/** How far the cost of a shard may be above its part of the cost on one. */
const ABOVE = 1.15;
/** Queries that shards answer each for their rows: their cost falls with the number of shards. */
const DIVIDED = /^(trend|funnel)/;

const machine = `${cpus().length} cores of ${cpus()[0]?.model.trim()}`;
let met = true;
let alone: ShardCosts | null = null;
for (const shards of words.includes('--no-queries') ? [] : shardCounts) {
  const costs = await clusterCosts({ shards, events, only });
  if (shards === 1) alone = costs;
  if (file) keepCosts(file, machine, { clusters: [costs] });
  met = report(`${named(shards)}, ${events.toLocaleString('en')} events`, figuresOf(costs, alone)) && met;
}
for (const shards of words.includes('--no-service') ? [] : shardCounts) {
  const costs = await serviceCosts(shards, captured);
  if (file) keepCosts(file, machine, { services: [costs] });
  report(`Through the whole service, ${named(shards)}, batches of 20 events on 64 connections`, serviceFigures(costs));
}
if (!words.includes('--no-service')) {
  const statements = await statementsPerEvent();
  report('PostgreSQL statements for 1,000 captured events in batches of 20, one after the other', [
    { name: 'of persons without a profile', value: statements.anonymous, unit: '' },
    { name: 'of known persons, nothing new', value: statements.known, unit: '' },
    { name: 'of new persons, one an event', value: statements.fresh, unit: '' },
  ]);
}
finish(met);

function named(shards: number): string {
  return shards === 1 ? '1 shard' : `${shards} shards`;
}

function figuresOf({ shards, inserts, queries, disk }: ShardCosts, one: ShardCosts | null): Figure[] {
  return [
    ...inserts.flatMap(({ size, cpu, coordinator, wire }): Figure[] => [
      { name: `inserts of ${size.toLocaleString('en')}, processor time of all nodes`, value: cpu, unit: 'µs an event' },
      { name: '  of it the node that takes it', value: coordinator * 100, unit: '%' },
      { name: '  between nodes', value: wire, unit: 'bytes an event' },
    ]),
    { name: 'on the disk of all nodes', value: disk, unit: 'bytes an event' },
    ...queries.flatMap(({ name, cpu, perShard, fixed, coordinator, wire }): Figure[] => {
      const before = one?.queries.find((other) => other.name === name);
      const ratio = before && shards > 1 ? (perShard * shards) / before.perShard : null;
      const growing = before && shards > 1 ? ((perShard - fixed) * shards) / (before.perShard - before.fixed) : null;
      return [
        { name, value: cpu, unit: 'ms of processor time' },
        { name: '  of a shard without any event of the project', value: fixed, unit: 'ms' },
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
        ...(growing === null ? [] : [{ name: '  the same without what a shard costs without events', value: growing, unit: '' }]),
      ];
    }),
  ];
}

function serviceFigures({ known, fresh, flags, rowsPerInsert, bytesPerPerson }: ServiceCosts): Figure[] {
  const of = (title: string, costs: UnitCosts): Figure[] => [
    { name: `${title}: service`, value: costs.service, unit: 'µs' },
    { name: '  PostgreSQL', value: costs.postgres, unit: 'µs' },
    { name: '  all ClickHouse nodes, with merges', value: costs.clickhouse, unit: 'µs' },
    { name: '  PostgreSQL statements', value: costs.statements, unit: '' },
    { name: '  bytes of the request, compressed', value: costs.requestBytes, unit: '' },
    { name: '  bytes between service and PostgreSQL', value: costs.postgresBytes, unit: '' },
    { name: "  bytes of PostgreSQL's log", value: costs.walBytes, unit: '' },
  ];
  return [
    ...of('an event of a known person', known),
    ...of('an event of a new person', fresh),
    ...of('a request for 50 flags, not asked before', flags),
    { name: 'events of an insert', value: rowsPerInsert, unit: '' },
    { name: 'tables of a person in PostgreSQL', value: bytesPerPerson, unit: 'bytes' },
  ];
}
