import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { writeForeignFiles } from './foreign-files.js';
import { runCommand } from './run-command.js';
import { startTestService, type TestService } from './service.js';

/** A service into whose projects the tests of a file import, and a folder with the files of other products. Call it at the top of the file. */
export function useImportTarget() {
  const target = {
    /** The folder of {@link writeForeignFiles}. */
    folder: '',
    /** The service's address. */
    url: '',
    get service() {
      return service;
    },

    /** A new project, with the environment of commands that import into it; `events` reads its events, the oldest first. */
    async newProject() {
      const { id, api_token: key } = (await service.call('POST', '/api/projects/', { body: { name: 'Imported' } })).json();
      const env = { TIDEMARK_HOST: target.url, TIDEMARK_PERSONAL_API_KEY: service.personalKey, TIDEMARK_PROJECT: String(id) };
      const events = async () => {
        const { results } = (await service.call('GET', `/api/projects/${id}/events/?after=all&limit=100`)).json();
        return results
          .map(({ event, distinct_id, timestamp, properties }: Record<string, unknown>) => ({
            event,
            distinct_id,
            timestamp: new Date(String(timestamp)).toISOString(),
            properties,
          }))
          .reverse();
      };
      return { id, key, env, events };
    },

    /** Runs `tidemark import` with a state of the project's own. It has to succeed. */
    async importInto(env: Record<string, string>, ...args: string[]) {
      const state = join(target.folder, `state-${env['TIDEMARK_PROJECT']}.json`);
      const done = await runCommand(['import', ...args, '--state', state], env);
      expect(done).toMatchObject({ code: 0 });
      return done;
    },
  };
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
    target.url = await service.app.listen({ port: 0, host: '127.0.0.1' });
    target.folder = await mkdtemp(join(tmpdir(), 'tidemark-formats-'));
    await writeForeignFiles(target.folder);
  });
  afterAll(async () => {
    await service?.close();
    await rm(target.folder, { recursive: true, force: true });
  });
  return target;
}
