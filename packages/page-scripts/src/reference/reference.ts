// The script of the API reference: search, the reader's key in all samples, copy buttons, and requests from the page. The pages work without it.
import { copy } from '../copy.js';
import { fillSamples } from './samples.js';
import { enableSearch } from './search.js';
import { enableRequests } from './try-it.js';

/** Address of the service, with the prefix of a proxy, without the slash at the end. */
const origin = new URL('../../..', location.href).href.replace(/\/$/, '');
const key = document.querySelector<HTMLInputElement>('#key');

followOldAddress();
for (const span of document.querySelectorAll('[data-origin]')) span.textContent = origin;
if (key) {
  key.parentElement?.removeAttribute('hidden');
  // the key stays in this page: nothing stores it
  key.addEventListener('input', () => {
    for (const span of document.querySelectorAll('[data-key]')) span.textContent = key.value.trim() || '<PERSONAL_API_KEY>';
  });
}
for (const button of document.querySelectorAll<HTMLButtonElement>('button.copy')) enableCopy(button);
for (const operation of document.querySelectorAll<HTMLElement>('.operation')) {
  fillSamples(operation);
  enableRequests(operation, origin, () => key?.value.trim() ?? '');
}
enableSearch();
markCurrent();
addEventListener('hashchange', markCurrent);

function enableCopy(button: HTMLButtonElement): void {
  button.hidden = false;
  button.addEventListener('click', () => {
    const shown = [...(button.parentElement?.querySelectorAll('pre') ?? [])].find((sample) => sample.offsetParent !== null);
    return copy(button, shown?.textContent ?? '');
  });
}

/** Marks the operation of the address in the navigation. */
function markCurrent(): void {
  const here = location.pathname.split('/').at(-1) + location.hash;
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === here) {
      link.setAttribute('aria-current', 'true');
      link.scrollIntoView({ block: 'nearest' });
    } else link.removeAttribute('aria-current');
  }
}

/** Earlier versions had `#/Group/operation_id` as the address of an operation. */
function followOldAddress(): void {
  const id = /^#\/.*\/(\w+)$/.exec(location.hash)?.[1];
  const link = id && document.querySelector<HTMLAnchorElement>(`nav a[href$="#${id}"]`);
  if (link) location.replace(link.href);
}
