import { withMessages } from '../messages.js';
import type { HttpAnswer, HttpRequest, Log, Platform, Store } from '../platform.js';

/** What the scripted server says. `fail`: no answer comes; `hang`: none comes until the request is aborted. */
export type FakeAnswer = { status?: number; body?: unknown; headers?: Record<string, string> } | 'fail' | 'hang';

/** A request as the server saw it. */
export interface FakeRequest {
  url: string;
  /** Without host and query. */
  path: string;
  method: string;
  headers: Record<string, string>;
  /** Parsed, when it was JSON. */
  body: unknown;
  keepalive: boolean;
  /** Made while the page was being left. */
  leaving: boolean;
  /** Milliseconds on the fake clock. */
  at: number;
}

export interface FakePlatform extends Platform {
  requests: FakeRequest[];
  /** Requests to paths that begin so. */
  requestsTo(path: string): FakeRequest[];
  /** Answers for paths that begin so: one after the other, the last one for good. */
  answer(path: string, ...answers: (FakeAnswer | ((request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>))[]): void;
  /** Moves the clock, running the timers on the way. */
  advance(milliseconds: number): Promise<void>;
  /** Lets promises run without moving the clock. */
  settle(): Promise<void>;
  /** What is stored; kept when a second platform is made with it. */
  stored: Map<string, string>;
  /** Every call that wrote to the store. */
  writes: string[];
  storeFails: boolean;
  setOnline(on: boolean): void;
  hide(): void;
  /** Like a page in the back/forward cache: hears nothing until `thaw`. */
  isFrozen: boolean;
  thaw(): void;
  logged: { level: keyof Log; text: string }[];
  warnings(): string[];
  pendingTimers(): number;
}

export interface World {
  stored?: Map<string, string>;
  now?: number;
  seed?: number;
  /** False: nobody hears of changes, as where only cookies are stored. */
  reportsChanges?: boolean;
}

/** Who hears of changes of a store: browsers tell all pages but the one that made the change. */
const storeListeners = new WeakMap<Map<string, string>, Set<(by: FakePlatform) => void>>();

/** The neutral world: an empty store, a server that says 200 to all, and the clock at 2025-01-01T00:00:00Z. */
export function createFakePlatform(world: World = {}): FakePlatform {
  let now = world.now ?? Date.UTC(2025, 0, 1);
  let counter = (world.seed ?? 0) * 1_000_000;
  let online = true;
  const stored = world.stored ?? new Map<string, string>();
  const timers = new Map<number, { at: number; run: () => void }>();
  const scripts: { path: string; answers: (FakeAnswer | ((request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>))[] }[] = [];
  const onlineListeners = new Set<() => void>();
  const hideListeners = new Set<() => void>();
  const thawListeners = new Set<() => void>();

  const store: Store = {
    get(key) {
      if (platform.storeFails) throw new Error('storage is blocked');
      return stored.get(key) ?? null;
    },
    set(key, text) {
      if (platform.storeFails) throw new Error('quota exceeded');
      platform.writes.push(key);
      if (stored.get(key) === text) return;
      stored.set(key, text);
      report();
    },
    remove(key) {
      if (platform.storeFails) throw new Error('storage is blocked');
      if (stored.delete(key)) report();
    },
    keys() {
      if (platform.storeFails) throw new Error('storage is blocked');
      return [...stored.keys()];
    },
    ...(world.reportsChanges !== false && { reportsChanges: true }),
  };
  const listeners = storeListeners.get(stored) ?? new Set();
  storeListeners.set(stored, listeners);
  const report = () => {
    for (const listener of listeners) void Promise.resolve().then(() => listener(platform));
  };
  const note =
    (level: keyof Log) =>
    (...parts: unknown[]) => {
      platform.logged.push({ level, text: parts.map(String).join(' ') });
    };
  const record = (url: string, request: HttpRequest): FakeRequest => {
    const text = typeof request.body === 'string' ? request.body : undefined;
    let body: unknown = text;
    try {
      if (text !== undefined) body = JSON.parse(text);
    } catch {}
    const seen: FakeRequest = {
      url,
      path: url.replace(/^https?:\/\/[^/]*|[?#].*/g, ''),
      method: request.method,
      headers: request.headers ?? {},
      body,
      keepalive: request.keepalive === true,
      leaving: request.leaving === true,
      at: now,
    };
    platform.requests.push(seen);
    return seen;
  };
  const answerTo = async (request: FakeRequest): Promise<FakeAnswer> => {
    const script = scripts.find(({ path }) => request.path.startsWith(path));
    const next = script && (script.answers.length > 1 ? script.answers.shift() : script.answers[0]);
    return (typeof next === 'function' ? await next(request) : next) ?? { status: 200, body: { status: 'Ok' } };
  };
  const settle = async () => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  };

  const platform: FakePlatform = {
    library: { name: 'tidemark-test', version: '1.0.0' },
    async fetch(url, request): Promise<HttpAnswer> {
      const answer = await answerTo(record(url, request));
      if (answer === 'hang') return new Promise(() => {});
      if (answer === 'fail') throw new TypeError('Failed to fetch');
      const headers = new Map(Object.entries(answer.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
      return {
        status: answer.status ?? 200,
        header: (name) => headers.get(name.toLowerCase()) ?? null,
        text: async () => (typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {})),
      };
    },
    keepaliveRoom: () => 60_000,
    store,
    onStoreChange(listener) {
      const heard = (by: FakePlatform) => {
        if (by !== platform && !platform.isFrozen && store.reportsChanges) listener();
      };
      listeners.add(heard);
      thawListeners.add(listener);
      return () => {
        listeners.delete(heard);
        thawListeners.delete(listener);
      };
    },
    clock: { now: () => now },
    ids: {
      uuid7(at = now) {
        const time = at.toString(16).padStart(12, '0');
        const unique = (++counter).toString(16).padStart(12, '0');
        return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${unique}`;
      },
    },
    timers: {
      set(run, milliseconds) {
        const handle = ++counter;
        timers.set(handle, { at: now + milliseconds, run });
        return handle;
      },
      clear(handle) {
        if (typeof handle === 'number') timers.delete(handle);
      },
    },
    online: {
      isOnline: () => online,
      onChange(listener) {
        onlineListeners.add(listener);
        return () => void onlineListeners.delete(listener);
      },
    },
    onHide(listener) {
      hideListeners.add(listener);
      return () => void hideListeners.delete(listener);
    },
    log: withMessages({ debug: note('debug'), warn: note('warn'), error: note('error') }),

    requests: [],
    requestsTo: (path) => platform.requests.filter((request) => request.path.startsWith(path)),
    answer(path, ...answers) {
      const before = scripts.findIndex((script) => script.path === path);
      if (before >= 0) scripts.splice(before, 1);
      scripts.push({ path, answers });
    },
    settle,
    async advance(milliseconds) {
      const end = now + milliseconds;
      await settle();
      for (;;) {
        const due = [...timers].filter(([, timer]) => timer.at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
        if (!due) break;
        timers.delete(due[0]);
        now = Math.max(now, due[1].at);
        due[1].run();
        await settle();
      }
      now = end;
    },
    stored,
    writes: [],
    storeFails: false,
    setOnline(on) {
      online = on;
      for (const listener of onlineListeners) listener();
    },
    hide() {
      for (const listener of hideListeners) listener();
    },
    isFrozen: false,
    thaw() {
      platform.isFrozen = false;
      for (const listener of thawListeners) listener();
    },
    logged: [],
    warnings: () => platform.logged.filter(({ level }) => level === 'warn').map(({ text }) => text),
    pendingTimers: () => timers.size,
  };
  return platform;
}
