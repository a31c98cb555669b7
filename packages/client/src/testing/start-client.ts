import {
  type CapturedEvent,
  type Client,
  type ClientOptions,
  createClient,
  exceptions,
  type Feature,
  flags,
  resume,
} from '../index.js';
import { createFakePlatform, type FakePlatform } from './fake-platform.js';

export interface Started {
  client: Client;
  platform: FakePlatform;
  /** Every event that went into the queue, in order. */
  queued: CapturedEvent[];
  queuedAs(event: string): CapturedEvent[];
  /** A second client on the same store, as after a restart or in another tab. */
  restart(options?: ClientOptions): Started;
}

export interface StartSettings {
  platform?: FakePlatform;
  /** What runs besides flags and exceptions. */
  features?: Feature[];
  apiKey?: string;
}

/** A client in the neutral world: no remote config, no flags from the server unless asked for, everything else as by default. */
export function startClient(options: ClientOptions = {}, settings: StartSettings = {}): Started {
  const platform = settings.platform ?? createFakePlatform();
  const queued: CapturedEvent[] = [];
  const listening: Feature = {
    name: 'listening',
    setup: (client) => client.on('eventCaptured', (event) => queued.push(event)),
  };
  const features = [listening, flags(), exceptions(), resume(), ...(settings.features ?? [])];
  const client = createClient(settings.apiKey ?? 'tmk_test', { disable_remote_config: true, ...options }, platform, features);
  return {
    client,
    platform,
    queued,
    queuedAs: (event) => queued.filter((other) => other.event === event),
    restart: (more = {}) =>
      startClient(
        { ...options, ...more },
        {
          ...settings,
          platform: createFakePlatform({
            stored: platform.stored,
            now: platform.clock.now(),
            seed: ++restarts,
            reportsChanges: !!platform.store.reportsChanges,
          }),
        },
      ),
  };
}

let restarts = 0;

/** The body of a `/flags/?v=2` answer for these values. */
export function flagsAnswer(
  values: Record<string, boolean | string>,
  payloads: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  const flags = Object.entries(values).map(([key, value], index) => [
    key,
    {
      key,
      enabled: value !== false,
      variant: typeof value === 'string' ? value : null,
      reason: { code: 'condition_match', condition_index: 0, description: 'Matched condition set 1' },
      metadata: {
        id: index + 1,
        version: 1,
        description: null,
        payload: key in payloads ? JSON.stringify(payloads[key]) : null,
      },
    },
  ]);
  return {
    flags: Object.fromEntries(flags),
    errorsWhileComputingFlags: false,
    requestId: 'request-1',
    evaluatedAt: 1735689600000,
    ...more,
  };
}
