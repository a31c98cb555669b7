/** The running platform's own `AbortSignal`, where it has one. */
export type PlatformAbortSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } } ? Signal : object;

/** A request as the core makes it; a subset of what `fetch` takes. */
export interface HttpRequest {
  method: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  /** The request should outlive the page (`keepalive` of fetch). A platform that does not support this, or not for a body of this length, sends it normally. */
  keepalive?: boolean;
  /** The page may end at any moment: the platform sends the request at once, in whatever way outlives the page. */
  leaving?: boolean;
  signal?: PlatformAbortSignal;
}

/** What a platform's `fetch` gives back. */
export interface HttpAnswer {
  status: number;
  /** Names are case-insensitive; null when the answer does not have it. */
  header(name: string): string | null;
  text(): Promise<string>;
}

/** Synchronous text storage. `set` may throw (quota, blocked); the core then uses memory. */
export interface Store {
  get(key: string): string | null;
  set(key: string, text: string): void;
  remove(key: string): void;
  /** `Platform.onStoreChange` reports every change at once. Otherwise the core reads the store before each event. */
  reportsChanges?: true;
  /** All keys in any order, including those of other libraries. Only stores that several pages or runs share need it. */
  keys?(): string[];
}

/** Where the library writes for the developer; `debug` lines come only while debugging is on. */
export interface Log {
  debug(...parts: unknown[]): void;
  warn(...parts: unknown[]): void;
  error(...parts: unknown[]): void;
}

export interface Timers {
  set(run: () => void, milliseconds: number): unknown;
  /** undefined: nothing to do. */
  clear(handle: unknown): void;
}

/** Everything a platform gives; nothing else in the core reaches outside. */
export interface Platform {
  /** Sent as `$lib` and `$lib_version`. */
  library: { name: string; version: string };
  /** Rejects when no HTTP answer came. */
  fetch(url: string, request: HttpRequest): Promise<HttpAnswer>;
  /** Bytes of body that a request may have now which is to outlive the page. A platform without it has no pages that end. */
  keepaliveRoom?(): number;
  store: Store;
  /** Calls the listener when another page may have changed the store; gives back the way to stop. Absent where the store has one user. */
  onStoreChange?(listener: () => void): () => void;
  /** `now` in epoch milliseconds. */
  clock: { now(): number };
  /** UUID version 7 for the given time, or for now. */
  ids: { uuid7(at?: number): string };
  timers: Timers;
  online?: { isOnline(): boolean; onChange(listener: () => void): () => void };
  /** Calls the listener whenever the page or app may be about to go; gives back the way to stop. */
  onHide?(listener: () => void): () => void;
  gzip?(text: string): Promise<Uint8Array<ArrayBuffer>>;
  log: Log;
  /** Properties of every event (`$browser`, `$current_url`, …). Called for each event, so it must be fast. */
  context?(): Record<string, unknown>;
  /** One id per tab, sent as `$window_id`. */
  windowId?(): string;
  /**
   * Why nobody is captured here, for the developer: the browser refuses for the person (Do Not Track), where the options respect that, or a
   * program visits. Undefined: nothing forbids it.
   */
  refusal?(): string | undefined;
}
