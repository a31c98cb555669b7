import { afterEach, expect, test, vi } from 'vitest';
import { keepaliveRoom, request } from './requests.js';

const LIMIT = 65_536;

/** A browser's `fetch`: refuses `keepalive` bodies of more than 64 KiB in flight. `answer` lets all requests come to an end. */
function browser() {
  let inFlight = 0;
  const answers: (() => void)[] = [];
  const seen: boolean[] = [];
  const refused: number[] = [];
  vi.stubGlobal(
    'Request',
    class {
      get keepalive() {
        return true;
      }
    },
  );
  vi.stubGlobal('fetch', async (_: string, { body, keepalive }: { body: string; keepalive: boolean }) => {
    const bytes = keepalive ? new TextEncoder().encode(body).length : 0;
    seen.push(keepalive);
    if (inFlight + bytes > LIMIT) {
      refused.push(bytes);
      throw new TypeError('Failed to fetch');
    }
    inFlight += bytes;
    await new Promise<void>((resolve) => answers.push(resolve));
    // browsers count a body until the answer has been read
    const text = async () => {
      inFlight -= bytes;
      return 'ok';
    };
    return { status: 200, headers: new Headers({ a: 'b' }), text };
  });
  return { seen, refused, answer: () => answers.splice(0).forEach((resolve) => void resolve()) };
}
afterEach(() => vi.unstubAllGlobals());

const send = (body: string) => request('/batch/', { method: 'POST', body, keepalive: true });

test('requests outlive the page while they fit the keepalive limit together, and others do not use keepalive', async () => {
  const { seen, refused, answer } = browser();
  const bodies = ['x'.repeat(50_000), 'x'.repeat(9_000), 'x'.repeat(9_000), 'é'.repeat(31_000), 'x'.repeat(100_000)];
  const sent = bodies.map(send);
  await Promise.resolve();
  expect(seen).toEqual([true, true, false, false, false]);
  expect(keepaliveRoom()).toBe(1_000);
  answer();
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(keepaliveRoom()).toBe(60_000);
  const again = send('x'.repeat(60_000));
  await Promise.resolve();
  answer();
  expect(await (await again).text()).toBe('ok');
  expect([seen.at(-1), refused]).toEqual([true, []]);
});

test('a failed request frees its share of the keepalive limit', async () => {
  browser();
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  await expect(send('x'.repeat(50_000))).rejects.toThrow('Failed to fetch');
  expect(keepaliveRoom()).toBe(60_000);
});

test('when the page is left, browsers without keepalive send a beacon, which has no response', async () => {
  browser();
  vi.stubGlobal('Request', class {});
  const beacons: unknown[] = [];
  vi.stubGlobal('navigator', { sendBeacon: (...given: unknown[]) => beacons.push(given) });
  let settled = false;
  const sent = request('/batch/', { method: 'POST', body: 'a', keepalive: true, leaving: true }).finally(() => {
    settled = true;
  });
  await Promise.race([sent, new Promise((resolve) => setTimeout(resolve))]);
  expect([beacons, settled]).toEqual([[['/batch/', 'a']], false]);
});
