import { type Insight, type RetentionCell, retentionTable } from '@tidemark/charts';
import { type Html, html } from '../../http/html.js';

const MAX_ROWS = 100;

/** Retention as a table: it can be copied, and scrolls sideways beside its first column. */
export function retentionHtml(insight: Extract<Insight, { kind: 'retention' }>, title: string): Html {
  const { head, periods, rows, hasUnfinished } = retentionTable(insight);
  return html`<div class="table retention" role="region" tabindex="0" aria-label="${title}: retention in percent"><table>
<thead><tr><th scope="col">${head}</th><th scope="col" class="num">People</th>${periods.map((period) => html`<th scope="col">${period}</th>`)}</tr></thead>
<tbody>${rows
    .slice(0, MAX_ROWS)
    .map(
      ({ name, size, isMean, cells }) =>
        html`<tr${isMean && html` class="mean"`}><th scope="row">${name}</th><td class="num">${size}</td>${cells.map(cellHtml)}</tr>`,
    )}</tbody></table></div>
<p class="about">% of the people who began${hasUnfinished && ', * not over yet'}${rows.length > MAX_ROWS && `, and ${rows.length - MAX_ROWS} more rows`}</p>`;
}

function cellHtml(cell: RetentionCell | null): Html {
  if (!cell) return html`<td></td>`;
  const { text, step, isUnfinished, title } = cell;
  const name = isUnfinished ? 'unfinished' : step === null ? 'first' : `q${step}`;
  return html`<td class="${name}" title="${title}">${isUnfinished ? html`<span>${text}</span>*` : text}</td>`;
}
