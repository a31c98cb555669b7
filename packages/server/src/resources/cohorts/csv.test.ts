import { calibration, probeLoop, processorMs } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { createScheduler } from '../../adapters/system/index.js';
import { peopleInCsv } from './csv.js';

/** How often others had their turn while a file was read. */
async function turnsIn(text: string): Promise<number> {
  let turns = 0;
  let goesOn = true;
  const turn = () => {
    turns++;
    if (goesOn) setImmediate(turn);
  };
  setImmediate(turn);
  await peopleInCsv(text, createScheduler());
  goesOn = false;
  return turns;
}

test.each([
  ['lines', 'nobody\n'],
  ['cells', 'nobody,'],
  ['quotes', '"a\n'],
])('other requests are served while a file with very many %s is read', async (_name, part) => {
  expect(await turnsIn(part.repeat(200_000))).toBeGreaterThan(30);
});

test('a million empty lines are read quickly', async () => {
  const file = `\n\nname,uuid\n${'\r\n\n'.repeat(1_000_000)}Ann,ann\n\n`;
  const took = await processorMs(async () =>
    expect(await peopleInCsv(file, createScheduler())).toMatchObject({ distinctIds: ['ann'] }),
  );
  // two million of them took 7,000 ms
  expect(took).toBeLessThan(1500);
});

test('no turn takes long for a file of many people', { timeout: 60_000 }, async () => {
  const file = Array.from({ length: 200_000 }, (_, i) => `user-${i}-of-the-file`).join('\n');
  const probe = probeLoop();
  const turns: number[] = [];
  for (let round = 0; round < 3; round++) {
    probe.longest();
    expect((await peopleInCsv(file, createScheduler())).distinctIds).toHaveLength(200_000);
    turns.push(probe.longest() / Math.max(calibration(), 5));
  }
  probe.close();
  // the calibration takes 20 ms on an idle machine; all people in one turn took four times as long
  expect(Math.min(...turns)).toBeLessThan(2);
});
