/** The home page: copies snippets, puts the project key into them, and waits for the first event. */

import { copy } from './copy.js';

const PLACEHOLDER = '<project key>';
/** Pause between two questions; milliseconds. */
const POLL_MS = 3_000;
/** Questions without an event until the page stops asking: a quarter of an hour. */
const MAX_POLLS = 300;

const all = (selector: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(selector)];
const one = (selector: string): HTMLElement | null => document.querySelector<HTMLElement>(selector);

const card = one('#waiting');
const title = one('#waiting-title');
const detail = one('#waiting-detail');
const input = document.querySelector<HTMLInputElement>('#key');
const testButton = document.querySelector<HTMLButtonElement>('#test');

let key = card?.dataset['key'] ?? '';
let polls = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

for (const element of all('[data-script]')) element.hidden = false;
for (const button of all('[data-copy]'))
  button.addEventListener('click', () => copy(button, one(`#${button.dataset['copy']}`)?.textContent ?? ''));
input?.addEventListener('input', () => useKey(input.value.trim()));
testButton?.addEventListener('click', sendTestEvent);
document.addEventListener('visibilitychange', () => document.hidden || ask());
if (key) useKey(key);

/** Puts a key into the snippets, and waits for events of its project. */
function useKey(value: string): void {
  key = /^tmk_[\w-]{8,}$/.test(value) ? value : '';
  for (const place of all('[data-key-place]')) place.textContent = key || PLACEHOLDER;
  polls = 0;
  if (testButton) testButton.disabled = !key;
  if (key) return void ask();
  clearTimeout(timer);
  show('idle', 'Waiting for a project key', value ? 'A project key begins with tmk_.' : 'Paste it on this page.');
}

async function ask(): Promise<void> {
  clearTimeout(timer);
  if (!key || card?.dataset['state'] === 'arrived' || document.hidden) return;
  const requestedKey = key;
  const answer = await fetch(`/api/first_event/?token=${encodeURIComponent(key)}`).catch(() => null);
  const { received = false } = answer?.ok ? await answer.json() : {};
  if (requestedKey !== key) return;
  if (received)
    return show('arrived', 'Events are here', 'This project has received events. Next: ask the API for your first chart.');
  if (answer?.status === 401) return show('fault', 'No project has this key', 'Compare it with api_token of your project.');
  polls++;
  if (polls > MAX_POLLS) return show('fault', 'No event so far', 'This page stopped asking. Reload it to go on.');
  if (answer?.ok) show('waiting', 'Waiting for the first event', 'This changes by itself when one arrives, no reload.');
  else show('fault', 'The service does not answer', 'This page asks again by itself.');
  timer = setTimeout(ask, POLL_MS * (answer?.ok ? 1 : 5));
}

async function sendTestEvent(): Promise<void> {
  const body = JSON.stringify({ api_key: key, event: 'test event', distinct_id: 'home page' });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch('/capture/', { method: 'POST', headers, body }).catch(() => null);
  if (!answer?.ok) return show('fault', 'The test event was refused', `The service answered ${answer?.status ?? 'nothing'}.`);
  await ask();
}

function show(state: 'idle' | 'waiting' | 'arrived' | 'fault', heading: string, text: string): void {
  if (!card || !title || !detail) return;
  card.dataset['state'] = state;
  // a text that stays the same must not be announced again
  if (title.textContent !== heading) title.textContent = heading;
  if (detail.textContent !== text) detail.textContent = text;
  if (testButton) testButton.hidden = state === 'arrived';
}
