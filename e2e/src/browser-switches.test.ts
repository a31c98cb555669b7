import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPage, pageWith, type Site, startSite, storedEvents } from './browser-site.js';

let service: Service;
let browser: Browser;
let site: Site;
let html = '';
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  site = await startSite(() => ({ html }));
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await service?.close();
});

const OFF = { autocapture_exceptions_opt_in: false, autocapture_web_vitals_opt_in: false, capture_dead_clicks: false };
const setProject = (body: object) => service.call('PATCH', '/api/projects/@current/', { body: { ...OFF, ...body } });
beforeEach(() => setProject({}));

const BODY = `<main><div id="dead" data-note="card">Nothing happens</div><div id="alive">Opens</div><a id="link" href="#x">Link</a>
<div class="ph-no-capture"><div id="private">Private</div></div><div style="height: 3000px"></div></main>
<script>document.querySelector('#alive').onclick = ({ target }) => { target.textContent += '!'; };</script>`;

async function open(options: object = {}) {
  html = pageWith(service.url, service.account.projectKey, { body: BODY, options });
  const { page, errors, close } = await openPage(browser);
  await page.goto(site.url);
  const id = await page.evaluate('tidemark.getDistinctId()');
  const loads = (part: string) =>
    page.waitForFunction(`performance.getEntriesByType('resource').some(({ name }) => name.includes('tidemark-${part}'))`);
  const events = async (name: string) => {
    await page.evaluate('tidemark.flush()');
    return (await storedEvents(service, [id])).filter(({ event }) => event === name);
  };
  return { page, errors, loads, events, close };
}

describe('the settings of the project in the script', () => {
  test('features that are switched off are neither loaded nor captured', async () => {
    const { page, loads, errors, events, close } = await open();
    await loads('deferred');
    await page.evaluate(`setTimeout(() => { throw new RangeError('off') })`);
    await page.click('#dead');
    await page.evaluate(`tidemark.capture('last')`);
    await eventually(async () => expect(await events('last')).toHaveLength(1));
    const loaded = await page.evaluate(`performance.getEntriesByType('resource').map(({ name }) => name).join()`);
    expect(loaded).not.toMatch(/project-features|exceptions|web-vitals|dead-clicks/);
    expect(await events('$exception')).toEqual([]);
    expect(errors).toEqual(['off']);
    await close();
  });

  test('uncaught errors are captured', async () => {
    await setProject({ autocapture_exceptions_opt_in: true });
    const { page, loads, events, close } = await open();
    await loads('exceptions');
    await eventually(
      async () => {
        await page.evaluate(`setTimeout(() => { throw new RangeError('uncaught') })`);
        const [first] = await events('$exception');
        expect(first?.properties).toMatchObject({ $exception_list: [{ type: 'RangeError', value: 'uncaught' }] });
      },
      { every: 250 },
    );
    await close();
  });

  test('web vitals are captured', async () => {
    await setProject({ autocapture_web_vitals_opt_in: true });
    const { page, loads, events, close } = await open();
    await loads('web-vitals');
    await page.click('#alive');
    await page.waitForFunction(`performance.getEntriesByName('first-contentful-paint').length > 0`);
    await eventually(
      async () => {
        const [first] = await events('$web_vitals');
        expect(first?.properties).toMatchObject({ $web_vitals_FCP_value: expect.any(Number) });
      },
      { every: 250 },
    );
    await close();
  });

  test('clicks without an effect are captured with their elements, and no other clicks', async () => {
    await setProject({ capture_dead_clicks: true });
    const { page, loads, errors, events, close } = await open({ autocapture: { element_attribute_ignorelist: ['data-note'] } });
    await loads('dead-clicks');
    await page.evaluate(`{
      window.chains = [];
      tidemark.on('eventCaptured', ({ event, properties }) => {
        if (event === '$dead_click') chains.push(properties.$elements_chain);
      });
    }`);
    // the listener exists once the module has run
    await eventually(
      async () => {
        await page.click('#dead');
        expect((await events('$dead_click')).length).toBeGreaterThan(0);
      },
      { every: 3_500 },
    );
    for (const selector of ['#alive', '#link', '#private']) await page.click(selector);
    await page.click('#dead', { modifiers: ['Control'] });
    const before = (await events('$dead_click')).length;
    await eventually(
      async () => {
        await page.click('#dead');
        expect((await events('$dead_click')).length).toBeGreaterThan(before);
      },
      { every: 3_500 },
    );
    const dead = await events('$dead_click');
    for (const { properties } of dead) {
      expect(properties).toMatchObject({
        $event_type: 'click',
        $el_text: 'Nothing happens',
        $dead_click_absolute_delay_ms: expect.any(Number),
      });
      expect(properties['$dead_click_absolute_delay_ms']).toBeGreaterThanOrEqual(2_500);
    }
    const chains = await page.evaluate<string[]>('chains');
    expect(chains.length).toBeGreaterThanOrEqual(dead.length);
    for (const chain of chains) {
      expect(chain).toMatch(/^div:attr__id="dead"/);
      expect(chain).not.toContain('card');
    }
    expect(errors).toEqual([]);
    await close();
  });

  test('an option of the page switches dead clicks off, despite the project', async () => {
    await setProject({ capture_dead_clicks: true, autocapture_exceptions_opt_in: true });
    const { page, loads, events, close } = await open({ dead_clicks: false });
    await loads('exceptions');
    await page.click('#dead');
    await page.evaluate(`tidemark.capture('last')`);
    await eventually(async () => expect(await events('last')).toHaveLength(1));
    expect(await page.evaluate(`performance.getEntriesByType('resource').map(({ name }) => name).join()`)).not.toContain(
      'dead-clicks',
    );
    await close();
  });

  test('an error is captured once if the page and the project both switch errors on', async () => {
    await setProject({ autocapture_exceptions_opt_in: true });
    const { page, loads, events, close } = await open({ exceptions: true });
    await page.evaluate(`setTimeout(() => { throw new RangeError('early') })`);
    await loads('project-features');
    await page.evaluate(`setTimeout(() => { throw new RangeError('late') })`);
    await eventually(async () => expect((await events('$exception')).length).toBeGreaterThanOrEqual(2));
    const values = (await events('$exception')).map(({ properties }) => JSON.stringify(properties['$exception_list']));
    expect(values).toEqual([expect.stringContaining('early'), expect.stringContaining('late')]);
    const loaded = await page.evaluate(`performance.getEntriesByType('resource').map(({ name }) => name).join()`);
    expect(loaded).not.toContain('tidemark-exceptions');
    await close();
  });
});
