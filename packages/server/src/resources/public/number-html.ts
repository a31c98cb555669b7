import { type Change, type Insight, numberParts, sparklineSvg } from '@tidemark/charts';
import { Html, html } from '../../http/html.js';

/** Pixels. */
const SPARKLINE = { width: 220, height: 36 };

/** A single number with its change against the period before, and a sparkline if it has points. */
export function numberHtml(insight: Extract<Insight, { kind: 'series' }>): Html {
  const { value, change, before, points, unfinished } = numberParts(insight);
  const about = [before, before && insight.isLessBetter ? 'less is better' : null].filter(Boolean).join(', ');
  return html`<p class="big">${value}</p>${(change || about) && html`<p class="change">${change && changeHtml(change)}${about && html`<span>${about}</span>`}</p>`}${points.length > 1 && new Html(sparklineSvg({ points, unfinished }, SPARKLINE).replace(/<svg [^>]*?(viewBox="[^"]*")[^>]*>/, '<svg class="spark" aria-hidden="true" $1>'))}`;
}

const ARROWS = { up: 'M2 10l8-8M4 2h6v6', down: 'M2 2l8 8M4 10h6V4' };

/** The arrow and the sign tell the direction, the color whether that is good. */
const changeHtml = ({ text, direction, verdict }: Change): Html =>
  html`<span class="delta ${verdict}">${direction !== 'none' && html`<svg viewBox="0 0 12 12" aria-hidden="true"><path d="${ARROWS[direction]}"/></svg>`}${text}</span>`;
