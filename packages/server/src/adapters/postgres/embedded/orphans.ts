import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { type Scheduler, sleep } from '../../../kernel/scheduler.js';

const run = promisify(execFile);

/** How a postmaster is told to go, from "end all sessions now" to "die", and how long it is waited for; milliseconds. */
export const STOP_STEPS: readonly (readonly [signal: NodeJS.Signals, patience: number])[] = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

/**
 * Stops what is left of a server of this cluster: a postmaster that outlived the process that started it, or backends
 * that outlived their postmaster. Only for who holds the lock of the data directory.
 * @returns whether there was any
 */
export async function stopOrphans(clusterDir: string, scheduler: Scheduler): Promise<boolean> {
  const found = await serversOf(clusterDir);
  for (const [signal, patience] of STOP_STEPS) {
    const left = await serversOf(clusterDir);
    if (left.length === 0) break;
    const postmaster = await postmasterOf(clusterDir);
    // without a postmaster nobody needs to be told gently: recovery follows in any case
    if (postmaster !== null && left.includes(postmaster) && signal !== 'SIGKILL') kill(postmaster, signal);
    else for (const pid of left) kill(pid, 'SIGKILL');
    for (let waited = 0; waited < patience && (await serversOf(clusterDir)).length > 0; waited += 20) await sleep(scheduler, 20);
  }
  // its number may belong to another process of the same user by now, and PostgreSQL would then refuse to start
  if (process.platform === 'linux') await rm(join(clusterDir, 'postmaster.pid'), { force: true });
  return found.length > 0;
}

/** Numbers of the live PostgreSQL processes of a cluster: on Linux all, elsewhere the postmaster. */
async function serversOf(clusterDir: string): Promise<number[]> {
  if (process.platform !== 'linux') {
    const pid = await postmasterOf(clusterDir);
    const name = pid === null ? '' : await run('ps', ['-o', 'comm=', '-p', String(pid)]).then(({ stdout }) => stdout, String);
    return pid !== null && basename(name.trim()) === 'postgres' ? [pid] : [];
  }
  const directory = await realpath(clusterDir).catch(() => null);
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const ours = await Promise.all(pids.map((pid) => directory !== null && isServer(pid, directory)));
  return pids.filter((_, i) => ours[i]).map(Number);
}

/** Every process of a server works in the cluster's directory. */
async function isServer(pid: string, directory: string): Promise<boolean> {
  try {
    if ((await readlink(`/proc/${pid}/cwd`)) !== directory) return false;
    return ['postgres\n', 'initdb\n'].includes(await readFile(`/proc/${pid}/comm`, 'utf8'));
  } catch {
    return false;
  }
}

async function postmasterOf(clusterDir: string): Promise<number | null> {
  const text = await readFile(join(clusterDir, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 1 ? pid : null;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // gone by itself in the meantime
  }
}
