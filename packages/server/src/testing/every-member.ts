import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { querySchema } from '../analytics/query.js';
import { runQuery } from '../analytics/run.js';
import { toApiError, validate } from '../http/validate.js';
import { ApiError } from '../kernel/errors.js';
import { isObject, type Json, type JsonObject } from '../kernel/json.js';
import { type TestEvents, testEvents } from './events.js';
import { membersOf } from './schema-members.js';
import { putSeeded, seededData } from './seeded-events.js';

/**
 * What a member says: the answer to `from` (the base if left out) is another one with `to`. `refusedAt`: with `to` there is a refusal
 * that names this field instead.
 */
export interface MemberChange {
  from?: JsonObject;
  to: JsonObject;
  refusedAt?: string;
}

/** `a name`: only what people call something, in answers or not. `of people`: it changes only who is listed behind a point. `of display`: only how it is drawn. */
export type MemberTable = Record<string, MemberChange | 'a name' | 'of display' | 'of people'>;

/** A deep merge: members of the second object override those of the first. */
function merged(base: JsonObject, over: JsonObject): JsonObject {
  const both = Object.entries(over).map(([name, value]): [string, Json] => {
    const own = base[name];
    return [name, own !== undefined && isObject(own) && isObject(value) ? merged(own, value) : value];
  });
  return { ...base, ...Object.fromEntries(both) };
}

const TESTS = [{ key: '$browser', type: 'event', operator: 'exact', value: ['Chrome'] }];

/**
 * Tests that no member of a schema is ignored: each is in the table, and what it says changes the answer or is refused. Asked of a
 * month of events that are always the same.
 */
export function everyMember(schema: z.ZodType, base: JsonObject, table: MemberTable, skip: readonly string[] = []): void {
  let events: TestEvents;
  beforeAll(async () => {
    events = await testEvents();
    await putSeeded(events, seededData({ seed: 6, events: 1_500 }));
  });
  afterAll(() => events.close());
  const ask = async (query: JsonObject) => {
    const settings = { weekStart: 0 as const, testAccountFilters: TESTS, staleness: null };
    const context = { projectId: 1, timezone: 'Europe/Berlin', now: Date.UTC(2024, 3, 8, 12), settings };
    const { ...answer } = await runQuery(events.store, validate(querySchema, query), context);
    return JSON.stringify(answer);
  };

  test('every member of the schema is in the table', () => {
    expect(Object.keys(table).toSorted()).toEqual(membersOf(schema, skip));
  });

  const changes = Object.entries(table).flatMap(([member, change]) =>
    typeof change === 'string' ? [] : [{ member, ...change }],
  );
  test.each(changes)('$member changes the result or is refused', async ({ from = {}, to, refusedAt }) => {
    const before = merged(base, from);
    const answer = await ask(before);
    const changed = merged(before, to);
    if (refusedAt === undefined) {
      expect(await ask(changed)).not.toBe(answer);
      return;
    }
    const { error } = querySchema.safeParse(changed);
    const attr = error ? toApiError(error.issues).body.attr : await ask(changed).catch(attrOf);
    expect(attr).toBe(refusedAt);
  });
}

function attrOf(error: unknown): string | null {
  if (error instanceof ApiError) return error.body.attr;
  throw error;
}
