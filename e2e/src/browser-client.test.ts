import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPage, pageWith, type Site, type StoredEvent, startSite, storedEvents } from './browser-site.js';
import { compareImportAfterAll } from './testing/compare-import.js';

let service: Service;
let browser: Browser;
let site: Site;
let html = '';
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  site = await startSite(() => ({ html }));
  const everybody = [{ properties: [], rollout_percentage: 100 }];
  await makeFlag('welcome', { groups: everybody, payloads: { true: '{"text":"Hello"}' } });
  const variants = [{ key: 'test', name: '', rollout_percentage: 100 }];
  await makeFlag('layout', { groups: everybody, multivariate: { variants } });
  const staff = { key: 'staff', operator: 'exact', value: ['true'], type: 'person' };
  await makeFlag('staff', { groups: [{ properties: [staff], rollout_percentage: 100 }] });
  const early = { name: 'Beta search', stage: 'beta', description: 'Try it', _create_in_folder: null };
  const made = await service.post('/api/projects/@current/early_access_feature/', early);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await service?.close();
});
compareImportAfterAll(() => service);

async function makeFlag(key: string, filters: object): Promise<void> {
  const answer = await service.post('/api/projects/@current/feature_flags/', { key, name: key, filters });
  expect(answer.status).toBe(201);
}

interface Visit {
  options?: object;
  before?: string;
  path?: string;
}

/** Opens the site's page, runs `code` there and flushes the queue. Returns the result and the visitor's stored events. */
async function visit(code: string, { options = {}, before = '', path = '/' }: Visit = {}) {
  html = pageWith(service.url, service.account.projectKey, { options: { capture_pageleave: false, ...options }, before });
  const { page, errors, close } = await openPage(browser);
  await page.goto(`${site.url}${path}`);
  const [result, ids] = await page.evaluate<[unknown, unknown[]]>(`(async () => {
    const ids = [tidemark.getDistinctId()];
    const result = await (async () => { ${code} })();
    ids.push(tidemark.getDistinctId());
    await tidemark.flush();
    return [result, ids];
  })()`);
  expect(errors).toEqual([]);
  await close();
  const events = await storedEvents(service, ids);
  const named = (name: string): StoredEvent[] => events.filter(({ event }) => event === name);
  return { result, events, named, names: events.map(({ event }) => event).filter((name) => name !== '$pageview') };
}

describe('captures', () => {
  test('the page view and events have properties of the browser and the address', async () => {
    const { named } = await visit(`tidemark.capture('Signed Up', { plan: 'pro' });`, {
      path: '/shop?utm_source=letter&gclid=abc',
    });
    const [pageview] = named('$pageview');
    expect(pageview?.properties).toMatchObject({
      $current_url: `${site.url}/shop?utm_source=letter&gclid=abc`,
      $pathname: '/shop',
      $host: new URL(site.url).host,
      $browser: 'Chrome',
      $os: 'Linux',
      $device_type: 'Desktop',
      $lib: 'tidemark-js',
      $referrer: '$direct',
      $referring_domain: '$direct',
      utm_source: 'letter',
      gclid: 'abc',
      $session_entry_pathname: '/shop',
      title: 'Shop',
    });
    const [signedUp] = named('Signed Up');
    expect(signedUp?.properties).toMatchObject({ plan: 'pro', $process_person_profile: false, $is_identified: false });
    for (const id of ['$session_id', '$window_id', '$pageview_id']) {
      expect(signedUp?.properties[id]).toBe(pageview?.properties[id]);
      expect(signedUp?.properties[id]).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('automated browsers are not captured, unless an option allows it', async () => {
    const { names, result } = await visit(`tidemark.capture('x'); return tidemark.isOptedOut();`, {
      options: { opt_out_useragent_filter: false },
    });
    expect([names, result]).toEqual([[], true]);
  });

  test('nothing is captured while the person is opted out, and the page view follows the opt-in', async () => {
    const { names, named } = await visit(
      `tidemark.capture('before'); tidemark.optIn(); tidemark.capture('between'); tidemark.optOut(); tidemark.capture('after');
       tidemark.optIn();`,
      { options: { opt_out_by_default: true } },
    );
    expect(names).toEqual(['between']);
    expect(named('$pageview')).toHaveLength(1);
  });

  test('before_send drops and changes events', async () => {
    const { named, names } = await visit(`tidemark.capture('dropped'); tidemark.capture('kept');`, {
      before: `window.moreOptions = { before_send: (event) => event.event === 'dropped' ? null : { ...event, properties: { ...event.properties, seen: true } } };`,
    });
    expect(names).toEqual(['kept']);
    expect(named('kept')[0]?.properties).toMatchObject({ seen: true });
  });

  test('errors are captured by the exceptions feature', async () => {
    const { named } = await visit(
      `let count = 0;
       const all = new Promise((resolve) => tidemark.on('eventCaptured', ({ event }) => event === '$exception' && ++count === 3 && resolve()));
       tidemark.addExceptionStep('Opened the cart');
       tidemark.captureException(new TypeError('caught'), { area: 'cart' });
       window.addEventListener('error', (event) => event.preventDefault());
       const script = document.createElement('script');
       script.textContent = 'setTimeout(() => { null.loose })';
       document.body.append(script);
       Promise.reject(new RangeError('rejected')).finally(() => {});
       await all;`,
      {
        options: { exceptions: true },
        before: `window.addEventListener('unhandledrejection', (event) => event.preventDefault());`,
      },
    );
    const captured = named('$exception').map(({ properties }) => {
      const [first] = Array.isArray(properties['$exception_list']) ? properties['$exception_list'] : [];
      return [first?.type, first?.value, first?.mechanism?.handled, properties['$exception_source']];
    });
    expect(captured).toHaveLength(3);
    expect(captured).toEqual(
      expect.arrayContaining([
        ['TypeError', 'caught', true, undefined],
        ['TypeError', expect.stringContaining('null'), false, 'browser.window_onerror'],
        ['RangeError', 'rejected', false, 'browser.unhandledrejection'],
      ]),
    );
    expect(named('$exception')[0]?.properties['$exception_steps']).toMatchObject([{ $message: 'Opened the cart' }]);
  });

  test('web vitals are captured by the web vitals feature', async () => {
    const { named } = await visit(
      `document.body.append('text'); const pause = () => new Promise((later) => setTimeout(later, 200));
       let captured = false; tidemark.on('eventCaptured', ({ event }) => { captured ||= event === '$web_vitals'; });
       const show = (value) => {
         Object.defineProperty(document, 'visibilityState', { value, configurable: true });
         document.dispatchEvent(new Event('visibilitychange'));
       };
       while (performance.getEntriesByName('first-contentful-paint').length === 0) await pause();
       // browsers report paint timings when idle
       while (!captured) { await pause(); show('hidden'); await pause(); show('visible'); }`,
      { options: { web_vitals: true } },
    );
    expect(named('$web_vitals')[0]?.properties).toMatchObject({
      $web_vitals_FCP_value: expect.any(Number),
      $web_vitals_FCP_event: { name: 'FCP', rating: expect.any(String) },
    });
  });
});

describe('persons', () => {
  test('identify sets the initial referrer and campaign of a person once', async () => {
    const { events, names, result } = await visit(
      `const anonymous = tidemark.getAnonymousId();
       tidemark.identify('undefined'); tidemark.identify('ada-1', { email: 'ada@example.com' });
       tidemark.identify('ada-1', { email: 'ada@example.com' }); tidemark.identify('ada-1', { email: 'new@example.com' });
       tidemark.identify('bob-1');
       return [anonymous, tidemark.getAnonymousId(), tidemark.getDistinctId()];`,
      { path: '/landing?utm_campaign=spring' },
    );
    expect(names).toEqual(['$identify', '$set']);
    const [anonymous, same, distinct] = Array.isArray(result) ? result : [];
    expect([same, distinct]).toEqual([anonymous, 'ada-1']);
    const identify = events.find(({ event }) => event === '$identify');
    expect(identify?.properties).toMatchObject({
      $anon_distinct_id: anonymous,
      $set: { email: 'ada@example.com' },
      $set_once: { $initial_pathname: '/landing', $initial_utm_campaign: 'spring', $initial_referrer: '$direct' },
    });
  });

  test('aliases, groups and properties of persons are stored', async () => {
    const { names, named } = await visit(
      `tidemark.alias('ada-mail'); tidemark.group('company', 'acme', { plan: 'pro' }); tidemark.setPersonProperties({ tea: true });
       tidemark.capture('with group'); tidemark.resetGroups(); tidemark.capture('without');`,
    );
    expect(names).toEqual(['$create_alias', '$groupidentify', '$set', 'with group', 'without']);
    expect(named('$groupidentify')[0]?.properties).toMatchObject({
      $group_type: 'company',
      $group_key: 'acme',
      $group_set: { plan: 'pro' },
    });
    expect(named('with group')[0]?.properties).toMatchObject({ $groups: { company: 'acme' } });
    expect(named('without')[0]?.properties).not.toHaveProperty('$groups');
  });

  test('reset clears the person and the super properties', async () => {
    const { named, result } = await visit(
      `tidemark.register({ plan: 'pro', gone: 1 }); tidemark.registerOnce({ plan: 'free' }); tidemark.registerForSession({ tab: 1 });
       tidemark.unregister('gone'); tidemark.capture('before');
       const session = tidemark.getSessionId(), id = tidemark.getDistinctId(), device = tidemark.getDeviceId();
       await tidemark.flush(); tidemark.reset();
       return [id !== tidemark.getDistinctId(), session !== tidemark.getSessionId(), device === tidemark.getDeviceId()];`,
    );
    expect(named('before')[0]?.properties).toMatchObject({ plan: 'pro', tab: 1 });
    expect(named('before')[0]?.properties).not.toHaveProperty('gone');
    expect(result).toEqual([true, true, true]);
  });
});

describe('flags', () => {
  test('flags come from the service with payloads and reasons, and each is reported once', async () => {
    const { result, names } = await visit(
      `await tidemark.whenFlagsReady(); tidemark.isFeatureEnabled('welcome'); tidemark.isFeatureEnabled('welcome');
       return [tidemark.isFeatureEnabled('welcome', 'ignored'), tidemark.getFeatureFlag('layout'), tidemark.getFeatureFlagPayload('welcome'),
         tidemark.getFeatureFlagResult('layout').variant, tidemark.getFeatureFlags(), tidemark.getFeatureFlag('missing'),
         tidemark.flags.snapshot('welcome').source];`,
    );
    expect(result).toMatchObject([
      true,
      'test',
      { text: 'Hello' },
      'test',
      { welcome: true, layout: 'test' },
      undefined,
      'server',
    ]);
    expect(names.filter((name) => name === '$feature_flag_called').length).toBeGreaterThanOrEqual(2);
  });

  test('flags start with bootstrap, can be overridden, and change with the person', async () => {
    const { result } = await visit(
      `await tidemark.whenFlagsReady(); const heard = [];
       const stop = tidemark.onFeatureFlags((active, values) => heard.push(values.staff));
       tidemark.setPersonPropertiesForFlags({ staff: 'true' });
       for (let i = 0; i < 100 && !tidemark.getFeatureFlag('staff'); i++) await new Promise((later) => setTimeout(later, 50));
       stop(); tidemark.reloadFeatureFlags();
       tidemark.featureFlags.override({ layout: 'mine' }); const mine = tidemark.getFeatureFlag('layout');
       tidemark.featureFlags.override(false);
       return [window.atStart, tidemark.getFeatureFlag('staff'), heard.at(-1), mine, tidemark.getFeatureFlag('layout')];`,
      {
        options: { bootstrap: { featureFlags: { layout: 'boot' } } },
        before: `window.moreOptions = { loaded: (client) => { window.atStart = client.getFeatureFlag('layout'); } };`,
      },
    );
    expect(result).toEqual(['boot', true, true, 'mine', 'test']);
  });

  test('early access features are listed, and persons enroll and leave', async () => {
    const { result, named } = await visit(
      `await tidemark.whenFlagsReady(); const features = await tidemark.earlyAccess.list(['beta']);
       tidemark.earlyAccess.enroll(features[0].flagKey, true);
       for (let i = 0; i < 100 && !tidemark.getFeatureFlag(features[0].flagKey); i++) await new Promise((later) => setTimeout(later, 50));
       return [features.map(({ name, stage }) => [name, stage]), tidemark.getFeatureFlag(features[0].flagKey),
         (await tidemark.earlyAccess.list(['concept'])).length];`,
    );
    expect(result).toEqual([[['Beta search', 'beta']], true, 0]);
    expect(named('$feature_enrollment_update')[0]?.properties).toMatchObject({ $feature_enrollment: true });
  });
});

describe('pages without a bundler', () => {
  test('calls before the library has loaded keep their order and times', async () => {
    const before = `(${SNIPPET})(window); tidemark.capture('early', { n: 1 }); tidemark.register({ plan: 'pro' }); tidemark.capture('second');
      const until = performance.now() + 300; while (performance.now() < until);`;
    const { named } = await visit(`tidemark.capture('late');`, { before });
    expect(named('early')[0]?.properties).toMatchObject({ n: 1 });
    expect(named('second')[0]?.properties).toMatchObject({ plan: 'pro' });
    const [early, late] = [named('early')[0], named('late')[0]].map((event) => Date.parse(event?.timestamp ?? ''));
    expect((late ?? 0) - (early ?? 0)).toBeGreaterThanOrEqual(290);
  });

  test('init makes one client for each name, however often it is called', async () => {
    const { result, names } = await visit(
      `const again = tidemark.init('tmk_other', {}); const other = tidemark.init('${'tmk_'.padEnd(47, 'o')}', { api_host: 'http://127.0.0.1:9', opt_out_useragent_filter: true }, 'shop');
       tidemark.init('${'tmk_'.padEnd(47, 'n')}', null, 'none');
       tidemark.capture('mine'); other.capture('theirs');
       return [again.apiKey === tidemark.apiKey, other === tidemark.getClient('shop'), other.getDistinctId() !== tidemark.getDistinctId()];`,
    );
    expect(result).toEqual([true, true, true]);
    expect(names).toEqual(['mine']);
  });

  test('chunks that load on demand are found beside the script, and cached forever', async () => {
    const script = await (await fetch(`${service.url}/static/tidemark.js`)).text();
    const chunks = [...script.matchAll(/import\(new URL\("\.\/(tidemark-[\w-]+\.js)"/g)].map(([, name]) => name);
    expect(chunks).not.toEqual([]);
    for (const name of chunks) {
      const answer = await fetch(`${service.url}/static/${name}`);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    }
  });

  test('a script tag with attributes starts the library without inline code', async () => {
    html = `<!doctype html><script async src="${service.url}/static/tidemark.js" data-api-key="${service.account.projectKey}"></script>`;
    const context = await browser.newContext({ userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0.0.0 Safari/537.36' });
    await context.addInitScript(`Object.defineProperty(navigator, 'webdriver', { value: false })`);
    const page = await context.newPage();
    await page.goto(`${site.url}/bare`);
    await page.waitForFunction('window.tidemark?.isInitialized');
    const id = await page.evaluate('tidemark.flush().then(() => tidemark.getDistinctId())');
    await eventually(async () => expect(await storedEvents(service, [id])).toMatchObject([{ event: '$pageview' }]));
    await context.close();
  });
});

/** As in docs/guide/html.md. */
const SNIPPET = `function (window) {
  const queue = (window.tidemark = window.tidemark || []);
  for (const method of 'init capture register'.split(' ')) queue[method] = (...args) => queue.push([method, args, Date.now()]);
}`;
