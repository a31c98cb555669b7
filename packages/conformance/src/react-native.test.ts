import { init } from '@tidemark/react-native';
import { describe, expect, test, vi } from 'vitest';
import { common } from './drivers/common.js';
import { PROJECT_KEY } from './drivers/driver.js';
import { startOnPhone } from './drivers/react-native.js';
import { everyContract } from './every/index.js';
import { personContract, setupContract } from './person/index.js';

// the client has no state before storage has answered
setupContract(startOnPhone('at once'));

describe.each(['at once', 'later'] as const)('with storage that responds %s', (kind) => {
  everyContract(common(startOnPhone(kind)));
  personContract(startOnPhone(kind));
});

/** A client in the engine that runs the test, without a server. */
function quietly() {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key),
    setItem: (key: string, text: string) => void stored.set(key, text),
    removeItem: (key: string) => void stored.delete(key),
  };
  return { storage, disable_flags: true, disable_remote_config: true, captureAppLifecycleEvents: false };
}

test.each(['with', 'without'])('IDN-6 the ids of an engine %s Web Crypto are UUIDv7 of their time', async (has) => {
  if (has === 'without') vi.stubGlobal('crypto', undefined);
  const client = init(`tmk_ids_${has}`, quietly());
  const ids = [
    client.getDistinctId(),
    client.getSessionId(),
    ...Array.from({ length: 20 }, () => client.capture('a')?.uuid ?? ''),
  ];
  vi.unstubAllGlobals();
  expect(new Set(ids).size).toBe(22);
  for (const id of ids) {
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(Math.abs(Number.parseInt(id.replace('-', '').slice(0, 12), 16) - Date.now())).toBeLessThan(3_600_000);
  }
  client.optOut({ clear: true });
  await client.shutdown();
});

test('SET-3 init again returns the client of the project', async () => {
  const quiet = quietly();
  const client = init(PROJECT_KEY, quiet);
  expect(init(PROJECT_KEY, quiet)).toBe(client);
  expect(init('tmk_another', quiet)).not.toBe(client);
  await client.shutdown();
});
