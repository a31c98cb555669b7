import type { Experiment, ExperimentFields } from '../../data/experiments.js';
import type { Filter } from '../../query/question.js';
import { sumFault, type VariantShare } from '../../variants/variant-list.js';

type Entry = Record<string, unknown>;

export type MetricRole = 'primary' | 'secondary' | 'guard';
export type MetricType = 'mean' | 'funnel' | 'ratio';
export type WindowUnit = 'hour' | 'day' | 'week' | 'month';

/** Events that a metric counts. `rest`: fields that the editor does not show. */
export interface MetricEvents {
  /** Null: every event. */
  event: string | null;
  /** Name of an action, which is counted instead of an event; null: none. */
  action: string | null;
  math: string;
  property: string | null;
  filters: Filter[];
  rest: Entry;
}

/** A metric as it is edited. `id` is the editor's own. */
export interface MetricDraft {
  id: number;
  role: MetricRole;
  type: MetricType;
  name: string;
  goal: 'increase' | 'decrease';
  /** The events of a mean, the steps of a funnel, or what is divided by what. */
  events: MetricEvents[];
  /** How long after the exposure events count; null: until the end. */
  window: number | null;
  unit: WindowUnit;
  rest: Entry;
}

export interface VariantDraft extends VariantShare {
  rest: Entry;
}

/** An experiment as it is edited. */
export interface ExperimentDraft {
  /** The version of the experiment that the draft started from; 0: it is new. */
  version: number;
  name: string;
  description: string;
  flagKey: string;
  /** Whether the flag exists: its variants are compared as they are. */
  isExistingFlag: boolean;
  variants: VariantDraft[];
  /** The relative change to detect, in percent. */
  effect: number;
  metrics: MetricDraft[];
  method: 'bayesian' | 'frequentist';
  /** 0.5 to 0.9999. */
  level: number;
  several: 'exclude' | 'first_seen';
  leavesTestsOut: boolean;
}

const DEFAULT_EFFECT = 30;

const objects = (value: unknown): Entry[] =>
  Array.isArray(value) ? value.filter((one): one is Entry => typeof one === 'object' && one !== null) : [];
const numberOr = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback);
const textOr = (value: unknown, fallback: string): string => (typeof value === 'string' ? value : fallback);

export const newEvents = (event: string | null): MetricEvents => ({
  event,
  action: null,
  math: 'total',
  property: null,
  filters: [],
  rest: {},
});

/** Two variants that halve the people. */
export const twoVariants = (): VariantDraft[] => ['control', 'test'].map((key, id) => ({ id, key, percentage: 50, rest: {} }));

/** The draft of an experiment without changes. Null: of a new one. */
export function draftOf(experiment: Experiment | null): ExperimentDraft {
  const parameters: Entry = experiment?.parameters ?? {};
  const stats: Entry = experiment?.stats_config ?? {};
  const exposure: Entry = experiment?.exposure_criteria ?? {};
  const method = stats['method'] === 'frequentist' ? 'frequentist' : 'bayesian';
  const alpha = numberOr((stats['frequentist'] as Entry | undefined)?.['alpha'], 0.05);
  const primary = objects(experiment?.metrics).map((one) => ({ ...one, role: 'primary' }));
  const others = objects(experiment?.metrics_secondary).map((one) => ({ ...one, role: one['is_guard'] ? 'guard' : 'secondary' }));
  const variants = objects(parameters['feature_flag_variants']).map(variantOf);
  return {
    version: experiment?.version ?? 0,
    name: experiment?.name ?? '',
    description: experiment?.description ?? '',
    flagKey: experiment?.feature_flag_key ?? '',
    isExistingFlag: experiment !== null,
    variants: variants.length > 0 ? variants : twoVariants(),
    effect: numberOr(parameters['minimum_detectable_effect'], DEFAULT_EFFECT),
    metrics: [...primary, ...others].map((one, id) => metricOf(one, id)),
    method,
    level:
      method === 'bayesian'
        ? numberOr((stats['bayesian'] as Entry | undefined)?.['ci_level'], 0.95)
        : Number((1 - alpha).toFixed(4)),
    several: exposure['multiple_variant_handling'] === 'first_seen' ? 'first_seen' : 'exclude',
    leavesTestsOut: exposure['filterTestAccounts'] === true,
  };
}

/** A variant of a flag as it is edited. */
export function variantOf({ key, rollout_percentage, ...rest }: Entry, id: number): VariantDraft {
  return { id, key: textOr(key, ''), percentage: numberOr(rollout_percentage, 0), rest };
}

function metricOf(stored: Entry & { role: string }, id: number): MetricDraft {
  const { role, metric_type, name, goal, source, series, numerator, denominator, ...rest } = stored;
  const { conversion_window: window, conversion_window_unit: unit, is_guard: _, ...more } = rest;
  const type: MetricType = metric_type === 'funnel' || metric_type === 'ratio' ? metric_type : 'mean';
  const events = type === 'funnel' ? objects(series) : objects(type === 'ratio' ? [numerator, denominator] : [source]);
  return {
    id,
    role: role as MetricRole,
    type,
    name: textOr(name, ''),
    goal: goal === 'decrease' ? 'decrease' : 'increase',
    events: events.map(eventsOf),
    window: typeof window === 'number' ? window : null,
    unit: (['hour', 'day', 'week', 'month'] as const).find((one) => one === unit) ?? 'day',
    rest: more,
  };
}

function eventsOf({ kind, event, name, math, math_property, properties, ...rest }: Entry): MetricEvents {
  const isAction = kind === 'ActionsNode';
  return {
    event: isAction || typeof event !== 'string' ? null : event,
    action: isAction ? textOr(name, `Action ${rest['id']}`) : null,
    math: textOr(math, 'total'),
    property: typeof math_property === 'string' ? math_property : null,
    filters: objects(properties) as unknown as Filter[],
    rest: { ...rest, ...(typeof name === 'string' && { name }) },
  };
}

/** The maths that need a property. */
export const OF_PROPERTY: ReadonlySet<string> = new Set(['sum', 'avg', 'min', 'max']);

function eventsFields({ event, action, math, property, filters, rest }: MetricEvents, hasMath: boolean): Entry {
  return {
    ...rest,
    kind: action === null ? 'EventsNode' : 'ActionsNode',
    ...(action === null && { event }),
    ...(hasMath && math !== 'total' && { math }),
    ...(hasMath && OF_PROPERTY.has(math) && { math_property: property }),
    ...(filters.length > 0 && { properties: filters }),
  };
}

/** A metric as the API takes it. */
export function metricFields({ role, type, name, goal, events, window, unit, rest }: MetricDraft): Entry {
  const [first, second] = events.map((one) => eventsFields(one, type !== 'funnel'));
  return {
    ...rest,
    metric_type: type,
    ...(name.trim() && { name: name.trim() }),
    ...(goal === 'decrease' && { goal }),
    ...(role === 'guard' && { is_guard: true }),
    ...(type === 'mean' && { source: first }),
    ...(type === 'funnel' && { series: events.map((one) => eventsFields(one, false)) }),
    ...(type === 'ratio' && { numerator: first, denominator: second }),
    ...(window !== null && { conversion_window: window, conversion_window_unit: unit }),
  };
}

/**
 * The fields of a request that makes an experiment what a draft says.
 * @param before the stored experiment, whose other parameters stay; null: a new one
 */
export function fieldsOf(draft: ExperimentDraft, before: Experiment | null): ExperimentFields {
  const { feature_flag_variants: _, ...parameters } = before?.parameters ?? {};
  const isOpen = before === null ? !draft.isExistingFlag : before.status === 'draft';
  return {
    name: draft.name.trim(),
    description: draft.description,
    ...(before === null && { feature_flag_key: draft.flagKey.trim() }),
    parameters: {
      ...parameters,
      minimum_detectable_effect: draft.effect,
      ...(isOpen && {
        feature_flag_variants: draft.variants.map(({ key, percentage, rest }) => ({
          ...rest,
          key,
          rollout_percentage: percentage,
        })),
      }),
    },
    metrics: draft.metrics.filter(({ role }) => role === 'primary').map(metricFields),
    metrics_secondary: draft.metrics.filter(({ role }) => role !== 'primary').map(metricFields),
    stats_config: {
      ...before?.stats_config,
      method: draft.method,
      ...(draft.method === 'bayesian'
        ? { bayesian: { ci_level: draft.level } }
        : { frequentist: { alpha: Number((1 - draft.level).toFixed(4)) } }),
    },
    exposure_criteria: {
      ...before?.exposure_criteria,
      multiple_variant_handling: draft.several,
      filterTestAccounts: draft.leavesTestsOut,
    },
  };
}

export interface DraftFaults {
  name: string | null;
  flagKey: string | null;
  /** About the variants together. */
  split: string | null;
  effect: string | null;
  /** By id of the metric. */
  metrics: ReadonlyMap<number, string>;
}

/** What the service would refuse. */
export function faultsOf({ name, flagKey, variants, effect, metrics }: ExperimentDraft): DraftFaults {
  const keys = variants.map(({ key }) => key);
  const split =
    variants.length < 2
      ? 'Two variants are needed: something must be compared'
      : keys.includes('')
        ? 'Each variant needs a key'
        : new Set(keys).size < keys.length
          ? 'Two variants have the same key'
          : sumFault(variants);
  return {
    name: name.trim() === '' ? 'Enter a name' : null,
    flagKey: /^[\w-]{1,400}$/.test(flagKey.trim()) ? null : 'Up to 400 letters, digits, _ and -',
    split,
    effect: effect >= 0.01 && effect <= 1000 ? null : 'A percentage from 0.01 to 1000',
    metrics: new Map(
      metrics.flatMap((one) => {
        const fault = metricFault(one);
        return fault ? [[one.id, fault] as const] : [];
      }),
    ),
  };
}

function metricFault({ events, type, window }: MetricDraft): string | null {
  if (type !== 'funnel' && events.some(({ math, property }) => OF_PROPERTY.has(math) && !property))
    return 'Choose the property that is counted';
  if (events.some(({ filters }) => filters.some(({ value }) => value === '' || (Array.isArray(value) && value.length === 0))))
    return 'Choose the value of the filter';
  return window !== null && window < 1 ? 'The window must be 1 or more' : null;
}

export const hasFaults = ({ metrics, ...others }: DraftFaults): boolean =>
  metrics.size > 0 || Object.values(others).some((fault) => fault !== null);

/** A number that no item of a list has. */
export const nextId = (items: readonly { id: number }[]): number => Math.max(-1, ...items.map(({ id }) => id)) + 1;

/** Makes the key of a flag of the name of an experiment. */
export const keyOfName = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 100);
