// npm run bench -- kill-rounds [ROUNDS]: kill -9 of each process under load; nothing acknowledged may be lost or doubled.
import { crashRounds, startService, type Victim } from '@tidemark/testkit';
import { finish, report } from './report.js';

const rounds = Number(process.argv.slice(2).find((argument) => /^\d+$/.test(argument)) ?? 20);
let met = true;
for (const victim of ['service', 'engine', 'postgres'] satisfies Victim[]) {
  console.log(`\nKilling ${victim}, ${rounds} rounds`);
  const service = await startService();
  try {
    const result = await crashRounds(service, {
      victim,
      rounds,
      seed: Math.floor(Math.random() * 1e9),
      onRound: (round, recovery) =>
        console.log(`  round ${round}: the next event was stored ${recovery.toFixed(0)} ms after the kill`),
    });
    const figures = [
      { name: 'acknowledged events', value: result.acknowledged, unit: '', atLeast: rounds },
      { name: 'acknowledged and lost', value: result.lost.length, unit: '', below: 1 },
      { name: 'stored twice', value: result.doubled.length, unit: '', below: 1 },
      { name: 'requests sent again', value: result.retries, unit: '' },
      { name: 'longest recovery', value: Math.max(...result.recoveries), unit: 'ms' },
    ];
    met = report(`kill -9 of ${victim}, ${rounds} rounds`, figures) && met;
  } finally {
    await service.close();
  }
}
finish(met);
