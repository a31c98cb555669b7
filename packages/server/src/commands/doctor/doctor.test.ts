import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@tidemark/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommand } from '../../testing/run-command.js';

const MAIN = fileURLToPath(new URL('../../../dist/bundle/tidemark.js', import.meta.url));

let home: string;
let env: Record<string, string>;
let occupant: Server | null;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-doctor-'));
  env = { TIDEMARK_DATA: join(home, 'data'), PORT: String(await freePort()) };
  occupant = null;
});
afterEach(async () => {
  await new Promise((closed) => (occupant ? occupant.close(closed) : closed(null)));
  await rm(home, { recursive: true, force: true });
});

/** Runs it with some settings; the line of one check with what to do about it. */
async function examine(name: string, settings: Record<string, string> = {}) {
  const { code, output, errors } = await runCommand(['doctor'], { ...env, ...settings });
  const [, line = ''] = new RegExp(`^((?:ok|warning|fault) +${name} .*(?:\\n {24}.*)?)`, 'm').exec(output) ?? [];
  return { code, line: line.replaceAll(/ +/g, ' '), errors };
}

test('a machine that is well has no fault', async () => {
  const { code, output, errors } = await runCommand(['doctor'], env);
  expect([code, errors]).toEqual([0, '']);
  const names = output.split('\n').flatMap((line) => /^(?:ok|warning) +(\w+(?: \w+)?) {2,}/.exec(line)?.[1] ?? []);
  const stores = ['PostgreSQL', 'ClickHouse', 'files'];
  expect(names).toEqual(['versions', 'memory', 'open files', 'clock', 'disk', 'data directory', 'port', ...stores]);
});

test('a port in use', async () => {
  occupant = createServer().listen(Number(env['PORT']), '127.0.0.1');
  expect(await examine('port')).toEqual({
    code: 1,
    line: expect.stringMatching(/^fault port 127\.0\.0\.1:\d+ cannot be opened: .*EADDRINUSE.*\n Set PORT and HOST/),
    errors: 'Tidemark cannot run as it should: 1 fault.\n',
  });
});

test('a data directory that cannot be made', async () => {
  await writeFile(join(home, 'file'), '');
  const { code, line } = await examine('data directory', { TIDEMARK_DATA: join(home, 'file/data') });
  expect([code, line]).toEqual([1, expect.stringMatching(/^fault data directory .*cannot be (made|written)/)]);
});

test('servers that do not answer', async () => {
  const port = await freePort();
  const postgres = await examine('PostgreSQL', { DATABASE_URL: 'postgres://u:p@no-such-host.invalid/x' });
  expect(postgres).toMatchObject({ code: 1, line: expect.stringMatching(/^fault PostgreSQL .*no-such-host/) });
  const clickhouse = await examine('ClickHouse', { CLICKHOUSE_URL: `http://u:secret@127.0.0.1:${port}/x` });
  expect(clickhouse).toMatchObject({
    code: 1,
    line: expect.stringMatching(/^fault ClickHouse 127\.0\.0\.1:\d+ does not answer/),
  });
  expect(clickhouse.line).not.toContain('secret');
});

test('a clock that was set back', async () => {
  const log = join(home, 'data/events-log');
  await mkdir(log, { recursive: true });
  const later = new Date(Date.now() + 3_600_000);
  await utimes(log, later, later);
  const { code, line } = await examine('clock');
  expect([code, line]).toEqual([0, expect.stringMatching(/^warning clock .*but data was written at .*\n Set the clock/)]);
});

test('less memory than the engine may use', async () => {
  const { code, line } = await examine('memory', { TIDEMARK_ENGINE_MEMORY_MB: '1048576' });
  expect([code, line]).toEqual([0, expect.stringMatching(/^warning memory .*1025\.0 GB\n Lower TIDEMARK_ENGINE_MEMORY_MB/)]);
});

test('a low limit of open files', () => {
  const command = `ulimit -n 512; exec "${process.execPath}" "${MAIN}" doctor`;
  const { status, stdout } = spawnSync('bash', ['-c', command], { env: { PATH: process.env['PATH'], ...env }, encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^warning +open files +up to 512\n +Raise the hard limit/m)]);
});

test('a wrong setting', async () => {
  expect(await runCommand(['doctor'], { PORT: 'http' })).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^PORT must be/),
  });
});
