export type { Cancel, Scheduler } from '../kernel/scheduler.js';

/** The wall clock; it may be set back. Durations are measured by a {@link Scheduler}. */
export interface Clock {
  /** Epoch milliseconds, UTC. */
  now(): number;
}

/** The only source of randomness. */
export interface Ids {
  /** Random UUID (version 4), for rows. */
  uuid(): string;
  /** Time-ordered UUID (version 7), for events. */
  uuid7(): string;
  /** URL-safe random text of `bytes` random bytes, for keys and tokens. */
  token(bytes: number): string;
}
