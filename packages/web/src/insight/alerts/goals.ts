import type { Goal } from '@tidemark/charts';
import type { Alert } from '../../data/alerts.js';

/** Lines of a chart at most: a chart full of lines says nothing. */
const MOST = 6;

/** The bounds of the alerts that the panel shows, as lines across the chart. Bounds of changes have no place on its axis. */
export function goalsOf(alerts: readonly Alert[], shown: string | undefined): Goal[] {
  if (shown === undefined || shown === 'new') return [];
  return alerts
    .filter(({ id, enabled, condition }) => (shown === 'list' ? enabled : id === shown) && condition.type === 'absolute_value')
    .flatMap(({ name, threshold }) => {
      const { lower, upper } = threshold.configuration.bounds;
      return [
        ...(lower === null ? [] : [{ label: `Below: ${name}`, value: lower, color: null, isAtStart: true }]),
        ...(upper === null ? [] : [{ label: `Above: ${name}`, value: upper, color: null, isAtStart: true }]),
      ];
    })
    .slice(0, MOST);
}
