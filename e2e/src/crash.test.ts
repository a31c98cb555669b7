import { type Attack, crashRounds, type Service, startService, type Victim } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

// `npm run bench -- kill-rounds` makes 20, under more load
const ROUNDS = 2;
/** Enough for a batch to be under way at each moment, also on a machine that is busy with other tests. */
const LOAD = { pauseMs: 50 };

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.close());

/** Each load has uuids of its own: a client gives a new event a new one. */
let lastSeed = 0;

test.each<Victim>(['service', 'engine', 'postgres'])(
  'kill -9 of %s under load: no acknowledged event is lost or doubled, and the process restarts',
  async (victim) => {
    const result = await crashRounds(service, { ...LOAD, victim, rounds: ROUNDS, seed: ++lastSeed });
    expect(result.lost).toEqual([]);
    expect(result.doubled).toEqual([]);
    expect(result.acknowledged).toBeGreaterThan(ROUNDS);
  },
);

test.each<[Attack, Victim]>([
  ['hang', 'engine'],
  ['hang', 'postgres'],
  ['hang-at-start', 'engine'],
  ['hang-at-start', 'postgres'],
  ['kill-at-start', 'postgres'],
])(
  '%s of %s under load: the process is replaced, requests are refused meanwhile, and no acknowledged event is lost or doubled',
  async (attack, victim) => {
    const result = await crashRounds(service, { ...LOAD, victim, attack, rounds: 1, seed: ++lastSeed });
    expect(result).toMatchObject({ lost: [], doubled: [], withoutRetryAfter: 0 });
    expect(result.acknowledged).toBeGreaterThan(1);
    // the bench checks the exact figure; a request without a response times out after 30 s
    expect(result.longestRefusal).toBeLessThan(25_000);
  },
);

test('after the machine was suspended for longer than the timeout of a store, no process is replaced and no event lost', async () => {
  const result = await crashRounds(service, { ...LOAD, victim: 'service', attack: 'hang', rounds: 1, seed: ++lastSeed });
  expect(result).toMatchObject({ lost: [], doubled: [] });
});
