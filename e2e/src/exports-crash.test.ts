import { eventually, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Timeout: the lease of a dead server must expire, and its export be built again. */
const RECOVERED_MS = 90_000;
const TRENDS = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'came' }], dateRange: { date_from: '-7d' } };

let service: Service;
let project: string;
beforeAll(async () => {
  service = await startService();
  const answer = await service.get('/api/projects/@current/');
  project = `/api/projects/${fields(answer.body)['id']}`;
});
afterAll(() => service?.close());

const fields = (body: unknown): Record<string, unknown> =>
  typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body)) : {};

async function shown(id: number) {
  const { status, body } = await service.get(`${project}/exports/${id}/`);
  return { status, json: fields(body) };
}

test('after a kill, unfinished exports are completed or failed with a reason, and expired ones are deleted', async () => {
  const ask = async (exportFields: object) => {
    const { status, body } = await service.post(`${project}/exports/`, { export_context: { source: TRENDS }, ...exportFields });
    expect(status).toBe(201);
    return Number(fields(body)['id']);
  };
  const soon = new Date(Date.now() + 1_000).toISOString();
  const brief = await ask({ export_format: 'text/csv', expires_after: soon });
  const finished: number[] = [];
  for (let i = 0; i < 6; i++) finished.push(await ask({ export_format: i % 2 ? 'application/pdf' : 'image/png' }));
  const states = await Promise.all(finished.map(shown));
  expect(states.filter(({ json }) => json['has_content'] === '').length).toBeGreaterThan(0);
  await service.kill9();
  await service.restart();
  await eventually(
    async () => {
      for (const id of finished) {
        const { status, json } = await shown(id);
        if (status !== 200) throw new Error(`Export ${id} answers ${status}`);
        if (json['has_content'] === '' && json['exception'] === null) throw new Error(`Export ${id} is stuck.`);
      }
    },
    { within: RECOVERED_MS, every: 500 },
  );
  for (const id of finished) {
    const { json } = await shown(id);
    expect([json['has_content'], json['exception']]).toEqual(['true', null]);
    const answer = await fetch(`${service.url}${project}/exports/${id}/content/`, {
      headers: { authorization: `Bearer ${service.account.personalKey}` },
    });
    expect([answer.status, (await answer.arrayBuffer()).byteLength > 1_000]).toEqual([200, true]);
  }
  expect((await shown(brief)).status).toBe(404);
}, 180_000);
