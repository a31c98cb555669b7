import type { RemoteConfig } from '@tidemark/wire';
import type { CapturedEvent, CaptureOptions, Loss, Properties } from './event.js';
import type { EventName, EventPropertiesOf } from './event-registry.js';
import type { ExceptionContext } from './exceptions/exception-list.js';
import type { FlagMethods } from './flags/types.js';
import type { Bootstrap, ClientOptions } from './options.js';
import type { HttpAnswer, Log, Platform } from './platform.js';
import type { StoredEvent } from './resume.js';
import type { Slot, Slots } from './slots.js';

export type ConsentStatus = 'granted' | 'denied' | 'pending';

export interface SessionChange {
  sessionId: string;
  previous: string | undefined;
  reason: 'start' | 'idle' | 'max_length' | 'reset' | 'adopted';
}

/** The person, the device, a group or their properties have changed: flags may depend on it. */
export interface IdentityChange {
  reason: 'identify' | 'reset' | 'group' | 'person';
  distinctId: string;
  /** Properties of the person, or of the group of type `group`. */
  properties?: Properties | undefined;
  group?: string;
  /** Whether flags must be requested again. */
  reload: boolean;
  /** Another page of the site made the change, so stored values are up to date already. */
  adopted?: true;
}

/** Events of the client by name, each with the argument of its listeners. */
export interface ClientEvents {
  /** An event went into the queue. */
  eventCaptured: CapturedEvent;
  /** A session has started. */
  session: SessionChange;
  /** The person, a group or their properties have changed. */
  identity: IdentityChange;
  /** The person has opted in or out. */
  consent: ConsentStatus;
  /** The remote config has been loaded. */
  config: Partial<RemoteConfig>;
  /** A flag request is about to be sent. */
  featureFlagsReloading: undefined;
  /** Flags have been loaded, failed to load, or were overridden. */
  featureFlags: undefined;
  /** Events have been lost. */
  loss: { reason: Loss; count: number };
  /** Features send their pending work. `leaving`: the page may end, so it must be sent before the listener returns. */
  flush: { leaving: boolean };
}

export interface ResetOptions {
  /** Also creates a new device id. `reset(true)` is short for this. */
  resetDeviceId?: boolean;
  /** The identity after the reset. Default: a new anonymous person. */
  bootstrap?: Bootstrap;
}

export interface IdentityMethods {
  /**
   * Identifies the person. Earlier anonymous events of this visitor become theirs.
   * @example client.identify('user-123', { email: 'ada@example.com' }, { first_seen: '2026-01-01' })
   */
  identify(distinctId: string, set?: Properties, setOnce?: Properties): void;
  /** Makes another id mean the same person (default: as the current one). */
  alias(alias: string, distinctId?: string): void;
  /** Assigns later events to the group, and sets properties of the group. */
  group(type: string, key: string, properties?: Properties): void;
  /** Sets properties of a group; the person does not join it. */
  groupIdentify(type: string, key: string, properties?: Properties): void;
  /** Leaves all groups: later events belong to none. */
  resetGroups(): void;
  /** Keys of the person's groups, by type. */
  getGroups(): Record<string, string>;
  /** Sets properties of the person; `setOnce` sets only properties that the person does not have. Equal calls in a row are sent once. */
  setPersonProperties(set?: Properties, setOnce?: Properties): void;
  /** Removes properties of the person by name. */
  unsetPersonProperties(names: string[]): void;
  /** Gives the anonymous person a profile. */
  createPersonProfile(): void;
  /** Starts as a new anonymous person. Consent and unsent events stay. */
  reset(options?: boolean | ResetOptions): void;
  /** The id of later events: the id given to `identify`, or the anonymous id. */
  getDistinctId(): string;
  /** The generated id of the anonymous person; `identify` does not change it. */
  getAnonymousId(): string;
  /** The id of the device. `identify` and `reset()` do not change it; `reset(true)` creates another. */
  getDeviceId(): string;
  /** The id of the session; empty when the client is off. */
  getSessionId(): string;
  /** Starts another session. */
  resetSessionId(): void;
}

/** Super properties are added to every later event. A property of the event itself wins. */
export interface SuperPropertyMethods {
  /** Registers properties; they are stored. */
  register(properties: Properties): void;
  /** Registers properties whose names are not registered yet. */
  registerOnce(properties: Properties): void;
  /** Registers properties until the page or app ends. */
  registerForSession(properties: Properties): void;
  /** Removes a property that `register` or `registerOnce` has stored. */
  unregister(name: string): void;
}

/** The client before its features have added their methods. */
export type CoreClient = Omit<Client, keyof FlagMethods>;

/** The client. No method throws. */
export interface Client extends IdentityMethods, SuperPropertyMethods, FlagMethods {
  readonly apiKey: string;
  readonly name: string;
  /** False when the key cannot be one, or after `shutdown`: calls then do nothing. */
  readonly isInitialized: boolean;
  /**
   * Captures an event. Returns it as it will be sent, or undefined when it was dropped.
   * @example client.capture('Signed Up', { plan: 'pro' })
   */
  capture<Name extends EventName>(
    event: Name,
    properties?: EventPropertiesOf<Name> | null,
    options?: CaptureOptions,
  ): CapturedEvent | undefined;
  /**
   * Captures an error with its stack and causes. `context` is for integrations that catch errors for the application.
   * @example client.captureException(error, { area: 'checkout' })
   */
  captureException(error: unknown, properties?: Properties, context?: ExceptionContext): CapturedEvent | undefined;
  /** Adds a breadcrumb, which is sent with later exceptions. */
  addExceptionStep(message: string, properties?: Properties): void;

  /** Opts in: events are captured and values stored from now on. */
  optIn(): void;
  /** Opts out: nothing is captured or sent. `clear`: also deletes unsent events and all stored values. */
  optOut(options?: { clear?: boolean }): void;
  /** True when nothing is captured: the person has opted out, or the client is off. */
  isOptedOut(): boolean;
  /** `pending`: the person has neither opted in nor out. */
  getConsentStatus(): ConsentStatus;

  /** Adds a listener; returns a function that removes it. */
  on<Name extends keyof ClientEvents>(name: Name, listener: (detail: ClientEvents[Name]) => void): () => void;
  /** Changes options at run time. Options that are used only at the start have no effect: name, storage, bootstrap, features and their options. */
  setConfig(options: Partial<ClientOptions>): void;
  /** Turns debug logging on or off, also for later pages. */
  debug(on?: boolean): void;
  /** Sends the queued events; fulfilled when the attempt is over. */
  flush(): Promise<void>;
  /** Sends the queued events and stops; later captures do nothing. */
  shutdown(timeoutMs?: number): Promise<void>;

  /** Starts recording, if the project and the options allow it. Needs the feature `replay()`, in apps a recorder. */
  startSessionRecording(): void;
  /** Sends pending data and stops recording until `startSessionRecording`. */
  stopSessionRecording(): void;
  isSessionReplayActive(): boolean;
}

/** What features can use of the client beside its public methods. */
export interface ClientInternals {
  platform: Platform;
  /** The current options. Call it each time, since `setConfig` changes them. */
  options(): ClientOptions;
  /** `debug` writes only while debugging is on; `warn` writes the same text once. */
  log: Log;
  /** Makes a request to the service with the headers and compression of the options: POST, or GET without a body. Rejects when no answer came. */
  request(path: string, request?: RequestSettings): Promise<HttpAnswer>;
  /**
   * Adds to the properties of every event; properties of the call win. `add` gets the id of the session and the platform's context for each event.
   * Enrichers run in reverse order of registration, so the first registered wins. Return the same object while nothing has changed: the result
   * is cached by identity.
   */
  enrich(add: (sessionId: string, context: Properties | undefined) => Properties | undefined): void;
  /** A stored value; writes are coalesced. `parse` turns stored JSON into the value, or undefined when it is not one. */
  slot<Value>(name: string, parse: (stored: unknown) => Value | undefined): Slot<Value>;
  /** Values that other pages, closed or open, have stored under `kind.<uuid>`. */
  stored: Pick<Slots, 'ofOtherPages' | 'remove'>;
  /** Queues events of an earlier page. */
  restore(stored: readonly StoredEvent[]): void;
  emit<Name extends keyof ClientEvents>(name: Name, detail: ClientEvents[Name]): void;
  /** Calls the function; an error is logged, and the result is undefined. */
  guard<Result>(run: () => Result): Result | undefined;
  /**
   * `capture` without validation and rate limit, for the events of features. `trim` removes default properties from the event. `at`: time of the
   * event in epoch milliseconds, by default now.
   */
  capture(
    event: string,
    properties?: Properties | null,
    options?: CaptureOptions,
    trim?: (defaults: Properties) => void,
    at?: number,
  ): CapturedEvent | undefined;
  isIdentified(): boolean;
  /** Restarts the idle time of the session, since the person did something. Returns the id of the session. */
  touchSession(): string;
  sessionStartedAt(): number;
  remoteConfig(): Partial<RemoteConfig> | undefined;
  /** Adds or replaces methods of the client. */
  extend(methods: Partial<Client>): void;
}

export interface RequestSettings {
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
  /** Timeout in milliseconds. */
  timeoutMs?: number | undefined;
  host?: string | undefined;
  /** The page may end at any moment: the request is sent before this returns, and outlives the page. */
  leaving?: boolean | undefined;
}

/** An optional part of the library, passed to `init`. `setup` returns a function that ends it. */
export interface Feature {
  name: string;
  setup(client: Client, internals: ClientInternals): undefined | (() => void);
}
