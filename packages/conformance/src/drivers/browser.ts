import type { BrowserOptions } from '@tidemark/browser';
import { type Store, withMessages } from '@tidemark/client';
import { createFakePlatform, type FakePlatform } from '@tidemark/client/testing';
import { vi } from 'vitest';
import { type Beginning, HOST, PROJECT_KEY, type Started } from './driver.js';
import { recorder } from './recorder.js';

let leave = () => {};
let visits = 0;

/** The browser SDK, started by `init` in a page with fake network, clock, timers and storage. */
export async function startInBrowser(options: BrowserOptions = {}, before: Beginning = {}): Promise<Started> {
  forgetVisitor();
  return visit(createFakePlatform(), options, before);
}

async function visit(platform: FakePlatform, options: BrowserOptions, before: Beginning): Promise<Started> {
  leave();
  leave = openPage(platform);
  before.world?.(platform);
  // each page has its own copy of the library
  vi.resetModules();
  // pages load the message texts with the first message; these tests need them at once
  vi.doMock('../../../browser/dist/platform/console-log.js', () => ({ consoleLog: withMessages(console) }));
  const { exceptions, init, replay } = await import('@tidemark/browser');
  const { queued, before_send } = recorder(options.before_send);
  const all: BrowserOptions = {
    api_host: HOST,
    disable_remote_config: true,
    disable_compression: true,
    autocapture: false,
    capture_pageview: false,
    opt_out_useragent_filter: true,
    features: [exceptions(), replay()],
    ...options,
    before_send,
  };
  const client = init(before.apiKey ?? PROJECT_KEY, all);
  before.client?.(client);
  // requests wait for the page's start, and values of other pages for its idle time
  await platform.advance(0);
  await vi.dynamicImportSettled();
  return {
    client,
    platform,
    queued,
    queuedAs: (event) => queued.filter((other) => other.event === event),
    restart: (more = {}, next = {}) => {
      const world = { stored: platform.stored, now: platform.clock.now(), seed: ++visits };
      return visit(createFakePlatform(world), { ...options, ...more }, next);
    },
  };
}

/** Replaces the browser's globals by the fakes; returns a function that leaves the page. */
function openPage(platform: FakePlatform): () => void {
  const { store, timers } = platform;
  const tab = new Map<string, string>();
  vi.spyOn(Date, 'now').mockImplementation(platform.clock.now);
  vi.stubGlobal('setTimeout', (run: () => void, milliseconds = 0) => timers.set(run, milliseconds));
  vi.stubGlobal('clearTimeout', timers.clear);
  vi.stubGlobal('fetch', async (...[url, request]: Parameters<FakePlatform['fetch']>) => {
    const answer = await platform.fetch(url, request);
    return { status: answer.status, headers: { get: answer.header }, text: answer.text };
  });
  vi.stubGlobal('localStorage', asWebStorage(platform.stored, store));
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => tab.get(key) ?? null,
    setItem: (key: string, text: string) => void tab.set(key, text),
    removeItem: (key: string) => void tab.delete(key),
  });
  // the recorder reads this, and happy-dom only declares it
  vi.stubGlobal('DOMTokenList', document.body.classList.constructor);
  for (const level of ['debug', 'warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(platform.log[level]);
  // timers of 0 ms run first
  platform.settle = () => platform.advance(0);
  platform.hide = () => void dispatchEvent(new Event('pagehide'));

  const listening: (() => void)[] = [];
  const targets: EventTarget[] = [window, document];
  for (const target of targets) {
    const listen = target.addEventListener.bind(target);
    vi.spyOn(target, 'addEventListener').mockImplementation((type, listener, how) => {
      listen(type, listener, how);
      listening.push(() => target.removeEventListener(type, listener, how));
    });
  }
  return () => {
    for (const stop of listening) stop();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  };
}

/** A `Storage` whose keys are also properties, as in browsers. */
function asWebStorage(stored: Map<string, string>, store: Store): object {
  const methods = { getItem: store.get, setItem: store.set, removeItem: store.remove };
  return new Proxy(methods, {
    ownKeys: () => [...stored.keys()],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  });
}

function forgetVisitor(): void {
  for (const cookie of document.cookie.split('; ')) {
    // biome-ignore lint/suspicious/noDocumentCookie: there is no other way
    document.cookie = `${cookie.split('=')[0]}=; path=/; max-age=-1`;
  }
}
