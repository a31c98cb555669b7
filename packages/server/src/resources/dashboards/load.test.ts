import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';
import { countStatements } from '../../testing/count-statements.js';
import { type OwnProject, ownProject } from '../../testing/own-project.js';

let app: AccountsApp;
let member: { cookie: string; uuid: string };
let memberKey: { key: string };
let project: OwnProject;
beforeAll(async () => {
  app = await startAccountsApp();
  member = await app.invite('member@example.com');
  memberKey = await app.makeKey(member.cookie, {});
});
beforeEach(async () => {
  project = await ownProject(app);
});
afterAll(() => app.close());

const make = async (fields: object = {}): Promise<number> => (await project.call('POST', 'dashboards/', fields)).json().id;
const text = (body: string) => ({ text: { body }, layouts: { sm: { x: 0, y: 0 } } });

describe('number of statements of a request', () => {
  async function fill(dashboards: number): Promise<number> {
    const first = await make({ name: '0' });
    await project.call('PATCH', `dashboards/${first}/`, { tiles: Array.from({ length: dashboards }, (_, y) => text(String(y))) });
    for (let nr = 1; nr <= dashboards; nr++) {
      const other = await make({ name: String(nr) });
      const query = { kind: 'TrendsQuery', series: [] };
      await project.call('POST', 'insights/', { name: String(nr), query, dashboards: [first, other] });
      await project.call('PUT', `dashboards/${other}/access_controls/`, { access_level: nr % 2 ? 'viewer' : 'none' });
    }
    return first;
  }

  test('it does not grow with the number of dashboards and tiles; a retrieval needs three besides authentication', async () => {
    const counts: number[][] = [];
    // the first use of a key is noted
    await project.call('GET', 'dashboards/', undefined, memberKey);
    for (const size of [1, 12]) {
      project = await ownProject(app);
      const id = await fill(size);
      const authentication = await countStatements(() => project.call('GET', 'dashboards/x/', undefined, memberKey));
      const count = async (method: 'GET' | 'PATCH' | 'POST', path: string, body?: unknown, caller: Caller = memberKey) => {
        await project.call(method, path, body, caller);
        // an address without a cached response
        return (await countStatements(() => project.call(method, `${path}?again`, body, caller))) - authentication;
      };
      const some = { tiles: Array.from({ length: size }, () => text('more')) };
      counts.push([
        await count('GET', 'dashboards/'),
        await count('GET', `dashboards/${id}/`),
        await count('POST', 'dashboards/', { name: 'new' }),
        await count('PATCH', `dashboards/${id}/`, { name: 'newer' }),
        await count('PATCH', `dashboards/${id}/`, some),
        await count('POST', 'dashboards/', { use_dashboard: id, duplicate_tiles: true }),
        await count('POST', 'dashboards/', { use_template: 'DEFAULT_APP' }),
      ]);
    }
    expect(counts[1]).toEqual(counts[0]);
    expect(counts[0]?.slice(0, 2)).toEqual([2, 3]);
  });
});

describe('concurrent changes', () => {
  test('concurrent changes of one dashboard are applied whole, the last one wins, and all are in the activity log', async () => {
    const id = await make({ name: 'start', description: 'start' });
    const values = Array.from({ length: 12 }, (_, nr) => String(nr));
    const answers = await Promise.all(
      values.map((value) =>
        project.call('PATCH', `dashboards/${id}/`, { name: value, description: value, filters: { value }, tiles: [text(value)] }),
      ),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(values.map(() => 200));
    const now = (await project.call('GET', `dashboards/${id}/`)).json();
    expect([now.name, now.filters]).toEqual([now.description, { value: now.name }]);
    expect(now.tiles.map((tile: { text: { body: string } }) => tile.text.body).sort()).toEqual([...values].sort());
    const log = (await project.call('GET', 'activity_log/?scope=Dashboard')).json().results;
    const updates = log.filter(({ activity }: { activity: string }) => activity === 'updated');
    // each started from where another ended
    const befores = updates.map(({ detail }: { detail: { changes: { before: string }[] } }) => detail.changes[0]?.before);
    expect(new Set(befores).size).toBe(12);
  });

  test('a change concurrent with a deletion comes before it or finds no dashboard', async () => {
    const id = await make({ name: 'n' });
    const changes = Array.from({ length: 6 }, (_, nr) =>
      project.call('PATCH', `dashboards/${id}/`, { tiles: [text(String(nr))] }),
    );
    const deletions = [1, 2].map(() => project.call('PATCH', `dashboards/${id}/`, { deleted: true }));
    const statuses = (await Promise.all([...changes, ...deletions])).map(({ statusCode }) => statusCode);
    expect(statuses.slice(0, 6).every((status) => status === 200 || status === 404)).toBe(true);
    expect(statuses.slice(6).sort()).toEqual([200, 404]);
    const live = await app.deps.db
      .selectFrom('dashboard_tiles')
      .select('id')
      .where('dashboard_id', '=', id)
      .where('deleted', '=', false)
      .execute();
    expect(live).toEqual([]);
  });

  test('concurrent moves, deletions and changes cause no 500, and every tile is on one dashboard', async () => {
    const [a, b] = [await make(), await make()];
    const move = (from: number, to: number, id: number) =>
      project.call('PATCH', `dashboards/${from}/move_tile/`, { tile: { id }, toDashboard: to }, { cookie: app.owner.cookie });
    const put = async (id: number): Promise<{ id: number }[]> =>
      (await project.call('PATCH', `dashboards/${id}/`, { tiles: [text('1'), text('2'), text('3')] })).json().tiles;
    const [onA, onB] = [await put(a), await put(b)];
    const query = { kind: 'TrendsQuery', series: [] };
    const insight = (await project.call('POST', 'insights/', { name: 'i', query, dashboards: [a, b] })).json().id;
    const answers = await Promise.all([
      ...onA.map(({ id }) => move(a, b, id)),
      ...onB.map(({ id }) => move(b, a, id)),
      project.call('PATCH', `insights/${insight}/`, { dashboards: [a] }),
      project.call('PATCH', `insights/${insight}/`, { dashboards: [a, b] }),
      project.call('PATCH', `dashboards/${b}/`, { deleted: true, delete_insights: true }),
      project.call('PATCH', `dashboards/${a}/`, { name: 'x' }),
    ]);
    for (const { statusCode } of answers) expect([200, 400, 404]).toContain(statusCode);
    const tiles = await app.deps.db
      .selectFrom('dashboard_tiles')
      .select('text_id')
      .where('project_id', '=', project.id)
      .execute();
    expect(tiles.filter(({ text_id }) => text_id !== null)).toHaveLength(6);
  });
});

describe('random bodies', () => {
  const junk = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom(null, true, 'true', 0, -1, 1e300, 2_147_483_648, '\u0000', '\ud800', [], {}, [[]], 'x'.repeat(70_000)),
  );
  const or = <T>(arbitrary: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 3, arbitrary: arbitrary as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: junk });
  const someId = fc.integer({ min: 0, max: 12 });
  const tile = fc.record(
    {
      id: or(someId),
      text: or(fc.record({ id: or(someId), body: or(fc.string()), created_by: junk }, { requiredKeys: [] })),
      layouts: or(fc.object({ maxDepth: 2 })),
      color: or(fc.string()),
      deleted: or(fc.boolean()),
    },
    { requiredKeys: [] },
  );
  const fields = {
    name: or(fc.string({ unit: 'binary' })),
    description: or(fc.string()),
    pinned: or(fc.boolean()),
    deleted: or(fc.boolean()),
    use_template: or(fc.constantFrom('DEFAULT_APP', '')),
    use_dashboard: or(someId),
    delete_insights: or(fc.boolean()),
    duplicate_tiles: fc.oneof(
      or(fc.boolean()),
      fc.array(fc.record({ id: or(someId), layouts: junk }, { requiredKeys: [] }), { maxLength: 2 }),
    ),
    tags: or(fc.array(or(fc.string()), { maxLength: 4 })),
    restriction_level: or(fc.constantFrom(21, 37)),
    filters: or(fc.object({ maxDepth: 3 })),
    variables: or(fc.object({ maxDepth: 3 })),
    tiles: or(fc.array(or(tile), { maxLength: 4 })),
  };
  const body = or(fc.record(fields, { requiredKeys: [] }));
  const state = async () => {
    const { rows } = await sql<{ state: string }>`
      select md5(coalesce((select string_agg(d::text, ',' order by id) from dashboards d), '')
        || coalesce((select string_agg(t::text, ',' order by id) from dashboard_tiles t), '')
        || (select count(*) from dashboard_texts) || (select count(*) from activity_log)) as state`.execute(app.deps.db);
    return rows[0]?.state;
  };

  test('any body is accepted or refused as a whole with a documented error, without a 500', async () => {
    const id = await make();
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom('POST', 'PATCH', 'PUT'), async (sent, method) => {
        await project.call('PATCH', `dashboards/${id}/`, { deleted: false });
        const before = await state();
        const path = method === 'POST' ? 'dashboards/' : `dashboards/${id}/`;
        const answer = await project.call(method, path, JSON.stringify(sent));
        if (answer.statusCode === (method === 'POST' ? 201 : 200)) return;
        expect([answer.statusCode, Object.keys(answer.json())]).toEqual([400, ['type', 'code', 'detail', 'attr']]);
        expect(await state()).toBe(before);
      }),
      { numRuns: 120 },
    );
  });

  test('any body of move_tile and create_from_template_json gets a documented response', async () => {
    const id = await make();
    const caller = { cookie: app.owner.cookie };
    const templates = fc.record({
      template_name: or(fc.string()),
      tiles: or(fc.array(or(fc.record({ type: or(fc.constant('TEXT')), body: junk })))),
    });
    await fc.assert(
      fc.asyncProperty(
        or(fc.record({ tile: or(fc.record({ id: or(someId) })), toDashboard: or(someId) })),
        or(fc.record({ template: or(templates) })),
        async (move, template) => {
          const moved = await project.call('PATCH', `dashboards/${id}/move_tile/`, JSON.stringify(move), caller);
          expect([400, 404]).toContain(moved.statusCode);
          const made = await project.call('POST', 'dashboards/create_from_template_json/', JSON.stringify(template), caller);
          expect([200, 400]).toContain(made.statusCode);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('any query string gets a documented response', async () => {
    const id = await make({ name: 'n' });
    const names = fc.constantFrom(
      'limit',
      'offset',
      'search',
      'tags',
      'creation_mode',
      'exclude_generated',
      'filters_override',
      'refresh',
    );
    const query = fc.array(
      fc.tuple(names, fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constantFrom('\u0000', '\ud800', '%', '-1'))),
    );
    await fc.assert(
      fc.asyncProperty(query, async (pairs) => {
        const search = new URLSearchParams(pairs);
        // a parameter of the other address narrows nothing here, so it is refused where it says something
        const isForeign = search.getAll('filters_override').some((value) => value !== '');
        expect((await project.call('GET', `dashboards/?${search}`)).statusCode).toBe(isForeign ? 400 : 200);
        expect([200, 400]).toContain((await project.call('GET', `dashboards/${id}/?${search}`)).statusCode);
      }),
      { numRuns: 40 },
    );
  });

  test('too large and too deep values are refused', async () => {
    const id = await make();
    const deep = JSON.parse(`${'{"a":'.repeat(300)}1${'}'.repeat(300)}`);
    for (const filters of [deep, { a: 'x'.repeat(1_000_001) }]) {
      for (const [method, path] of [
        ['POST', 'dashboards/'],
        ['PATCH', `dashboards/${id}/`],
      ] as const) {
        expect((await project.call(method, path, { filters })).statusCode).toBe(400);
      }
      expect((await project.call('PATCH', `dashboards/${id}/`, { tiles: [{ text: {}, layouts: filters }] })).statusCode).toBe(
        400,
      );
    }
  });
});
