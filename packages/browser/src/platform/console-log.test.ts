// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import { consoleLog } from './console-log.js';

it('messages are logged completely and in order, though their texts load with the first', async () => {
  const written: unknown[][] = [];
  for (const level of ['warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((...parts) => void written.push([level, ...parts]));
  }
  consoleLog.warn('[tidemark]', 'group:groupIdentify');
  consoleLog.error('[tidemark]', 'failed:identify', 'why');
  consoleLog.warn('[tidemark]', 'Recordings: over the quota.');
  await vi.dynamicImportSettled();
  await expect
    .poll(() => written)
    .toEqual([
      ['warn', '[tidemark]', 'groupIdentify needs a group type and key.'],
      ['error', '[tidemark]', 'identify failed:', 'why'],
      ['warn', '[tidemark]', 'Recordings: over the quota.'],
    ]);
});
