import type { Browser } from '@tidemark/testkit';
import { expect } from 'vitest';
import type { WatchedPage } from '../browser-site.js';

/** A tab. */
export type Tab = WatchedPage['page'];

/** A browser profile, whose tabs share cookies and storage. */
export interface Visitor extends Pick<WatchedPage, 'context' | 'errors' | 'close'> {
  /** Opens another tab at an address. */
  open(url: string): Promise<Tab>;
}

/** Opens a browser profile without tabs. */
export async function openVisitor(browser: Browser): Promise<Visitor> {
  const context = await browser.newContext();
  const errors: string[] = [];
  context.on('weberror', (error) => errors.push(error.error().message));
  return {
    context,
    errors,
    async open(url) {
      const tab = await context.newPage();
      await tab.goto(url);
      return tab;
    },
    close: () => context.close(),
  };
}

/**
 * Goes back or forward to a page of the same tab that the browser kept alive, and fails if the browser loaded that page again. The browser must
 * come from `launchBrowser({ backForwardCache: true })`.
 */
export async function restore(tab: Tab, direction: 'back' | 'forward' = 'back'): Promise<void> {
  // a restored page fires no `load`
  const how = { waitUntil: 'commit' } as const;
  await (direction === 'back' ? tab.goBack(how) : tab.goForward(how));
  await tab.waitForFunction(`document.readyState === 'complete'`);
  const entry = await tab.evaluate<string>(`performance.getEntriesByType('navigation')[0].type`);
  expect(entry, 'a restored page keeps the navigation that first loaded it').toBe('navigate');
}
