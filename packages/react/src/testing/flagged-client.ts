import {
  type CapturedEvent,
  type Client,
  type ClientOptions,
  createClient,
  exceptions,
  type FlagStore,
  type FlagValue,
  flags,
} from '@tidemark/client';
import { memoryPlatform } from '../memory-platform.js';

export interface FlaggedClient {
  client: Client;
  events: CapturedEvent[];
  /** The reads that were reported, as flag and value. */
  called(): unknown[];
  /** Lets the server have these flags, or fail, and the client ask for them. */
  load(values: Record<string, FlagValue> | 'failure'): Promise<void>;
  configs: Partial<ClientOptions>[];
  /** How many listen to flags or to loads. */
  listening(): number;
}

/** A client of the core that knows these flags from its bootstrap. */
export function flaggedClient(first: Record<string, FlagValue>, payloads: Record<string, unknown> = {}): FlaggedClient {
  let values: Record<string, FlagValue> | 'failure' = first;
  const platform = memoryPlatform((url) =>
    url.includes('/flags/') && values !== 'failure' ? { flags: answerOf(values, payloads) } : {},
  );
  const bootstrap = { featureFlags: first, featureFlagPayloads: payloads };
  const client = createClient('tmk_1', { bootstrap, disable_remote_config: true }, platform, [flags(), exceptions()]);
  const events: CapturedEvent[] = [];
  client.on('eventCaptured', (event) => events.push(event));

  const configs: Partial<ClientOptions>[] = [];
  const { setConfig, onFeatureFlags, flags: store } = client;
  let listening = 0;
  const counted =
    <Arguments extends unknown[]>(listen: (...given: Arguments) => () => void) =>
    (...given: Arguments) => {
      const stop = listen(...given);
      listening++;
      return () => {
        listening--;
        stop();
      };
    };
  const countedStore: FlagStore = { ...store, subscribe: counted(store.subscribe) };
  Object.assign(client, {
    flags: countedStore,
    onFeatureFlags: counted(onFeatureFlags),
    setConfig: (changes: Partial<ClientOptions>) => {
      configs.push(changes);
      setConfig(changes);
    },
  });

  return {
    client,
    events,
    called: () =>
      events
        .filter(({ event }) => event === '$feature_flag_called')
        .map(({ properties }) => [properties['$feature_flag'], properties['$feature_flag_response']]),
    load: async (next) => {
      values = next;
      const loaded = new Promise<void>((resolve) => {
        const stop = client.on('featureFlags', () => {
          stop();
          resolve();
        });
      });
      client.reloadFeatureFlags();
      await loaded;
    },
    configs,
    listening: () => listening,
  };
}

function answerOf(values: Record<string, FlagValue>, payloads: Record<string, unknown>): object {
  const answer = Object.entries(values).map(([key, value]) => {
    const variant = typeof value === 'string' ? { variant: value } : {};
    const payload = payloads[key] === undefined ? {} : { payload: JSON.stringify(payloads[key]) };
    return [key, { key, enabled: value !== false, ...variant, metadata: payload }];
  });
  return Object.fromEntries(answer);
}
