import { readFile } from 'node:fs/promises';

/**
 * What a process has used so far: processor time, and bytes that it read and wrote. A text that changes while the process works; null
 * where the operating system does not tell.
 */
export async function progressOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // the name before the last bracket may hold any character; fields 14 and 15 are user and system time
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return `${user} ${system} ${await readFile(`/proc/${pid}/io`, 'utf8').catch(() => '')}`;
  } catch {
    return null;
  }
}
