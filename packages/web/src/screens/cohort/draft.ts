import { isCompleteFilter } from '../../query/filter-text.js';
import type { Filter } from '../../query/question.js';

export type Match = 'AND' | 'OR';

/** Conditions that are joined by all or any of them. */
export interface ConditionGroup {
  match: Match;
  /** About properties of people and other cohorts. */
  filters: Filter[];
  /** About what people did. */
  behaviors: Behavior[];
}

/** How something was done. */
export type BehaviorKind =
  | 'performed_event'
  | 'performed_event_multiple'
  | 'performed_event_first_time'
  | 'performed_event_regularly'
  | 'stopped_performing_event'
  | 'restarted_performing_event';

/** A condition about what people did, as the API has it. */
export interface Behavior {
  type: 'behavioral';
  /** Name of the event; null: any. A number names an action, with `event_type`. */
  key: string | number | null;
  value: BehaviorKind;
  negation?: boolean | null;
  event_type?: 'events' | 'actions' | null;
  event_filters?: Filter[] | null;
  operator?: string | null;
  operator_value?: number | null;
  time_value?: number | null;
  time_interval?: string | null;
  seq_time_value?: number | null;
  seq_time_interval?: string | null;
  total_periods?: number | null;
  min_periods?: number | null;
  explicit_datetime?: string | null;
  explicit_datetime_to?: string | null;
}

/** What a person edits of a cohort. */
export interface CohortDraft {
  name: string;
  description: string;
  isStatic: boolean;
  /** How the groups are joined. */
  match: Match;
  groups: ConditionGroup[];
}

interface Stored {
  name?: string | null;
  description?: string;
  is_static?: boolean;
  filters?: unknown;
}

type Leaf = Filter | Behavior;
interface Tree {
  type?: string;
  values: unknown[];
}

const isTree = (node: unknown): node is Tree =>
  typeof node === 'object' && node !== null && 'values' in node && Array.isArray(node.values) && !('key' in node);
const isBehavior = (leaf: Leaf): leaf is Behavior => leaf.type === 'behavioral';
const matchOf = (type: unknown): Match => (type === 'OR' ? 'OR' : 'AND');

export const emptyGroup = (): ConditionGroup => ({ match: 'AND', filters: [], behaviors: [] });

export const newBehavior = (): Behavior => ({
  type: 'behavioral',
  key: null,
  value: 'performed_event',
  event_type: 'events',
  time_value: 30,
  time_interval: 'day',
});

/** The draft of a cohort; null: its conditions are nested deeper than two levels, which only the API can edit. */
export function draftOf({ name, description = '', is_static: isStatic = false, filters }: Stored): CohortDraft | null {
  const root = (filters as { properties?: unknown } | null)?.properties;
  const groups = isTree(root) ? groupsOf(root) : [emptyGroup()];
  if (!groups) return null;
  return { name: name ?? '', description, isStatic, match: isTree(root) ? matchOf(root.type) : 'AND', groups };
}

function groupsOf({ type, values }: Tree): ConditionGroup[] | null {
  const trees = values.filter(isTree);
  const leaves = values.filter((one) => !isTree(one)) as Leaf[];
  if (trees.some(({ values: inner }) => inner.some(isTree))) return null;
  const own = leaves.length > 0 || trees.length === 0 ? [groupOf(matchOf(type), leaves)] : [];
  const groups = [...own, ...trees.map((tree) => groupOf(matchOf(tree.type), tree.values as Leaf[]))];
  return groups.some((group) => group === null) ? null : (groups as ConditionGroup[]);
}

function groupOf(match: Match, leaves: readonly Leaf[]): ConditionGroup | null {
  const filters = leaves.filter((leaf): leaf is Filter => !isBehavior(leaf)).map(withoutNegation);
  if (filters.some((one) => one === null)) return null;
  return { match, filters: filters as Filter[], behaviors: leaves.filter(isBehavior) };
}

/** Operators and their opposites, by which a chip can say what `negation` says. */
const OPPOSITES = new Map(
  [
    ['exact', 'is_not'],
    ['icontains', 'not_icontains'],
    ['regex', 'not_regex'],
    ['is_set', 'is_not_set'],
    ['in', 'not_in'],
  ].flatMap(([a = '', b = '']) => [[a, b] as const, [b, a] as const]),
);

/** Writes a negated filter by the opposite operator; null: it has none. */
function withoutNegation({ negation, ...filter }: Filter): Filter | null {
  if (!negation) return filter;
  const opposite = OPPOSITES.get(filter.operator ?? (filter.type === 'cohort' ? 'in' : 'exact'));
  return opposite ? { ...filter, operator: opposite } : null;
}

/** The conditions as the API takes them; null: there are none, or one is not complete. */
export function filtersOf({ match, groups }: Pick<CohortDraft, 'match' | 'groups'>): Record<string, unknown> | null {
  const lists = groups
    .map((group) => ({ type: group.match, values: [...group.filters, ...group.behaviors] }))
    .filter(({ values }) => values.length > 0);
  const [first] = lists;
  if (!first || groups.some((group) => faultOf(group) !== null)) return null;
  return { properties: lists.length === 1 ? first : { type: match, values: lists } };
}

/** What a group lacks, as a sentence; null: nothing. */
export function faultOf({ filters, behaviors }: ConditionGroup): string | null {
  if (!filters.every(isCompleteFilter)) return 'Choose the value of the condition.';
  if (!behaviors.flatMap(({ event_filters: inner }) => inner ?? []).every(isCompleteFilter))
    return 'Choose the value of the filter of the event.';
  if (behaviors.some((one) => numbersOf(one).some((number) => !number || number < 1))) return 'Numbers begin with 1.';
  return null;
}

/** The numbers that a kind of condition needs. */
function numbersOf({
  value,
  explicit_datetime: since,
  time_value: time,
  operator_value: times,
  ...more
}: Behavior): (number | null | undefined)[] {
  const { seq_time_value: recent, min_periods: least, total_periods: periods } = more;
  const window = since ? [] : [time];
  // "exactly 0 times" is a fair condition
  const count = times === 0 ? [] : [times];
  switch (value) {
    case 'performed_event_multiple':
      return [...window, ...count];
    case 'performed_event_regularly':
      return [time, least, periods];
    case 'stopped_performing_event':
    case 'restarted_performing_event':
      return [time, recent];
    default:
      return window;
  }
}

/** The same condition as another kind: the event stays, fields that the kind does not take go. */
export function withKind(
  { type, key, event_type, event_filters, negation, time_value, time_interval }: Behavior,
  value: BehaviorKind,
): Behavior {
  const base: Behavior = {
    type,
    key,
    value,
    ...(event_type && { event_type }),
    ...(event_filters && { event_filters }),
    ...(negation && { negation }),
    time_value: time_value ?? 30,
    time_interval: time_interval ?? 'day',
  };
  switch (value) {
    case 'performed_event_multiple':
      return { ...base, operator: 'gte', operator_value: 3 };
    case 'performed_event_regularly':
      return { ...base, time_value: 1, time_interval: 'week', min_periods: 3, total_periods: 4 };
    case 'stopped_performing_event':
    case 'restarted_performing_event':
      return { ...base, seq_time_value: 7, seq_time_interval: 'day' };
    default:
      return base;
  }
}
