// The process of `liveLoad`: sends events at a constant rate for some seconds, and writes its `Load` as JSON.
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { pick, randomFrom, webEventMaker } from '@tidemark/testkit';
import type { Load } from './load.js';

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

const [url = '', projectKey = '', seconds = ''] = process.argv.slice(2);
console.log(JSON.stringify(await sendFor(Number(seconds))));

async function sendFor(seconds: number): Promise<Load> {
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
    const sending = send(Array.from({ length: BATCH }, event)).then((took) => {
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
async function send(batch: object[]): Promise<number> {
  const body = gzipSync(JSON.stringify({ api_key: projectKey, batch, sent_at: new Date().toISOString() }));
  const begun = performance.now();
  const answer = await fetch(`${url}/batch/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body,
  });
  if (answer.status !== 200) throw new Error(`Capture answers ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
  return performance.now() - begun;
}
