import { type Caches, ENTRY_BYTES } from '../caches/index.js';

/**
 * How long the answer to a question is good for the very same question, unless the flags change before: pages of a visitor and
 * the calls of a server's program for one user come in bursts. What is stored of persons is as old as that anyway. Milliseconds.
 */
const KEPT_MS = 5_000;
/** Bytes of questions and answers that are kept. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Longer questions are not worth their room. */
const LONGEST_QUESTION = 4_096;

/** An answer, and what it hangs on. */
export interface KeptAnswer {
  token: string;
  /** `version` of the definitions that the answer was made from; it is valid for these only. */
  version: symbol;
  /** Flags, by id, that the question named. */
  asked: readonly number[];
  /** A UUID, dashed; old answers do not hold it. */
  requestId: string;
  body: Buffer;
}

/** A copy of the answer that names another request; both ids are dashed UUIDs. */
export function withRequestId({ body, requestId }: KeptAnswer, id: string): Buffer {
  const copy = Buffer.from(body);
  const at = copy.indexOf(`"requestId":"${requestId}"`);
  if (at !== -1) copy.write(id, at + '"requestId":"'.length, 'latin1');
  return copy;
}

/** Answers to questions about flags, for when the same is asked again. */
export interface KeptAnswers {
  /** The name of a question; null: it is too long to be kept. @param about whatever else the answer depends on */
  nameOf(body: Buffer, about: readonly (string | null | undefined)[]): string | null;
  find(name: string): KeptAnswer | undefined;
  keep(name: string, answer: KeptAnswer): void;
}

export function createKeptAnswers(caches: Caches): KeptAnswers {
  const answers = caches.create<string, KeptAnswer>({
    name: 'flag_responses',
    max: { bytes: MOST_BYTES, bytesOf: ({ body }, name) => ENTRY_BYTES + name.length + body.length },
    ttl: KEPT_MS,
  });
  return {
    // a line each, and the body, which may hold lines of its own, last
    nameOf: (body, about) => (body.length > LONGEST_QUESTION ? null : `${about.join('\n')}\n${body.toString('latin1')}`),
    find: answers.get,
    keep: answers.set,
  };
}
