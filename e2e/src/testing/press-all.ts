import { setTimeout as sleep } from 'node:timers/promises';
import { type AppPage, goTo, settled } from './app-pages.js';

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
    const walk = (one.getAttribute('role') ?? one.localName) + ' ' + name;
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

/** A screen of little content, from which the walk goes back to the one it is about. */
const elsewhere = (path: string) =>
  `${path.split('/', 3).join('/')}/settings/${path.endsWith('/profile') ? 'security' : 'profile'}`;

/**
 * Opens an address, by the app's router if the page has the app already, and presses everything on its screen, and in each menu and dialog
 * that this opens.
 * @param note gets the texts of what was pressed
 * @returns what was pressed, such as "menu menuitem": where it stands and its role or element
 */
export async function pressAll(page: AppPage, url: string, note: (pressed: readonly string[]) => void): Promise<string[]> {
  const presses: string[] = [];
  const quiet = quietOf(page);
  const load = async () => {
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
    const { kind } = await page.evaluate<Marked>(mark);
    const last = path.at(-1) ?? '';
    const found = page.locator(`[data-walk=${JSON.stringify(last)}]`);
    if ((await found.count()) !== 1) return false;
    await found.click({ force: true, noWaitAfter: true });
    presses.push(`${kind} ${last.slice(0, last.indexOf(' '))}`);
    await quiet();
    return true;
  };
  /** Opens the screen anew, from another one and by the app's router: a load of the app would take ten times as long. */
  const open = async () => {
    await goTo(page, elsewhere(new URL(url).pathname));
    await goTo(page, url);
    await quiet();
  };
  note([]);
  if (new URL(page.url()).origin === new URL(url).origin) await open();
  else await load();
  const at = page.url();
  const { marks } = await marked();
  /** Goes back to the screen as it was opened: by the app's router and the Escape key where they do it, else by loading it anew. */
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
    if ((await marked()).kind === 'main') await open();
    else await load();
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
