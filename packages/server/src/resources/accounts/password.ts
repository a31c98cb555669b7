import { hash, verify } from '@node-rs/argon2';
import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { ApiError } from '../../kernel/errors.js';

/** argon2id (the library's default kind) with 19 MiB and two passes, as OWASP recommends. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MIN_LENGTH = 8;
const MIN_SCORE = 3;
/** Maximum length that the strength estimator checks; its time grows faster than the text. */
const ESTIMATED_LENGTH = 100;

export const hashPassword = (password: string): Promise<string> => hash(password, COST);

/** Checks passwords. */
export interface Passwords {
  /** Verifies a password. Without a hash it takes the same time and returns false, so that response times do not reveal which accounts exist. */
  match(password: string, stored: string | null): Promise<boolean>;
  /**
   * Refuses passwords that are short or easily guessed; `about` are words that a guesser would try first.
   * @throws ApiError password_too_short, password_too_weak
   */
  requireStrong(password: string, about: readonly string[]): Promise<void>;
}

export function createPasswords(): Passwords {
  let decoy: Promise<string> | undefined;
  let estimator: Promise<ZxcvbnFactory> | undefined;
  return {
    match: async (password, stored) => {
      decoy ??= hashPassword('nobody has this password');
      const matches = await verify(stored ?? (await decoy), password);
      return matches && stored !== null;
    },
    requireStrong: async (password, about) => {
      if (/^<[^<>]*>$/.test(password)) {
        throw new ApiError(
          'password_too_weak',
          'This is the placeholder of an example. Choose a password of your own.',
          'password',
        );
      }
      if (password.length < MIN_LENGTH) throw new ApiError('password_too_short', undefined, 'password');
      estimator ??= loadEstimator();
      const known = about.flatMap((words) => [words, ...words.split(/[@.\s]+/)]).filter(Boolean);
      const { score } = (await estimator).check(password.slice(0, ESTIMATED_LENGTH), known);
      if (score < MIN_SCORE) throw new ApiError('password_too_weak', undefined, 'password');
    },
  };
}

/** The dictionaries are large, and most processes never estimate a password. */
async function loadEstimator(): Promise<ZxcvbnFactory> {
  const { ZxcvbnFactory } = await import('@zxcvbn-ts/core');
  const { adjacencyGraphs, dictionary } = await import('@zxcvbn-ts/language-common');
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
}
