import type { JsonObject } from '../kernel/json.js';
import type { EventRow, EventTables, GroupRow, PersonOverrideRow, PersonRow } from '../ports/events.js';
import { eventRow, type TestEvents } from './events.js';

export interface SeedOptions {
  /** The same seed makes the same data. */
  seed: number;
  /** Rows; 3,000 by default. */
  events?: number;
  /** 60 by default. */
  persons?: number;
  projectId?: number;
  /** The span in which events happen, epoch milliseconds: the 30 days from 2024-03-10 by default (clocks change in it). */
  from?: number;
  days?: number;
}

/** What one project has, and whose each event is once merges are honoured. */
export interface SeededData {
  tables: { [Table in keyof EventTables]: EventTables[Table][] };
  events: EventRow[];
  personOf(event: EventRow): string;
  /** Of the person, with those of merged persons gone; `{}` for one who is not stored. */
  personProperties(personId: string): JsonObject;
  groupProperties(index: number, key: string): JsonObject;
}

const DAY = 86_400_000;
const EVENTS = ['$pageview', '$pageview', '$pageview', 'signed up', 'bought', '$autocapture'] as const;
const BROWSERS = ['Chrome', 'Chrome', 'Firefox', 'Safari', '', undefined] as const;
const URLS = ['https://a.test/', 'https://a.test/pricing', 'https://a.test/pricing/', 'https://a.test/docs?', undefined] as const;
const AMOUNTS = [1, 5, 12.5, -3, '7', 'many', undefined] as const;
const PLANS = ['free', 'pro', 'team', undefined] as const;
const COUNTRIES = ['DE', 'ΕΛ', 'US', undefined] as const;
const GROUPS = ['', 'acme', 'globex', 'initech'] as const;

const personId = (index: number): string => `00000000-0000-4000-8000-00000a${index.toString(16).padStart(6, '0')}`;

/** A generator of numbers in [0, 1) that always says the same (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * The data of one project, the same for the same seed: visits, sign-ups and purchases of persons of whom every fifth was merged
 * into the one before, with missing and odd properties, empty texts, equal times, groups and sessions.
 */
export function seededData(options: SeedOptions): SeededData {
  const { seed, events: count = 3_000, persons = 60, projectId = 1, from = Date.UTC(2024, 2, 10), days = 30 } = options;
  const random = seededRandom(seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const survivor = (index: number): number => (index % 5 === 4 ? index - 1 : index);

  const people = Array.from({ length: persons }, (_, index): PersonRow => {
    const properties = without({ plan: pick(PLANS), country: pick(COUNTRIES), age: Math.floor(random() * 60) + 18 });
    return {
      project_id: projectId,
      person_id: personId(index),
      properties,
      is_identified: index % 2 === 0,
      is_deleted: survivor(index) !== index,
      created_at: from - Math.floor(random() * 30) * DAY,
      version: 1,
    };
  });
  const overrides = people.flatMap(({ person_id }, index): PersonOverrideRow[] => {
    if (survivor(index) === index) return [];
    const old = { project_id: projectId, distinct_id: `d${index}`, person_id, version: 1 };
    return [old, { ...old, person_id: personId(survivor(index)), version: 2 }];
  });
  const groups = GROUPS.slice(1).map(
    (group_key, index): GroupRow => ({
      project_id: projectId,
      group_type_index: 0,
      group_key,
      properties: { tier: index === 0 ? 'gold' : 'silver' },
      created_at: from,
      version: 1,
    }),
  );

  const rows = Array.from({ length: count }, (_, index): EventRow => {
    // squared: some persons do much more than others, and the last ones nothing at all
    const person = Math.floor(random() ** 2 * persons * 0.95);
    const moment = from + Math.floor(random() * days * DAY);
    const timestamp = random() < 0.3 ? moment - (moment % 3_600_000) : moment;
    const event = pick(EVENTS) ?? '';
    const hour = Math.floor(timestamp / 3_600_000);
    return eventRow(index + seed * 1_000_000, {
      project_id: projectId,
      event,
      timestamp,
      inserted_at: timestamp,
      distinct_id: `d${person}`,
      person_id: personId(person),
      group_0: pick(GROUPS) ?? '',
      elements_chain: event === '$autocapture' ? (pick(CHAINS) ?? '') : '',
      properties: without({
        $browser: pick(BROWSERS),
        $current_url: pick(URLS),
        $session_id: random() < 0.9 ? `s${person}-${Math.floor(hour / 3)}` : undefined,
        amount: pick(AMOUNTS),
        is_test: random() < 0.1 ? true : undefined,
      }),
    });
  });

  const propertiesOf = new Map(people.map((person) => [person.person_id, person.is_deleted ? {} : person.properties]));
  const ofGroup = new Map(groups.map((group) => [`${group.group_type_index} ${group.group_key}`, group.properties]));
  const merged = new Map(overrides.map(({ distinct_id, person_id }) => [distinct_id, person_id]));
  return {
    tables: { events: rows, persons: people, person_overrides: overrides, groups },
    events: rows,
    personOf: ({ distinct_id, person_id }) => merged.get(distinct_id) ?? person_id,
    personProperties: (id) => propertiesOf.get(id) ?? {},
    groupProperties: (index, key) => ofGroup.get(`${index} ${key}`) ?? {},
  };
}

const CHAINS = [
  'button.btn.primary:text="Buy now"nth-child="1"nth-of-type="1"attr__class="btn primary";div:nth-child="2"nth-of-type="1"',
  'a:text="Docs"href="/docs"nth-child="3"nth-of-type="2";nav:attr__id="top"nth-child="1"nth-of-type="1"',
] as const;

const without = (given: Record<string, string | number | boolean | undefined>): JsonObject => {
  const properties: JsonObject = {};
  for (const [key, value] of Object.entries(given)) if (value !== undefined) properties[key] = value;
  return properties;
};

/** Stores the data. */
export async function putSeeded(events: TestEvents, { tables }: SeededData): Promise<void> {
  await events.put('events', tables.events);
  await events.put('persons', tables.persons);
  await events.put('person_overrides', tables.person_overrides);
  await events.put('groups', tables.groups);
}
