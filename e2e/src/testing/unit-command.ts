import { equal, match } from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { eventually, freePort } from '@tidemark/testkit';

const run = promisify(execFile);
const UNIT = new URL('../../../deploy/systemd/tidemark.service', import.meta.url);
const MANIFEST = new URL('../../../packages/server/package.json', import.meta.url);

/**
 * Runs an installed package as the systemd unit does: the command of the unit is found by PATH, it serves on a data directory, answers
 * other commands beside it, and exits with code 0 when it is stopped.
 * @param bin the folder of the command `tidemark`
 */
export async function serveAsUnit(bin: string, dataDir: string): Promise<void> {
  // systemd's own PATH has the folders where npm usually puts commands
  const [, start = ''] = /^ExecStart=(.*)$/m.exec(await readFile(UNIT, 'utf8')) ?? [];
  equal(start, '/usr/bin/env tidemark serve');
  const port = await freePort();
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}`, TIDEMARK_DATA: dataDir, PORT: String(port) };
  const { version } = JSON.parse(await readFile(MANIFEST, 'utf8'));
  equal((await run('tidemark', ['--version'], { env })).stdout, `${version}\n`);
  const [program = '', ...args] = start.split(' ');
  const child = spawn(program, args, { cwd: bin, env: { ...env, TIDEMARK_FSYNC: 'off' }, stdio: 'ignore' });
  const closed = once(child, 'close');
  try {
    const isReady = async () => {
      if (child.exitCode !== null) return false;
      equal((await fetch(`http://127.0.0.1:${port}/_ready`)).status, 200);
      return true;
    };
    if (!(await eventually(isReady, { within: 180_000, every: 100 }))) throw new Error(`It ended with code ${child.exitCode}.`);
    match((await run('tidemark', ['migrate', '--status'], { env })).stdout, /PostgreSQL:/);
  } finally {
    child.kill('SIGTERM');
    await closed;
  }
  // as systemd sees a stop
  equal(child.exitCode, 0);
}
