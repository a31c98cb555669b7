import type { Span } from '../../buckets.js';
import { EVENT_MILLIS } from '../../sql/bucket-index.js';
import { inScope } from '../../sql/filter.js';
import { bound, byPerson, every, type Fragment, some, sql, TRUE, whole } from '../../sql/fragment.js';
import { listColumn } from '../../sql/person-columns.js';
import { property } from '../../sql/property.js';
import { selectFromEvents } from '../../sql/source.js';
import { hasActor, isNumberOfPerson, rowsByActor } from '../actor.js';
import type { KindContext } from '../kind.js';
import type { PathsQuery, PathType } from './paths-schema.js';
import { type StepForm, TUPLES } from './step-form.js';

/** A longer pause between two events starts a new path. */
const MAX_PAUSE = 30 * 60_000;

/** Selects a row for each path: `actor`, and `path`, its steps in a form, cut to the shown steps. Consecutive equal steps are merged. */
function pathRows(query: PathsQuery, span: Span, context: KindContext, form: StepForm): Fragment {
  const item = itemOf(query, context);
  const steps = listColumn(sql`unsorted`, form.step(EVENT_MILLIS, item));
  const where = [...conditions(query, span, context), form.isKnown(item)];
  const events = sql`select actor, arraySort(unsorted) as events from (${rowsByActor(query.actor, { columns: [steps], where }, context)})`;
  const parts = sql`arraySplit((one, pause) -> pause > ${whole(MAX_PAUSE)}, events, arrayDifference(${form.times(sql`events`)}))`;
  // paths of one step have no edge, and there are many; somebody may have dropped off at one
  const shown = context.namesActors ? parts : sql`arrayFilter(part -> length(part) > 1, ${parts})`;
  const paths = sql`select actor, arrayCompact(one -> ${form.name(sql`one`)}, part) as steps
    from (select actor, arrayJoin(${shown}) as part
    from (${events}))`;
  const rows = cut(query, paths, form);
  // numbers of names may change with the next event
  return form === TUPLES && isNumberOfPerson(query.actor, context) ? byPerson(rows) : rows;
}

/** Conditions on the events that are steps. */
function conditions(query: PathsQuery, span: Span, context: KindContext): Fragment[] {
  const item = itemOf(query, context);
  const excluded = query.exclude.map((name) => sql`not (${isExcluded(item, name)})`);
  return [...inScope(query, span, context), isIncluded(query.include), every(excluded), ...hasActor(query.actor)];
}

/** Selects `found`, the names of all steps in order; at most `most` of them. */
export const stepNames = (query: PathsQuery, span: Span, context: KindContext, most: number): Fragment =>
  selectFromEvents({
    projectId: context.projectId,
    select: [sql`arraySort(groupUniqArray(${whole(most)})(${itemOf(query, context)})) as found`],
    where: conditions(query, span, context),
  });

const TYPES: Record<PathType, Fragment> = {
  $pageview: sql`e.event = '$pageview'`,
  $screen: sql`e.event = '$screen'`,
  custom_event: sql`not startsWith(e.event, '$')`,
  hogql: TRUE,
};

const isIncluded = (types: readonly PathType[]): Fragment => (types.length === 0 ? TRUE : some(types.map((type) => TYPES[type])));

/** The step name of an event: its URL, screen or expression value, by default the event name. */
function itemOf({ include, expression, groupings, cleanings }: PathsQuery, { writeExpression: written }: KindContext): Fragment {
  // read a property only if events of its type are included
  const has = (type: PathType): boolean => include.length === 0 || include.includes(type);
  const url = sql`ifNull(${property({ type: 'event' }, '$current_url').text}, '')`;
  const page = sql`substring(${url}, 1, length(${url}) - (length(${url}) > 1 and endsWith(${url}, '/')))`;
  const screen = sql`ifNull(${property({ type: 'event' }, '$screen_name').text}, '')`;
  const names = [
    ...(has('$pageview') ? [sql`e.event = '$pageview', ${page}, `] : []),
    ...(has('$screen') ? [sql`e.event = '$screen', ${screen}, `] : []),
  ];
  const other = expression ? sql`ifNull(toString(${written(expression, 'text')}), '')` : sql`''`;
  const several = names.length > 0 ? sql`multiIf(${names.reduce((all, one) => sql`${all}${one}`)}${other})` : other;
  // no other events are read
  const named = include.length === 1 && include[0] === '$pageview' ? page : several;
  const item = sql`if(${named} = '', toString(e.event), ${named})`;
  const clean = cleanings.reduce(
    (all, { regex, alias }) => sql`replaceRegexpAll(${all}, ${bound('String', regex)}, ${bound('String', alias)})`,
    item,
  );
  return groupings.reduceRight(
    (all, grouping) => sql`if(${clean} like ${bound('String', likeOf(grouping))}, ${bound('String', grouping)}, ${all})`,
    clean,
  );
}

/** Condition: the step is excluded. A name with a wildcard excludes all steps that contain it. */
const isExcluded = (item: Fragment, name: string): Fragment => {
  const isIt = sql`${item} = ${bound('String', name)}`;
  return name.includes('*') ? some([isIt, sql`${item} like ${bound('String', likeOf(name))}`]) : isIt;
};

/** A wildcard pattern as a `like` pattern that matches anywhere in a step. */
const likeOf = (grouping: string): string => `%${grouping.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')}%`;

/** Cuts paths to the steps from the first start to the first end after it, and to the maximum number of steps. */
function cut({ start, end, stepLimit }: PathsQuery, paths: Fragment, { names, known, gap }: StepForm): Fragment {
  const limit = whole(stepLimit);
  const named = names(sql`steps`);
  const begun = start === null ? sql`steps` : sql`arraySlice(steps, indexOf(${named}, ${known(start)}))`;
  const hasBegun = start === null ? TRUE : sql`has(${named}, ${known(start)})`;
  if (end === null) return sql`select actor, arraySlice(${begun}, 1, ${limit}) as path from (${paths}) where ${hasBegun}`;
  const ended = sql`select actor, arraySlice(begun, 1, indexOf(${names(sql`begun`)}, ${known(end)})) as own
    from (select actor, ${begun} as begun
    from (${paths})
    where ${hasBegun})
    where has(${names(sql`begun`)}, ${known(end)})`;
  if (start === null) return sql`select actor, arraySlice(own, -${limit}) as path from (${ended})`;
  const half = whole(stepLimit / 2);
  const outer = sql`arrayConcat(arraySlice(own, 1, ${half}), [${gap(sql`own[${half} + 1]`)}], arraySlice(own, -${half}))`;
  return sql`select actor, if(length(own) > ${limit}, ${outer}, own) as path from (${ended})`;
}

/** Selects a row for each edge: `number` of its first step, `source`, `target`, number of `paths`, and `average` milliseconds. */
export function edgesStatement(query: PathsQuery, span: Span, context: KindContext, form = TUPLES): Fragment {
  const edge = sql`arrayJoin(range(1, length(path)))`;
  const all = sql`select number, ${form.name(sql`path[number]`)} as own, ${form.name(sql`path[number + 1]`)} as next,
      ${form.time(sql`path[number + 1]`)} - ${form.time(sql`path[number]`)} as time
    from (select path, ${edge} as number
    from (${pathRows(query, span, context, form)}))`;
  const weights = every([
    ...(query.minWeight === null ? [] : [sql`paths >= ${bound('Int64', query.minWeight)}`]),
    ...(query.maxWeight === null ? [] : [sql`paths <= ${bound('Int64', query.maxWeight)}`]),
  ]);
  return sql`${form.define}select number, ${form.text(sql`own`)} as source, ${form.text(sql`next`)} as target, count() as paths, avg(time) as average
    from (${all})
    group by number, own, next
    having ${weights}
    order by paths desc, number, own, next
    limit ${bound('Int64', query.edgeLimit)}`;
}

/** Selects the actors with a path through the requested point: `actor`, and `event_count`, the number of such paths. */
export function pathActors(query: PathsQuery, span: Span, context: KindContext): Fragment {
  const { startKey, endKey, dropoffKey } = query.point;
  const isKey = (number: Fragment, key: string): Fragment =>
    sql`concat(toString(${number}), '_', path[${number}].2) = ${bound('String', key)}`;
  const conditions = [
    ...(startKey === null ? [] : [isKey(sql`number`, startKey)]),
    ...(endKey === null ? [] : [isKey(sql`number + 1`, endKey)]),
    sql`number < length(path)`,
  ];
  const goes = sql`arrayExists(number -> ${every(conditions)}, arrayEnumerate(path))`;
  const where = [
    ...(startKey === null && endKey === null ? [] : [goes]),
    ...(dropoffKey === null ? [] : [isKey(sql`length(path)`, dropoffKey)]),
  ];
  return sql`select actor, count() as event_count from (${pathRows(query, span, context, TUPLES)}) where ${every(where)} group by actor`;
}
