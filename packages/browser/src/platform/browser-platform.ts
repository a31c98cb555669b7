import { type Platform, type Store, uuid7Maker } from '@tidemark/client';
import { listen } from '../listen.js';
import type { BrowserOptions } from '../options.js';
import { storeFor, webStorage } from '../storage/index.js';
import { VERSION } from '../version.js';
import { isBot } from './bots.js';
import { consoleLog } from './console-log.js';
import { browserContext } from './context.js';
import { onHide } from './leaving.js';
import { keepaliveRoom, request } from './requests.js';
import { onStoreChange } from './store-changes.js';
import { windowId } from './window-id.js';

/** What a page gives the core. */
export function browserPlatform(options: BrowserOptions): Platform {
  const platform = pagelessPlatform(storeFor(options));
  const isKept = options.cookieless_mode !== 'always' && options.persistence !== 'memory';
  const stored = isKept ? webStorage('sessionStorage', false) : undefined;
  const tab = windowId(stored, platform.ids.uuid7);
  const isProgram = !options.opt_out_useragent_filter && isBot(navigator, options.custom_blocked_useragents);
  const isRefused = options.respect_dnt && refusesTracking();
  const refusal = isProgram ? 'bot' : isRefused ? 'dnt' : undefined;
  return {
    ...platform,
    keepaliveRoom,
    online: {
      isOnline: () => navigator.onLine,
      // no `offline` listener: the queue checks `isOnline` before each request
      onChange: (listener) => listen(window, ['online'], listener),
    },
    onHide,
    ...(isKept && { onStoreChange }),
    gzip,
    context: browserContext(options),
    windowId: () => tab,
    refusal: () => refusal,
  };
}

/** Where there is no page, as when a server renders it: nothing is stored or listened to. */
export function pagelessPlatform(store: Store): Platform {
  // some pages delete it
  const now = () => Date.now?.() ?? Date.parse(new Date().toISOString());
  // a browser's first request takes milliseconds to set up: not while the page starts
  const started = new Promise((resolve) => setTimeout(resolve));
  return {
    library: { name: 'tidemark-js', version: VERSION },
    fetch: async (url, given) => {
      await started;
      return request(url, given);
    },
    store,
    clock: { now },
    ids: { uuid7: uuid7Maker(now, (bytes) => crypto.getRandomValues(bytes)) },
    // browsers run timers above 2^31 ms at once
    timers: {
      set: (run, milliseconds) => setTimeout(run, Math.min(milliseconds, 2e9)),
      clear: (handle) => clearTimeout(Number(handle)),
    },
    log: consoleLog,
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
