import { z } from 'zod';
import { choice } from '../../../http/fields.js';
import { type Breakdown, breakdownField } from '../../breakdown.js';
import type { Interval } from '../../buckets.js';
import { absent, count, exactText, flag, groupTypeIndex, readEntity, refusal, unsupported } from '../../fields.js';
import { leavesOf } from '../../filter.js';
import { filters } from '../../filter-schema.js';
import { type InsightScope, insightFields, readScope } from '../../insight-schema.js';
import { type EventsNode, type MathActor, mathActor } from '../../series-schema.js';

/** Counts actors with a start event in a period, and how many of them have a return event in later periods. */
export interface RetentionQuery extends InsightScope {
  kind: 'RetentionQuery';
  /** What people begin with, and what counts as coming back. */
  target: EventsNode;
  returning: EventsNode;
  /**
   * Which of those events count as beginnings: one in `every_period`, the `first_time` ever, or the `first_ever` event of that name
   * where it is also the first that the target's filters hold of.
   */
  begins: 'every_period' | 'first_time' | 'first_ever';
  period: Exclude<Interval, 'minute'>;
  /** How many columns are shown of each beginning, its own period included; without `date_from` also how many rows. */
  total: number;
  /** How many periods each column after the first stands for, in place of one in each of `total` columns; null: no such. */
  brackets: number[] | null;
  /** Whether those count too who came back only later. */
  cumulative: boolean;
  /** How often they have to come in a period for that to count. */
  minimum: number;
  /** Whether periods are counted from the event that people begin with, by its time of day; else they are those of the calendar. */
  isRolling: boolean;
  /** Splits the cohorts by a value of the start event. */
  breakdown: Breakdown | null;
  actor: MathActor;
}

/** The last period of each column, numbered from that in which people begin. */
export const columnEnds = ({ brackets, total }: Pick<RetentionQuery, 'brackets' | 'total'>): number[] => {
  let end = 0;
  return brackets ? [0, ...brackets.map((periods) => (end += periods))] : Array.from({ length: total }, (_, index) => index);
};

const MAX_PERIODS = 100;
const DEFAULT_PERIODS = 8;
const MAX_BRACKET = 1000;
const PERIODS: Record<'Hour' | 'Day' | 'Week' | 'Month', RetentionQuery['period']> = {
  Hour: 'hour',
  Day: 'day',
  Week: 'week',
  Month: 'month',
};

const BEGINS = {
  retention_recurring: 'every_period',
  retention_first_time: 'first_time',
  retention_first_ever_occurrence: 'first_ever',
} as const;
const RETENTION_TYPES = ['retention_recurring', 'retention_first_time', 'retention_first_ever_occurrence'] as const;
const MAX_OCCURRENCES = 1_000_000;

const entity = z
  .object(
    {
      id: absent(exactText()).describe('Name of the events, or number of the action; null: all events.'),
      type: absent(choice(['events', 'actions'])).describe('What is named.'),
      kind: absent(choice(['EventsNode', 'ActionsNode'])).describe('The same as `type`, as nodes of other queries say it.'),
      name: absent(exactText()).describe('What they are called.'),
      custom_name: absent(exactText()).describe('What people call them.'),
      properties: filters(),
    },
    'Expected an object with an id.',
  )
  .transform((raw, ctx): EventsNode => {
    const isAction = raw.type === 'actions' || (raw.type == null && raw.kind === 'ActionsNode');
    const { id, properties } = raw;
    const entity = readEntity({ isAction, ...(isAction ? { id } : { event: id }), properties: [properties] });
    if ('field' in entity) {
      ctx.addIssue(refusal(entity.message, entity.code, [entity.field]));
      return z.NEVER;
    }
    return { ...entity, name: raw.name || null, customName: raw.custom_name || null, math: { kind: 'total' } };
  });

const PAGEVIEW: EventsNode = {
  event: '$pageview',
  name: null,
  customName: null,
  math: { kind: 'total' },
  properties: { type: 'AND', values: [] },
};

const retentionFilter = z.object(
  {
    targetEntity: absent(entity).describe('What people begin with; `$pageview` if left out.'),
    returningEntity: absent(entity).describe('What counts as coming back; `$pageview` if left out.'),
    retentionType: absent(choice(RETENTION_TYPES))
      .describe(
        'Whether every period counts as a beginning, only the first time ever, or only the first event of that name ever, if the filters of the target hold of it.',
      )
      .meta({ default: 'retention_recurring' }),
    period: absent(choice(['Hour', 'Day', 'Week', 'Month']))
      .describe('Into what time is cut.')
      .meta({ default: 'Day' }),
    totalIntervals: absent(count(1, MAX_PERIODS))
      .describe('How many numbers a row has, that of its own period included; without `date_from` also how many rows there are.')
      .meta({ default: DEFAULT_PERIODS }),
    cumulative: flag().describe('Those count too who came back only later.'),
    minimumOccurrences: absent(count(1, MAX_OCCURRENCES))
      .describe('How often people have to come in a period for that to count.')
      .meta({ default: 1 }),
    timeWindowMode: absent(choice(['strict_calendar_dates', '24_hour_windows']))
      .describe(
        'Whether periods are those of the calendar, or begin for everybody with their first event: 24 hours, 7 or 30 days later the next one does.',
      )
      .meta({ default: 'strict_calendar_dates' }),
    retentionCustomBrackets: absent(
      z
        .array(count(1, MAX_BRACKET), 'Expected a list of numbers of periods.')
        .max(MAX_PERIODS - 1, `There may be ${MAX_PERIODS - 1} brackets.`),
    ).describe(
      'How many periods each number of a row after the first stands for, such as `[1, 3, 7]`: day 1, days 2 to 4, days 5 to 11. In place of a number for each of `totalIntervals` periods.',
    ),
    aggregationType: unsupported('Retention counts persons or groups.', 'count'),
    aggregationProperty: unsupported('Retention counts persons or groups.', ''),
  },
  'Expected an object with the settings of retention.',
);

/** A retention query as requests send it. */
export const retentionSchema = z
  .object({
    kind: z.literal('RetentionQuery').describe('Counts who came back.'),
    ...insightFields,
    aggregation_group_type_index: groupTypeIndex.describe('Counts groups of this type instead of persons.'),
    breakdownFilter: breakdownField.describe('Splits the result by a value of the start event.'),
    retentionFilter: absent(retentionFilter).describe('What counts as beginning and as coming back, and when.'),
  })
  .transform((raw): RetentionQuery => {
    const filter = raw.retentionFilter ?? { cumulative: false };
    const target = filter.targetEntity ?? PAGEVIEW;
    const begins = BEGINS[filter.retentionType ?? 'retention_recurring'];
    const index = raw.aggregation_group_type_index ?? null;
    return {
      kind: 'RetentionQuery',
      ...readScope(raw),
      target,
      returning: filter.returningEntity ?? PAGEVIEW,
      // without filters the first one ever is the first one of which they hold
      begins: begins === 'first_ever' && leavesOf(target.properties).length === 0 ? 'first_time' : begins,
      period: PERIODS[filter.period ?? 'Day'],
      total: filter.totalIntervals ?? DEFAULT_PERIODS,
      brackets: filter.retentionCustomBrackets?.length ? filter.retentionCustomBrackets : null,
      cumulative: filter.cumulative,
      minimum: filter.minimumOccurrences ?? 1,
      isRolling: filter.timeWindowMode === '24_hour_windows',
      breakdown: raw.breakdownFilter,
      actor: mathActor(index),
    };
  })
  .meta({
    id: 'RetentionQuery',
    description: 'Counts the actors with a start event in a period, and how many of them have a return event in later periods.',
  });
