import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { basename } from 'node:path';

/**
 * Kills the engine processes of a directory whose service is gone. An orphan ends by itself as soon as it notices, which one that hangs
 * does not do. Finds them by `/proc`; elsewhere than on Linux it does nothing.
 * @param script file name of the script that an engine process runs, with the process id of its service as argument
 */
export async function killOrphans(directory: string, script: string): Promise<void> {
  const path = await realpath(directory);
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    if (await isOrphan(pid, path, script)) process.kill(Number(pid), 'SIGKILL');
  }
}

async function isOrphan(pid: string, directory: string, script: string): Promise<boolean> {
  try {
    if ((await readlink(`/proc/${pid}/cwd`)) !== directory) return false;
    const [, file = '', service] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
    if (basename(file) !== script || !service) return false;
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // the name before the last bracket may contain any character; field 4 is the parent
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return parent !== service;
  } catch {
    // it has ended, or belongs to another user
    return false;
  }
}
