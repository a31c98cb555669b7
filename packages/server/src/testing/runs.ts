import { onTwoShards } from './cluster-databases.js';

/** Time in which properties are tried, by `PROPERTY_SECONDS` (see vitest.setup.ts), and the same as a multiple of the default. */
const SECONDS = Number(process.env['PROPERTY_SECONDS'] ?? 10);
const FACTOR = Math.max(1, SECONDS / 10);

/**
 * Runs of a property that asks an event store: as many as meet each kind of case, and more where more time is given. On two shards each takes
 * three times as long, and differs in how statements are written alone, so that a third of them is enough. They are so few that a slow machine
 * does all of them: a limit of time could end the first one, which is a failure.
 */
export const runs = (count: number) => ({
  numRuns: Math.ceil((count * FACTOR) / (onTwoShards() ? 3 : 1)),
  interruptAfterTimeLimit: Math.max(SECONDS, 240) * 1_000,
});

/** One of some forms of the same, another one in each turn; all of them where more time is given. */
export const inTurn = <T>(forms: readonly T[], turn: number): T[] =>
  FACTOR > 1 ? [...forms] : forms.filter((_, form) => form === turn % forms.length);
