import type { Client } from '@tidemark/client';
import { earlyAccess } from '../early-access/index.js';
import { exceptions } from '../errors/index.js';
import { init } from '../init.js';
import { DEFAULT_NAME, getClient, whenInitialized } from '../instances.js';
import type { BrowserOptions } from '../options.js';
import { replay } from '../replay/index.js';
import { webVitals } from '../vitals/index.js';
import { makeCall, type QueuedCall, queuedCalls } from './call-queue.js';
import { optionsOf, serviceOf } from './script-tag.js';

/** The file that pages without a bundler load: takes over `window.tidemark`, with what was called on it before. */

declare global {
  interface Window {
    tidemark?: unknown;
  }
}

/** The service as the script's own address tells it, also behind a path: `https://shop.example/t/static/tidemark.js` is from `https://shop.example/t`. */
const SERVICE = serviceOf(document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : '');

function start(apiKey: string, given?: BrowserOptions | null, name?: string) {
  const { web_vitals, exceptions: errors, features = [] } = given ?? {};
  const options = { ...given, api_host: given?.api_host ?? SERVICE };
  // the recorder itself is a file of its own, loaded when the project wants recordings
  const parts = [
    ...features,
    replay(),
    ...(name ? [] : [early]),
    ...(web_vitals ? [webVitals()] : []),
    ...(errors ? [exceptions()] : []),
  ];
  const client = init(apiKey, { ...options, features: parts }, name);
  if (client.name !== DEFAULT_NAME) Object.defineProperty(tidemark, client.name, { value: client, configurable: true });
  return client;
}

let waiting: QueuedCall[] = [];
const early = earlyAccess();
const tidemark = {
  init: start,
  /** Of the first client. */
  earlyAccess: early,
  getClient,
  push: (call: unknown) => {
    for (const one of queuedCalls([call])) {
      const client = getClient();
      if (one[0] === 'init') Reflect.apply(start, undefined, one[1]);
      else if (client) makeCall(client, one);
      else waiting.push(one);
    }
  },
};

/** From here on the page calls the client itself. */
function serve(client: Client): void {
  Object.setPrototypeOf(tidemark, client);
  const calls = waiting;
  waiting = [];
  for (const call of calls) makeCall(client, call);
}

const left: unknown = window.tidemark;
if (!left || Array.isArray(left)) {
  if (Array.isArray(left)) {
    // methods that the page's snippet made, until there is a client
    Object.setPrototypeOf(tidemark, left);
    const { push } = tidemark;
    left.push = (...calls: unknown[]) => calls.map(push).length;
  }
  window.tidemark = tidemark;
  whenInitialized(serve);
  // in the order in which they were called, though init may come after the first of them
  for (const call of queuedCalls(left)) tidemark.push(call);
  const { apiKey, ...options } = document.currentScript?.dataset ?? {};
  if (apiKey) Reflect.apply(start, undefined, [apiKey, optionsOf(options)]);
}
