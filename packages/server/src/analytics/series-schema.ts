import { z } from 'zod';
import { choice } from '../http/fields.js';
import { absent, actionId, exactText, flag, groupTypeIndex, readEntity, refusal, unsupported } from './fields.js';
import type { FilterGroup } from './filter.js';
import { filters } from './filter-schema.js';
import { type Expression, readAggregateExpression } from './kinds/sql/expression.js';
import { isReadableName, type PropertyOwner } from './sql/property.js';

/** Statistics of a numeric property, or of the number of events of each actor. */
const STATISTICS = ['sum', 'avg', 'min', 'max', 'median', 'p75', 'p90', 'p95', 'p99'] as const;
export type Statistic = (typeof STATISTICS)[number];

/** The pseudo-property for the duration of a session, in seconds. */
export const SESSION_DURATION = '$session_duration';

/** Whose events are counted together: persons, or groups of a type. */
export type MathActor = { type: 'person' } | { type: 'group'; index: number };

/** The groups of a type; null: persons. */
export const mathActor = (index: number | null): MathActor => (index === null ? { type: 'person' } : { type: 'group', index });

/** What a series counts. */
export type SeriesMath =
  | { kind: 'total' }
  /** Unique persons, sessions, groups. */
  | { kind: 'dau' }
  | { kind: 'unique_session' }
  | { kind: 'unique_group'; index: number }
  /** Unique persons in the 7 or 30 days that end with each interval. */
  | { kind: 'weekly_active' }
  | { kind: 'monthly_active' }
  /** Persons by the first event of that name they ever had. */
  | { kind: 'first_time_for_user' }
  /** Persons by their first event that matches the filters. */
  | { kind: 'first_matching_event_for_user' }
  /** An aggregate written in SQL. */
  | { kind: 'hogql'; expression: Expression }
  /** A statistic of session durations; each session counts once. */
  | { kind: 'session_duration'; statistic: Statistic }
  | { kind: Statistic; property: { owner: PropertyOwner; key: string } }
  | { kind: 'count_per_actor'; statistic: Exclude<Statistic, 'sum'>; actor: MathActor };

/** The wire name of a math. */
export function mathName(math: SeriesMath): string {
  if (math.kind === 'session_duration') return math.statistic;
  return math.kind === 'count_per_actor' ? `${math.statistic}_count_per_actor` : math.kind;
}

/** Events of one name (null: all) or of an action, as one line of a trend, one step of a funnel. */
export interface EventsNode {
  event: string | null;
  name: string | null;
  customName: string | null;
  math: SeriesMath;
  properties: FilterGroup;
  /** Number of the action. `properties` starts with the condition that the event matches it. */
  action?: number;
  /** Funnel step that a run may skip. */
  isOptional?: true;
}

const PER_ACTOR = STATISTICS.filter((statistic) => statistic !== 'sum');
const perActor = (statistic: Statistic): `${Statistic}_count_per_actor` => `${statistic}_count_per_actor`;

const MATHS = [
  'total',
  'dau',
  'weekly_active',
  'monthly_active',
  'unique_session',
  'unique_group',
  'first_time_for_user',
  'first_matching_event_for_user',
  'hogql',
  ...STATISTICS,
  ...PER_ACTOR.map(perActor),
] as const;

const PROPERTY_TYPES = ['event_properties', 'numerical_event_properties', 'person_properties', 'session_properties'] as const;

const MAX_SERIES = 50;

const node = z
  .object({
    kind: choice(['EventsNode', 'ActionsNode']).describe('Events of one name, or those that match an action.'),
    id: actionId().describe('Number of the action, for `ActionsNode`.'),
    event: absent(exactText()).describe('Name of the events; null: all.'),
    name: absent(exactText()).describe('What the series is called.'),
    custom_name: absent(exactText()).describe('What people call the series.'),
    math: absent(choice(MATHS))
      .describe(
        'What is counted: events (`total`), persons (`dau`; in the 7 or 30 days until then, or in the interval itself by weeks and months: `weekly_active`, `monthly_active`), sessions, groups, persons by the first of their events ever, or of those that the filters let through (`first_time_for_user`, `first_matching_event_for_user`), what an expression makes of them (`hogql`), something of the numbers in `math_property`, or something of how many events each person (or group of `math_group_type_index`) has.',
      )
      .meta({ default: 'total' }),
    math_property: absent(exactText(400)).describe(
      'The property with the numbers, for `sum` to `p99`; `$session_duration` is the length of sessions in seconds, each of which counts once.',
    ),
    math_property_type: absent(choice(PROPERTY_TYPES)).describe('Whose property that is.').meta({ default: 'event_properties' }),
    math_hogql: absent(exactText(10_000)).describe(
      'An expression of SQL with an aggregate, for `hogql`: `sum(properties.price) / count()`.',
    ),
    math_multiplier: unsupported('Numbers are not multiplied: use a formula.'),
    math_property_revenue_currency: unsupported('Amounts are not converted into another currency.'),
    math_group_type_index: groupTypeIndex.describe('Which type of groups; `unique_group` needs it.'),
    properties: filters(),
    fixedProperties: filters(),
    isIncreaseBad: absent(z.boolean('Expected true or false.')).describe(
      'Whether a higher number is worse, in trends: a rise is then shown in the color of what is bad. Default: as `trendsFilter` says.',
    ),
    optionalInFunnel: flag().describe('Of the step of a funnel, but not the first one: who skips it may go on.'),
  })
  .transform((raw, ctx): EventsNode => {
    const math = readMath(raw);
    if ('field' in math) {
      ctx.addIssue(refusal(math.message, math.message === REQUIRED ? 'required' : 'invalid_input', [math.field]));
      return z.NEVER;
    }
    const { properties, fixedProperties } = raw;
    const entity = readEntity({ ...raw, isAction: raw.kind === 'ActionsNode', properties: [properties, fixedProperties] });
    if ('field' in entity) {
      ctx.addIssue(refusal(entity.message, entity.code, [entity.field]));
      return z.NEVER;
    }
    return {
      ...entity,
      name: raw.name || null,
      customName: raw.custom_name || null,
      math,
      ...(raw.optionalInFunnel ? { isOptional: true } : {}),
    };
  });

const REQUIRED = 'This field is required.';

interface MathFields {
  math?: (typeof MATHS)[number] | null | undefined;
  math_property?: string | null | undefined;
  math_property_type?: (typeof PROPERTY_TYPES)[number] | null | undefined;
  math_hogql?: string | null | undefined;
  math_group_type_index?: 0 | 1 | 2 | 3 | 4 | null | undefined;
}

function readMath(raw: MathFields): SeriesMath | { field: string; message: string } {
  const math = raw.math ?? 'total';
  const index = raw.math_group_type_index ?? null;
  if (math === 'unique_group') {
    return index === null ? { field: 'math_group_type_index', message: REQUIRED } : { kind: math, index };
  }
  if (math === 'hogql') {
    if (!raw.math_hogql) return { field: 'math_hogql', message: REQUIRED };
    const expression = readAggregateExpression(raw.math_hogql);
    return typeof expression === 'string' ? { field: 'math_hogql', message: expression } : { kind: math, expression };
  }
  const counted = PER_ACTOR.find((one) => perActor(one) === math);
  if (counted) {
    return { kind: 'count_per_actor', statistic: counted, actor: mathActor(index) };
  }
  const statistic = STATISTICS.find((one) => one === math);
  if (!statistic) return plainMath(math);
  const key = raw.math_property ?? '';
  if (key === '') return { field: 'math_property', message: REQUIRED };
  const isOfPerson = raw.math_property_type === 'person_properties';
  if (key === SESSION_DURATION && !isOfPerson) return { kind: 'session_duration', statistic };
  if (raw.math_property_type === 'session_properties') {
    return { field: 'math_property', message: `Of sessions only ${SESSION_DURATION} can be asked for.` };
  }
  if (!isReadableName(key)) return { field: 'math_property', message: 'A property of this name cannot be queried.' };
  const owner: PropertyOwner = { type: isOfPerson ? 'person' : 'event' };
  return { kind: statistic, property: { owner, key } };
}

const PLAIN: readonly SeriesMath[] = [
  { kind: 'dau' },
  { kind: 'weekly_active' },
  { kind: 'monthly_active' },
  { kind: 'unique_session' },
  { kind: 'first_time_for_user' },
  { kind: 'first_matching_event_for_user' },
];
const plainMath = (math: string): SeriesMath => PLAIN.find(({ kind }) => kind === math) ?? { kind: 'total' };

/** A list of series: `least` to 50. */
export const seriesList = (least = 1) =>
  z
    .array(node, 'Expected a list of series.')
    .min(least, least === 1 ? 'At least one series is required.' : `At least ${least} series are required.`)
    .max(MAX_SERIES, `There may be ${MAX_SERIES} series.`);

/** One series. */
export const seriesNode = node;
