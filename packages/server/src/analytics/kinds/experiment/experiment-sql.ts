import { EVENT_MILLIS } from '../../sql/bucket-index.js';
import { condition } from '../../sql/filter.js';
import { bound, commaList, EMPTY, every, type Fragment, identifier, some, sql } from '../../sql/fragment.js';
import { PERSON_ID, property } from '../../sql/property.js';
import { selectFromEvents } from '../../sql/source.js';
import { within } from '../../sql/time.js';
import type { KindContext } from '../kind.js';
import type { Exposure, Metric, MetricEvents, MetricMath } from './experiment-schema.js';

const CALLED = '$feature_flag_called';

/** Pseudo-variant of excluded persons with several variants. No variant has an empty name. */
export const SEVERAL = '';

const text = (name: string): Fragment => sql`ifNull(${property({ type: 'event' }, name).text}, '')`;

/** Selects the exposed persons: `person`, `first` (milliseconds) and `variant`. Merged persons are one. */
function exposedPersons(exposure: Exposure, context: KindContext): Fragment {
  const isCall = exposure.action === undefined && (exposure.event === null || exposure.event === CALLED);
  const variant = text(isCall ? '$feature_flag_response' : `$feature/${exposure.flagKey}`);
  // ties within a millisecond are broken by uuid, so that results are stable
  const first = sql`argMin(${variant}, (${EVENT_MILLIS}, e.uuid))`;
  return selectFromEvents({
    projectId: context.projectId,
    select: [
      sql`${PERSON_ID} as person`,
      sql`min(${EVENT_MILLIS}) as first`,
      exposure.several === 'exclude'
        ? sql`if(uniqExact(${variant}) > 1, ${bound('String', SEVERAL)}, ${first}) as variant`
        : sql`${first} as variant`,
    ],
    where: [
      ...within(exposure),
      ...(exposure.action === undefined ? [sql`e.event = ${bound('String', exposure.event ?? CALLED)}`] : []),
      every(isCall ? [sql`${text('$feature_flag')} = ${bound('String', exposure.flagKey)}`] : []),
      sql`has(${bound('Array(String)', exposure.variants)}, ${variant})`,
      condition(exposure.properties, context),
      condition(context.testAccounts, context),
    ],
    groupBy: [sql`person`],
  });
}

/** Selects a row for each variant and day of first exposure. */
export const exposuresStatement = (exposure: Exposure, recentFrom: number, context: KindContext): Fragment =>
  sql`select variant, toString(toDate(fromUnixTimestamp64Milli(first, ${bound('String', context.moment.zone.name)}))) as day, count() as persons, countIf(first >= ${bound('Int64', recentFrom)}) as recent
    from (${exposedPersons(exposure, context)})
    group by variant, day
    order by variant, day`;

/**
 * Selects the {@link MetricSums} of each variant. The exposed persons are the hash table of the join and the events of the metric stream
 * through it, so memory grows with the number of participants, not of events.
 */
export function metricStatement(metric: Metric, exposure: Exposure, context: KindContext): Fragment {
  const sources = sourcesOf(metric);
  const inWindow = sql`m.person = x.person and m.at >= x.first`;
  const counts = metric.window === null ? inWindow : sql`${inWindow} and m.at < x.first + ${bound('Int64', metric.window)}`;
  const persons = sql`select any(x.variant) as variant, ${commaList(perPerson(metric, counts))}
    from (${metricEvents(sources, exposure, context)}) as m
    global right join (${exposedPersons(exposure, context)}) as x on m.person = x.person
    group by x.person`;
  return sql`select variant, count() as exposures, ${commaList(perVariant(metric))} from (${persons}) group by variant`;
}

const sourcesOf = (metric: Metric): MetricEvents[] => {
  if (metric.type === 'funnel') return metric.steps;
  return metric.type === 'mean' ? [metric.source] : [metric.numerator, metric.denominator];
};

const named = (letter: string, index: number): Fragment => identifier(`${letter}${index}`);

/** Selects the events of a metric: person, time, and for each source whether it matches and its value. */
function metricEvents(sources: readonly MetricEvents[], exposure: Exposure, context: KindContext): Fragment {
  const conditions = sources.map(({ event, properties }) =>
    every([event === null ? sql`1` : sql`e.event = ${bound('String', event)}`, condition(properties, context)]),
  );
  const columns = sources.flatMap((source, index) => [
    sql`${conditions[index] ?? EMPTY} as ${named('is', index)}`,
    ...(source.property === null
      ? []
      : [sql`${property({ type: 'event' }, source.property).number} as ${named('value', index)}`]),
  ]);
  return selectFromEvents({
    projectId: context.projectId,
    select: [sql`${PERSON_ID} as person`, sql`${EVENT_MILLIS} as at`, sql`e.uuid as id`, ...columns],
    where: [...within(exposure), some(conditions), condition(context.testAccounts, context)],
  });
}

function perPerson(metric: Metric, counts: Fragment): Fragment[] {
  if (metric.type === 'funnel') return [sql`${reached(metric.steps, counts)} as reached`];
  return sourcesOf(metric).flatMap((source, index) => {
    const only = sql`${counts} and m.${named('is', index)}`;
    return [
      sql`countIf(${only}) > 0 as ${named('any', index)}`,
      sql`${AGGREGATES[source.math](sql`m.${named('value', index)}`, only)} as ${named('x', index)}`,
    ];
  });
}

const AGGREGATES: Record<MetricMath, (value: Fragment, only: Fragment) => Fragment> = {
  total: (_, only) => sql`toFloat64(countIf(${only}))`,
  dau: (_, only) => sql`toFloat64(countIf(${only}) > 0)`,
  sum: (value, only) => sql`ifNull(sumIf(${value}, ${only}), 0)`,
  avg: (value, only) => sql`ifNull(avgIf(${value}, ${only}), 0)`,
  min: (value, only) => sql`ifNull(minIf(${value}, ${only}), 0)`,
  max: (value, only) => sql`ifNull(maxIf(${value}, ${only}), 0)`,
};

/** Number of steps that a person took. In order of time, each event takes the next step at most. */
function reached(steps: readonly MetricEvents[], counts: Fragment): Fragment {
  const takes = commaList(steps.map((_, index) => sql`m.${named('is', index)} != 0`));
  const events = sql`arraySort(groupArrayIf((m.at, m.id, [${takes}]), ${counts}))`;
  const last = bound('Int64', steps.length);
  return sql`arrayFold((done, event) -> if(done < ${last} and event.3[done + 1], done + 1, done), ${events}, toInt64(0))`;
}

function perVariant(metric: Metric): Fragment[] {
  if (metric.type === 'funnel') {
    const taken = metric.steps.map((_, index) => sql`countIf(reached > ${bound('Int64', index)}) as ${named('step', index)}`);
    return [sql`countIf(reached = ${bound('Int64', metric.steps.length)}) as samples`, ...taken];
  }
  const one = [sql`sum(x0) as sum`, sql`sum(x0 * x0) as squares`];
  if (metric.type === 'mean') return [sql`countIf(any0) as samples`, ...one];
  return [
    sql`countIf(any1) as samples`,
    ...one,
    sql`sum(x1) as otherSum`,
    sql`sum(x1 * x1) as otherSquares`,
    sql`sum(x0 * x1) as products`,
  ];
}
