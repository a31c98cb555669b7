import {
  type CapturedEvent,
  type Client,
  type ClientOptions,
  createClient,
  exceptions,
  type FlagKey,
  type FlagPayloadOf,
  type FlagValue,
  type FlagValueOf,
  flags,
} from '@tidemark/client';
import { act } from 'react';
import { memoryPlatform } from './memory-platform.js';

/** Values of the flags in the registry. */
export type TestFlags = { [Key in FlagKey]?: FlagValueOf<Key> };
/** Payloads of the flags in the registry. */
export type TestPayloads = { [Key in FlagKey]?: FlagPayloadOf<Key> };

/** What a client for tests knows of flags. */
export interface TestAnalyticsSettings {
  flags?: TestFlags;
  payloads?: TestPayloads;
  /** More options of the client. */
  options?: ClientOptions;
}

/** A client for tests, and the events that it has captured. */
export interface TestAnalytics {
  /** A client that works as the real one does, and has no network. */
  client: Client;
  /** What was captured, oldest first. */
  events: readonly CapturedEvent[];
  /** Replaces all flags, within `act`. */
  setFlags(flags: TestFlags, payloads?: TestPayloads): void;
}

/**
 * A client for tests: flags from a plain map, events in a list, nothing leaves the process.
 *
 * @example
 * ```tsx
 * const analytics = createTestAnalytics({ flags: { 'new-checkout': true } });
 * render(<TestAnalyticsProvider analytics={analytics}><Checkout /></TestAnalyticsProvider>);
 * analytics.setFlags({ 'new-checkout': false });
 * expect(analytics.events.map(({ event }) => event)).toEqual(['Checkout Started']);
 * ```
 */
export function createTestAnalytics({ flags: values = {}, payloads, options }: TestAnalyticsSettings = {}): TestAnalytics {
  const events: CapturedEvent[] = [];
  const offline: ClientOptions = { disable_flags: true, disable_remote_config: true, ...options };
  const client = createClient(
    'tmk_test',
    offline,
    memoryPlatform(() => ({})),
    [flags(), exceptions()],
  );
  client.on('eventCaptured', (event) => events.push(event));
  client.featureFlags.override(known(values), payloads);
  return {
    client,
    events,
    setFlags: (next, nextPayloads) => act(() => client.featureFlags.override(known(next), nextPayloads)),
  };
}

/** Without undefined values, which are unknown flags. */
function known(flags: TestFlags): Record<string, FlagValue> {
  return Object.fromEntries(Object.entries(flags).filter((flag): flag is [string, FlagValue] => flag[1] !== undefined));
}
