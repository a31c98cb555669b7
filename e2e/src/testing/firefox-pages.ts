import { eventually, type Firefox } from '@tidemark/testkit';
import { expect } from 'vitest';

/** What can be found by role and name. */
const ROLES = {
  button: 'button, [role=button]',
  heading: 'h1, h2',
  link: 'a[href]',
  menuitem: '[role=menuitem]',
  option: '[role=option]',
  // what is pressed is the label: the control itself is drawn
  radio: 'label:has(input[type=radio])',
  switch: 'label:has([role=switch])',
  tab: '[role=tab]',
  textbox: 'input, textarea',
} as const;

/** Marks the first visible element with a role and a name, whole or as a pattern. @returns whether there is one */
const MARK = `((selector, name, isPattern) => {
  const textOf = (element) => (element?.innerText ?? '').replace(/\\s+/g, ' ').trim();
  const nameOf = (element) => element.getAttribute('aria-label')
    || (element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => textOf(document.getElementById(id))).join(' ').trim()
    || textOf(element.labels?.[0]) || textOf(element);
  const matches = isPattern ? (text) => new RegExp(name).test(text) : (text) => text === name;
  for (const marked of document.querySelectorAll('[data-story]')) marked.removeAttribute('data-story');
  const found = [...document.querySelectorAll(selector)].find((element) => element.getClientRects().length > 0 && matches(nameOf(element)));
  found?.setAttribute('data-story', '');
  return !!found;
})`;

/** Works a page in Firefox by roles and names, as people do. */
export function firefoxPage(firefox: Firefox) {
  /** Waits for an expression to become true in the page. */
  const becomes = (expression: string) =>
    eventually(async () => expect([expression, await firefox.evaluate(expression)]).toEqual([expression, true]), {
      within: 12_000,
    });
  const find = async (role: keyof typeof ROLES, name: string | RegExp) => {
    const isPattern = typeof name !== 'string';
    const given = [ROLES[role], isPattern ? name.source : name, isPattern].map((part) => JSON.stringify(part)).join(', ');
    await eventually(async () => expect([role, name, await firefox.evaluate(`${MARK}(${given})`)]).toEqual([role, name, true]), {
      within: 12_000,
    });
  };
  const self = {
    becomes,
    find,
    shows: (text: string) => becomes(`document.body.innerText.includes(${JSON.stringify(text)})`),
    async press(role: keyof typeof ROLES, name: string | RegExp): Promise<void> {
      await find(role, name);
      await firefox.click('[data-story]');
    },
    async type(label: string | RegExp, text: string): Promise<void> {
      await find('textbox', label);
      await firefox.type('[data-story]', text);
    },
    /** Begins to note what goes wrong, until the page is loaded anew. A size that is looked at again in the next frame is no fault. */
    collectFaults: () =>
      firefox.evaluate(`void (window.faults = [],

        addEventListener('error', ({ message }) => /^ResizeObserver loop/.test(message) || faults.push(message)),
        addEventListener('unhandledrejection', ({ reason }) => faults.push(String(reason))),
        addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => faults.push(violatedDirective + ' ' + blockedURI)),
        console.error = (...parts) => faults.push(parts.join(' ')))`),
    faults: () => firefox.evaluate<string[]>('window.faults'),
    /** Opens home, with a log-in unless somebody is logged in. */
    async home(url: string, { email, password }: { email: string; password: string }): Promise<void> {
      await firefox.goto(url);
      await becomes(`!!document.querySelector('h1, input[name=email]')`);
      await self.collectFaults();
      if (await firefox.evaluate(`!!document.querySelector('input[name=email]')`)) {
        await self.type('E-mail', email);
        await self.type('Password', password);
        await self.press('button', 'Log in');
      }
      await becomes(`/^\\/p\\/\\d+$/.test(location.pathname)`);
    },
  };
  return self;
}
