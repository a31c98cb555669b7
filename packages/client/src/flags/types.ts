/** On or off, or the key of the variant. */
export type FlagValue = boolean | string;

/**
 * The flags of your project, for the compiler. Empty: any key goes. Fill it by declaration merging (`tidemark flags:types` writes the file):
 * @example
 * declare module '@tidemark/client' {
 *   interface FlagRegistry { checkout: { value: false | 'blue' | 'green'; payload: { cta: string } } }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be filled by the application
export interface FlagRegistry {}

export type FlagKey = [keyof FlagRegistry] extends [never] ? string : keyof FlagRegistry & string;
type Registered<Key, Field extends string, Otherwise> = Key extends keyof FlagRegistry
  ? FlagRegistry[Key] extends { [F in Field]: infer Known }
    ? Known
    : Otherwise
  : Otherwise;
export type FlagValueOf<Key> = Registered<Key, 'value', FlagValue>;
export type FlagPayloadOf<Key> = Registered<Key, 'payload', unknown>;
/** The variants of a flag; `string` while it is not in the registry. */
export type FlagVariantOf<Key> = Extract<FlagValueOf<Key>, string>;

export interface FlagResult<Key extends string = string> {
  key: Key;
  enabled: boolean;
  variant?: FlagVariantOf<Key>;
  /** null when the flag has none. */
  payload: FlagPayloadOf<Key> | null;
}

export interface FlagReadOptions {
  /** Given for a flag that does not exist or is not known yet. */
  defaultValue?: boolean;
  /** False: the read is not reported as `$feature_flag_called`. */
  tracking?: boolean;
}

/**
 * `loading`: nothing is known yet; over after the first time-out at the latest. `ready`: from the server, bootstrap or an override, or nothing
 * is requested. `stale`: known from before, the server has not confirmed it (yet, or because it cannot be reached). `error`: the server cannot
 * be reached and nothing is known.
 */
export type FlagStatus = 'loading' | 'ready' | 'stale' | 'error';
export type FlagSource = 'bootstrap' | 'cache' | 'server' | 'override';

/** One flag at one moment: the same object until something about it changes. */
export interface FlagSnapshot<Key extends string = string> {
  readonly key: Key;
  readonly status: FlagStatus;
  /** undefined when the flag does not exist or nothing is known. */
  readonly source: FlagSource | undefined;
  /** On, off or the variant's key; undefined: not known. */
  readonly value: FlagValueOf<Key> | undefined;
  /** On, with any variant. */
  readonly enabled: boolean;
  /** undefined for flags without variants. */
  readonly variant: FlagVariantOf<Key> | undefined;
  /** undefined: the flag is not known; null: it has none. */
  readonly payload: FlagPayloadOf<Key> | null | undefined;
  /** The server's reason for the value. */
  readonly reason: string | undefined;
}

/** Flags for user interfaces. Listeners are called only when a flag has changed. */
export interface FlagStore {
  /** `null`: any change of the set of flags, or of a flag that was read. Returns a function that unsubscribes. */
  subscribe(key: string | null, listener: () => void): () => void;
  snapshot<Key extends FlagKey>(key: Key): FlagSnapshot<Key>;
  /** The flag from bootstrap only: for server rendering and hydration. */
  serverSnapshot<Key extends FlagKey>(key: Key): FlagSnapshot<Key>;
  /** Keys of enabled flags; the same array until it changes. */
  activeKeys(): readonly FlagKey[];
  serverActiveKeys(): readonly FlagKey[];
  /** Status of all flags together. */
  status(): FlagStatus;
}

/** Keys of the enabled flags, the values of all, and whether the last request failed. */
export type FlagsListener = (active: FlagKey[], values: Record<string, FlagValue>, context: { error: boolean }) => void;

/** The flag methods of a client. */
export interface FlagMethods {
  /**
   * Whether the flag is on; undefined when it is not known and no default is given. A text as second argument is ignored here: it is the
   * distinct id where the client serves many people (Node.js).
   */
  isFeatureEnabled(key: FlagKey, options?: string | FlagReadOptions, more?: FlagReadOptions): boolean | undefined;
  /** The value: on, off or the variant's key; undefined when it is not known. */
  getFeatureFlag<Key extends FlagKey>(key: Key, options?: FlagReadOptions): FlagValueOf<Key> | undefined;
  /** null: the flag has none; undefined: the flag is not known. Never reported as called. */
  getFeatureFlagPayload<Key extends FlagKey>(key: Key): FlagPayloadOf<Key> | null | undefined;
  /** Value, variant and payload in one; undefined when the flag is not known. */
  getFeatureFlagResult<Key extends FlagKey>(key: Key, options?: FlagReadOptions): FlagResult<Key> | undefined;
  /** The values of all known flags by key; never reported as called. */
  getFeatureFlags(): Record<string, FlagValue>;
  /** The values, and the payloads of flags that have one. */
  getFeatureFlagsAndPayloads(): { featureFlags: Record<string, FlagValue>; featureFlagPayloads: Record<string, unknown> };
  /** For tests and demos: overrides values until `override(false)`. A list turns its flags on. */
  featureFlags: { override(flags: Record<string, FlagValue> | string[] | false, payloads?: Record<string, unknown>): void };
  /** Calls the listener at once if flags are known, and after every load, failed ones too. Returns a function that removes it. */
  onFeatureFlags(listener: FlagsListener): () => void;
  /** Requests flags again, soon: several calls in a row make one request. */
  reloadFeatureFlags(): void;
  /**
   * Fulfilled when flags are settled: with the first answer, after `feature_flag_request_timeout_ms` without one, at once where no request is
   * made (the person has opted out, the browser is automated, flags are disabled), or after `timeoutMs`. Never rejects.
   */
  whenFlagsReady(timeoutMs?: number): Promise<void>;
  /** Sets person properties for the evaluation of flags only; every later flag request contains them. */
  setPersonPropertiesForFlags(properties: Record<string, unknown>, reload?: boolean): void;
  /** Removes the properties of `setPersonPropertiesForFlags`. */
  resetPersonPropertiesForFlags(reload?: boolean): void;
  /** Sets group properties for the evaluation of flags only, by group type. */
  setGroupPropertiesForFlags(properties: Record<string, Record<string, unknown>>, reload?: boolean): void;
  /** Removes the properties of a group type, or of all. */
  resetGroupPropertiesForFlags(groupType?: string): void;
  /** Flags as an external store, for user interfaces. */
  flags: FlagStore;
}
