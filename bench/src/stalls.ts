// npm run bench -- stalls: the worst requests to every parser, one after another, and how long each blocks the event loop.
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Service, startService, type WorstRequest, worstRequests } from '@tidemark/testkit';
import { finish, report } from './report.js';
import { longestStall } from './watch.js';

/** Repetitions, of which the best counts, because the first one compiles code. */
const ROUNDS = 3;
/** Pause for work after the response, milliseconds. */
const AFTERWARDS = 30;
const BAR = 50;

const service = await startService({ probesLoop: true });
let met = false;
try {
  // wall-clock time would include other programs
  const figures: { name: string; value: number; unit: string; below: number }[] = [];
  let byClock = 0;
  for (const request of worstRequests(service.account.projectKey)) {
    let [best, bestByClock] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < ROUNDS; round++) {
      await longestStall(service);
      await service.longestTurn();
      await send(service, request);
      await sleep(AFTERWARDS);
      best = Math.min(best, await service.longestTurn());
      bestByClock = Math.min(bestByClock, await longestStall(service));
    }
    figures.push({ name: request.name, value: best, unit: 'ms', below: BAR });
    byClock = Math.max(byClock, bestByClock);
  }
  figures.sort((a, b) => b.value - a.value);
  met = report('Longest turn of the event loop by one request, processor time', [
    ...figures,
    { name: 'longest stall by the clock, other programs included', value: byClock, unit: 'ms' },
  ]);
} finally {
  await service.close();
}
finish(met);

function send({ port, account }: Service, { method, path, as, headers = {}, body }: WorstRequest): Promise<void> {
  const authorization = as === 'personal' ? { authorization: `Bearer ${account.personalKey}` } : {};
  const length = body ? { 'content-length': body.length } : {};
  return new Promise((resolve) => {
    const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers: { ...headers, ...authorization, ...length } });
    sent.on('response', (response) => response.resume().on('close', resolve));
    // rejected before all of it was sent
    sent.on('error', () => resolve());
    sent.end(body);
  });
}
