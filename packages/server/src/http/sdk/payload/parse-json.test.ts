import {
  array,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  dictionary,
  integer,
  json,
  jsonValue,
  oneof,
  property,
  string,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decoding } from '../../../testing/decoding.js';
import { SdkError } from '../sdk-error.js';
import { EVENT_LIMITS, MAX_EVENT, parseJson } from './parse-json.js';
import { parseText } from './parse-text.js';
import { parseSliced } from './sliced-json.js';

describe('parseText', () => {
  test.each([
    ['"\\ud83d"', '\ufffd'],
    ['"\\ud83d\\ude00"', '😀'],
    ['"\\ude00\\ud83d"', '\ufffd\ufffd'],
    ['"\\ud83d\\ud83d\\ude00"', '\ufffd😀'],
    ['"\\\\ud83d"', '\\ud83d'],
    ['"\\\\\\ud83d"', '\\\ufffd'],
    ['"a\\u0000b"', 'a\ufffdb'],
    ['"\\\\u0000"', '\\u0000'],
    ['{"distinct_id":12345678901234567890}', { distinct_id: '12345678901234567890' }],
    ['{"$distinct_id" : -1234567890123456 }', { $distinct_id: '-1234567890123456' }],
    ['{"distinct_id":123456}', { distinct_id: 123456 }],
    ['{"a":"\\"distinct_id\\":12345678901234567890"}', { a: '"distinct_id":12345678901234567890' }],
  ])('%s', (text, expected) => {
    expect(parseText(text)).toEqual(expected);
  });

  test('other JSON is unchanged', () => {
    assert(
      property(jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        if (text.includes('__proto__') || text.includes('\\u')) return;
        expect(parseText(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('the result has no text that UTF-8 cannot encode', () => {
    const piece = constantFrom('\\ud83d', '\\ude00', '\\\\', '\\"', 'u', '\\u0041', '\\u0000', 'x');
    assert(
      property(array(piece), (pieces) => {
        const value = parseText(`"${pieces.join('')}"`);
        expect(Buffer.from(String(value)).toString()).toBe(value);
        expect(value).not.toContain('\0');
      }),
    );
  });

  test('keys cannot reach prototypes', () => {
    const value = parseText('{"__proto__":{"a":1},"b":[{"\\u005f_proto__":{"c":2},"d":3}]}');
    expect(JSON.stringify(value)).toBe('{"b":[{"d":3}]}');
    for (const key of ['__proto__', '\\u005f_proto__', '__prot\\u006F__']) {
      expect(Object.keys(Object(parseText(`{"${key}":{"a":1},"b":"__"}`)))).toEqual(['b']);
    }
  });

  test.each([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
  ])('depth %s', (open, close) => {
    const levels = close.length;
    const nested = (depth: number) => {
      const rest = depth % levels;
      const times = (depth - rest) / levels;
      return `${'['.repeat(rest)}${open.repeat(times)}1${close.repeat(times)}${']'.repeat(rest)}`;
    };
    expect(() => parseText(nested(127))).not.toThrow();
    expect(() => parseText(nested(128))).not.toThrow();
    expect(() => parseText(nested(129))).toThrow('nested too deeply');
    expect(() => parseText(nested(200))).toThrow('nested too deeply');
    expect(() => parseText(nested(200_000))).toThrow(SdkError);
  });
});

describe('parseSliced', () => {
  const event = dictionary(string(), oneof(string({ unit: 'binary' }), integer(), boolean(), array(string())));
  const space = constantFrom('', ' ', '\n\t ');

  test('it equals a parse of the whole', async () => {
    await assert(
      asyncProperty(
        array(event),
        dictionary(string(), jsonValue()),
        space,
        constantFrom('list', 'batch', 'single'),
        async (events, around, gap, shape) => {
          const value = shape === 'list' ? events : shape === 'batch' ? { ...around, batch: events, after: 1 } : around;
          const text = JSON.stringify(value, null, gap);
          const { value: sliced } = await parseSliced(Buffer.from(text), { bytes: 1e6, values: 1e6 }, 1e6, decoding.scheduler);
          expect(sliced).toEqual(parseText(text));
        },
      ),
    );
  });

  test('it accepts nothing that a parse of the whole refuses', async () => {
    await assert(
      asyncProperty(
        json(),
        integer({ min: 0, max: 200 }),
        constantFrom(',', ']', '}', '"', '[', '\\', ' '),
        async (text, at, char) => {
          const broken = `[${text.slice(0, at)}${char}${text.slice(at)}]`;
          const whole = outcome(() => parseText(broken));
          const sliced = await parseSliced(Buffer.from(broken), { bytes: 1e6, values: 1e6 }, 1e6, decoding.scheduler).then(
            (r) => r.value,
            () => 'refused',
          );
          expect(sliced).toEqual(whole);
        },
      ),
      { numRuns: 300 },
    );
  });

  const outcome = (work: () => unknown) => {
    try {
      return work();
    } catch {
      return 'refused';
    }
  };
});

describe('parseJson', () => {
  const large = (bytes: number) => ({ event: 'e', filler: 'x'.repeat(bytes) });

  test('it marks large events', async () => {
    const bytes = Buffer.from(JSON.stringify({ batch: [{ event: 'a' }, large(MAX_EVENT), { event: 'b' }] }));
    const { value, oversized } = await parseJson(bytes, { ...EVENT_LIMITS, bytes: 4 * MAX_EVENT }, decoding);
    expect([...oversized]).toEqual([1]);
    expect(value).toMatchObject({ batch: [{ event: 'a' }, { event: 'e' }, { event: 'b' }] });
  });

  test.each([
    ['in a list', JSON.stringify([large(MAX_EVENT)]), 'event_too_large'],
    ['alone', JSON.stringify(large(MAX_EVENT)), 'event_too_large'],
    ['of nothing but empty lists', `[[${'[],'.repeat(300_000)}[]]]`, 'event_too_large'],
    [
      'of 100,000 keys',
      JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [i.toString(36), 1]))),
      'event_too_large',
    ],
    ['around the batch', JSON.stringify({ batch: [], filler: ['x'.repeat(MAX_EVENT)] }), 'payload_too_large'],
    ['many keys before the batch', `{${'"a":1,'.repeat(200_000)}"batch":[]}`, 'payload_too_large'],
    ['white space before the value', `${' '.repeat(50 * MAX_EVENT)}{}`, 'payload_too_large'],
    ['white space in the list', `[{},${'\n'.repeat(50 * MAX_EVENT)}{}]`, 'payload_too_large'],
    ['many empty events', `[${'{},'.repeat(4_100_000)}{}]`, 'payload_too_large'],
    ['not JSON', `[${'{}'.repeat(200_000)}]`, 'bad_json'],
    ['not closed', `[${'{},'.repeat(200_000)}`, 'bad_json'],
    ['string not closed', `[{"a":"${'x'.repeat(300_000)}`, 'bad_json'],
  ])('%s is refused', async (_name, text, code) => {
    await expect(parseJson(Buffer.from(text), EVENT_LIMITS, decoding)).rejects.toMatchObject({ code });
  });

  test('white space between events counts as they do for the turns of other requests', async () => {
    const bytes = Buffer.from(`[${`{},${' '.repeat(100_000)}`.repeat(20)}{}]`);
    let turns = 0;
    const scheduler = { ...decoding.scheduler, yield: async () => void turns++ };
    expect((await parseJson(bytes, EVENT_LIMITS, { ...decoding, scheduler })).value).toEqual(Array(21).fill({}));
    expect(turns).toBeGreaterThanOrEqual(6);
  });

  test('an event just under the limit and 40,000 keys are accepted', async () => {
    const keys = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`k${i}`, 1]));
    for (const value of [[large(MAX_EVENT - 100)], { batch: [keys] }]) {
      expect((await parseJson(Buffer.from(JSON.stringify(value)), EVENT_LIMITS, decoding)).value).toEqual(value);
    }
  });

  test('any text is a value or refused', async () => {
    await assert(
      asyncProperty(
        oneof(
          string({ unit: 'binary' }),
          json(),
          json().map((text) => text.slice(0, -1)),
        ),
        async (text) => {
          await parseJson(Buffer.from(text), EVENT_LIMITS, decoding).catch((error: unknown) =>
            expect(error).toBeInstanceOf(SdkError),
          );
        },
      ),
    );
  });

  test('it never blocks the event loop for long', async () => {
    const bytes = Buffer.from(JSON.stringify({ batch: Array.from({ length: 30_000 }, (_, i) => ({ ...large(1000), i })) }));
    const steps: number[] = [];
    // what blocks by itself does so every time, what else the machine does rarely thrice
    for (let round = 0; round < 3; round++) {
      let [last, longest] = [process.cpuUsage(), 0];
      const timer = setInterval(() => {
        const { user, system } = process.cpuUsage(last);
        longest = Math.max(longest, (user + system) / 1000);
        last = process.cpuUsage();
      }, 1);
      const { value } = await parseJson(bytes, EVENT_LIMITS, decoding);
      clearInterval(timer);
      expect(value).toMatchObject({ batch: { length: 30_000 } });
      steps.push(longest);
    }
    expect(Math.min(...steps)).toBeLessThan(60);
  });
});
