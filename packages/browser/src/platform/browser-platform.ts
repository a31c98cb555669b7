import type { HttpRequest, Platform, Store } from '@tidemark/client';
import { listen } from '../listen.js';
import type { BrowserOptions } from '../options.js';
import { storeFor, webStorage } from '../storage/index.js';
import { VERSION } from '../version.js';
import { isBot } from './bots.js';
import { browserContext } from './context.js';
import { uuid7Maker } from './ids.js';
import { onHide } from './leaving.js';
import { windowId } from './window-id.js';

/** What a page gives the core. */
export function browserPlatform(options: BrowserOptions): Platform {
  const platform = pagelessPlatform(storeFor(options));
  const stored =
    options.cookieless_mode === 'always' || options.persistence === 'memory' ? undefined : webStorage('sessionStorage');
  const tab = windowId(stored, platform.ids.uuid7);
  const refuses =
    (!options.opt_out_useragent_filter && isBot(navigator, options.custom_blocked_useragents)) ||
    (options.respect_dnt && refusesTracking());
  return {
    ...platform,
    // settings of browsers, and what blocks advertisements, take it away. Not a Blob: Chromium may lose its bytes with the tab that is closed
    beacon: (url, body) => navigator.sendBeacon?.(url, body),
    online: {
      isOnline: () => navigator.onLine,
      // what waits while the browser is offline looks for itself
      onChange: (listener) => listen(window, 'online', listener),
    },
    onHide,
    gzip,
    context: browserContext(options),
    windowId: () => tab,
    doNotTrack: () => !!refuses,
  };
}

/** Where there is no page, as when a server renders it: nothing is stored or listened to. */
export function pagelessPlatform(store: Store): Platform {
  const now = () => Date.now();
  // a browser's first request takes milliseconds to set up: not while the page starts
  const started = new Promise((resolve) => setTimeout(resolve));
  return {
    library: { name: 'tidemark-js', version: VERSION },
    fetch: async (url, request) => {
      await started;
      const answer = await fetch(url, request satisfies HttpRequest);
      return { status: answer.status, header: (name) => answer.headers.get(name), text: () => answer.text() };
    },
    store,
    clock: { now },
    ids: { uuid7: uuid7Maker(now) },
    // longer ones, browsers run at once
    timers: {
      set: (run, milliseconds) => setTimeout(run, Math.min(milliseconds, 2e9)),
      clear: (handle) => clearTimeout(Number(handle)),
    },
    log: console,
  };
}

/** Do Not Track, or its successor, Global Privacy Control. */
function refusesTracking(): boolean {
  return navigator.doNotTrack === '1' || ('globalPrivacyControl' in navigator && navigator.globalPrivacyControl === true);
}

/** Rejects where browsers cannot: bodies then go as they are. */
async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  // a blob would be made known to the browser's other processes first
  const stream = new Response(text).body?.pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream ?? null).arrayBuffer());
}
