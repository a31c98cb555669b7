import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EventLog, type LogEntry, type LogRecord, LogTruncated } from '../ports/event-log.js';
import type { Clock } from '../ports/system.js';

/** What a file of a partition contains: a line a record, and a line where records were removed. */
type Line = { offset: number; at: number; key: string; uuid: string; body: string } | { first: number };

interface Partition {
  records: LogRecord[];
  first: number;
  next: number;
  file: FileHandle;
}

/**
 * The smallest event log that keeps what its port promises: a file of lines for each partition, and one for the commits. One process at a
 * time opens it. It is what the contract is tested with, and what the tests of the writer read from.
 */
export async function openFileEventLog(directory: string, partitions: number, clock: Clock): Promise<EventLog> {
  await mkdir(directory, { recursive: true });
  const opened = await Promise.all(Array.from({ length: partitions }, (_, index) => openPartition(directory, index)));
  const commitsPath = join(directory, 'commits.json');
  const commits: Record<string, number> = await readFile(commitsPath, 'utf8').then(JSON.parse, () => ({}));
  let queue: Promise<unknown> = Promise.resolve();
  /** Runs changes one after the other. */
  const alone = <Value>(change: () => Promise<Value>): Promise<Value> => {
    const done = queue.then(change);
    queue = done.catch(() => {});
    return done;
  };
  const of = (partition: number): Partition => {
    const found = opened[partition];
    if (!found) throw new RangeError(`There is no partition ${partition}.`);
    return found;
  };

  return {
    partitions,
    append: (entries) =>
      alone(async () => {
        const at = clock.now();
        const records = entries.map((entry) => {
          const partition = partitionOf(entry.key, partitions);
          return { ...entry, partition, offset: of(partition).next++, appendedAt: at };
        });
        for (const [index, partition] of opened.entries()) {
          const own = records.filter((record) => record.partition === index);
          if (own.length === 0) continue;
          await partition.file.appendFile(own.map((record) => `${JSON.stringify(lineOf(record))}\n`).join(''));
          await partition.file.datasync();
          partition.records.push(...own);
        }
        return records.map(({ partition, offset }) => ({ partition, offset }));
      }),
    read: async ({ partition: index, from, maxBytes }) => {
      const { records, first } = of(index);
      if (from < first) throw new LogTruncated(index, first);
      const found: LogRecord[] = [];
      let bytes = 0;
      for (const record of records) {
        if (record.offset < from) continue;
        bytes += record.body.length;
        if (found.length > 0 && bytes > maxBytes) break;
        found.push(record);
      }
      return found;
    },
    commit: (reader, partition, offset) =>
      alone(async () => {
        const name = `${of(partition) && partition}/${reader}`;
        if ((commits[name] ?? -1) >= offset) return;
        commits[name] = offset;
        await writeFile(`${commitsPath}.new`, JSON.stringify(commits), { flush: true });
        await rename(`${commitsPath}.new`, commitsPath);
      }),
    committed: async (reader, partition) => commits[`${partition}/${reader}`] ?? of(partition).first,
    bounds: async (partition) => ({ first: of(partition).first, next: of(partition).next }),
    removeBefore: (before) =>
      alone(async () => {
        for (const partition of opened) {
          const left = partition.records.filter(({ appendedAt }) => appendedAt >= before);
          partition.records = left;
          partition.first = left[0]?.offset ?? partition.next;
          await partition.file.appendFile(`${JSON.stringify({ first: partition.first })}\n`);
          await partition.file.datasync();
        }
      }),
    close: async () => {
      await queue;
      await Promise.all(opened.map(({ file }) => file.close()));
    },
  };
}

async function openPartition(directory: string, index: number): Promise<Partition> {
  const path = join(directory, `${index}.ndjson`);
  const text = await readFile(path, 'utf8').catch(() => '');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const lines = whole.split('\n').flatMap((line) => (line ? [JSON.parse(line) as Line] : []));
  const file = await open(path, 'a');
  // the rest of a line is an append that a crash broke off: nobody got an answer that it is stored
  if (whole.length < text.length) await file.truncate(Buffer.byteLength(whole));
  const first = Math.max(0, ...lines.flatMap((line) => ('first' in line ? [line.first] : [])));
  const records = lines.flatMap((line) => ('offset' in line ? [recordOf(line, index)] : []));
  const next = Math.max(first, (records.at(-1)?.offset ?? -1) + 1);
  return { records: records.filter(({ offset }) => offset >= first), first, next, file };
}

const lineOf = ({ offset, appendedAt, key, uuid, body }: LogRecord): Line => {
  return { offset, at: appendedAt, key, uuid, body: Buffer.from(body).toString('base64') };
};

const recordOf = ({ offset, at, key, uuid, body }: Extract<Line, { offset: number }>, partition: number): LogRecord => {
  return { partition, offset, appendedAt: at, key, uuid, body: Buffer.from(body, 'base64') };
};

const partitionOf = (key: LogEntry['key'], partitions: number): number =>
  createHash('sha256').update(key).digest().readUInt32BE() % partitions;
