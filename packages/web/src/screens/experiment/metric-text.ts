import { readableName } from '@tidemark/charts';
import { propertyName } from '../../query/property-name.js';
import type { MetricDraft, MetricEvents } from './draft.js';

const nameOf = ({ event, action }: MetricEvents): string => `“${action ?? (event === null ? 'any event' : readableName(event))}”`;

function numberText(events: MetricEvents): string {
  const { math, property } = events;
  if (math === 'dau') return `people with ${nameOf(events)}`;
  if (math === 'total') return nameOf(events);
  const words = { sum: 'sum', avg: 'average', min: 'lowest', max: 'highest' }[math] ?? math;
  return `${words} of ${property ? propertyName(property) : '…'} of ${nameOf(events)}`;
}

/** What a metric is, in words: "Share of exposed people with “Purchase” within 7 days". */
export function metricText({ type, events, window, unit }: MetricDraft): string {
  const within = window === null ? '' : ` within ${window} ${unit}${window === 1 ? '' : 's'}`;
  const [first, second] = events;
  if (!first) return 'No event';
  if (type === 'funnel') return `Share of exposed people with ${events.map(nameOf).join(', then ')}${within}`;
  if (type === 'ratio') return `${upper(numberText(first))} for each ${second ? numberText(second) : '…'}${within}`;
  return `${upper(numberText(first))} a person${within}`;
}

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
