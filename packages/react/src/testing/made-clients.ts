import { getClient, init } from '@tidemark/browser';
import type { Client } from '@tidemark/client';
import { vi } from 'vitest';

/** Mocks `init` to create this client, and `getClient` to return it afterwards, as on a new page. */
export function initMakes(make: () => Client) {
  let client: Client | undefined;
  vi.mocked(getClient)
    .mockReset()
    .mockImplementation(() => client);
  return vi
    .mocked(init)
    .mockReset()
    .mockImplementation(() => {
      client ??= make();
      return client;
    });
}
