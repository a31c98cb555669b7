import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { canMount, eventually, freePort } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { MAIN } from './testing/backup-commands.js';

const run = promisify(execFile);
const UNIT = new URL('../../deploy/systemd/tidemark.service', import.meta.url);
const NOBODY = 65_534;
/** The unit hides /tmp from the service, so that a build there cannot be run. */
const canRun = canMount() && !MAIN.startsWith('/tmp/');

test.runIf(canRun)('commands reach the service of the systemd unit, which has a /tmp of its own', async () => {
  const unit = await readFile(UNIT, 'utf8');
  expect(unit).toMatch(/^PrivateTmp=yes$/m);
  const home = await mkdtemp('/var/tmp/tidemark-unit-');
  const [data, runtime] = [join(home, 'data'), join(home, 'run')];
  for (const folder of [data, runtime]) await mkdir(folder);
  for (const folder of [home, data, runtime]) await chown(folder, NOBODY, NOBODY);
  const [, named = ''] = /^RuntimeDirectory=(.*)$/m.exec(unit) ?? [];
  const places: Record<string, string> = { '/var/lib/tidemark': data, [`/run/${named}`]: runtime };
  const settings = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, places[value]]);
  const port = await freePort();
  const env = { PATH: process.env['PATH'], PORT: String(port), TIDEMARK_FSYNC: 'off', ...Object.fromEntries(settings) };
  const asUser = `exec setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups "$0" "$1" serve`;
  const script = `mount -t tmpfs -o mode=1777 tmpfs /tmp && ${asUser}`;
  const service: ChildProcess = spawn('/usr/bin/unshare', ['--mount', 'sh', '-c', script, process.execPath, MAIN], {
    env,
    stdio: 'ignore',
  });
  const closed = once(service, 'close');
  try {
    await eventually(async () => expect((await fetch(`http://127.0.0.1:${port}/_ready`)).status).toBe(200), { within: 120_000 });
    // as somebody types them in a shell, without the environment of the unit but for the data directory
    const shell = { PATH: process.env['PATH'], TIDEMARK_DATA: data };
    const { stdout } = await run(process.execPath, [MAIN, 'users:list'], { env: shell, uid: NOBODY, gid: NOBODY, cwd: '/' });
    expect(stdout).toMatch(/^e-mail/);
  } finally {
    service.kill('SIGTERM');
    await closed;
    await rm(home, { recursive: true, force: true });
  }
  expect(service.exitCode).toBe(0);
});
