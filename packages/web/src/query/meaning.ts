import { readableName } from '@tidemark/charts';
import { type Question, seriesLetter } from './question.js';

/** What the numbers of a question mean, a sentence each. The guide has the exact rules ("What the numbers mean"). */
export function meaningOf(question: Question): string[] {
  return [...kindText(question), ...mathTexts(question), ...scopeTexts(question)];
}

function kindText({ kind, funnelsFilter, retentionFilter, interval }: Question): string[] {
  switch (kind) {
    case 'TrendsQuery':
      return [
        `Each number is about the events of one ${interval ?? 'day'}, by their own timestamps: an event that arrives late changes the past.`,
      ];
    case 'FunnelsQuery': {
      const { funnelWindowInterval: count, funnelWindowIntervalUnit: unit, funnelOrderType: order } = funnelsFilter ?? {};
      const window = `${count ?? 14} ${unit ?? 'day'}${Number(count ?? 14) === 1 ? '' : 's'}`;
      return [
        `A step counts the people who took it and all required steps before it, within ${window} of the first step. Each person counts once, with the attempt that got furthest.`,
        ORDERS[String(order)] ?? ORDERS['ordered'] ?? '',
      ];
    }
    case 'RetentionQuery': {
      const { period, retentionType: type } = retentionFilter ?? {};
      const unit = String(period ?? 'Day').toLowerCase();
      return [
        `A row is the people who began in one ${unit}; a column is how many of them came back that many ${unit}s later.`,
        STARTS[String(type)] ?? STARTS['retention_recurring'] ?? '',
      ];
    }
    case 'PathsQuery':
      return [
        'The numbers count paths, not people: a pause of more than 30 minutes begins a new path, and equal steps in a row are one.',
        'Rare edges are left out.',
      ];
    case 'LifecycleQuery':
      return [
        `Each person counts once a ${interval ?? 'day'}: new in the one in which they were first seen, returning if active in the one before, resurrecting after a pause, dormant in the first one without an event.`,
      ];
    case 'StickinessQuery':
      return [`A bar counts the people who did it in exactly so many different ${interval ?? 'day'}s. Each person counts once.`];
    case 'HogQLQuery':
      return [
        'The numbers are what the statement says, over the rows of this project alone.',
        'Nothing is left out by itself: events of tests, of deleted people and of the future count too.',
      ];
  }
}

const ORDERS: Record<string, string> = {
  ordered: 'Other events may happen between two steps.',
  strict: 'No other event of the same person may happen between two steps.',
  unordered: 'The steps may come in any order: the second number counts who took any two of them.',
};

const STARTS: Record<string, string> = {
  retention_recurring: 'Somebody begins again in each period in which they do the first event.',
  retention_first_time: 'Somebody begins once, with the first such event ever.',
  retention_first_ever_occurrence: 'Somebody begins once, with the first event of that name ever, if it matches the filters.',
};

const ACTIVE = 'people who were active in the 7 days up to the end of each point';

/** What each way to count does with the events of a series. */
const MATHS: Record<string, string> = {
  total: 'events',
  dau: 'different people; who did it twice counts once',
  weekly_active: ACTIVE,
  monthly_active: ACTIVE.replace('7', '30'),
  unique_session: 'different sessions; events without one do not count',
  unique_group: 'different groups; events without one do not count',
  first_time_for_user: 'people whose first event of that name ever is there; who did it long before does not count',
  first_matching_event_for_user: 'people whose first event ever that matches the filters is there',
  hogql: 'what its expression says',
};

/** Ways to count that are about the numbers of a property. */
const OF_PROPERTY: Record<string, string> = {
  sum: 'the sum',
  avg: 'the average',
  min: 'the lowest',
  max: 'the highest',
  median: 'the median',
};

function mathText(math: string, property: string | null | undefined): string {
  const known = MATHS[math];
  if (known) return known;
  const perActor = /^(.+)_count_per_actor$/.exec(math)?.[1];
  const name = perActor ?? math;
  const of = OF_PROPERTY[name] ?? `the value that ${name.replace(/^p(\d+)$/, '$1')} % do not exceed,`;
  if (perActor) return `${of} number of events of each person; people without an event do not count`;
  return `${of} of ${property ?? 'a property'}; events without a number do not count`;
}

function mathTexts({ kind, series = [], trendsFilter }: Question): string[] {
  if (kind !== 'TrendsQuery') return [];
  const texts = series.map(
    ({ math, math_property: property, custom_name, name, event }, i) =>
      `${series.length > 1 ? `${readableName(custom_name ?? name ?? event ?? 'All events')} (${seriesLetter(i)})` : 'It'} counts ${mathText(math ?? 'total', property)}.`,
  );
  const formula = trendsFilter?.['formula'];
  return [...new Set(texts), ...(typeof formula === 'string' && formula ? [`The chart shows ${formula}.`] : [])];
}

function scopeTexts({ kind, filterTestAccounts, samplingFactor, compareFilter, trendsFilter }: Question): string[] {
  return [
    ...(compareFilter?.compare ? ['The period before has the same length and ends where this one begins.'] : []),
    ...(trendsFilter?.['display'] === 'ActionsLineGraphCumulative' ? ['Each number includes all earlier ones.'] : []),
    ...(filterTestAccounts ? ['Events of test accounts are left out.'] : []),
    ...(typeof samplingFactor === 'number' && samplingFactor < 1
      ? [`Counted from ${Math.round(samplingFactor * 100)} % of the people, and scaled up.`]
      : []),
    ...(kind === 'HogQLQuery' ? [] : ['After a merge, the events of all ids of a person are theirs.']),
  ];
}
