import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EventsFull, EventsUnavailable, type EventTables } from '../../../ports/events.js';
import type { Scheduler } from '../../../ports/system.js';
import { manualScheduler } from '../../../testing/manual-scheduler.js';
import { createScheduler } from '../../system/index.js';
import type { WalRecord } from './record.js';
import { openWal } from './wal.js';

/** What the log of the service said of damage. */
let reported: object[];
const log = pino(
  { level: 'error', base: null, timestamp: false },
  {
    write: (line: string) => {
      const { level, msg, ...rest } = JSON.parse(line);
      if (level === 50 && msg.includes('cannot be read')) reported.push(rest);
    },
  },
);
let directory: string;
let tries: { records: readonly WalRecord[]; again: boolean }[];
/** What the tables do with a block. */
let tables: (records: readonly WalRecord[]) => Promise<void>;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-events-log-'));
  tries = [];
  reported = [];
  tables = async () => {};
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
  await rm(`${directory}-damaged`, { recursive: true, force: true });
});

/** Opens the log as the only process: one that was opened before brings nothing into tables any more. */
function open(scheduler: Scheduler = createScheduler()) {
  const mine = ++opened;
  return openWal({
    directory,
    fsync: true,
    log,
    scheduler,
    apply: (records, again) => {
      if (mine !== opened) return never();
      tries.push({ records, again });
      return tables(records);
    },
  });
}

const record = (table: keyof EventTables, rows: Buffer, token: string) => ({ table, format: 'lines' as const, rows, token });
let opened = 0;
const never = () => new Promise<void>(() => {});
const textOf = (records: readonly WalRecord[]) => records.map(({ rows }) => rows.toString()).join('');
const applied = () => tries.map(({ records }) => textOf(records)).join('');
const files = async () => (await readdir(directory)).sort();

describe('appended rows', () => {
  test('they are in their table before a reader reads it', async () => {
    const eventsLog = await open();
    await eventsLog.append(record('events', Buffer.from('a\n'), 'a'));
    await eventsLog.append(record('persons', Buffer.from('b\n'), 'b'));
    await eventsLog.flushed();
    expect(tries.map(({ again }) => again)).not.toContain(true);
    expect(tries.flatMap(({ records }) => records)).toMatchObject([{ table: 'events' }, { table: 'persons' }]);
    await eventsLog.close();
  });

  test('without a reader many appends reach their table soon, in one insert', async () => {
    let finish = () => {};
    const all = new Promise<void>((resolve) => (finish = resolve));
    tables = () => all;
    const eventsLog = await open();
    for (let i = 0; i < 10; i++) await eventsLog.append(record('events', Buffer.from(`${i}\n`), String(i)));
    finish();
    await expect.poll(applied).toBe(Array.from({ length: 10 }, (_, i) => `${i}\n`).join(''));
    expect(tries.length).toBeLessThan(3);
    await eventsLog.close();
  });

  test('a second append with the same token is not stored', async () => {
    const eventsLog = await open();
    await eventsLog.append(record('events', Buffer.from('a\n'), 'same'));
    await eventsLog.append(record('events', Buffer.from('a\n'), 'same'));
    await eventsLog.flushed();
    expect(applied()).toBe('a\n');
    await eventsLog.close();
  });

  test('they are inserted in large blocks, and appends wait while the tables are behind', async () => {
    const blocks: (() => void)[] = [];
    tables = () => new Promise((resolve) => blocks.push(resolve));
    const scheduler = manualScheduler();
    const eventsLog = await open(scheduler);
    const megabyte = Buffer.alloc(1024 * 1024, 10);
    let appended = 0;
    const appending = (async () => {
      for (let i = 0; i < 40; i++) {
        await eventsLog.append(record('events', megabyte, String(i)));
        appended++;
      }
    })();
    await expect.poll(() => appended).toBe(24);
    // it looks for room some times, and the files are read meanwhile
    await scheduler.advance(5_000);
    await files();
    expect(appended).toBe(24);
    expect(eventsLog.state().bytes).toBe(24 * 1024 * 1024);
    tables = async () => {};
    for (const finish of blocks) finish();
    await appending;
    await eventsLog.close();
    expect(tries.reduce((sum, { records }) => sum + records.length, 0)).toBe(40);
    expect(tries.length).toBeLessThan(12);
  });

  test('rows of the background are written after others, and after some writes at the latest', async () => {
    const eventsLog = await open();
    const append = (text: string, isBackground = false) =>
      eventsLog.append(record('events', Buffer.from(`${text} `), text.slice(0, 10)), isBackground);
    const written: string[] = [];
    const note = (text: string, isBackground = false) => append(text, isBackground).then(() => written.push(text));
    // each is too large for one write with the next
    const large = 'x'.repeat(5 * 1024 * 1024);
    const all = [note('first'), note('background', true)];
    for (let i = 1; i <= 6; i++) all.push(append(`${i}${large}`).then(() => written.push(String(i))));
    await Promise.all(all);
    expect(written).toEqual(['first', '1', '2', '3', '4', 'background', '5', '6']);
    await eventsLog.close();
  });

  test('after a close with all rows applied there is no file', async () => {
    const eventsLog = await open();
    await eventsLog.append(record('events', Buffer.from('a\n'), 'a'));
    await eventsLog.close();
    expect(applied()).toBe('a\n');
    expect(await files()).toEqual([]);
  });
});

describe('the log of a process that died', () => {
  test('the next process inserts its rows, as rows that may exist', async () => {
    tables = never;
    const first = await open();
    await first.append(record('events', Buffer.from('a\n'), 'a'));
    await first.append(record('groups', Buffer.from('b\n'), 'b'));
    tries = [];
    tables = async () => {};
    const second = await open();
    await second.flushed();
    expect(tries).toMatchObject([
      {
        again: true,
        records: [
          { table: 'events', seq: 1 },
          { table: 'groups', seq: 2 },
        ],
      },
    ]);
    await second.append(record('events', Buffer.from('c\n'), 'c'));
    await second.flushed();
    expect(tries.at(-1)).toMatchObject({ again: false, records: [{ seq: 3 }] });
    await second.close();
    expect(await files()).toEqual([]);
  });

  test('rows that are known to be applied are not inserted again', async () => {
    const first = await open();
    await first.append(record('events', Buffer.from('a\n'), 'a'));
    await first.flushed();
    await first.append(record('events', Buffer.from('b\n'), 'b'));
    tries = [];
    const second = await open();
    await second.flushed();
    expect(applied()).toBe('b\n');
    await second.close();
  });

  test.each([1, 10, 24])('a partially written record (%i bytes less) is dropped', async (bytes) => {
    tables = never;
    const first = await open();
    await first.append(record('events', Buffer.from('a\n'), 'a'));
    await first.append(record('events', Buffer.from('b\n'), 'b'));
    const [file = ''] = await files();
    const { length } = await readFile(join(directory, file));
    await truncate(join(directory, file), length - bytes);
    tries = [];
    tables = async () => {};
    const second = await open();
    await second.append(record('events', Buffer.from('c\n'), 'c'));
    await second.flushed();
    expect(applied()).toBe('a\nc\n');
    await second.close();
    expect(await files()).toEqual([]);
  });

  test('a file without a record causes no error', async () => {
    await writeFile(join(directory, '0000000000000001.log'), 'not a record');
    const eventsLog = await open();
    await eventsLog.append(record('events', Buffer.from('a\n'), 'a'));
    await eventsLog.flushed();
    expect(applied()).toBe('a\n');
    await eventsLog.close();
    expect(await readFile(join(`${directory}-damaged`, '0000000000000001.log.0'), 'utf8')).toBe('not a record');
  });

  test.each([
    ['rows', 60],
    ['length', 0],
  ])(
    'with a bit changed in the %s of a record, the records around it are stored, and its bytes are saved and reported',
    async (_, offset) => {
      tables = never;
      const first = await open();
      for (const name of ['a', 'b', 'c']) await first.append(record('events', Buffer.from(`${name.repeat(100)}\n`), name));
      const path = join(directory, (await files())[0] ?? '');
      const bytes = await readFile(path);
      const size = bytes.length / 3;
      const at = size + offset;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      await writeFile(path, bytes);
      tries = [];
      tables = async () => {};
      const second = await open();
      await second.append(record('events', Buffer.from('d\n'), 'd'));
      await second.flushed();
      expect(applied()).toBe(`${'a'.repeat(100)}\n${'c'.repeat(100)}\nd\n`);
      expect(reported).toEqual([{ file: path, bytes: size, keptIn: expect.stringContaining(`${directory}-damaged/`) }]);
      await second.close();
      expect(await files()).toEqual([]);
    },
  );
});

describe('tables that refuse inserts', () => {
  test('inserts are repeated, in order, as rows that may exist', async () => {
    let away = 3;
    tables = async () => {
      if (away-- > 0) throw new EventsUnavailable('away');
    };
    const eventsLog = await open();
    await eventsLog.append(record('events', Buffer.from('a\n'), 'a'));
    const settled = eventsLog.flushed();
    await eventsLog.append(record('events', Buffer.from('b\n'), 'b'));
    await settled;
    await eventsLog.flushed();
    expect(tries.slice(0, 4).map(({ again, records }) => [again, textOf(records)])).toEqual([
      [false, 'a\n'],
      [true, 'a\n'],
      [true, 'a\n'],
      [true, 'a\n'],
    ]);
    expect(tries.at(-1)).toMatchObject({ again: false });
    expect(textOf(tries.at(-1)?.records ?? [])).toBe('b\n');
    await eventsLog.close();
  });

  test('without disk space readers do not wait', async () => {
    tables = async () => {
      throw new EventsFull('full');
    };
    const eventsLog = await open();
    await eventsLog.append(record('events', Buffer.from('a\n'), 'a'));
    await eventsLog.flushed();
    tables = async () => {};
    await eventsLog.close();
    expect(await files()).toEqual([]);
  });
});

test('a full disk refuses the append, and none of its rows are stored later', async () => {
  const eventsLog = await open();
  await eventsLog.append(record('events', Buffer.from('a\n'), 'a'));
  // a file that cannot be made stands for the disk: the directory is gone
  await eventsLog.flushed();
  await rm(directory, { recursive: true });
  const megabyte = Buffer.alloc(8 * 1024 * 1024, 10);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 6 }, (_, i) => eventsLog.append(record('events', megabyte, `b${i}`))),
  );
  expect(outcomes.at(-1)).toMatchObject({ status: 'rejected', reason: { name: 'EventsUnavailable' } });
  await eventsLog.close();
});
