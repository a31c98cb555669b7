import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGzip, gunzipSync } from 'node:zlib';
import { canMount } from '@tidemark/testkit';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemIds } from '../adapters/system/index.js';
import { keyWith } from '../testing/key-with.js';
import { runCommand } from '../testing/run-command.js';
import { startTestService, type TestService } from '../testing/service.js';

let service: TestService;
let url: string;
let folder: string;
beforeAll(async () => {
  service = await startTestService();
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  folder = await mkdtemp(join(tmpdir(), 'tidemark-bad-input-'));
});
afterAll(async () => {
  await service?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** A new project, and paths that only this attempt of a test uses. */
async function begin() {
  const { id } = (await service.call('POST', '/api/projects/', { body: { name: 'Bad input' } })).json();
  const own = join(folder, systemIds.uuid());
  await mkdir(own);
  const env = { TIDEMARK_HOST: url, TIDEMARK_PERSONAL_API_KEY: service.personalKey, TIDEMARK_PROJECT: String(id) };
  const stored = async (): Promise<number> => {
    const query = { kind: 'HogQLQuery', query: 'select count() from events' };
    return (await service.call('POST', `/api/projects/${id}/query/`, { body: { query } })).json().results[0][0];
  };
  const create = async (path: string, body: object) => {
    const response = await service.call('POST', `/api/projects/${id}/${path}`, { body });
    expect([response.statusCode, response.body]).toEqual([201, expect.anything()]);
  };
  return { id: Number(id), env, stored, create, file: (name: string) => join(own, name) };
}

const event = (index: number) => ({
  uuid: systemIds.uuid(),
  event: 'seen',
  distinct_id: `p${index % 3}`,
  timestamp: new Date(Date.UTC(2023, 0, 1) + index * 1_000).toISOString(),
  properties: JSON.stringify({ index, text: systemIds.token(200) }),
});

test('half a Parquet file stores nothing, and the whole one everything', async () => {
  const { env, file, stored } = await begin();
  const events = Array.from({ length: 5_000 }, (_, index) => event(index));
  const column = (name: keyof ReturnType<typeof event>) => ({
    name,
    data: events.map((one) => one[name]),
    type: 'STRING' as const,
  });
  const whole = Buffer.from(
    parquetWriteBuffer({
      rowGroupSize: 1_000,
      columnData: [column('uuid'), column('event'), column('distinct_id'), column('timestamp'), column('properties')],
    }),
  );
  const args = ['import', 'events', file('a.parquet'), '--state', file('state')];
  await writeFile(file('a.parquet'), whole.subarray(0, whole.length >> 1));
  const half = await runCommand(args, env);
  expect(half).toMatchObject({ code: 1, errors: expect.stringContaining('Is the file complete?') });
  expect(await stored()).toBe(0);
  // its directory is whole, but a part in its middle is not
  const torn = Buffer.from(whole);
  torn.fill(0xee, whole.length >> 1, (whole.length >> 1) + 20_000);
  await writeFile(file('a.parquet'), torn);
  const middle = await runCommand(args, env);
  expect(middle).toMatchObject({ code: 1, errors: expect.stringContaining('cannot be read as Parquet') });
  await writeFile(file('a.parquet'), whole);
  expect(await runCommand(args, env)).toMatchObject({ code: 0 });
  expect(await stored()).toBe(5_000);
});

test('Parquet with other columns: a sentence that says what is missing, and nothing is stored', async () => {
  const { env, file, stored } = await begin();
  const data = ['a', 'b', 'c'];
  await writeFile(file('a.parquet'), Buffer.from(parquetWriteBuffer({ columnData: [{ name: 'name', data, type: 'STRING' }] })));
  const args = ['import', 'events', file('a.parquet')];
  const plain = await runCommand([...args, '--state', file('state')], env);
  expect(plain).toMatchObject({ code: 1, errors: expect.stringContaining('has no event among its first 3 records') });
  await writeFile(file('mapping'), JSON.stringify({ event: 'name', distinct_id: 'who', timestamp: 'at' }));
  const mapped = await runCommand([...args, '--mapping', file('mapping'), '--state', file('other')], env);
  expect(mapped).toMatchObject({
    code: 1,
    errors: expect.stringContaining('has no column "who" that the mapping names. It has: name.'),
  });
  for (const { errors } of [plain, mapped]) expect(errors.trim().split('\n')).toHaveLength(1);
  expect(await stored()).toBe(0);
});

test('a line of one gigabyte is read over, and the lines around it are stored', { timeout: 600_000 }, async () => {
  const { env, file, stored } = await begin();
  const gzip = createGzip({ level: 1 });
  const written = once(gzip.pipe(createWriteStream(file('long.jsonl.gz'))), 'close');
  const write = async (content: string | Buffer) => {
    if (!gzip.write(content)) await once(gzip, 'drain');
  };
  await write(`${JSON.stringify({ ...event(1), properties: {} })}\n{"event":"`);
  const megabytes = Buffer.alloc(16 * 1024 * 1024, 'x');
  for (let at = 0; at < 64; at++) await write(megabytes);
  await write(`"}\n${JSON.stringify({ ...event(2), properties: {} })}\n`);
  gzip.end();
  await written;
  const { code, output } = await runCommand(['import', 'events', file('long.jsonl.gz'), '--state', file('state')], env);
  expect([code, output]).toEqual([0, expect.stringMatching(/the line is longer than 8 MB \(.*long\.jsonl\.gz, record 2\)/)]);
  expect(await stored()).toBe(2);
});

test('a value of a table that never ends', async () => {
  const { env, file, stored } = await begin();
  const rows = Array.from({ length: 10 }, (_, index) => `seen,p${index},2023-01-01\n`).join('');
  await writeFile(file('long.csv'), `event,distinct_id,timestamp\n${rows}seen,"${'x'.repeat(20 * 1024 * 1024)}`);
  const { code, errors } = await runCommand(['import', 'events', file('long.csv'), '--state', file('state')], env);
  expect([code, errors]).toEqual([1, expect.stringMatching(/long\.csv is not CSV: Max Record Size/)]);
  expect(await stored()).toBe(10);
});

test('two imports of the same file at once, each with a state of its own, store each event once', async () => {
  const { env, file, stored } = await begin();
  const events = Array.from({ length: 9_000 }, (_, index) => ({ ...event(index), properties: { index } }));
  await writeFile(file('a.jsonl'), events.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const runs = await Promise.all(
    ['one', 'two'].map((state) => runCommand(['import', 'events', file('a.jsonl'), '--state', file(state)], env)),
  );
  expect(runs).toMatchObject([{ code: 0 }, { code: 0 }]);
  expect(await stored()).toBe(9_000);
  // at the same state, the second one is refused
  await rm(file('one'));
  const [first, second] = await Promise.all(
    [1, 2].map(() => runCommand(['import', 'events', file('a.jsonl'), '--state', file('one')], env)),
  );
  expect([first?.code, second?.code].sort()).toEqual([0, 1]);
  expect(`${first?.errors}${second?.errors}`).toContain('uses this state file');
  expect(await stored()).toBe(9_000);
});

test('keys without rights: what the source does not give is reported, what the target refuses is a sentence', async () => {
  const from = await begin();
  const { env, file, id } = await begin();
  await from.create('feature_flags/', { key: 'new-cart' });
  await from.create('actions/', { name: 'Bought', steps: [{ event: 'bought' }] });
  const source = { POSTHOG_HOST: url, POSTHOG_PERSONAL_API_KEY: await keyWith(service, 'project:read', 'feature_flag:read') };
  const args = ['import', 'posthog', '--project', String(from.id), '--events', 'none', '--state', file('state')];
  const reading = { ...env, ...source, TIDEMARK_PERSONAL_API_KEY: await keyWith(service, 'project:read', 'feature_flag:read') };
  const refused = await runCommand([...args, '--only', 'feature_flags'], reading);
  expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining('may not create feature_flags') });
  expect(refused.errors.trim().split('\n').at(-1)).toContain('feature_flag:write');
  // with the right key the same command goes on
  const { code, output } = await runCommand([...args, '--only', 'actions,feature_flags'], { ...env, ...source });
  expect([code, output]).toEqual([0, expect.stringContaining('the source or the target does not give access')]);
  expect(output).toMatch(/feature_flags\s+1\s+1/);
  const lists = await Promise.all(
    ['feature_flags', 'actions'].map(
      async (kind) => (await service.call('GET', `/api/projects/${id}/${kind}/`)).json().results.length,
    ),
  );
  expect(lists).toEqual([1, 0]);
});

test('a source that limits the rate is waited for as long as it says, also beyond the patience for silence', async () => {
  const from = await begin();
  const { env, file, id, stored } = await begin();
  await from.create('feature_flags/', { key: 'new-cart' });
  const { api_token: token } = (await service.call('GET', `/api/projects/${from.id}/`)).json();
  await service.call('POST', '/batch/', { key: null, body: { api_key: token, batch: [{ ...event(1), properties: {} }] } });
  const waits: string[] = [];
  const limits: Record<string, ((response: ServerResponse) => void)[]> = {
    '/feature_flags/': [
      (response) => response.setHeader('retry-after', '1'),
      // a date counts from the clock of the service
      (response) => {
        response.setHeader('date', 'Thu, 01 Jan 2026 00:00:00 GMT');
        response.setHeader('retry-after', 'Thu, 01 Jan 2026 00:00:03 GMT');
      },
    ],
    '/query/': [() => {}],
  };
  const proxy = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const ofPath = Object.keys(limits).find((path) => request.url?.includes(path));
    const limit = ofPath === undefined ? undefined : limits[ofPath]?.shift();
    if (limit) {
      limit(response);
      waits.push(request.url ?? '');
      return response.writeHead(429).end('slow down');
    }
    const answer = await fetch(url + request.url, {
      method: request.method ?? 'GET',
      headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(await answer.text());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  try {
    const { code, errors } = await runCommand(
      [
        ...['import', 'posthog', '--project', String(from.id), '--only', 'feature_flags'],
        ...['--state', file('state'), '--patience', '3'],
      ],
      {
        ...env,
        POSTHOG_HOST: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
        POSTHOG_PERSONAL_API_KEY: service.personalKey,
      },
    );
    expect(code).toBe(0);
    expect(errors.match(/limits the rate of requests; next attempt in \d+ s/g)).toEqual([
      'limits the rate of requests; next attempt in 1 s',
      'limits the rate of requests; next attempt in 3 s',
      'limits the rate of requests; next attempt in 1 s',
    ]);
  } finally {
    proxy.close();
  }
  expect(waits).toHaveLength(3);
  expect((await service.call('GET', `/api/projects/${id}/feature_flags/`)).json().results).toMatchObject([{ key: 'new-cart' }]);
  expect(await stored()).toBe(1);
});

test.skipIf(!canMount())('an export onto a full disk: a sentence, no half file, and the next run ends it', async () => {
  const { env, file, id } = await begin();
  const { api_token: token } = (await service.call('GET', `/api/projects/${id}/`)).json();
  const batch = Array.from({ length: 1_000 }, (_, index) => ({ ...event(index), properties: { text: systemIds.token(400) } }));
  await service.call('POST', '/batch/', { key: null, body: { api_key: token, batch } });
  const disk = file('disk');
  await mkdir(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
  try {
    const folder = join(disk, 'export');
    const full = await runCommand(['export', folder], env);
    expect(full).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/cannot be written \(the disk is full\).*it continues/),
    });
    expect(await readdir(join(folder, 'events'))).toEqual([]);
    expect(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))).toMatchObject({ finished: false });
    const early = await runCommand(['import', 'archive', folder, '--state', file('state')], env);
    expect(early).toMatchObject({ code: 1, errors: expect.stringContaining('did not end: run tidemark export again') });
    execFileSync('mount', ['-o', 'remount,size=16m', disk]);
    expect(await runCommand(['export', folder], env)).toMatchObject({ code: 0 });
    expect(await readdir(join(folder, 'events'))).toEqual(['2023-01.jsonl.gz']);
  } finally {
    execFileSync('umount', [disk]);
  }
});

test('exports of different ranges into one folder: the last one counts', async () => {
  const { env, id, file } = await begin();
  const { api_token: token } = (await service.call('GET', `/api/projects/${id}/`)).json();
  const times = ['2023-01-01', '2023-01-20', '2023-02-01', '2023-03-01'].map((day) => `${day}T12:00:00.000Z`);
  const batch = times.map((timestamp, index) => ({ ...event(index), timestamp, properties: {} }));
  await service.call('POST', '/batch/', { key: null, body: { api_key: token, batch } });
  const exported = async (...range: string[]) => {
    expect(await runCommand(['export', file('export'), ...range], env)).toMatchObject({ code: 0 });
    const names = (await readdir(join(file('export'), 'events'))).sort();
    const texts = await Promise.all(names.map((name) => readFile(join(file('export'), 'events', name))));
    return texts.flatMap((text) =>
      [
        ...gunzipSync(text)
          .toString()
          .matchAll(/"timestamp":"([^"]+)"/g),
      ].map(([, time]) => time),
    );
  };
  expect(await exported('--since', '2023-01-10')).toEqual(times.slice(1));
  expect(await exported()).toEqual(times);
  expect(await exported('--until', '2023-02-15')).toEqual(times.slice(0, 3));
  expect(await exported('--until', '2023-02-15')).toEqual(times.slice(0, 3));
});

test('an export with a part that is missing or torn is refused, and nothing of it is stored', async () => {
  const from = await begin();
  await from.create('feature_flags/', { key: 'new-cart' });
  const { api_token: token } = (await service.call('GET', `/api/projects/${from.id}/`)).json();
  await service.call('POST', '/batch/', { key: null, body: { api_key: token, batch: [{ ...event(1), properties: {} }] } });
  const folder = from.file('export');
  expect(await runCommand(['export', folder], from.env)).toMatchObject({ code: 0 });
  const { env, file, id, stored } = await begin();
  const run = () => runCommand(['import', 'archive', folder, '--state', file('state')], env);
  for (const name of ['events/2023-01.jsonl.gz', 'objects/feature_flags.json', 'persons.jsonl.gz']) {
    const content = await readFile(join(folder, name));
    await rm(join(folder, name));
    expect(await run()).toMatchObject({ code: 1, errors: expect.stringContaining(`is not complete: ${name} is missing`) });
    await writeFile(join(folder, name), content);
  }
  expect((await service.call('GET', `/api/projects/${id}/feature_flags/`)).json().results).toEqual([]);
  const flags = join(folder, 'objects/feature_flags.json');
  const whole = await readFile(flags, 'utf8');
  await writeFile(flags, whole.slice(0, -10));
  expect(await run()).toMatchObject({ code: 1, errors: expect.stringContaining('feature_flags.json is not a list of objects') });
  expect(await stored()).toBe(0);
  await writeFile(flags, whole);
  expect(await run()).toMatchObject({ code: 0 });
  expect(await stored()).toBe(1);
});
