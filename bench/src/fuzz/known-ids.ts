import type { Random } from '@tidemark/testkit';
import { isRecord } from '../session.js';
import { whole } from './values.js';

/** Ids from responses, so that later requests target existing objects. */
export interface KnownIds {
  /** `group`: the resource of the response. */
  note(group: string, answer: string): void;
  one(random: Random, group: string): string | null;
  /** The token of a public page. */
  token(random: Random): string | null;
}

const MOST_IDS = 200;
const NAMES = ['id', 'uuid', 'short_id', 'key'];

export function knownIds(): KnownIds {
  const ids = new Map<string, string[]>();
  const tokens: string[] = [];
  let noted = 0;
  // new ids replace the oldest
  const put = (list: string[], id: string): void => {
    if (list.length < MOST_IDS) list.push(id);
    else list[noted++ % MOST_IDS] = id;
  };
  return {
    note(group, answer) {
      const list = ids.get(group) ?? [];
      ids.set(group, list);
      for (const id of idsOf(answer)) put(list, id);
      for (const [, token = ''] of answer.matchAll(/"access_token":"([\w-]{1,100})"/g)) put(tokens, token);
    },
    one(random, group) {
      const list = ids.get(group) ?? [];
      return list[whole(random, list.length)] ?? null;
    },
    token: (random) => tokens[whole(random, tokens.length)] ?? null,
  };
}

/** Ids of the object or of the items of a list, not of nested objects. */
function idsOf(answer: string): string[] {
  let body: unknown;
  try {
    body = JSON.parse(answer);
  } catch {
    return [];
  }
  const list = isRecord(body) && Array.isArray(body['results']) ? body['results'].slice(0, 10) : [body];
  return list.filter(isRecord).flatMap((one) =>
    NAMES.flatMap((name) => {
      const id = one[name];
      return typeof id === 'number' || (typeof id === 'string' && id !== '' && id.length <= 100) ? [String(id)] : [];
    }),
  );
}
