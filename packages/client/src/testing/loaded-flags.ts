import type { ClientOptions } from '../index.js';
import type { FakeAnswer, FakeRequest } from './fake-platform.js';
import { flagsAnswer, type Started, startClient } from './start-client.js';

export interface LoadedFlags extends Started {
  /** The flag requests made so far. */
  requests(): FakeRequest[];
}

/** A client whose flags have come from the server. */
export async function loadedFlags(
  values: Record<string, boolean | string>,
  payloads: Record<string, unknown> = {},
  options: ClientOptions = {},
): Promise<LoadedFlags> {
  const started = startClient(options);
  started.platform.answer('/flags/', { body: flagsAnswer(values, payloads) });
  await started.platform.advance(50);
  return { ...started, requests: () => started.platform.requestsTo('/flags/') };
}

/** Asks for flags again and lets the server answer so. */
export async function reloadFlags(started: Started, answer: FakeAnswer): Promise<void> {
  started.platform.answer('/flags/', answer);
  started.client.reloadFeatureFlags();
  await started.platform.advance(50);
}
