import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/service.js';
import { pageStatement } from './store.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const T0 = Date.UTC(2025, 0);

/** Groups of a type by key, at a time each (epoch milliseconds). */
async function insert(index: number, groups: readonly (readonly [key: string, time: number])[]) {
  const rows = groups.map(([group_key, time]) => ({
    project_id: service.projectId,
    group_type_index: index,
    group_key,
    group_properties: JSON.stringify({ name: `Group ${group_key}` }),
    created_at: new Date(time),
    updated_at: new Date(time),
  }));
  await service.deps.db.insertInto('groups').values(rows).execute();
}

interface Page {
  next: string | null;
  previous: string | null;
  results: { group_key: string; created_at: string }[];
}
async function get(url: string): Promise<Page> {
  const response = await service.call('GET', url);
  expect([response.statusCode, response.body]).toEqual([200, expect.any(String)]);
  return response.json();
}
const first = (index: number, query = '') =>
  get(`/api/environments/${service.projectId}/groups/?group_type_index=${index}${query}`);
const keysOf = (page: Page) => page.results.map((group) => group.group_key);

/** Every page there is in a direction. */
async function walk(from: Page, direction: 'next' | 'previous', between: () => Promise<void> = async () => {}) {
  const pages = [from];
  for (let url = from[direction]; url; ) {
    await between();
    const page = await get(url);
    pages.push(page);
    url = page[direction];
  }
  return pages;
}

describe('spec 4.6 cursor', () => {
  test('250 groups, many of the same time, are each on one page, and the same pages are found backwards', async () => {
    // five times, 50 groups each
    const groups = Array.from({ length: 250 }, (_, n) => [`g${String(n).padStart(3, '0')}`, T0 + (n % 5) * 1000] as const);
    await insert(0, groups);
    const ordered = [...groups].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([key]) => key);

    const forth = await walk(await first(0, '&search=GROUP'), 'next');
    expect(forth.map((page) => page.results.length)).toEqual([100, 100, 50]);
    expect(forth.flatMap(keysOf)).toEqual(ordered);
    expect(forth[0]?.previous).toBeNull();
    const url = new URL(forth[0]?.next ?? '');
    expect([...url.searchParams.keys()]).toEqual(['cursor', 'group_type_index', 'search']);
    expect(url.origin).toBe('http://localhost');
    expect(url.searchParams.get('cursor')).toMatch(/^[A-Za-z0-9+/]+=*$/);

    const last = forth.at(-1);
    if (!last) throw new Error('no page');
    const back = await walk(last, 'previous');
    expect(back.map(keysOf)).toEqual(forth.map(keysOf).reverse());
    const again = back.at(-1);
    expect(again?.next && keysOf(await get(again.next))).toEqual(forth[1] && keysOf(forth[1]));
  });

  test('groups added or deleted between two pages cause no gap and no repetition', async () => {
    const groups = Array.from({ length: 250 }, (_, n) => [`g${String(n).padStart(3, '0')}`, T0 + (n % 3) * 1000] as const);
    await insert(1, groups);
    let round = 0;
    // newest, oldest, and amid the ties
    const disturb = async () => {
      round += 1;
      await insert(1, [
        [`new${round}`, T0 + 60_000 + round],
        [`old${round}`, T0 - 60_000 - round],
        [`g0${round}0 tie`, T0 + 1000],
      ]);
    };
    const seen = (pages: Page[]) => pages.flatMap(keysOf);
    const forth = await walk(await first(1), 'next', disturb);
    expect(new Set(seen(forth)).size).toBe(seen(forth).length);
    expect(seen(forth)).toEqual(expect.arrayContaining(groups.map(([key]) => key)));

    const last = forth.at(-1);
    if (!last) throw new Error('no page');
    const back = await walk(last, 'previous', disturb);
    expect(new Set(seen(back)).size).toBe(seen(back).length);
    expect(seen(back)).toEqual(expect.arrayContaining(groups.map(([key]) => key)));
  });

  test('a page whose groups were all deleted still links back', async () => {
    await insert(
      2,
      Array.from({ length: 101 }, (_, n) => [`g${String(n).padStart(3, '0')}`, T0] as const),
    );
    const page = await first(2);
    await service.deps.db.deleteFrom('groups').where('group_type_index', '=', 2).where('group_key', '=', 'g100').execute();
    const empty = await get(page.next ?? '');
    expect([empty.results, empty.next]).toEqual([[], null]);
    expect(keysOf(await get(empty.previous ?? ''))).toEqual(keysOf(page));
  });

  test.each([
    'x',
    '%',
    'e30=',
    'bnVsbA==',
    Buffer.from('{"direction":"next","place":{"createdAt":1e99,"key":""}}').toString('base64'),
  ])('cursor %s is invalid: 404', async (cursor) => {
    const url = `/api/environments/${service.projectId}/groups/?group_type_index=0&cursor=${encodeURIComponent(cursor)}`;
    const response = await service.call('GET', url);
    expect([response.statusCode, response.json()]).toEqual([
      404,
      { type: 'invalid_request', code: 'not_found', detail: 'Invalid cursor', attr: null },
    ]);
  });

  test('an empty cursor is the first page', async () => {
    expect((await first(0, '&cursor=')).results).toEqual((await first(0)).results);
  });
});

test('a page of 100,000 groups is a scan of the index, also if all have the same time', async () => {
  const { db } = service.deps;
  await sql`
    insert into groups (project_id, group_type_index, group_key, group_properties, created_at, updated_at)
    select ${service.projectId}, 3, 'k' || n, jsonb_build_object('name', 'Name ' || n), to_timestamp(n % 2), now()
    from generate_series(1, 100000) n`.execute(db);
  await sql`analyze groups`.execute(db);
  const cursors = [
    null,
    { direction: 'next', place: { createdAt: 1000, key: 'k5' } },
    { direction: 'previous', place: { createdAt: 0, key: 'k5' } },
  ] as const;
  for (const cursor of cursors) {
    const statement = pageStatement(service.projectId, { group_type_index: 3, cursor: undefined }, cursor);
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`explain (analyze, format json) ${statement}`.execute(db);
    const scans = rows.flatMap((row) => scansOf(row['QUERY PLAN'][0].Plan));
    expect(scans.length).toBe(cursor ? 2 : 1);
    for (const scan of scans) {
      expect(scan).toMatchObject({ 'Node Type': 'Index Scan', 'Index Name': expect.stringContaining('created_at_group_key') });
      expect(scan['Actual Rows']).toBeLessThanOrEqual(101);
      expect(scan['Rows Removed by Filter'] ?? 0).toBe(0);
    }
  }
});

interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** What a plan reads tables by. */
const scansOf = (plan: Plan): Plan[] => [
  ...(plan['Node Type'].endsWith('Scan') ? [plan] : []),
  ...(plan.Plans ?? []).flatMap(scansOf),
];
