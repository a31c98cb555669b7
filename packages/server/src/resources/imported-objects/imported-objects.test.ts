import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
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
afterAll(() => app?.close());

const SOURCE = '018bcfe5-6800-7000-8000-000000000000';
const one = (kind: string, source_id: string, target_id: string) => ({ kind, source_id, target_id });
const note = (objects: object[], source = SOURCE) => project.call('POST', 'imported_objects/', { source, objects });
const list = async (query = '', source = SOURCE) =>
  (await project.call('GET', `imported_objects/?source=${source}${query}`)).json();

test('what was noted is listed by source and kind, and the last note about an object counts', async () => {
  const first = await note([one('dashboards', '17', '3'), one('dashboards', '18', '4'), one('insights', '17', '5')]);
  expect([first.statusCode, first.json()]).toEqual([200, { count: 3 }]);
  await note([one('dashboards', '17', '9')], 'another source');
  expect((await note([one('dashboards', '18', '6'), one('dashboards', '18', '7')])).statusCode).toBe(200);
  expect((await list()).results).toEqual([
    one('dashboards', '17', '3'),
    one('dashboards', '18', '7'),
    one('insights', '17', '5'),
  ]);
  expect(await list('&kind=insights')).toMatchObject({ count: 1, results: [one('insights', '17', '5')] });
  const page = await list('&limit=2');
  expect([page.count, page.results.length, page.next]).toEqual([3, 2, expect.stringContaining('offset=2')]);
  expect((await list('', 'nothing')).results).toEqual([]);
  expect((await note([])).json()).toEqual({ count: 0 });
});

test.each([
  [{ objects: [] }, 'required', 'source'],
  [{ source: SOURCE }, 'required', 'objects'],
  [{ source: SOURCE, objects: [{ kind: 'a', source_id: '1' }] }, 'required', 'objects__0__target_id'],
  [{ source: SOURCE, objects: Array(1_001).fill(one('a', '1', '1')) }, 'invalid_input', 'objects'],
])('%# is refused', async (body, code, attr) => {
  const answer = await project.call('POST', 'imported_objects/', body);
  expect([answer.statusCode, answer.json()]).toEqual([400, expect.objectContaining({ code, attr })]);
});

test('a source must be named, and keys need the scope of the project', async () => {
  expect((await project.call('GET', 'imported_objects/')).json()).toMatchObject({ code: 'required', attr: 'source' });
  const reads = await app.makeKey(app.owner.cookie, { scopes: ['project:read'] });
  expect((await project.call('GET', `imported_objects/?source=${SOURCE}`, undefined, reads)).statusCode).toBe(200);
  expect((await project.call('POST', 'imported_objects/', { source: SOURCE, objects: [] }, reads)).statusCode).toBe(403);
  const other = await app.makeKey(app.owner.cookie, { scopes: ['dashboard:write'] });
  expect((await project.call('GET', `imported_objects/?source=${SOURCE}`, undefined, other)).statusCode).toBe(403);
});
