/** The only source of time. */
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
