import { getClient, init } from '@tidemark/browser';
import type { Client } from '@tidemark/client';
import { vi } from 'vitest';

/** Lets `init` make this client, and `getClient` find it from then on, as on a page that was just opened. */
export function initMakes(make: () => Client) {
  let made: Client | undefined;
  vi.mocked(getClient)
    .mockReset()
    .mockImplementation(() => made);
  return vi
    .mocked(init)
    .mockReset()
    .mockImplementation(() => {
      made ??= make();
      return made;
    });
}
