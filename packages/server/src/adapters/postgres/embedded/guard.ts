import { spawn } from 'node:child_process';
import { type Scheduler, withinTime } from '../../../kernel/scheduler.js';

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
