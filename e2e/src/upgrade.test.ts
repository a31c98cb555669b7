import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, constants } from 'node:zlib';
import { type Account, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tidemark } from './testing/backup-commands.js';

/*
 * Data directories that released versions have made, by scripts/keep-data.mjs, are opened by this version.
 */

const RELEASED = new URL('../released-data/', import.meta.url);
const PROJECT = '/api/projects/@current';
const EVENTS = 120;
const account: Account = {
  email: 'kept@example.com',
  password: 'a long and kept passphrase',
  projectKey: `tmk_${'k'.repeat(43)}`,
  personalKey: `tms_${'s'.repeat(43)}`,
};
/** Not the first account: it is there already. */
const AS_IT_IS = {
  TIDEMARK_INIT_EMAIL: '',
  TIDEMARK_INIT_PASSWORD: '',
  TIDEMARK_INIT_PROJECT_KEY: '',
  TIDEMARK_INIT_PERSONAL_KEY: '',
};

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-upgrade-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Unpacks the data directory of a release. */
async function unpack(version: string): Promise<string> {
  const folder = await mkdtemp(join(home, 'kept-'));
  const packed = await readFile(new URL(`${version}.tar.br`, RELEASED));
  const input = brotliDecompressSync(packed, { params: { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 } });
  expect(spawnSync('tar', ['-x', '-C', folder], { input }).status).toBe(0);
  return join(folder, 'data');
}

const start = (dataDir: string): Promise<Service> => startService({ dataDir, account, env: AS_IT_IS });

/** Requires all that scripts/keep-data.mjs has made. */
async function requireAll(service: Service): Promise<void> {
  const events = await service.events({
    select: ['uuid', 'event', 'distinct_id', 'timestamp', 'properties', 'person.properties.name'],
  });
  expect(events).toHaveLength(EVENTS);
  for (const row of events) {
    const i = Number(String(row['uuid']).slice(-12));
    expect(row).toMatchObject({
      uuid: `00000000-0000-7000-8000-${String(i).padStart(12, '0')}`,
      event: i % 3 ? '$pageview' : 'signed up',
      distinct_id: `person ${i % 12}`,
      'person.properties.name': `Person ${i % 12}`,
    });
    const { properties } = row;
    expect(typeof properties === 'string' ? JSON.parse(properties) : properties).toMatchObject({
      plan: i % 2 ? 'pro' : 'free',
      amount: i / 4,
      nested: { list: [i, 'ü'] },
    });
    expect(Date.parse(String(row['timestamp']))).toBe(Date.UTC(2026, 10, 1, 12) + i * 3_600_000);
  }
  const { results } = (await service.get(`${PROJECT}/dashboards/`)).body as { results: { id: number; name: string }[] };
  const found = results.find(({ name }) => name === 'Kept dashboard');
  const { body } = await service.get(`${PROJECT}/dashboards/${found?.id}/`);
  expect(body).toMatchObject({ description: 'Of an earlier release', tiles: [{ insight: { name: 'Kept insight' } }] });
  const { tiles } = body as { tiles: { insight: { query: { source: object } } }[] };
  const answer = await service.post(`${PROJECT}/query/`, { query: tiles[0]?.insight.query.source });
  expect(answer).toMatchObject({ status: 200, body: { results: [{ count: EVENTS / 3 }] } });
  for (const [path, field, value] of [
    ['feature_flags', 'key', 'kept-flag'],
    ['cohorts', 'name', 'Kept cohort'],
    ['annotations', 'content', 'Kept annotation'],
  ]) {
    const list = (await service.get(`${PROJECT}/${path}/`)).body as { results: Record<string, unknown>[] };
    expect(list.results.map((one) => one[field ?? ''])).toContain(value);
  }
  const flags = await fetch(`${service.url}/flags/?v=2`, {
    method: 'POST',
    body: JSON.stringify({ api_key: account.projectKey, distinct_id: 'person 1' }),
  });
  expect(await flags.json()).toMatchObject({ flags: { 'kept-flag': { enabled: true, metadata: { payload: '{"a":1}' } } } });
  const { email, password } = account;
  expect((await service.call('POST', '/api/login/', { key: null, body: { email, password } })).status).toBe(200);
}

const releases = (await readdir(RELEASED)).filter((name) => name.endsWith('.tar.br')).map((name) => name.replace('.tar.br', ''));

test('there is a data directory of a release', () => expect(releases).toContain('0.2.0'));

describe.each(releases)('a data directory of %s', (version) => {
  test('is opened with all that it has, and takes more', async () => {
    const service = await start(await unpack(version));
    try {
      await requireAll(service);
      const batch = [{ event: 'new', distinct_id: 'person 1', uuid: crypto.randomUUID() }];
      expect((await service.post('/batch/', { api_key: account.projectKey, batch })).status).toBe(200);
      expect(await service.storedUuids()).toHaveLength(EVENTS + 1);
    } finally {
      await service.close();
    }
  });

  test('is backed up only when it may be migrated, and restored', async () => {
    const dataDir = await unpack(version);
    const folder = `${dataDir}-backup`;
    const env = { TIDEMARK_DATA: dataDir };
    expect(await tidemark(['backup', folder], env)).toMatchObject({
      code: 1,
      errors: expect.stringMatching(
        /^The data was last used by an older Tidemark \(schema \d+, this one has \d+\): .*--migrate.*\n$/,
      ),
    });
    // nothing was changed: the release itself would still open it
    expect(await tidemark(['backup', folder], env)).toMatchObject({ code: 1 });
    expect(await tidemark(['backup', folder, '--migrate'], env)).toMatchObject({ code: 0, errors: '' });
    const restored = `${dataDir}-restored`;
    expect(await tidemark(['restore', folder], { TIDEMARK_DATA: restored })).toMatchObject({ code: 0, errors: '' });
    const service = await start(restored);
    try {
      await requireAll(service);
    } finally {
      await service.close();
    }
  });
});
