import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemIds } from '../../adapters/system/index.js';
import { type TestDatabase, testDatabase } from '../../testing/database.js';
import { testProject } from '../../testing/people.js';
import {
  copyTiles,
  copyTilesWithContents,
  deleteInsightsOnlyOn,
  deleteTilesOf,
  inReadingOrder,
  insertTiles,
  moveTile,
  newShortId,
  restoreTilesOf,
  setDashboardsOfInsight,
  tilesOf,
  updateTiles,
} from './index.js';

const NOW = new Date('2024-05-02T10:00:00.250Z');
let database: TestDatabase;
let project: number;
let user: number;
beforeAll(async () => {
  database = await testDatabase();
  const row = { uuid: systemIds.uuid(), distinct_id: 'd', email: 'ann@example.com', first_name: 'Ann', date_joined: NOW };
  const made = await sql<{ id: number }>`
    insert into users ${sql.raw('(uuid, distinct_id, email, first_name, date_joined)')}
    values (${row.uuid}, ${row.distinct_id}, ${row.email}, ${row.first_name}, ${row.date_joined}) returning id`.execute(
    database.db,
  );
  user = made.rows[0]?.id ?? 0;
});
afterAll(() => database.close());
beforeEach(async () => {
  project = await testProject(database.db);
});

async function dashboard(name = 'D'): Promise<number> {
  const { id } = await database.db
    .insertInto('dashboards')
    .values({ project_id: project, name, created_by: user, created_at: NOW, updated_at: NOW })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function insight(name: string | null = 'I'): Promise<number> {
  const { id } = await database.db
    .insertInto('insights')
    .values({
      project_id: project,
      short_id: newShortId(systemIds),
      name,
      query: JSON.stringify({ kind: 'TrendsQuery' }),
      tags: ['a'],
      created_by: user,
      created_at: NOW,
      updated_at: NOW,
      last_modified_at: NOW,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const at = (x: number, y: number) => ({ sm: { x, y, w: 6, h: 5 } });
const tiles = (id: number) => tilesOf(database.db, project, id, user);
const shown = async (id: number) => (await tiles(id)).map((tile) => tile.insight?.name ?? tile.text?.body ?? null);

describe('the tiles of a dashboard', () => {
  test('they have their contents and the users of these, in reading order', async () => {
    const board = await dashboard();
    const made = await insertTiles(
      database.db,
      project,
      board,
      [
        { text: { body: 'second', created_by: user }, layouts: at(6, 0), color: 'red' },
        { insight_id: await insight('first'), layouts: at(0, 0), color: null },
        { text: { body: null, created_by: null }, layouts: {}, color: null },
      ],
      NOW,
    );
    const rows = await tiles(board);
    expect(rows.map(({ id }) => id)).toEqual([made[1], made[0], made[2]]);
    expect(rows[0]).toMatchObject({
      layouts: at(0, 0),
      color: null,
      deleted: false,
      text: null,
      insight: {
        name: 'first',
        query: { kind: 'TrendsQuery' },
        filters: {},
        tags: ['a'],
        created_by: user,
        creator: { id: user, first_name: 'Ann', hedgehog_config: {} },
        last_modified_by: null,
        places: [{ tile_id: made[1], id: board, restriction_level: 21, created_by: user, collaborator_level: null }],
      },
    });
    expect(new Date(rows[0]?.insight?.created_at ?? '')).toEqual(NOW);
    expect(rows[1]).toMatchObject({ color: 'red', insight: null, text: { body: 'second', created_by: { id: user } } });
    expect(rows[2]?.text).toMatchObject({ body: null, created_by: null, last_modified_by: null });
  });

  test('tiles of other projects are missing', async () => {
    const board = await dashboard();
    const [tile = 0] = await insertTiles(
      database.db,
      project,
      board,
      [{ insight_id: await insight(), layouts: {}, color: null }],
      NOW,
    );
    const other = await testProject(database.db);
    expect(await tilesOf(database.db, other, board, user)).toEqual([]);
    expect(await updateTiles(database.db, other, board, [{ id: tile, deleted: true }], NOW)).toEqual([]);
    expect(await moveTile(database.db, other, tile, board, board)).toBe(false);
    await deleteTilesOf(database.db, other, board);
    expect(await shown(board)).toEqual(['I']);
  });
});

test('an update changes texts, colours, positions and removed tiles, and nothing else', async () => {
  const board = await dashboard();
  const [a = 0, b = 0, c = 0] = await insertTiles(
    database.db,
    project,
    board,
    [
      { text: { body: 'a', created_by: user }, layouts: at(0, 0), color: 'red' },
      { text: { body: 'b', created_by: user }, layouts: at(0, 1), color: 'blue' },
      { insight_id: await insight('c'), layouts: at(0, 2), color: null },
    ],
    NOW,
  );
  const found = await updateTiles(
    database.db,
    project,
    board,
    [
      { id: a, color: null, text: { body: 'A', last_modified_by: user } },
      { id: b, layouts: at(0, 9) },
      { id: c, deleted: true, text: { body: 'no text here' } },
      { id: 999_999, deleted: true },
    ],
    NOW,
  );
  expect(found.sort((x, y) => x - y)).toEqual([a, b, c]);
  expect(await tiles(board)).toMatchObject([
    { id: a, color: null, layouts: at(0, 0), text: { body: 'A', last_modified_by: { id: user } } },
    { id: b, color: 'blue', layouts: at(0, 9), text: { body: 'b', last_modified_by: null } },
  ]);
  await updateTiles(database.db, project, board, [{ id: c, deleted: false }], NOW);
  expect(await shown(board)).toEqual(['A', 'c', 'b']);
});

test('copies refer to the same contents, or to copies of them', async () => {
  const [board, same, copied] = [await dashboard(), await dashboard(), await dashboard()];
  const [shownInsight, unnamed, gone] = [await insight('named'), await insight(null), await insight('gone')];
  const [, , removed = 0] = await insertTiles(
    database.db,
    project,
    board,
    [
      { insight_id: shownInsight, layouts: at(0, 0), color: 'red' },
      { insight_id: unnamed, layouts: at(0, 1), color: null },
      { insight_id: gone, layouts: at(0, 2), color: null },
      { text: { body: 'text', created_by: null }, layouts: at(0, 3), color: null },
    ],
    NOW,
  );
  await updateTiles(database.db, project, board, [{ id: removed, deleted: true }], NOW);
  await copyTiles(database.db, project, board, same);
  expect((await tiles(same)).map((tile) => tile.insight?.id ?? tile.text?.body)).toEqual([shownInsight, unnamed, 'text']);

  await copyTilesWithContents(database.db, systemIds, project, { from: board, to: copied, userId: user, now: NOW });
  const copies = await tiles(copied);
  expect(copies.map((tile) => tile.insight?.name ?? tile.text?.body ?? null)).toEqual(['named (Copy)', null, 'text']);
  expect(copies[0]).toMatchObject({ layouts: at(0, 0), color: 'red', insight: { created_by: user, tags: ['a'] } });
  expect(copies[0]?.insight?.id).not.toBe(shownInsight);
  expect(copies[0]?.insight?.short_id).toMatch(/^[\w-]{8}$/);

  const [first] = copies;
  const only = [{ id: first?.id ?? 0, layouts: at(0, 50) }];
  await copyTilesWithContents(database.db, systemIds, project, { from: copied, to: copied, userId: user, now: NOW, only });
  expect(await shown(copied)).toEqual(['named (Copy)', null, 'text', 'named (Copy) (Copy)']);
});

test('the tiles of a dashboard are deleted and restored with the insights that are on no other dashboard', async () => {
  const [board, other, deleted] = [await dashboard(), await dashboard(), await dashboard()];
  const [mine, shared, alsoOnDeleted] = [await insight('mine'), await insight('shared'), await insight('also')];
  await setDashboardsOfInsight(database.db, project, mine, [board]);
  await setDashboardsOfInsight(database.db, project, shared, [board, other]);
  await setDashboardsOfInsight(database.db, project, alsoOnDeleted, [board, deleted]);
  await database.db.updateTable('dashboards').set({ deleted: true }).where('id', '=', deleted).execute();
  const gone = await deleteInsightsOnlyOn(database.db, project, board, [], NOW);
  await deleteTilesOf(database.db, project, board);
  expect(gone.map(({ name }) => name).sort()).toEqual(['also', 'mine']);
  expect(await shown(board)).toEqual([]);
  expect(await shown(other)).toEqual(['shared']);
  await restoreTilesOf(database.db, project, board, NOW);
  expect(await shown(board)).toEqual(['mine', 'shared', 'also']);
});

test('a moved tile replaces an older tile of the same insight', async () => {
  const [from, to] = [await dashboard(), await dashboard()];
  const one = await insight('one');
  await setDashboardsOfInsight(database.db, project, one, [from, to]);
  const [tile] = await tiles(from);
  expect(await moveTile(database.db, project, tile?.id ?? 0, from, to)).toBe(true);
  expect([await shown(from), (await tiles(to)).map(({ id }) => id)]).toEqual([[], [tile?.id]]);
  expect(await moveTile(database.db, project, tile?.id ?? 0, from, to)).toBe(false);
});

test('an insight is put on exactly the given dashboards, and its old tiles are restored', async () => {
  const [a, b, c] = [await dashboard(), await dashboard(), await dashboard()];
  const one = await insight('one');
  await setDashboardsOfInsight(database.db, project, one, [b, a]);
  const [before] = await tiles(a);
  expect(before?.insight?.places.map(({ id }) => id)).toEqual([b, a]);
  await setDashboardsOfInsight(database.db, project, one, [c]);
  expect([await shown(a), await shown(b), await shown(c)]).toEqual([[], [], ['one']]);
  await setDashboardsOfInsight(database.db, project, one, [a]);
  expect((await tiles(a))[0]?.id).toBe(before?.id);
  await setDashboardsOfInsight(database.db, project, one, []);
  expect(await shown(a)).toEqual([]);
  const foreign = await testProject(database.db);
  await setDashboardsOfInsight(database.db, foreign, one, [a]);
  expect(await shown(a)).toEqual([]);
});

test('fact 5.8 order: by row, then column; tiles without a position come last, whatever their layout is', () => {
  const layouts = [{}, { sm: { x: 6, y: 1 } }, { sm: { x: 0, y: 1 } }, { sm: 'x' }, { sm: { x: 3, y: 0 } }, { sm: { y: '0' } }];
  expect(inReadingOrder(layouts.map((layout, id) => ({ id, layouts: layout }))).map(({ id }) => id)).toEqual([4, 2, 1, 0, 3, 5]);
});
