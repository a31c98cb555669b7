import type { ExceptionContext } from '@tidemark/client';
import { describe, expect, test } from 'vitest';
import type { StartCommon } from '../drivers/driver.js';
import { exceptionsOf } from '../drivers/seen.js';

export function exceptionsContract(start: StartCommon): void {
  /** Properties of the captured exception event. */
  const captured = async (error: unknown, properties?: Record<string, unknown>, context?: ExceptionContext) => {
    const { queued, captureException } = await start();
    captureException(error, properties, context);
    expect(queued.map(({ event }) => event)).toEqual(['$exception']);
    return queued[0]?.properties ?? {};
  };
  const stacked = (error: Error, ...places: string[]) => Object.assign(error, { stack: [String(error), ...places].join('\n') });

  describe('captureException', () => {
    test('EXC-1 EXC-2 EXM-1 EXM-6 the event has type, message, stack, level, and properties of the caller', async () => {
      const properties = await captured(new TypeError('boom'), { handled: true, area: 'checkout' });
      expect(properties).toMatchObject({
        $exception_type: 'TypeError',
        $exception_message: 'boom',
        $exception_level: 'error',
        handled: true,
        area: 'checkout',
      });
      expect(properties).not.toHaveProperty('$exception_source');
      const [entry] = exceptionsOf(properties);
      expect(entry).toMatchObject({
        type: 'TypeError',
        value: 'boom',
        mechanism: { exception_id: 0, type: 'generic', handled: true, synthetic: false },
      });
      expect(entry?.stacktrace?.frames.length).toBeGreaterThan(0);
    });

    test.each([
      ['text', 'text'],
      [undefined, 'undefined'],
      [null, 'null'],
      [5n, '5'],
      [{ a: 1 }, '{"a":1}'],
      [Symbol('s'), 'Symbol(s)'],
    ])('EXC-3 EXM-6 thrown values that are not errors are captured (%s)', async (thrown, message) => {
      expect(exceptionsOf(await captured(thrown))).toMatchObject([
        { value: message, mechanism: { synthetic: true, handled: true } },
      ]);
    });

    test('EXC-4 EXC-7 the stack of the error goes from the entry point to the crash', async () => {
      const error = stacked(new Error('x'), '    at boom (/app/a.js:40:7)', '    at main (/app/main.js:3:1)');
      const frames = exceptionsOf(await captured(error))[0]?.stacktrace?.frames;
      expect(frames).toMatchObject([
        { function: 'main', filename: '/app/main.js', lineno: 3, colno: 1 },
        { function: 'boom', filename: '/app/a.js', lineno: 40, colno: 7 },
      ]);
    });

    test('EXC-6 without access to sources there are no source lines', async () => {
      const error = stacked(new Error('x'), '    at boom (/app/a.js:40:7)');
      const [frame] = exceptionsOf(await captured(error))[0]?.stacktrace?.frames ?? [];
      expect(frame).toMatchObject({ lineno: 40 });
      for (const name of ['context_line', 'pre_context', 'post_context']) expect(frame).not.toHaveProperty(name);
    });

    test('EXC-5 EXM-3 the list goes from the caught error to the root cause, and has one entry for an error without a cause', async () => {
      const error = new Error('outer', { cause: new TypeError('root') });
      const list = exceptionsOf(await captured(error));
      expect(list.map(({ value, mechanism }) => [value, mechanism])).toEqual([
        ['outer', { exception_id: 0, type: 'generic', handled: true, synthetic: false }],
        ['root', { exception_id: 1, type: 'chained', parent_id: 0, source: 'cause', synthetic: false }],
      ]);
      expect(exceptionsOf(await captured(new Error('alone')))).toHaveLength(1);
    });

    test('EXM-4 aggregate errors are flattened depth first', async () => {
      const inner = new AggregateError([new Error('c'), new Error('d')], 'inner');
      const error = new AggregateError([new Error('a', { cause: new Error('a1') }), inner, new Error('b')], 'all');
      const exceptions = exceptionsOf(await captured(error)).map(({ value, mechanism: m }) => [
        value,
        m['exception_id'],
        m['parent_id'],
      ]);
      expect(exceptions).toEqual([
        ['all', 0, undefined],
        ['a', 1, 0],
        ['a1', 2, 1],
        ['inner', 3, 0],
        ['c', 4, 3],
        ['d', 5, 3],
        ['b', 6, 0],
      ]);
    });

    test('EXM-5 a cause is listed once, and the list has at most fifty entries', async () => {
      const loop = new Error('loop');
      loop.cause = loop;
      expect(exceptionsOf(await captured(loop))).toHaveLength(1);
      const members = Array.from({ length: 80 }, (_, index) => new Error(`${index}`));
      const values = exceptionsOf(await captured(new AggregateError(members, 'many'))).map(({ value }) => value);
      expect(values).toEqual(['many', ...Array.from({ length: 49 }, (_, index) => `${index}`)]);
    });

    test('EXM-11 the caller cannot override fields of the library', async () => {
      const bag = { $exception_list: [], $exception_level: 'debug', $exception_source: 'mine' };
      const properties = await captured(new Error('a'), bag);
      expect(exceptionsOf(properties)).toHaveLength(1);
      expect(properties['$exception_level']).toBe('error');
      expect(properties).not.toHaveProperty('$exception_source');
    });

    test.each<[string, ExceptionContext, string, object]>([
      ['EXM-7', { type: 'logger', level: 'warn' }, 'warning', { type: 'logger', handled: true, synthetic: false }],
      ['EXM-7', { type: 'logger', level: 'fatal' }, 'fatal', { type: 'logger', handled: true, synthetic: false }],
      ['EXM-8', { handled: false, level: 'fatal' }, 'fatal', { type: 'generic', handled: false, synthetic: false }],
      ['EXM-12', { type: 'task', level: 'info' }, 'info', { type: 'task', handled: true, synthetic: false }],
      [
        'EXM-12',
        { type: 'nonsense', level: 'loud', synthetic: true },
        'error',
        { type: 'generic', handled: true, synthetic: true },
      ],
      ['EXM-14', { level: 'emergency' }, 'fatal', { type: 'generic', handled: true, synthetic: false }],
      ['EXM-14', { level: 'notice' }, 'info', { type: 'generic', handled: true, synthetic: false }],
      ['EXM-14', { level: 'trace' }, 'debug', { type: 'generic', handled: true, synthetic: false }],
    ])('%s integrations can set %j, if it is valid', async (_id, context, level, mechanism) => {
      const properties = await captured(new Error('a'), {}, context);
      expect(properties['$exception_level']).toBe(level);
      expect(exceptionsOf(properties)[0]?.mechanism).toEqual({ exception_id: 0, ...mechanism });
    });

    test('EXM-16 unknown fields are absent', async () => {
      const odd: ExceptionContext = JSON.parse('{"handled":"yes","synthetic":"no"}');
      const error = new Error('outer', { cause: new Error('inner') });
      const properties = await captured(error, {}, odd);
      const [outer, inner] = exceptionsOf(properties);
      expect(outer?.mechanism['handled']).not.toBe(false);
      expect(inner?.mechanism).not.toHaveProperty('handled');
      expect(properties).not.toHaveProperty('$exception_fingerprint');
    });
  });
}
