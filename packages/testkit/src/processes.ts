import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

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
  return readStates().flatMap((state) => describe(state) ?? []);
}

/** Whether a process runs; one that has ended, and was not waited for, does not. */
export async function isRunning(pid: number): Promise<boolean> {
  return readState(pid) !== null;
}

/** Sends a signal to a process, which may have ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it has ended meanwhile
  }
}

/** A process and its descendants. */
export async function processTree(root: number): Promise<Process[]> {
  const all = readStates();
  const members = new Set([root]);
  for (let before = 0; before < members.size; ) {
    before = members.size;
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid);
  }
  return all.filter(({ pid }) => members.has(pid)).flatMap((state) => describe(state) ?? []);
}

/** What one file of /proc has about a process. */
type State = Pick<Process, 'pid' | 'parent' | 'name'>;

/** The states of all processes. Files of /proc are in memory: a promise for each of their reads would take longer than the reads. */
const readStates = (): State[] =>
  readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readState(Number(name)) ?? []) : []));

/** Null: it has ended. */
function readState(pid: number): State | null {
  const stat = read(`/proc/${pid}/stat`);
  // the name stands in parentheses and may contain any character
  const end = stat.lastIndexOf(')');
  const [state, parent] = stat.slice(end + 2).split(' ', 2);
  if (stat === '' || state === 'Z') return null;
  return { pid, parent: Number(parent), name: stat.slice(stat.indexOf('(') + 1, end) };
}

function describe(state: State): Process | null {
  try {
    const command = readFileSync(`/proc/${state.pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { ...state, command, workingDirectory: workingDirectoryOf(state.pid) };
  } catch {
    return null;
  }
}

function workingDirectoryOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

/** Text of a file, or an empty one if it cannot be read. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
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
