import { hash, verify } from '@node-rs/argon2';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { ApiError } from '../../kernel/errors.js';

/** argon2id (the library's default kind) with 19 MiB and two passes, as OWASP recommends. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MIN_LENGTH = 8;
const MIN_SCORE = 3;
/** What is judged of a password; the judge's time grows faster than the text. */
const JUDGED_LENGTH = 100;

export const hashPassword = (password: string): Promise<string> => hash(password, COST);

let decoy: Promise<string> | undefined;

/** Whether a password is the one of a hash. Without a hash it takes as long and says no, so that answers do not tell who exists. */
export async function passwordMatches(password: string, stored: string | null): Promise<boolean> {
  decoy ??= hashPassword('nobody has this password');
  const matches = await verify(stored ?? (await decoy), password);
  return matches && stored !== null;
}

let judge: ZxcvbnFactory | undefined;

/**
 * Refuses passwords that are short or easily guessed; `about` are words that a guesser would try first.
 * @throws ApiError password_too_short, password_too_weak
 */
export function requireStrongPassword(password: string, about: readonly string[]): void {
  if (password.length < MIN_LENGTH) throw new ApiError('password_too_short', undefined, 'password');
  // the dictionaries are large, and most processes never judge a password
  judge ??= new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
  const known = about.flatMap((words) => [words, ...words.split(/[@.\s]+/)]).filter(Boolean);
  const { score } = judge.check(password.slice(0, JUDGED_LENGTH), known);
  if (score < MIN_SCORE) throw new ApiError('password_too_weak', undefined, 'password');
}
