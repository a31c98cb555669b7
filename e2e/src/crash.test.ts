import { crashRounds, type Service, startService, type Victim } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROUNDS = 3;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.close());

test.each<Victim>(['service', 'engine', 'postgres'])(
  'kill -9 of %s under load: no acknowledged event is lost or doubled, and it comes back by itself',
  async (victim) => {
    const result = await crashRounds(service, { victim, rounds: ROUNDS, seed: victim.length });
    expect(result.lost).toEqual([]);
    expect(result.doubled).toEqual([]);
    expect(result.acknowledged).toBeGreaterThan(ROUNDS);
  },
  120_000,
);
