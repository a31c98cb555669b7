import { eventually, type Firefox, findFirefox, launchFirefox, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pageWith, type Site, startSite, storedEvents } from './browser-site.js';
import { type ReplaySite, startReplaySite, strictPage } from './replay-site.js';
import { startTap, type Tap } from './tap.js';

/** Collects uncaught errors and policy violations of the page. */
const FAULTS = `window.faults = [];
addEventListener('error', ({ message }) => faults.push(message));
addEventListener('unhandledrejection', ({ reason }) => faults.push(String(reason)));
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => faults.push(violatedDirective + ' ' + blockedURI));`;
const initialized = '!!window.tidemark?.isInitialized';

// scripts/test.mjs says so when the machine has no Firefox
describe.runIf(findFirefox())('in Firefox', () => {
  let service: Service;
  let firefox: Firefox;
  let tap: Tap;
  let site: Site;
  let replaySite: ReplaySite;
  let html = '';
  beforeAll(async () => {
    [service, firefox, replaySite] = await Promise.all([startService(), launchFirefox(), startReplaySite()]);
    tap = await startTap(service.url);
    site = await startSite(() => ({ html }));
    const groups = [{ properties: [], rollout_percentage: 100 }];
    await service.post('/api/projects/@current/feature_flags/', { key: 'welcome', name: 'welcome', filters: { groups } });
    await service.call('PATCH', '/api/projects/@current/', { body: { session_recording_opt_in: true } });
  });
  afterAll(async () => {
    await firefox?.close();
    site?.close();
    await replaySite?.close();
    tap?.close();
    await service?.close();
  });
  beforeEach(() => {
    tap.mode = 'pass';
    tap.requests.length = 0;
  });

  const becomes = (expression: string) => eventually(async () => expect(await firefox.evaluate(expression)).toBe(true));
  const open = async (body: string, options: object = {}, path = '/') => {
    html = pageWith(tap.url, service.account.projectKey, { body, options, before: FAULTS });
    await firefox.goto(site.url + path);
    await becomes(initialized);
  };
  const uploads = () => tap.requests.filter(({ path }) => path.startsWith('/s/'));

  test('a whole visit is captured: page view, flags, clicks, identify, a recording, and page leave', async () => {
    await open('<main><button id="buy" class="big">Buy</button></main>', {}, '/shop?utm_source=letter');
    await becomes(`tidemark.isFeatureEnabled('welcome') && tidemark.isSessionReplayActive()`);
    const anonymous = await firefox.evaluate<string>('tidemark.getDistinctId()');
    const later = `performance.getEntriesByType('resource').find(({ name }) => name.includes('tidemark-deferred')).name`;
    await firefox.evaluate(`import(${later}).then(() => true)`);
    await firefox.click('#buy');
    await firefox.evaluate(`void (tidemark.identify('ada', { plan: 'pro' }), tidemark.capture('Signed Up'))`);
    await firefox.evaluate('tidemark.flush().then(() => true)');
    await eventually(async () => expect(uploads().length).toBeGreaterThan(0));
    const storedTexts = await firefox.evaluate<string[]>(`[document.cookie, Object.entries(localStorage).join()]`);
    for (const text of storedTexts) expect(text).toContain('ada');
    expect(await firefox.evaluate('window.faults')).toEqual([]);
    // Firefox may abort the request of a page that is left; the visitor's next page then sends the stored queue
    await open('', {}, '/next');
    await eventually(async () => {
      const events = await storedEvents(service, [anonymous, 'ada']);
      const first = events.filter(({ properties }) => properties['$pathname'] === '/shop');
      expect(first.map(({ event }) => event).sort()).toEqual(
        ['$pageview', '$feature_flag_called', '$autocapture', '$identify', 'Signed Up', '$pageleave'].sort(),
      );
      const of = (name: string) => first.find(({ event }) => event === name)?.properties;
      expect(of('$pageview')).toMatchObject({ $browser: 'Firefox', $pathname: '/shop', utm_source: 'letter' });
      expect(of('$autocapture')).toMatchObject({ $el_text: 'Buy', $event_type: 'click' });
      expect(of('$pageleave')).toMatchObject({ $prev_pageview_pathname: '/shop' });
    });
    expect(tap.sent()).toContain('button.big:');
    expect(await firefox.evaluate('tidemark.getDistinctId()')).toBe('ada');
    await firefox.evaluate('tidemark.reset()');
  });

  /** Navigates forth and back until Firefox restores the first page; it may reload it instead when short of memory or time. */
  const restoredByBack = async (attempts: number): Promise<string> => {
    await open('', {}, '/first');
    const id = await firefox.evaluate<string>('tidemark.getDistinctId()');
    // a page with requests in flight is not restored
    await firefox.evaluate('tidemark.flush().then(() => true)');
    await firefox.evaluate('void (window.alive = 1)');
    await open('', {}, '/second');
    await firefox.back();
    await becomes(`location.pathname === '/first' && document.readyState === 'complete'`);
    if (await firefox.evaluate<boolean>('window.alive === 1')) return id;
    if (attempts === 1) throw new Error('Firefox restored none of the pages.');
    return restoredByBack(attempts - 1);
  };

  test('a page restored by Back is one more page view, with the navigation type of a traversal', async () => {
    const id = await restoredByBack(5);
    await firefox.evaluate('tidemark.flush().then(() => true)');
    await eventually(async () => {
      const views = (await storedEvents(service, [id])).filter(({ event }) => event === '$pageview');
      expect(views.map(({ properties }) => [properties['$pathname'], properties['navigation_type']]).slice(-3)).toEqual([
        ['/first', undefined],
        ['/second', undefined],
        ['/first', 'traverse'],
      ]);
    });
  });

  test('a recording works under a strict Content-Security-Policy with Trusted Types', async () => {
    const content = { host: tap.url, key: service.account.projectKey, options: {}, replayOptions: {} };
    Object.assign(replaySite.page, strictPage(content, '<button id="buy">Buy</button>'));
    await firefox.goto(replaySite.url);
    await firefox.evaluate(`void (() => { ${FAULTS} })()`);
    await becomes('!!window.client && client.isSessionReplayActive()');
    const id = await firefox.evaluate('client.getDistinctId()');
    await firefox.click('#buy');
    await firefox.evaluate('client.flush().then(() => true)');
    await eventually(async () => expect(uploads().length).toBeGreaterThan(0));
    await eventually(async () => {
      const names = (await storedEvents(service, [id])).map(({ event }) => event);
      expect(names).toEqual(expect.arrayContaining(['$pageview', '$autocapture']));
    });
    expect(await firefox.evaluate('window.faults')).toEqual([]);
  });

  test('pages that are left at once lose no event and send none twice', async () => {
    const wanted: string[] = [];
    await open('', { capture_pageview: false, disable_flags: true });
    for (let i = 0; i < 8; i++) {
      const uuids = await firefox.evaluate<string[]>(`[1, 2].map((n) => tidemark.capture('leaving', { n }).uuid)`);
      wanted.push(...uuids);
      if (i % 4 === 3) await firefox.replaceTab();
      else if (i % 4 === 2) await firefox.evaluate(`void (window.old = 1, location.reload())`);
      if (i % 4 === 2) await becomes(`window.old === undefined && ${initialized}`);
      else {
        await firefox.goto(`${site.url}/${i}`);
        await becomes(initialized);
      }
    }
    await firefox.evaluate('tidemark.flush().then(() => true)');
    await eventually(async () => {
      const stored = (await service.storedUuids()).filter((uuid) => wanted.includes(uuid));
      expect(stored.sort()).toEqual([...wanted].sort());
    });
  });

  test.each(['down', 'error'] as const)(
    'events captured while the service is %s arrive after it is back, once each',
    async (mode) => {
      await open('', { capture_pageview: false, disable_flags: true });
      tap.mode = mode;
      const uuids = await firefox.evaluate<string[]>(
        `(async () => {
        const uuids = Array.from({ length: 30 }, (_, n) => tidemark.capture('waiting', { n }).uuid);
        await tidemark.flush();
        return uuids;
      })()`,
      );
      // this page and the next are left while the service is down
      for (const path of ['/next', '/after']) {
        await firefox.goto(site.url + path);
        await becomes(initialized);
      }
      tap.mode = 'pass';
      await firefox.goto(`${site.url}/back`);
      await becomes(initialized);
      await eventually(async () => {
        const stored = (await service.storedUuids()).filter((uuid) => uuids.includes(uuid));
        expect(stored.sort()).toEqual([...uuids].sort());
      });
    },
  );
});
