import { type Browser, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPage, pageWith, type Site, startSite, type WatchedPage } from './browser-site.js';
import { startTap, type Tap } from './tap.js';
import { compareImportAfterAll } from './testing/compare-import.js';

const CARD = '4242 4242 4242 4242';
const BODY = `<style>.pointer { cursor: pointer }</style>
<header><nav class="top"><a id="link" href="/next?x=1" onclick="event.preventDefault()">Next <span>page</span></a>
<a id="out" href="https://elsewhere.example/page" onclick="event.preventDefault()">Out</a></nav></header>
<main>${'<section><ul>'}${Array.from({ length: 1_970 }, (_, i) => `<li class="row row-${i}">Row ${i}</li>`).join('')}</ul></section>
<form id="form" onsubmit="event.preventDefault()"><label for="name">Name</label><input id="name" name="name">
<input id="password" name="password" type="password"><input id="shown" name="user_password" type="text">
<input id="card" name="cardnumber"><input id="hidden" type="hidden" name="csrf" value="hidden-token-7f3a" data-copy="hidden-token-7f3a">
<input id="plain" value="typed-secret-attribute"><textarea id="diary">dear-diary-text</textarea>
<select id="choice"><option value="secret-option-a">A</option><option value="secret-option-b">B</option></select>
<div id="editor" contenteditable="true">editor-content</div><button id="save" data-tm-capture-plan="pro">Save</button></form>
<p id="text">Just text</p><p id="pointer" class="pointer">Clickable text</p>
<div class="tm-no-capture"><button id="quiet">Quiet</button></div>
<div id="host"></div><iframe id="frame" srcdoc="<button id=inside>Inside the frame</button>"></iframe></main>
<script>document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML = '<div><button id="deep">Deep</button></div>';</script>`;

let service: Service;
let browser: Browser;
let site: Site;
let tap: Tap;
let html: string;
let page: WatchedPage['page'];
let errors: string[];
let close: () => Promise<void>;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  [site, tap] = await Promise.all([startSite(() => ({ html })), startTap(service.url)]);
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  tap?.close();
  await service?.close();
});
compareImportAfterAll(() => service);

async function open(
  options: object = {},
  before = '',
  prepare: (page: WatchedPage['page']) => Promise<unknown> = async () => {},
): Promise<void> {
  html = pageWith(tap.url, service.account.projectKey, { options, body: BODY, before });
  ({ page, errors, close } = await openPage(browser));
  tap.requests = [];
  await prepare(page);
  const isLater = (request: { url(): string }) => request.url().includes('/static/tidemark-');
  const later = page.waitForRequest(isLater);
  await page.goto(`${site.url}/shop`);
  // the autocapture module loads after the page has started, and no event announces it
  await page.evaluate(`import('${(await later).url()}').then(() => {}, () => {})`);
}
beforeEach(() => {
  html = '';
});
afterEach(async () => {
  await close();
  expect(errors).toEqual([]);
});

interface Sent {
  event: string;
  properties: Record<string, unknown>;
}

/** Events that reached the service so far. */
async function sent(...names: string[]): Promise<Sent[]> {
  await page.evaluate('tidemark.flush()');
  const batches = tap.requests.filter(({ path }) => path.startsWith('/batch/'));
  const events: Sent[] = batches.flatMap(({ text }) => JSON.parse(text).batch);
  return events.filter(({ event }) => names.includes(event));
}

describe('on a page of 2,000 elements', () => {
  test('clicks, changes and submits are captured with the chain of their elements', async () => {
    await open();
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeGreaterThan(2_000);
    await page.click('#link');
    await page.click('#save');
    await page.fill('#name', 'Ada');
    await page.click('#pointer');
    await page.click('#text');
    await page.click('#out');
    const events = await sent('$autocapture');
    const captured = events.map(({ properties: { $event_type, $elements_chain } }) => [
      $event_type,
      String($elements_chain).split(':')[0],
    ]);
    expect(captured).toEqual([
      ['click', 'a'],
      ['click', 'button'],
      ['submit', 'form'],
      ['change', 'input'],
      ['click', 'p.pointer'],
      ['click', 'a'],
    ]);
    const [link, save, , , , out] = events.map(({ properties }) => properties);
    expect(link).toMatchObject({ $el_text: 'Next page', $pathname: '/shop' });
    expect(link?.['$elements_chain']).toMatch(/^a:attr__href="\/next\?x=1".*;nav\.top:.*;header:.*;body:/);
    expect(link).not.toHaveProperty('$external_click_url');
    expect(save).toMatchObject({ plan: 'pro', $el_text: 'Save' });
    expect(out).toMatchObject({ $external_click_url: 'https://elsewhere.example/page' });
  });

  test('a click within a form that has a field called "id" is captured', async () => {
    await open();
    await page.evaluate(
      `document.body.innerHTML = '<form id="edit"><input type="hidden" name="id" value="7"><button type="button">Save</button></form>'`,
    );
    await page.click('text=Save');
    const [event, ...others] = await sent('$autocapture');
    expect(others).toEqual([]);
    expect(event?.properties['$elements_chain']).toMatch(/^button:.*text="Save";form:.*attr_id="edit"/);
  });

  test('a change event that the page stops from bubbling is captured', async () => {
    await open({}, `document.addEventListener('click', (event) => event.stopPropagation(), false);`);
    await page.evaluate(`document.querySelector('#link').addEventListener('click', (event) => event.stopImmediatePropagation())`);
    await page.click('#link');
    expect(await sent('$autocapture')).toHaveLength(1);
  });

  test('an element in a shadow tree is captured as its host, and nothing inside a frame is captured', async () => {
    await open();
    await page.click('#deep');
    await page.frameLocator('#frame').locator('#inside').click();
    const events = await sent('$autocapture');
    expect(events).toHaveLength(1);
    expect(events[0]?.properties['$elements_chain']).toMatch(/^button:.*;div:.*;div:attr__id="host".*;main:/);
  });

  test.each([
    'class="tm-no-capture"',
    'class="ph-no-capture"',
    'class="ph-sensitive"',
    'class="ph-no-autocapture"',
    'data-ph-no-autocapture',
  ])('elements with %s are not captured, with everything inside them', async (mark) => {
    await open();
    await page.evaluate(`document.querySelector('main').innerHTML =
      '<div ${mark}><button id="quiet">Quiet</button></div><button id="mixed">Balance<span ${mark}>Quiet 3,141</span></button>';`);
    await page.click('#quiet');
    await page.click('#mixed', { position: { x: 2, y: 2 } });
    const events = await sent('$autocapture');
    expect(events.map(({ properties }) => properties['$el_text'])).toEqual(['Balance']);
    expect(JSON.stringify(events)).not.toContain('Quiet');
  });

  test('the attributes and classes that posthog-js ignores are ignored', async () => {
    await open();
    await page.evaluate(`document.querySelector('main').innerHTML =
      '<button id="plan" class="ph-no-rageclick" data-ph-capture-attribute-plan="pro">Buy</button>'`);
    await page.click('#plan', { clickCount: 3 });
    const events = await sent('$autocapture', '$rageclick');
    expect(events.map(({ event, properties }) => [event, properties['plan']])).toEqual([
      ['$autocapture', 'pro'],
      ['$autocapture', 'pro'],
      ['$autocapture', 'pro'],
    ]);
  });

  test.each<[options: object, chains: string[]]>([
    [{}, ['button:;form:;main:;body:']],
    [{ autocapture: { css_selector_ignorelist: ['form'] } }, []],
  ])(
    'a click is captured if the code that describes it cannot load, unless the options may exclude it: %j',
    async (options, chains) => {
      await open(options, '', (page) => page.route('**/static/tidemark-*', (route) => route.abort()));
      await page.evaluate(`document.querySelector('#save').type = 'button'`);
      await page.click('#save');
      expect((await sent('$autocapture')).map(({ properties }) => properties['$elements_chain'])).toEqual(chains);
    },
  );

  test('typed text, choices and hidden text are never sent', async () => {
    await open();
    await page.evaluate(
      `for (const element of document.querySelectorAll('input')) element.addEventListener('input', () => element.setAttribute('value', element.value))`,
    );
    await page.fill('#name', 'typed-name-value');
    await page.fill('#password', 'typed-password-value');
    await page.fill('#shown', 'typed-shown-value');
    await page.fill('#card', CARD);
    await page.fill('#diary', 'typed-diary-value');
    await page.selectOption('#choice', 'secret-option-b');
    for (const id of ['name', 'password', 'shown', 'card', 'plain', 'diary', 'choice', 'editor', 'save'])
      await page.click(`#${id}`);
    await page.keyboard.type('typed-into-editor');
    await page.evaluate(`document.querySelector('#hidden').dispatchEvent(new Event('change', { bubbles: true }))`);
    expect((await sent('$autocapture')).length).toBeGreaterThan(12);
    await close();
    const bytes = tap.sent();
    for (const secret of [
      'typed-',
      CARD,
      CARD.replaceAll(' ', ''),
      'hidden-token',
      'secret-option',
      'dear-diary',
      'editor-content',
    ])
      expect(bytes, secret).not.toContain(secret);
  });
});

describe('options', () => {
  test.each<[name: string, options: object, expected: string[]]>([
    ['autocapture off', { autocapture: false }, []],
    ['only some elements', { autocapture: { css_selector_allowlist: ['#save'] } }, ['Save']],
    ['not some elements', { autocapture: { css_selector_ignorelist: ['nav'] } }, ['Save', 'form']],
    ['only clicks', { autocapture: { dom_event_allowlist: ['click'] } }, ['Next page', 'Save']],
    ['not this address', { autocapture: { url_ignorelist: ['/shop'] } }, []],
    ['no texts', { autocapture: { mask_all_text: true } }, ['a', 'button', 'form']],
  ])('%s', async (_name, options, expected) => {
    await open(options);
    await page.click('#link');
    await page.click('#save');
    const captured = (await sent('$autocapture')).map(
      ({ properties }) => properties['$el_text'] ?? String(properties['$elements_chain']).split(':')[0],
    );
    expect(captured.filter((one) => one !== 'form' || expected.includes('form'))).toEqual(expected);
  });

  test('three fast clicks on one spot are a rage click', async () => {
    await open();
    await page.click('#pointer', { clickCount: 3 });
    const events = await sent('$rageclick', '$autocapture');
    expect(events.map(({ event }) => event)).toEqual(['$autocapture', '$autocapture', '$rageclick', '$autocapture']);
  });

  test('copied text is captured if the option is on, unless it looks like a secret', async () => {
    await open({ autocapture: { capture_copied_text: true } });
    const copy = (id: string) =>
      page.evaluate(`getSelection().selectAllChildren(document.querySelector('${id}')); document.execCommand('copy')`);
    await copy('#text');
    await page.evaluate(`document.querySelector('#text').textContent = '${CARD}'`);
    await copy('#text');
    // a selection that begins outside of the private element
    for (const attribute of ['class="tm-no-capture"', 'class="ph-sensitive"', 'contenteditable']) {
      await page.evaluate(`document.querySelector('#text').innerHTML = 'Before <b ${attribute}>Private</b> after'`);
      await copy('#text');
    }
    const events = await sent('$copy_autocapture');
    expect(events.map(({ properties }) => properties['$selected_content'])).toEqual(['Just text']);
  });
});

describe.each([
  ['with the Navigation API', ''],
  ['without it', 'delete window.navigation; delete Window.prototype.navigation;'],
  [
    'without it, where an element has that id',
    `delete window.navigation; delete Window.prototype.navigation; document.documentElement.id = 'navigation';`,
  ],
  ['where the page declares a constant of that name', `const navigation = document.createElement('nav');`],
  ['where the page declares a variable of that name', `window.navigation = 'main';`],
])('page views %s', (_name, before) => {
  test('a new path is a page view, with the duration and scroll depth of the page before', async () => {
    await open({}, before);
    // longer than the duration that is expected below
    await page.evaluate(
      `new Promise((resolve) => { addEventListener('scroll', () => setTimeout(resolve, 150)); scrollTo(0, 400); })`,
    );
    await page.evaluate(`history.pushState({}, '', '/cart')`);
    await page.evaluate(`history.replaceState({}, '', '/cart?step=2')`);
    await page.evaluate(`history.replaceState({}, '', '/pay')`);
    await page.evaluate(
      `new Promise((resolve) => { tidemark.on('eventCaptured', ({ event }) => event === '$pageview' && resolve()); history.back(); })`,
    );
    const events = await sent('$pageview');
    expect(events.map(({ properties }) => [properties['$pathname'], properties['navigation_type']])).toEqual([
      ['/shop', undefined],
      ['/cart', 'push'],
      ['/pay', 'replace'],
      ['/shop', 'traverse'],
    ]);
    const [first, second] = events.map(({ properties }) => properties);
    expect(second).toMatchObject({ $prev_pageview_pathname: '/shop', $prev_pageview_id: first?.['$pageview_id'] });
    expect(second?.['$prev_pageview_duration']).toBeGreaterThan(0.1);
    expect(second?.['$prev_pageview_max_scroll']).toBe(400);
    expect(second?.['$prev_pageview_max_scroll_percentage']).toBeGreaterThan(0);
    expect(second?.['$prev_pageview_max_scroll_percentage']).toBeLessThan(1);
  });

  test('shutdown restores the methods of history', async () => {
    await open({}, `${before} window.original = history.pushState;`);
    await page.evaluate('tidemark.shutdown()');
    expect(await page.evaluate('history.pushState === window.original')).toBe(true);
  });
});

test('a page that document.open replaces is still captured', async () => {
  await open({ capture_pageleave: true });
  await page.evaluate(
    `document.open(); document.write('<title>New</title><body><button id="again">Again</button>'); document.close();`,
  );
  await page.click('#again');
  const [click, ...others] = await sent('$autocapture');
  expect(others).toEqual([]);
  expect(click?.properties).toMatchObject({ $el_text: 'Again' });
  await page.goto('about:blank');
  await expect.poll(() => tap.sent()).toContain('$pageleave');
});

test('a page leave is captured, though the page is gone', async () => {
  await open();
  await page.goto('about:blank');
  const arrived = () => tap.requests.flatMap(({ text, path }) => (path.startsWith('/batch/') ? JSON.parse(text).batch : []));
  await expect.poll(() => arrived().map(({ event }) => event)).toEqual(['$pageview', '$pageleave']);
  const leave = arrived();
  expect(leave[1].properties).toMatchObject({ $prev_pageview_pathname: '/shop' });
  expect(leave[1].properties.$prev_pageview_duration).toBeGreaterThan(0);
  await page.goto(site.url);
});

test('a page leave is sent, though the browser breaks off a request of the page first', async () => {
  await open();
  tap.mode = 'hang';
  await page.evaluate(`tidemark.capture('Unanswered'); void tidemark.flush()`);
  await expect.poll(() => tap.sent()).toContain('$pageview');
  tap.mode = 'pass';
  await page.goto('about:blank');
  await expect.poll(() => tap.sent()).toContain('$pageleave');
  await page.goto(site.url);
});
