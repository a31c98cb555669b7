import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccountsApp, startAccountsApp } from '../../testing/accounts-app.js';
import { countStatements } from '../../testing/count-statements.js';

let app: AccountsApp;
let owner: { key: string };
let member: { cookie: string };
let project: string;
let board: number;

beforeAll(async () => {
  app = await startAccountsApp();
  owner = { key: app.owner.key };
  member = await app.invite('member@example.com');
  project = `/api/projects/${(await app.call(owner, 'POST', '/api/projects/', { name: 'P' })).json().id}`;
  board = (await app.call(owner, 'POST', `${project}/dashboards/`, { name: 'D' })).json().id;
});
afterAll(() => app.close());

const rows = async (table: 'insights' | 'dashboard_tiles' | 'activity_log'): Promise<number> =>
  (await app.deps.db.selectFrom(table).select('id').execute()).length;

const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'binary', maxLength: 500 }),
  fc.constantFrom(null, true, 'true', 0, -1, 1e300, 2_147_483_648, '\u0000', '\ud800', [], {}, [[]], 'x'.repeat(70_000)),
);
const query = fc.oneof(
  junk,
  fc.record({
    kind: fc.oneof(fc.constantFrom('InsightVizNode', 'DataTableNode', 'TrendsQuery'), junk),
    source: fc.oneof(fc.record({ kind: fc.constant('TrendsQuery'), x: junk }), junk),
  }),
);
const body = fc.oneof(
  junk,
  fc.record(
    {
      name: fc.oneof(fc.string(), junk),
      derived_name: fc.oneof(fc.string(), junk),
      query,
      filters: fc.oneof(fc.object({ maxDepth: 2 }), junk),
      order: fc.oneof(fc.integer(), junk),
      deleted: fc.oneof(fc.boolean(), junk),
      dashboards: fc.oneof(fc.array(fc.oneof(fc.integer({ min: 0, max: 3 }), junk), { maxLength: 4 }), junk),
      description: fc.oneof(fc.string(), junk),
      tags: fc.oneof(fc.array(fc.oneof(fc.string(), junk), { maxLength: 4 }), junk),
      favorited: junk,
      saved: junk,
    },
    { requiredKeys: [] },
  ),
);

test('any body is accepted or refused as a whole, without a 500', async () => {
  const { id } = (await app.call(owner, 'POST', `${project}/insights/`, {})).json();
  await fc.assert(
    fc.asyncProperty(body, fc.boolean(), async (sent, isNew) => {
      await app.call(owner, 'PATCH', `${project}/insights/${id}/`, { deleted: false });
      const before = [await rows('insights'), await rows('dashboard_tiles'), await rows('activity_log')];
      const answer = isNew
        ? await app.call(owner, 'POST', `${project}/insights/`, JSON.stringify(sent))
        : await app.call(owner, 'PATCH', `${project}/insights/${id}/`, JSON.stringify(sent));
      if (answer.statusCode === (isNew ? 201 : 200)) return;
      expect([answer.statusCode, Object.keys(answer.json())]).toEqual([400, ['type', 'code', 'detail', 'attr']]);
      expect([await rows('insights'), await rows('dashboard_tiles'), await rows('activity_log')]).toEqual(before);
    }),
    { numRuns: 80 },
  );
});

test('any query string of a list is accepted or refused, without a 500', async () => {
  const name = fc.constantFrom(
    'limit',
    'offset',
    'short_id',
    'saved',
    'user',
    'favorited',
    'search',
    'tags',
    'dashboards',
    'created_by',
    'date_from',
    'date_to',
    'order',
    'basic',
  );
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('[1', '[]', '[null]', '["a"]', '1,2', '99999999999', '%', '-7d', 'true'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 4 }), async (pairs) => {
      const search = pairs.map(([key, text]) => `${key}=${encodeURIComponent(text)}`).join('&');
      const { statusCode } = await app.call(owner, 'GET', `${project}/insights/?${search}`);
      expect([200, 400]).toContain(statusCode);
    }),
    { numRuns: 80 },
  );
});

test('concurrent changes of the same insight and dashboards all get a response, and each dashboard has one tile of it', async () => {
  const boards = [board];
  for (let n = 0; n < 3; n++) boards.push((await app.call(owner, 'POST', `${project}/dashboards/`, { name: 'C' })).json().id);
  const { id } = (await app.call(owner, 'POST', `${project}/insights/`, { dashboards: [boards[0]] })).json();
  const writes = Array.from({ length: 24 }, (_, n) => {
    const mine = boards.filter((_, index) => (n >> index) & 1);
    if (n % 8 === 7)
      return app.call(owner, 'PATCH', `${project}/dashboards/${boards[3]}/`, { deleted: n > 8, delete_insights: true });
    return app.call(owner, 'PATCH', `${project}/insights/${id}/`, {
      name: `n${n}`,
      dashboards: n % 2 ? mine : mine.reverse(),
      deleted: false,
    });
  });
  const statuses = (await Promise.all(writes)).map(({ statusCode }) => statusCode);
  expect(statuses.filter((status) => ![200, 400, 404].includes(status))).toEqual([]);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(5);
  const tiles = await app.deps.db.selectFrom('dashboard_tiles').select('dashboard_id').where('insight_id', '=', id).execute();
  expect(new Set(tiles.map((tile) => tile.dashboard_id)).size).toBe(tiles.length);
  const shown = (
    await app.call(owner, 'PATCH', `${project}/insights/${id}/`, { deleted: false, dashboards: [boards[1]] })
  ).json();
  expect(shown.dashboards).toEqual([boards[1]]);
});

test('more concurrent writers than database connections all succeed', async () => {
  const ids: number[] = [];
  for (let n = 0; n < 40; n++) ids.push((await app.call(owner, 'POST', `${project}/insights/`, {})).json().id);
  const put = ids.map((id) => app.call(member, 'PATCH', `${project}/insights/${id}/`, { dashboards: [board] }));
  expect(new Set((await Promise.all(put)).map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
});

test('of two concurrent deletions of an insight one succeeds and the other finds nothing', async () => {
  const { id } = (await app.call(owner, 'POST', `${project}/insights/`, {})).json();
  const answers = await Promise.all(
    [1, 2, 3].map(() => app.call(owner, 'PATCH', `${project}/insights/${id}/`, { deleted: true })),
  );
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 404, 404]);
});

test('the number of statements does not grow with the number of insights, tiles or dashboards', async () => {
  const count = (method: 'GET' | 'PATCH', path: string, sent?: object): Promise<number> =>
    countStatements(async () => {
      const { statusCode } = await app.call(member, method, `${project}${path}`, sent);
      expect(statusCode).toBe(200);
    });
  const boards: number[] = [];
  const fill = async (n: number): Promise<number[]> => {
    for (let i = 0; i < n; i++)
      boards.push((await app.call(owner, 'POST', `${project}/dashboards/`, { name: `S${i}` })).json().id);
    let id = 0;
    for (let i = 0; i < n; i++) id = (await app.call(owner, 'POST', `${project}/insights/`, { dashboards: boards })).json().id;
    await app.call(member, 'POST', `${project}/insights/${id}/viewed/`);
    return [
      await count('GET', '/insights/'),
      await count('GET', '/insights/?search=x&tags=a&saved=true'),
      await count('GET', '/insights/my_last_viewed/'),
      await count('GET', `/insights/${id}/`),
      await count('GET', `/insights/${id}/activity/`),
      await count('PATCH', `/insights/${id}/`, { dashboards: [] }),
      await count('PATCH', `/insights/${id}/`, { name: `x${n}`, dashboards: boards }),
    ];
  };
  const few = await fill(1);
  const many = await fill(8);
  expect(many).toEqual(few);
  // who asks (2), what rules say to them, and the list itself
  expect(few[0]).toBe(4);
});
