import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestEvents, testEvents } from '../../../testing/events.js';
import { putSeeded, type SeededData, seededData } from '../../../testing/seeded-events.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';

/* Joins and subqueries over events and persons, against sums of our own: on a cluster each side has rows on every shard. */

let events: TestEvents;
const data: SeededData = seededData({ seed: 9, events: 400 });
const { events: rows } = data;
const people = data.tables.persons.filter(({ is_deleted }) => !is_deleted);

beforeAll(async () => {
  events = await testEvents();
  await putSeeded(events, data);
  await putSeeded(events, seededData({ seed: 8, events: 100, projectId: 2 }));
});
afterAll(() => events.close());

const ask = async (query: string): Promise<unknown> => {
  const parsed = querySchema.parse({ kind: 'HogQLQuery', query });
  return (await runQuery(events.store, parsed, { projectId: 1, timezone: 'UTC', now: Date.UTC(2024, 3, 1) })).results;
};

const personsOf = (event: string) => new Set(rows.filter((row) => row.event === event).map((row) => data.personOf(row)));
const buyers = personsOf('bought');
const active = new Set(rows.map((row) => data.personOf(row)));
const known = new Set(people.map(({ person_id }) => person_id));
const purchases = rows.filter(({ event }) => event === 'bought');
const idle = people.filter(({ person_id }) => !buyers.has(person_id)).length;
const unknown = purchases.filter((row) => !known.has(data.personOf(row))).length;
const ids = [...new Set(rows.map((row) => row.distinct_id))];
const atMostTwo = ids
  .map((id) => Math.min(2, rows.filter((row) => row.distinct_id === id).length))
  .reduce((sum, count) => sum + count, 0);
const bought = "(select person_id from events where event = 'bought')";

test.each<[string, number[]]>([
  [`select count() from events where person_id in ${bought}`, [rows.filter((row) => buyers.has(data.personOf(row))).length]],
  [`select count() from events where person_id not in ${bought}`, [rows.filter((row) => !buyers.has(data.personOf(row))).length]],
  [`select count() from persons where id in ${bought}`, [people.length - idle]],
  [
    'select count() from events where person_id in (select id from persons)',
    [rows.filter((row) => known.has(data.personOf(row))).length],
  ],
  [`select count() from persons as p left join ${bought} as b on p.id = b.person_id`, [purchases.length - unknown + idle]],
  [`select count() from ${bought} as b right join persons as p on p.id = b.person_id`, [purchases.length - unknown + idle]],
  [`select count() from persons as p full join ${bought} as b on p.id = b.person_id`, [purchases.length + idle]],
  [`select count() from persons as p inner join ${bought} as b on p.id = b.person_id`, [purchases.length - unknown]],
  [`select count() from persons as p any left join ${bought} as b on p.id = b.person_id`, [people.length]],
  ['select count() from persons as p cross join groups as g', [people.length * data.tables.groups.length]],
  [
    "select count() from events as e full join events as f on e.uuid = f.uuid and f.event = 'bought'",
    [2 * rows.length - purchases.length],
  ],
  ["select count() from events as e right join events as f on e.uuid = f.uuid and e.event = 'bought'", [rows.length]],
  [
    'select count(), uniq(person_id) from (select person_id from events union all select id as person_id from persons)',
    [rows.length + people.length, new Set([...active, ...known]).size],
  ],
  ["select (select count() from events where event = 'bought'), count() from persons", [purchases.length, people.length]],
  [
    'with a as (select person_id, count() as n from events group by person_id) select sum(n), count() from a',
    [rows.length, active.size],
  ],
  ['select max(n) from (select row_number() over (order by timestamp, uuid) as n from events)', [rows.length]],
  [
    'select count() from (select distinct event, distinct_id from events)',
    [new Set(rows.map((row) => `${row.event} ${row.distinct_id}`)).size],
  ],
  ['select count() from (select distinct_id from events limit 2 by distinct_id)', [atMostTwo]],
])('%s', async (query, expected) => {
  expect(await ask(query)).toEqual([expected]);
});
