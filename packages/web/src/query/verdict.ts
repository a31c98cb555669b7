/** What of the results of an experiment a verdict depends on, as the API has it. */
export interface VerdictResults {
  baseline: string;
  method: 'bayesian' | 'frequentist';
  confidence_level: number;
  exposures: { total: number; sample_ratio: { mismatch: boolean } | null };
  metrics: readonly VerdictMetric[];
  metrics_secondary: readonly VerdictMetric[];
}

export interface VerdictMetric {
  uuid: string | null;
  name: string | null;
  metric_type: 'mean' | 'funnel' | 'ratio' | null;
  goal: 'increase' | 'decrease' | null;
  error: string | null;
  variants: readonly VerdictVariant[];
}

interface VerdictVariant {
  key: string;
  is_baseline: boolean;
  exposures: number;
  value: number | null;
  comparison: Comparison | null;
}

interface Comparison {
  delta: number | null;
  delta_interval: readonly number[] | null;
  difference_interval: readonly number[] | null;
  chance_to_win: number | null;
  p_value: number | null;
  significant: boolean | null;
  enough_data: boolean;
}

export type VerdictKind = 'good' | 'bad' | 'none' | 'early' | 'fault';

export interface Verdict {
  kind: VerdictKind;
  /** In a few words. */
  text: string;
  /** Why, in sentences. */
  reasons: string[];
  /** The variant that the verdict is about; null: none. */
  variant: string | null;
}

/** What the results of an experiment mean, by its first metric. @param guards uuids of metrics that must not get worse */
export function verdictOf(results: VerdictResults, guards: ReadonlySet<string>): Verdict {
  const { exposures, metrics, metrics_secondary: others, baseline } = results;
  const say = (kind: VerdictKind, text: string, ...reasons: string[]): Verdict => ({ kind, text, reasons, variant: null });
  if (exposures.total === 0) {
    return say('early', 'Nobody was exposed yet', 'People count when your code reads the flag and gets a variant.');
  }
  if (exposures.sample_ratio?.mismatch) {
    return say(
      'fault',
      'Uneven split: do not trust these results',
      'By chance the people would be split so unevenly less than once in 1,000 times. Often a redirect or a crash in one variant is the cause.',
    );
  }
  const metric = metrics[0] ?? others.find(({ uuid }) => uuid === null || !guards.has(uuid));
  if (!metric) return say('none', 'No metric yet', 'Without a metric, nothing is compared.');
  const name = metricName(metric);
  if (metric.error) return say('fault', `${name} cannot be computed`, metric.error);
  const compared = metric.variants.filter((one) => one.comparison?.enough_data);
  const [best] = compared.toSorted((a, b) => gainOf(metric, b) - gainOf(metric, a));
  if (!best?.comparison) {
    const least = Math.min(...metric.variants.map((one) => one.exposures));
    return say(
      'early',
      'Not enough data yet',
      metric.metric_type === 'funnel'
        ? `Each variant needs 50 people, five of whom did it and five did not. The smallest has ${count(least)}.`
        : `Each variant needs 50 people. The smallest has ${count(least)}.`,
    );
  }
  const clear = compared.filter((one) => one.comparison?.significant);
  const winner = clear.filter((one) => gainOf(metric, one) > 0).toSorted((a, b) => gainOf(metric, b) - gainOf(metric, a))[0];
  const shown = winner ?? clear[0] ?? best;
  const change = changeText(shown.comparison?.delta ?? null);
  const reasons = [certainty(results, metric, shown, baseline), ...guardWords(results, guards)];
  if (winner)
    return { kind: 'good', text: `“${shown.key}” is very likely better: ${change} on ${name}`, reasons, variant: shown.key };
  if (clear.length > 0)
    return { kind: 'bad', text: `“${shown.key}” is very likely worse: ${change} on ${name}`, reasons, variant: shown.key };
  return { kind: 'none', text: `No clear difference on ${name}`, reasons, variant: null };
}

/** The name of a metric, or what it is. */
export const metricName = ({ name, metric_type: type }: Pick<VerdictMetric, 'name' | 'metric_type'>): string =>
  name || (type === 'funnel' ? 'Share of people' : type === 'ratio' ? 'Ratio' : 'Mean a person');

/** How much better a variant is than the baseline. */
const gainOf = ({ goal }: VerdictMetric, { comparison }: VerdictVariant): number =>
  (comparison?.delta ?? 0) * (goal === 'decrease' ? -1 : 1);

function certainty(
  { method, confidence_level: level }: VerdictResults,
  { variants }: VerdictMetric,
  shown: VerdictVariant,
  baseline: string,
) {
  const { comparison } = shown;
  if (!comparison) return '';
  const base = variants.find((one) => one.is_baseline)?.value ?? null;
  const interval =
    method === 'bayesian'
      ? comparison.delta_interval
      : base
        ? comparison.difference_interval?.map((bound) => bound / base)
        : null;
  const [low = null, high = null] = interval?.toSorted((a, b) => a - b) ?? [];
  const range =
    low === null || high === null
      ? ''
      : ` The change lies between ${changeText(low)} and ${changeText(high)} (${Math.round(level * 100)}% interval).`;
  if (method === 'bayesian' && comparison.chance_to_win !== null)
    return `${share(comparison.chance_to_win)} sure that “${shown.key}” beats ${baseline}.${range}`;
  const p = comparison.p_value;
  const sentence =
    p === null ? '' : `p-value of “${shown.key}” against ${baseline}: ${p < 0.001 ? 'below 0.001' : p.toFixed(3)}.`;
  return `${sentence}${range}`;
}

/** What became of the metrics that must not get worse. */
function guardWords({ metrics_secondary: others }: VerdictResults, guards: ReadonlySet<string>): string[] {
  const guarded = others.filter(({ uuid }) => uuid !== null && guards.has(uuid));
  if (guarded.length === 0) return [];
  const worse = guarded.flatMap((metric) =>
    metric.variants
      .filter((one) => one.comparison?.significant && gainOf(metric, one) < 0)
      .map((one) => `${metricName(metric)} got worse with “${one.key}”: ${changeText(one.comparison?.delta ?? null)}.`),
  );
  return worse.length > 0 ? worse : ['Nothing that must not get worse did.'];
}

/** "+24%", "−2.7%". */
export function changeText(delta: number | null): string {
  if (delta === null) return 'no change in percent';
  const percent = delta * 100;
  const digits = Math.abs(percent) < 10 ? 1 : 0;
  const text = Math.abs(percent).toFixed(digits).replace(/\.0$/, '');
  return `${percent < 0 && text !== '0' ? '−' : '+'}${text}%`;
}

/** "98.7%"; never a rounded 100% or 0%. */
const share = (chance: number): string =>
  chance > 0.999 ? 'Over 99.9%' : chance < 0.001 ? 'Less than 0.1%' : `${(chance * 100).toFixed(1).replace(/\.0$/, '')}%`;

const count = (value: number): string => value.toLocaleString('en');
