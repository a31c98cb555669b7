import type { RemoteConfig } from '@tidemark/wire';
import { isRecord } from './is-record.js';
import type { HttpAnswer } from './platform.js';
import type { Slots } from './slots.js';

export interface RemoteConfigLoader {
  get(): Partial<RemoteConfig> | undefined;
  load(): Promise<void>;
}

/** The project's remote config. The copy stored by the last visit is valid at once, until `load` has fetched the current one. Concurrent loads share one request. */
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
      // the stored config stays valid
    } finally {
      running = undefined;
    }
  };
  return {
    get: () => slot.get(),
    load: () => (running ??= run()),
  };
}
