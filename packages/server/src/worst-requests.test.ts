import { type ClientRequest, request as httpRequest } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { calibration, probeLoop, type WorstRequest, worstRequests } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from './testing/service.js';

/*
 * The worst requests to every parser: none may hold the event loop. Time is that of the thread's processor, and it is compared with a piece
 * of work in the same run, so that a slow or busy machine does not fail it. `npm run bench -- stalls` measures milliseconds.
 */

/** How much longer than the calibration a turn of the loop may take: the bar is 50 ms where the calibration takes 20, and this leaves room. */
const FACTOR = 6;

let service: TestService;
let port: number;
beforeAll(async () => {
  service = await startTestService({}, undefined, { checksAnswers: false });
  await service.app.listen({ port: 0, host: '127.0.0.1' });
  const address = service.app.server.address();
  port = typeof address === 'object' && address ? address.port : 0;
});
afterAll(() => service.close());

/** The status; null: the service refused the body before all of it was sent, and closed the connection. */
function send({ method, path, as, headers = {}, body }: WorstRequest): Promise<number | null> {
  const authorization = as === 'personal' ? { authorization: `Bearer ${service.personalKey}` } : {};
  const length = body ? { 'content-length': body.length } : {};
  return new Promise((resolve) => {
    const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers: { ...headers, ...authorization, ...length } });
    sent.on('response', (response) => {
      response.resume();
      response.on('close', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', () => resolve(null));
    sendParts(sent, body);
  });
}

/** Bytes that this process, which is the service too, sends in one turn. */
const PART = 512 * 1024;

async function sendParts(sent: ClientRequest, body: Buffer = Buffer.alloc(0)): Promise<void> {
  for (let at = 0; at < body.length && !sent.destroyed; at += PART) {
    sent.write(body.subarray(at, at + PART));
    await nextTurn();
  }
  sent.end();
}

test('no request blocks the event loop', { timeout: 900_000 }, async () => {
  const requests = worstRequests(service.projectKey);
  const probe = probeLoop();
  const held: string[] = [];
  const statuses: Record<string, number | null> = {};
  for (const request of requests) {
    const factorOf = async () => {
      // a body that is made for each time is made here
      const sent = { ...request };
      probe.longest();
      statuses[request.name] = await send(sent);
      const longest = probe.longest();
      return longest / Math.max(calibration(), 5);
    };
    // code is compiled and memory collected the first time, and other tests run beside it: what counts is the best of three
    let factor = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 3 && factor > FACTOR; attempt++) factor = Math.min(factor, await factorOf());
    if (factor > FACTOR) held.push(`${request.name}: ${factor.toFixed(1)} times the calibration`);
  }
  probe.close();
  expect(held).toEqual([]);
  expect(Object.entries(statuses).filter(([, status]) => status !== null && status >= 500)).toEqual([]);
});
