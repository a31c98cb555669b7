import { setTimeout as sleep } from 'node:timers/promises';
import { type EventMaker, pick, type Random, type SentEvent, type Service } from '@tidemark/testkit';

const DAY = 86_400_000;
const LATE = { share: 0.2, byMs: DAY };
const MERGING = 0.1;
/** Events of a generation of people; the first ones are of these days, which no other event touches. */
const GENERATION = 400;
/** They are few, so that merged ones were often active on the same day. */
const PEOPLE = 16;
const OLD = { count: 100, fromMs: 3 * DAY, toMs: 6 * DAY };
const NAMES = ['$pageview', '$pageview', 'signed_up', 'bought'] as const;
/** Pause between two questions that are asked while events arrive, milliseconds. */
const ASK_EVERY_MS = 20;
/** Digits that two answers must have in common: sums and means depend on the order in which the engine adds. */
const DIGITS = 9;

const dateRange = { date_from: '-7d' };
const node = (event: string, more: object = {}) => ({ kind: 'EventsNode', event, ...more });
const entity = (id: string) => ({ id, type: 'events' });
const trend = (more: object, math = 'total') => ({
  kind: 'TrendsQuery',
  series: [node('$pageview', { math })],
  dateRange,
  ...more,
});

/** A question of every kind whose results or parts are cached. */
const QUESTIONS: Readonly<Record<string, object>> = {
  'events a day': trend({}),
  'persons a day': trend({}, 'dau'),
  'persons an hour, against the days before': trend({ interval: 'hour', compareFilter: { compare: true } }, 'dau'),
  'persons of the week until each day': trend({}, 'weekly_active'),
  'a number of persons': trend({ trendsFilter: { display: 'BoldNumber' } }, 'dau'),
  'events by browser': trend({ breakdownFilter: { breakdown: '$browser' } }),
  'persons by browser': trend({ breakdownFilter: { breakdown: '$browser' } }, 'dau'),
  'sum of a property': { ...trend({}), series: [node('bought', { math: 'sum', math_property: 'items' })] },
  'a formula': { ...trend({ trendsFilter: { formula: 'A/B' } }), series: [node('bought'), node('$pageview')] },
  'a funnel': { kind: 'FunnelsQuery', series: NAMES.slice(1).map((event) => node(event)), dateRange },
  retention: {
    kind: 'RetentionQuery',
    retentionFilter: { period: 'Day', totalIntervals: 7, targetEntity: entity('$pageview'), returningEntity: entity('bought') },
  },
  lifecycle: { kind: 'LifecycleQuery', series: [node('$pageview')], dateRange },
  'lifecycle by hour': { kind: 'LifecycleQuery', series: [node('bought')], dateRange, interval: 'hour' },
  stickiness: { kind: 'StickinessQuery', series: [node('$pageview')], dateRange },
  paths: { kind: 'PathsQuery', pathsFilter: { includeEventTypes: ['$pageview'] }, dateRange },
};

/**
 * Makes events of people with profiles. A generation of people begins with old events; then they have new ones, of which a fifth are late
 * and some merge two persons, so that their old days change by that alone.
 */
export function mixedEvents(): (make: EventMaker, random: Random) => SentEvent {
  let made = 0;
  return (make, random) => {
    const generation = Math.floor(made / GENERATION);
    const isOld = made++ % GENERATION < OLD.count;
    const late = random() < LATE.share ? random() * LATE.byMs : 0;
    const age = isOld ? OLD.fromMs + random() * (OLD.toMs - OLD.fromMs) : late;
    const sent = make({ event: pick(random, NAMES), timestamp: new Date(Date.now() - age).toISOString() });
    const someone = () => `visitor-${generation}-${Math.floor(random() * PEOPLE)}`;
    const properties = { ...sent.properties, $process_person_profile: true };
    if (isOld || random() >= MERGING) return { ...sent, distinct_id: someone(), properties };
    return {
      ...sent,
      event: '$identify',
      distinct_id: someone(),
      properties: { ...properties, $anon_distinct_id: someone() },
    };
  };
}

/** Asks all questions again and again, so that all caches are warm. @returns a function that ends it */
export function keepAsking(service: Service): () => Promise<void> {
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      for (const query of Object.values(QUESTIONS)) {
        // a service that was killed answers nothing
        await ask(service, query, 'blocking').catch(() => null);
        await sleep(ASK_EVERY_MS);
      }
    }
  })();
  return () => {
    isOver = true;
    return asking;
  };
}

/** Asks each question with all caches and with none. No event may arrive meanwhile. @returns how many were asked, and which differ */
export async function compareAnswers(service: Service): Promise<{ compared: number; differing: string[] }> {
  const differing: string[] = [];
  for (const [name, query] of Object.entries(QUESTIONS)) {
    const cached = await ask(service, query, 'blocking');
    const computed = await ask(service, query, 'force_blocking');
    if (cached === computed) continue;
    differing.push(name);
    console.log(`  ${name} differs:\n    cached   ${cached}\n    computed ${computed}`);
  }
  return { compared: Object.keys(QUESTIONS).length, differing };
}

/** The results of a question that contain every acknowledged event, as text. */
async function ask(service: Service, query: object, refresh: 'blocking' | 'force_blocking'): Promise<string> {
  const { status, body } = await service.post('/api/environments/@current/query/', { query, refresh, staleness: 0 });
  if (status !== 200) throw new Error(`The query answers ${status}: ${JSON.stringify(body)}`);
  const { results } = body as { results: unknown };
  return JSON.stringify(results, (_, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value));
}
