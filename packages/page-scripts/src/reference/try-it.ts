import { readForm } from './samples.js';

/** Characters of a response that are shown. */
const MAX_CHARACTERS = 100_000;

/**
 * Sends the request of an operation from its form, and shows the response.
 * @param key the key of the reader; empty: the session of the browser is used
 */
export function enableRequests(operation: HTMLElement, origin: string, key: () => string): void {
  const details = operation.querySelector<HTMLDetailsElement>('.try');
  const form = details?.querySelector('form');
  const output = details?.querySelector('output');
  if (!details || !form || !output) return;
  const button = form.querySelector('button');
  details.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (button) button.disabled = true;
    output.textContent = 'Sending…';
    try {
      output.textContent = await send(operation.dataset['method'] ?? 'GET', origin, readForm(operation, form), key());
    } catch (error) {
      output.textContent = `No response: ${error instanceof Error ? error.message : String(error)}`;
    }
    if (button) button.disabled = false;
  });
}

async function send(method: string, origin: string, typed: ReturnType<typeof readForm>, key: string): Promise<string> {
  const headers = new Headers();
  if (key) headers.set('authorization', `Bearer ${key}`);
  if (typed.body !== undefined) headers.set('content-type', 'application/json');
  const start = performance.now();
  const response = await fetch(origin + typed.address, {
    method,
    headers,
    credentials: key ? 'omit' : 'same-origin',
    ...(typed.body === undefined ? {} : { body: typed.body }),
  });
  const type = response.headers.get('content-type') ?? '';
  const isText = /json|text|xml|javascript/.test(type);
  const text = isText
    ? pretty(await response.text())
    : `${(await response.arrayBuffer()).byteLength} bytes of ${type || 'no type'}`;
  const milliseconds = Math.round(performance.now() - start);
  const shown =
    text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}\n… ${text.length - MAX_CHARACTERS} more characters` : text;
  return `${response.status} ${response.statusText} in ${milliseconds} ms\n\n${shown}`.trimEnd();
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
