import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { canMount } from '@tidemark/testkit';
import { parquetWriteFile } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemIds } from '../adapters/system/index.js';
import { runCommand } from '../testing/run-command.js';
import { startTestService, type TestService } from '../testing/service.js';

let service: TestService;
let host: string;
let folder: string;
beforeAll(async () => {
  service = await startTestService();
  host = await service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => service?.close());

/** A folder of its own for each attempt of each test. */
async function newFolder(): Promise<void> {
  if (folder) await rm(folder, { recursive: true, force: true });
  folder = await mkdtemp(join(tmpdir(), 'tidemark-import-'));
}
const file = (name: string) => join(folder, name);

const env = () => ({ TIDEMARK_HOST: host, TIDEMARK_PERSONAL_API_KEY: service.personalKey });
const run = (...args: string[]) => runCommand(['import', 'events', ...args, '--state', file('state.json')], env());

interface Sent {
  uuid: string;
  event: string;
  distinct_id: string;
  timestamp: string;
  properties: object;
}

const makeEvents = (count: number, name = `imported ${systemIds.uuid()}`): Sent[] =>
  Array.from({ length: count }, (_, index) => ({
    uuid: systemIds.uuid(),
    event: name,
    distinct_id: `person-${index % 7}`,
    timestamp: new Date(Date.UTC(2022, 3, 1 + (index % 20), 10, 0, index % 60)).toISOString(),
    properties: { plan: index % 2 ? 'pro' : 'free', amount: index / 4, nested: { list: [index, 'ü'] } },
  }));
const lines = (events: readonly object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');

/** The stored events of one name. */
async function storedOf(event: string) {
  const query = `select toString(uuid), distinct_id, toUnixTimestamp64Milli(timestamp), properties from events where event = '${event}' order by toString(uuid)`;
  const response = await service.call('POST', '/api/projects/@current/query/', {
    body: { query: { kind: 'HogQLQuery', query, limit: 50_000 } },
  });
  expect([response.statusCode, response.body]).toEqual([200, expect.anything()]);
  return response.json().results.map(([uuid, distinct_id, ms, properties]: [string, string, number, string | object]) => ({
    uuid,
    distinct_id,
    timestamp: new Date(Number(ms)).toISOString(),
    properties: typeof properties === 'string' ? JSON.parse(properties) : properties,
  }));
}
const expected = (events: readonly Sent[]) =>
  events.map(({ event: _event, ...rest }) => rest).sort((a, b) => (a.uuid < b.uuid ? -1 : 1));

describe('files of events', () => {
  test('JSON lines, with gzip and without, and Parquet are stored as they are, and once', async () => {
    await newFolder();
    const events = makeEvents(300);
    const name = events[0]?.event ?? '';
    await writeFile(file('a.jsonl.gz'), gzipSync(lines(events.slice(0, 100))));
    await writeFile(file('b.jsonl'), lines(events.slice(100, 200)));
    const rows = events.slice(200);
    await parquetWriteFile({
      filename: file('c.parquet'),
      columnData: [
        ...(['uuid', 'event', 'distinct_id'] as const).map((column) => ({
          name: column,
          data: rows.map((row) => row[column]),
          type: 'STRING' as const,
        })),
        { name: 'timestamp', data: rows.map((row) => new Date(row.timestamp)), type: 'TIMESTAMP' as const },
        { name: 'properties', data: rows.map((row) => JSON.stringify(row.properties)), type: 'STRING' as const },
      ],
    });
    const done = await run(folder, '--report', file('report.out'));
    expect(done).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(file('report.out'), 'utf8')).kinds.events).toMatchObject({
      read: 300,
      imported: 300,
      skipped: 0,
    });
    expect(await storedOf(name)).toEqual(expected(events));

    const again = await run(folder);
    expect(again.output).toMatch(/events\s+300\s+0\s+0\s+300\s+0/);
    // also without the state the uuids are the same
    await rm(file('state.json'));
    expect((await run(folder)).code).toBe(0);
    expect(await storedOf(name)).toEqual(expected(events));
  });

  test('a dry run reads everything and stores nothing', async () => {
    await newFolder();
    const events = makeEvents(10);
    await writeFile(file('a.jsonl'), lines(events));
    const dry = await run(folder, '--dry-run');
    expect(dry).toMatchObject({ code: 0, output: expect.stringContaining('nothing was written') });
    expect(await storedOf(events[0]?.event ?? '')).toEqual([]);
    expect(await readFile(file('state.json')).catch(() => null)).toBeNull();
  });

  test('a table with a mapping', async () => {
    await newFolder();
    const name = `bought ${systemIds.uuid()}`;
    await writeFile(
      file('sales.csv'),
      'When,Who,Amount,Paid,Mail\n2021-02-03 04:05:06,ann,12.5,true,ann@example.com\n2021-02-03T05:05:06+01:00,bob,,false,\n',
    );
    await writeFile(
      file('mapping.json.txt'),
      JSON.stringify({
        event: { value: name },
        distinct_id: 'Who',
        timestamp: 'When',
        properties: { amount: 'Amount', paid: 'Paid' },
        set: { email: 'Mail' },
        convert: ['Amount', 'Paid'],
      }),
    );
    expect(await run(file('sales.csv'), '--mapping', file('mapping.json.txt'))).toMatchObject({ code: 0 });
    const stored = await storedOf(name);
    expect(stored.map(({ uuid: _, ...rest }: { uuid: string }) => rest)).toEqual(
      expect.arrayContaining([
        {
          distinct_id: 'ann',
          timestamp: '2021-02-03T04:05:06.000Z',
          properties: { amount: 12.5, paid: true, $set: { email: 'ann@example.com' } },
        },
        { distinct_id: 'bob', timestamp: '2021-02-03T04:05:06.000Z', properties: { paid: false } },
      ]),
    );
  });
});

describe('bad input', () => {
  test('half a file: what stands before is stored, and the rest when the file is whole', async () => {
    await newFolder();
    const events = makeEvents(20_000);
    const name = events[0]?.event ?? '';
    const whole = gzipSync(lines(events));
    await writeFile(file('half.jsonl.gz'), whole);
    await truncate(file('half.jsonl.gz'), whole.length >> 1);
    const half = await run(folder);
    expect(half).toMatchObject({ code: 1, errors: expect.stringContaining('ends in the middle') });
    const stored = (await storedOf(name)).length;
    expect(stored).toBeGreaterThan(0);
    await writeFile(file('half.jsonl.gz'), whole);
    expect(await run(folder)).toMatchObject({ code: 0 });
    expect(await storedOf(name)).toEqual(expected(events));
  });

  test('lines that are no events are reported with their place, the others are stored', async () => {
    await newFolder();
    const [first, second] = makeEvents(2);
    const long = 'x'.repeat(9 * 1024 * 1024);
    // some programs write a mark before the first line
    await writeFile(file('mixed.jsonl'), `\ufeff${lines([first ?? {}])}not json\n[1]\n{"event":"${long}"}\n{"event":"no id"}\n`);
    await appendFile(file('mixed.jsonl'), lines([{ ...first, uuid: systemIds.uuid(), timestamp: 'soon' }]));
    await appendFile(file('mixed.jsonl'), JSON.stringify(second));
    const { code, output } = await run(folder);
    expect(code).toBe(0);
    expect(output).toContain('the line is not JSON (mixed.jsonl, record 2)');
    expect(output).toContain('the line is not a JSON object (mixed.jsonl, record 3)');
    expect(output).toContain('the line is longer than 8 MB (mixed.jsonl, record 4)');
    expect(output).toContain('the event has no distinct id (mixed.jsonl, record 5)');
    expect(output).toContain('the timestamp "soon" is not a time (mixed.jsonl, record 6)');
    expect(await storedOf(first?.event ?? '')).toHaveLength(2);
  });

  test.each([
    ['wrong.csv', 'a,b\n1,2\n3,4\n', [], 'has no event among its first 2 records'],
    ['wrong.csv', 'a,b\n1,2\n', ['--mapping', 'mapping'], 'has no column "who" that the mapping names. It has: a, b.'],
    ['quote.csv', 'event,distinct_id,timestamp\na,"b,2020-01-01\n', [], 'ends in the middle of a quoted value'],
    ['no.parquet', 'this is not Parquet at all', [], 'cannot be read as Parquet'],
    ['data.bin', 'x', [], 'does not tell its format'],
  ])('%s (%#)', async (name, content, args, sentence) => {
    await newFolder();
    await writeFile(file(name), content);
    await writeFile(file('mapping'), JSON.stringify({ event: { value: 'x' }, distinct_id: 'who', timestamp: 'a' }));
    const { code, errors } = await run(file(name), ...args.map((arg) => (arg === 'mapping' ? file(arg) : arg)));
    expect([code, errors]).toEqual([1, expect.stringContaining(sentence)]);
    expect(errors.trim().split('\n')).toHaveLength(1);
  });

  test('a key without rights, a wrong key, a wrong address', async () => {
    await newFolder();
    await writeFile(file('a.jsonl'), lines(makeEvents(1)));
    const args = ['import', 'events', file('a.jsonl'), '--state', file('s.json')];
    const wrong = await runCommand(args, { ...env(), TIDEMARK_PERSONAL_API_KEY: 'tms_nothing' });
    expect(wrong).toMatchObject({ code: 1, errors: expect.stringContaining('does not accept the key') });
    const nowhere = await runCommand([...args, '--patience', '0'], { ...env(), TIDEMARK_HOST: 'http://127.0.0.1:9' });
    expect(nowhere).toMatchObject({ code: 1, errors: expect.stringContaining('continues where it stopped') });
    const other = await runCommand([...args, '--to-project', '99999'], env());
    expect(other).toMatchObject({ code: 1, errors: expect.stringContaining('There is no project 99999') });
  });

  test.each(['soon', '-1', ''])('a patience of "%s" is wrong use, and not one without end', async (patience) => {
    const done = await runCommand(['import', 'events', 'x.jsonl', '--patience', patience], env());
    expect(done).toMatchObject({ code: 2, errors: expect.stringContaining('Write a number of seconds') });
    expect(await runCommand(['export', 'x', '--patience', patience], env())).toMatchObject({ code: 2 });
  });

  test('a service that limits the rate and dies is waited for, and the next run continues', async () => {
    await newFolder();
    const events = makeEvents(20_000);
    const name = events[0]?.event ?? '';
    await writeFile(file('a.jsonl'), lines(events));
    const proxy = await startFlakyProxy(host);
    try {
      const through = { ...env(), TIDEMARK_HOST: proxy.url };
      const args = ['import', 'events', folder, '--state', file('s.json'), '--patience', '2'];
      // a chunk of 4,000 takes seven requests, one request is repeated, and three chunks are on their way at once
      proxy.dieAfter = 24;
      const first = await runCommand(args, through);
      expect(first).toMatchObject({ code: 1, errors: expect.stringContaining('limits the rate of requests') });
      expect(first.errors).toContain('does not answer');
      const before = (await storedOf(name)).length;
      expect(before).toBeLessThan(20_000);
      proxy.dieAfter = Number.POSITIVE_INFINITY;
      const second = await runCommand(args, through);
      expect(second.code).toBe(0);
      expect(await storedOf(name)).toEqual(expected(events));
      // the chunks that were stored before are not sent again
      const [, imported, present] = /events\s+20,000\s+(\d+),000\s+0\s+(\d+),000/.exec(second.output)?.map(Number) ?? [];
      expect(present).toBeGreaterThanOrEqual(4);
      expect(Number(imported) + Number(present)).toBe(20);
    } finally {
      proxy.close();
    }
  });

  test.skipIf(!canMount())('a full disk: a sentence, and the next run continues with the state before', async () => {
    await newFolder();
    const events = makeEvents(9_000);
    await writeFile(file('a.jsonl'), lines(events));
    const disk = file('disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', disk]);
    try {
      const state = join(disk, 'state.json');
      const args = ['import', 'events', file('a.jsonl'), '--state', state];
      await writeFile(join(disk, 'filler'), Buffer.alloc(12 * 1024)).catch(() => {});
      await writeFile(join(disk, 'rest'), Buffer.alloc(4 * 1024)).catch(() => {});
      const full = await runCommand(args, env());
      expect(full).toMatchObject({ code: 1, errors: expect.stringMatching(/disk is full/) });
      expect((await readdir(disk)).filter((name) => name.endsWith('.new'))).toEqual([]);
      await rm(join(disk, 'filler'));
      expect(await runCommand(args, env())).toMatchObject({ code: 0 });
      expect(await storedOf(events[0]?.event ?? '')).toEqual(expected(events));
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  test('two imports with one state file', async () => {
    await newFolder();
    await writeFile(file('a.jsonl'), lines(makeEvents(1)));
    await writeFile(file('state.json.lock'), String(process.pid));
    expect(await run(folder)).toMatchObject({ code: 1, errors: expect.stringContaining('uses this state file') });
    // a process that was killed leaves its lock
    await writeFile(file('state.json.lock'), '999999999');
    expect(await run(folder)).toMatchObject({ code: 0 });
    // and its number may be that of another process later: in containers they count from 1
    await writeFile(file('state.json.lock'), `${process.pid} 1`);
    expect(await run(folder)).toMatchObject({ code: 0 });
  });
});

/** Forwards requests to the service, but limits the rate of the first ones and closes connections after some. */
async function startFlakyProxy(target: string) {
  let batches = 0;
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      if (request.url === '/batch/') {
        batches++;
        if (batches === 2) return response.writeHead(429, { 'retry-after': '1' }).end('slow down');
        if (batches > proxy.dieAfter) return request.socket.destroy();
      }
      const answer = await fetch(target + request.url, {
        method: request.method ?? 'GET',
        headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
        ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(await answer.text());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const proxy = { url: `http://127.0.0.1:${port}`, dieAfter: Number.POSITIVE_INFINITY, close: () => server.close() };
  return proxy;
}
