import type { Insight, Series } from '@tidemark/charts';

/** Names for people of the events that SDKs capture. */
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

/** Replaces event names by {@link NAMES}. A breakdown of a single event is labelled by its values alone. */
export function readableInsight(insight: Insight): Insight {
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

/** Replaces the event name within a text, such as a step of a path. */
const readablePart = (text: string): string => text.replace(/\$[a-z]+/, readableName);

function readableSeries(one: Series, isOne: boolean): Series {
  // a formula is part of the query, which visitors must not see
  const named = readablePart(one.label).replace(/^Formula \(.*\)/s, 'Formula');
  const start = `${one.customName ?? one.name} · `;
  const label = isOne && one.breakdown !== null && one.label.startsWith(start) ? one.label.slice(start.length) : named;
  return { ...one, name: readableName(one.name), label };
}
