import { escapeXml } from '../../kernel/escape-xml.js';

/** HTML that is safe as it is. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | null | false | readonly Part[];

/**
 * HTML whose values are escaped, unless they are HTML themselves; null and false are nothing, lists follow one another.
 *
 * @example html`<h1 title="${name}">${name}</h1>${rows.map((row) => html`<p>${row}</p>`)}`
 */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(texts.map((text, i) => (i === 0 ? '' : shown(parts[i - 1] ?? null)) + text).join(''));

function shown(part: Part): string {
  if (part === null || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'string') return escapeXml(part);
  if (typeof part === 'number') return String(part);
  return part.map(shown).join('');
}
