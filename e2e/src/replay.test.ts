import { gunzipSync } from 'node:zlib';
import { eventually } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { openPage } from './browser-site.js';
import {
  active,
  becomesActive,
  browser,
  configArrived,
  loadDelayPasses,
  open,
  PAGE,
  replay,
  service,
  sessionOf,
  settings,
  site,
  snapshotsOf,
  tap,
  uploads,
  withReplay,
} from './testing/replay-visits.js';

withReplay();

/** The elements of a replayed page, as rebuilt by the player; masked and blocked ones are marked. */
const SHAPE = `(document) => [...document.body.querySelectorAll('h1, li, b, i, em, input')].map((e) =>
  [e.tagName, e.id, e.className.replace(/\\s*:hover/, ''), e.tagName === 'INPUT' ? '' : e.textContent].join('|'))`;

/** A snapshot of posthog-js with its individually compressed parts decompressed. */
function uncompressed<Event extends object>(event: Event): Event {
  const parts = (value: unknown): unknown => {
    if (typeof value === 'string' && value.startsWith('\x1f\x8b'))
      return JSON.parse(`${gunzipSync(Buffer.from(value, 'latin1'))}`);
    return typeof value === 'object' && value && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, parts(part)]))
      : value;
  };
  return 'data' in event ? { ...event, data: parts(event.data) } : event;
}

test('RPP-1 RPP-2 RPP-3 RPP-4 a session replays to the same page, and passwords, cards, hidden and masked words are never sent', async () => {
  const { page, errors, close } = await open(PAGE);
  await becomesActive(page);
  const session = await sessionOf(page);
  await page.fill('#name', 'Ada Lovelace');
  await page.fill('#password', 'correct horse');
  await page.evaluate(`document.querySelector('#password').type = 'text'`);
  await page.type('#password', '-battery');
  await page.fill('#card', '4111 1111 1111 1111');
  await page.click('#title');
  await page.evaluate(`(() => {
    for (const text of ['Two', 'Three']) {
      const item = document.createElement('li');
      item.className = 'card';
      item.textContent = text;
      document.querySelector('#list').append(item);
    }
    document.querySelector('#title').textContent = 'Grüße 🎉';
    document.querySelector('.tm-mask b').textContent = 'changed secret';
  })()`);
  const shown = await page.evaluate<string[]>(`(${SHAPE})(document)`);
  await page.evaluate('client.flush()');
  await eventually(async () => expect(uploads().length).toBeGreaterThan(0));
  const events = await snapshotsOf(session, 5, 'Grüße');
  await close();
  expect(errors).toEqual([]);

  const sent = uploads()
    .map(({ text }) => text)
    .join('\n');
  for (const secret of [
    'correct horse',
    'battery',
    '4111 1111',
    'Ada Lovelace',
    'hidden-4711',
    'secret words',
    'more of them',
    'changed secret',
    'blocked words',
  ])
    expect(sent).not.toContain(secret);

  const replayed = await replay(events, SHAPE);
  // blocked elements are empty, masked text consists of asterisks
  const starred = (line: string) => (/^[BI]\|/.test(line) ? line.replace(/[^|]*$/, (text) => text.replace(/\S+/g, '*')) : line);
  expect(replayed.filter((line) => /^[BI]\|/.test(line)).join()).not.toMatch(/[a-z]{3}/);
  expect(replayed.map(starred)).toEqual(shown.filter((line) => !line.startsWith('EM|')).map(starred));
});

test('the recorder is loaded only if the project records, and the list has the session', async () => {
  await settings({ session_recording_opt_in: false });
  const off = await open(PAGE);
  await configArrived(off.page);
  await loadDelayPasses(off.page);
  expect([await active(off.page), site.scripts.filter((path) => path.includes('controller'))]).toEqual([false, []]);
  await off.close();

  await settings({});
  const { page, close } = await open(PAGE);
  await becomesActive(page);
  expect(site.scripts.filter((path) => path.includes('controller'))).toHaveLength(1);
  const session = await sessionOf(page);
  await page.click('#title');
  await page.evaluate('client.flush()');
  await snapshotsOf(session);
  const answer = await service.get(`/api/projects/@current/session_recordings/${session}/`);
  expect(answer.body).toMatchObject({
    id: session,
    click_count: 1,
    snapshot_source: 'web',
    snapshot_library: 'tidemark-js',
    start_url: `${site.url}/`,
  });
  await close();
});

test('each key press is recorded and counted, with the typed text as stars, and so is a change of the address', async () => {
  const { page, close } = await open(`${PAGE}<label>Secret <input id="secret" type="password"></label>`);
  await becomesActive(page);
  const session = await sessionOf(page);
  await page.locator('#name').fill('');
  await page.locator('#name').pressSequentially('abc');
  await page.locator('#secret').pressSequentially('hunter2');
  await page.evaluate(`history.pushState(null, '', '/next')`);
  await page.evaluate('new Promise((done) => setTimeout(done, 50))');
  await page.evaluate('client.flush()');
  const events = await eventually(async () => {
    const all = await snapshotsOf(session);
    const typed = all.map(({ data }) => Object(data)).filter(({ source }) => source === 5);
    expect(typed.filter(({ text }) => text === '********')).toHaveLength(7);
    expect(all).toContainEqual(expect.objectContaining({ data: { tag: '$url_changed', payload: { href: `${site.url}/next` } } }));
    return typed;
  });
  expect(events.map(({ text }) => text)).toEqual(expect.arrayContaining(['*', '**', '***']));
  expect(JSON.stringify(events)).not.toMatch(/abc|hunter2/);
  const answer = await service.get(`/api/projects/@current/session_recordings/${session}/`);
  expect(answer.body).toMatchObject({ keypress_count: events.length });
  await close();
});

test('posthog-js 1.434.18 unchanged records, and its snapshots replay to the same page', async () => {
  site.page.headers = {};
  site.page.html = `<!doctype html><title>Shop</title><h1 id="title">Hello</h1><ul id="list"></ul><input id="password" type="password">
<script type="module">
  import posthog from '/posthog.js';
  window.posthog = posthog;
  posthog.init('${service.account.projectKey}', { api_host: '${tap.url}', opt_out_useragent_filter: true, disable_external_dependency_loading: true });
</script>`;
  const { page, errors, close } = await openPage(browser);
  await page.goto(site.url);
  await page.waitForFunction('window.posthog && posthog.sessionRecordingStarted()');
  await page.click('#title');
  await page.fill('#password', 'correct horse');
  await page.evaluate(`(() => {
    document.querySelector('#list').append(Object.assign(document.createElement('li'), { textContent: 'One' }));
    document.querySelector('#title').textContent = 'Grüße';
  })()`);
  const shown = await page.evaluate<string[]>(`(${SHAPE})(document)`);
  const session = await page.evaluate<string>('posthog.get_session_id()');
  const events = await eventually(async () => {
    const readable = (await snapshotsOf(session, 3)).map(uncompressed);
    expect(JSON.stringify(readable)).toContain('Grüße');
    return readable;
  });
  await close();
  expect(errors).toEqual([]);
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining([4, 2]));
  expect(JSON.stringify(events)).not.toContain('correct horse');
  expect(shown).toEqual(['H1|title||Grüße', 'LI|||One', 'INPUT|password||']);
  expect(await replay(events, SHAPE)).toEqual(shown);
  const answer = await service.get(`/api/projects/@current/session_recordings/${session}/`);
  expect(answer.body).toMatchObject({ snapshot_library: 'web', start_url: `${site.url}/` });
});
