import { expect, test } from 'vitest';
import {
  active,
  becomesActive,
  configArrived,
  loadDelayPasses,
  open,
  type Page,
  service,
  sessionOf,
  snapshotsOf,
  uploads,
  withReplay,
} from './testing/replay-visits.js';

withReplay();

/** Makes an element with a text, which is what must not leave the page where it is private. */
const made = `const made = (name, text, attributes = {}) => {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};
const by = (id) => document.getElementById(id);
const shadow = (id) => by(id).shadowRoot ?? by(id).attachShadow({ mode: 'open' });`;
const run = (page: Page, code: string) => page.evaluate(`(() => { ${made} ${code} })()`);

/** The whole recording of a page, once its title is "Done". */
async function recorded(page: Page): Promise<string> {
  const session = await sessionOf(page);
  await run(page, `by('title').textContent = 'Done';`);
  await page.evaluate('client.flush()');
  return JSON.stringify(await snapshotsOf(session, 3, 'Done'));
}
/** Words with this prefix, which only the tests write. */
const words = (text: string, start: string) => [...new Set(text.match(new RegExp(`${start}-[a-z-]+`, 'g')))].sort();

test.each([
  ['', 0],
  ['; of a page that is taken in pieces', 400],
])('RPP-1 RPP-2 masked and blocked elements are masked in shadow roots, in frames and in their events%s', async (_, rows) => {
  const { page, errors, close } = await open(`<h1 id="title">Shop</h1><ul>${'<li>Row</li>'.repeat(rows)}</ul><section>
<p class="tm-mask" id="named" title="secret-title"><b aria-label="secret-label">secret-text</b><a href="mailto:secret-mail@x">x</a><img alt="secret-alt"></p>
<div class="tm-mask" id="masked"></div><div class="tm-mask"><iframe id="framed"></iframe><input id="button" type="submit" value="secret-button"></div>
<div class="tm-block" id="blocked"></div><iframe class="tm-block" id="chat"></iframe><div class="tm-block"><iframe id="inner"></iframe></div>
<div id="open"></div><p id="plain" title="public-title">public-text</p></section>`);
  await run(
    page,
    `shadow('masked').append('secret-root', made('p', 'secret-shadow'));
     shadow('blocked').append(made('p', 'secret-box'));
     shadow('open').append(made('p', 'public-shadow'));
     for (const id of ['framed', 'chat', 'inner']) by(id).contentDocument.body.append(made('p', 'secret-frame'));`,
  );
  await becomesActive(page);
  // no event says that the recorder has taken the frames, which it does by a timer of the browser
  await page.waitForTimeout(500);
  await run(
    page,
    `by('named').title = 'secret-title-again';
     by('button').value = 'secret-button-again';
     shadow('masked').querySelector('p').firstChild.data = 'secret-change';
     shadow('masked').append(made('i', 'secret-addition', { title: 'secret-added-title' }));
     shadow('blocked').querySelector('p').firstChild.data = 'secret-box-change';
     shadow('blocked').append(made('i', 'secret-box-addition', { 'data-of': 'secret-data' }));
     shadow('open').append(made('i', 'public-addition'));
     for (const id of ['framed', 'chat', 'inner']) {
       by(id).contentDocument.querySelector('p').firstChild.data = 'secret-frame-change';
       by(id).contentDocument.body.append(made('i', 'secret-frame-addition'));
     }
     document.body.append(made('div', '', { class: 'tm-block', id: 'late' }));
     shadow('late').append(made('p', 'secret-late'));`,
  );
  const text = await recorded(page);
  await close();
  expect(errors).toEqual([]);
  expect(words(text, 'secret')).toEqual([]);
  expect(words(text, 'public')).toEqual(['public-addition', 'public-shadow', 'public-text', 'public-title']);
});

test('classes that stop autocapture also hide elements from recordings, and those of posthog-js work as in posthog-js', async () => {
  const boxes = ['tm-no-capture', 'ph-no-capture', 'tm-block', 'ph-block'];
  const stars = ['tm-mask', 'ph-mask', 'ph-sensitive', 'ph-ignore-input'];
  const marked = [...boxes, ...stars].map((mark) => `<div class="${mark}"><p>secret-text</p><input value="secret-value"></div>`);
  const { page, errors, close } = await open(
    `<h1 id="title">Shop</h1><section>${marked.join('')}<p>public-text</p><input value="public-value"></section>`,
    { replayOptions: { maskAllInputs: false } },
  );
  await becomesActive(page);
  await run(
    page,
    `for (const box of document.querySelectorAll('section div')) {
       box.firstChild.textContent = 'secret-change';
       box.append(made('i', 'secret-addition'));
     }`,
  );
  for (const input of await page.locator('section div input').all()) await input.fill('secret-typed');
  await page.locator('section > input').fill('public-typed');
  await page.locator('section > input').blur();
  const text = await recorded(page);
  await close();
  expect(errors).toEqual([]);
  expect(words(text, 'secret')).toEqual([]);
  expect(words(text, 'public')).toEqual(['public-text', 'public-typed', 'public-value']);
});

const WRITTEN = `<h1 id="title">Shop</h1><div id="editor" contenteditable="true" aria-label="public-label">typed-before</div>
<div contenteditable="plaintext-only" id="plain"></div><textarea id="notes">typed-default</textarea><iframe id="old"></iframe>
<p contenteditable="false">public-text</p>`;
const write = async (page: Page) => {
  await page.fill('#editor', 'typed-text');
  await page.fill('#plain', 'typed-plain');
  await run(
    page,
    `by('editor').append(made('i', 'typed-added')); by('old').contentDocument.body.append(made('i', 'typed-old'));`,
  );
};
const begin = `by('old').contentDocument.designMode = 'on'; by('notes').value = '';`;

test('text outside of inputs is masked too, unless an option allows it', async () => {
  const hidden = await open(WRITTEN);
  await run(hidden.page, begin);
  await becomesActive(hidden.page);
  await write(hidden.page);
  const text = await recorded(hidden.page);
  await hidden.close();
  expect(words(text, 'typed')).toEqual([]);
  expect(words(text, 'public')).toEqual(['public-label', 'public-text']);

  const shown = await open(WRITTEN, { replayOptions: { maskAllInputs: false } });
  await run(shown.page, begin);
  await becomesActive(shown.page);
  await write(shown.page);
  expect(words(await recorded(shown.page), 'typed')).toEqual(
    expect.arrayContaining(['typed-text', 'typed-plain', 'typed-added', 'typed-old']),
  );
  await shown.close();
});

test('nothing that is typed or drawn is stored of passwords, frames, shadow roots and canvases, and each key counts', async () => {
  const { page, errors, close } = await open(
    `<h1 id="title">Shop</h1><input class="typed" type="password" id="pass" value="typed-given"><div class="typed" contenteditable></div>
<div id="box"></div><iframe id="frame" title="Pay"></iframe><canvas id="canvas" aria-label="public-canvas"></canvas>`,
  );
  await run(
    page,
    `for (const root of [shadow('box'), by('frame').contentDocument.body]) {
       root.append(made('input', '', { class: 'typed', type: 'password' }), made('input', '', { class: 'typed', autocomplete: 'cc-number' }));
       root.append(made('div', '', { class: 'typed', contenteditable: '' }));
     }`,
  );
  await becomesActive(page);
  const session = await sessionOf(page);
  // a new session is sent from the first interaction on
  await page.locator('#title').click();
  await page.evaluate('client.flush()');
  // the recorder takes the frame by a timer of the browser
  await snapshotsOf(session, 3, '"isAttachIframe":true');
  await run(page, `by('canvas').getContext('2d').fillText('typed-drawn', 10, 10);`);
  const frame = page.frameLocator('#frame');
  for (const field of [...(await page.locator('.typed').all()), ...(await frame.locator('.typed').all())]) {
    await field.pressSequentially('typed-secret');
  }
  // "show password" turns the field into one of text
  await run(page, `by('pass').type = 'text';`);
  await page.locator('#pass').pressSequentially('typed-shown');
  await run(page, `by('title').textContent = 'Done';`);
  // a busy page handles several keys, and may send the recording, before a timer of it runs
  await run(
    page,
    `const field = shadow('box').querySelector('input');
     for (let key = 0; key < 7; key += 1) {
       field.value += 'x';
       field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
     }
     client.flush();`,
  );
  const text = JSON.stringify(await snapshotsOf(session, 3, 'Done'));
  await close();
  expect(errors).toEqual([]);
  expect(words(text, 'typed')).toEqual([]);
  expect(text).not.toMatch(/typed-|drawn|secret|shown/);
  expect(words(text, 'public')).toEqual(['public-canvas']);
  const { body } = await service.call('GET', `/api/projects/@current/session_recordings/${session}/`);
  // five inputs of twelve letters, eleven more, and seven at once; text of editable elements changes the page, as in posthog-js
  expect(body).toMatchObject({ keypress_count: 5 * 12 + 11 + 7 });
});

test('each key in a secret field counts after a snapshot of the whole page, and in the next session of the page', async () => {
  const { page, close } = await open('<h1 id="title">Shop</h1><input type="password" id="pass">', {
    replayOptions: { fullSnapshotEveryMs: 1 },
  });
  for (const _ of ['first session', 'second session']) {
    await becomesActive(page);
    const session = await sessionOf(page);
    await page.locator('#pass').pressSequentially('typed-secret');
    await recorded(page);
    const { body } = await service.call('GET', `/api/projects/@current/session_recordings/${session}/`);
    expect(body).toMatchObject({ keypress_count: 12 });
    await run(page, `by('title').textContent = 'Shop';`);
    await page.evaluate('client.reset()');
  }
  await close();
});

test('RPP-5 nothing is recorded if the masking options are invalid', async () => {
  for (const replayOptions of [{ maskTextSelector: '.salary,,' }, { blockSelector: 'div[' }, { blockSelector: '..' }]) {
    const { page, close } = await open('<h1 id="title">Shop</h1>', { replayOptions });
    await configArrived(page);
    await loadDelayPasses(page);
    expect([replayOptions, await active(page)]).toEqual([replayOptions, false]);
    await close();
  }
  expect(uploads()).toEqual([]);
});
