import type { KnownFlag } from '@tidemark/client';

/** A flag of somebody. */
export interface EvaluatedFlag extends KnownFlag {
  /** Whether this process evaluated it. */
  readonly local: boolean;
}

/** Flags of somebody by key. */
export type FlagMap = ReadonlyMap<string, EvaluatedFlag>;
