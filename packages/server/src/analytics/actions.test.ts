import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../kernel/json.js';
import type { EventRow, EventTables } from '../ports/events.js';
import { eventRow } from '../testing/events.js';
import { runs } from '../testing/runs.js';
import { putSeeded, seededData } from '../testing/seeded-events.js';
import { startTestService, type TestService } from '../testing/service.js';

let it: TestService;
let project: string;
let inserts = 0;
const put = async <Table extends keyof EventTables>(table: Table, rows: EventTables[Table][]) =>
  it.deps.events.insert(table, rows, { token: `actions-${++inserts}` });
beforeAll(async () => {
  it = await startTestService();
  project = `/api/projects/${it.projectId}/`;
  const data = seededData({ seed: 3, events: 1_200, projectId: it.projectId });
  await putSeeded({ store: it.deps.events, put, close: it.close }, data);
});
afterAll(() => it.close());

async function api(path: string, body: object, at = project): Promise<JsonObject> {
  const answer = await it.call('POST', `${at}${path}/`, { body });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answer.json();
}

let names = 0;
const action = async (steps: object[], at = project) => (await api('actions', { name: `Action ${++names}`, steps }, at))['id'];
const ask = async (query: object, at = project) => (await api('query', { query }, at))['results'];

const RANGE = { dateRange: { date_from: '2024-03-12', date_to: '2024-03-29' } };
type Node = (event: string, rest?: object) => object;
type Entity = (event: string) => object;

/** Every place of a query where a node or an entity stands. */
const QUERIES: Record<string, (node: Node, entity: Entity) => object> = {
  trends: (node) => ({ kind: 'TrendsQuery', ...RANGE, series: [node('$pageview'), node('bought', { math: 'dau' })] }),
  'trends of first times': (node) => ({
    kind: 'TrendsQuery',
    ...RANGE,
    series: [node('bought', { math: 'first_time_for_user' })],
  }),
  'trends of active people': (node) => ({ kind: 'TrendsQuery', ...RANGE, series: [node('bought', { math: 'weekly_active' })] }),
  'trends of sums, by browsers and with filters': (node) => ({
    kind: 'TrendsQuery',
    ...RANGE,
    series: [
      node('bought', {
        math: 'sum',
        math_property: 'amount',
        properties: [{ key: 'plan', type: 'person', operator: 'is_set' }],
      }),
    ],
    breakdownFilter: { breakdown: '$browser' },
    compareFilter: { compare: true },
  }),
  'trends with a formula': (node) => ({
    kind: 'TrendsQuery',
    ...RANGE,
    series: [node('bought'), node('$pageview')],
    trendsFilter: { formula: 'A / B' },
  }),
  funnels: (node) => ({
    kind: 'FunnelsQuery',
    ...RANGE,
    series: [node('$pageview'), node('signed up'), node('bought', { optionalInFunnel: true }), node('$autocapture')],
    funnelsFilter: { exclusions: [{ ...node('bought'), funnelFromStep: 0, funnelToStep: 1 }] },
  }),
  'strict funnels': (node) => ({
    kind: 'FunnelsQuery',
    ...RANGE,
    series: [node('$pageview'), node('signed up')],
    funnelsFilter: { funnelOrderType: 'strict' },
  }),
  'funnels without order': (node) => ({
    kind: 'FunnelsQuery',
    ...RANGE,
    series: [node('$pageview'), node('signed up')],
    funnelsFilter: { funnelOrderType: 'unordered' },
  }),
  'funnels from a first time': (node) => ({
    kind: 'FunnelsQuery',
    ...RANGE,
    series: [node('$pageview', { math: 'first_time_for_user' }), node('bought')],
  }),
  retention: (_, entity) => ({
    kind: 'RetentionQuery',
    ...RANGE,
    retentionFilter: { targetEntity: entity('signed up'), returningEntity: entity('bought') },
  }),
  'retention from the first event ever': (_, entity) => ({
    kind: 'RetentionQuery',
    ...RANGE,
    retentionFilter: {
      targetEntity: { ...entity('signed up'), properties: [{ key: '$browser', value: ['Chrome'], operator: 'exact' }] },
      returningEntity: entity('signed up'),
      retentionType: 'retention_first_ever_occurrence',
    },
  }),
  lifecycle: (node) => ({ kind: 'LifecycleQuery', ...RANGE, series: [node('bought')] }),
  stickiness: (node) => ({ kind: 'StickinessQuery', ...RANGE, series: [node('$pageview'), node('bought')] }),
  'people behind a trend': (node) => ({
    kind: 'ActorsQuery',
    select: ['id', 'event_count'],
    orderBy: ['id'],
    source: {
      kind: 'InsightActorsQuery',
      source: { kind: 'TrendsQuery', ...RANGE, series: [node('bought', { math: 'first_time_for_user' })] },
    },
  }),
  'people behind a step': (node) => ({
    kind: 'ActorsQuery',
    select: ['id'],
    orderBy: ['id'],
    source: {
      kind: 'FunnelsActorsQuery',
      funnelStep: 2,
      source: { kind: 'FunnelsQuery', ...RANGE, series: [node('$pageview'), node('signed up')] },
    },
  }),
};

describe('an action with one event has the same results as the event', () => {
  test.each(Object.entries(QUERIES))('in %s', async (_, query) => {
    const events = ['$pageview', 'bought', 'signed up', '$autocapture'];
    const ids = new Map<string, unknown>();
    for (const event of events) ids.set(event, await action([{ event }]));
    const plain = await ask(
      query(
        (event, rest) => ({ kind: 'EventsNode', event, name: event, ...rest }),
        (id) => ({ id, type: 'events' }),
      ),
    );
    const named = await ask(
      query(
        (event, rest) => ({ kind: 'ActionsNode', id: ids.get(event), name: event, ...rest }),
        (event) => ({ id: ids.get(event), type: 'actions' }),
      ),
    );
    const anonymous = (results: unknown) =>
      JSON.stringify(results).replace(/"(type|id|action_id)":("(events|actions)"|"[^"]*"|\d+|null)(,|(?=\}))/g, '');
    expect(anonymous(named)).toBe(anonymous(plain));
    // there is something to compare
    expect(JSON.stringify(plain)).toMatch(/[1-9]/);
  });

  test('results have the number, the kind and the custom name of the action', async () => {
    const id = await action([{ event: 'bought' }]);
    const series = [
      { kind: 'ActionsNode', id },
      { kind: 'EventsNode', event: '$pageview' },
    ];
    expect(await ask({ kind: 'TrendsQuery', ...RANGE, series })).toMatchObject([
      { action: { id, type: 'actions', name: `Action ${names}` }, label: `Action ${names}` },
      { action: { id: '$pageview', type: 'events' }, label: '$pageview' },
    ]);
    expect(await ask({ kind: 'FunnelsQuery', ...RANGE, series })).toMatchObject([
      { action_id: id, type: 'actions', name: `Action ${names}` },
      { action_id: '$pageview', type: 'events' },
    ]);
  });

  test('in behavioral cohorts', async () => {
    const id = await action([{ event: 'bought' }]);
    const did = {
      type: 'behavioral',
      value: 'performed_event',
      explicit_datetime: '2024-03-12',
      explicit_datetime_to: '2024-03-14',
    };
    const count = async (what: object) =>
      (await api('cohorts', { name: 'Did', filters: { properties: { type: 'AND', values: [{ ...did, ...what }] } } }))['count'];
    const ofEvent = await count({ key: 'bought', event_type: 'events' });
    expect(ofEvent).toBeGreaterThan(0);
    expect(await count({ key: id, event_type: 'actions' })).toBe(ofEvent);
  });
});

test('a cached result is not used after the action has changed', async () => {
  const id = await action([{ event: 'bought' }]);
  const query = { kind: 'TrendsQuery', ...RANGE, series: [{ kind: 'ActionsNode', id }], trendsFilter: { display: 'BoldNumber' } };
  const before = await ask(query);
  expect(await ask(query)).toEqual(before);
  await it.call('PATCH', `${project}actions/${String(id)}/`, { body: { steps: [{ event: '$pageview' }] } });
  expect(JSON.stringify(await ask(query))).not.toBe(JSON.stringify(before));
});

const OTHERS: [string, (id: unknown) => object, string][] = [
  ['trends', (id) => ({ kind: 'TrendsQuery', series: [{ kind: 'ActionsNode', id }] }), 'query__series__0__id'],
  ['events', (id) => ({ kind: 'EventsQuery', select: ['event'], actionId: id }), 'query__actionId'],
  [
    'retention',
    (id) => ({ kind: 'RetentionQuery', retentionFilter: { targetEntity: { id, type: 'actions' } } }),
    'query__retentionFilter__targetEntity__id',
  ],
];

test.each(OTHERS)('%s of an unknown action are refused', async (_, query, attr) => {
  const foreign = (await it.call('POST', '/api/projects/', { body: { name: 'Other' } })).json().id;
  const gone = await action([{ event: 'bought' }]);
  await it.call('PATCH', `${project}actions/${String(gone)}/`, { body: { deleted: true } });
  for (const id of [gone, await action([{ event: 'bought' }], `/api/projects/${foreign}/`), 2_000_000_000, 9_000_000_000]) {
    const answer = await it.call('POST', `${project}query/`, { body: { query: query(id) } });
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { attr, detail: `There is no action ${String(id)}.` }]);
  }
});

test('a cohort of an unknown action is refused', async () => {
  const did = { type: 'behavioral', value: 'performed_event', time_value: 1, time_interval: 'day' };
  const filters = { properties: { type: 'AND', values: [{ ...did, key: '2000000000', event_type: 'actions' }] } };
  const answer = await it.call('POST', `${project}cohorts/`, { body: { name: 'Did', filters } });
  expect([answer.statusCode, answer.json()]).toMatchObject([400, { attr: 'filters__properties__values__0__key' }]);
});

/* Events that match, as a plain reading of their steps finds them. */

interface Element {
  tag: string;
  text: string | null;
  href: string | null;
}
interface Happened {
  event: string;
  url: string | null;
  price: number | null;
  elements: Element[];
}
type Matching = 'contains' | 'exact' | 'regex' | null;
interface Step {
  event: string | null;
  url: string | null;
  url_matching: Matching;
  tag_name: string | null;
  text: string | null;
  text_matching: Matching;
  href: string | null;
  href_matching: Matching;
  properties: { key: string; operator: 'gt'; value: number; type: 'event' }[];
}

const compares = (wanted: string, how: Matching, found: string | null): boolean => {
  if (found === null) return false;
  if (how === 'regex') return new RegExp(wanted).test(found);
  const [one, other] = [wanted.toLowerCase(), found.toLowerCase()];
  return how === 'contains' ? other.includes(one) : other === one;
};

function fits(step: Step, { event, url, price, elements }: Happened): boolean {
  const any = (wanted: string | null, how: Matching, of: (element: Element) => string | null) =>
    wanted === null || elements.some((element) => compares(wanted, how, of(element)));
  return (
    (step.event === null || step.event === event) &&
    (step.url === null || compares(step.url, step.url_matching ?? 'contains', url)) &&
    any(step.tag_name, 'exact', ({ tag }) => tag) &&
    any(step.text, step.text_matching ?? 'exact', ({ text }) => text) &&
    any(step.href, step.href_matching ?? 'exact', ({ href }) => href) &&
    step.properties.every(({ value }) => price !== null && price > value)
  );
}

const maybe = <T>(...values: T[]) => fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.constantFrom(...values));
const matching = fc.constantFrom<Matching>('contains', 'exact', 'regex', null);
const element = fc.record({
  tag: fc.constantFrom('a', 'button', 'div'),
  text: maybe('Buy', 'buy now', 'Docs'),
  href: maybe('/docs', '/Docs/api'),
});
const happened: fc.Arbitrary<Happened> = fc.record({
  event: fc.constantFrom('$autocapture', '$pageview', 'paid'),
  url: maybe('https://a.test/', 'https://a.test/Pricing'),
  price: maybe(1, 5, 12),
  elements: fc.array(element, { maxLength: 3 }),
});
const step: fc.Arbitrary<Step> = fc.record({
  event: maybe('$autocapture', '$pageview', 'paid'),
  url: maybe('https://a.test/', 'pricing', 'a.test/.*g$'),
  url_matching: matching,
  tag_name: maybe('a', 'button'),
  text: maybe('Buy', 'BUY', 'Docs'),
  text_matching: matching,
  href: maybe('/docs', '/docs$', 'api'),
  href_matching: matching,
  properties: fc.oneof(
    fc.constant<Step['properties']>([]),
    fc.constantFrom(1, 5).map((value): Step['properties'] => [{ key: 'price', operator: 'gt', value, type: 'event' }]),
  ),
});

const chainOf = (elements: readonly Element[]): string =>
  elements
    .map(
      ({ tag, text, href }) =>
        `${tag}:${href === null ? '' : `href="${href}"`}${text === null ? '' : `text="${text}"`}nth-child="1"`,
    )
    .join(';');

test('an event matches an action if it meets every condition of any step', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(happened, { minLength: 20, maxLength: 40 }),
      fc.array(fc.array(step, { maxLength: 3 }), { minLength: 6, maxLength: 6 }),
      async (all, actions) => {
        const { id } = (await it.call('POST', '/api/projects/', { body: { name: 'Random' } })).json();
        const at = `/api/projects/${id}/`;
        const rows = all.map(
          ({ event, url, price, elements }, index): EventRow =>
            eventRow(index + ++names * 1000, {
              project_id: id,
              event,
              elements_chain: chainOf(elements),
              properties: { ...(url === null ? {} : { $current_url: url }), ...(price === null ? {} : { price }), index },
            }),
        );
        await put('events', rows);
        for (const steps of actions) {
          const expected = all.flatMap((one, index) => (steps.some((each) => fits(each, one)) ? [index] : []));
          const actionId = await action(steps, at);
          const found = await ask(
            { kind: 'EventsQuery', select: ['properties.index'], actionId, after: 'all', orderBy: ['uuid'], limit: 1000 },
            at,
          );
          expect([steps, [found].flat(2).map(Number)]).toEqual([steps, expected]);
          const counted = await ask(
            {
              kind: 'TrendsQuery',
              series: [{ kind: 'ActionsNode', id: actionId }],
              dateRange: { date_from: '2024-01-15', date_to: '2024-01-15' },
              trendsFilter: { display: 'BoldNumber' },
            },
            at,
          );
          expect(counted).toMatchObject([{ aggregated_value: expected.length }]);
        }
      },
    ),
    runs(4),
  );
});
