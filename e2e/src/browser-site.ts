import { createServer } from 'node:http';
import type { Browser, Service } from '@tidemark/testkit';

/** A page of a site: its HTML, and headers such as a Content-Security-Policy. */
export interface SitePage {
  html: string;
  headers?: Record<string, string>;
}

/** A web site that uses the service, on an origin of its own. */
export interface Site {
  url: string;
  close(): void;
}

/** Serves pages by path; undefined is an empty answer. */
export async function startSite(pageOf: (path: string) => SitePage | undefined): Promise<Site> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const page = pathname === '/favicon.ico' ? undefined : pageOf(pathname);
    if (!page) return void response.writeHead(204).end();
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...page.headers }).end(page.html);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** HTML of a page that starts the client from the script at `host`. `before` and `after` are its own code around that. */
export function pageWith(
  host: string,
  projectKey: string,
  { options = {}, body = '', before = '' }: { options?: object; body?: string; before?: string } = {},
): string {
  // headless Chromium counts as a bot
  const settings = JSON.stringify({ api_host: host, opt_out_useragent_filter: true, ...options });
  return `<!doctype html><title>Shop</title><body>${body}<script>${before}</script><script src="${host}/static/tidemark.js"></script>
<script>tidemark.init('${projectKey}', { ...${settings}, ...window.moreOptions });</script></body>`;
}

/** A tab in a new browser context; records its errors. */
export interface WatchedPage {
  page: Awaited<ReturnType<Browser['newPage']>>;
  context: Awaited<ReturnType<Browser['newContext']>>;
  /** Uncaught errors of the page. */
  errors: string[];
  close(): Promise<void>;
}

export async function openPage(browser: Browser): Promise<WatchedPage> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  return { page, context, errors, close: () => context.close() };
}

export interface StoredEvent {
  uuid: string;
  event: string;
  distinctId: string;
  timestamp: string;
  properties: Record<string, unknown>;
}

/** Stored events of these visitors, oldest first. */
export async function storedEvents(service: Service, distinctIds: readonly unknown[]): Promise<StoredEvent[]> {
  const records = await service.events();
  return records
    .map((record) => {
      const { properties } = record;
      return {
        uuid: String(record['uuid']),
        event: String(record['event']),
        distinctId: String(record['distinct_id']),
        timestamp: String(record['timestamp']),
        properties: typeof properties === 'string' ? JSON.parse(properties) : Object(properties),
      };
    })
    .filter(({ distinctId }) => distinctIds.includes(distinctId))
    .sort((a, b) => (a.timestamp + a.uuid < b.timestamp + b.uuid ? -1 : 1));
}
