import { styleOf } from './axes/value-labels.js';
import { emptyTexts } from './empty-texts.js';
import type { Comparison, Insight } from './insight.js';
import { isEmpty } from './insight.js';
import { numberParts } from './kinds/number-parts.js';
import { retentionTable } from './kinds/retention-table.js';
import { formatNumber, more, percent, signedPercent } from './text/format-number.js';
import { beforeMore } from './text/measure.js';
import { written } from './text/number-style.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** Names in a list at most. */
const MOST = 3;
const OVER_TIME: ReadonlySet<string> = new Set(['line', 'area', 'bar', 'stacked']);

/** What a chart shows in one or two sentences, for people who do not see it: its span, and its largest numbers. */
export function chartSummary(insight: Insight): string {
  if (isEmpty(insight)) {
    const { fact, cause } = emptyTexts(insight);
    return `${fact}. ${cause}`;
  }
  switch (insight.kind) {
    case 'series':
      return seriesSummary(insight);
    case 'funnel': {
      const steps = insight.groups[0]?.steps ?? [];
      const countOf = (at: number) => insight.groups.reduce((sum, group) => sum + (group.steps.at(at)?.count ?? 0), 0);
      const [first, last] = [countOf(0), countOf(-1)];
      const unit = insight.unit ?? 'people';
      return `${counted(steps.length, 'step')}: of ${`${formatNumber(first)} ${unit}`.trim()} ${formatNumber(last)} took the last, ${percent(first > 0 ? last / first : 0)}.`;
    }
    case 'retention': {
      const { rows, periods } = retentionTable(insight);
      const means = (rows[0]?.cells ?? []).flatMap((cell, i) =>
        cell && i > 0 ? [`${insight.period ?? 'period'} ${periods[i]}: ${cell.text}%`] : [],
      );
      const came = means.length > 0 ? ` Came back in ${listed(means)}.` : '';
      return `${counted(insight.cohorts.length, 'cohort')}.${came}`;
    }
    case 'paths': {
      const [largest] = insight.edges.toSorted((a, b) => b.value - a.value);
      const nameOf = (node = '') => beforeMore(node.replace(/^\d+_/, ''));
      return `${counted(insight.edges.length, 'flow')}, the largest from ${nameOf(largest?.source)} to ${nameOf(largest?.target)}: ${formatNumber(largest?.value ?? 0)}.`;
    }
    case 'comparison':
      return comparisonSummary(insight);
    case 'rows':
      return `${counted(insight.rows.length, 'row')} of ${listed(insight.columns)}.`;
    case 'nothing':
      return '';
  }
}

function seriesSummary(insight: SeriesInsight): string {
  const { display, labels, series, unfinished = 0 } = insight;
  if (display === 'number') {
    const { value, change, before } = numberParts(insight);
    return `${[value, change?.text, before].filter(Boolean).join(', ')}.`;
  }
  const current = series.filter(({ isPrevious }) => !isPrevious);
  const named = (current.length > 0 ? current : series)
    .toSorted((a, b) => b.total - a.total)
    .map((one) => `${beforeMore(one.label)} ${written(one.total, styleOf(one, insight))}`);
  const whole = `${named.length > 1 ? `${counted(named.length, 'series')}: ` : ''}${listed(named)}.`;
  if (!OVER_TIME.has(display) || labels.length < 2) return whole;
  const [first = '', last = ''] = [labels[0], labels.at(-1)].map((label) => (label ?? '').replace(/, so far$/, ''));
  return `${counted(labels.length, 'point')} from ${first} to ${last}${unfinished > 0 ? ', the last of which is not over' : ''}. ${whole}`;
}

function comparisonSummary({ variants, warning, level }: Comparison): string {
  const changes = variants.flatMap(({ name, metric, change }) =>
    change
      ? [
          `${[metric?.name, name].filter(Boolean).join(' · ')} ${signedPercent(change.value)}, from ${signedPercent(change.low)} to ${signedPercent(change.high)}`,
        ]
      : [],
  );
  const warned = warning ? `${warning.fact}. ` : '';
  return `${warned}${counted(variants.length, 'variant')} with intervals of ${Math.round(level * 100)}%: ${listed(changes) || 'no change is known yet'}.`;
}

const counted = (count: number, thing: string): string =>
  `${formatNumber(count)} ${count === 1 || thing === 'series' ? thing : `${thing}s`}`;

function listed(texts: readonly string[]): string {
  const rest = texts.length - MOST;
  return rest > 0 ? `${texts.slice(0, MOST).join('; ')}; ${more(rest, 'value').replace('+ ', 'and ')}` : texts.join('; ');
}
