import { expect, test } from 'vitest';
import { createApiClient, NO_RESPONSE } from './index.js';

/** A client whose service gives these answers in turn; an error stands for a cut connection. */
function clientOf(...answers: (Response | Error)[]) {
  const bodies: string[] = [];
  const waits: number[] = [];
  const api = createApiClient({
    host: 'https://tidemark.test',
    fetch: async (request) => {
      bodies.push(await request.text());
      const answer = answers.shift();
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('more requests than answers');
      return answer;
    },
    wait: async (ms) => {
      waits.push(ms);
    },
  });
  return { api, bodies, waits };
}

const busy = (after: string | null) =>
  Response.json(
    { type: 'server_error', code: 'unavailable', detail: 'Busy.', attr: null },
    {
      status: 503,
      headers: after === null ? {} : { 'retry-after': after },
    },
  );
const keys = { params: { path: { project_id: '1' } } } as const;
const create = { ...keys, body: { name: 'Numbers' } };

test('a 503 is retried after the time that it names, with the same body', async () => {
  const { api, bodies, waits } = clientOf(busy('5'), busy('1'), Response.json({ id: 7 }, { status: 201 }));
  const { data } = await api.POST('/api/environments/{project_id}/dashboards/', create);
  expect([data?.id, waits, new Set(bodies)]).toEqual([7, [5_000, 1_000], new Set(['{"name":"Numbers"}'])]);
});

test('a 503 that lasts is an error after three retries', async () => {
  const { api, waits } = clientOf(busy(null), busy(null), busy(null), busy(null));
  const { error, response } = await api.GET('/api/environments/{project_id}/dashboards/', keys);
  expect([response.status, error?.detail, waits]).toEqual([503, 'Busy.', [250, 500, 1_000]]);
});

test('a wait longer than the limit ends the attempts', async () => {
  const { api, waits } = clientOf(busy('3600'));
  expect((await api.GET('/api/environments/{project_id}/dashboards/', keys)).response.status).toBe(503);
  expect(waits).toEqual([]);
});

test('a cut connection is an error of the documented shape, and only what may be repeated is repeated', async () => {
  const cut = new TypeError('fetch failed');
  const reads = clientOf(cut, Response.json({ count: 0, next: null, previous: null, results: [] }));
  expect((await reads.api.GET('/api/environments/{project_id}/dashboards/', keys)).data?.count).toBe(0);
  const writes = clientOf(cut);
  const { error, response } = await writes.api.POST('/api/environments/{project_id}/dashboards/', create);
  expect([response.status, error]).toEqual([
    NO_RESPONSE,
    { type: 'network_error', code: 'no_response', detail: 'https://tidemark.test does not respond.', attr: null },
  ]);
});

test('an aborted request rejects at once, also while it waits for a retry', async () => {
  const controller = new AbortController();
  const api = createApiClient({
    host: 'https://tidemark.test',
    fetch: async () => {
      queueMicrotask(() => controller.abort());
      return busy('20');
    },
  });
  const request = api.GET('/api/environments/{project_id}/dashboards/', { ...keys, signal: controller.signal });
  await expect(request).rejects.toThrow(/abort/i);
});
