import type { Alert } from '../../data/alerts.js';

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 2 });

type Rules = Pick<Alert, 'condition' | 'threshold'>;

/** Whether the bounds of an alert are shares of the number before. */
export const isByShare = ({ condition, threshold }: Rules): boolean =>
  condition.type !== 'absolute_value' && threshold.configuration.type === 'percentage';

/** A number that is compared with the bounds of an alert. */
export const valueText = (rules: Rules, value: number): string =>
  (isByShare(rules) ? PERCENT : NUMBER).format(value).replace('-', '−');

const NOUNS = { absolute_value: 'Value', relative_increase: 'Increase', relative_decrease: 'Decrease' } as const;

/** When an alert fires: "Value below 100 or above 500". */
export function conditionText(alert: Rules): string {
  const { lower, upper } = alert.threshold.configuration.bounds;
  const bounds = [
    ...(lower === null ? [] : [`below ${valueText(alert, lower)}`]),
    ...(upper === null ? [] : [`above ${valueText(alert, upper)}`]),
  ];
  return `${NOUNS[alert.condition.type]} ${bounds.join(' or ')}`;
}

export const INTERVALS = [
  { value: 'hourly', label: 'Hourly' },
  { value: 'daily', label: 'Daily' },
  { value: 'weekly', label: 'Weekly' },
  { value: 'monthly', label: 'Monthly' },
] as const;

/** How often an alert is checked, in words. */
export const intervalText = ({ calculation_interval: interval }: Alert): string => `checked ${interval}`;

/** The state of an alert in a word, with what a badge of it looks like. */
export function stateOf({ state, enabled, last_checked_at }: Alert): {
  label: string;
  kind: 'neutral' | 'good' | 'warn' | 'bad';
} {
  if (state === 'Snoozed') return { label: 'Snoozed', kind: 'neutral' };
  if (state === 'Errored') return { label: enabled ? 'Failed' : 'Failed, off', kind: 'warn' };
  if (!enabled) return { label: 'Off', kind: 'neutral' };
  if (last_checked_at === null) return { label: 'Being checked', kind: 'neutral' };
  return state === 'Firing' ? { label: 'Firing', kind: 'bad' } : { label: 'Not firing', kind: 'good' };
}
