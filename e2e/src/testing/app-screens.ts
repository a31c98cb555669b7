import { eventually, type Service } from '@tidemark/testkit';
import { expect } from 'vitest';
import { routeTree } from '../../../packages/web/src/routes.js';
import { recordCart } from './shared-recordings.js';

/** What is used of a route of the app. */
interface Route {
  options: object;
  /** Routes: a list or an object of them; undefined: none. */
  children?: unknown;
}

/** The screens of the app by the patterns of their addresses, such as `/p/$project/flags/$id`, as its router has them. */
export function screensOfRouter(): string[] {
  const paths: string[] = [];
  const visit = (route: Route, base: string) => {
    const path = base + ('path' in route.options ? String(route.options.path ?? '') : '');
    const children: Route[] = Object.values(route.children ?? {});
    if (children.length === 0) paths.push(path);
    for (const child of children) visit(child, path);
  };
  visit(routeTree, '');
  return paths;
}

/** Screens of people who are not logged in. */
const OUTSIDE = ['/', '/setup', '/login', '/invite/$id', '/reset/$token'];

/**
 * An address of each screen of a project, with the object that it is about.
 * @param objects path of an object by the pattern of its screen
 * @param only patterns of screens; default: all
 */
export function addressesOf(objects: Readonly<Record<string, string>>, only?: readonly string[]): string[] {
  const addresses: string[] = [];
  const paths = screensOfRouter()
    .filter((one) => !OUTSIDE.includes(one))
    .map((screen) => screen.replace('/p/$project', ''));
  expect((only ?? []).filter((path) => !paths.includes(path))).toEqual([]);
  for (const path of only ?? paths) {
    const address = path.includes('$') ? objects[path] : path;
    // a new screen needs an object here
    expect(address, `an object for the screen ${path}`).toBeDefined();
    addresses.push(`/p/1${address === '/' ? '' : address}`);
  }
  return addresses;
}

const API = '/api/environments/@current';

/** Makes an object of each kind that has a screen, with sample data. @returns the path of each, by the pattern of its screen */
export async function makeOneOfEach(service: Service): Promise<Record<string, string>> {
  const created = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await service.post(`${API}/${path}/`, body);
    expect([path, answer.status, answer.body]).toEqual([path, 201, expect.anything()]);
    return answer.body as Record<string, unknown>;
  };
  const first = async (path: string): Promise<Record<string, unknown>> => {
    const { results } = (await service.get(`${API}/${path}`)).body as { results: Record<string, unknown>[] };
    return results[0] ?? {};
  };
  await service.call('PATCH', '/api/projects/@current/', { body: { session_recording_opt_in: true } });
  await service.post(`${API}/sample_data/`, {});
  await eventually(
    async () => expect((await service.get(`${API}/sample_data/`)).body).toMatchObject({ state: 'loaded', error: null }),
    { within: 120_000, every: 200 },
  );
  await recordCart(service, 'session-1');

  const insight = await first('insights/?search=Visitors');
  await created('alerts', {
    name: 'Too many visitors',
    insight: insight['id'],
    condition: { type: 'absolute_value' },
    threshold: { configuration: { type: 'absolute', bounds: { upper: 100 } } },
  });
  const values = [{ type: 'person', key: 'email', operator: 'is_set' }];
  const cohort = await created('cohorts', {
    name: 'With an e-mail',
    filters: { properties: { type: 'AND', values: [{ type: 'AND', values }] } },
  });
  await created('annotations', { content: 'Launch', date_marker: new Date().toISOString(), scope: 'project' });
  const flag = await created('feature_flags', { key: 'of-everybody', name: 'Of everybody' });
  await created('early_access_feature', { name: 'New search', stage: 'beta' });
  const dashboard = await first('dashboards/');
  await created('exports', { dashboard: dashboard['id'], export_format: 'image/png' });
  const group = await first('groups/?group_type_index=0');
  return {
    '/dashboards/$id': `/dashboards/${dashboard['id']}`,
    '/insights/$shortId': `/insights/${insight['short_id']}`,
    '/persons/$id': `/persons/${(await first('persons/'))['id']}`,
    '/groups/$type/$key': `/groups/0/${group['group_key']}`,
    '/cohorts/$id': `/cohorts/${cohort['id']}`,
    '/recordings/$id': '/recordings/session-1',
    '/flags/$id': `/flags/${flag['id']}`,
    '/experiments/$id': `/experiments/${(await first('experiments/'))['id']}`,
    '/surveys/$id': `/surveys/${(await first('surveys/'))['id']}`,
  };
}
