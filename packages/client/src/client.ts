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

/** Something that flags depend on is another now. */
export interface IdentityChange {
  reason: 'identify' | 'reset' | 'group' | 'person';
  distinctId: string;
  /** Of the person, or of the group of type `group`. */
  properties?: Properties | undefined;
  group?: string;
  /** Whether flags are to be asked for again. */
  reload: boolean;
  /** Another page of the site made the change: what is stored is up to date already. */
  adopted?: true;
}

/** What `on` can listen to, and with what the listener is called. */
export interface ClientEvents {
  /** An event went into the queue. */
  eventCaptured: CapturedEvent;
  /** Another session has begun. */
  session: SessionChange;
  /** Something that flags depend on is another now. */
  identity: IdentityChange;
  /** The person agreed or refused. */
  consent: ConsentStatus;
  /** The project has said what it switches on. */
  config: Partial<RemoteConfig>;
  /** Flags are about to be asked for. */
  featureFlagsReloading: undefined;
  /** A load of flags is over, or they were overridden. */
  featureFlags: undefined;
  /** Events were lost. */
  loss: { reason: Loss; count: number };
  /** Pending work of features is to be sent now; `leaving`: only what works without waiting counts. */
  flush: { leaving: boolean };
}

export interface ResetOptions {
  /** `reset(true)` is short for this. */
  resetDeviceId?: boolean;
  /** Begins as somebody known. */
  bootstrap?: Bootstrap;
}

export interface IdentityMethods {
  /**
   * Says who the person is. Anonymous activity so far becomes theirs.
   * @example client.identify('user-123', { email: 'ada@example.com' }, { first_seen: '2026-01-01' })
   */
  identify(distinctId: string, set?: Properties, setOnce?: Properties): void;
  /** Makes another id mean the same person (default: as the current one). */
  alias(alias: string, distinctId?: string): void;
  /** Puts later events under the group, and its properties on the group. */
  group(type: string, key: string, properties?: Properties): void;
  /** Sets properties of a group; the person does not join it. */
  groupIdentify(type: string, key: string, properties?: Properties): void;
  /** Leaves all groups: later events are under none. */
  resetGroups(): void;
  /** Keys of the groups that events go under, by type. */
  getGroups(): Record<string, string>;
  /** Sets properties of the person: `setOnce` only those that the person has not. Equal ones are not sent twice. */
  setPersonProperties(set?: Properties, setOnce?: Properties): void;
  /** Removes properties of the person by name. */
  unsetPersonProperties(names: string[]): void;
  /** Gives the anonymous person a profile. */
  createPersonProfile(): void;
  /** A new anonymous person; consent and unsent events stay. */
  reset(options?: boolean | ResetOptions): void;
  /** Whom events are from now: the id given to `identify`, else the anonymous id. */
  getDistinctId(): string;
  /** The id that was made here; it stays over `identify`. */
  getAnonymousId(): string;
  /** Stays over `identify` and `reset()`; `reset(true)` makes another. */
  getDeviceId(): string;
  /** Text that is empty only when the client is off. */
  getSessionId(): string;
  /** Begins another session. */
  resetSessionId(): void;
}

/** Super properties: put on every later event. A property of the event itself wins. */
export interface SuperPropertyMethods {
  /** Kept over restarts. */
  register(properties: Properties): void;
  /** Those that are registered already stay as they are. */
  registerOnce(properties: Properties): void;
  /** Until the page or app ends. */
  registerForSession(properties: Properties): void;
  /** Takes one out of those that `register` keeps. */
  unregister(name: string): void;
}

/** The client as it is before its features bring their methods. */
export type CoreClient = Omit<Client, keyof FlagMethods>;

/** The client. No method throws. */
export interface Client extends IdentityMethods, SuperPropertyMethods, FlagMethods {
  readonly apiKey: string;
  readonly name: string;
  /** False when the key cannot be one, or after `shutdown`: calls then do nothing. */
  readonly isInitialized: boolean;
  /**
   * Captures an event; gives it back as it will be sent, or undefined when it was dropped.
   * @example client.capture('Signed Up', { plan: 'pro' })
   */
  capture<Name extends EventName>(
    event: Name,
    properties?: EventPropertiesOf<Name> | null,
    options?: CaptureOptions,
  ): CapturedEvent | undefined;
  /**
   * Captures an error with its stack and causes. `context` is for integrations that caught it on the application's behalf.
   * @example client.captureException(error, { area: 'checkout' })
   */
  captureException(error: unknown, properties?: Properties, context?: ExceptionContext): CapturedEvent | undefined;
  /** A breadcrumb that goes with the next exceptions. */
  addExceptionStep(message: string, properties?: Properties): void;

  /** The person agrees: captures again, and stores. What was dropped meanwhile stays dropped. */
  optIn(): void;
  /** `clear`: also forgets who the person is and the super properties. */
  optOut(options?: { clear?: boolean }): void;
  /** Nothing is captured now: the person refused, or the client is off. */
  isOptedOut(): boolean;
  /** What the person has said; `pending`: nothing yet. */
  getConsentStatus(): ConsentStatus;

  /** Listens; gives back the way to stop. */
  on<Name extends keyof ClientEvents>(name: Name, listener: (detail: ClientEvents[Name]) => void): () => void;
  /** Changes options at run time. What is made of them at the start stays: name, storage, bootstrap, features and what they were given. */
  setConfig(options: Partial<ClientOptions>): void;
  /** Logs what the client does, or no more. */
  debug(on?: boolean): void;
  /** Sends what is queued; fulfilled when the attempt is over. */
  flush(): Promise<void>;
  /** Sends what is queued and stops; later captures do nothing. */
  shutdown(timeoutMs?: number): Promise<void>;

  /** Records, if the project and the options allow it. Needs the feature `replay()`, in apps a recorder. */
  startSessionRecording(): void;
  /** Sends what is pending and records no more until `startSessionRecording`. */
  stopSessionRecording(): void;
  isSessionReplayActive(): boolean;
}

/** What features see of the inside. */
export interface ClientInternals {
  platform: Platform;
  /** The options as they are now; ask each time, `setConfig` changes them. */
  options(): ClientOptions;
  /** Gated by `debug`; `warn` says the same sentence once. */
  log: Log;
  /** POST with the project's host, headers and compression, GET without a body. Rejects when no answer came. */
  request(path: string, request?: RequestSettings): Promise<HttpAnswer>;
  /**
   * Adds to the properties of every event; properties of the call win. `add` gets the id of the session and the platform's context for each event.
   * Enrichers run in reverse order of registration, so the first registered wins. Return the same object while nothing has changed: the result
   * is cached by identity.
   */
  enrich(add: (sessionId: string, context: Properties | undefined) => Properties | undefined): void;
  /** A stored value; writes are coalesced. `parse` turns stored JSON into the value, or undefined when it is not one. */
  slot<Value>(name: string, parse: (stored: unknown) => Value | undefined): Slot<Value>;
  /** What pages that have ended, or other open ones, left in slots of a name of their own: `kind.<uuid>`. */
  stored: Pick<Slots, 'ofOtherPages' | 'remove'>;
  /** Queues events that an earlier page has stored. */
  restore(stored: readonly StoredEvent[]): void;
  emit<Name extends keyof ClientEvents>(name: Name, detail: ClientEvents[Name]): void;
  /** Runs what may throw; a throw is logged. */
  guard<Result>(run: () => Result): Result | undefined;
  /**
   * `capture` without the checks that are for people: how features send their events. `trim` removes some of the properties that
   * every event has, from a copy. `at`: when, epoch milliseconds; default: now.
   */
  capture(
    event: string,
    properties?: Properties | null,
    options?: CaptureOptions,
    trim?: (defaults: Properties) => void,
    at?: number,
  ): CapturedEvent | undefined;
  isIdentified(): boolean;
  /** Something happened, so the idle time of the session starts again. Gives the session's id. */
  touchSession(): string;
  sessionStartedAt(): number;
  remoteConfig(): Partial<RemoteConfig> | undefined;
  /** Replaces methods of the client: how a feature brings its own. */
  extend(methods: Partial<Client>): void;
}

export interface RequestSettings {
  /** Sent as JSON; a text is taken as JSON already. */
  body?: unknown;
  /** Milliseconds until the attempt is given up. */
  timeoutMs?: number | undefined;
  host?: string | undefined;
  /** The page may end at any moment: the request is made before this returns, in a way that outlives the page. */
  leaving?: boolean | undefined;
}

/** A part of the library that is imported by those who want it. `setup` gives back how to end it. */
export interface Feature {
  name: string;
  setup(client: Client, internals: ClientInternals): undefined | (() => void);
}
