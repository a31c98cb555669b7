import type { Flag, FlagFields } from '../../data/flags.js';
import type { Filter } from '../../query/question.js';
import { sentenceOf } from '../../ui/sentence-of.js';
import { sumFault, type VariantShare } from '../../variants/variant-list.js';

type Entry = Record<string, unknown>;

/** A value of another flag that a condition requires. */
export interface Dependency {
  /** Number of the flag, as text. */
  flag: string;
  value: boolean | string;
}

/** A release condition. `id` is the editor's own, so that a moved condition stays itself. */
export interface Condition {
  id: number;
  /** What people call it; may be empty. */
  title: string;
  properties: Filter[];
  dependencies: Dependency[];
  /** 0 to 100. */
  percentage: number;
  /** The variant that it always gives; null: by the split. */
  variant: string | null;
  /** Fields that the editor does not show. */
  rest: Entry;
}

export interface Variant extends VariantShare {
  name: string;
  /** JSON text; empty: none. */
  payload: string;
  rest: Entry;
}

/** A flag as it is edited. */
export interface FlagDraft {
  key: string;
  name: string;
  tags: string[];
  conditions: Condition[];
  variants: Variant[];
  /** JSON text for flags without variants; empty: none. */
  payload: string;
  /** Index of the group type that gets the flag; null: people. */
  groupType: number | null;
  keepsValueOverLogin: boolean;
  bucketing: 'distinct_id' | 'device_id';
  runtime: 'all' | 'client' | 'server';
  contexts: string[];
  isPayloadOnly: boolean;
}

/** What a draft is made from: a flag, or one of its versions. */
export type FlagContent = Pick<Flag, 'key' | 'name' | 'filters'> & Partial<Flag>;

const objects = (value: unknown): Entry[] =>
  Array.isArray(value) ? value.filter((one): one is Entry => typeof one === 'object' && one !== null) : [];
const numberOr = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback);
const textOr = (value: unknown, fallback: string): string => (typeof value === 'string' ? value : fallback);

/** The draft of a flag without changes. Null: of a new flag, which nobody gets yet. */
export function draftOf(flag: FlagContent | null): FlagDraft {
  const filters: Entry = flag?.filters ?? { groups: [{ properties: [], rollout_percentage: 0 }] };
  const { variants } = (filters['multivariate'] ?? {}) as Entry;
  const payloads = (filters['payloads'] ?? {}) as Entry;
  return {
    key: flag?.key ?? '',
    name: flag?.name ?? '',
    tags: flag?.tags ?? [],
    conditions: objects(filters['groups']).map(conditionOf),
    variants: objects(variants).map(({ key, name, rollout_percentage, ...rest }, id) => ({
      id,
      key: textOr(key, ''),
      name: textOr(name, ''),
      percentage: numberOr(rollout_percentage, 0),
      payload: payloadText(payloads[textOr(key, '')]),
      rest,
    })),
    payload: payloadText(payloads['true']),
    groupType: typeof filters['aggregation_group_type_index'] === 'number' ? filters['aggregation_group_type_index'] : null,
    keepsValueOverLogin: flag?.ensure_experience_continuity ?? false,
    bucketing: flag?.bucketing_identifier === 'device_id' ? 'device_id' : 'distinct_id',
    runtime: flag?.evaluation_runtime === 'client' || flag?.evaluation_runtime === 'server' ? flag.evaluation_runtime : 'all',
    contexts: flag?.evaluation_contexts ?? [],
    isPayloadOnly: flag?.is_remote_configuration ?? false,
  };
}

function conditionOf(group: Entry, id: number): Condition {
  const { properties, rollout_percentage, variant, description, ...rest } = group;
  const all = objects(properties);
  return {
    id,
    title: textOr(description, ''),
    properties: all.filter(({ type }) => type !== 'flag') as unknown as Filter[],
    dependencies: all
      .filter(({ type }) => type === 'flag')
      .map(({ key, value }) => ({ flag: String(key), value: typeof value === 'string' ? value : value !== false })),
    percentage: numberOr(rollout_percentage, 100),
    variant: typeof variant === 'string' ? variant : null,
    rest,
  };
}

const payloadText = (payload: unknown): string =>
  payload === undefined || payload === null ? '' : typeof payload === 'string' ? payload : JSON.stringify(payload);

const dependencyProperty = ({ flag, value }: Dependency): Entry => ({
  key: flag,
  type: 'flag',
  operator: 'flag_evaluates_to',
  value,
});

/** A condition as the API takes it. */
export const groupOf = ({ title, properties, dependencies, percentage, variant, rest }: Condition): Entry => ({
  ...rest,
  properties: [...properties, ...dependencies.map(dependencyProperty)],
  rollout_percentage: percentage,
  ...(variant !== null && { variant }),
  ...(title && { description: title }),
});

/** `variants` and `payloads` as the API takes them. */
export function variantFields({ variants, payload }: Pick<FlagDraft, 'variants' | 'payload'>) {
  const payloads = variants.length === 0 ? [['true', payload] as const] : variants.map((one) => [one.key, one.payload] as const);
  return {
    variants: variants.map(({ key, name, percentage, rest }) => ({ ...rest, key, name, rollout_percentage: percentage })),
    payloads: Object.fromEntries(payloads.filter(([, text]) => text.trim() !== '')),
  };
}

/** The fields of a request that makes a flag what a draft says. `filters` keep what the editor does not show. */
export function fieldsOf(draft: FlagDraft, before: Entry = {}): FlagFields & { key: string } {
  const { variants, payloads } = variantFields(draft);
  return {
    key: draft.key,
    name: draft.name,
    tags: draft.tags,
    filters: {
      ...before,
      groups: draft.conditions.map(groupOf),
      multivariate: variants.length === 0 ? null : { variants },
      payloads,
      aggregation_group_type_index: draft.groupType,
    },
    ensure_experience_continuity: draft.keepsValueOverLogin,
    bucketing_identifier: draft.bucketing,
    evaluation_runtime: draft.runtime,
    evaluation_contexts: draft.contexts,
    is_remote_configuration: draft.isPayloadOnly,
  };
}

/** Only the fields in which a draft differs from its flag. */
export function changedFields(draft: FlagDraft, flag: Flag): FlagFields {
  const before: Entry = { ...fieldsOf(draftOf(flag), flag.filters) };
  const changed = Object.entries(fieldsOf(draft, flag.filters)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(changed);
}

/** A number that no item of a list has. */
export const nextId = (items: readonly { id: number }[]): number => Math.max(-1, ...items.map(({ id }) => id)) + 1;

export interface DraftFaults {
  key: string | null;
  /** About the percentages of all variants. */
  split: string | null;
  /** By id of the variant. */
  variants: ReadonlyMap<number, { key?: string; payload?: string }>;
  payload: string | null;
}

/** What the service would refuse. */
export function faultsOf({ key, variants, payload }: FlagDraft): DraftFaults {
  const faults = variants.map((variant): [number, { key?: string; payload?: string }] => {
    const isDouble = variants.some(({ id, key: other }) => id < variant.id && other === variant.key);
    const fault = variant.key === '' ? 'Enter a key' : isDouble ? 'Another variant has this key' : null;
    const json = jsonFault(variant.payload);
    return [variant.id, { ...(fault && { key: fault }), ...(json && { payload: json }) }];
  });
  return {
    key: /^[\w-]{1,400}$/.test(key) ? null : 'Up to 400 letters, digits, _ and -',
    split: variants.length === 0 ? null : sumFault(variants),
    variants: new Map(faults.filter(([, fault]) => Object.keys(fault).length > 0)),
    payload: variants.length === 0 ? jsonFault(payload) : null,
  };
}

export const hasFaults = ({ key, split, variants, payload }: DraftFaults): boolean =>
  Boolean(key || split || payload) || variants.size > 0;

/** Why a text is no JSON; null: it is JSON, or empty. */
function jsonFault(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return `Not JSON: ${sentenceOf(error)}`;
  }
}

/** Makes a list of a text with commas: trimmed, without empty and double items. */
export const listOfText = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  ),
];
