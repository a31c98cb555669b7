import { randomBytes } from 'node:crypto';
import type { Deps } from '../../deps.js';
import { forgetSaltsBefore, saltOf } from './store.js';

/** Bytes of a salt. */
const LENGTH = 32;

/** The UTC day, as `2026-11-26`. */
const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

/** The salt of today (UTC), which all servers of a database share. */
export interface Salts {
  /** @throws the database's error while it is away and the salt is not known yet */
  today(): Promise<Buffer>;
}

export function createSalts({ db, clock }: Pick<Deps, 'db' | 'clock'>): Salts {
  let known: { day: string; salt: Buffer } | null = null;
  return {
    today: async () => {
      const day = dayOf(clock.now());
      if (known?.day !== day) {
        // that of yesterday leaves the memory, too
        known?.salt.fill(0);
        known = null;
        known = { day, salt: await saltOf(db, day, randomBytes(LENGTH)) };
      }
      return known.salt;
    },
  };
}

/** Deletes the salts of days that are over: nobody can compute their ids again. */
export async function forgetOldSalts({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  await forgetSaltsBefore(db, dayOf(clock.now()));
}
