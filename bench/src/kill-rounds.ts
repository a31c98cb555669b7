// npm run bench -- kill-rounds [ROUNDS] [ATTACK] [VICTIM] [--server]: kills and hangs each process under load, also while it starts; nothing
// acknowledged may be lost or doubled, and after each round every question has the same answer with warm caches as without any.
// ATTACK: kill, hang, kill-at-start or hang-at-start; VICTIM: service, engine or postgres. --server: the events are on a ClickHouse server, the engine.
// npm run bench -- kill-rounds cluster [ROUNDS] [PART] [--quorum]: takes away each part of a cluster in turn under load: a replica of ClickHouse, killed or
// hung, a shard, Keeper, a server, PostgreSQL. PART: one of them alone, or a pair at once: keeper+server, hung-replica+server. --quorum: an insert
// needs most replicas of a shard. SIGINT ends after the round that runs.
import { type Attack, crashRounds, startClickHouseServer, startService, type Victim, whyNoReplicas } from '@tidemark/testkit';
import { compareAnswers, keepAsking, mixedEvents } from './kill-rounds/answers.js';
import { clusterRounds, PAIRS, PARTS, type Part } from './kill-rounds/cluster.js';
import { type Figure, finish, report } from './report.js';

const ATTACKS = ['kill', 'hang', 'kill-at-start', 'hang-at-start'] as const satisfies Attack[];
const VICTIMS = ['service', 'engine', 'postgres'] as const satisfies Victim[];
/** Limits of the response time while a store hangs, and of its recovery, milliseconds. */
const REFUSED_MS = 5_000;
const WELL_MS = 30_000;
/** The longest time without an answer while replicas and other servers take over, milliseconds. */
const GAP_MS = 10_000;

const words = process.argv.slice(2);
const rounds = Number(words.find((word) => /^\d+$/.test(word)) ?? 20);
const chosen = <T extends string>(all: readonly T[]): readonly T[] => {
  const named = all.filter((one) => words.includes(one));
  return named.length > 0 ? named : all;
};
let met = true;
if (words.includes('cluster')) finish(await runOnCluster());
for (const attack of chosen(ATTACKS)) {
  for (const victim of chosen(VICTIMS)) met = (await run(attack, victim)) && met;
}
finish(met);

async function run(attack: Attack, victim: Victim): Promise<boolean> {
  // the service that is stopped as it starts would be a suspended machine once more
  if (attack === 'hang-at-start' && victim === 'service') return true;
  console.log(`\n${attack} of ${victim}, ${rounds} rounds`);
  const server = words.includes('--server') ? await startClickHouseServer() : undefined;
  const service = await startService(server ? { server } : {});
  const stopAsking = keepAsking(service);
  let compared = 0;
  const differing: string[] = [];
  try {
    const result = await crashRounds(service, {
      victim,
      attack,
      ...(server ? { server } : {}),
      rounds,
      seed: Math.floor(Math.random() * 1e9),
      eventOf: mixedEvents(),
      whileQuiet: async () => {
        const answers = await compareAnswers(service);
        compared += answers.compared;
        differing.push(...answers.differing);
      },
      onRound: (round, recovery) => console.log(`  round ${round}: well again after ${recovery.toFixed(0)} ms`),
    });
    // a service that is not there, or is suspended, answers nothing
    const isBounded = victim !== 'service' && !attack.endsWith('-at-start');
    const figures: Figure[] = [
      { name: 'acknowledged events', value: result.acknowledged, unit: '', atLeast: rounds },
      { name: 'acknowledged and lost', value: result.lost.length, unit: '', below: 1 },
      { name: 'stored twice', value: result.doubled.length, unit: '', below: 1 },
      { name: 'answers compared with the computation without caches', value: compared, unit: '', atLeast: rounds },
      { name: 'answers that differ', value: differing.length, unit: '', below: 1 },
      { name: 'requests sent again', value: result.retries, unit: '' },
      {
        name: 'longest time to answer 503',
        value: result.longestRefusal,
        unit: 'ms',
        ...(isBounded ? { below: REFUSED_MS } : {}),
      },
      { name: '503 without Retry-After', value: result.withoutRetryAfter, unit: '', below: 1 },
      { name: 'longest recovery', value: Math.max(...result.recoveries), unit: 'ms', below: WELL_MS },
    ];
    return report(`${attack} of ${victim}, ${rounds} rounds`, figures);
  } finally {
    await stopAsking();
    await service.close();
    await server?.close();
  }
}

async function runOnCluster(): Promise<boolean> {
  const reason = whyNoReplicas();
  if (reason) throw new Error(reason);
  const named = [...PARTS, ...PAIRS].filter((part) => words.includes(part));
  const parts: readonly Part[] = named.length > 0 ? named : PARTS;
  const quorum = words.includes('--quorum') ? 'auto' : '0';
  let isOver = false;
  process.once('SIGINT', () => {
    isOver = true;
    console.log('  Ends after this round.');
  });
  const result = await clusterRounds(parts, { rounds, quorum, isOver: () => isOver }, (round, part, recovery, gap) => {
    const reads = gap === null ? '' : `; reads waited ${gap.toFixed(0)} ms at most`;
    console.log(`  round ${round}: ${part}, well again ${recovery.toFixed(0)} ms after its return${reads}`);
  });
  return report(`${parts.join(', ')} of a cluster away in turn, quorum ${quorum}, ${result.rounds} rounds`, [
    { name: 'acknowledged events', value: result.acknowledged, unit: '', atLeast: result.rounds },
    { name: 'stored events', value: result.stored, unit: '' },
    { name: 'acknowledged and lost', value: result.lost, unit: '', below: 1 },
    { name: 'stored twice', value: result.doubled, unit: '', below: 1 },
    { name: 'twice on a node after a round, before merges removed copies', value: result.doubledOnNode, unit: '', below: 1 },
    { name: 'requests sent again', value: result.retries, unit: '' },
    { name: 'longest recovery', value: result.recovery, unit: 'ms', below: WELL_MS },
    { name: 'reads while another part takes over', value: result.reads, unit: '' },
    { name: 'of them refused by a server that was not attacked', value: result.refusedReads, unit: '', below: 1 },
    { name: 'of them ended with a killed server, and sent again', value: result.brokenReads, unit: '' },
    { name: 'test servers of ClickHouse that ended without an attack', value: result.restarted, unit: '' },
    { name: 'longest time without an answer', value: result.longestGap, unit: 'ms', below: GAP_MS },
  ]);
}
