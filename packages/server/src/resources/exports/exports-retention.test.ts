import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventRow } from '../../testing/events.js';
import { startTestService, type TestService } from '../../testing/service.js';

/* Retention with a breakdown, in every format. Five people came on the day before yesterday, and with another plan yesterday. */

const CSV = 'text/csv';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const DAY = 86_400_000;
const entity = { id: 'opened', type: 'events' };

let service: TestService;
let project: string;
/** The day before yesterday, as times of periods are written. */
let days: string[];
beforeAll(async () => {
  service = await startTestService();
  project = `/api/projects/${service.projectId}`;
  const today = Math.floor(service.clock.now() / DAY) * DAY;
  days = [today - 2 * DAY, today - DAY].map((day) => `${new Date(day).toISOString().slice(0, 19)}Z`);
  const visits: [person: number, day: number, plan: string | null][] = [
    [1, 0, '=pro'],
    [1, 1, 'free'],
    [2, 0, '=pro'],
    [3, 0, 'free'],
    [4, 0, '=pro'],
    [4, 1, 'free'],
    [5, 0, null],
  ];
  const rows = visits.map(([person, day, plan], i) =>
    eventRow(i, {
      project_id: service.projectId,
      event: 'opened',
      person_id: `00000000-0000-4000-8000-00000000000${person}`,
      timestamp: today - (2 - day) * DAY,
      properties: plan === null ? {} : { plan },
    }),
  );
  await service.deps.events.insert('events', rows, { token: 'visits' });
});
afterAll(() => service.close());

const retention = (dateRange: object, retentionFilter: object, breakdownFilter?: object) => ({
  kind: 'InsightVizNode',
  source: {
    kind: 'RetentionQuery',
    dateRange,
    retentionFilter: { targetEntity: entity, returningEntity: entity, ...retentionFilter },
    ...(breakdownFilter ? { breakdownFilter } : {}),
  },
});
const BY_PLAN = { breakdown: 'plan', breakdown_type: 'event' };
const TWO_DAYS = { date_from: '-2d', date_to: '-1d' };
const byPlan = retention(TWO_DAYS, {}, BY_PLAN);

async function content(body: object): Promise<Buffer> {
  const created = await service.call('POST', `${project}/exports/`, { body });
  expect(created.statusCode, created.body).toBe(201);
  const path = `${project}/exports/${created.json().id}/`;
  const shown = await vi.waitFor(
    async () => {
      const now = (await service.call('GET', path)).json();
      expect(now.has_content !== '' || now.exception !== null).toBe(true);
      return now;
    },
    { timeout: 60_000, interval: 30 },
  );
  expect(shown.exception).toBeNull();
  return (await service.call('GET', `${path}content/`)).rawPayload;
}
const exported = (export_format: string, source: object, more: object = {}) =>
  content({ export_format, export_context: { source, ...more } });
const linesOf = (csv: Buffer): string[] => csv.toString().trimEnd().split('\r\n');

test('tables have a column for the value, and a row for each value and cohort', async () => {
  const [one, two] = days;
  expect(linesOf(await exported(CSV, byPlan))).toEqual([
    'breakdown_value,cohort,cohort size,period 0,period 1',
    `'=pro,${one},3,3,2`,
    `'=pro,${two},0,0,`,
    `free,${one},1,1,0`,
    `free,${two},2,2,`,
    `(none),${one},1,1,0`,
    `(none),${two},0,0,`,
  ]);
  const columns = ['period 1', 'breakdown_value'];
  expect(linesOf(await exported(CSV, byPlan, { columns, limit: 1 }))).toEqual(['period 1,breakdown_value', "2,'=pro"]);

  const sheet = Buffer.from(unzipSync(await exported(XLSX, byPlan))['xl/worksheets/sheet1.xml'] ?? []).toString();
  expect(sheet).toContain('<t>breakdown_value</t></is></c><c t="inlineStr" s="1"><is><t>cohort</t>');
  expect(sheet).toMatch(
    /<t>=pro<\/t><\/is><\/c><c s="3"><v>\d{5}<\/v><\/c><c s="6"><v>3<\/v><\/c><c s="6"><v>3<\/v><\/c><c s="6"><v>2<\/v><\/c><\/row>/,
  );
});

test('JSON has the values of the API', async () => {
  const { results } = JSON.parse((await exported('application/json', byPlan)).toString());
  expect(results.map(({ breakdown_value: value, label }: Record<string, unknown>) => [value, label])).toEqual([
    ['=pro', 'Day 0'],
    ['=pro', 'Day 1'],
    ['free', 'Day 0'],
    ['free', 'Day 1'],
    ['$$_posthog_breakdown_null_$$', 'Day 0'],
    ['$$_posthog_breakdown_null_$$', 'Day 1'],
  ]);
});

test('pictures and documents are created', async () => {
  expect((await exported('image/png', byPlan)).subarray(1, 4).toString()).toBe('PNG');
  expect((await exported('application/pdf', byPlan)).subarray(0, 4).toString()).toBe('%PDF');
});

test('the breakdown of a dashboard applies to retention in its files too', async () => {
  const filters = { breakdown_filter: BY_PLAN };
  const board = (await service.call('POST', `${project}/dashboards/`, { body: { name: 'Plans', filters } })).json().id;
  const tile = { name: 'Who came back', query: retention(TWO_DAYS, {}), dashboards: [board] };
  const insight = (await service.call('POST', `${project}/insights/`, { body: tile })).json().id;
  const alone = linesOf(await content({ insight, export_format: CSV }));
  expect(alone).toEqual(['cohort,cohort size,period 0,period 1', `${days[0]},5,5,2`, `${days[1]},2,2,`]);
  for (const fields of [{ dashboard: board }, { dashboard: board, insight }]) {
    expect((await content({ ...fields, export_format: CSV })).toString()).toContain(`'=pro,${days[0]},3,3,2\r\n`);
  }
});

test('a table whose periods and values exceed the limit has the values that the API returns', async () => {
  const long = retention({ date_from: '-100d', date_to: '-1d' }, { totalIntervals: 100 }, BY_PLAN);
  const lines = linesOf(await exported(CSV, long));
  expect(lines).toHaveLength(1 + 3 * 100);
  expect(lines).toContainEqual(expect.stringContaining(`'=pro,${days[0]},3,3,2,`));
});
