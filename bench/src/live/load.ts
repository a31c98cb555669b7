import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { pick, randomFrom, type Service, webEventMaker } from '@tidemark/testkit';

const EVENTS_A_SECOND = 500;
const BATCH = 50;
const LATE = { share: 0.2, byMs: 3 * 86_400_000 };
const MERGING = 0.02;
const PEOPLE = 20_000;
const NAMES = [
  '$pageview',
  '$pageview',
  '$pageview',
  '$pageview',
  '$autocapture',
  '$autocapture',
  'signed_up',
  'bought',
] as const;

/** Sends events at a constant rate. @returns the p99 of capture in milliseconds, and the events stored a second */
export async function liveLoad(service: Service, seconds: number): Promise<{ p99: number; rate: number }> {
  const random = randomFrom(Date.now() % 1e9);
  const make = webEventMaker(Math.floor(random() * 1e9), PEOPLE);
  const event = () => {
    const at = Date.now() - (random() < LATE.share ? random() * LATE.byMs : 0);
    const sent = make({ timestamp: new Date(at).toISOString(), event: pick(random, NAMES) });
    if (random() >= MERGING) return { ...sent, properties: { ...sent.properties, amount: Math.floor(random() * 1000) / 10 } };
    // somebody who was anonymous until now
    const properties = { ...sent.properties, $anon_distinct_id: `anonymous-${sent.uuid}` };
    return { ...sent, event: '$identify', properties };
  };
  const latencies: number[] = [];
  const pending = new Set<Promise<void>>();
  const begun = performance.now();
  const interval = (BATCH / EVENTS_A_SECOND) * 1000;
  for (let batch = 0; batch * interval < seconds * 1000; batch++) {
    const wait = begun + batch * interval - performance.now();
    if (wait > 0) await sleep(wait);
    const sending = send(service, Array.from({ length: BATCH }, event)).then((took) => {
      latencies.push(took);
      pending.delete(sending);
    });
    pending.add(sending);
  }
  await Promise.all(pending);
  latencies.sort((a, b) => a - b);
  return {
    p99: latencies[Math.floor((latencies.length - 1) * 0.99)] ?? Number.NaN,
    rate: (latencies.length * BATCH) / ((performance.now() - begun) / 1000),
  };
}

/** @returns milliseconds until the events were acknowledged */
async function send(service: Service, batch: object[]): Promise<number> {
  const body = gzipSync(JSON.stringify({ api_key: service.account.projectKey, batch, sent_at: new Date().toISOString() }));
  const begun = performance.now();
  const answer = await fetch(`${service.url}/batch/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body,
  });
  if (answer.status !== 200) throw new Error(`Capture answers ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
  return performance.now() - begun;
}
