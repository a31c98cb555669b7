// @vitest-environment happy-dom
import { randomBytes } from 'node:crypto';
import { type Client, type ClientInternals, createClient, flags } from '@tidemark/client';
import { createFakePlatform, type FakePlatform } from '@tidemark/client/testing';
import { gunzipSync } from 'fflate';
import { expect, test, vi } from 'vitest';
import { createDelivery } from './delivery.js';
import type { Batch } from './recording.js';

const batch = (text: string): Batch => ({
  sessionId: 'session',
  windowId: 'window',
  items: [JSON.stringify({ text })],
  size: text.length,
});
/** Text that hardly becomes shorter when it is compressed. */
const noise = (bytes: number) => randomBytes(bytes).toString('base64');

/** A page that records, on the storage of the pages before it. */
async function startPage(stored = new Map<string, string>(), seed = 1, isUp = true) {
  const platform = createFakePlatform({ stored, seed });
  const uploads: string[] = [];
  let isRoomy = true;
  platform.keepaliveRoom = () => (isRoomy ? 60_000 : 0);
  const { fetch } = platform;
  platform.fetch = async (url, request) => {
    if (!url.includes('/s/')) return fetch(url, request);
    if (!isUp) throw new TypeError('Failed to fetch');
    const { body = '' } = request;
    uploads.push(typeof body === 'string' ? body : new TextDecoder().decode(gunzipSync(body)));
    return fetch(url, { method: 'POST' });
  };
  let inside: ClientInternals | undefined;
  const losses: [string, number][] = [];
  const spy = {
    name: 'spy',
    setup(client: Client, internals: ClientInternals) {
      client.on('loss', ({ reason, count }) => losses.push([reason, count]));
      inside = internals;
      return undefined;
    },
  };
  const options = { disable_flags: true, disable_remote_config: true };
  const client = createClient('tmk_test', options, platform, [flags(), spy]);
  if (!inside) throw new Error('the feature was not set up');
  const delivery = createDelivery(client, inside, () => {});
  await vi.waitFor(() => platform.settle());
  return {
    client,
    platform,
    delivery,
    uploads,
    losses,
    fail: (on = true) => {
      isUp = !on;
    },
    /** No room for requests that outlive the page. */
    crowd: () => {
      isRoomy = false;
    },
    texts: () => uploads.map((json) => JSON.parse(json)[0].properties.$snapshot_data[0].text),
  };
}
const chunksIn = ({ stored }: FakePlatform) => [...stored].filter(([key]) => key.includes('.chunks.'));
/** The page ends: what waits to be written is written. */
const end = async (platform: FakePlatform) => {
  platform.hide();
  await platform.advance(1_000);
};

test('chunks that could not be sent when the page was left are stored, sent by the next page, and removed after the response', async () => {
  const first = await startPage();
  first.crowd();
  first.fail();
  first.delivery.leave(batch('the last seconds'));
  await end(first.platform);
  expect(chunksIn(first.platform)).toHaveLength(1);

  const next = await startPage(first.platform.stored, 2);
  await expect.poll(() => next.texts()).toEqual(['the last seconds']);
  await expect
    .poll(async () => {
      await next.platform.advance(1_000);
      return chunksIn(next.platform);
    })
    .toEqual([]);
  expect(JSON.parse(next.uploads[0] ?? '')[0].properties).toMatchObject({ $session_id: 'session', $window_id: 'window' });

  const third = await startPage(first.platform.stored, 3);
  await third.platform.advance(10_000);
  expect(third.texts()).toEqual([]);
});

test('a page that adopts stored chunks while the service is down stores them again', async () => {
  const first = await startPage();
  first.crowd();
  first.fail();
  first.delivery.leave(batch('one'));
  await end(first.platform);
  const second = await startPage(first.platform.stored, 2, false);
  second.crowd();
  second.delivery.leave(batch('two'));
  await end(second.platform);

  const third = await startPage(first.platform.stored, 3);
  await expect.poll(() => third.texts().sort()).toEqual(['one', 'two']);
});

test('chunks are stored in order up to half a million characters', async () => {
  const first = await startPage();
  first.crowd();
  first.fail();
  for (let i = 0; i < 8; i++) first.delivery.leave(batch(`${i}:${noise(80_000)}`));
  await end(first.platform);
  const characters = chunksIn(first.platform).reduce((sum, [, text]) => sum + text.length, 0);
  expect(characters).toBeGreaterThan(300_000);
  expect(characters).toBeLessThan(500_100);

  const next = await startPage(first.platform.stored, 2);
  await expect.poll(() => next.texts().length).toBeGreaterThanOrEqual(3);
  const numbers = next.texts().map((text: string) => text.slice(0, 2));
  expect(numbers).toEqual(['0:', '1:', '2:', '3:'].slice(0, numbers.length));
  // the next page counts the others
  expect(next.losses).toEqual([['recording_overflow', 8 - numbers.length]]);
});

test('chunks that storage had no space for are no loss if the page stays', async () => {
  const first = await startPage();
  first.crowd();
  first.fail();
  for (const name of ['a', 'b']) first.delivery.leave(batch(name + noise(300_000)));
  first.fail(false);
  await expect
    .poll(async () => {
      await first.platform.advance(10_000);
      return first.uploads.length;
    })
    .toBe(2);
  await end(first.platform);
  const next = await startPage(first.platform.stored, 2);
  expect([first.losses, next.losses, next.uploads]).toEqual([[], [], []]);
});

test('the oldest chunks are dropped and counted if too much waits', async () => {
  const { delivery, losses, fail } = await startPage();
  fail();
  for (let i = 0; i < 5; i++) delivery.send(batch('x'.repeat(2_000_000)));
  expect(losses).toEqual([
    ['recording_overflow', 1],
    ['recording_overflow', 1],
  ]);
});

test('a chunk that another page takes from storage is sent by that page alone', async () => {
  const first = await startPage();
  first.crowd();
  first.fail();
  first.delivery.leave(batch('one'));
  await end(first.platform);
  const second = await startPage(first.platform.stored, 2);
  await expect.poll(() => second.texts()).toEqual(['one']);
  // the first page is shown again
  first.fail(false);
  first.delivery.send(batch('two'));
  await expect
    .poll(async () => {
      await first.platform.advance(10_000);
      return first.texts();
    })
    .toEqual(['two']);
  first.delivery.leave();
  await end(first.platform);
  expect(chunksIn(first.platform)).toEqual([]);
});

test('a chunk larger than the limit is not stored', async () => {
  const { platform, delivery, crowd, fail } = await startPage();
  crowd();
  fail();
  delivery.leave(batch(noise(800_000)));
  await end(platform);
  expect(chunksIn(platform).map(([, text]) => text)).toEqual(['[1]']);
});

test('an opt-out removes stored chunks, also those of other pages', async () => {
  const first = await startPage();
  first.crowd();
  first.fail();
  first.delivery.leave(batch('secret'));
  await end(first.platform);
  const second = await startPage(first.platform.stored, 2);
  second.client.optOut();
  second.delivery.leave();
  await end(second.platform);
  const third = await startPage(first.platform.stored, 3);
  third.client.optIn();
  await third.platform.advance(10_000);
  expect(third.texts()).toEqual([]);
  expect(chunksIn(third.platform)).toEqual([]);
});

test('broken stored chunks do not stop the recording', async () => {
  const stored = new Map([['tm.tmk_test.default.chunks.01890000-0000-7000-8000-000000000001', '["%%%"']]);
  const { platform, delivery, texts } = await startPage(stored);
  expect(chunksIn(platform)).toEqual([]);
  delivery.send(batch('works'));
  await expect.poll(texts).toEqual(['works']);
});
