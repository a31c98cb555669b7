import type { Service } from '@tidemark/testkit';

export const EVENTS = Number(process.env['EVENTS'] ?? 1_000_000);
export const PERSONS = 100_000;
export const FLAGS = 5_000;
export const DASHBOARDS = 500;
/** Events of one request. */
const BATCH = 1_000;
const API = '/api/projects/@current';

/** Captures an event of each person, which makes persons and definitions: the rows of the seed are the store's alone. */
export async function capturePersons(service: Service): Promise<void> {
  const bodyOf = (first: number) =>
    Array.from({ length: BATCH }, (_, at) => ({
      event: ['$pageview', 'signed_up', 'bought'][at % 3],
      distinct_id: `user-${first + at}`,
      properties: { $browser: 'Chrome', $os: 'Linux', $set: { email: `user-${first + at}@example.com` } },
    }));
  for (let first = 0; first < PERSONS; first += BATCH) {
    const body = { api_key: service.account.projectKey, batch: bodyOf(first) };
    const { status } = await service.call('POST', '/batch/', { key: null, body });
    if (status !== 200) throw new Error(`/batch/ answers ${status}`);
  }
}

/** Makes flags, dashboards, and a dashboard of six tiles. @returns its id */
export async function makeObjects(service: Service): Promise<number> {
  const make = async (path: string, body: object) => {
    const answer = await service.post(path, body);
    if (answer.status !== 201) throw new Error(`${path} answers ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body as { id: number };
  };
  const many = async (count: number, one: (at: number) => Promise<unknown>) => {
    for (let at = 0; at < count; at += 20)
      await Promise.all(Array.from({ length: Math.min(20, count - at) }, (_, i) => one(at + i)));
  };
  await many(FLAGS, (at) => make(`${API}/feature_flags/`, { key: `flag-${at}`, name: `What flag ${at} is for` }));
  await many(DASHBOARDS, (at) => make(`${API}/dashboards/`, { name: `Dashboard ${at}` }));
  const { id } = await make(`${API}/dashboards/`, { name: 'Six tiles', pinned: true });
  const trend = (event: string, rest: object = {}) => ({
    kind: 'TrendsQuery',
    dateRange: { date_from: '-30d' },
    series: [{ kind: 'EventsNode', event }],
    ...rest,
  });
  const sources = [
    trend('$pageview'),
    trend('signed_up', { breakdownFilter: { breakdown: '$browser' } }),
    trend('bought', { trendsFilter: { display: 'BoldNumber' } }),
    trend('$pageview', { trendsFilter: { display: 'ActionsBar' }, breakdownFilter: { breakdown: '$os' } }),
    {
      kind: 'FunnelsQuery',
      dateRange: { date_from: '-30d' },
      series: ['$pageview', 'signed_up', 'bought'].map((event) => ({ kind: 'EventsNode', event })),
    },
    { kind: 'RetentionQuery', retentionFilter: { period: 'Week', totalIntervals: 6 } },
  ];
  for (const [at, source] of sources.entries())
    await make(`${API}/insights/`, { name: `Tile ${at + 1}`, query: { kind: 'InsightVizNode', source }, dashboards: [id] });
  return id;
}
