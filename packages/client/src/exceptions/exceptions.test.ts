import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startClient } from '../testing/index.js';
import { type ExceptionEntry, exceptionProperties } from './exception-list.js';
import { parseStack } from './stack.js';

const listOf = (properties: Record<string, unknown> | undefined): ExceptionEntry[] => {
  const list = properties?.$exception_list;
  if (!Array.isArray(list)) throw new Error('no list');
  return list;
};

describe('captureException', () => {
  it('it never throws, whatever was thrown', () => {
    const { client } = startClient();
    const hostile = {
      get message() {
        throw new Error('no');
      },
    };
    expect(() => client.captureException(hostile)).not.toThrow();
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        client.captureException(thrown);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the list of exceptions', () => {
  it('without a context it has only the error (EXM-13)', () => {
    const bare = exceptionProperties(new Error('a'));
    expect(listOf(bare)[0]?.mechanism).toEqual({ exception_id: 0 });
    for (const name of ['$exception_level', '$exception_source', '$exception_fingerprint', '$debug_images'])
      expect(bare).not.toHaveProperty(name);
    const odd: { handled?: boolean } = JSON.parse('{"handled":"yes"}');
    expect(listOf(exceptionProperties(new Error('a'), odd))[0]?.mechanism).not.toHaveProperty('handled');
  });

  it.each([
    ['emergency', 'fatal'],
    ['notice', 'info'],
    ['trace', 'debug'],
    ['INFO', 'info'],
    ['constructor', 'error'],
  ])('level %s for %s (EXM-14)', (level, expected) => {
    expect(exceptionProperties(new Error('a'), { level }).$exception_level).toBe(expected);
  });
});

describe('stacks', () => {
  it.each([
    [
      'V8',
      'Error: x\n    at boom (https://a.b/c.js:3:4)\n    at async Thing.<anonymous> (/srv/node_modules/x.js:1:2)\n    at https://a.b/main.js:9:1',
    ],
    ['Firefox and Safari', 'boom@https://a.b/c.js:3:4\nThing.<anonymous>@/srv/node_modules/x.js:1:2\n@https://a.b/main.js:9:1'],
  ])('the frames of %s run from the entry to the error (EXC-4)', (_, stack) => {
    expect(
      parseStack(stack, 'web:javascript').map((frame) => [
        frame.function,
        frame.filename,
        frame.lineno,
        frame.colno,
        frame.in_app,
      ]),
    ).toEqual([
      ['?', 'https://a.b/main.js', 9, 1, true],
      [expect.stringContaining('Thing.<anonymous>'), '/srv/node_modules/x.js', 1, 2, false],
      ['boom', 'https://a.b/c.js', 3, 4, true],
    ]);
  });
});
