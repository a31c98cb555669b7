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

/** Project key of all clients under test. */
export const PROJECT_KEY = 'tmk_0123456789abcdef';
export const HOST = 'http://tidemark';

/** A client of one person (browser, React Native) on a fake platform. */
export interface Started {
  client: Client;
  /** The fakes: server, clock, timers, storage and log. */
  platform: FakePlatform;
  /** Every event that went into the queue, in order. */
  queued: CapturedEvent[];
  queuedAs(event: string): CapturedEvent[];
  /** Starts the next page, or the app again, on the same storage. */
  restart(options?: ClientOptions, before?: Beginning): Promise<Started>;
}

/** Hooks around the creation of the client. */
export interface Beginning {
  apiKey?: string;
  /** Called before the client is created, to set up the server's responses. */
  world?: (platform: FakePlatform) => void;
  /** Called synchronously after it was created. */
  client?: (client: Client) => void;
}

/** Starts with the defaults: empty storage, a server that answers 200, 2025-01-01T00:00:00Z, no remote config. */
export type Start = (options?: ClientOptions, before?: Beginning) => Promise<Started>;

/** The API that all clients share; the server SDK makes every call for `user-123`. */
export interface Common {
  platform: FakePlatform;
  /** Every event that went into the queue, in order. */
  queued: CapturedEvent[];
  /** Returns the event's uuid; undefined: dropped. */
  capture(event: string, properties?: Record<string, unknown>, options?: CommonCaptureOptions): string | undefined;
  captureException(error: unknown, properties?: Record<string, unknown>, context?: ExceptionContext): void;
  identify(distinctId: string, set?: Record<string, unknown>): void;
  alias(alias: string): void;
  groupIdentify(type: string, key: string, properties?: Record<string, unknown>): void;
  optOut(): void;
  reset(): void;
  flush(): Promise<void>;
  shutdown(): Promise<void>;

  /** Requests all flags. */
  load(): void;
  /** The value of a flag from the last `load`. */
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
  /** Sends the event at once, not in a batch. */
  atOnce?: boolean;
}

export type StartCommon = (options?: ClientOptions, world?: (platform: FakePlatform) => void) => Promise<Common>;
