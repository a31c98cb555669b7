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

/** The platform of the core in a page. */
export function browserPlatform(options: BrowserOptions): Platform {
  const platform = pagelessPlatform(storeFor(options));
  const isPersistent = options.cookieless_mode !== 'always' && options.persistence !== 'memory';
  const stored = isPersistent ? webStorage('sessionStorage', false) : undefined;
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
    ...(isPersistent && { onStoreChange }),
    gzip,
    context: browserContext(options),
    windowId: () => tab,
    refusal: () => refusal,
  };
}

/** The platform without a page, such as on a server that renders it: no storage, no listeners. */
export function pagelessPlatform(store: Store): Platform {
  // some pages delete `Date.now`
  const now = () => Date.now?.() ?? Date.parse(new Date().toISOString());
  // the first request takes the browser milliseconds to set up: after the current task
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

/** Rejects in browsers without `CompressionStream`: bodies are then sent uncompressed. */
async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  // not a Blob, which the browser registers with its other processes first
  const stream = new Response(text).body?.pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream ?? null).arrayBuffer());
}
