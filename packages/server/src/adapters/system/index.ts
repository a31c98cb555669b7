import { randomBytes, randomUUID } from 'node:crypto';
import { createBackgroundTurns } from '../../kernel/background-turns.js';
import { uuidOfHex } from '../../kernel/ids.js';
import { createQueue } from '../../kernel/queue.js';
import type { Clock, Ids, Scheduler } from '../../ports/system.js';

export { lockDataDirectory, syncDirectory, tryLockDataDirectory } from './data-directory.js';

/** The clock of the operating system. */
export const systemClock: Clock = { now: () => Date.now() };

/** The timers and the event loop of Node.js. A process has one: its callers of `yield` wait in one queue, and those of the background in another. */
export function createScheduler(): Scheduler {
  const waiting = createQueue<() => void>();
  const background = createQueue<() => void>();
  const isBackgroundNext = createBackgroundTurns();
  const length = () => waiting.length() + background.length();
  const resumeNext = () => {
    const next = isBackgroundNext(waiting.length(), background.length()) ? background : waiting;
    next.take(1)[0]?.();
    if (length() > 0) setImmediate(resumeNext);
  };
  return {
    uptime: () => performance.now(),
    after: (ms, work, { keepsAlive = false } = {}) => {
      const timer = setTimeout(work, ms);
      if (!keepsAlive) timer.unref();
      return () => clearTimeout(timer);
    },
    every: (ms, work) => {
      const timer = setInterval(work, ms).unref();
      return () => clearInterval(timer);
    },
    yield: (priority) =>
      new Promise((resolve) => {
        (priority === 'background' ? background : waiting).push(resolve);
        if (length() === 1) setImmediate(resumeNext);
      }),
  };
}

/** Ids from the machine's randomness and clock. */
export const systemIds: Ids = {
  uuid: () => randomUUID(),
  uuid7: createUuid7(Date.now, randomBytes),
  token: (bytes) => randomBytes(bytes).toString('base64url'),
};

/**
 * Creates a generator of UUIDs of version 7 that always increase, also within a millisecond and when the clock steps back
 * (RFC 9562, 6.2, method 1: a counter of 12 bits follows the time).
 */
export function createUuid7(now: () => number, random: (bytes: number) => Buffer): () => string {
  let millisecond = 0;
  let counter = 0;
  return () => {
    const bytes = random(16);
    const time = now();
    if (time > millisecond) {
      millisecond = time;
      // starts in the lower half of its range, so that it can count up
      counter = bytes.readUInt16BE(6) & 0x7ff;
    } else if (counter < 0xfff) {
      counter += 1;
    } else {
      millisecond += 1;
      counter = bytes.readUInt16BE(6) & 0x7ff;
    }
    bytes.writeUIntBE(millisecond, 0, 6);
    bytes.writeUInt16BE(0x7000 | counter, 6);
    bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
    return uuidOfHex(bytes.toString('hex'));
  };
}
