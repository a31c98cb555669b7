import { type ApiClient, type components, createApiClient } from '@tidemark/api';
import { type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// The published client, whose types are generated from openapi.json: the service behaves as the types say.
let service: Service;
let api: ApiClient;
let path: { project_id: string };
let colleague: components['schemas']['User'];

beforeAll(async () => {
  service = await startService();
  api = createApiClient({ host: service.url, personalApiKey: service.account.personalKey });
  const { data } = await api.GET('/api/projects/');
  path = { project_id: String(data?.results[0]?.id) };
  colleague = await join('colleague@example.com');
});
afterAll(() => service.close());

/** Adds a member to the organization by an invite. */
async function join(email: string) {
  const invite = await api.POST('/api/organizations/{organization_id}/invites/', {
    params: { path: { organization_id: '@current' } },
    body: { target_email: email },
  });
  const { data } = await api.POST('/api/signup/{invite_id}/', {
    params: { path: { invite_id: invite.data?.id ?? '' } },
    body: { first_name: 'New', password: 'a long and strong passphrase 42' },
    headers: { authorization: null },
  });
  if (!data) throw new Error(`${email} could not join`);
  return data;
}

async function createDashboard(name: string): Promise<components['schemas']['Dashboard']> {
  const { data } = await api.POST('/api/environments/{project_id}/dashboards/', { params: { path }, body: { name } });
  if (!data) throw new Error('no dashboard was made');
  return data;
}

describe('spec 4.1 dashboards', () => {
  test('dashboards are created, retrieved, updated, listed, and deleted by an update', async () => {
    const made = await api.POST('/api/environments/{project_id}/dashboards/', {
      params: { path },
      body: { name: 'Numbers', description: 'of Mondays', pinned: true, tags: ['Growth'], restriction_level: 21 },
    });
    expect(made.response.status).toBe(201);
    expect(made.data).toMatchObject({ name: 'Numbers', pinned: true, tags: ['growth'], tiles: [], creation_mode: 'default' });
    const id = made.data?.id ?? 0;
    const one = { params: { path: { ...path, id } } };

    const retrieved = await api.GET('/api/environments/{project_id}/dashboards/{id}/', one);
    expect(retrieved.data).toEqual(made.data);

    const renamed = await api.PATCH('/api/environments/{project_id}/dashboards/{id}/', { ...one, body: { name: 'Figures' } });
    expect([renamed.response.status, renamed.data?.name, renamed.data?.description]).toEqual([200, 'Figures', 'of Mondays']);

    const list = await api.GET('/api/environments/{project_id}/dashboards/', {
      params: { path, query: { limit: 1, offset: 0 } },
    });
    expect(list.data).toMatchObject({ count: 1, next: null, previous: null, results: [{ id, name: 'Figures' }] });

    const deleted = await api.DELETE('/api/environments/{project_id}/dashboards/{id}/', one);
    expect([deleted.response.status, deleted.response.headers.get('content-length')]).toEqual([405, '0']);

    await api.PATCH('/api/environments/{project_id}/dashboards/{id}/', { ...one, body: { deleted: true } });
    const gone = await api.GET('/api/environments/{project_id}/dashboards/{id}/', one);
    expect([gone.response.status, gone.error?.detail]).toEqual([404, 'Not found.']);
  });

  test('dashboards are created from a template and as a copy', async () => {
    const { data: site } = await api.POST('/api/environments/{project_id}/dashboards/', {
      params: { path },
      body: { use_template: 'WEBSITE_TRAFFIC' },
    });
    expect(site?.creation_mode).toBe('template');
    const { data: copy } = await api.POST('/api/environments/{project_id}/dashboards/', {
      params: { path },
      body: { name: 'Copy', use_dashboard: site?.id ?? 0 },
    });
    expect([copy?.creation_mode, copy?.tiles.length]).toEqual(['duplicate', site?.tiles.length]);
  });

  test('the error of a refused request is typed', async () => {
    const { error, response } = await api.POST('/api/environments/{project_id}/dashboards/', {
      params: { path },
      body: { name: 'x'.repeat(401) },
    });
    expect(response.status).toBe(400);
    expect(error).toEqual({
      type: 'validation_error',
      code: 'max_length',
      detail: 'Ensure this field has no more than 400 characters.',
      attr: 'name',
    });
  });
});

test('spec 4.2 collaborators are created, listed and deleted', async () => {
  const dashboard = await createDashboard('Restricted');
  const of = { ...path, dashboard_id: dashboard.id };
  const made = await api.POST('/api/environments/{project_id}/dashboards/{dashboard_id}/collaborators/', {
    params: { path: of },
    body: { level: 21, user_uuid: colleague.uuid },
  });
  expect([made.response.status, made.data?.level, made.data?.user.email]).toEqual([201, 21, 'colleague@example.com']);
  const list = await api.GET('/api/environments/{project_id}/dashboards/{dashboard_id}/collaborators/', { params: { path: of } });
  expect(list.data).toEqual([made.data]);
  const removed = await api.DELETE('/api/environments/{project_id}/dashboards/{dashboard_id}/collaborators/{user__uuid}/', {
    params: { path: { ...of, user__uuid: colleague.uuid } },
  });
  expect(removed.response.status).toBe(204);
});

test('spec 4.3 a dashboard has one sharing configuration', async () => {
  const dashboard = await createDashboard('Shared');
  const params = { path: { ...path, dashboard_id: dashboard.id } };
  const first = await api.GET('/api/environments/{project_id}/dashboards/{dashboard_id}/sharing/', { params });
  expect([first.response.status, first.data?.enabled]).toEqual([200, false]);
  const open = await api.PATCH('/api/environments/{project_id}/dashboards/{dashboard_id}/sharing/', {
    params,
    body: { enabled: true },
  });
  expect(open.data).toMatchObject({ enabled: true, access_token: first.data?.access_token, created_at: first.data?.created_at });
});

test('spec 4.4 explicit members are created, retrieved, updated and deleted', async () => {
  const made = await api.POST('/api/environments/{project_id}/explicit_members/', {
    params: { path },
    body: { level: 1, user_uuid: colleague.uuid },
  });
  expect([made.response.status, made.data?.level, made.data?.user_uuid]).toEqual([201, 1, colleague.uuid]);
  const one = { params: { path: { ...path, parent_membership__user__uuid: colleague.uuid } } };
  const url = '/api/environments/{project_id}/explicit_members/{parent_membership__user__uuid}/';
  expect((await api.GET(url, one)).data).toEqual(made.data);
  expect((await api.PATCH(url, { ...one, body: { level: 8 } })).data).toMatchObject({ level: 8, effective_level: 8 });
  expect((await api.GET('/api/environments/{project_id}/explicit_members/', { params: { path } })).data?.length).toBe(1);
  expect((await api.DELETE(url, one)).response.status).toBe(204);
  expect((await api.GET(url, one)).response.status).toBe(404);
});

test('spec 4.6 groups of captured events are listed', async () => {
  const stored = await api.POST('/i/v0/e/', {
    body: {
      api_key: service.account.projectKey,
      event: '$groupidentify',
      distinct_id: 'somebody',
      properties: { $group_type: 'company', $group_key: 'acme', $group_set: { name: 'Acme' } },
    },
    headers: { authorization: null },
  });
  expect(stored.data).toEqual({ status: 'Ok' });
  const list = () =>
    api.GET('/api/environments/{project_id}/groups/', { params: { path, query: { group_type_index: 0, search: 'acm' } } });
  await expect.poll(async () => (await list()).data?.results.length).toBe(1);
  expect((await list()).data).toMatchObject({
    next: null,
    previous: null,
    results: [{ group_type_index: 0, group_key: 'acme', group_properties: { name: 'Acme' } }],
  });
  const types = await api.GET('/api/environments/{project_id}/groups_types/', { params: { path } });
  expect(types.data).toMatchObject([{ group_type: 'company', group_type_index: 0 }]);
});
