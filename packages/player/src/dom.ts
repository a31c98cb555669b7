/** Paths of the icons, on a grid of 24 pixels: lines, or areas where `FILLED` has their name. */
const ICONS = {
  play: 'M7 4.5v15l13-7.5z',
  pause: 'M6 4h4v16H6zm8 0h4v16h-4z',
  again: 'M12 5V1L6 6l6 5V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z',
  back: 'M3 12a9 9 0 1 0 9-9 9.8 9.8 0 0 0-6.7 2.7L3 8M3 3v5h5',
  ahead: 'M21 12a9 9 0 1 1-9-9 9.8 9.8 0 0 1 6.7 2.7L21 8M21 3v5h-5',
  full: 'M8 3H5a2 2 0 0 0-2 2v3M16 3h3a2 2 0 0 1 2 2v3M8 21H5a2 2 0 0 1-2-2v-3M16 21h3a2 2 0 0 0 2-2v-3',
  page: 'M2 12s3.5-7 10-7 10 7 10 7-3.5 7-10 7-10-7-10-7zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  click: 'm9 9 5 12 1.8-5.2L21 14zM7.2 2.2 8 5.1M5.1 8l-2.9-.8M14 4.1 12 6M6 12l-1.9 2',
  rage: 'm9 9 5 12 1.8-5.2L21 14zM7.2 2.2 8 5.1M5.1 8l-2.9-.8M14 4.1 12 6M6 12l-1.9 2',
  typed: 'm4 17 6-6-6-6M12 19h8',
  error: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 8v4M12 16h.01',
  console: 'm4 17 6-6-6-6M12 19h8',
  network: 'M7 17V5M3 9l4-4 4 4M17 7v12M13 15l4 4 4-4',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM5 21v-1a6 6 0 0 1 6-6h2a6 6 0 0 1 6 6v1',
  browser: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c5 5 5 13 0 18-5-5-5-13 0-18z',
  device: 'M4 4h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zM8 20h8M12 16v4',
  place: 'M12 21c5-5 7-8 7-11a7 7 0 0 0-14 0c0 3 2 6 7 11zM12 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  length: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2',
  link: 'M10 13a5 5 0 0 0 7.5.5l3-3a5 5 0 0 0-7-7l-1.7 1.7M14 11a5 5 0 0 0-7.5-.5l-3 3a5 5 0 0 0 7 7l1.7-1.7',
};
export type Icon = keyof typeof ICONS;
const FILLED: ReadonlySet<Icon> = new Set(['play', 'pause', 'again']);

/** Creates an element with these properties; `role` and names with a dash are attributes. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Record<string, unknown> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === 'role' || key.includes('-')) made.setAttribute(key, String(value));
    else Reflect.set(made, key, value);
  }
  made.append(...children);
  return made;
}

/** Creates an icon, which screen readers skip. */
export function iconOf(name: Icon): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  const look = FILLED.has(name)
    ? { fill: 'currentColor' }
    : { fill: 'none', stroke: 'currentColor', 'stroke-width': '1.75', 'stroke-linecap': 'round', 'stroke-linejoin': 'round' };
  for (const [key, value] of Object.entries({ d: ICONS[name], ...look })) path.setAttribute(key, value);
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.append(path);
  return svg;
}

/** Sets a text, without a change where it is the same. */
export function write(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** An address without query, fragment and credentials, which may be private; the screen name of a mobile application unchanged. */
export function publicAddress(address: string): string {
  if (!URL.canParse(address)) return /[/?#]/.test(address) ? '' : address;
  const { protocol, host, pathname } = new URL(address);
  return host ? `${protocol}//${host}${pathname}` : '';
}
