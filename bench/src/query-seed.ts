import { Session } from 'chdb';

const DAY = 86_400_000;
const DAYS = 90;

/** Events that are inserted at a time. */
const PART = 1_000_000;

export interface Seed {
  /** The engine's directory; the tables exist already. */
  path: string;
  projectId: number;
  events: number;
  persons: number;
  /** End of the 90 days of events, epoch milliseconds. */
  now: number;
  /** Events that an earlier call has stored. Default: none. */
  stored?: number;
}

/**
 * Fills the tables by SQL in the engine, deterministically: visits, clicks, sign-ups and purchases of persons of whom
 * some do much more than others, and of whom every twentieth was merged into another.
 * @param goesOn called after each part with the number of stored events; false stops it
 */
export async function seedQueries(
  seed: Seed,
  goesOn: (stored: number) => Promise<boolean> | boolean = () => true,
): Promise<void> {
  const { path, events, stored = 0 } = seed;
  const session = new Session(path);
  try {
    await session.queryAsync('USE tidemark');
    for (let at = stored; at < events; at += PART) {
      const count = Math.min(PART, events - at);
      await session.queryAsync(eventsOf(seed, at, count));
      if (!(await goesOn(at + count))) return;
    }
    for (const sql of personsOf(seed)) await session.queryAsync(sql);
  } finally {
    session.close();
  }
}

/** The statements that fill the tables at once, to be run in their database. */
export function seedStatements(seed: Omit<Seed, 'path' | 'stored'>): string[] {
  const parts = Array.from({ length: Math.ceil(seed.events / PART) }, (_, number) => number * PART);
  return [...parts.map((at) => eventsOf(seed, at, Math.min(PART, seed.events - at))), ...personsOf(seed)];
}

const personId = (index: string) => `reinterpretAsUUID(sipHash128(toUInt64(${index}), 'person'))`;

/** A part has the next days' events, as a service stores them: parts that each had events of all days would be read as a whole for one of them. */
function eventsOf({ projectId, persons, now, events }: Omit<Seed, 'path'>, at: number, count: number): string {
  const length = Math.floor((DAYS * DAY * count) / events);
  const from = now - DAYS * DAY + Math.floor((DAYS * DAY * at) / events);
  return `INSERT INTO events (project_id, uuid, event, distinct_id, person_id, person_mode, timestamp, inserted_at, elements_chain,
          group_0, group_1, group_2, group_3, group_4, properties)
        WITH cityHash64(number) AS h, toUInt64(pow((h % 1000003) / 1000003, 2) * ${persons}) AS p,
          fromUnixTimestamp64Milli(toInt64(${from} + cityHash64(number, 'time') % ${length}), 'UTC') AS t
        SELECT ${projectId}, reinterpretAsUUID(sipHash128(number)),
          ['$pageview', '$pageview', '$pageview', '$pageview', '$autocapture', '$autocapture', 'signed_up', 'bought'][h % 8 + 1],
          concat('user-', toString(p)), ${personId('p')}, 'full', t, t, '', concat('company-', toString(p % 500)), '', '', '', '',
          concat('{"$browser":"', ['Chrome', 'Chrome', 'Chrome', 'Firefox', 'Safari', 'Edge', 'Opera'][h % 7 + 1],
            '","$os":"', ['Windows', 'Mac OS X', 'Linux', 'iOS', 'Android'][intDiv(h, 7) % 5 + 1],
            '","$current_url":"https://example.com/page/', toString(cityHash64(number, 'page') % 200),
            '","$session_id":"', toString(p), '-', toString(toUnixTimestamp(t) % 50),
            '","$referring_domain":"', ['$direct', 'google.com', 'bing.com', 'news.example'][intDiv(h, 35) % 4 + 1],
            '","amount":', toString(h % 1000 / 10), ',"plan":"', ['free', 'pro', 'team'][p % 3 + 1], '"}')::JSON(max_dynamic_paths = 16)
        FROM numbers(${at}, ${count})
        SETTINGS max_partitions_per_insert_block = 0, optimize_on_insert = 0`;
}

const personsOf = ({ projectId, persons, now }: Omit<Seed, 'path'>) => [
  `INSERT INTO persons SELECT ${projectId}, ${personId('number')},
        concat('{"plan":"', ['free', 'pro', 'team'][number % 3 + 1], '","country":"', ['DE', 'US', 'FR', 'JP'][number % 4 + 1], '"}')::JSON(max_dynamic_paths = 16),
        number % 2 = 0, false, fromUnixTimestamp64Milli(toInt64(${now - DAYS * DAY}), 'UTC'), 1
      FROM numbers(${persons})`,
  `INSERT INTO person_overrides SELECT ${projectId}, concat('user-', toString(number)), ${personId('number - 1')}, 1
      FROM numbers(${persons}) WHERE number % 20 = 19`,
];
