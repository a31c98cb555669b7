import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, startAccountsApp } from '../../testing/accounts-app.js';
import { type OwnProject, ownProject } from '../../testing/own-project.js';

let app: AccountsApp;
let project: OwnProject;
beforeAll(async () => {
  app = await startAccountsApp();
});
beforeEach(async () => {
  project = await ownProject(app);
});
afterAll(() => app.close());

const create = (body: object) => project.call('POST', 'dashboards/', body);
const count = async () => (await project.call('GET', 'dashboards/')).json().count;
const insight = async (fields: object) => (await project.call('POST', 'insights/', fields)).json();

async function refused(body: object): Promise<[status: number, code: string, detail: string, attr: string | null]> {
  const answer = await create(body);
  const { code, detail, attr } = answer.json();
  return [answer.statusCode, code, detail, attr];
}

describe('tiles of a new dashboard', () => {
  const QUERY = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'paid' }] };
  const sm = (y: number) => ({ sm: { x: 0, y, w: 6, h: 2 } });

  test('tiles can be sent as the response with another dashboard has them', async () => {
    const { id: insightId } = await insight({ name: 'Here', query: QUERY });
    const source = (await create({ name: 'Source' })).json();
    const tiles = [
      { text: { body: 'Hello' }, layouts: sm(0), color: 'red' },
      { insight: insightId, layouts: sm(1) },
    ];
    const { tiles: given } = (await project.call('PATCH', `dashboards/${source.id}/`, { tiles })).json();
    // as from another installation: its numbers mean something else here, and it has members of its own
    const foreign = {
      ...given[1],
      id: 77,
      order: 2,
      layouts: sm(2),
      insight: { ...given[1].insight, short_id: 'elsewher', name: 'Made anew', favorited: true, alerts: [], dashboards: [4] },
    };
    const answer = await create({ name: 'Copy', tiles: [...given, foreign, { ...foreign, deleted: true }] });
    expect([answer.statusCode, answer.json().tiles]).toMatchObject([
      201,
      [
        { layouts: sm(0), color: 'red', insight: null, text: { body: 'Hello' } },
        { layouts: sm(1), color: null, insight: { id: insightId }, text: null },
        { layouts: sm(2), insight: { name: 'Made anew', query: QUERY, favorited: true } },
      ],
    ]);
    expect(answer.json().tiles[2].insight.id).not.toBe(insightId);
    expect((await project.call('GET', `insights/${insightId}/`)).json().dashboards).toEqual([source.id, answer.json().id]);
  });

  test('insights with filters become queries', async () => {
    const filters = {
      insight: 'FUNNELS',
      events: [
        { id: 'a', order: 1 },
        { id: 'b', order: 0 },
      ],
      funnel_window_interval: 3,
    };
    const { tiles } = (await create({ tiles: [{ insight: { name: 'Old', filters } }] })).json();
    expect(tiles[0].insight.query.source).toMatchObject({
      kind: 'FunnelsQuery',
      series: [{ event: 'b' }, { event: 'a' }],
      funnelsFilter: { funnelWindowInterval: 3 },
    });
  });

  test.each<[object, string, string]>([
    [{ tiles: [{ insight: { id: 999_999 } }] }, 'does_not_exist', 'tiles__0__insight'],
    [{ tiles: [{ text: { body: 'a' } }, { insight: { name: 'x' } }] }, 'required', 'tiles__1__insight'],
    [{ tiles: [{ layouts: {} }] }, 'required', 'tiles__0__text'],
    [{ tiles: [{ insight: { query: { kind: 'Nonsense' } } }] }, 'invalid_choice', 'tiles__0__insight__query'],
    [
      { tiles: [{ insight: { filters: { insight: 'TRENDS', events: [{ id: 'a', type: 'new' }] } } }] },
      'invalid_input',
      'tiles__0__insight__filters__events__0__type',
    ],
    [{ tiles: [{ text: { body: 'a' }, button_tile: { url: 'x' } }] }, 'invalid_input', 'tiles__0__button_tile'],
    [{ tiles: [{ text: { body: 'a' } }], use_template: 'DEFAULT_APP' }, 'invalid_input', 'tiles'],
  ])('%j is refused, and no dashboard is created', async (body, code, attr) => {
    const [status, gotCode, , gotAttr] = await refused({ name: 'x', ...body });
    expect([status, gotCode, gotAttr, await count()]).toEqual([400, code, attr, 0]);
  });
});
