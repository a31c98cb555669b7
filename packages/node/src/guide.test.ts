import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';

/* Runs what docs/guide/node.md shows for Express; what else the page shows is run with a service. */
const PAGE = new URL('../../../docs/guide/node.md', import.meta.url);

test('the Express examples of docs/guide/node.md capture events and errors of requests', async () => {
  const batches: { event: string; distinct_id: string }[] = [];
  const service = createServer(async (request, response) => {
    batches.push(...JSON.parse(gunzipSync(Buffer.concat(await request.toArray())).toString()).batch);
    response.end('{"status":"Ok"}');
  });
  const at = async (server: ReturnType<typeof createServer>) => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  vi.stubEnv('PROJECT_KEY', 'tmk_guide');
  vi.stubEnv('HOST', await at(service));
  onTestFinished(() => void vi.unstubAllEnvs());

  // beside the package, so that what it imports is found
  const folder = await mkdtemp(fileURLToPath(new URL('../dist/guide-', import.meta.url)));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [, code = ''] = /^```js express\n(.*?)^```/ms.exec(await readFile(PAGE, 'utf8')) ?? [];
  const file = join(folder, 'app.mjs');
  await writeFile(file, code);
  const { app, analytics } = await import(/* @vite-ignore */ pathToFileURL(file).href);

  const url = await at(createServer(app));
  const headers = { 'x-posthog-distinct-id': 'user-1' };
  expect(await (await fetch(`${url}/buy`, { method: 'POST', headers })).json()).toEqual({ captured: true, by: 'user-1' });
  const refused = await fetch(`${url}/refund`, { headers });
  expect([refused.status, await refused.json()]).toEqual([500, { sorry: 'no refunds yet' }]);
  await analytics.shutdown();
  expect(batches.map(({ event, distinct_id }) => [event, distinct_id])).toEqual([
    ['bought', 'user-1'],
    ['$exception', 'user-1'],
  ]);
});
