import type { KnownFlag } from '@tidemark/client';

/** The value of a flag for one person. */
export interface EvaluatedFlag extends KnownFlag {
  /** Whether this process evaluated it. */
  readonly local: boolean;
}

/** The flags of one person, by key. */
export type FlagMap = ReadonlyMap<string, EvaluatedFlag>;
