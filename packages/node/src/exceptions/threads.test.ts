import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';

test.each([
  ['throws', 'throw error;'],
  ['rejects', 'Promise.reject(error);'],
])('a thread that %s ends as without the library: its parent gets the error, and the service stores it', async (_, fails) => {
  const captured: string[] = [];
  const service = createServer(async (request, response) => {
    const { batch } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    for (const { event } of batch) captured.push(event);
    response.end('{"status":"Ok"}');
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void service.close());
  const host = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

  // beside the package, so that what it imports is found
  const folder = await mkdtemp(fileURLToPath(new URL('../../dist/thread-', import.meta.url)));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'thread.mjs');
  await writeFile(
    file,
    `import { init } from '@tidemark/node';
    init('tmk_thread', { host: '${host}', disableCompression: true, enableExceptionAutocapture: true });
    const error = new TypeError('boom');
    ${fails}`,
  );
  const [error] = await once(new Worker(file), 'error');
  expect(error).toMatchObject({ name: 'TypeError', message: 'boom' });
  expect(captured).toEqual(['$exception']);
});
