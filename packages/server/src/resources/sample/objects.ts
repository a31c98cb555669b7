import type { FastifyInstance } from 'fastify';
import { loadPrincipal } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { CHECKOUT_FLAG, SEARCH_FLAG } from './shop.js';
import type { SampleObject } from './store.js';

const TAGS = ['sample'];
const event = (name: string, more: JsonObject = {}): JsonObject => ({ kind: 'EventsNode', event: name, ...more });
const MONTH = { date_from: '-30d' };

const INSIGHTS: readonly (readonly [name: string, query: JsonObject])[] = [
  ['Sample: Visitors', { kind: 'TrendsQuery', series: [event('$pageview', { math: 'dau' })], dateRange: { date_from: '-60d' } }],
  [
    'Sample: Revenue',
    {
      kind: 'TrendsQuery',
      series: [event('order_completed', { math: 'sum', math_property: 'value' })],
      interval: 'week',
      dateRange: { date_from: '-60d' },
    },
  ],
  [
    'Sample: From product to order',
    {
      kind: 'FunnelsQuery',
      series: ['product_viewed', 'added_to_cart', 'checkout_started', 'order_completed'].map((name) => event(name)),
      dateRange: MONTH,
    },
  ],
  [
    'Sample: Sign-ups by country',
    {
      kind: 'TrendsQuery',
      series: [event('signed_up')],
      breakdownFilter: { breakdown: '$geoip_country_name', breakdown_type: 'event' },
      trendsFilter: { display: 'ActionsBarValue' },
      dateRange: MONTH,
    },
  ],
  [
    'Sample: Do people come back?',
    {
      kind: 'RetentionQuery',
      retentionFilter: {
        targetEntity: { id: 'signed_up', type: 'events' },
        returningEntity: { id: '$pageview', type: 'events' },
        period: 'Week',
        totalIntervals: 8,
      },
    },
  ],
  [
    'Sample: Devices',
    {
      kind: 'TrendsQuery',
      series: [event('$pageview')],
      breakdownFilter: { breakdown: '$device_type', breakdown_type: 'event' },
      trendsFilter: { display: 'ActionsPie' },
      dateRange: MONTH,
    },
  ],
];

/** Who the objects belong to. `keyId` null: a login session, or the command. */
export interface SampleOwner {
  userId: number;
  keyId: string | null;
}

/**
 * Makes the flags, the experiment, the survey, the insights and the dashboard of a sample as a user would, by the API. What the owner may
 * not make is left out. `made` is called with each before the next.
 * @returns the id of the survey; null: it was not made
 */
export async function makeObjects(
  app: FastifyInstance,
  deps: Deps,
  projectId: number,
  owner: SampleOwner,
  made: (object: SampleObject) => Promise<void>,
): Promise<string | null> {
  const principal = await loadPrincipal(deps, owner.userId, owner.keyId);
  if (!principal) return null;
  const make = async (table: SampleObject['table'], body: JsonObject): Promise<JsonObject | null> => {
    const { statusCode, payload } = await deps.services.impersonation.run(principal, () =>
      app.inject({
        method: 'POST',
        url: `/api/projects/${projectId}/${table}/`,
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify(body),
      }),
    );
    const answer: Json = JSON.parse(payload);
    if (statusCode !== 201 || !isObject(answer)) {
      deps.log.warn({ project: projectId, table, status: statusCode }, 'an object of the sample data could not be made');
      return null;
    }
    const { id } = answer;
    if (typeof id === 'number' || typeof id === 'string') await made({ table, id });
    return answer;
  };

  const groups = (rollout: number) => [{ properties: [], rollout_percentage: rollout }];
  await make('feature_flags', { key: SEARCH_FLAG, name: 'Sample: faster search', filters: { groups: groups(30) }, tags: TAGS });
  const variants = ['control', 'test'].map((key) => ({ key, name: key, rollout_percentage: 50 }));
  await make('feature_flags', {
    key: CHECKOUT_FLAG,
    name: 'Sample: new check-out',
    filters: { groups: groups(100), multivariate: { variants } },
    tags: TAGS,
  });
  await make('experiments', {
    name: 'Sample: new check-out',
    description: 'One page instead of three.',
    feature_flag_key: CHECKOUT_FLAG,
  });
  const survey = await make('surveys', {
    name: 'Sample: satisfaction',
    type: 'api',
    questions: [{ type: 'rating', question: 'How was your last order?', scale: 5 }],
  });
  const dashboard = await make('dashboards', {
    name: 'Sample: Shop',
    description: 'An invented shop. Remove it with the sample data.',
    pinned: true,
    tags: TAGS,
  });
  for (const [name, source] of INSIGHTS) {
    const query = { kind: 'InsightVizNode', source };
    await make('insights', {
      name,
      query,
      tags: TAGS,
      saved: true,
      ...(dashboard ? { dashboards: [dashboard['id'] ?? null] } : {}),
    });
  }
  return typeof survey?.['id'] === 'string' ? survey['id'] : null;
}
