// npm run bench -- history-reader: processor time of the service for an event of an import until its persons are looked up: read from bytes, and
// parsed as all others, in turns.
import { webEventMaker } from '@tidemark/testkit';
import { createPropertiesCodec } from '../../packages/server/dist/adapters/clickhouse/row-binary/index.js';
import { createScheduler } from '../../packages/server/dist/adapters/system/index.js';
import { createHistoryReader, eventsV0, parseEvents } from '../../packages/server/dist/ingestion/decode/index.js';
import { createPipeline } from '../../packages/server/dist/ingestion/pipeline.js';
import { runStages } from '../../packages/server/dist/ingestion/prepare.js';
import { STAGES } from '../../packages/server/dist/ingestion/stages/index.js';
import { report } from './report.js';

const BODIES = 20;
const EVENTS = 1_000;
const ROUNDS = 40;

const make = webEventMaker(1, 20_000);
const bodies = Array.from({ length: BODIES }, () => {
  const events = Array.from({ length: EVENTS }, () => make({ timestamp: '2025-01-01T00:00:00.000Z' }));
  return Buffer.from(`{"api_key":"tmk_bench","historical_migration":true,"batch":${JSON.stringify(events)}}`);
});

const scheduler = createScheduler();
const decoding = { reserve: () => {}, scheduler, zstd: { decompress: () => Promise.reject(new Error('nothing is compressed')) } };
const codec = createPropertiesCodec();
const readHistory = createHistoryReader(codec);
const context = { now: Date.now(), defaultName: null, makeUuid: () => '', warn: () => {} };
const project = { id: 1, organizationId: '', apiToken: 'tmk_bench', timezone: 'UTC', anonymizeIps: false };
const pipeline = createPipeline(STAGES, { uuid: () => '', locate: () => null }, { timed: () => {} });
const known = new Set(Object.keys(make().properties));
const stages = {
  pipeline,
  codec,
  scheduler,
  hasUnseen: (_project: number, _event: string, properties: object) => Object.keys(properties).some((name) => !known.has(name)),
  hasUnseenNames: () => false,
};

type Batch = Parameters<typeof eventsV0>[0];

async function stage(batch: Batch): Promise<void> {
  const events = await eventsV0(batch, decoding, context);
  const request = {
    capture: { project, ip: '', receivedAt: context.now, events },
    outcomes: Promise.resolve([]),
    resolve: () => {},
    reject: () => {},
  };
  const items = events.map((event) => ({ request, event, outcome: null, duplicateOf: null, error: null }));
  const { staged } = await runStages(stages, items);
  if (staged.length !== EVENTS) throw new Error(`${staged.length} events of ${EVENTS} passed the stages.`);
}

const ways = {
  'from bytes': async (body: Buffer) => {
    const envelope = await readHistory(body, decoding);
    if (!envelope?.plain?.every((plain) => plain !== null)) throw new Error('Events were parsed.');
    await stage(envelope);
  },
  parsed: async (body: Buffer) => {
    const { batch: items } = (await parseEvents(body, decoding)) as unknown as { batch: Batch['items'] };
    await stage({ items, sentAt: null });
  },
};

const least = new Map<string, number>();
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, run] of Object.entries(ways)) {
    const before = process.cpuUsage();
    for (const body of bodies) await run(body);
    const { user, system } = process.cpuUsage(before);
    least.set(name, Math.min(least.get(name) ?? Number.POSITIVE_INFINITY, (user + system) / BODIES / EVENTS));
  }
}
report(
  `An event of an import in the service, the least of ${ROUNDS} rounds`,
  [...least].map(([name, value]) => ({ name, value, unit: 'µs of processor time' })),
);
