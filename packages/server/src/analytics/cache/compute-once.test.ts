import { describe, expect, test } from 'vitest';
import { createComputeOnce } from './compute-once.js';

/** Work that the test ends, and that counts how often it was started and cancelled. */
function work() {
  const seen = { begun: 0, aborted: 0 };
  let end: (value: string) => void = () => {};
  const run = (signal: AbortSignal) => {
    seen.begun++;
    return new Promise<string>((resolve, reject) => {
      end = resolve;
      signal.addEventListener('abort', () => {
        seen.aborted++;
        reject(signal.reason);
      });
    });
  };
  return { seen, run, end: (value: string) => end(value) };
}

describe('a shared computation', () => {
  test('it runs once for concurrent callers, and again afterwards', async () => {
    const once = createComputeOnce<string>();
    const { seen, run, end } = work();
    const waiting = [1, 2, 3].map(() => once.run('a', run, undefined));
    end('done');
    expect(await Promise.all(waiting)).toEqual(['done', 'done', 'done']);
    expect(seen.begun).toBe(1);
    const again = once.run('a', run, undefined);
    end('more');
    expect(await again).toBe('more');
    expect(seen.begun).toBe(2);
  });

  test('it continues while a caller waits, and is aborted after the last one has left', async () => {
    const once = createComputeOnce<string>();
    const { seen, run } = work();
    const [first, second] = [new AbortController(), new AbortController()];
    const waiting = [first, second].map(({ signal }) => once.run('a', run, signal));
    const gone = new Error('gone');
    first.abort(gone);
    await expect(waiting[0]).rejects.toBe(gone);
    expect(seen.aborted).toBe(0);
    second.abort(gone);
    await expect(waiting[1]).rejects.toBe(gone);
    expect(seen).toEqual({ begun: 1, aborted: 1 });
  });

  test('a new caller does not join an aborted one', async () => {
    const once = createComputeOnce<string>();
    const { seen, run, end } = work();
    const leaving = new AbortController();
    const left = once.run('a', run, leaving.signal);
    leaving.abort(new Error('gone'));
    const next = once.run('a', run, undefined);
    end('done');
    expect(await next).toBe('done');
    await expect(left).rejects.toThrow('gone');
    expect(seen.begun).toBe(2);
  });

  test('its error reaches all callers', async () => {
    const once = createComputeOnce<string>();
    const waiting = [1, 2].map(() => once.run('a', () => Promise.reject(new Error('broken')), undefined));
    for (const one of await Promise.allSettled(waiting))
      expect(one).toMatchObject({ status: 'rejected', reason: { message: 'broken' } });
  });
});

test('work that waits for the signal at many places at once is not reported as a leak', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => warnings.push(warning);
  process.on('warning', warn);
  try {
    const once = createComputeOnce<number>();
    const work = async (signal: AbortSignal) => {
      for (let statement = 0; statement < 12; statement++) signal.addEventListener('abort', () => statement);
      return 1;
    };
    expect(await once.run('key', work, undefined)).toBe(1);
    // a warning is emitted at the next tick
    await new Promise(setImmediate);
  } finally {
    process.off('warning', warn);
  }
  expect(warnings).toEqual([]);
});
