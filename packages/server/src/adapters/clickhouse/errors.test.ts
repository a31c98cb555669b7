import { processorMs } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { EventsUnavailable, QueryFailed } from '../../ports/events.js';
import { insertError, parseEngineMessage, readError } from './errors.js';
import { readStoredChanges } from './stored-changes.js';

test.each([
  [
    'Code: 47. DB::Exception: Unknown expression identifier `foo` in scope SELECT foo. (UNKNOWN_IDENTIFIER) (version 26.7.2.1 (official build))',
    { code: 47, name: 'UNKNOWN_IDENTIFIER', text: 'Unknown expression identifier `foo` in scope SELECT foo.' },
  ],
  [
    'Code: 241. DB::Exception: Query memory limit exceeded: would use 96.00 MiB: While executing AggregatingTransform. (MEMORY_LIMIT_EXCEEDED)',
    { code: 241, name: 'MEMORY_LIMIT_EXCEEDED', text: 'Query memory limit exceeded: would use 96.00 MiB' },
  ],
  ['Code: 1001. DB::Exception: std::exception', { code: 1001, name: '', text: 'std::exception' }],
  ['write EPIPE', null],
])('%s is parsed', (message, parts) => {
  expect(parseEngineMessage(message)).toEqual(parts);
});

test.each([
  ' ',
  '\n',
  '(',
  ')',
  '(version ',
  '(version x ',
  '(version (',
  '(A',
  '(AB) ',
  ': While executing x',
  ', Stack trace',
  'Code: 1',
])('a message that quotes %j a hundred thousand times is parsed in linear time', async (quoted) => {
  const message = `Code: 6. DB::Exception: Cannot parse '${quoted.repeat(100_000)}x'. (CANNOT_PARSE_TEXT) (version 26.7.2.1)`;
  const took = await processorMs(() => expect(parseEngineMessage(message)).toMatchObject({ code: 6 }));
  // 20,000 spaces took 7,000 ms
  expect(took).toBeLessThan(1000);
});

test.each([
  [243, 'Cannot reserve 1.00 MiB, not enough space', 'EventsFull'],
  [75, 'Cannot write to file /x, errno: 28, strerror: No space left on device', 'EventsFull'],
  [76, 'Cannot open file /x, errno: 28, strerror: No space left on device', 'EventsFull'],
  [74, 'Cannot read from file /x, errno: 5, strerror: Input/output error', 'EventsUnavailable'],
  [376, 'Cannot parse uuid', 'EventsRejected'],
  [252, 'Too many partitions for single INSERT block (more than 100)', 'EventsRejected'],
  [252, 'Too many parts (3000). Merges are processing significantly slower than inserts', 'EventsUnavailable'],
  [241, 'Memory limit exceeded', 'EventsUnavailable'],
  [236, 'Server is shutting down', 'EventsUnavailable'],
])('an insert that fails with %i (%s) is %s', (code, text, name) => {
  expect(insertError({ code, name: '', text }).name).toBe(name);
});

test.each([
  [47, 'QueryFailed'],
  [241, 'QueryFailed'],
  [236, 'EventsUnavailable'],
])('a read that fails with %i is %s', (code, name) => {
  expect(readError({ code, name: '', text: 'x' }).name).toBe(name);
});

test('an engine out of memory that cannot return its data version is not an error of the caller', async () => {
  const query = () => Promise.reject(new QueryFailed(241, 'Memory limit (total) exceeded'));
  await expect(readStoredChanges(query, 1)).rejects.toBeInstanceOf(EventsUnavailable);
});
