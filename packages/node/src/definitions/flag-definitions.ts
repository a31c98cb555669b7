import { isRecord } from '@tidemark/client';
import { type FlagDefinition, type PreparedFlags, prepareFlags } from '@tidemark/flags';

/** All flags of a project with what is needed to evaluate them: plain JSON, so that a shared cache can keep it. */
export interface FlagDefinitions {
  flags: FlagDefinition[];
  /** Names of group types by index. */
  groupTypeMapping: Record<string, string>;
  /** Cohorts that are computed from properties, by id. */
  cohorts: Record<string, unknown>;
  /** Of the project's days, and of dates without a zone; absent: UTC. */
  timezone?: string;
  /** Present when the project wants `$feature_flag_called` in its short form. */
  minimalFlagCalledEvents?: true;
}

/** Definitions read once, for any number of evaluations. */
export interface LoadedDefinitions {
  readonly source: FlagDefinitions;
  readonly prepared: PreparedFlags;
  readonly byKey: ReadonlyMap<string, FlagDefinition>;
  /** Indexes of group types by name. */
  readonly groupTypes: ReadonlyMap<string, number>;
}

/** Parses the definitions of the service or of a shared cache; undefined when they are invalid. */
export function readDefinitions(value: unknown): FlagDefinitions | undefined {
  if (!isRecord(value) || !Array.isArray(value['flags'])) return undefined;
  const mapping = value['group_type_mapping'] ?? value['groupTypeMapping'];
  const { cohorts, timezone } = value;
  const minimal = value['minimal_flag_called_events'] === true || value['minimalFlagCalledEvents'] === true;
  return {
    flags: value['flags'].filter(isFlag),
    groupTypeMapping: isRecord(mapping)
      ? Object.fromEntries(Object.entries(mapping).map(([at, name]) => [at, String(name)]))
      : {},
    cohorts: isRecord(cohorts) ? cohorts : {},
    ...(typeof timezone === 'string' ? { timezone } : {}),
    ...(minimal ? { minimalFlagCalledEvents: true } : {}),
  };
}

/** Prepares definitions for evaluation. */
export function loadDefinitions(source: FlagDefinitions): LoadedDefinitions {
  return {
    source,
    prepared: prepareFlags(source.flags, source.cohorts),
    byKey: new Map(source.flags.map((flag) => [flag.key, flag])),
    groupTypes: new Map(Object.entries(source.groupTypeMapping).map(([at, name]) => [name, Number(at)])),
  };
}

/** Whatever else is odd about a flag, the evaluator reads with care. */
const isFlag = (value: unknown): value is FlagDefinition => isRecord(value) && typeof value['key'] === 'string';
