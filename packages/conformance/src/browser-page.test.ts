// @vitest-environment happy-dom
import { getClient, init } from '@tidemark/browser';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startInBrowser } from './drivers/browser.js';
import { PROJECT_KEY, type Started } from './drivers/driver.js';
import { exceptionsOf } from './drivers/seen.js';

/** Behaviours of pages only, not of apps and servers. */
beforeEach(() => {
  document.body.innerHTML = `
    <button class="buy">Buy</button>
    <section class="tm-no-capture"><button class="quiet">Quiet</button></section>
    <form><input type="password" name="word" value="correct horse"><input name="card" value="4242 4242 4242 4242"></form>`;
});
afterEach(() => vi.restoreAllMocks());

/** A click, with the deferred work of the SDK. */
async function click({ platform }: Started, selector: string): Promise<void> {
  document.querySelector<HTMLElement>(selector)?.click();
  await platform.advance(5_000);
  await vi.dynamicImportSettled();
  await platform.settle();
}

describe('setup', () => {
  test('SET-3 init again returns the same client, and another name a new one', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const quiet = { disable_flags: true, disable_remote_config: true, capture_pageview: false, autocapture: false };
    const client = init(PROJECT_KEY, quiet);
    expect(init(PROJECT_KEY, quiet)).toBe(client);
    await expect
      .poll(() => warn.mock.calls)
      .toEqual([['[tidemark]', 'init: "default" exists; a second client needs another name.']]);
    const second = init(PROJECT_KEY, quiet, 'second');
    expect(second).not.toBe(client);
    const third = init(PROJECT_KEY, { ...quiet, name: 'third' });
    expect([getClient(), getClient('second'), getClient('third')]).toEqual([client, second, third]);
    expect([client, second, third].map(({ name }) => name)).toEqual(['default', 'second', 'third']);
    expect(new Set([client, second, third].map((one) => one.getDistinctId())).size).toBe(3);
    for (const one of [client, second, third]) await one.shutdown();
  });

  test('SET-3 after a shutdown, or without a key, init returns a new client', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const options = { disable_flags: true, disable_remote_config: true, capture_pageview: false, autocapture: false };
    const quiet = { ...options, opt_out_useragent_filter: true };
    expect(init('', quiet, 'again').isInitialized).toBe(false);
    const first = init(PROJECT_KEY, quiet, 'again');
    expect([first.isInitialized, first.apiKey]).toEqual([true, PROJECT_KEY]);
    await first.shutdown();
    const second = init(PROJECT_KEY, quiet, 'again');
    expect([second.isInitialized, second.getDistinctId()]).toEqual([true, first.getDistinctId()]);
    expect([getClient('again'), warn.mock.calls]).toEqual([second, []]);
    await second.shutdown();
  });

  test('SET-5 debug mode survives a reload until it is switched off', async () => {
    const lines = ({ client, platform }: Started) => {
      client.getFeatureFlag('x');
      return platform.logged.filter(({ level }) => level === 'debug').length;
    };
    const first = await startInBrowser({ disable_flags: true });
    expect(lines(first)).toBe(0);
    first.client.debug();
    await first.platform.advance(1_000);
    const second = await first.restart();
    expect(lines(second)).toBeGreaterThan(0);
    second.client.debug(false);
    await second.platform.advance(1_000);
    expect(lines(await second.restart())).toBe(0);
  });

  test('CON-7 the Do Not Track setting of the browser is respected', async () => {
    const world = () => void vi.spyOn(navigator, 'doNotTrack', 'get').mockReturnValue('1');
    expect((await startInBrowser({}, { world })).client.isOptedOut()).toBe(false);
    expect((await startInBrowser({ respect_dnt: true }, { world })).client.isOptedOut()).toBe(true);
  });

  test('CAP-9 events have the window id of the tab, which survives a reload', async () => {
    const { client } = await startInBrowser();
    const id = client.capture('a')?.properties['$window_id'];
    expect(id).toMatch(/^[\da-f-]{36}$/);
    expect(client.capture('b')?.properties['$window_id']).toBe(id);
  });
});

describe('page views', () => {
  // happy-dom's event has no `persisted` of its own
  const shown = (persisted: boolean) => window.dispatchEvent(Object.assign(new PageTransitionEvent('pageshow'), { persisted }));

  test('PGV-1 a loaded page captures one, and one more when restored from the back/forward cache', async () => {
    const { queuedAs } = await startInBrowser({ capture_pageview: true });
    shown(false);
    expect(queuedAs('$pageview')).toHaveLength(1);
    shown(true);
    expect(queuedAs('$pageview').map(({ properties }) => properties['navigation_type'])).toEqual([undefined, 'traverse']);
  });
});

describe('campaigns', () => {
  test('RST-1 after a reset the new person has no campaign of the person before', async () => {
    const before = location.href;
    history.replaceState({}, '', '?utm_source=letter');
    const { client } = await startInBrowser();
    expect(client.capture('a')?.properties['utm_source']).toBe('letter');
    history.replaceState({}, '', '?');
    expect(client.capture('b')?.properties['utm_source']).toBe('letter');
    client.reset();
    expect(client.capture('c')?.properties).not.toHaveProperty('utm_source');
    history.replaceState({}, '', before);
  });

  test('RST-1 after a reset the first visit of the new person is another', async () => {
    const before = location.href;
    history.replaceState({}, '', '?utm_source=letter');
    const { client, queuedAs } = await startInBrowser();
    client.identify('ada');
    history.replaceState({}, '', '?');
    client.reset();
    client.identify('bob');
    const first = queuedAs('$identify').map(({ properties }) => properties['$set_once']);
    expect(first).toMatchObject([{ $initial_utm_source: 'letter' }, { $initial_current_url: location.href }]);
    expect(first[1]).not.toHaveProperty('$initial_utm_source');
    history.replaceState({}, '', before);
  });
});

describe('autocapture', () => {
  const start = (more: Parameters<typeof startInBrowser>[0] = {}, remote: object = {}) =>
    startInBrowser(
      { autocapture: true, disable_remote_config: false, ...more },
      { world: (p) => p.answer('/array/', { body: remote }) },
    );

  test('ACP-1 ACP-6 a click on a button is one event with its elements, by default', async () => {
    const started = await start();
    await click(started, '.buy');
    expect(started.queuedAs('$autocapture')).toMatchObject([
      { properties: { $event_type: 'click', $elements_chain: expect.stringMatching(/^button\.buy:.*Buy/) } },
    ]);
  });

  test('ACP-2 ignored elements and their descendants are not captured', async () => {
    const started = await start();
    await click(started, '.quiet');
    expect(started.queuedAs('$autocapture')).toEqual([]);
  });

  test('ACP-3 the event has no content of password and card fields', async () => {
    const started = await start();
    for (const name of ['word', 'card']) {
      document.querySelector(`[name=${name}]`)?.dispatchEvent(new Event('change', { bubbles: true }));
      await click(started, `[name=${name}]`);
    }
    document.querySelector('form')?.dispatchEvent(new Event('submit', { bubbles: true }));
    await click(started, '.buy');
    expect(started.queuedAs('$autocapture').length).toBeGreaterThan(0);
    // ids and times may contain four of its digits
    expect(JSON.stringify(started.queued)).not.toMatch(/correct horse|4242.?4242|(?<![\da-f.-])4242(?![\da-f-])/);
  });

  test('ACP-4 one click is one event, also after a second init', async () => {
    const started = await start();
    const { init: again } = await import('@tidemark/browser');
    expect(again(PROJECT_KEY, { autocapture: true })).toBe(started.client);
    await click(started, '.buy');
    expect(started.queuedAs('$autocapture')).toHaveLength(1);
  });

  test('ACP-5 autocapture respects consent and before_send', async () => {
    const out = await start({ opt_out_by_default: true });
    await click(out, '.buy');
    expect(out.queued).toEqual([]);
    const dropped = await start({ before_send: (event) => (event.event === '$autocapture' ? null : event) });
    await click(dropped, '.buy');
    expect(dropped.queued).toEqual([]);
  });

  test('ACP-6 the project can switch autocapture off', async () => {
    const started = await start({}, { autocapture_opt_out: true });
    await started.platform.advance(1_000);
    await click(started, '.buy');
    expect(started.queuedAs('$autocapture')).toEqual([]);
  });
});

describe('errors of the page', () => {
  test.each([
    ['error', 'onuncaughtexception', 'browser.window_onerror'],
    ['unhandledrejection', 'onunhandledrejection', 'browser.unhandledrejection'],
  ])('EXM-8 EXM-15 %s is captured with the name of its hook', async (event, type, source) => {
    const { queuedAs } = await startInBrowser();
    const boom = new TypeError('boom');
    window.dispatchEvent(Object.assign(new Event(event), { error: boom, reason: boom, message: 'boom' }));
    const [captured] = queuedAs('$exception');
    expect(captured?.properties['$exception_source']).toBe(source);
    expect(exceptionsOf(captured?.properties)).toMatchObject([{ value: 'boom', mechanism: { type, handled: false } }]);
  });
});
