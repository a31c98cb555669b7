// npm run bench -- recordings: an hour of recording among others, listed and read.
import { startService } from '@tidemark/testkit';
import { finish, report } from './report.js';

const HOUR_MS = 3_600_000;
/** Recorders send every two seconds. */
const EVERY_MS = 2_000;
const OTHERS = 1_000;
const READS = 20;

const service = await startService();
let met = false;
try {
  await service.call('PATCH', '/api/projects/@current/', { body: { session_recording_opt_in: true } });
  const begin = Date.now() - HOUR_MS;
  const sending = performance.now();
  await send('long', [...firstOf(begin), ...changes(begin, 50)]);
  await inTurns(HOUR_MS / EVERY_MS - 1, (i) => send('long', changes(begin + (i + 1) * EVERY_MS, 50)));
  const perSend = (performance.now() - sending) / (HOUR_MS / EVERY_MS);
  await inTurns(OTHERS, (i) => send(`other-${i}`, changes(begin + i * 1_000, 5)));

  const path = '/api/projects/@current/session_recordings';
  const list = await median(() => read(`${path}/?limit=100`, 'results'));
  const one = await median(() => read(`${path}/long/`, 'start_time'));
  const sources = await median(() => read(`${path}/long/snapshots/`, 'blob_v2'));
  const block = await median(() => read(`${path}/long/snapshots/?source=blob_v2&start_blob_key=0&end_blob_key=0`, '"type":2'));
  met = report('Recordings: an hour in 1,800 uploads, and 1,000 others', [
    { name: 'take an upload (four at a time)', value: perSend, unit: 'ms' },
    { name: 'list 100 recordings, median', value: list, unit: 'ms', below: 50 },
    { name: 'retrieve the hour, median', value: one, unit: 'ms', below: 50 },
    { name: 'list its blocks, median', value: sources, unit: 'ms', below: 50 },
    { name: 'read its first block, median', value: block, unit: 'ms', below: 200 },
  ]);
} finally {
  await service.close();
}
finish(met);

/** A page of 3,000 elements. */
function firstOf(timestamp: number): object[] {
  const childNodes = Array.from({ length: 3_000 }, (_, i) => ({
    type: 2,
    id: i + 10,
    tagName: 'div',
    attributes: { class: `row row-${i}` },
    childNodes: [],
  }));
  const node = { type: 0, id: 1, childNodes: [{ type: 2, id: 2, tagName: 'html', attributes: {}, childNodes }] };
  return [
    { type: 4, timestamp, data: { href: 'https://shop.example/', width: 1280, height: 720 } },
    { type: 2, timestamp, data: { node, initialOffset: { top: 0, left: 0 } } },
  ];
}

function changes(timestamp: number, count: number): object[] {
  return Array.from({ length: count }, (_, i) => ({
    type: 3,
    timestamp: timestamp + i * 30,
    data: { source: 1, positions: [{ x: (timestamp + i * 7) % 1280, y: i * 11, id: i + 10, timeOffset: 0 }] },
  }));
}

async function send(session: string, snapshots: object[]): Promise<void> {
  const properties = {
    $session_id: session,
    $window_id: 'w',
    $snapshot_data: snapshots,
    distinct_id: 'ada',
    token: service.account.projectKey,
  };
  const { status, body } = await service.post('/s/', [{ event: '$snapshot', properties }]);
  if (status !== 200 || JSON.stringify(body) !== '{"status":"Ok"}')
    throw new Error(`/s/ answers ${status} ${JSON.stringify(body)}`);
}

/** Runs `count` of them, four at a time. */
async function inTurns(count: number, run: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await run(next++);
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
}

async function read(path: string, holding: string): Promise<void> {
  const answer = await fetch(service.url + path, { headers: { authorization: `Bearer ${service.account.personalKey}` } });
  const text = await answer.text();
  if (!text.includes(holding)) throw new Error(`${path} answers ${answer.status}: ${text.slice(0, 200)}`);
}

/** Milliseconds. */
async function median(run: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < READS; i++) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[READS >> 1] ?? Number.NaN;
}
