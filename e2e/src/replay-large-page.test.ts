import { eventually } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { becomesActive, open, type Recorded, replay, sessionOf, snapshotsOf, withReplay } from './testing/replay-visits.js';

withReplay();

/** A page of 4,000 elements: lists, a flat and a deep part, hidden parts, fields, a shadow root and a scrolled part. */
const BUILD = `(() => {
  window.trusted = trustedTypes.createPolicy('page', { createHTML: (text) => text });
  const times = (count, make) => Array.from({ length: count }, (_, i) => make(i)).join('');
  const rows = (name, count) => times(count, (i) => '<li class="row" id="' + name + i + '"><b>' + name + ' ' + i + '</b><!-- c --><i>of ' + count + '</i></li>');
  const main = document.createElement('main');
  main.innerHTML = trusted.createHTML('<h1>Shop</h1>'
    + times(3, (i) => '<section><h2>Part ' + i + '</h2><ul class="list">' + rows('part' + i + '-', 200) + '</ul><p>End</p></section>')
    + '<div id="flat">' + times(900, (i) => i % 3 ? '<span>flat ' + i + '</span>' : 'text ' + i) + '</div>'
    + times(40, (i) => '<div class="deep"><p>before ' + i + '</p>') + rows('deep', 90) + times(40, (i) => '<p>after ' + i + '</p></div>')
    + '<div class="tm-block"><ul>' + rows('blocked-words-', 100) + '</ul></div>'
    + '<div class="tm-mask"><ul>' + rows('masked-words-', 100) + '</ul></div>'
    + '<form>' + times(100, (i) => '<p><input id="field' + i + '" type="' + (i % 2 ? 'password' : 'text') + '"></p>') + '</form>'
    + '<div id="box"><ul>' + rows('box', 200) + '</ul></div><div id="hosts"><p id="host"></p></div>');
  document.body.append(main);
  for (const field of document.querySelectorAll('input')) field.value = 'typed-words';
  document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML = trusted.createHTML('<em>in the shadow</em>');
  const box = document.querySelector('#box');
  box.style.height = '100px';
  box.style.overflow = 'auto';
  box.scrollTop = 500;
  const far = document.querySelector('#box199');
  far.classList.add('far');
  far.style.display = 'block';
  far.style.height = '10px';
  far.style.overflow = 'scroll';
  far.querySelector('b').style.display = 'block';
  far.querySelector('b').style.height = '90px';
  far.scrollTop = 30;
  scrollTo(0, 700);
})()`;

/** Mutates the page for a while, as fast as possible. */
const CHANGE = `new Promise((resolve) => {
  const random = (() => { let seed = 7; return (below) => (seed = (seed * 48271) % 2147483647) % below; })();
  const any = (selector) => { const all = document.querySelectorAll(selector); return all[random(all.length)]; };
  const row = (n) => Object.assign(document.createElement('li'), { id: 'new' + n, className: 'row', innerHTML: trusted.createHTML('<b>new ' + n + '</b><i>!</i>') });
  const until = performance.now() + 1500;
  let n = 0;
  const change = () => {
    n++;
    any('.list .row').before(row(n));
    any('.list').append(row(n + 'b'));
    any('#flat').prepend('now ' + n);
    any('.list .row').remove();
    any('.list').append(any('.deep .row, #box .row'));
    any('#box ul').prepend(any('.list .row'));
    any('.row b').textContent = 'changed ' + n;
    any('.row').className = 'row c' + n;
    if (n % 20 === 0) any('section').append(any('section').querySelector('ul') ?? '');
    if (n < 12 || performance.now() < until) setTimeout(change);
    else resolve();
  };
  change();
})`;

/** Events of a page that is about to be hidden or left. */
const LEAVE = `Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
  document.dispatchEvent(new Event('visibilitychange'))`;

/** The page's elements with their own text, and the content of the shadow root. */
const SHAPE = `(document) => [...document.querySelectorAll('main, main *')].filter((element) => !element.closest('.tm-block *, form *')).map((element) => {
  const own = element.matches('.tm-block') ? '' : [...element.childNodes].map((node) => node.nodeType === 3 ? node.data : node.nodeType === 1 ? '<>' : '').join('');
  const masked = element.closest('.tm-mask') ? own.replace(/[^\\s<>]/g, '*') : own;
  return [element.tagName, element.id, element.className, masked, element.shadowRoot?.textContent].join('|');
})`;

const nodesOf = (node: unknown): number =>
  typeof node === 'object' && node && 'childNodes' in node && Array.isArray(node.childNodes)
    ? node.childNodes.reduce((sum: number, child) => sum + nodesOf(child), 1)
    : 1;
const wholesOf = (events: Recorded[]) => events.filter(({ type }) => type === 2).map(({ data }) => nodesOf(data['node']));

test('a large page that changes meanwhile is recorded in parts, and replays to the same page', async () => {
  const { page, errors, close } = await open('', {
    options: { session_recording: false },
    replayOptions: { fullSnapshotEveryMs: 1_000 },
  });
  const warnings: string[] = [];
  page.on('console', (message) => warnings.push(message.text()));
  await page.evaluate(BUILD);
  await page.evaluate(`client.setConfig({ session_recording: true }); client.startSessionRecording()`);
  await becomesActive(page);
  const session = await sessionOf(page);
  // the first one and at least one later, whose outlines contain a small part of the nodes
  await eventually(async () => {
    await page.evaluate(CHANGE);
    expect(wholesOf(await snapshotsOf(session)).length).toBeGreaterThan(1);
  });
  await page.evaluate(`document.querySelector('h1').textContent = 'The end'`);
  const shown = await page.evaluate<string[]>(`(${SHAPE})(document)`);
  const events = await eventually(async () => {
    await page.evaluate(LEAVE);
    const all = await snapshotsOf(session, 5, 'The end');
    expect(await replay(all, SHAPE)).toEqual(shown);
    return all;
  });
  await close();
  expect(errors).toEqual([]);
  // as one text, which a failure shows whole
  expect(warnings.filter((text) => /record/i.test(text)).join('\n')).toBe('');
  expect(Math.max(...wholesOf(events))).toBeLessThan(1_000);
  expect(shown.length).toBeGreaterThan(2_000);
  const sent = JSON.stringify(events);
  for (const secret of ['blocked-words', 'masked-words-1 ', 'typed-words']) expect(sent).not.toContain(`${secret}`);
});

test('a page that is left before all parts are recorded is recorded completely', async () => {
  const { page, close } = await open('', { options: { session_recording: false } });
  await page.evaluate(BUILD);
  const session = await sessionOf(page);
  await page.evaluate(`new Promise((resolve) => {
    client.setConfig({ session_recording: true });
    client.startSessionRecording();
    const poll = () => client.isSessionReplayActive() ? resolve() : setTimeout(poll);
    poll();
  }).then(() => { ${LEAVE} })`);
  const shown = await page.evaluate<string[]>(`(${SHAPE})(document)`);
  const events = await snapshotsOf(session, 5);
  await close();
  expect(await replay(events, SHAPE)).toEqual(shown);
  const SCROLLED = `(document) => [document.querySelector('#box'), document.querySelector('#box .far'), document.scrollingElement].map((one) => String(one.scrollTop))`;
  expect(await replay(events, SCROLLED)).toEqual(['500', '30', '700']);
});
