import { Session } from 'chdb';

const DAYS = 90;

export interface Seed {
  /** The engine's directory; the tables exist already. */
  path: string;
  projectId: number;
  events: number;
  persons: number;
  /** End of the 90 days of events, epoch milliseconds. */
  now: number;
}

/**
 * Fills the tables by SQL in the engine, deterministically: visits, clicks, sign-ups and purchases of persons of whom
 * some do much more than others, and of whom every twentieth was merged into another.
 */
export async function seedQueries({ path, projectId, events, persons, now }: Seed): Promise<void> {
  const session = new Session(path);
  try {
    const run = (sql: string) => session.queryAsync(sql);
    await run('USE tidemark');
    const from = now - DAYS * 86_400_000;
    const person = (index: string) => `reinterpretAsUUID(sipHash128(toUInt64(${index}), 'person'))`;
    for (let at = 0; at < events; at += 1_000_000) {
      const count = Math.min(1_000_000, events - at);
      await run(`INSERT INTO events
        WITH cityHash64(number) AS h, toUInt64(pow((h % 1000003) / 1000003, 2) * ${persons}) AS p,
          fromUnixTimestamp64Milli(toInt64(${from} + cityHash64(number, 'time') % ${DAYS * 86_400_000}), 'UTC') AS t
        SELECT ${projectId}, reinterpretAsUUID(sipHash128(number)),
          ['$pageview', '$pageview', '$pageview', '$pageview', '$autocapture', '$autocapture', 'signed_up', 'bought'][h % 8 + 1],
          concat('user-', toString(p)), ${person('p')}, 'full', t, t, '', concat('company-', toString(p % 500)), '', '', '', '',
          concat('{"$browser":"', ['Chrome', 'Chrome', 'Chrome', 'Firefox', 'Safari', 'Edge', 'Opera'][h % 7 + 1],
            '","$os":"', ['Windows', 'Mac OS X', 'Linux', 'iOS', 'Android'][intDiv(h, 7) % 5 + 1],
            '","$current_url":"https://example.com/page/', toString(cityHash64(number, 'page') % 200),
            '","$session_id":"', toString(p), '-', toString(toUnixTimestamp(t) % 50),
            '","$referring_domain":"', ['$direct', 'google.com', 'bing.com', 'news.example'][intDiv(h, 35) % 4 + 1],
            '","amount":', toString(h % 1000 / 10), ',"plan":"', ['free', 'pro', 'team'][p % 3 + 1], '"}')::JSON(max_dynamic_paths = 16)
        FROM numbers(${at}, ${count})
        SETTINGS max_partitions_per_insert_block = 0, optimize_on_insert = 0`);
    }
    await run(`INSERT INTO persons SELECT ${projectId}, ${person('number')},
        concat('{"plan":"', ['free', 'pro', 'team'][number % 3 + 1], '","country":"', ['DE', 'US', 'FR', 'JP'][number % 4 + 1], '"}')::JSON(max_dynamic_paths = 16),
        number % 2 = 0, false, fromUnixTimestamp64Milli(toInt64(${from}), 'UTC'), 1
      FROM numbers(${persons})`);
    await run(`INSERT INTO person_overrides SELECT ${projectId}, concat('user-', toString(number)), ${person('number - 1')}, 1
      FROM numbers(${persons}) WHERE number % 20 = 19`);
  } finally {
    session.close();
  }
}
