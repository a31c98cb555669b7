import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClickHouseServer, canMount, freePort, startClickHouseServer, startService } from '@tidemark/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { testDatabase } from '../../testing/database.js';
import { runCommand } from '../../testing/run-command.js';
import { startS3Server } from '../../testing/s3-server.js';
import { checkVersions } from './machine.js';

const MAIN = fileURLToPath(new URL('../../../dist/bundle/tidemark.js', import.meta.url));

let home: string;
let env: Record<string, string>;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-doctor-'));
  env = { TIDEMARK_DATA: join(home, 'data'), PORT: String(await freePort()) };
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** The findings by name, each with what to do about it. */
function findingsOf(output: string): Record<string, string> {
  const found: Record<string, string> = {};
  let name = '';
  for (const line of output.trimEnd().split('\n')) {
    const [, state, what, text] = /^(ok|warning|fault) +(\S+(?: \S+)?) {2,}(.*)$/.exec(line) ?? [];
    if (state && what) {
      name = what;
      found[name] = `${state}: ${text}`;
    } else found[name] += ` ${line.trim()}`;
  }
  return found;
}

async function examine(settings: Record<string, string> = {}) {
  const { code, output, errors } = await runCommand(['doctor'], { ...env, ...settings });
  return { code, errors, ...findingsOf(output) } as Record<string, unknown>;
}

test.each([
  ['18.20.0', '2026-11-26', /^fault: .*Node\.js 18\.20\.0.* Install Node\.js 20\.19 or newer\.$/],
  ['20.18.3', '2026-01-01', /^fault: .* Install Node\.js 20\.19 or newer\.$/],
  ['20.19.0', '2026-01-01', /^ok: [^,]*, Node\.js 20\.19\.0, \w+ \w+$/],
  ['20.19.0', '2026-11-26', /^warning: .*which has had no fixes since 2026-04-30 Install a newer even version/],
  ['22.20.0', '2026-11-26', /^ok: /],
  ['22.20.0', '2027-03-01', /^warning: .*which gets fixes only until 2027-04-30 Install a newer even version/],
  ['25.1.0', '2026-11-26', /^warning: .*2026-06-01/],
  ['30.0.0', '2036-01-01', /^ok: /],
])('Node.js %s on %s', (node, day, expected) => {
  const { state, text, remedy = '' } = checkVersions('1.0.0', { now: () => Date.parse(day) }, node);
  expect(`${state}: ${text} ${remedy}`.trim()).toMatch(expected);
});

test('the health of a running service is read', { timeout: 240_000 }, async () => {
  const service = await startService();
  try {
    const settings = { TIDEMARK_DATA: service.dataDir, PORT: String(service.port) };
    expect(await examine(settings)).toMatchObject({
      code: 0,
      'data directory': `ok: ${service.dataDir}, in use by a running Tidemark`,
      service: `ok: ${service.url}/_health says ok`,
    });
    expect(await examine({ ...settings, PORT: '1' })).toMatchObject({
      code: 1,
      service: expect.stringMatching(
        /^fault: http:\/\/127\.0\.0\.1:1\/_health does not answer: .* Read its log\. If it listens elsewhere/,
      ),
    });
  } finally {
    await service.close();
  }
});

describe('servers', () => {
  test('that answer are named with their versions', { timeout: 120_000 }, async () => {
    const [database, s3]: [Awaited<ReturnType<typeof testDatabase>>, Awaited<ReturnType<typeof startS3Server>>] =
      await Promise.all([testDatabase(), startS3Server()]);
    const clickhouse: ClickHouseServer = await startClickHouseServer();
    const bucket = {
      TIDEMARK_BLOBS: 's3://tidemark',
      TIDEMARK_S3_ENDPOINT: s3.settings.endpoint ?? '',
      TIDEMARK_S3_ACCESS_KEY: 'S3RVER',
      TIDEMARK_S3_SECRET_KEY: 'S3RVER',
    };
    const warnings: string[] = [];
    const hear = ({ message }: Error) => warnings.push(message);
    process.on('warning', hear);
    try {
      const well = await examine({ DATABASE_URL: database.url, CLICKHOUSE_URL: `${clickhouse.url}/x`, ...bucket });
      expect(well).toMatchObject({
        code: 0,
        PostgreSQL: expect.stringMatching(/^ok: version \d+\.\d+.*, of DATABASE_URL$/),
        ClickHouse: expect.stringMatching(/^ok: version \d+\.\d+\.\S+ at 127\.0\.0\.1:\d+$/),
        files: 'ok: in the bucket tidemark',
      });
      // what the library of S3 says of later versions of itself is not for operators
      expect(warnings).toEqual([]);
      expect(await examine({ ...bucket, TIDEMARK_BLOBS: 's3://another' })).toMatchObject({
        code: 1,
        files: expect.stringMatching(/^fault: .*another.* Check TIDEMARK_BLOBS and the settings TIDEMARK_S3_\*\.$/),
      });
    } finally {
      process.off('warning', hear);
      await Promise.all([database.close(), s3.close(), clickhouse.close()]);
    }
  });
});

describe.runIf(canMount())('as root', () => {
  const examineBy = (script: string, args: string[] = [], ids: { uid?: number } = {}) => {
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script, process.execPath, MAIN, ...args], {
      env: { PATH: process.env['PATH'], ...env },
      encoding: 'utf8',
      ...ids,
    });
    return { code: status, ...findingsOf(stdout), errors: stderr } as Record<string, unknown>;
  };

  test.each([
    ['8m', 1, /^fault: 0\.0 GB free for .* Make room on this disk, or move TIDEMARK_DATA/],
    ['1g', 0, /^warning: 1\.0 GB free for .* Make room on this disk/],
    ['3g', 0, /^ok: 3\.0 GB free for /],
  ])('a disk with %s', async (size, code, expected) => {
    await mkdir(env['TIDEMARK_DATA'] ?? '');
    const script = `mount -t tmpfs -o size=${size} tmpfs "$2" && exec "$0" "$1" doctor`;
    const inNamespace = `exec unshare --mount bash -c '${script}' "$0" "$1" "$2"`;
    expect(examineBy(inNamespace, [env['TIDEMARK_DATA'] ?? ''])).toMatchObject({ code, disk: expect.stringMatching(expected) });
  });

  test('a data directory that belongs to another user', async () => {
    await mkdir(env['TIDEMARK_DATA'] ?? '', { mode: 0o700 });
    const found = examineBy('exec "$0" "$1" doctor', [], { uid: 65_534 });
    expect(found).toMatchObject({
      code: 1,
      'data directory': expect.stringMatching(/^fault: .* Give the directory to the user of the service/),
    });
  });
});
