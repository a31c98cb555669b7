import type { Insight, Series } from '@tidemark/charts';

/** Events of the protocol by the names that people know them by. */
const NAMES: Readonly<Record<string, string>> = {
  $pageview: 'Page view',
  $pageleave: 'Page leave',
  $screen: 'Screen view',
  $autocapture: 'Click or input',
  $rageclick: 'Rage click',
  $identify: 'Identified',
  $exception: 'Error',
};

const readableName = (name: string): string => NAMES[name] ?? name;

/** A result in words for people who do not know the protocol; of one event broken down, the parts alone. */
export function readable(insight: Insight): Insight {
  if (insight.kind === 'series') {
    const isOne = new Set(insight.series.map(({ name, customName }) => customName ?? name)).size === 1;
    return { ...insight, series: insight.series.map((one) => readableSeries(one, isOne)) };
  }
  if (insight.kind === 'funnel') {
    const groups = insight.groups.map(({ breakdown, steps }) => ({
      breakdown,
      steps: steps.map((step) => ({ ...step, name: readableName(step.name) })),
    }));
    return { ...insight, groups };
  }
  if (insight.kind === 'paths') {
    const edges = insight.edges.map((edge) => ({
      ...edge,
      source: readablePart(edge.source),
      target: readablePart(edge.target),
    }));
    return { ...insight, edges };
  }
  return insight;
}

/** Of a text that holds a name, such as a step of a path. */
const readablePart = (text: string): string => text.replace(/\$[a-z]+/, readableName);

function readableSeries(one: Series, isOne: boolean): Series {
  // how it is calculated is the query's, not the visitors'
  const named = readablePart(one.label).replace(/^Formula \(.*\)/s, 'Formula');
  const start = `${one.customName ?? one.name} · `;
  const label = isOne && one.breakdown !== null && one.label.startsWith(start) ? one.label.slice(start.length) : named;
  return { ...one, name: readableName(one.name), label };
}
