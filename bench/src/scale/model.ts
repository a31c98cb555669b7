import type { KeptCosts } from '../cluster/kept-costs.js';
import type { ServiceCosts, UnitCosts } from '../cluster/service-costs.js';
import { leastSquares } from './least-squares.js';

/** Which of the measured clusters the model is fitted to; the others are there to check it. */
export const isFitted = ({ shards, events }: { shards: number; events?: number }): boolean =>
  shards < 4 && (events === undefined || events <= 1_000_000);

/** What ClickHouse needs for an event and for a query, by the number of shards and of events. */
export interface CostModel {
  /** Microseconds of processor time an event of an insert. */
  insert(shards: number, size: number): number;
  /** Milliseconds of processor time of all nodes for each kind of query. */
  queries: { name: string; cpu(shards: number, events: number): number }[];
  /** Microseconds for each shard of an insert of rows of persons that are new, or of new properties, however many they are. */
  personPart: number;
  /** Microseconds an event, beside the insert itself: merges. */
  merges: number;
  /** Bytes an event on the disk. */
  disk: number;
}

/**
 * Fits three factors to the costs of inserts and of each kind of query, and one to those of new persons.
 *
 *     an event of an insert = row + part × shards / events of the insert + hop × (shards − 1) / shards
 *     a query               = statement + row × events + shard × (shards − 1)
 *     persons of an insert  = part × shards
 */
export function fitCosts({ clusters, services }: KeptCosts): CostModel {
  const points = clusters.filter(isFitted);
  const inserted = points.flatMap(({ shards, inserts }) => inserts.map(({ size, cpu }) => ({ shards, size, cpu })));
  const insertTerms = (shards: number, size: number) => [1, shards / size, (shards - 1) / shards];
  const insertFactors = leastSquares(
    inserted.map(({ shards, size }) => insertTerms(shards, size)),
    inserted.map(({ cpu }) => cpu),
  );
  const insert = (shards: number, size: number) => added(insertFactors, insertTerms(shards, size));

  const queryTerms = (shards: number, events: number) => [1, events / 1e6, shards - 1];
  const queries = (points[0]?.queries ?? []).map(({ name }) => {
    const own = points.flatMap(({ shards, events, queries: all }) =>
      all.filter((query) => query.name === name).map(({ cpu }) => ({ shards, events, cpu })),
    );
    const factors = leastSquares(
      own.map(({ shards, events }) => queryTerms(shards, events)),
      own.map(({ cpu }) => cpu),
    );
    return { name, cpu: (shards: number, events: number) => added(factors, queryTerms(shards, events)) };
  });
  const whole = services.find(({ shards }) => shards === 1);
  const fitted = services.filter(isFitted);
  const [personPart = 0] =
    fitted.length > 0
      ? leastSquares(
          fitted.map(({ shards, rowsPerInsert }) => [shards / rowsPerInsert]),
          fitted.map(personCost),
        )
      : [];
  const merges = whole ? Math.max(0, whole.known.clickhouse - insert(1, whole.rowsPerInsert)) : 0;
  const largest = points.reduce((a, b) => (b.events > a.events ? b : a));
  return { insert, queries, personPart, merges, disk: largest.disk };
}

/** Microseconds of ClickHouse that an event of a new person costs more than one of a known person. */
const personCost = ({ known, fresh }: ServiceCosts): number => fresh.clickhouse - known.clickhouse;

const added = (factors: readonly number[], terms: readonly number[]): number =>
  factors.reduce((total, factor, index) => total + factor * (terms[index] ?? 0), 0);

/** A measured value beside the model's, for what the model was not fitted to. */
export interface Check {
  what: string;
  measured: number;
  predicted: number;
  /** How far the prediction is off, as a share of the measured value. */
  error: number;
}

/** Compares the model with all that was measured and not used to fit it. */
export function checkModel(model: CostModel, costs: KeptCosts): Check[] {
  const check = (what: string, measured: number, predicted: number): Check => {
    return { what, measured, predicted, error: predicted / measured - 1 };
  };
  const clusters = costs.clusters.filter((one) => !isFitted(one));
  const fittedServices = costs.services.filter(isFitted);
  const mean = (part: 'service' | 'postgres') =>
    fittedServices.reduce((total, { known }) => total + known[part], 0) / fittedServices.length;
  return [
    ...clusters.flatMap(({ shards, events, inserts, queries, disk }) => {
      const place = `${shards} shards, ${events / 1e6}M events`;
      const sum = (of: (query: { name: string; cpu: number }) => number) =>
        queries.reduce((total, query) => total + of(query), 0);
      const predicted = sum(({ name }) => model.queries.find((query) => query.name === name)?.cpu(shards, events) ?? Number.NaN);
      return [
        ...inserts.map(({ size, cpu }) => check(`${place}: inserts of ${size}, µs an event`, cpu, model.insert(shards, size))),
        check(
          `${place}: one query of each kind, ms`,
          sum(({ cpu }) => cpu),
          predicted,
        ),
        check(`${place}: disk, bytes an event`, disk, model.disk),
      ];
    }),
    ...costs.services
      .filter((one) => !isFitted(one))
      .flatMap((service) => {
        const { shards, known, rowsPerInsert } = service;
        return [
          check(
            `${shards} shards: ClickHouse for a new person, µs`,
            personCost(service),
            (model.personPart * shards) / rowsPerInsert,
          ),
          check(`${shards} shards: service, µs an event`, known.service, mean('service')),
          check(`${shards} shards: PostgreSQL, µs an event`, known.postgres, mean('postgres')),
        ];
      }),
  ];
}

/** What an installation has to bear, and the machines that it may use. */
export interface Demand {
  eventsPerSecond: number;
  storedEvents: number;
  flagsPerSecond: number;
  queriesPerSecond: number;
  /** Events that a query reads. */
  eventsPerQuery: number;
  /** Share of the events that are the first of a person. */
  newPersons: number;
  /** Events of a person, over the whole time. */
  eventsPerPerson: number;
  /** Events of an insert; a group of the intake has 1,000 at most. */
  insertSize: number;
  /** Copies of each event. */
  replicas: number;
  /** Of a machine of ClickHouse. */
  node: { cores: number; diskBytes: number };
  /** Of the largest machine of PostgreSQL. */
  postgres: { cores: number; diskBytes: number; walBytesPerSecond: number };
  /** Share of its cores and disks that a machine uses: the rest is for peaks, repairs and failures. */
  load: number;
}

/** What the demand needs. */
export interface Need {
  /** Cores of Tidemark's servers, for capture and for flags. */
  captureCores: number;
  flagCores: number;
  /** Cores for inserts, merges and queries, of one replica of all shards. */
  clickhouseCores: number;
  /** Bytes of events, of all replicas. */
  diskBytes: number;
  shards: number;
  nodes: number;
  postgresCores: number;
  postgresBytes: number;
  walBytesPerSecond: number;
  statementsPerSecond: number;
  /** Shards of the persons: PostgreSQL primaries. */
  postgresInstances: number;
  /** Bytes a second from the clients. */
  requestBytesPerSecond: number;
  /** Why PostgreSQL needs that many instances. */
  postgresReason: 'cores' | 'disk' | 'log';
}

/** Adds up what the events and the requests for flags of a demand cost in a second. */
function addUp({ eventsPerSecond, flagsPerSecond, newPersons }: Demand, { known, fresh, flags }: ServiceCosts) {
  const capture = (of: (costs: UnitCosts) => number) => eventsPerSecond * ((1 - newPersons) * of(known) + newPersons * of(fresh));
  return { capture, both: (of: (costs: UnitCosts) => number) => capture(of) + flagsPerSecond * of(flags) };
}

function serviceOf({ services }: KeptCosts): ServiceCosts {
  const found = services.find(({ shards }) => shards === 1);
  if (!found) throw new RangeError('There are no costs of the service with one shard: npm run bench -- cluster --keep FILE 1');
  return found;
}

/** Computes what a demand needs from the costs of one machine. @throws RangeError when no number of shards suffices */
export function needOf(demand: Demand, model: CostModel, costs: KeptCosts): Need {
  const unit = serviceOf(costs);
  const { flags, bytesPerPerson } = unit;
  const { eventsPerSecond, flagsPerSecond, newPersons, load } = demand;
  const { capture, both } = addUp(demand, unit);
  const cores = (microseconds: number) => microseconds / 1e6 / load;

  const postgresCores = cores(both(({ postgres }) => postgres));
  const postgresBytes = (demand.storedEvents / demand.eventsPerPerson) * bytesPerPerson;
  const walBytesPerSecond = both(({ walBytes }) => walBytes);
  const wanted = {
    cores: postgresCores / demand.postgres.cores,
    disk: postgresBytes / load / demand.postgres.diskBytes,
    log: walBytesPerSecond / load / demand.postgres.walBytesPerSecond,
  };
  const reasons = ['cores', 'disk', 'log'] as const;
  const postgresReason = reasons.reduce((a, b) => (wanted[b] > wanted[a] ? b : a));

  const diskBytes = demand.storedEvents * model.disk * demand.replicas;
  const byDisk = diskBytes / demand.replicas / load / demand.node.diskBytes;
  const coresOf = (shards: number) => {
    const query = model.queries.reduce((total, { cpu }) => total + cpu(shards, demand.eventsPerQuery), 0) / model.queries.length;
    const persons = newPersons > 0 ? (model.personPart * shards) / demand.insertSize : 0;
    const event = model.insert(shards, demand.insertSize) + persons + model.merges;
    return cores(eventsPerSecond * event + demand.queriesPerSecond * query * 1e3);
  };
  const shards = shardsFor(Math.max(1, Math.ceil(byDisk)), demand.node.cores, coresOf);
  return {
    captureCores: cores(capture(({ service }) => service)),
    flagCores: cores(flagsPerSecond * flags.service),
    clickhouseCores: coresOf(shards),
    diskBytes,
    shards,
    nodes: shards * demand.replicas,
    postgresCores,
    postgresBytes,
    walBytesPerSecond,
    statementsPerSecond: both(({ statements }) => statements),
    postgresInstances: Math.max(1, Math.ceil(wanted[postgresReason])),
    postgresReason,
    requestBytesPerSecond: both(({ requestBytes }) => requestBytes),
  };
}

/** Every shard costs something itself, so more of them are tried until they suffice. @throws RangeError when no number does */
function shardsFor(least: number, cores: number, coresOf: (shards: number) => number): number {
  for (let shards = least; shards <= 100_000; shards++) if (coresOf(shards) <= shards * cores) return shards;
  throw new RangeError(
    'No number of shards suffices: each event costs every shard more than it divides. Larger inserts would help.',
  );
}

/** The events a second from which one PostgreSQL primary no longer suffices, by what runs out; nothing else has a single writer. */
export function postgresLimits(demand: Demand, costs: KeptCosts): { reason: string; eventsPerSecond: number }[] {
  const { capture } = addUp({ ...demand, eventsPerSecond: 1 }, serviceOf(costs));
  const { cores, walBytesPerSecond } = demand.postgres;
  return [
    { reason: 'cores', eventsPerSecond: (cores * demand.load * 1e6) / capture(({ postgres }) => postgres) },
    { reason: 'write-ahead log', eventsPerSecond: (walBytesPerSecond * demand.load) / capture(({ walBytes }) => walBytes) },
  ].sort((a, b) => a.eventsPerSecond - b.eventsPerSecond);
}
