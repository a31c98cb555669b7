import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/service.js';
import { OPEN, surveyCalls } from '../../testing/survey-calls.js';
import { endFullSurveys } from './index.js';

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
const HOUR = 3_600_000;

describe('targeting, schedule and limit of a survey', () => {
  const OF_ACME = { groups: [{ properties: [{ key: 'company', type: 'person', value: 'acme', operator: 'exact' }] }] };
  const OF_INITECH = { groups: [{ properties: [{ key: 'company', type: 'person', value: 'initech', operator: 'exact' }] }] };
  const isOn = async (key: string, company: string) => {
    const body = { token: service.projectKey, distinct_id: 'ann', person_properties: { company } };
    return (await service.call('POST', '/flags/?v=2', { key: null, body })).json().flags[key]?.enabled;
  };

  test('targeting filters create a flag that is changed and deleted with the survey', async () => {
    const made = await create({ targeting_flag_filters: OF_ACME, start_date: fromNow(-HOUR) });
    const { id, targeting_flag: flag } = made;
    expect(made).toMatchObject({ targeting_flag_id: flag.id, targeting_flag_filters: OF_ACME });
    await expect.poll(() => clientCopyOf(id)).toMatchObject({ targeting_flag_key: flag.key });
    await expect.poll(() => isOn(flag.key, 'acme')).toBe(true);
    expect(await isOn(flag.key, 'other')).toBe(false);
    // it is the survey's: the list of flags is about those that people made
    expect((await get(`${flags}/?search=survey-targeting`)).count).toBe(0);

    // what was answered can be sent back
    expect((await patch(id, { ...made, name: 'Renamed' })).json()).toMatchObject({ targeting_flag_id: flag.id });
    expect((await patch(id, { targeting_flag_filters: OF_INITECH })).json()).toMatchObject({
      targeting_flag_id: flag.id,
      targeting_flag_filters: OF_INITECH,
    });
    await expect.poll(() => isOn(flag.key, 'initech')).toBe(true);
    expect(await isOn(flag.key, 'acme')).toBe(false);

    expect((await patch(id, { remove_targeting_flag: true })).json()).toMatchObject({
      targeting_flag_id: null,
      targeting_flag_filters: null,
    });
    await expect.poll(() => clientCopyOf(id)).toMatchObject({ targeting_flag_key: null });
    await expect.poll(() => isOn(flag.key, 'initech')).toBeUndefined();

    const again = (await patch(id, { targeting_flag_filters: OF_ACME })).json().targeting_flag;
    await expect.poll(() => isOn(again.key, 'acme')).toBe(true);
    await service.call('DELETE', `${prefix}/${id}/`);
    await expect.poll(() => isOn(again.key, 'acme')).toBeUndefined();
  });

  test('a survey has one targeting flag: filters and another flag together are refused, and another flag replaces the filters', async () => {
    const other = await makeFlag('instead');
    const both = await post({ name: 'x', questions: [OPEN], targeting_flag_id: other.id, targeting_flag_filters: OF_ACME });
    expect([both.statusCode, both.json().attr]).toEqual([400, 'targeting_flag_filters']);
    const { id, targeting_flag: own } = await create({ targeting_flag_filters: OF_ACME });
    const changed = (await patch(id, { targeting_flag_id: other.id })).json();
    expect(changed).toMatchObject({ targeting_flag: { key: 'instead' }, targeting_flag_filters: null });
    await expect.poll(() => isOn(own.key, 'acme')).toBeUndefined();
    await service.call('DELETE', `${prefix}/${id}/`);
    expect(await isOn('instead', 'acme')).toBe(true);
  });

  test('a recurring survey has its current iteration in what clients get', async () => {
    const recurring = { schedule: 'recurring', iteration_count: 3, iteration_frequency_days: 7 };
    const { id, start_date, ...made } = await create({ ...recurring, start_date: fromNow(-HOUR) });
    const day = (count: number) => new Date(Date.parse(start_date) + count * 24 * HOUR).toISOString();
    expect(made).toMatchObject({ ...recurring, current_iteration: 1 });
    expect(made.iteration_start_dates.map((date: string) => new Date(date).toISOString())).toEqual([day(0), day(7), day(14)]);
    await expect.poll(() => clientCopyOf(id)).toMatchObject({ schedule: 'recurring', current_iteration: 1 });
    service.clock.advance(7 * 24 * HOUR);
    const second = await clientCopyOf(id);
    expect([second.current_iteration, new Date(second.current_iteration_start_date).toISOString()]).toEqual([2, day(7)]);
    service.clock.advance(70 * 24 * HOUR);
    expect(await clientCopyOf(id)).toMatchObject({ current_iteration: 3 });
    expect((await patch(id, { schedule: 'always' })).json()).toMatchObject({ schedule: 'always', iteration_count: null });
    await expect.poll(() => clientCopyOf(id)).toMatchObject({ schedule: 'always', current_iteration: null });
  });

  test('a survey ends when it has as many answers as its limit', async () => {
    const { id } = await create({ responses_limit: 2, start_date: fromNow(-HOUR) });
    await expect.poll(() => clientCopyOf(id)).toBeDefined();
    const capture = (event: string, distinct_id: string, more: object = {}) =>
      service.call('POST', '/batch/', {
        key: null,
        body: { api_key: service.projectKey, batch: [{ event, distinct_id, properties: { $survey_id: id, ...more } }] },
      });
    for (const person of ['ann', 'bob', 'cid']) await capture('survey shown', person);
    await capture('survey dismissed', 'cid');
    // one answer in two parts
    for (const part of [1, 2]) await capture('survey sent', 'ann', { $survey_submission_id: 'one', part });
    await endFullSurveys(service.deps);
    expect((await get(`${prefix}/${id}/`)).end_date).toBeNull();
    await capture('survey sent', 'bob', { $survey_submission_id: 'two' });
    await endFullSurveys(service.deps);
    expect((await get(`${prefix}/${id}/`)).end_date).not.toBeNull();
    await expect.poll(() => clientCopyOf(id)).toBeUndefined();

    const stats = await get(`${prefix}/${id}/stats/`);
    expect(stats).toMatchObject({
      survey_id: id,
      stats: {
        'survey shown': { total_count: 3, unique_persons: 3, unique_persons_only_seen: 0 },
        'survey dismissed': { total_count: 1, unique_persons: 1 },
        'survey sent': { total_count: 3, unique_persons: 2 },
      },
      rates: { unique_users_response_rate: 66.67, dismissal_rate: 33.33 },
    });
    expect(await get(`${prefix}/stats/?date_from=${fromNow(HOUR)}`)).toMatchObject({
      stats: { 'survey shown': { total_count: 0, first_seen: null } },
      rates: { response_rate: 0 },
    });
    expect((await get(`${prefix}/responses_count/`))[id]).toBe(2);
  });
});
