import { spawnSync } from 'node:child_process';

/** Whether this process is root and may mount file systems in a namespace of its own; false in most containers. */
export function canMount(): boolean {
  return process.getuid?.() === 0 && spawnSync('/bin/sh', ['-c', 'unshare --mount true'], { stdio: 'ignore' }).status === 0;
}
