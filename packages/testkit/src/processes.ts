import { readdir, readFile, readlink } from 'node:fs/promises';

/** A process in /proc. */
export interface Process {
  pid: number;
  parent: number;
  /** Name of the program, at most 15 characters. */
  name: string;
  /** Arguments, separated by spaces. */
  command: string;
  workingDirectory: string;
}

/** All readable processes. Linux only. */
export async function listProcesses(): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => readProcess(Number(pid)).catch(() => null)));
  return found.filter((process) => process !== null);
}

/** Whether a process runs; one that has ended, and was not waited for, does not. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await readProcess(pid).catch(() => null)) !== null;
}

/** Sends a signal to a process, which may have ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it has ended meanwhile
  }
}

async function readProcess(pid: number): Promise<Process | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // the name stands in parentheses and may contain any character
  const end = stat.lastIndexOf(')');
  const [state, parent] = stat.slice(end + 2).split(' ');
  if (state === 'Z') return null;
  return {
    pid,
    parent: Number(parent),
    name: stat.slice(stat.indexOf('(') + 1, end),
    command: (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim(),
    workingDirectory: await readlink(`/proc/${pid}/cwd`).catch(() => ''),
  };
}

/** A process and its descendants. */
export async function processTree(root: number): Promise<Process[]> {
  const all = await listProcesses();
  const members = new Set([root]);
  for (let before = 0; before < members.size; ) {
    before = members.size;
    for (const process of all) if (members.has(process.parent)) members.add(process.pid);
  }
  return all.filter((process) => members.has(process.pid));
}

/** Memory of processes together, bytes; shared pages count once (PSS). */
export async function memoryOf(processes: readonly Process[]): Promise<number> {
  const sizes = await Promise.all(
    processes.map(async ({ pid }) => {
      const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
      return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** CPU time of processes together since each started, seconds. */
export async function cpuOf(processes: readonly Process[]): Promise<number> {
  const times = await Promise.all(
    processes.map(async ({ pid }) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      // fields 14 and 15: user and system time in hundredths of a second
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
    }),
  );
  return times.reduce((sum, time) => sum + time, 0);
}
