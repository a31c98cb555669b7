import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testProject } from '../../testing/people.js';
import { OWNER_PASSWORD, startTestService, type TestService } from '../../testing/service.js';
import { OPEN, surveyCalls } from '../../testing/survey-calls.js';

let service: TestService;
let prefix: string;
let flags: string;
beforeAll(async () => {
  service = await startTestService();
  prefix = `/api/projects/${service.projectId}/surveys`;
  flags = `/api/projects/${service.projectId}/feature_flags`;
});
afterAll(() => service.close());

const { clientCopyOf, create, fromNow, get, makeFlag, patch, post } = surveyCalls(() => service);
const config = async () => (await service.call('GET', `/array/${service.projectKey}/config`, { key: null })).json().surveys;
const HOUR = 3_600_000;

test('a survey is created, retrieved, listed, changed and deleted', async () => {
  const made = await create({
    name: ' Checkout ',
    type: 'api',
    questions: [
      { type: 'rating', question: 'How easy was it?', lowerBoundLabel: 'Hard', optional: true, own: { any: 1 } },
      { id: 'why', type: 'multiple_choice', question: 'Why?', choices: ['Price', 'Speed'], descriptionContentType: 'html' },
    ],
    conditions: { url: '/thanks', selector: '', events: null, actions: { values: [] }, deviceTypes: [] },
    appearance: { displayIntroScreen: true },
    translations: { fr: { introScreenHeader: 'Deux minutes ?' } },
  });
  expect(made).toEqual({
    id: expect.any(String),
    name: 'Checkout',
    description: '',
    type: 'api',
    questions: [
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: 'rating',
        question: 'How easy was it?',
        lowerBoundLabel: 'Hard',
        optional: true,
        own: { any: 1 },
        scale: 5,
        display: 'number',
        descriptionContentType: 'text',
      },
      { id: 'why', type: 'multiple_choice', question: 'Why?', choices: ['Price', 'Speed'], descriptionContentType: 'text' },
    ],
    conditions: { url: '/thanks', urlMatchType: 'icontains' },
    appearance: { displayIntroScreen: true },
    translations: { fr: { introScreenHeader: 'Deux minutes ?' } },
    linked_flag_id: null,
    linked_flag: null,
    targeting_flag_id: null,
    targeting_flag: null,
    targeting_flag_filters: null,
    internal_targeting_flag: null,
    schedule: 'once',
    iteration_count: null,
    iteration_frequency_days: null,
    iteration_start_dates: null,
    current_iteration: null,
    current_iteration_start_date: null,
    responses_limit: null,
    enable_partial_responses: false,
    feature_flag_keys: [],
    start_date: null,
    end_date: null,
    archived: false,
    created_by: expect.objectContaining({ email: 'owner@example.com' }),
    created_at: expect.any(String),
    user_access_level: 'manager',
  });
  const { id } = made;
  expect(await get(`${prefix}/${id}/`)).toEqual(made);
  expect(await get(`/api/environments/${service.projectId}/surveys/${id}/`)).toEqual(made);
  expect(await get(`${prefix}/?search=CHECK&limit=1`)).toMatchObject({ count: 1, next: null, results: [made] });
  expect(await get(`${prefix}/?search=nothing`)).toMatchObject({ count: 0, results: [] });

  const changed = await patch(id, { description: 'Why people leave', questions: [{ ...made.questions[0], scale: 10 }] });
  expect(changed.json()).toEqual({
    ...made,
    description: 'Why people leave',
    questions: [{ ...made.questions[0], scale: 10 }],
  });
  expect((await patch(id, { conditions: null, appearance: null })).json()).toMatchObject({ conditions: null, appearance: null });
  expect((await service.call('DELETE', `${prefix}/${id}/`)).statusCode).toBe(204);
  for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
    expect((await service.call(method, `${prefix}/${id}/`, method === 'PATCH' ? { body: {} } : {})).statusCode).toBe(404);
  }
  const log = await get(`/api/projects/${service.projectId}/activity_log/?scope=Survey&item_id=${id}`);
  expect(
    log.results.map((entry: { activity: string; detail: { changes: { field: string }[] } }) => [
      entry.activity,
      entry.detail.changes.map(({ field }) => field),
    ]),
  ).toEqual([
    ['deleted', []],
    ['updated', ['conditions', 'appearance']],
    ['updated', ['description', 'questions']],
    ['created', []],
  ]);
});

describe('the surveys that clients get', () => {
  test('clients get a survey between its start and its end, without a change in between', async () => {
    const start_date = fromNow(HOUR);
    const { id, questions } = await create({ type: 'api', start_date, conditions: { url: '^https://', urlMatchType: 'regex' } });
    const draft = await create({ name: 'Draft' });
    expect([await clientCopyOf(id), await clientCopyOf(draft.id), await config()]).toEqual([undefined, undefined, false]);
    service.clock.advance(HOUR + 1);
    await expect
      .poll(() => clientCopyOf(id))
      .toEqual({
        id,
        name: 'Some',
        description: '',
        type: 'api',
        questions,
        conditions: { url: '^https://', urlMatchType: 'regex' },
        // no line about the maker of posthog-js
        appearance: {
          whiteLabel: true,
          introScreenDescriptionContentType: 'text',
          thankYouMessageDescriptionContentType: 'text',
        },
        start_date: expect.any(String),
        end_date: null,
        linked_flag_key: null,
        targeting_flag_key: null,
        internal_targeting_flag_key: null,
        feature_flag_keys: null,
        schedule: 'once',
        enable_partial_responses: false,
        current_iteration: null,
        current_iteration_start_date: null,
      });
    expect(await config()).toBe(true);
    const body = { token: service.projectKey, distinct_id: 'ann' };
    const withFlags = await service.call('POST', '/flags/?v=2&config=true', { key: null, body });
    expect(withFlags.json().surveys).toBe(true);

    // libraries treat a survey with an end as ended
    await patch(id, { end_date: fromNow(HOUR) });
    await expect.poll(() => clientCopyOf(id)).toMatchObject({ end_date: null });
    service.clock.advance(HOUR + 1);
    await expect.poll(() => clientCopyOf(id)).toBeUndefined();
    expect(await config()).toBe(false);
  });

  test('clients get no archived survey, and none of a project that has surveys switched off', async () => {
    const { id } = await create({
      start_date: fromNow(-HOUR),
      appearance: { color: 'red', whiteLabel: false, introScreenDescription: '<b>' },
    });
    await expect
      .poll(() => clientCopyOf(id))
      .toMatchObject({
        appearance: { color: 'red', whiteLabel: false, introScreenDescription: '<b>', introScreenDescriptionContentType: 'text' },
      });
    const project = `/api/projects/${service.projectId}/`;
    await service.call('PATCH', project, { body: { surveys_opt_in: false } });
    await expect.poll(() => clientCopyOf(id)).toBeUndefined();
    expect(await config()).toBe(false);
    await service.call('PATCH', project, { body: { surveys_opt_in: null } });
    await expect.poll(() => clientCopyOf(id)).toBeDefined();
    await patch(id, { archived: true });
    await expect.poll(() => clientCopyOf(id)).toBeUndefined();
  });

  test('clients get the keys of the flags that must be on, and can evaluate these flags alone', async () => {
    const [linked, other, gone] = [await makeFlag('linked'), await makeFlag('other'), await makeFlag('gone')];
    const fields = { linked_flag_id: linked.id, targeting_flag_id: gone.id, start_date: fromNow(-HOUR) };
    const { id, linked_flag } = await create(fields);
    const filters = { groups: [{ properties: [], rollout_percentage: null }] };
    expect(linked_flag).toEqual({ id: linked.id, key: 'linked', name: '', filters, active: true, deleted: false });
    expect((await get(`${flags}/${linked.id}/`)).surveys).toEqual([{ id }]);
    expect((await get(`${flags}/${other.id}/`)).surveys).toEqual([]);
    await service.call('PATCH', `${flags}/${gone.id}/`, { body: { deleted: true } });
    // a deleted flag is on for nobody
    await expect.poll(() => clientCopyOf(id)).toMatchObject({ linked_flag_key: 'linked', targeting_flag_key: 'gone' });
    const evaluate = async (query: string, more: object = {}) => {
      const body = { token: service.projectKey, distinct_id: 'ann', ...more };
      return Object.keys((await service.call('POST', `/flags/?v=2${query}`, { key: null, body })).json().flags);
    };
    await expect.poll(() => evaluate('')).toEqual(expect.arrayContaining(['linked', 'other']));
    expect(await evaluate('&only_evaluate_survey_feature_flags=true')).toEqual(['linked']);
    expect(await evaluate('&only_evaluate_survey_feature_flags=true', { flag_keys: ['other'] })).toEqual([]);
    await patch(id, { linked_flag_id: null });
    await expect.poll(() => clientCopyOf(id)).toMatchObject({ linked_flag_key: null });
  });

  test('clients get surveys only with the key of the project', async () => {
    expect((await service.call('GET', '/api/surveys/?token=tmk_unknown', { key: null })).statusCode).toBe(401);
    expect((await service.call('GET', '/api/surveys/', { key: null })).statusCode).toBe(401);
  });
});

test.each<[object, string, string]>([
  [{ questions: [OPEN] }, 'required', 'name'],
  [{ name: '', questions: [OPEN] }, 'blank', 'name'],
  [{ name: 'x' }, 'required', 'questions'],
  [{ name: 'x', questions: [] }, 'invalid_input', 'questions'],
  [
    {
      name: 'x',
      questions: [
        { ...OPEN, id: 'a' },
        { ...OPEN, id: 'a' },
      ],
    },
    'invalid_input',
    'questions',
  ],
  [{ name: 'x', questions: [{ type: 'guess', question: 'x' }] }, 'invalid_choice', 'questions__0__type'],
  [{ name: 'x', questions: [{ type: 'single_choice', question: 'x' }] }, 'required', 'questions__0__choices'],
  [
    { name: 'x', questions: [{ type: 'link', question: 'x', link: 'javascript:alert(1)' }] },
    'invalid_input',
    'questions__0__link',
  ],
  [{ name: 'x', type: 'widget', questions: [OPEN] }, 'invalid_choice', 'type'],
  [{ name: 'x', questions: [OPEN], translations: { 'not a language': {} } }, 'invalid_input', 'translations'],
  [
    { name: 'x', questions: [{ ...OPEN, translations: { fr: { link: 'javascript:alert(1)' } } }] },
    'invalid_input',
    'questions__0__translations',
  ],
  [{ name: 'x', questions: [OPEN], conditions: { url: '(', urlMatchType: 'regex' } }, 'invalid_input', 'conditions__url'],
  [
    { name: 'x', questions: [OPEN], conditions: { deviceTypes: ['('], deviceTypesMatchType: 'regex' } },
    'invalid_input',
    'conditions__deviceTypes',
  ],
  [{ name: 'x', questions: [OPEN], conditions: { actions: { values: [{ id: 1 }] } } }, 'invalid_input', 'conditions__actions'],
  [
    { name: 'x', questions: [OPEN], conditions: { events: { values: [{ name: 'a', propertyFilters: { b: 1 } }] } } },
    'invalid_input',
    'conditions__events__values__0__propertyFilters',
  ],
  [{ name: 'x', questions: [OPEN], schedule: 'daily' }, 'invalid_choice', 'schedule'],
  [{ name: 'x', questions: [OPEN], schedule: 'recurring' }, 'required', 'iteration_count'],
  [{ name: 'x', questions: [OPEN], schedule: 'recurring', iteration_count: 2 }, 'required', 'iteration_frequency_days'],
  [{ name: 'x', questions: [OPEN], iteration_count: 2 }, 'invalid_input', 'iteration_count'],
  [{ name: 'x', questions: [OPEN], responses_limit: -1 }, 'invalid_input', 'responses_limit'],
  [{ name: 'x', questions: [OPEN], response_sampling_limit: 10 }, 'invalid_input', 'response_sampling_limit'],
  [{ name: 'x', questions: [OPEN], linked_insight_id: 10 }, 'invalid_input', 'linked_insight_id'],
  [
    { name: 'x', questions: [OPEN], targeting_flag_filters: { groups: [{ rollout_percentage: 200 }] } },
    'invalid_input',
    'targeting_flag_filters',
  ],
  [
    { name: 'x', questions: [OPEN], conditions: { seenSurveyWaitPeriodInDays: -1 } },
    'invalid_input',
    'conditions__seenSurveyWaitPeriodInDays',
  ],
  [{ name: 'x', questions: [OPEN], end_date: '2026-01-01' }, 'invalid_input', 'end_date'],
  [{ name: 'x', questions: [OPEN], start_date: '2026-01-02', end_date: '2026-01-01' }, 'invalid_input', 'end_date'],
  [{ name: 'x', questions: [OPEN], linked_flag_id: 999_999 }, 'does_not_exist', 'linked_flag_id'],
])('%j is refused', async (body, code, attr) => {
  const answer = await post(body);
  expect([answer.statusCode, answer.json().code, answer.json().attr]).toEqual([400, code, attr]);
});

test('lists of surveys by status and archived ones', async () => {
  const { id: projectId } = (
    await service.call('POST', '/api/organizations/@current/projects/', { body: { name: 'Statuses' } })
  ).json();
  const path = `/api/projects/${projectId}/surveys`;
  const day = (days: number) => new Date(service.clock.now() + days * 86_400_000).toISOString();
  const dates: Record<string, object> = {
    draft: {},
    scheduled: { start_date: day(1), end_date: day(2) },
    running: { start_date: day(-1) },
    'running until tomorrow': { start_date: day(-1), end_date: day(1) },
    ended: { start_date: day(-2), end_date: day(-1) },
    archived: { start_date: day(-1), archived: true },
  };
  for (const [name, fields] of Object.entries(dates)) {
    const made = await service.call('POST', `${path}/`, { body: { name, type: 'api', questions: [OPEN], ...fields } });
    expect([name, made.statusCode, made.body]).toEqual([name, 201, expect.anything()]);
  }
  const names = async (query: string) => {
    const { count, results } = (await service.call('GET', `${path}/?${query}`)).json();
    expect(count).toBe(results.length);
    return results.map(({ name }: { name: string }) => name).toSorted();
  };
  expect(await names('status=draft')).toEqual(['draft']);
  expect(await names('status=scheduled')).toEqual(['scheduled']);
  expect(await names('status=running&archived=false')).toEqual(['running', 'running until tomorrow']);
  expect(await names('status=running&archived=true')).toEqual(['archived']);
  expect(await names('status=ended&archived=')).toEqual(['ended']);
  expect(await names('archived=true&status=')).toEqual(['archived']);
  expect(await names('archived=false')).toHaveLength(5);
  const refused = await service.call('GET', `${path}/?status=over`);
  expect([refused.statusCode, refused.json().attr]).toEqual([400, 'status']);
});

test('a survey has at most 100 questions', async () => {
  const status = async (count: number) => (await post({ name: 'x', questions: Array(count).fill(OPEN) })).statusCode;
  expect([await status(100), await status(101)]).toEqual([201, 400]);
});

test('no request body causes a 500', async () => {
  const { id } = await create({ name: 'Odd' });
  const odd = fc.oneof(
    fc.constantFrom<unknown>('api', 'rating', '', '\0', '9999-12-31', 2 ** 31, [OPEN]),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const names = fc.constantFrom(
    'name',
    'type',
    'questions',
    'conditions',
    'appearance',
    'start_date',
    'end_date',
    'linked_flag_id',
  );
  const inner = fc.dictionary(fc.constantFrom('type', 'question', 'choices', 'url', 'urlMatchType', 'events', 'values'), odd);
  await fc.assert(
    fc.asyncProperty(fc.dictionary(names, fc.oneof(odd, inner, fc.array(inner))), fc.boolean(), async (body, isNew) => {
      expect((isNew ? await post(body) : await patch(id, body)).statusCode).toBeLessThan(500);
    }),
    { numRuns: 80 },
  );
  expect((await service.call('GET', `/api/surveys/?token=${service.projectKey}`, { key: null })).statusCode).toBe(200);
});

describe('access to surveys', () => {
  test('other projects and keys without the scope see no surveys', async () => {
    const { db } = service.deps;
    const { id } = await create({ name: 'Mine' });
    await db
      .updateTable('surveys')
      .set({ project_id: await testProject(db) })
      .where('uuid', '=', id)
      .execute();
    expect((await service.call('GET', `${prefix}/${id}/`)).statusCode).toBe(404);
    expect((await patch(id, { name: 'x' })).statusCode).toBe(404);
    expect((await service.call('DELETE', `${prefix}/${id}/`)).statusCode).toBe(404);
    const scopes = (scope: string) =>
      db
        .updateTable('personal_api_keys')
        .set({ scopes: [scope] })
        .execute();
    await scopes('survey:read');
    const answers = [await service.call('GET', `${prefix}/`), await post({ name: 'x', questions: [OPEN] })];
    await scopes('*');
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 403]);
  });

  test('access rules hide surveys, their activity and the flags in them, and stop viewers from changing them', async () => {
    const cookie = await joined();
    const as = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) =>
      service.call(method, url, { key: null, headers: { cookie }, ...(body ? { body } : {}) });
    const rule = async (url: string, access_level: string) =>
      expect((await service.call('PUT', `${url}access_controls/`, { body: { access_level } })).statusCode).toBe(200);
    const flag = await makeFlag('kept-back');
    const { id } = await create({ name: 'Kept back', linked_flag_id: flag.id });
    const item = `${prefix}/${id}/`;
    expect((await as('GET', item)).json()).toMatchObject({ user_access_level: 'editor', linked_flag: { id: flag.id } });
    await rule(`${flags}/${flag.id}/`, 'none');
    expect((await as('GET', item)).json()).toMatchObject({ linked_flag_id: flag.id, linked_flag: null });
    expect((await as('POST', `${prefix}/`, { name: 'x', questions: [OPEN], linked_flag_id: flag.id })).statusCode).toBe(403);

    await rule(item, 'viewer');
    expect((await as('GET', item)).json().user_access_level).toBe('viewer');
    for (const method of ['PATCH', 'DELETE'] as const) expect((await as(method, item, {})).statusCode).toBe(403);
    await rule(item, 'none');
    for (const path of ['', 'activity/']) expect((await as('GET', item + path)).statusCode).toBe(403);
    const { results } = (await as('GET', `${prefix}/?limit=1000`)).json();
    expect(results.length > 0 && !results.some((survey: { id: string }) => survey.id === id)).toBe(true);
    const log = `/api/projects/${service.projectId}/activity_log/?scope=Survey&item_id=${id}`;
    expect([(await as('GET', log)).json().count, (await get(log)).count]).toEqual([0, 1]);
  });
});

/** Logs a new member of the organization in. */
async function joined(): Promise<string> {
  const body = { target_email: 'ann@example.com' };
  const invite = await service.call('POST', '/api/organizations/@current/invites/', { body });
  const name = { first_name: 'Ann', password: OWNER_PASSWORD };
  const { cookies } = await service.call('POST', `/api/signup/${invite.json().id}/`, { key: null, body: name });
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
}
