import type {
  Bootstrap,
  EventName,
  EventPropertiesOf,
  FlagKey,
  FlagPayloadOf,
  FlagResult,
  FlagValue,
  FlagValueOf,
  Properties,
} from '@tidemark/client';
import type { EvaluatedFlags } from './flags/evaluated-flags.js';
import type { RequestContext } from './request/request-context.js';
import type { RequestHeaders } from './request/request-headers.js';

/** Group keys by the name of the group's type. */
export type Groups = Readonly<Record<string, string | number>>;

/** An event to capture. */
export interface EventMessage<Name extends EventName = EventName> {
  /** Who did it. May be left out while a request is handled whose middleware knows. */
  distinctId?: string;
  /** Name of the event, such as `order placed`. */
  event: Name;
  properties?: EventPropertiesOf<Name>;
  /** The groups that it concerns. */
  groups?: Groups;
  /** Flags at the time of the event, from `evaluateFlags`. */
  flags?: EvaluatedFlags;
  /** When it happened: a date, epoch milliseconds, or ISO 8601 with any offset. Default: now. */
  timestamp?: Date | number | string;
  /** Default: a fresh UUID version 7. */
  uuid?: string;
  /** Sends it now instead of with the next batch. */
  sendInstantly?: boolean;
  /** Of this event alone; see the option of the client. */
  disableGeoip?: boolean;
}

/** For whom, and how, flags are evaluated. */
export interface EvaluationOptions {
  /** The groups of the person, for flags that are about groups. */
  groups?: Groups;
  /** Override the properties that the service has stored. */
  personProperties?: Properties;
  /** By the name of the group's type. */
  groupProperties?: Readonly<Record<string, Properties>>;
  /** For flags that are rolled out by device. */
  deviceId?: string;
  /** Makes no request; flags that cannot be evaluated locally are absent. */
  onlyEvaluateLocally?: boolean;
  /** Of this evaluation alone; see the option of the client. */
  disableGeoip?: boolean;
}

/** How one flag is read. */
export interface FlagOptions extends EvaluationOptions {
  /** Returned for a flag that does not exist or cannot be evaluated. */
  defaultValue?: boolean;
  /** False: the read is not reported as `$feature_flag_called`. */
  tracking?: boolean;
}

/** For whom a page begins. */
export interface BootstrapOptions extends EvaluationOptions {
  /** The name that the page gives `init` as its third argument, where it has more than one client. */
  instance?: string;
}

/** How an exception came to be captured. */
export interface ExceptionHint {
  /** How it was caught, such as `middleware`. Default `generic`. */
  type?: string;
  /** Whether the application handled it. Default true. */
  handled?: boolean;
  /** How bad it is: `fatal`, `error` (default), `warning`, `info`, `debug`. */
  level?: string;
  /** The hook, as `<framework>.<hook>`. */
  source?: string;
}

/** Tidemark for servers: each call names its person. No method throws or rejects. */
export interface NodeClient {
  /**
   * Captures an event. Returns its uuid, or null when it was dropped.
   * @example analytics.capture({ distinctId: 'user-1', event: 'order placed', properties: { total: 12.5 } })
   */
  capture<Name extends EventName>(message: EventMessage<Name>): string | null;
  /**
   * The same for events about AI (`$ai_generation` and its like), whose prompts may be long: up to 8 MiB each, in a queue of their own.
   * @example analytics.captureAi({ distinctId: 'user-1', event: '$ai_generation', properties: { $ai_model: 'small', $ai_input: messages } })
   */
  captureAi(message: EventMessage): string | null;
  /**
   * Sets properties of a person. `$set` and `$set_once` inside of `properties` have their own meaning.
   * @example analytics.identify({ distinctId: 'user-1', properties: { email: 'ada@example.com', $set_once: { first_seen: '2026-01-01' } } })
   */
  identify(message: { distinctId: string; properties?: Properties; disableGeoip?: boolean }): string | null;
  /** Makes `alias` another id of the person with `distinctId`. */
  alias(message: { distinctId: string; alias: string; disableGeoip?: boolean }): string | null;
  /** Sets properties of a group. */
  groupIdentify(message: {
    groupType: string;
    groupKey: string | number;
    properties?: Properties;
    distinctId?: string;
    disableGeoip?: boolean;
  }): string | null;
  /** Without a distinct id, here or from the request, the exception belongs to no person. */
  captureException(error: unknown, distinctId?: string, properties?: Properties, hint?: ExceptionHint): string | null;

  /** Whether the flag is on; undefined when there is no such flag and no default. */
  isFeatureEnabled(key: FlagKey, distinctId?: string, options?: FlagOptions): Promise<boolean | undefined>;
  /** False, true, or the variant; undefined when there is no such flag and no default. */
  getFeatureFlag<Key extends FlagKey>(
    key: Key,
    distinctId?: string,
    options?: FlagOptions,
  ): Promise<FlagValueOf<Key> | undefined>;
  /** null: the flag has none; undefined: there is no such flag. Never reported as called. */
  getFeatureFlagPayload<Key extends FlagKey>(
    key: Key,
    distinctId?: string,
    options?: EvaluationOptions,
  ): Promise<FlagPayloadOf<Key> | null | undefined>;
  /** Whether the flag is on, its variant and its payload, by one evaluation; undefined when there is no such flag. */
  getFeatureFlagResult<Key extends FlagKey>(
    key: Key,
    distinctId?: string,
    options?: FlagOptions,
  ): Promise<FlagResult<Key> | undefined>;
  /** All flags of a person: false, true, or the variant, by key. Never reported as called. */
  getFeatureFlags(distinctId?: string, options?: EvaluationOptions): Promise<Record<string, FlagValue>>;
  /** The same with the payloads of those flags that have one. */
  getFeatureFlagsAndPayloads(
    distinctId?: string,
    options?: EvaluationOptions,
  ): Promise<{ featureFlags: Record<string, FlagValue>; featureFlagPayloads: Record<string, unknown> }>;
  /** Evaluates all flags of a person at once (or those of `flagKeys`), for any number of reads. */
  evaluateFlags(distinctId?: string, options?: EvaluationOptions & { flagKeys?: readonly string[] }): Promise<EvaluatedFlags>;
  /**
   * What the browser client needs to begin with: who the person is and their flags. Of a request (anything with headers) it reads the
   * cookie of `@tidemark/browser`; a visitor without one gets a new id.
   * @example const bootstrap = await analytics.getBootstrap(request); // init(key, { bootstrap }) in the page
   */
  getBootstrap(who: string | { headers: RequestHeaders }, options?: BootstrapOptions): Promise<Bootstrap>;
  /** For tests and demos: these values win over all others until `override(false)`. A list turns its keys on. */
  featureFlags: {
    override(flags: Readonly<Record<string, FlagValue>> | readonly string[] | false, payloads?: Record<string, unknown>): void;
  };
  /** Sets properties for every later evaluation of this client; those of the call override them. */
  setPersonPropertiesForFlags(properties: Properties): void;
  /** Forgets them. */
  resetPersonPropertiesForFlags(): void;
  /** The same for groups, by the name of the group's type. */
  setGroupPropertiesForFlags(properties: Readonly<Record<string, Properties>>): void;
  /** Removes the properties of a group type, or of all. */
  resetGroupPropertiesForFlags(groupType?: string): void;
  /** Looks for changed definitions of flags now. */
  reloadFeatureFlags(): Promise<void>;
  /** Whether flags can be evaluated here, after at most `timeoutMs` (default 3000). */
  whenFlagsReady(timeoutMs?: number): Promise<boolean>;

  /** Runs `work` in a context with a person, session and properties, for the calls inside. Values that are not given are those of the outer context. */
  withContext<T>(context: RequestContext, work: () => T): T;
  /** Whom the calls of this moment are about; undefined outside of requests. */
  getContext(): RequestContext | undefined;

  /** Captures again after `optOut`. */
  optIn(): void;
  /** Captures nothing until `optIn`. */
  optOut(): void;
  isOptedOut(): boolean;
  /** Turns debug logging on or off. */
  debug(on?: boolean): void;
  /** Forgets overrides, remembered flag values and which flags were reported. */
  reset(): void;
  /** Sends the queued events; fulfilled when the attempt is over. */
  flush(): Promise<void>;
  /** Sends the queued events for at most `timeoutMs` (default 30000), and stops. */
  shutdown(timeoutMs?: number): Promise<void>;
}
