import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EventsUnavailable } from '../../ports/events.js';
import { type AlertProject, alertProject, bounds, goTo, until } from '../../testing/alerts.js';
import { joinService } from '../../testing/join-service.js';
import { startTestService, type TestService } from '../../testing/service.js';
import { queueDueAlerts } from './index.js';

let service: TestService;
let project: AlertProject;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const series = (event: string, more: object = {}) => ({ kind: 'EventsNode', event, name: event, ...more });
const trends = (fields: object = {}) => ({ kind: 'TrendsQuery', series: [series('signed up')], ...fields });
const ongoing = { config: { check_ongoing_interval: true } };
/** A new project in Berlin at a time. */
async function begin(time: string): Promise<void> {
  goTo(service, time);
  project = await alertProject(service, { timezone: 'Europe/Berlin' });
}

describe('periods', () => {
  test('a day with a change of clocks is whole', async () => {
    await begin('2031-03-30T22:40:00Z');
    for (const time of ['2031-03-29T22:30:00Z', '2031-03-29T23:30:00Z', '2031-03-30T21:30:00Z', '2031-03-30T22:30:00Z'])
      await project.capture('signed up', 1, time);
    const { id } = await project.insight(trends());
    const alert = await project.alert(id, bounds(3, null));
    expect(alert).toMatchObject({ state: 'Firing', last_value: 2 });
    expect(alert.checks).toMatchObject([
      { calculated_value: 2, message: '"signed up" was 2 on 2031-03-30, below the lower bound of 3.', webhook: null },
    ]);
  });

  test('only days that are over in the zone of the project are compared, unless the alert says otherwise', async () => {
    await begin('2031-05-14T22:30:00Z');
    await project.capture('signed up', 3, '2031-05-14T12:00:00Z');
    await project.capture('signed up', 5, '2031-05-14T22:10:00Z');
    const { id } = await project.insight(trends({ dateRange: { date_from: '-90d' } }));
    const whole = await project.alert(id, bounds(null, 3));
    expect(whole).toMatchObject({ state: 'Not firing', last_value: 3 });
    expect(whole.checks[0]?.message).toBe('"signed up" was 3 on 2031-05-14, within the bounds.');
    const early = await project.alert(id, { ...bounds(null, 3), ...ongoing });
    expect(early).toMatchObject({ state: 'Firing', last_value: 5 });
    expect(early.checks[0]?.message).toBe('"signed up" was 5 on 2031-05-15, above the upper bound of 3.');
  });

  test.each([
    ['minute', '2031-06-04T12:09:30Z', 4, 'at 2031-06-04 14:09'],
    ['hour', '2031-06-04T11:20:00Z', 4, 'at 2031-06-04 13:00'],
    ['week', '2031-05-26T12:00:00Z', 4, 'in the week of 2031-05-25'],
    ['month', '2031-05-02T12:00:00Z', 5, 'in 2031-05'],
  ])('the last %s that is over is compared', async (interval, inside, value, period) => {
    await begin('2031-06-04T12:10:20Z');
    await project.capture('signed up', 4, inside);
    await project.capture('signed up', 1, '2031-05-03T12:00:00Z');
    await project.capture('signed up', 7, '2031-06-04T12:10:05Z');
    const { id } = await project.insight(trends({ interval }));
    const { last_value, checks } = await project.alert(id, bounds(100, null));
    expect([last_value, checks[0]?.message]).toEqual([
      value,
      `"signed up" was ${value} ${period}, below the lower bound of 100.`,
    ]);
  });

  test('an hour that occurs twice is two hours', async () => {
    await begin('2031-10-26T01:20:00Z');
    await project.capture('signed up', 2, '2031-10-26T00:30:00Z');
    await project.capture('signed up', 9, '2031-10-26T01:10:00Z');
    const { id } = await project.insight(trends({ interval: 'hour' }));
    expect(await project.alert(id, bounds(3, null))).toMatchObject({ state: 'Firing', last_value: 2 });
  });
});

describe('numbers', () => {
  test.each([
    ['relative_increase', 'percentage', null, 0.2, 'Firing', 0.5],
    ['relative_increase', 'percentage', null, 0.6, 'Not firing', 0.5],
    ['relative_increase', 'absolute', null, 4, 'Firing', 5],
    ['relative_decrease', 'percentage', null, 0.1, 'Not firing', -0.5],
    ['relative_decrease', 'absolute', -4, null, 'Firing', -5],
    ['relative_increase', 'percentage', 0.5, 0.5, 'Not firing', 0.5],
  ])('a %s by %s between %s and %s is %s', async (type, by, lower, upper, state, value) => {
    await begin('2031-11-05T12:00:00Z');
    await project.capture('signed up', 10, '2031-11-03T12:00:00Z');
    await project.capture('signed up', 15, '2031-11-04T12:00:00Z');
    await project.capture('signed up', 1, '2031-11-05T11:00:00Z');
    const { id } = await project.insight(trends());
    const alert = await project.alert(id, { condition: { type }, ...bounds(lower, upper, by) });
    expect(alert).toMatchObject({ state, last_value: value });
    const change = by === 'percentage' ? '50%' : '5';
    expect(alert.checks[0]?.message).toContain(`"signed up" rose by ${change} on 2031-11-04 (from 10 to 15)`);
  });

  test('a rise from nothing is above every percentage', async () => {
    await begin('2031-11-05T12:00:00Z');
    await project.capture('signed up', 1, '2031-11-04T12:00:00Z');
    const { id } = await project.insight(trends());
    const alert = await project.alert(id, { condition: { type: 'relative_increase' }, ...bounds(null, 100, 'percentage') });
    expect(alert).toMatchObject({ state: 'Firing', last_value: null });
    expect(alert.checks[0]?.message).toBe(
      '"signed up" rose on 2031-11-04 (from 0 to 1), above the upper bound of the rise of 10,000%.',
    );
  });

  test('one breakdown value out of bounds is enough', async () => {
    await begin('2031-11-05T12:00:00Z');
    await project.capture('signed up', 9, '2031-11-04T12:00:00Z', { plan: 'free' });
    await project.capture('signed up', 4, '2031-11-04T12:00:00Z', { plan: 'pro' });
    await project.capture('signed up', 2, '2031-11-04T12:00:00Z', { plan: 'team' });
    const breakdownFilter = { breakdowns: [{ property: 'plan', type: 'event' }] };
    const { id } = await project.insight(trends({ breakdownFilter }));
    const low = await project.alert(id, bounds(5, null));
    expect(low).toMatchObject({ state: 'Firing', last_value: 2 });
    expect(low.checks[0]?.message).toBe(
      '"team" was 2 on 2031-11-04, below the lower bound of 5. One more line is out of bounds.',
    );
    expect(await project.alert(id, bounds(null, 9))).toMatchObject({ state: 'Not firing' });
    // no event at all is a 0, too
    const { id: other } = await project.insight(trends({ series: [series('never')], breakdownFilter }));
    expect(await project.alert(other, bounds(1, null))).toMatchObject({ state: 'Firing', last_value: 0 });
  });

  test('a number tile is compared over its own range, as far as it is over', async () => {
    await begin('2031-11-08T12:00:00Z');
    await project.capture('signed up', 3, '2031-11-02T12:00:00Z', { plan: 'free' });
    await project.capture('signed up', 4, '2031-11-07T12:00:00Z', { plan: 'pro' });
    await project.capture('signed up', 50, '2031-11-08T11:00:00Z');
    await project.capture('signed up', 2, '2031-10-28T12:00:00Z');
    const number = { dateRange: { date_from: '-7d' }, trendsFilter: { display: 'BoldNumber' } };
    const { id } = await project.insight(trends(number));
    const whole = await project.alert(id, bounds(null, 10));
    expect(whole).toMatchObject({ state: 'Not firing', last_value: 7 });
    expect(whole.checks[0]?.message).toBe('"signed up" was 7 from 2031-11-01 to 2031-11-07, within the bounds.');
    expect(await project.alert(id, { ...bounds(null, 10), ...ongoing })).toMatchObject({ state: 'Firing', last_value: 57 });
    const rise = { condition: { type: 'relative_increase' }, ...bounds(null, 4) };
    expect(await project.alert(id, rise)).toMatchObject({ state: 'Firing', last_value: 5 });
    // the tile shows one number with a breakdown, too
    const breakdownFilter = { breakdowns: [{ property: 'plan', type: 'event' }] };
    const { id: broken } = await project.insight(trends({ ...number, breakdownFilter }));
    expect(await project.alert(broken, bounds(null, 10))).toMatchObject({ last_value: 7 });
  });

  test('a range that ended long ago stays as it is', async () => {
    await begin('2031-11-08T12:00:00Z');
    await project.capture('signed up', 3, '2031-10-02T12:00:00Z');
    const dateRange = { date_from: '2031-10-01', date_to: '2031-10-03' };
    const { id } = await project.insight(trends({ dateRange, trendsFilter: { display: 'ActionsPie' } }));
    const { last_value, checks } = await project.alert(id, bounds(null, 10));
    expect([last_value, checks[0]?.message]).toEqual([3, '"signed up" was 3 from 2031-10-01 to 2031-10-03, within the bounds.']);
  });

  test('formulas, second series, moving averages and running totals are compared as the chart shows them', async () => {
    await begin('2031-11-08T12:00:00Z');
    await project.capture('signed up', 2, '2031-11-06T12:00:00Z');
    await project.capture('signed up', 4, '2031-11-07T12:00:00Z');
    await project.capture('bought', 1, '2031-11-07T12:00:00Z');
    const both = [series('signed up'), series('bought')];
    const numberOf = async (query: object, fields: object = {}) => {
      const { id } = await project.insight(trends(query));
      return (await project.alert(id, { ...bounds(null, 1_000), ...fields })).last_value;
    };
    expect(await numberOf({ series: both }, { config: { series_index: 1 } })).toBe(1);
    expect(await numberOf({ series: both, trendsFilter: { formula: 'B / A' } })).toBe(0.25);
    expect(await numberOf({ trendsFilter: { smoothingIntervals: 2 } })).toBe(3);
    const dateRange = { date_from: '-7d' };
    expect(await numberOf({ dateRange, trendsFilter: { display: 'ActionsLineGraphCumulative' } })).toBe(6);
  });
});

describe('states', () => {
  beforeAll(() => goTo(service, '2031-12-01T12:00:00Z'));

  test('an alert tells when it begins to fire and when it stops, and nothing in between', async () => {
    await begin('2031-12-01T12:00:00Z');
    const { id } = await project.insight(trends());
    const first = await project.alert(id, bounds(2, null));
    expect(first).toMatchObject({ state: 'Firing', next_check_at: '2031-12-02T00:00:00Z' });
    expect(first.last_notified_at).toBe(first.last_checked_at);
    const second = await project.checkNext(first.id);
    expect(second).toMatchObject({ state: 'Firing', last_notified_at: first.last_notified_at });
    expect(second.last_checked_at).not.toBe(first.last_checked_at);
    await project.capture('signed up', 2, '2031-12-02T06:00:00Z');
    const third = await project.checkNext(first.id);
    expect(third).toMatchObject({ state: 'Not firing', last_value: 2 });
    expect(third.last_notified_at).toBe(third.last_checked_at);
    expect(third.checks.map(({ state }) => state)).toEqual(['Not firing', 'Firing', 'Firing']);
  });

  test('an insight that becomes another kind fails the alert with a sentence, and works when it is a trend again', async () => {
    await begin('2031-12-10T12:00:00Z');
    const { id } = await project.insight(trends());
    const first = await project.alert(id, bounds(2, null));
    const funnel = { kind: 'FunnelsQuery', series: [series('signed up'), series('bought')] };
    await project.call('PATCH', `insights/${id}/`, { query: funnel });
    const failed = await project.checkNext(first.id);
    expect(failed).toMatchObject({ state: 'Errored', enabled: true, next_check_at: '2031-12-12T00:00:00Z' });
    expect(failed.checks[0]).toMatchObject({
      state: 'Errored',
      calculated_value: null,
      message: 'Only an insight that is a trend can have alerts.',
    });
    // it can still be renamed, snoozed and switched off
    expect((await project.call('PATCH', `alerts/${first.id}/`, { name: 'Renamed', enabled: false })).statusCode).toBe(200);
    expect((await project.call('PATCH', `alerts/${first.id}/`, { enabled: true })).json()).toMatchObject({ attr: 'insight' });
    await project.call('PATCH', `insights/${id}/`, { query: trends() });
    expect((await project.call('PATCH', `alerts/${first.id}/`, { enabled: true })).statusCode).toBe(200);
    expect(await project.checkNext(first.id)).toMatchObject({ state: 'Firing' });
  });

  test('a check that fails in between does not make a firing alert tell it again', async () => {
    await begin('2031-12-13T12:00:00Z');
    const { id } = await project.insight(trends());
    const first = await project.alert(id, bounds(2, null));
    const setQuery = (query: object) => project.call('PATCH', `insights/${id}/`, { query });
    await setQuery({ kind: 'HogQLQuery', query: 'select 1' });
    expect(await project.checkNext(first.id)).toMatchObject({ state: 'Errored', last_notified_at: first.last_notified_at });
    await setQuery(trends());
    expect(await project.checkNext(first.id)).toMatchObject({ state: 'Firing', last_notified_at: first.last_notified_at });
  });

  test('a query that the engine refuses fails the alert with its reason', async () => {
    await begin('2031-12-14T12:00:00Z');
    const cohort = (await project.call('POST', 'cohorts/', { name: 'C', is_static: true })).json();
    const { id } = await project.insight(trends({ properties: [{ type: 'cohort', key: 'id', value: cohort.id }] }));
    const first = await project.alert(id, bounds(2, null));
    expect(first.state).toBe('Firing');
    await project.call('PATCH', `cohorts/${cohort.id}/`, { deleted: true });
    const failed = await project.checkNext(first.id);
    expect(failed.state).toBe('Errored');
    expect(failed.checks[0]?.message).toContain(String(cohort.id));
  });

  test('a snoozed alert is not checked until it wakes', async () => {
    await begin('2031-12-16T12:00:00Z');
    const { id } = await project.insight(trends());
    const first = await project.alert(id, bounds(2, null));
    const path = `alerts/${first.id}/`;
    const snoozed = (await project.call('PATCH', path, { snoozed_until: '2031-12-19T09:00:00Z' })).json();
    expect(snoozed).toMatchObject({ state: 'Snoozed', last_notified_at: first.last_notified_at });
    goTo(service, '2031-12-18T09:00:00Z');
    await queueDueAlerts(service.deps);
    const jobs = service.deps.db.selectFrom('jobs').selectAll().where('project_id', '=', project.id);
    expect(await jobs.execute()).toEqual([]);
    expect((await project.read(first.id)).checks).toHaveLength(1);
    // it tells again that it fires: that is what who snoozed it wanted
    const awake = await project.checkNext(first.id, '2031-12-19T09:00:01Z');
    expect(awake).toMatchObject({ state: 'Firing', next_check_at: '2031-12-20T00:00:00Z' });
    expect(awake.last_notified_at).toBe(awake.last_checked_at);
    await project.call('PATCH', path, { snoozed_until: '2031-12-25T09:00:00Z' });
    await project.call('PATCH', path, { snoozed_until: null });
    await until(async () => expect((await project.read(first.id)).checks).toHaveLength(3));
  });

  test('alerts that are off, deleted, or on a deleted insight are not checked', async () => {
    await begin('2031-12-21T12:00:00Z');
    const { id } = await project.insight(trends());
    const { id: gone } = await project.insight(trends());
    const alerts = [await project.alert(id), await project.alert(id), await project.alert(gone)] as const;
    await project.call('PATCH', `alerts/${alerts[0].id}/`, { enabled: false });
    await project.call('DELETE', `alerts/${alerts[1].id}/`);
    await project.call('PATCH', `insights/${gone}/`, { deleted: true });
    goTo(service, '2031-12-23T12:00:00Z');
    await queueDueAlerts(service.deps);
    const jobs = service.deps.db.selectFrom('jobs').selectAll().where('project_id', '=', project.id);
    expect(await jobs.execute()).toEqual([]);
    await project.call('PATCH', `insights/${gone}/`, { deleted: false });
    expect(await project.checkNext(alerts[2].id, '2031-12-23T12:00:01Z')).toMatchObject({ checks: [{}, {}] });
  });

  test('the alert of somebody who cannot see the insight any more is disabled with a sentence, until somebody takes it over', async () => {
    await begin('2031-12-25T12:00:00Z');
    const member = await joinService(service, `alerts-${Date.now()}@example.com`);
    const { id } = await project.insight(trends());
    const path = `/api/projects/${project.id}/alerts/`;
    const body = {
      name: 'Theirs',
      insight: id,
      condition: { type: 'absolute_value' },
      ...bounds(2, null),
    };
    const made = (await service.call('POST', path, { key: member.key, body })).json();
    await until(async () => expect(await project.read(made.id)).toMatchObject({ state: 'Firing' }));
    await service.call('DELETE', `/api/organizations/@current/members/${member.uuid}/`);
    const off = await project.checkNext(made.id);
    expect(off).toMatchObject({ state: 'Errored', enabled: false, next_check_at: null });
    expect(off.checks[0]?.message).toContain('Who saved this alert last cannot see the insight any more');
    await project.call('PATCH', `alerts/${made.id}/`, { enabled: true });
    await until(async () =>
      expect(await project.read(made.id)).toMatchObject({
        state: 'Firing',
        last_modified_by: { email: 'owner@example.com' },
        checks: [{}, {}, {}],
      }),
    );
  });

  test('a store that is away fails a check after some tries, and the next one succeeds', async () => {
    await begin('2032-01-10T12:00:00Z');
    const { id } = await project.insight(trends());
    const first = await project.alert(id, bounds(2, null));
    const { events } = service.deps;
    const { dataVersion } = events;
    let calls = 0;
    events.dataVersion = async (projectId) => {
      if (projectId !== project.id) return dataVersion(projectId);
      calls++;
      throw new EventsUnavailable('away');
    };
    goTo(service, first.next_check_at);
    await queueDueAlerts(service.deps);
    await until(async () => {
      service.clock.advance(2_000);
      await service.deps.services.runner.wake();
      expect((await project.read(first.id)).checks).toHaveLength(2);
    });
    expect(calls).toBe(3);
    events.dataVersion = dataVersion;
    const failed = await project.read(first.id);
    expect(failed).toMatchObject({ state: 'Errored', next_check_at: '2032-01-12T00:00:00Z' });
    expect(failed.checks[0]?.message).toBe('The event store was not available. It is checked again at its next time.');
    expect(await project.checkNext(first.id)).toMatchObject({ state: 'Firing' });
  });

  test('an alert has its last 50 checks, lists show 5, and reads are in the background', async () => {
    await begin('2032-01-15T12:00:00Z');
    const { id } = await project.insight(trends());
    const first = await project.alert(id, bounds(2, null));
    const old = Array.from({ length: 60 }, (_, index) => ({
      id: service.deps.ids.uuid7(),
      alert_id: first.id,
      created_at: new Date(Date.UTC(2031, 0, 1, 0, index)),
      state: 'Not firing',
      message: `Check ${index}`,
    }));
    await service.deps.db.insertInto('alert_checks').values(old).execute();
    const readsOf = async () => {
      const { body } = await service.call('GET', '/metrics', { key: null });
      return Number(/^tidemark_reads_total\{workload="background",result="ok"\} (\d+)/m.exec(body)?.[1] ?? 0);
    };
    const reads = await readsOf();
    const next = await project.checkNext(first.id);
    expect(await readsOf()).toBeGreaterThan(reads);
    expect(next.checks).toHaveLength(50);
    expect(next.checks.at(-1)?.message).toBe('Check 12');
    const rows = service.deps.db.selectFrom('alert_checks').select('id').where('alert_id', '=', first.id);
    expect(await rows.execute()).toHaveLength(50);
    expect((await project.call('GET', 'alerts/')).json().results[0].checks).toEqual(next.checks.slice(0, 5));
  });
});

test('two servers check each alert once at each time', async () => {
  await begin('2032-02-01T12:00:00Z');
  const { id } = await project.insight(trends());
  const made = await Promise.all(Array.from({ length: 8 }, () => project.alert(id, bounds(2, null))));
  const other = await startTestService({}, service);
  try {
    for (const round of [2, 3]) {
      for (const one of [service, other]) goTo(one, `2032-02-0${round}T12:00:00Z`);
      await Promise.all([service, other, service, other].map(({ deps }) => queueDueAlerts(deps)));
      await until(async () => {
        await Promise.all([service, other].map(({ deps }) => deps.services.runner.wake()));
        const jobs = service.deps.db.selectFrom('jobs').select('id').where('project_id', '=', project.id);
        expect(await jobs.execute()).toEqual([]);
      });
      const checks = await Promise.all(made.map(async (alert) => (await project.read(alert.id)).checks.length));
      expect(checks).toEqual(made.map(() => round));
    }
  } finally {
    await other.close();
  }
});
