import { type Change, type Insight, type NumberParts, numberParts, sparklineSvg } from '@tidemark/charts';
import { Html, html } from '../../http/html.js';
import { escapeXml } from '../../kernel/display-text.js';

/** Pixels. */
const SPARKLINE = { width: 220, height: 36 };

/** Characters of a number that fits any tile, and of one whose letters do not become smaller still. */
export const SHORT = 5;
export const LONGEST = 24;

/** A single number with its change against the period before, and a sparkline if it has points. */
export function numberHtml(insight: Extract<Insight, { kind: 'series' }>): Html {
  const parts = numberParts(insight);
  const { value, change, before, isLessBetter } = parts;
  const words = [before, before && isLessBetter ? 'less is better' : null].filter(Boolean).join(', ');
  return html`<p class="big${value.length > SHORT ? ` n${Math.min(value.length, LONGEST)}` : ''}">${value}</p>${(change || words) && html`<p class="change">${change && changeHtml(change)}${words && html`<span>${words}</span>`}</p>`}${parts.points.length > 1 && sparklineHtml(parts)}`;
}

/** The drawing says what it shows to the pointer and to screen readers. */
const sparklineHtml = ({ points, unfinished, about }: NumberParts): Html =>
  new Html(
    sparklineSvg({ points, unfinished, about }, SPARKLINE).replace(
      /<svg [^>]*?(viewBox="[^"]*")[^>]*>/,
      (_, box) => `<svg class="spark" role="img" aria-label="${escapeXml(about)}" ${box}>`,
    ),
  );

const ARROWS = { up: 'M2 10l8-8M4 2h6v6', down: 'M2 2l8 8M4 10h6V4' };

/** The arrow and the sign tell the direction, the color whether that is good. */
const changeHtml = ({ text, direction, verdict }: Change): Html =>
  html`<span class="delta ${verdict}">${direction !== 'none' && html`<svg viewBox="0 0 12 12" aria-hidden="true"><path d="${ARROWS[direction]}"/></svg>`}${text}</span>`;
