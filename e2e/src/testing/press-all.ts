import { setTimeout as sleep } from 'node:timers/promises';
import { type AppPage, settled } from './app-pages.js';

/** What is not pressed: it would end the session of the walk, or the membership. */
const NEVER = /^(Log out|Leave|Close|Cancel)/;

/**
 * Marks what can be pressed in the topmost menu, dialog or else in the screen, by role and name; of a list only what is in its first row.
 * @returns the marks
 */
const mark = `(() => {
  for (const one of document.querySelectorAll('[data-walk]')) one.removeAttribute('data-walk');
  const shown = (one) => one.getClientRects().length > 0;
  const top = ['[role=menu]', '[role=listbox]', '[role=dialog], [role=alertdialog]', 'main']
    .map((selector) => [...document.querySelectorAll(selector)].filter(shown).at(-1)).find(Boolean);
  const kind = top.getAttribute('role') ?? 'main';
  if (kind === 'listbox') return { kind, marks: [] };
  const marks = [];
  for (const one of top.querySelectorAll('button, [role=button], [role=tab], [role=menuitem], label:has([role=switch]), label:has([type=checkbox])')) {
    const control = one.matches('label') ? one.querySelector('input') : one;
    if (!shown(one) || control.disabled || control.ariaDisabled === 'true' || one.closest('[data-disabled], [inert]')) continue;
    const row = one.closest('li, tr, [role=row]');
    const before = row?.previousElementSibling;
    if (kind === 'main' && before && before.matches('li, [role=row], tbody tr') && before.querySelector('button, label')) continue;
    const name = (control.ariaLabel || one.innerText || control.closest('label')?.innerText || '').replace(/\\s+/g, ' ').trim();
    const walk = one.localName + ' ' + name;
    if (marks.includes(walk)) continue;
    one.setAttribute('data-walk', walk);
    marks.push(walk);
  }
  return { kind, marks };
})()`;

/** Requests follow a press at once, or after the debounce of a field. */
const STILL_MS = 150;
/** An answer that takes longer is not waited for. */
const MOST_MS = 10_000;
/** Menus and dialogs above each other, at most. */
const MOST_LAYERS = 4;

/** Marks in one text, without what a passing time changes in it. */
const timeless = (marks: readonly string[]) => marks.join('\n').replace(/\bnow\b|, cached|\d+ \w+\. ago/g, '');

interface Marked {
  kind: string;
  marks: string[];
}

/** Opens an address, and presses everything on its screen, and in each menu and dialog that this opens. @param note gets the text of what was pressed */
export async function pressAll(page: AppPage, url: string, note: (pressed: readonly string[]) => void): Promise<number> {
  let presses = 0;
  const quiet = quietOf(page);
  const open = async () => {
    await page.goto(url);
    await settled(page);
    await quiet();
  };
  const marked = async (): Promise<Marked> => {
    const { kind, marks } = await page.evaluate<Marked>(mark);
    return { kind, marks: marks.filter((one) => !NEVER.test(one.slice(one.indexOf(' ') + 1))) };
  };
  /** @returns whether it was still there */
  const press = async (path: readonly string[]): Promise<boolean> => {
    note(path);
    await page.evaluate(mark);
    const found = page.locator(`[data-walk=${JSON.stringify(path.at(-1))}]`);
    if ((await found.count()) !== 1) return false;
    await found.click({ force: true, noWaitAfter: true });
    presses++;
    await quiet();
    return true;
  };
  note([]);
  await open();
  const at = page.url();
  const { marks } = await marked();
  /** Goes back to the screen as it was opened: by the app's router and the Escape key where they do it, else by opening it anew. */
  const back = async () => {
    if (page.url() !== at && new URL(page.url()).origin === new URL(at).origin) {
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(at)})`);
      await quiet();
    }
    for (let layers = 0; layers < MOST_LAYERS && page.url() === at; layers++) {
      const now = await marked();
      if (now.kind === 'main' && timeless(now.marks) === timeless(marks)) return;
      if (now.kind === 'main') break;
      await page.keyboard.press('Escape');
      await quiet();
    }
    await open();
  };
  for (const one of marks) {
    if (!(await press([one]))) continue;
    const inner = await marked();
    if (inner.kind !== 'main') {
      for (const [index, further] of inner.marks.entries()) {
        if (index > 0) {
          await back();
          if (!(await press([one]))) break;
        }
        await press([one, further]);
      }
    }
    if (inner.kind !== 'main' || page.url() !== at) await back();
  }
  return presses;
}

/** @returns a function that waits until the page has sent no request for a moment; streams, which never end, do not count */
export function quietOf(page: AppPage): () => Promise<void> {
  let open = 0;
  let last = performance.now();
  const count = (by: number) => (request: { resourceType(): string }) => {
    if (request.resourceType() === 'eventsource') return;
    open = Math.max(0, open + by);
    last = performance.now();
  };
  page.on('request', count(1));
  page.on('requestfinished', count(-1));
  page.on('requestfailed', count(-1));
  return async () => {
    const end = performance.now() + MOST_MS;
    const isQuiet = () => open === 0 && performance.now() - last > STILL_MS;
    last = performance.now();
    while (!isQuiet() && performance.now() < end) await sleep(20);
  };
}
