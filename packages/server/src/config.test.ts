import { expect, test } from 'vitest';
import { loadConfig } from './config.js';
import { machineMemory } from './kernel/machine-memory.js';

const GB = 1024 ** 3;

test('the event engine may use a quarter of the memory, and a gigabyte at least', () => {
  const { engineMemory } = loadConfig({});
  expect(engineMemory).toBeGreaterThanOrEqual(GB);
  expect(Math.abs(engineMemory - Math.max(GB, machineMemory() / 4))).toBeLessThan(1024 ** 2);
  expect(loadConfig({ TIDEMARK_ENGINE_MEMORY_MB: '512' }).engineMemory).toBe(GB / 2);
});
