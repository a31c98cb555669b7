import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { querySchema } from '../../analytics/query.js';
import { runQuery } from '../../analytics/run.js';
import { validate } from '../../http/validate.js';
import type { TestEvents } from '../events.js';
import { histories, putRows, rowsOf } from '../histories.js';

/** A point of an answer: the source of the people behind it, and the number that their counts of events must make. */
export interface Point {
  source: object;
  number: number;
  /** How many there are, where it is left out. */
  numberOf?: (counts: readonly number[]) => number;
}

/** A query without its dates, and the points of its results. */
export interface PointsOf {
  query: object;
  // each kind has results of its own
  points(source: object, results: never): Point[];
}

const NOW = Date.UTC(2024, 3, 9, 5);
const howMany = (counts: readonly number[]): number => counts.length;
/** Each comparison has a project of its own. */
let projects = 0;

const question = (kind: fc.Arbitrary<PointsOf>) =>
  fc.record({
    kind,
    timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'),
    days: fc.integer({ min: 1, max: 9 }),
    picks: fc.array(fc.nat(500), { minLength: 8, maxLength: 8 }),
  });

/**
 * Compares points of random queries over random histories with the people behind them. The store has the merges of
 * `putMerges`.
 * @param runs histories, of about 25 points each
 * @returns how many points were compared
 * @throws AssertionError when one has another number than its people
 */
export async function comparePoints(
  events: TestEvents,
  kind: fc.Arbitrary<PointsOf>,
  { runs, seed }: { runs: number; seed: number },
): Promise<number> {
  let compared = 0;
  const questions = fc.array(question(kind), { minLength: 4, maxLength: 4 });
  const property = fc.asyncProperty(histories, questions, async (history, drawnQuestions) => {
    const projectId = ++projects;
    await putRows(events, rowsOf(history, projectId));
    for (const { kind, timezone, days, picks } of drawnQuestions) {
      const run = (query: object) =>
        runQuery(events.store, validate(querySchema, query), {
          projectId,
          timezone,
          now: NOW,
          hasDenseEvents: async () => projectId % 2 === 0,
        });
      const source = { ...kind.query, dateRange: { date_from: '2024-03-31', date_to: `2024-04-0${days}` } };
      const { results } = await run(source);
      const all = kind.points(source, results as never);
      const full = all.filter(({ number }) => number > 0);
      // few points of many have any people: half of those looked at should
      for (const [index, pick] of picks.entries()) {
        const among = index % 2 ? all : full;
        const point = among[pick % Math.max(among.length, 1)];
        if (!point) continue;
        const people = await run({ kind: 'ActorsQuery', select: ['event_count'], source: point.source, limit: 1000 });
        const counts = (people.results as unknown as [number | string][]).map(([count]) => Number(count));
        deepStrictEqual((point.numberOf ?? howMany)(counts), point.number, JSON.stringify(point.source));
        compared++;
      }
    }
  });
  // so few that a slow machine does all of them
  await fc.assert(property, { numRuns: runs, seed, endOnFailure: true, interruptAfterTimeLimit: 280_000 });
  return compared;
}
