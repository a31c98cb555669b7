import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { ImportError } from './import-error.js';

const fileState = z.object({
  /** Bytes of the file when it was read. */
  size: z.number(),
  /** Records of it whose events are stored. */
  done: z.number(),
  finished: z.boolean(),
});

const stateSchema = z.object({
  version: z.literal(1),
  /** What the state is about: another source or target needs another file. */
  subject: z.string(),
  files: z.record(z.string(), fileState),
  /** UUID of the import, by which the target knows it again; absent: it needs none, or an older version began it. */
  holder: z.uuid().optional(),
  /** Steps that are done. */
  steps: z.array(z.string()),
  /** By kind: id in the source → id in the target. */
  ids: z.record(z.string(), z.record(z.string(), z.union([z.number(), z.string()]))),
  /** The object that was being created: it may exist already. `others` are those of its name that were there before; absent: an older version began it. */
  pending: z
    .object({ kind: z.string(), id: z.string(), others: z.array(z.union([z.number(), z.string()])).optional() })
    .nullable(),
  /** Where events of an API are. */
  cursor: z.string().nullable(),
});
export type StateData = z.output<typeof stateSchema>;

/** The progress of an import in a file: the same command continues where it stopped. */
export interface ImportState {
  readonly data: StateData;
  /** Writes the file as a whole. @throws ImportError the disk is full, or the folder is not writable */
  save(): void;
  /**
   * As {@link save}, but once a second at most, for progress in events: repeating them changes nothing. What is left out is written by the next
   * `save` or by `close`.
   */
  saveProgress(): void;
  /** Writes what is left out, and releases the lock. */
  close(): void;
}

/** Milliseconds between two writes of progress in events: the system writes the file to the disk at each. */
const PROGRESS_MS = 1_000;

/**
 * Opens the state file, or starts a new one.
 * @param path null: nothing is written (a dry run)
 * @param subject names source and target
 * @throws ImportError the file is about something else, is malformed, or another import uses it
 */
export function openState(path: string | null, subject: string): ImportState {
  const data = (path === null ? null : readState(path)) ?? emptyState(subject);
  if (data.subject !== subject) {
    throw new ImportError(`${path} is about another import (${data.subject}): name another file with --state.`);
  }
  if (path === null) return { data, save: () => {}, saveProgress: () => {}, close: () => {} };
  const release = lock(`${path}.lock`);
  let savedAt = Number.NEGATIVE_INFINITY;
  let hasUnsaved = false;
  const save = () => {
    savedAt = performance.now();
    hasUnsaved = false;
    try {
      writeFileSync(`${path}.new`, `${JSON.stringify(data, null, 1)}\n`);
      renameSync(`${path}.new`, path);
    } catch (error) {
      rmSync(`${path}.new`, { force: true });
      throw new ImportError(
        `The progress cannot be written to ${path} (${codeOf(error)}). Nothing is lost: run the command again.`,
      );
    }
  };
  return {
    data,
    save,
    saveProgress: () => {
      if (performance.now() - savedAt >= PROGRESS_MS) save();
      else hasUnsaved = true;
    },
    close: () => {
      try {
        if (hasUnsaved) save();
      } catch {
        // the import has ended with an error, which says more
      } finally {
        release();
      }
    },
  };
}

/** The ids of a kind: id in the source → id in the target. */
export function idsOfKind({ data }: ImportState, kind: string): Record<string, number | string> {
  const ids = data.ids[kind] ?? {};
  data.ids[kind] = ids;
  return ids;
}

const emptyState = (subject: string): StateData => ({
  version: 1,
  subject,
  files: {},
  steps: [],
  ids: {},
  pending: null,
  cursor: null,
});

function readState(path: string): StateData | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new ImportError(`The state file ${path} cannot be read (${codeOf(error)}).`);
  }
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch {
    throw new ImportError(`${path} is not the state of an import: name another file with --state.`);
  }
}

/** @throws ImportError another process has the lock */
function lock(path: string): () => void {
  mkdirSync(dirname(path), { recursive: true });
  for (const isLast of [false, true]) {
    try {
      writeFileSync(path, `${process.pid} ${startOf(process.pid)}`, { flag: 'wx' });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') {
        throw new ImportError(`The state file cannot be written beside ${path} (${codeOf(error)}).`);
      }
      const [owner = '', start = ''] = readFileSync(path, 'utf8').split(' ');
      if (isLast || isRunning(Number(owner), start))
        throw new ImportError(`Another import (process ${owner}) uses this state file. If none runs, remove ${path}.`);
      rmSync(path, { force: true });
    }
  }
  throw new ImportError('The state file is locked.');
}

/** @param start when the process of the lock started; empty: the system did not tell */
function isRunning(pid: number, start: string): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  // another process may have the number since: each container counts from 1
  if (start !== '' && startOf(pid) !== start) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** When a process started, as the system counts; empty: it does not run, or the system does not tell. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // behind the name of the program, which may have spaces, the 20th field
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/** The code of a system error, such as `ENOSPC`. */
export const codeOf = (error: unknown): string => {
  if (typeof error !== 'object' || error === null || !('code' in error)) return 'unknown error';
  return error.code === 'ENOSPC' ? 'the disk is full' : String(error.code);
};
