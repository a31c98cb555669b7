import { evaluateFlags, type FlagDefinition, type FlagResult, type Subject } from '@tidemark/flags';
import type { LoadedDefinitions } from '../definitions/flag-definitions.js';
import type { EvaluatedFlag, FlagMap } from './evaluated-flag.js';
import type { FlagSubject } from './flag-subject.js';
import { searchPortably } from './portable-regex.js';

/** What came of evaluation without the service. */
export interface LocalFlags {
  readonly flags: FlagMap;
  /** Keys of flags that only the service can evaluate, since they depend on data that is not known locally. */
  readonly unresolved: readonly string[];
}

/**
 * @param only the requested keys; undefined: all flags
 * @param contexts only flags of one of these, and those that have none; undefined: of all
 */
export function evaluateLocally(
  { source, byKey, groupTypes, prepared }: LoadedDefinitions,
  subject: FlagSubject,
  { now }: { /** Epoch milliseconds. */ now: number },
  only?: ReadonlySet<string>,
  contexts?: readonly string[],
): LocalFlags {
  const flags = new Map<string, EvaluatedFlag>();
  const unresolved: string[] = [];
  const environment = { now, timeZone: source.timezone, matchesRegex: searchPortably };
  const results = evaluateFlags(prepared, subjectOf(subject, groupTypes, byKey), environment, only);
  for (const key of only ?? byKey.keys()) {
    const definition = byKey.get(key);
    const result = results.get(key);
    // the service does not return it to servers either
    if (definition && (definition.evaluation_runtime === 'client' || !isIn(definition, contexts))) continue;
    if (definition && result && isKnown(definition, result, only !== undefined)) flags.set(key, flagOf(definition, result));
    else unresolved.push(key);
  }
  return { flags, unresolved };
}

/** A client that names no contexts gets the flags of all. */
function isIn(definition: FlagDefinition, contexts: readonly string[] | undefined): boolean {
  const own = 'evaluation_contexts' in definition ? definition.evaluation_contexts : undefined;
  return !contexts || !Array.isArray(own) || own.length === 0 || own.some((context) => contexts.includes(context));
}

function isKnown(definition: FlagDefinition, result: FlagResult, byName: boolean): boolean {
  if (!definition.active) return true;
  if (result.inconclusive || definition.ensure_experience_continuity) return false;
  // the service knows flags that it does not tell here, such as values for programs
  if (result.reason === 'missing_dependency') return false;
  // who asks for a flag of groups without a group may have forgotten it; among all flags it is one that does not concern them
  return !(byName && result.reason === 'no_group_type');
}

function subjectOf(
  { distinctId, deviceId, groups, personProperties, groupProperties }: FlagSubject,
  groupTypes: LoadedDefinitions['groupTypes'],
  byKey: LoadedDefinitions['byKey'],
): Subject {
  const known: Record<number, { key: string; properties: Readonly<Record<string, unknown>> }> = {};
  for (const [type, key] of Object.entries(groups)) {
    const index = groupTypes.get(type);
    if (index !== undefined) known[index] = { key, properties: asSent(groupProperties[type] ?? {}) };
  }
  return {
    distinctId,
    deviceId,
    personProperties: asSent(personProperties),
    groups: known,
    // the service may have stored more properties than the caller passes
    incomplete: true,
    hashKey: (key) => {
      // whom a person was before they were known is stored with the service: the evaluator takes a throw for "not known"
      if (byKey.get(key)?.ensure_experience_continuity) throw new Error('not known here');
      return undefined;
    },
  };
}

type Properties = Readonly<Record<string, unknown>>;

const isPlain = (value: unknown) =>
  typeof value === 'string' || typeof value === 'boolean' || value === null || Number.isFinite(value);

/** As properties reach the service: dates are text there. What cannot be sent is not known. */
function asSent(properties: Properties): Properties {
  if (Object.values(properties).every(isPlain)) return properties;
  try {
    return JSON.parse(JSON.stringify(properties, (_, value) => (typeof value === 'bigint' ? undefined : value)));
  } catch {
    return {};
  }
}

function flagOf(definition: FlagDefinition, { value, payload, reason }: FlagResult): EvaluatedFlag {
  const experiment = 'has_experiment' in definition ? definition.has_experiment : undefined;
  return {
    value,
    payload: parsed(payload),
    reason,
    id: definition.id,
    ...(definition.version === undefined ? {} : { version: definition.version }),
    ...(typeof experiment === 'boolean' ? { hasExperiment: experiment } : {}),
    local: true,
  };
}

/** Payloads are stored as JSON text. Invalid JSON counts as no payload, as in answers of the service. */
function parsed(payload: unknown): unknown {
  if (typeof payload !== 'string') return payload ?? null;
  try {
    return JSON.parse(payload);
  } catch {
    return null;
  }
}
