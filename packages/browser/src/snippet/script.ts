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

/** The script for pages without a bundler. It replaces `window.tidemark`, and makes the calls that were queued there. */

declare global {
  interface Window {
    tidemark?: unknown;
  }
}

/** The host of the service from the URL of the script, with its path: `https://shop.example/t` for `https://shop.example/t/static/tidemark.js`. */
const SERVICE = serviceOf(document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : '');

function start(apiKey: string, given?: BrowserOptions | null, name?: string) {
  const { web_vitals, exceptions: errors, features = [] } = given ?? {};
  const options = { ...given, api_host: given?.api_host ?? SERVICE };
  // the recorder is another file, loaded when the project records sessions
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
  /** Early access features of the first client. */
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

/** Makes the methods of the client those of `tidemark`, and makes the queued calls. */
function serve(client: Client): void {
  Object.setPrototypeOf(tidemark, client);
  const calls = waiting;
  waiting = [];
  for (const call of calls) makeCall(client, call);
}

const left: unknown = window.tidemark;
if (!left || Array.isArray(left)) {
  if (Array.isArray(left)) {
    // the methods of the page's snippet, which queue calls until there is a client
    Object.setPrototypeOf(tidemark, left);
    const { push } = tidemark;
    left.push = (...calls: unknown[]) => calls.map(push).length;
  }
  window.tidemark = tidemark;
  whenInitialized(serve);
  // in order: calls before `init` wait for the client
  for (const call of queuedCalls(left)) tidemark.push(call);
  const { apiKey, ...options } = document.currentScript?.dataset ?? {};
  if (apiKey) Reflect.apply(start, undefined, [apiKey, optionsOf(options)]);
}
