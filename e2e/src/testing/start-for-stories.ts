import { afterAll, beforeAll, beforeEach } from 'vitest';

/**
 * Starts what the stories of a file share. A story that is tried again gets all of it anew: its first try has left flags, accounts and
 * dashboards, whose names it could not use once more.
 */
export function startForStories(start: () => Promise<void>, stop: () => Promise<void>): void {
  beforeAll(start);
  afterAll(stop);
  beforeEach(async ({ task }) => {
    if (!task.result?.retryCount) return;
    await stop();
    await start();
  });
}
