import { init } from '@tidemark/react-native';
import { describe, expect, test } from 'vitest';
import { common } from './drivers/common.js';
import { PROJECT_KEY } from './drivers/driver.js';
import { startOnPhone } from './drivers/react-native.js';
import { everyContract } from './every/index.js';
import { personContract, setupContract } from './person/index.js';

// nothing is known before storage has answered
setupContract(startOnPhone('at once'));

describe.each(['at once', 'later'] as const)('with storage that answers %s', (kind) => {
  everyContract(common(startOnPhone(kind)));
  personContract(startOnPhone(kind));
});

test('SET-3 init again gives the client that the project has', async () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key),
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  };
  const quiet = { storage, disable_flags: true, disable_remote_config: true, captureAppLifecycleEvents: false };
  const client = init(PROJECT_KEY, quiet);
  expect(init(PROJECT_KEY, quiet)).toBe(client);
  expect(init('tmk_another', quiet)).not.toBe(client);
  await client.shutdown();
});
