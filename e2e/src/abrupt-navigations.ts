import { type Browser, eventually, type Service } from '@tidemark/testkit';
import { openPage, pageWith, startSite } from './browser-site.js';

/** Fate of the events of pages that were left at once. */
export interface NavigationResult {
  captured: number;
  stored: number;
  duplicates: number;
}

/**
 * Captures two events on each of `count` pages and leaves every page right after, as visitors do: by link, by reload, by address,
 * and by closing the tab now and then. The library is loaded by all of them from the service.
 */
export async function abruptNavigations(browser: Browser, service: Service, count: number): Promise<NavigationResult> {
  const html = pageWith(service.url, service.account.projectKey, { options: { capture_pageview: false, disable_flags: true } });
  const site = await startSite(() => ({ html }));
  const { context, close } = await openPage(browser);
  let page = await context.newPage();
  await page.goto(site.url);
  const wanted = new Set<string>();
  for (let i = 0; i < count; i++) {
    const leave = [`location.href = '/${i}'`, 'location.reload()', `location.replace('/${i}')`, ''][i % 4];
    const loaded = leave ? page.waitForEvent('load') : undefined;
    const uuids = await page.evaluate<string[]>(`(() => {
      const uuids = [1, 2].map((n) => tidemark.capture('leaving', { n }).uuid);
      ${leave};
      return uuids;
    })()`);
    for (const uuid of uuids) wanted.add(uuid);
    if (loaded) await loaded;
    else {
      await page.close({ runBeforeUnload: false });
      page = await context.newPage();
      await page.goto(`${site.url}/${i}`);
    }
    await page.waitForFunction('window.tidemark?.isInitialized');
  }
  await page.evaluate('tidemark.flush()');
  const storedOnes = async () => (await service.storedUuids()).filter((uuid) => wanted.has(uuid));
  await eventually(async () => {
    if ((await storedOnes()).length < wanted.size) throw new Error('not all are there yet');
  }).catch(() => undefined);
  const stored = await storedOnes();
  await close();
  site.close();
  return { captured: wanted.size, stored: new Set(stored).size, duplicates: stored.length - new Set(stored).size };
}
