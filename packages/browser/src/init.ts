import { type Client, createClient, type Feature, flags } from '@tidemark/client';
import { attribution } from './attribution/index.js';
import { autocapture } from './autocapture/index.js';
import { addInstance, DEFAULT_NAME, getClient } from './instances.js';
import { later } from './later.js';
import type { BrowserOptions } from './options.js';
import { pageviews } from './pages/index.js';
import { browserPlatform, consoleLog, pagelessPlatform } from './platform/index.js';
import { memory } from './storage/index.js';

/**
 * Creates a client and starts capturing, or returns the client that has this name already.
 * @param apiKey the project's public key, `tmk_…`
 * @param name for more than one client on a page; the option of that name means the same
 * @example
 * const client = init('tmk_…', { api_host: 'https://analytics.example.com' });
 * client.capture('Signed Up', { plan: 'pro' });
 */
export function init(apiKey: string, given?: BrowserOptions | null, name = given?.name ?? DEFAULT_NAME): Client {
  const options = given ?? {};
  const existing = getClient(name);
  // a client that was shut down, or has no valid key, is replaced
  if (existing?.isInitialized) {
    consoleLog.warn('[tidemark]', `exists:${name}`);
    return existing;
  }
  // a server that renders the page has no visitor
  if (typeof document === 'undefined') {
    const inert = { ...options, opt_out_by_default: true, disable_flags: true, disable_remote_config: true };
    return createClient(apiKey, inert, pagelessPlatform(memory()), [flags()]);
  }
  const { autocapture: clicks = true, capture_pageview, capture_pageleave, features = [], ...others } = options;
  const parts: Feature[] = [flags(), attribution(options), later(options)];
  if (clicks) parts.push(autocapture(clicks === true ? {} : clicks));
  // last, since it captures the first page view at once, which the features of the options must see
  parts.push(...features, pageviews({ pageview: capture_pageview, pageleave: capture_pageleave }));
  const client = createClient(apiKey, { ...others, name }, browserPlatform(options), parts);
  addInstance(name, client);
  return client;
}
