import type { RemoteConfig } from '@tidemark/wire';
import { isRecord } from './is-record.js';
import type { HttpAnswer } from './platform.js';
import type { Slots } from './slots.js';

export interface RemoteConfigLoader {
  get(): Partial<RemoteConfig> | undefined;
  load(): Promise<void>;
}

/** What the project switches on: in force from the last visit at once, then asked for. Loads that run side by side are one. */
export function createRemoteConfig(
  slots: Slots,
  fetchConfig: () => Promise<HttpAnswer>,
  changed: (config: Partial<RemoteConfig>) => void,
): RemoteConfigLoader {
  const slot = slots.slot('config', (stored): Partial<RemoteConfig> | undefined => (isRecord(stored) ? stored : undefined));
  let running: Promise<void> | undefined;
  const run = async () => {
    try {
      const answer = await fetchConfig();
      const config: unknown = answer.status === 200 ? JSON.parse(await answer.text()) : undefined;
      if (!isRecord(config)) return;
      slot.set(config);
      changed(config);
    } catch {
      // What the last visit left stays in force.
    } finally {
      running = undefined;
    }
  };
  return {
    get: () => slot.get(),
    load: () => (running ??= run()),
  };
}
