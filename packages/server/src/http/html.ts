import { escapeXml } from '../kernel/display-text.js';

/** HTML that needs no escaping. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | null | false | readonly Part[];

/**
 * A template of HTML that escapes its values, except {@link Html}. Null and false become nothing; lists are joined.
 *
 * @example html`<h1 title="${name}">${name}</h1>${rows.map((row) => html`<p>${row}</p>`)}`
 */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(texts.map((text, i) => (i === 0 ? '' : toHtml(parts[i - 1] ?? null)) + text).join(''));

function toHtml(part: Part): string {
  if (part === null || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'string') return escapeXml(part);
  if (typeof part === 'number') return String(part);
  return part.map(toHtml).join('');
}
