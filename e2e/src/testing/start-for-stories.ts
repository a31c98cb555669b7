import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { closePagesAfterEach } from './app-pages.js';
import { expectWholeImport, isImportCompared } from './compare-import.js';

/**
 * Starts a service and a browser for the stories of a file, and closes them after the last. A story that is tried again gets both anew:
 * its first try has left flags, accounts and dashboards, whose names it could not use once more.
 * After the last story of some files what they left is imported into another service, and compared with it; with `TIDEMARK_COMPARE_IMPORT` that of
 * every file is.
 * @param seed gets both, and sends what all stories of the file need
 * @param env further environment variables of the service
 */
export function startForStories(
  seed: (started: { service: Service; browser: Browser }) => unknown,
  env: Record<string, string> = {},
): void {
  let service: Service;
  let browser: Browser;
  const start = async () => {
    [service, browser] = await Promise.all([startService({ env }), launchBrowser()]);
    await seed({ service, browser });
  };
  const stop = async () => {
    await browser?.close();
    await service?.close();
  };
  closePagesAfterEach(() => browser);
  beforeAll(start);
  afterAll(async () => {
    try {
      if (isImportCompared()) await expectWholeImport(service, env);
    } finally {
      await stop();
    }
  });
  beforeEach(async ({ task }) => {
    if (!task.result?.retryCount) return;
    await stop();
    await start();
  });
}

/** Waits until a property of events has its definition, which is written a moment after its first event: the app then offers it. */
export async function propertyIsOffered(service: Service, property: string): Promise<void> {
  const path = `/api/environments/@current/property_definitions/?search=${encodeURIComponent(property)}`;
  await eventually(async () => expect(((await service.get(path)).body as { count: number }).count).toBeGreaterThan(0));
}

/** Sends past events in one request, and waits until queries find them: a chart answered before would be shown from its cache. */
export async function storeEvents(service: Service, batch: readonly { event: string }[]): Promise<void> {
  const body = { api_key: service.account.projectKey, historical_migration: true, batch };
  expect((await service.call('POST', '/batch/', { key: null, body })).status).toBe(200);
  const path = `/api/projects/@current/events/?after=all&limit=1&event=${encodeURIComponent(batch.at(-1)?.event ?? '')}`;
  await eventually(async () => expect(((await service.get(path)).body as { results: object[] }).results).toHaveLength(1));
}
