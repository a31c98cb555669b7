import { execFile, spawn } from 'node:child_process';
import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { type Scheduler, sleep, withinTime } from '../../../kernel/scheduler.js';

const run = promisify(execFile);

/** Signals that stop a postmaster, from fast shutdown to kill, and how long each may take; milliseconds. */
export const STOP_STEPS: readonly (readonly [signal: NodeJS.Signals, patience: number])[] = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

/**
 * Stops the remaining processes of an earlier server of this cluster: a postmaster that outlived the process that started it, or
 * backends that outlived their postmaster. The caller holds the lock of the data directory.
 * @returns whether there were any
 */
export async function stopOrphans(clusterDir: string, scheduler: Scheduler): Promise<boolean> {
  const found = await serversOf(clusterDir);
  for (const [signal, patience] of STOP_STEPS) {
    const left = await serversOf(clusterDir);
    if (left.length === 0) break;
    const postmaster = await postmasterOf(clusterDir);
    // backends without a postmaster are killed at once: recovery follows in any case
    if (postmaster !== null && left.includes(postmaster) && signal !== 'SIGKILL') kill(postmaster, signal);
    else for (const pid of left) kill(pid, 'SIGKILL');
    for (let waited = 0; waited < patience && (await serversOf(clusterDir)).length > 0; waited += 20) await sleep(scheduler, 20);
  }
  // the process id in it may belong to another process of the same user by now, and PostgreSQL would then refuse to start
  if (process.platform === 'linux') await rm(join(clusterDir, 'postmaster.pid'), { force: true });
  return found.length > 0;
}

/** Ids of the live PostgreSQL processes of a cluster: on Linux all, elsewhere the postmaster. */
async function serversOf(clusterDir: string): Promise<number[]> {
  if (process.platform !== 'linux') {
    const pid = await postmasterOf(clusterDir);
    const name = pid === null ? '' : await run('ps', ['-o', 'comm=', '-p', String(pid)]).then(({ stdout }) => stdout, String);
    return pid !== null && basename(name.trim()) === 'postgres' ? [pid] : [];
  }
  const directory = await realpath(clusterDir).catch(() => null);
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const areServers = await Promise.all(pids.map((pid) => directory !== null && isServer(pid, directory)));
  return pids.filter((_, i) => areServers[i]).map(Number);
}

/** Whether a process is part of the server. All processes of a server have the cluster's directory as their working directory. */
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
    // it has exited in the meantime
  }
}

/** How long a server may take to shut down after its service has died; seconds. */
const PATIENCE_S = 5;

/** How long the guard may take to exit; milliseconds. */
const GUARD_MS = 2_000;

/**
 * Waits for the end of its input. If the input is empty, the service has died without stopping the server. The script then stops the
 * postmaster (`$1`), and after some seconds (`$2`) kills it and its sessions. Sessions of a newer server on the same directory have
 * another parent.
 */
const SCRIPT = `
trap '' INT TERM HUP QUIT
read -r word && exit 0
sessions=
for process in /proc/[0-9]*; do
  read -r pid name state parent rest < "$process/stat" && [ "$name $parent" = "(postgres) $1" ] && sessions="$sessions $pid"
done
kill -INT "$1" || exit 0
waited=0
while [ "$waited" -lt "$2" ] && kill -0 "$1"; do sleep 1; waited=$((waited + 1)); done
for process in "$1" $sessions; do
  read -r pid name rest < "/proc/$process/stat" && [ "$name" = "(postgres)" ] && kill -KILL "$process"
done
`;

/**
 * Stops a server when this process dies without stopping it, such as by kill -9. A shell watches a pipe to this process. It has its own
 * session, so that it survives a signal to the process group of the service.
 * @returns ends the guard; to be called after the server has ended
 */
export function guard(postmaster: number, scheduler: Scheduler): () => Promise<void> {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'tidemark-guard', String(postmaster), String(PATIENCE_S)], {
    cwd: '/',
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => {
    shell.once('exit', () => resolve());
    // without a guard the next start still finds and stops the server
    shell.once('error', () => resolve());
  });
  shell.stdin.on('error', () => {});
  shell.unref();
  return () => {
    shell.stdin.end('stopped\n');
    // the guard does not keep this process alive, so a timer has to
    return withinTime(scheduler, GUARD_MS, ended, () => {});
  };
}
