import { expect, test } from 'vitest';
import type { KeptCosts } from '../cluster/kept-costs.js';
import type { ServiceCosts, UnitCosts } from '../cluster/service-costs.js';
import { leastSquares } from './least-squares.js';
import { checkModel, type Demand, fitCosts, needOf, postgresLimits } from './model.js';

const unit = (fields: Partial<UnitCosts> = {}): UnitCosts => ({
  service: 20,
  postgres: 10,
  clickhouse: 30,
  statements: 0.1,
  requestBytes: 400,
  postgresBytes: 300,
  walBytes: 100,
  ...fields,
});

/** Costs by the formulas that the model fits: 10 + 2,000 × shards / size + 4 × (shards − 1) / shards; 5 + 20 × millions + 3 × (shards − 1). */
const cluster = (shards: number, events: number, factor = 1): KeptCosts['clusters'][number] => ({
  shards,
  events,
  inserts: [1_000, 4_000].map((size) => ({
    size,
    cpu: factor * (10 + (2_000 * shards) / size + (4 * (shards - 1)) / shards),
    coordinator: 1,
    wire: 0,
  })),
  queries: [
    { name: 'q', cpu: factor * (5 + (20 * events) / 1e6 + 3 * (shards - 1)), perShard: 0, fixed: 0, coordinator: 1, wire: 0 },
  ],
  disk: 60 * factor,
});

const service = (shards: number, fields: Partial<ServiceCosts> = {}): ServiceCosts => ({
  shards,
  known: unit(),
  // 400 µs more, of inserts of 500: a part of a shard costs 200,000 µs
  fresh: unit({ service: 60, postgres: 210, clickhouse: 30 + 400 * shards, walBytes: 2_100, statements: 1.1 }),
  flags: unit({ service: 100, postgres: 40, clickhouse: 0, statements: 1, requestBytes: 300, walBytes: 0 }),
  rowsPerInsert: 500,
  bytesPerPerson: 1_000,
  ...fields,
});

const COSTS: KeptCosts = {
  machine: 'a machine',
  clusters: [cluster(1, 250_000), cluster(1, 1_000_000), cluster(2, 1_000_000)],
  services: [service(1), service(2)],
};

const DEMAND: Demand = {
  eventsPerSecond: 100_000,
  storedEvents: 1e12,
  flagsPerSecond: 0,
  queriesPerSecond: 0,
  eventsPerQuery: 1e9,
  newPersons: 0,
  eventsPerPerson: 100,
  insertSize: 1_000,
  replicas: 2,
  node: { cores: 32, diskBytes: 10e12 },
  postgres: { cores: 64, diskBytes: 10e12, walBytesPerSecond: 500e6 },
  load: 0.5,
};

test('least squares find the factors that were used', () => {
  const rows = [
    [1, 2, 0],
    [1, 4, 1],
    [1, 1, 3],
    [1, 7, 2],
  ];
  const values = rows.map(([a = 0, b = 0, c = 0]) => 5 * a + 0.5 * b + 2 * c);
  for (const [at, factor] of leastSquares(rows, values).entries()) expect(factor).toBeCloseTo([5, 0.5, 2][at] ?? 0, 9);
});

test('a factor is never negative', () => {
  const [base, slope] = leastSquares(
    [
      [1, 1],
      [1, 2],
      [1, 3],
    ],
    [12, 11, 10],
  );
  expect(slope).toBe(0);
  expect(base).toBeGreaterThan(10);
  expect(base).toBeLessThan(12);
});

test('rows that say the same do not determine two factors', () => {
  expect(() =>
    leastSquares(
      [
        [1, 1],
        [1, 1],
      ],
      [1, 1],
    ),
  ).toThrow(RangeError);
});

test('the fitted costs hold for numbers of shards and events that were not measured', () => {
  const model = fitCosts(COSTS);
  expect(model.insert(1, 1_000)).toBeCloseTo(12, 6);
  expect(model.insert(8, 2_000)).toBeCloseTo(10 + 8 + 3.5, 6);
  expect(model.queries.map(({ name, cpu }) => [name, cpu(4, 3e6)])).toEqual([['q', expect.closeTo(5 + 60 + 9, 6)]]);
  // 30 µs with merges, of them 10 + 2,000 / 500 for the insert
  expect(model.merges).toBeCloseTo(16, 6);
  expect(model.personPart).toBeCloseTo(200_000, 3);
  expect(model.disk).toBe(60);
});

test('checks compare what was not fitted, and say the error with its sign', () => {
  const more = { ...COSTS, clusters: [...COSTS.clusters, cluster(4, 1_000_000), cluster(2, 3_000_000, 1.25)] };
  const checks = checkModel(fitCosts(more), {
    ...more,
    services: [...COSTS.services, service(4, { known: unit({ service: 40 }) })],
  });
  const errors = Object.fromEntries(checks.map(({ what, error }) => [what, Number(error.toFixed(6)) + 0]));
  expect(errors).toEqual({
    '4 shards, 1M events: inserts of 1000, µs an event': 0,
    '4 shards, 1M events: inserts of 4000, µs an event': 0,
    '4 shards, 1M events: one query of each kind, ms': 0,
    '4 shards, 1M events: disk, bytes an event': 0,
    '2 shards, 3M events: inserts of 1000, µs an event': -0.2,
    '2 shards, 3M events: inserts of 4000, µs an event': -0.2,
    '2 shards, 3M events: one query of each kind, ms': -0.2,
    '2 shards, 3M events: disk, bytes an event': -0.2,
    '4 shards: ClickHouse for a new person, µs': 0,
    '4 shards: service, µs an event': -0.5,
    '4 shards: PostgreSQL, µs an event': 0,
  });
});

test('known persons alone: cores by their costs, disks by their events', () => {
  const need = needOf(DEMAND, fitCosts(COSTS), COSTS);
  // 100,000 × 20 µs at half load
  expect(need.captureCores).toBeCloseTo(4, 6);
  expect(need.postgresCores).toBeCloseTo(2, 6);
  expect(need.statementsPerSecond).toBeCloseTo(10_000, 6);
  expect(need.requestBytesPerSecond).toBeCloseTo(40e6, 3);
  // 60 TB in two copies; a shard of 10 TB is half full
  expect(need.diskBytes).toBeCloseTo(120e12, 0);
  expect(need.shards).toBe(12);
  expect(need.nodes).toBe(24);
  // 10 + 24 + 4 × 11/12 + 16 µs an event
  expect(need.clickhouseCores).toBeCloseTo((100_000 * (10 + 24 + (4 * 11) / 12 + 16)) / 1e6 / 0.5, 6);
  // 10^10 persons of 1,000 bytes
  expect(need.postgresBytes).toBe(1e13);
  expect(need.postgresInstances).toBe(2);
  expect(need.postgresReason).toBe('disk');
});

test('new persons and requests for flags are added by their shares', () => {
  const need = needOf(
    { ...DEMAND, newPersons: 0.1, flagsPerSecond: 10_000, storedEvents: 1e9, insertSize: 40_000 },
    fitCosts(COSTS),
    COSTS,
  );
  expect(need.captureCores).toBeCloseTo((100_000 * (0.9 * 20 + 0.1 * 60)) / 1e6 / 0.5, 6);
  expect(need.flagCores).toBeCloseTo(2, 6);
  expect(need.postgresCores).toBeCloseTo((100_000 * (0.9 * 10 + 0.1 * 210) + 10_000 * 40) / 1e6 / 0.5, 6);
  expect(need.walBytesPerSecond).toBeCloseTo(100_000 * (0.9 * 100 + 0.1 * 2_100), 3);
  expect(need.postgresInstances).toBe(1);
  // an event of an insert of 40,000: 10.05 µs for its row, 5 for the part with persons, 16 for merges
  expect([need.shards, need.clickhouseCores]).toEqual([1, expect.closeTo((100_000 * (10.05 + 5 + 16)) / 1e6 / 0.5, 6)]);
});

test('queries need shards of their own when cores run out before disks', () => {
  const model = fitCosts(COSTS);
  const demand = { ...DEMAND, eventsPerSecond: 0, storedEvents: 1e9, queriesPerSecond: 10 };
  const { shards, clickhouseCores } = needOf(demand, model, COSTS);
  // 10 queries/s of 20 s of processor time each, at half load: 400 cores
  expect(clickhouseCores).toBeGreaterThan(400);
  expect(shards).toBe(13);
});

test('inserts so small that more shards never suffice are refused', () => {
  const demand = { ...DEMAND, eventsPerSecond: 1e6, insertSize: 10 };
  expect(() => needOf(demand, fitCosts(COSTS), COSTS)).toThrow(/Larger inserts/);
});

test('the limits of one PostgreSQL do not depend on the demand', () => {
  const limits = postgresLimits({ ...DEMAND, newPersons: 0.1 }, COSTS);
  // 30 µs an event: 32 of 64 cores; 300 bytes an event: half of 500 MB/s
  const expected = [
    { reason: 'write-ahead log', eventsPerSecond: expect.closeTo(250e6 / 300, 0) },
    { reason: 'cores', eventsPerSecond: expect.closeTo(32 / 30e-6, 0) },
  ];
  expect(limits).toEqual(expected);
  expect(postgresLimits({ ...DEMAND, newPersons: 0.1, eventsPerSecond: 7, flagsPerSecond: 1e6 }, COSTS)).toEqual(expected);
});

test('without costs of the service the model says what to run', () => {
  expect(() => needOf(DEMAND, fitCosts(COSTS), { ...COSTS, services: [] })).toThrow(/bench -- cluster/);
});
