import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { querySchema } from '../../analytics/index.js';
import { unknownField } from '../../http/unknown-fields.js';
import { type TestDatabase, testDatabase } from '../../testing/database.js';
import { testProject } from '../../testing/people.js';
import { ACQUISITION, DEFAULT_APP, RETENTION, WEBSITE_TRAFFIC } from './built-in.js';
import { readTemplate } from './schema.js';
import { findTemplate } from './service.js';

let database: TestDatabase;
let projectId: number;
beforeAll(async () => {
  database = await testDatabase();
  projectId = await testProject(database.db);
});
afterAll(() => database.close());

const insert = (name: string, project: number | null, body: string) =>
  database.db
    .insertInto('dashboard_templates')
    .values({
      id: crypto.randomUUID(),
      project_id: project,
      template_name: name,
      tiles: JSON.stringify([{ type: 'TEXT', body }]),
      created_at: new Date(0),
    })
    .execute();

describe.each([
  ['DEFAULT_APP', DEFAULT_APP, 6],
  ['WEBSITE_TRAFFIC', WEBSITE_TRAFFIC, 9],
  ['RETENTION', RETENTION, 5],
  ['ACQUISITION', ACQUISITION, 6],
] as const)('the built-in template %s', (key, template, count) => {
  test('it is found by its key and by its name', async () => {
    expect(await findTemplate(database.db, projectId, key)).toEqual(template);
    expect(await findTemplate(database.db, projectId, template.template_name)).toEqual(template);
  });

  test('it is valid as the body of a request', () => expect(readTemplate(template)).toEqual(template));

  test('it has only insights, each with a name, a description and a query', () => {
    expect(template.tiles).toHaveLength(count);
    for (const tile of template.tiles) {
      expect(tile).toMatchObject({ type: 'INSIGHT', name: /./, description: /./, query: { kind: 'InsightVizNode' } });
    }
  });

  test('its queries are computed and have every field', () => {
    for (const tile of template.tiles) {
      const query = tile.type === 'INSIGHT' ? tile.query : null;
      expect(querySchema.safeParse(query).error).toBeUndefined();
      expect(unknownField(querySchema, query)).toBeNull();
    }
  });

  test.each([
    ['sm', 12],
    ['xs', 1],
  ])('its tiles do not overlap at %s', (screen, width) => {
    const cells = template.tiles.flatMap(({ layouts }) => {
      const { x, y, w, h } = Object(Object(layouts)[screen]);
      expect(x + w).toBeLessThanOrEqual(width);
      return Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
  });
});

test("a name finds the template of the project before that of the instance, and never another project's", async () => {
  const other = await testProject(database.db);
  await insert('Shared', null, 'of the instance');
  await insert('Shared', projectId, 'of the project');
  await insert('Theirs', other, 'of the other project');
  const body = async (project: number) => (await findTemplate(database.db, project, 'Shared'))?.tiles;
  expect(await body(projectId)).toMatchObject([{ body: 'of the project' }]);
  expect(await body(other)).toMatchObject([{ body: 'of the instance' }]);
  expect(await findTemplate(database.db, projectId, 'Theirs')).toBeNull();
  expect(await findTemplate(database.db, projectId, 'nothing\0')).toBeNull();
});

test.each([
  [undefined, 'Invalid data'],
  [[], 'Invalid data'],
  [{ template_name: 'x' }, 'tiles: This field is required.'],
  [{ template_name: 'x', tiles: [] }, 'tiles: A template needs at least one tile.'],
  [{ template_name: 'x', tiles: [{}] }, 'tiles.0.type: Expected a tile: an object whose type is INSIGHT or TEXT.'],
  [{ template_name: 'x', tiles: [{ type: 'TEXT' }] }, 'tiles.0.body: This field is required.'],
  [{ template_name: 'x', tiles: [{ type: 'INSIGHT', query: 7 }] }, 'tiles.0.query: Not a valid object.'],
  [{ template_name: 'x', dashboard_filters: 7, tiles: [{ type: 'TEXT', body: '' }] }, 'dashboard_filters: Not a valid object.'],
])('%j is not a template', refuses);

test('a template of 301 tiles is refused', () => {
  const tiles = Array.from({ length: 301 }, () => ({ type: 'TEXT', body: '' }));
  refuses({ template_name: 'x', tiles }, 'tiles: A template may have 300 tiles.');
  expect(readTemplate({ template_name: 'x', tiles: tiles.slice(1) }).tiles).toHaveLength(300);
});

function refuses(value: unknown, detail: string) {
  expect(() => readTemplate(value)).toThrow(
    expect.objectContaining({
      body: expect.objectContaining({ code: 'invalid_input', attr: null, detail: expect.stringContaining(detail) }),
    }),
  );
}
