import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { zipSync } from 'fflate';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemIds } from '../adapters/system/index.js';
import { runCommand } from '../testing/run-command.js';
import { type S3Server, startS3Server } from '../testing/s3-server.js';
import { startTestService, type TestService } from '../testing/service.js';

const ZSTD = new URL('../testing/files/events.jsonl.zst', import.meta.url);
/** Events in that file, which is two frames of different levels. */
const ZSTD_EVENTS = 2_000;

let service: TestService;
let url: string;
let bucket: S3Server;
let folder: string;
beforeAll(async () => {
  [service, bucket, folder] = await Promise.all([
    startTestService(),
    startS3Server(),
    mkdtemp(join(tmpdir(), 'tidemark-sources-')),
  ]);
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await Promise.all([service?.close(), bucket?.close()]);
  if (folder) await rm(folder, { recursive: true, force: true });
});

const makeEvents = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => ({
    uuid: systemIds.uuid(),
    event: name,
    distinct_id: `person-${index % 5}`,
    timestamp: new Date(Date.UTC(2022, 3, 1, 10, 0, index % 60)).toISOString(),
    properties: { index, text: 'ü'.repeat(index % 9) },
  }));
type Events = ReturnType<typeof makeEvents>;
const lines = (events: Events) => Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
const parquet = (events: Events) =>
  Buffer.from(
    parquetWriteBuffer({
      rowGroupSize: 100,
      columnData: [
        ...(['uuid', 'event', 'distinct_id', 'timestamp'] as const).map((name) => ({
          name,
          data: events.map((event) => event[name]),
          type: 'STRING' as const,
        })),
        { name: 'properties', data: events.map((event) => JSON.stringify(event.properties)), type: 'STRING' as const },
      ],
    }),
  );

/** A new project, a folder and a prefix of the bucket that only this attempt of a test uses. */
async function begin() {
  const { id } = (await service.call('POST', '/api/projects/', { body: { name: 'Imported' } })).json();
  const own = join(folder, systemIds.uuid());
  await mkdir(own);
  const env = {
    TIDEMARK_HOST: url,
    TIDEMARK_PERSONAL_API_KEY: service.personalKey,
    TIDEMARK_PROJECT: String(id),
    AWS_ENDPOINT_URL_S3: bucket.settings.endpoint ?? '',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  };
  return {
    prefix: systemIds.uuid(),
    file: (name: string) => join(own, name),
    import: (args: readonly string[], more: Record<string, string> = {}) =>
      runCommand(['import', ...args, '--state', join(own, 'state'), '--report', join(own, 'report')], { ...env, ...more }),
    report: async () => JSON.parse(await readFile(join(own, 'report'), 'utf8')).kinds.events,
    stored: async (): Promise<[string, unknown][]> => {
      const query = 'select toString(uuid), properties from events order by toString(uuid)';
      const body = { query: { kind: 'HogQLQuery', query, limit: 50_000 } };
      const { results } = (await service.call('POST', `/api/projects/${id}/query/`, { body })).json();
      return results.map(([uuid, properties]: [string, string | object]) => [
        uuid,
        typeof properties === 'string' ? JSON.parse(properties) : properties,
      ]);
    },
  };
}

async function put(key: string, content: Buffer): Promise<void> {
  const { endpoint = '', region } = bucket.settings;
  const client = new S3Client({
    endpoint: endpoint ?? '',
    region,
    forcePathStyle: true,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  });
  await client.send(new PutObjectCommand({ Bucket: 'tidemark', Key: key, Body: content }));
  client.destroy();
}

const expected = (...parts: Events[]): [string, unknown][] =>
  parts
    .flat()
    .map(({ uuid, properties }): [string, unknown] => [uuid, properties])
    .sort(([a], [b]) => (a < b ? -1 : 1));

test('properties that are a text of JSON are stored as those that are objects, and a text that is more than one object is no event', async () => {
  const texts = [
    ' { "spaces" : [ 1e3 , -0.5 ] ,\n "nested" : { "empty" : {} , "null" : null } } ',
    String.raw`{"escaped":"\u00fc\"\\\ud83d\ude00","half":"\ud800","zero":"\u0000"}`,
    '{"twice":1,"twice":2,"big":12345678901234567890,"tiny":1e-400}',
    '{"$set":{"plan":"pro"},"$groups":{"company":"acme"},"token":"x","distinct_id":"y"}',
  ];
  const events = makeEvents(texts.length, 'texts');
  const rows = (properties: (text: string) => unknown) =>
    events.map((event, index) => `${JSON.stringify({ ...event, properties: properties(texts[index] ?? '') })}\n`).join('');
  const [asText, asObject] = [await begin(), await begin()];
  await writeFile(
    asText.file('a.jsonl'),
    rows((text) => text),
  );
  await writeFile(
    asObject.file('a.jsonl'),
    rows((text) => JSON.parse(text)),
  );
  for (const one of [asText, asObject]) expect(await one.import(['events', one.file('a.jsonl')])).toMatchObject({ code: 0 });
  expect(await asText.stored()).toHaveLength(texts.length);
  expect(await asText.stored()).toEqual(await asObject.stored());

  const other = await begin();
  const [first, ...rest] = makeEvents(3, 'fine');
  const lines = [{ ...first, properties: '{"a":1},"event":"another","properties":{}' }, ...rest];
  await writeFile(other.file('b.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { code, output } = await other.import(['events', other.file('b.jsonl')]);
  expect([code, output]).toEqual([0, expect.stringContaining('the properties are not a JSON object')]);
  expect(await other.stored()).toEqual(expected(rest));
});

test('zstd: a file of two frames, then half of it', async () => {
  const { file, import: run, stored } = await begin();
  const whole = await readFile(ZSTD);
  await writeFile(file('a.jsonl.zst'), whole.subarray(0, whole.length - 1_000));
  const half = await run(['events', file('a.jsonl.zst')]);
  expect(half).toMatchObject({ code: 1, errors: expect.stringContaining('ends in the middle') });
  expect((await stored()).length).toBeLessThan(ZSTD_EVENTS);
  await writeFile(file('a.jsonl.zst'), whole);
  expect(await run(['events', file('a.jsonl.zst')])).toMatchObject({ code: 0 });
  const all = await stored();
  expect(all).toHaveLength(ZSTD_EVENTS);
  expect(all[1_999]).toEqual(['0197a3c1-0000-4000-8000-000000001999', { index: 1_999, text: 'x'.repeat(1_999 % 50) }]);
});

test('brotli, as PostHog names it, then half of it; and what has another name is named in the report', async () => {
  const { file, import: run, stored } = await begin();
  const events = makeEvents(2_000, 'brotli');
  const whole = brotliCompressSync(lines(events));
  await mkdir(file('exports'));
  await writeFile(file('exports/a.jsonl.br'), whole.subarray(0, whole.length >> 1));
  await writeFile(file('exports/b.jsonl.lz4'), 'x');
  await writeFile(file('exports/c.zip'), zipSync({ 'd.jsonl': lines([]), 'readme.txt': Buffer.from('x') }));
  const half = await run(['events', file('exports')]);
  expect(half).toMatchObject({ code: 1, errors: expect.stringContaining('a.jsonl.br ends in the middle') });
  await writeFile(file('exports/a.jsonl.br'), whole);
  const done = await run(['events', file('exports')]);
  expect(done).toMatchObject({ code: 0, output: expect.stringContaining('behind): 2 (b.jsonl.lz4, c.zip/readme.txt).') });
  expect(await stored()).toEqual(expected(events));
});

test('a zip archive, alone and in a folder: its files are read without unpacking it', async () => {
  const { file, import: run, stored, report } = await begin();
  const [first, second, third, fourth] = [1, 2, 3, 4].map((n) => makeEvents(250, `zipped ${n}`)) as [
    Events,
    Events,
    Events,
    Events,
  ];
  await writeFile(
    file('all.zip'),
    zipSync({
      'days/1.jsonl.gz': gzipSync(lines(first)),
      'days/2.jsonl': lines(second),
      // not compressed again, as archives of Parquet are
      'days/3.parquet': [parquet(third), { level: 0 }],
      'README.md': Buffer.from('words'),
    }),
  );
  await writeFile(file('more.jsonl'), lines(fourth));
  expect(await run(['events', file('all.zip'), file('more.jsonl')])).toMatchObject({ code: 0 });
  expect(await report()).toMatchObject({ imported: 1_000, skipped: 0 });
  expect(await stored()).toEqual(expected(first, second, third, fourth));
  // the next run knows each file of the archive
  expect(await run(['events', file('all.zip'), file('more.jsonl')])).toMatchObject({ code: 0 });
  expect(await report()).toMatchObject({ imported: 0, present: 1_000 });
});

test('half a zip archive, and Parquet that is compressed in one', async () => {
  const { file, import: run, stored } = await begin();
  const events = makeEvents(500, 'zipped');
  const whole = Buffer.from(zipSync({ 'a.jsonl': lines(events) }));
  await writeFile(file('half.zip'), whole.subarray(0, whole.length >> 1));
  const half = await run(['events', file('half.zip')]);
  expect(half).toMatchObject({ code: 1, errors: expect.stringContaining('cannot be read as a zip archive') });
  await writeFile(file('packed.zip'), zipSync({ 'a.parquet': parquet(events) }));
  const packed = await run(['events', file('packed.zip')]);
  expect(packed).toMatchObject({ code: 1, errors: expect.stringContaining('unpack the archive') });
  expect(await stored()).toEqual([]);
});

test('objects of a bucket: below a prefix, one by its key, and those that come later', async () => {
  const { import: run, stored, report, prefix } = await begin();
  const [first, second, third] = [1, 2, 3].map((n) => makeEvents(300, `bucket ${n}`)) as [Events, Events, Events];
  await put(`${prefix}/day=1/a.jsonl.gz`, gzipSync(lines(first)));
  await put(`${prefix}/day=2/b.parquet`, parquet(second));
  await put(`${prefix}-other/c.jsonl`, lines(third));
  const address = `s3://tidemark/${prefix}`;
  expect(await run(['events', address])).toMatchObject({ code: 0 });
  expect(await stored()).toEqual(expected(first, second));
  await put(`${prefix}/day=3/c.zip`, Buffer.from(zipSync({ 'c.jsonl': lines(third) })));
  expect(await run(['events', address])).toMatchObject({ code: 0 });
  expect(await report()).toMatchObject({ imported: 300, present: 600 });
  expect(await stored()).toEqual(expected(first, second, third));
  const alone = await begin();
  expect(await alone.import(['events', `${address}/day=2/b.parquet`])).toMatchObject({ code: 0 });
  expect(await alone.stored()).toEqual(expected(second));
});

test('half an object, which is whole later', async () => {
  const { import: run, stored, prefix } = await begin();
  const events = makeEvents(9_000, 'half');
  const whole = gzipSync(lines(events));
  await put(`${prefix}/a.jsonl.gz`, whole.subarray(0, whole.length - 2_000));
  const half = await run(['events', `s3://tidemark/${prefix}`]);
  expect(half).toMatchObject({ code: 1, errors: expect.stringContaining('ends in the middle') });
  await put(`${prefix}/a.jsonl.gz`, whole);
  const rest = await run(['events', `s3://tidemark/${prefix}`]);
  expect(rest).toMatchObject({ code: 0 });
  // what was stored before is not sent again
  expect(rest.output).toMatch(/events\s+9,000\s+1,000\s+0\s+8,000/);
  expect(await stored()).toEqual(expected(events));
});

test('a bucket that is not there, wrong credentials, an empty prefix, a server that is away', async () => {
  const { import: run, prefix } = await begin();
  const errorOf = async (address: string, more: Record<string, string> = {}) => {
    const { code, errors } = await run(['events', address], more);
    expect([code, errors.trim().split('\n').length]).toEqual([1, 1]);
    return errors;
  };
  expect(await errorOf('s3://nowhere/x')).toContain('The bucket nowhere does not exist.');
  expect(await errorOf(`s3://tidemark/${prefix}`)).toContain('No file with events was found');
  expect(await errorOf('s3://')).toContain('write s3://bucket/prefix');
  expect(await errorOf('s3://tidemark/', { AWS_ACCESS_KEY_ID: 'wrong' })).toContain('cannot be read with these credentials');
  expect(await errorOf('s3://tidemark/', { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' })).toContain(
    'does not answer (ECONNREFUSED)',
  );
});
