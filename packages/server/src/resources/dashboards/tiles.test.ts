import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';
import { type OwnProject, ownProject } from '../../testing/own-project.js';

interface Tile {
  id: number;
  order: number;
  color: string | null;
  insight: { id: number; name: string } | null;
  text: { id: number; body: string | null } | null;
}

let app: AccountsApp;
let member: { cookie: string; uuid: string };
let project: OwnProject;
beforeAll(async () => {
  app = await startAccountsApp();
  member = await app.invite('member@example.com');
});
beforeEach(async () => {
  project = await ownProject(app);
});
afterAll(() => app.close());

const make = async (fields: object = {}): Promise<number> => (await project.call('POST', 'dashboards/', fields)).json().id;
const patch = (id: number, body: unknown, caller?: Caller) => project.call('PATCH', `dashboards/${id}/`, body, caller);
const put = async (id: number, tiles: unknown[], caller?: Caller): Promise<Tile[]> =>
  (await patch(id, { tiles }, caller)).json().tiles;
const tilesOf = async (id: number): Promise<Tile[]> => (await project.call('GET', `dashboards/${id}/`)).json().tiles;
const text = (body: string, y: number) => ({ text: { body }, layouts: { sm: { x: 0, y } } });
const log = async (query: string) => (await project.call('GET', `activity_log/?${query}`)).json().results;
const insight = async (name: string, dashboards: number[]) =>
  (await project.call('POST', 'insights/', { name, query: { kind: 'TrendsQuery', series: [] }, dashboards })).json();

describe('tiles in PATCH', () => {
  test('a text without an id creates a tile; a text with the id of its tile or of its text is changed', async () => {
    const id = await make();
    const [made] = await put(id, [{ text: { body: 'Hello' }, layouts: { sm: { x: 1 } }, color: 'red' }]);
    expect(made).toEqual({
      id: expect.any(Number),
      layouts: { sm: { x: 1 } },
      color: 'red',
      order: 0,
      insight: null,
      text: {
        id: expect.any(Number),
        body: 'Hello',
        created_by: expect.objectContaining({ email: 'owner@example.com' }),
        last_modified_by: null,
        last_modified_at: expect.stringMatching(/Z$/),
        team: project.id,
      },
      last_refresh: null,
      is_cached: false,
      error: null,
    });
    const [changed] = await put(id, [{ id: made?.id, text: { body: 'Bye' } }], member);
    expect(changed).toMatchObject({
      id: made?.id,
      color: 'red',
      text: { body: 'Bye', created_by: { email: 'owner@example.com' }, last_modified_by: { email: 'member@example.com' } },
    });
    expect(await put(id, [{ text: { id: made?.text?.id, body: null } }])).toMatchObject([{ id: made?.id, text: { body: null } }]);
  });

  test('a tile can be sent back as the response has it; its insight, order and is_cached are ignored', async () => {
    const id = await make();
    await insight('Visits', [id]);
    const [before] = await put(id, []);
    expect(before).toMatchObject({ insight: { name: 'Visits', dashboards: [id], result: null } });
    const sent = {
      ...before,
      order: 5,
      is_cached: true,
      color: 'blue',
      insight: { ...before?.insight, name: 'Other', deleted: true },
    };
    expect(await put(id, [sent])).toEqual([{ ...before, color: 'blue' }]);
  });

  test('deleted: true removes a tile, and deleted: false restores it', async () => {
    const id = await make();
    const [first, second] = await put(id, [text('first', 0), text('second', 1)]);
    expect(await put(id, [{ id: first?.id, deleted: true }])).toMatchObject([{ id: second?.id, order: 0 }]);
    expect(await put(id, [{ id: first?.id, deleted: false }])).toMatchObject([{ id: first?.id }, { id: second?.id }]);
    expect(await log('scope=DashboardTile')).toMatchObject([
      { activity: 'created', item_id: String(first?.id) },
      { activity: 'deleted', item_id: String(first?.id) },
      { activity: 'created' },
      { activity: 'created' },
    ]);
  });

  test('tiles are ordered by row, column and age, tiles without a position last', async () => {
    const id = await make();
    const places = [{}, { sm: { x: 6, y: 0 } }, { sm: { x: 0, y: 5 } }, { sm: { x: 0, y: 0 } }, { xs: { x: 0, y: 0 } }];
    const tiles = await put(
      id,
      places.map((layouts, index) => ({ text: { body: String(index) }, layouts })),
    );
    expect(tiles.map((tile) => tile.text?.body)).toEqual(['3', '1', '2', '0', '4']);
    expect(tiles.map(({ order }) => order)).toEqual([0, 1, 2, 3, 4]);
  });

  test('of two entries for one tile the later one counts; tiles of other dashboards are unknown', async () => {
    const [id, other] = [await make(), await make()];
    const [tile] = await put(id, [text('a', 0)]);
    expect(
      await put(id, [
        { id: tile?.id, color: 'red' },
        { id: tile?.id, text: { body: 'b' } },
        { id: tile?.id, color: 'blue' },
      ]),
    ).toMatchObject([{ color: 'blue', text: { body: 'b' } }]);
    const refused = await patch(other, { tiles: [{ id: tile?.id, deleted: true }] });
    expect([refused.statusCode, refused.json()]).toEqual([
      400,
      {
        type: 'validation_error',
        code: 'does_not_exist',
        detail: `Invalid pk "${tile?.id}" - object does not exist.`,
        attr: 'tiles__0__id',
      },
    ]);
    const unknownText = await patch(other, { tiles: [{ text: { id: tile?.text?.id, body: 'stolen' } }] });
    expect([unknownText.statusCode, unknownText.json().attr]).toEqual([400, 'tiles__0__text__id']);
    expect((await tilesOf(id))[0]?.text?.body).toBe('b');
  });

  test('a text of 4000 characters is accepted, a longer one is refused', async () => {
    const id = await make();
    expect((await patch(id, { tiles: [text('x'.repeat(4000), 0)] })).statusCode).toBe(200);
    const refused = await patch(id, { tiles: [text('x'.repeat(4001), 0)] });
    expect([refused.statusCode, refused.json().code, refused.json().attr]).toEqual([400, 'max_length', 'tiles__0__text__body']);
  });

  test('duplicate_tiles copies tiles in place, with their contents', async () => {
    const id = await make();
    await insight('Visits', [id]);
    const [note] = (await put(id, [{ ...text('Note', 3), color: 'red' }])).filter((tile) => tile.text);
    const [visits] = (await tilesOf(id)).filter((tile) => tile.insight);
    const copies = [{ id: note?.id, layouts: { sm: { x: 0, y: 9 } } }, { id: visits?.id }];
    const tiles: Tile[] = (await patch(id, { duplicate_tiles: copies })).json().tiles;
    const made = tiles.filter((tile) => tile.id !== note?.id && tile.id !== visits?.id);
    expect(made).toMatchObject([
      { color: 'red', text: { body: 'Note' }, layouts: { sm: { x: 0, y: 9 } } },
      { insight: { name: 'Visits (Copy)', dashboards: [id] } },
    ]);
    const refused = await patch(id, { name: 'x', duplicate_tiles: [{ id: 999_999 }] });
    expect([refused.statusCode, refused.json().code, refused.json().attr]).toEqual([
      400,
      'does_not_exist',
      'duplicate_tiles__0__id',
    ]);
    expect((await patch(id, { duplicate_tiles: true })).json().code).toBe('not_a_list');
  });

  test('tiles of insights that access rules hide from the caller are missing', async () => {
    const id = await make();
    const { id: hidden } = await insight('Hidden', [id]);
    await insight('Open', [id]);
    await project.call('PUT', `insights/${hidden}/access_controls/`, { access_level: 'none' });
    const seen = await project.call('GET', `dashboards/${id}/`, undefined, member);
    expect(seen.json().tiles).toMatchObject([{ order: 0, insight: { name: 'Open' } }]);
    expect(await tilesOf(id)).toHaveLength(2);
  });
});

describe('move_tile', () => {
  const move = (id: number | string, body: unknown, caller: Caller = { cookie: app.owner.cookie }) =>
    project.call('PATCH', `dashboards/${id}/move_tile/`, body, caller);

  test('200 with the dashboard the tile came from, and an entry in the activity log', async () => {
    const [from, to] = [await make({ name: 'from' }), await make()];
    const [tile, stays] = await put(from, [text('moves', 0), text('stays', 1)]);
    const answer = await move(from, { tile: { id: tile?.id, order: 3 }, toDashboard: to });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ id: from, name: 'from', tiles: [{ id: stays?.id }] });
    expect(await tilesOf(to)).toMatchObject([{ id: tile?.id, text: { body: 'moves' } }]);
    expect((await log('scope=DashboardTile'))[0]).toMatchObject({
      activity: 'moved',
      item_id: String(tile?.id),
      detail: { changes: [{ field: 'dashboard', before: from, after: to }] },
    });
  });

  test('a tile moved to a dashboard with the same insight replaces the tile there', async () => {
    const from = await make();
    await put(from, [text('shared', 0)]);
    await insight('Visits', [from]);
    const to = await make({ use_dashboard: from });
    for (const { id } of await tilesOf(from)) {
      expect((await move(from, { tile: { id }, toDashboard: to })).statusCode).toBe(200);
    }
    expect(await tilesOf(from)).toEqual([]);
    expect(await tilesOf(to)).toHaveLength(2);
  });

  test('unknown tiles and dashboards: 404; bad bodies: 400', async () => {
    const [from, to] = [await make(), await make()];
    const gone = await make({ deleted: true });
    const [tile] = await put(from, [text('a', 0)]);
    const [elsewhere] = await put(to, [text('b', 0)]);
    const theirs = (await (await ownProject(app)).call('POST', 'dashboards/', {})).json().id;
    const status = async (...args: Parameters<typeof move>) => (await move(...args)).statusCode;
    for (const toDashboard of [gone, theirs, 999_999])
      expect(await status(from, { tile: { id: tile?.id }, toDashboard })).toBe(404);
    for (const id of [elsewhere?.id, 999_999]) expect(await status(from, { tile: { id }, toDashboard: to })).toBe(404);
    for (const id of [gone, theirs, 'x']) expect(await status(id, { tile: { id: tile?.id }, toDashboard: to })).toBe(404);
    for (const body of [
      {},
      [],
      { tile: tile?.id, toDashboard: to },
      { tile: { id: 'x' }, toDashboard: to },
      { tile: { id: tile?.id } },
    ]) {
      expect(await status(from, body)).toBe(400);
    }
    expect(await tilesOf(from)).toHaveLength(1);
  });

  test('it needs a session, and the right to edit both dashboards', async () => {
    const [open, closed] = [await make(), await make({ restriction_level: 37 })];
    const [tile] = await put(open, [text('a', 0)]);
    const [locked] = await put(closed, [text('b', 0)]);
    expect((await move(open, { tile: { id: tile?.id }, toDashboard: closed }, member)).statusCode).toBe(403);
    expect((await move(closed, { tile: { id: locked?.id }, toDashboard: open }, member)).statusCode).toBe(403);
    const byKey = await move(open, { tile: { id: tile?.id }, toDashboard: closed }, { key: app.owner.key });
    expect([byKey.statusCode, byKey.json().detail]).toEqual([403, 'This action does not support personal API key access']);
  });
});

describe('stream_tiles', () => {
  test('the stream has the dashboard with its first two tiles, then each other tile, then the end', async () => {
    const id = await make({ name: 'n' });
    await put(
      id,
      [0, 1, 2, 3].map((y) => text(String(y), y)),
    );
    const answer = await app.call(
      { cookie: app.owner.cookie },
      'GET',
      `/api/projects/${project.id}/dashboards/${id}/stream_tiles/`,
      undefined,
      {
        accept: 'text/event-stream',
      },
    );
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
    const messages = answer.body
      .split('\n\n')
      .filter(Boolean)
      .map((block) => JSON.parse(block.replace(/^data: /, '')));
    const tiles = await tilesOf(id);
    expect(messages).toEqual([
      { type: 'metadata', dashboard: expect.objectContaining({ id, name: 'n', tiles: tiles.slice(0, 2) }) },
      { type: 'tile', order: 2, tile: tiles[2] },
      { type: 'tile', order: 3, tile: tiles[3] },
      { type: 'complete' },
    ]);
  });

  test('a refusal is an ordinary JSON response', async () => {
    const answer = await project.call('GET', 'dashboards/999999/stream_tiles/', undefined, { cookie: app.owner.cookie });
    expect([answer.statusCode, answer.json().detail]).toEqual([404, 'Not found.']);
    expect((await project.call('GET', 'dashboards/1/stream_tiles/')).statusCode).toBe(403);
  });
});
