// npm run bench -- scale-model [--costs FILE] [--events-per-second 1e5] [--stored 1e12] [--flag-requests 1e5] [--queries 10]
//   [--events-per-query 1e9] [--new-persons 0.02] [--events-per-person 100] [--insert-size 1000] [--replicas 2]: how many cores, disks,
//   shards and PostgreSQL instances that needs, by the costs that `bench -- cluster --keep FILE` has measured, and how far the model is
//   off where it was not fitted.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readCosts } from './cluster/kept-costs.js';
import { finish, report } from './report.js';
import { checkModel, type Demand, fitCosts, type Need, needOf, postgresLimits } from './scale/model.js';

const STORED_COSTS = fileURLToPath(new URL('../measured/costs.json', import.meta.url));
/** How far the model may be off where it was not fitted: two runs of the same inserts on a busy machine differ by as much. */
const WITHIN = 0.4;
const TB = 1e12;

const option = (otherwise: string) => ({ type: 'string', default: otherwise }) as const;
const { values } = parseArgs({
  options: {
    costs: option(STORED_COSTS),
    'events-per-second': option('1e5'),
    stored: option('1e12'),
    'flag-requests': option('1e5'),
    queries: option('10'),
    'events-per-query': option('1e9'),
    'new-persons': option('0.02'),
    'events-per-person': option('100'),
    'insert-size': option('1000'),
    replicas: option('2'),
    'no-gate': { type: 'boolean' },
  },
});
const demand: Demand = {
  eventsPerSecond: Number(values['events-per-second']),
  storedEvents: Number(values.stored),
  flagsPerSecond: Number(values['flag-requests']),
  queriesPerSecond: Number(values.queries),
  eventsPerQuery: Number(values['events-per-query']),
  newPersons: Number(values['new-persons']),
  eventsPerPerson: Number(values['events-per-person']),
  insertSize: Number(values['insert-size']),
  replicas: Number(values.replicas),
  node: { cores: 32, diskBytes: 10 * TB },
  postgres: { cores: 64, diskBytes: 10 * TB, walBytesPerSecond: 500e6 },
  load: 0.6,
};
const costs = readCosts(values.costs);
const model = fitCosts(costs);
const need = needed();
const number = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 3 });

console.log(`Costs of ${costs.machine}; machines are used to ${demand.load * 100} %.`);
report(
  `${number(demand.eventsPerSecond)} events/s, ${number(demand.storedEvents)} stored, ${number(demand.flagsPerSecond)} flag requests/s, ${number(demand.queriesPerSecond)} queries/s of ${number(demand.eventsPerQuery)} events`,
  [
    { name: 'servers: cores for capture', value: need.captureCores, unit: '' },
    { name: '  cores for flags', value: need.flagCores, unit: '' },
    { name: '  requests', value: need.requestBytesPerSecond / 1e6, unit: 'MB/s' },
    { name: 'ClickHouse: cores of one replica of all shards', value: need.clickhouseCores, unit: '' },
    { name: `  events on disks, ${demand.replicas} replicas`, value: need.diskBytes / TB, unit: 'TB' },
    {
      name: `  shards of nodes with ${demand.node.cores} cores and ${demand.node.diskBytes / TB} TB`,
      value: need.shards,
      unit: '',
    },
    { name: '  nodes', value: need.nodes, unit: '' },
    { name: 'PostgreSQL: cores', value: need.postgresCores, unit: '' },
    { name: '  statements', value: need.statementsPerSecond, unit: '/s' },
    { name: '  persons on the disk', value: need.postgresBytes / TB, unit: 'TB' },
    { name: '  write-ahead log', value: need.walBytesPerSecond / 1e6, unit: 'MB/s' },
    {
      name: `  primaries of ${demand.postgres.cores} cores and ${demand.postgres.diskBytes / TB} TB, for want of ${need.postgresReason}`,
      value: need.postgresInstances,
      unit: '',
    },
  ],
);
report(
  'One PostgreSQL primary, without flags, is enough up to',
  postgresLimits(demand, costs).map(({ reason, eventsPerSecond }) => ({
    name: `by its ${reason}`,
    value: eventsPerSecond,
    unit: 'events/s',
  })),
);
const met = report(
  'What was measured and not used to fit the model: how far the model is off',
  checkModel(model, costs).map(({ what, measured, predicted, error }) => ({
    name: `${what}: measured ${number(measured)}, model ${number(predicted)}`,
    value: Math.abs(error) * 100,
    unit: '%',
    below: WITHIN * 100,
  })),
);
finish(met);

/** Ends the process with the sentence of a demand that cannot be met. */
function needed(): Need {
  try {
    return needOf(demand, model, costs);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
