// @vitest-environment happy-dom
import { createClient, flags } from '@tidemark/client';
import { createFakePlatform } from '@tidemark/client/testing';
import { expect, test } from 'vitest';
import { makeCall, queuedCalls } from './call-queue.js';

test('the global of the page is used as a queue only if it looks like one', () => {
  const left = [['capture', ['x'], 5], ['identify'], 'noise', [1, 2], null, { method: 'x' }];
  expect(queuedCalls(left)).toEqual([
    ['capture', ['x'], 5],
    ['identify', [], expect.any(Number)],
  ]);
  expect(queuedCalls(undefined)).toEqual([]);
});

test('queued calls run, and captures have the time of the call', () => {
  const client = createClient('tmk_test', {}, createFakePlatform(), [flags()]);
  const captured: [string, string][] = [];
  client.on('eventCaptured', ({ event, timestamp }) => captured.push([event, timestamp]));
  makeCall(client, ['capture', ['early', { n: 1 }], Date.UTC(2024, 0, 1)]);
  makeCall(client, ['capture', ['told', null, { timestamp: '2023-01-01T00:00:00Z' }], Date.UTC(2024, 0, 1)]);
  makeCall(client, ['register', [{ plan: 'pro' }], 0]);
  makeCall(client, ['noSuchMethod', [], 0]);
  expect(captured).toEqual([
    ['early', '2024-01-01T00:00:00.000Z'],
    ['told', '2023-01-01T00:00:00.000Z'],
  ]);
  expect(client.capture('after')?.properties).toMatchObject({ plan: 'pro' });
});
