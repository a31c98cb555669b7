import { fileURLToPath } from 'node:url';
import type { Properties } from '@tidemark/client';
import { describe, expect, test } from 'vitest';
import type { NodeOptions } from '../node-options.js';
import { fakeNode } from '../testing/fake-node.js';
import { startClient } from '../testing/start-client.js';
import { createSourceReader } from './source-context.js';

interface Entry {
  type: string;
  value: string;
  mechanism: Record<string, unknown>;
  stacktrace?: { frames: Record<string, unknown>[] };
}

function start(options: Partial<NodeOptions> = {}, node = fakeNode()) {
  const started = startClient(options, node);
  const properties = async (): Promise<Properties> => (await started.flushed()).at(-1)?.properties ?? {};
  return { ...started, properties, list: async () => (await properties())['$exception_list'] as Entry[] };
}

const stacked = (error: Error, ...places: string[]) => Object.assign(error, { stack: [String(error), ...places].join('\n') });

describe('captureException', () => {
  test('EXC-4 EXC-7 frames run from the entry point to the crash', async () => {
    const { client, list } = start();
    client.captureException(
      stacked(new Error('x'), '    at boom (/app/a.js:40:7)', '    at main (/app/main.js:3:1)'),
      'user-123',
    );
    const [entry] = await list();
    expect(entry?.stacktrace?.frames.map((frame) => frame['function'])).toEqual(['main', 'boom']);
    expect(entry?.stacktrace?.frames[1]).toMatchObject({
      platform: 'node:javascript',
      filename: '/app/a.js',
      lineno: 40,
      in_app: true,
    });
  });

  test('EXC-6 five lines around each frame are sent, in ascending order', async () => {
    const lines = Array.from({ length: 60 }, (_, i) => String(i + 1));
    const { client, list } = start(
      {},
      fakeNode((path) => (path === '/app/a.js' ? lines : undefined)),
    );
    client.captureException(stacked(new Error('x'), '    at boom (/app/a.js:40:7)', '    at main (/gone.js:3:1)'), 'user-123');
    const frames = (await list())[0]?.stacktrace?.frames;
    expect(frames?.[1]).toMatchObject({
      context_line: '40',
      pre_context: ['35', '36', '37', '38', '39'],
      post_context: ['41', '42', '43', '44', '45'],
    });
    expect(frames?.[0]).not.toHaveProperty('context_line');
  });

  test('EXC-6 without source context the fields are absent', async () => {
    const { client, list } = start(
      { enableSourceContext: false },
      fakeNode(() => ['a', 'b']),
    );
    client.captureException(stacked(new Error('x'), '    at boom (/app/a.js:1:7)'), 'user-123');
    expect((await list())[0]?.stacktrace?.frames[0]).not.toHaveProperty('context_line');
  });

  test('lines are read by path or URL, and what is not a file has none', () => {
    const read = createSourceReader();
    const own = fileURLToPath(import.meta.url);
    expect(read(own)?.[0]).toContain('node:url');
    expect(read(import.meta.url)).toEqual(read(own));
    expect([read('/no/such/file.js'), read('/dev/zero'), read('/')]).toEqual([undefined, undefined, undefined]);
  });

  test('without a distinct id the exception has no person', async () => {
    const { client, flushed } = start();
    client.captureException(new Error('x'));
    expect(await flushed()).toMatchObject([{ event: '$exception', properties: { $process_person_profile: false } }]);
  });
});

describe('exceptions of the process', () => {
  test.each([
    ['uncaughtException', 'onuncaughtexception', 'node.process_uncaught_exception'],
    ['unhandledRejection', 'onunhandledrejection', 'node.process_unhandled_rejection'],
  ] as const)(
    'EXM-8 EXM-10 EXM-15 %s that ends the process is sent before the exit, and printed',
    async (event, type, source) => {
      const { client, node, sent } = start({ enableExceptionAutocapture: true });
      const error = new Error('boom');
      node.process.raise(event, error);
      await node.settle();
      expect(sent()).toMatchObject([
        {
          event: '$exception',
          properties: {
            $exception_level: 'fatal',
            $exception_source: source,
            $exception_list: [{ mechanism: { type, handled: false } }],
          },
        },
      ]);
      expect(sent()[0]?.properties).not.toHaveProperty('$exception_sources');
      expect(node.process.exits).toEqual([1]);
      expect(node.process.reported).toEqual([error]);
      await client.shutdown();
    },
  );

  test('with other listeners the process continues, and the exception has the level error', async () => {
    const { node, flushed } = start({ enableExceptionAutocapture: true });
    node.process.on('unhandledRejection', () => {});
    node.process.raise('unhandledRejection', new Error('boom'));
    expect(await flushed()).toMatchObject([{ properties: { $exception_level: 'error' } }]);
    expect(node.process.exits).toEqual([]);
  });

  test('with two clients both send it, and the process exits once both have', async () => {
    const node = fakeNode();
    start({ enableExceptionAutocapture: true }, node);
    const { sent } = start({ enableExceptionAutocapture: true }, node);
    const error = new Error('boom');
    node.answer('/batch/', 'hang');
    node.process.raise('uncaughtException', error);
    node.answer('/batch/', { status: 200 });
    await node.settle();
    expect(node.process.exits).toEqual([]);
    await node.advance(2_000);
    expect(sent().map(({ properties }) => properties['$exception_level'])).toEqual(['fatal', 'fatal']);
    expect([node.process.exits, node.process.reported]).toEqual([[1], [error]]);
  });

  test('an unavailable service does not keep the process alive', async () => {
    const node = fakeNode();
    node.answer('/batch/', 'hang');
    start({ enableExceptionAutocapture: true }, node);
    node.process.raise('uncaughtException', new Error('boom'));
    await node.advance(1_999);
    expect(node.process.exits).toEqual([]);
    await node.advance(1);
    expect(node.process.exits).toEqual([1]);
  });

  test('it is off by default, and ends with shutdown', async () => {
    const off = start();
    expect(off.node.process.listeners('uncaughtException')).toHaveLength(0);
    const on = start({ enableExceptionAutocapture: true });
    expect(on.node.process.listeners('unhandledRejection')).toHaveLength(1);
    await on.client.shutdown();
    expect(on.node.process.listeners('uncaughtException')).toHaveLength(0);
  });
});
