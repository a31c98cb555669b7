import type {
  CapturedEvent,
  Client,
  ClientOptions,
  ExceptionContext,
  FlagReadOptions,
  FlagResult,
  FlagValue,
} from '@tidemark/client';
import type { FakePlatform } from '@tidemark/client/testing';

/** The project that all clients of these tests are of. */
export const PROJECT_KEY = 'tmk_0123456789abcdef';
export const HOST = 'http://tidemark';

/** A client of one person (browser, React Native), in a world that the test holds in its hands. */
export interface Started {
  client: Client;
  /** The world: server, clock, timers, storage and log. */
  platform: FakePlatform;
  /** Every event that went into the queue, in order. */
  queued: CapturedEvent[];
  queuedAs(event: string): CapturedEvent[];
  /** The next page or start of the app, on the same storage. */
  restart(options?: ClientOptions, before?: Beginning): Promise<Started>;
}

/** What happens before the client has had time for anything. */
export interface Beginning {
  apiKey?: string;
  /** Before the client is made: what the server will answer. */
  world?: (platform: FakePlatform) => void;
  /** Right after it was made. */
  client?: (client: Client) => void;
}

/** Starts in the neutral world: an empty store, a server that says 200 to all, 2025-01-01T00:00:00Z, no remote config. */
export type Start = (options?: ClientOptions, before?: Beginning) => Promise<Started>;

/** What the clients of people and those of servers have in common: on a server, every call is about `user-123`. */
export interface Common {
  platform: FakePlatform;
  /** Every event that went into the queue, in order. */
  queued: CapturedEvent[];
  /** Gives the event's uuid, or undefined when it was dropped. */
  capture(event: string, properties?: Record<string, unknown>, options?: CommonCaptureOptions): string | undefined;
  captureException(error: unknown, properties?: Record<string, unknown>, context?: ExceptionContext): void;
  identify(distinctId: string, set?: Record<string, unknown>): void;
  alias(alias: string): void;
  groupIdentify(type: string, key: string, properties?: Record<string, unknown>): void;
  optOut(): void;
  reset(): void;
  flush(): Promise<void>;
  shutdown(): Promise<void>;

  /** Asks the server for all flags. */
  load(): void;
  /** The value of a flag as the last `load` made it known. */
  loaded(key: string): Promise<FlagValue | undefined>;
  isFeatureEnabled(key: string, options?: FlagReadOptions): Promise<boolean | undefined>;
  getFeatureFlag(key: string, options?: FlagReadOptions): Promise<FlagValue | undefined>;
  getFeatureFlagPayload(key: string): Promise<unknown>;
  getFeatureFlagResult(key: string, options?: FlagReadOptions): Promise<FlagResult | undefined>;
  getFeatureFlags(): Promise<Record<string, FlagValue>>;
  getFeatureFlagsAndPayloads(): Promise<{
    featureFlags: Record<string, FlagValue>;
    featureFlagPayloads: Record<string, unknown>;
  }>;
  setPersonPropertiesForFlags(properties: Record<string, unknown>): void;
  resetPersonPropertiesForFlags(): void;
  setGroupPropertiesForFlags(properties: Record<string, Record<string, unknown>>): void;
  resetGroupPropertiesForFlags(groupType?: string): void;
}

export interface CommonCaptureOptions {
  timestamp?: string | Date;
  uuid?: string;
  /** Sends it without waiting for a batch. */
  atOnce?: boolean;
}

export type StartCommon = (options?: ClientOptions, world?: (platform: FakePlatform) => void) => Promise<Common>;
