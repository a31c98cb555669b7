import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EventLog, type LogEntry, type LogRecord, LogTruncated } from '../ports/event-log.js';

/** A log under test, and the means to be its operator. */
export interface OpenedLog {
  log: EventLog;
  /** Opens the same log again, as a process does after one that was killed. */
  reopen(): Promise<EventLog>;
  /** Moves the clock of the log on; milliseconds. */
  pass(ms: number): void;
  now(): number;
  /** Closes it and removes its data. */
  remove(): Promise<void>;
}

const entry = (key: string, text: string): LogEntry => ({ key, uuid: `uuid of ${text}`, body: Buffer.from(text) });
const texts = (records: readonly LogRecord[]) => records.map(({ body }) => Buffer.from(body).toString());
const ALL = 1e6;

/** What every event log does. @param open makes an empty log with at least two partitions */
export function eventLogContract(name: string, open: () => Promise<OpenedLog>): void {
  describe(name, () => {
    let opened: OpenedLog;
    let log: EventLog;
    beforeEach(async () => {
      opened = await open();
      log = opened.log;
    });
    afterEach(() => opened.remove());

    const readAll = async (from = log): Promise<LogRecord[]> => {
      const all: LogRecord[] = [];
      for (let partition = 0; partition < from.partitions; partition++) {
        const { first } = await from.bounds(partition);
        all.push(...(await from.read({ partition, from: first, maxBytes: ALL })));
      }
      return all;
    };
    /** Two keys of different partitions. */
    const twoKeys = async (): Promise<[string, string]> => {
      const places = await log.append(Array.from({ length: 50 }, (_, number) => entry(`key ${number}`, 'first')));
      const other = places.findIndex(({ partition }) => partition !== places[0]?.partition);
      expect(other).toBeGreaterThan(0);
      return ['key 0', `key ${other}`];
    };

    test('what is appended is read unchanged, with its place', async () => {
      const body = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      const [place] = await log.append([{ key: '7/änn\n', uuid: 'u', body }]);
      const [record] = await log.read({ partition: place?.partition ?? -1, from: place?.offset ?? -1, maxBytes: ALL });
      expect(record).toMatchObject({ ...place, key: '7/änn\n', uuid: 'u', appendedAt: opened.now() });
      expect([...(record?.body ?? [])]).toEqual([...body]);
    });

    test('an empty log has nothing to read, and nothing is behind', async () => {
      expect(await readAll()).toEqual([]);
      const { first, next } = await log.bounds(0);
      expect(next).toBe(first);
      expect(await log.committed('writer', 0)).toBe(first);
      expect(await log.append([])).toEqual([]);
    });

    test('one key stays in one partition, in the order of its appends', async () => {
      const [one, two] = await twoKeys();
      for (let turn = 0; turn < 5; turn++) {
        await log.append([entry(one, `${turn}a`), entry(two, `${turn}x`), entry(one, `${turn}b`)]);
      }
      const own = (await readAll()).filter(({ key }) => key === one);
      expect(new Set(own.map(({ partition }) => partition)).size).toBe(1);
      expect(texts(own)).toEqual(['first', '0a', '0b', '1a', '1b', '2a', '2b', '3a', '3b', '4a', '4b']);
    });

    test('offsets rise within a partition, and a read begins where its `from` says', async () => {
      const places = await log.append(['a', 'b', 'c', 'd'].map((text) => entry('k', text)));
      const offsets = places.map(({ offset }) => offset);
      expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
      expect(new Set(offsets).size).toBe(4);
      const read = { partition: places[0]?.partition ?? -1, maxBytes: ALL };
      expect(texts(await log.read({ ...read, from: offsets[2] ?? -1 }))).toEqual(['c', 'd']);
      expect(await log.read({ ...read, from: (await log.bounds(read.partition)).next })).toEqual([]);
    });

    test('a read returns what fits its bytes, and at least one record', async () => {
      const [place] = await log.append(['12345', '67890', 'abcde'].map((text) => entry('k', text)));
      const read = { partition: place?.partition ?? -1, from: place?.offset ?? -1 };
      expect(texts(await log.read({ ...read, maxBytes: 11 }))).toEqual(['12345', '67890']);
      expect(texts(await log.read({ ...read, maxBytes: 1 }))).toEqual(['12345']);
    });

    test('appends at the same time are all there, each once', async () => {
      const names = Array.from({ length: 40 }, (_, number) => `event ${number}`);
      await Promise.all(names.map((text, number) => log.append([entry(`key ${number % 5}`, text)])));
      expect(texts(await readAll()).sort()).toEqual([...names].sort());
    });

    test('a repeated append is there twice: the writer removes duplicates, not the log', async () => {
      await log.append([entry('k', 'once')]);
      await log.append([entry('k', 'once')]);
      expect((await readAll()).map(({ uuid }) => uuid)).toEqual(['uuid of once', 'uuid of once']);
    });

    test('a reader continues where it committed, whatever others did', async () => {
      const [place] = await log.append(['a', 'b', 'c'].map((text) => entry('k', text)));
      const partition = place?.partition ?? -1;
      const third = (place?.offset ?? -1) + 2;
      await log.commit('writer', partition, third);
      expect(await log.committed('writer', partition)).toBe(third);
      expect(await log.committed('other', partition)).toBe((await log.bounds(partition)).first);
      await log.commit('writer', partition, third - 1);
      expect(await log.committed('writer', partition)).toBe(third);
    });

    test('what was acknowledged and committed survives the process', async () => {
      const [place] = await log.append(['a', 'b'].map((text) => entry('k', text)));
      const partition = place?.partition ?? -1;
      await log.commit('writer', partition, (place?.offset ?? -1) + 1);
      const again = await opened.reopen();
      const from = await again.committed('writer', partition);
      expect(texts(await again.read({ partition, from, maxBytes: ALL }))).toEqual(['b']);
      const [next] = await again.append([entry('k', 'c')]);
      expect(next?.partition).toBe(partition);
      expect(texts(await again.read({ partition, from, maxBytes: ALL }))).toEqual(['b', 'c']);
      await again.close();
    });

    test('retention removes by age, committed or not, and a reader that comes too late gets an error', async () => {
      const [old] = await log.append([entry('k', 'old')]);
      const partition = old?.partition ?? -1;
      opened.pass(60_000);
      const [young] = await log.append([entry('k', 'young')]);
      await log.removeBefore(opened.now() - 30_000);
      const { first } = await log.bounds(partition);
      expect(first).toBe(young?.offset);
      const late = log.read({ partition, from: old?.offset ?? -1, maxBytes: ALL });
      await expect(late).rejects.toBeInstanceOf(LogTruncated);
      await expect(late).rejects.toMatchObject({ partition, first });
      expect(texts(await log.read({ partition, from: first, maxBytes: ALL }))).toEqual(['young']);
      expect(await log.committed('writer', partition)).toBe(first);
    });

    test('offsets are not given again after everything was removed, also by a new process', async () => {
      const [old] = await log.append([entry('k', 'old')]);
      opened.pass(60_000);
      await log.removeBefore(opened.now());
      const again = await opened.reopen();
      const [young] = await again.append([entry('k', 'young')]);
      expect(young?.partition).toBe(old?.partition);
      expect(young?.offset).toBeGreaterThan(old?.offset ?? Number.MAX_VALUE);
      await again.close();
    });
  });
}
