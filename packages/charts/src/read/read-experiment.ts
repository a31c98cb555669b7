import type { Comparison, Variant, VariantDetail } from '../insight.js';
import { percent } from '../text/format-number.js';
import { written } from '../text/number-style.js';
import { type Fields, fields, maybeNumber, number, text } from './read-fields.js';

/** What a sample ratio mismatch means: the server tests at a p-value of 0.001. */
const UNEVEN = {
  fact: 'Uneven split: do not trust these results',
  cause: 'By chance the people would be split so unevenly less than once in 1,000 times.',
};

/** Persons that each variant needs. */
const LEAST = 50;

/** Reads the results of an experiment as `experiments/:id/results/` and `ExperimentQuery` return them: the first metric, or several. */
export function readExperiment(query: Fields, results: Fields): Comparison {
  const { metrics, metrics_secondary: secondary, confidence_level: level, exposures, status } = results;
  const found = [...listOf(metrics), ...listOf(secondary)].map(fields);
  const [metric = {}] = found;
  const comparison = { kind: 'comparison' as const, level: maybeNumber(level) ?? 0.95 };
  if (status === 'draft') return { ...comparison, variants: [], absence: 'The experiment has not started.' };
  const { total, sample_ratio: ratio } = fields(exposures);
  const uuids = listOf(query['metric_uuids']);
  if (uuids.length === 0 && listOf(metric['variants']).length === 0) {
    return { ...comparison, variants: [], absence: 'The experiment has no metric.' };
  }
  if (number(total) === 0) return { ...comparison, variants: [] };
  const isUneven = fields(ratio)['mismatch'] === true;
  const warned = { ...comparison, ...(isUneven ? { warning: UNEVEN } : {}) };
  if (uuids.length > 0) {
    const ordered = found.toSorted((a, b) => uuids.indexOf(a['uuid']) - uuids.indexOf(b['uuid']));
    return { ...warned, variants: ordered.flatMap((one) => rowsOf(one, results)) };
  }
  const expected = isUneven ? fields(fields(ratio)['expected']) : {};
  const variants = variantsIn(metric);
  const about = { type: text(metric['metric_type']), method: results['method'], expected };
  return {
    ...warned,
    ...(metric['goal'] === 'decrease' ? { isLessBetter: true } : {}),
    variants: variants.map((variant) => variantOf(variant, variants[0] ?? {}, about)),
  };
}

/** The variants of a metric, the baseline first. */
const variantsIn = (metric: Fields): Fields[] =>
  listOf(metric['variants'])
    .map(fields)
    .toSorted((a, b) => Number(b['is_baseline']) - Number(a['is_baseline']));

/** The rows of one of several metrics: one for each variant but the baseline, whose value stands beside it. */
function rowsOf(metric: Fields, { baseline, method }: Fields): Variant[] {
  const [base = {}, ...others] = variantsIn(metric);
  const type = text(metric['metric_type']);
  const about = { name: text(metric['name']) ?? 'Metric', isLessBetter: metric['goal'] === 'decrease' };
  const valueText = (label: string, { value }: Fields): VariantDetail => ({ ...valueDetail(value, type), label });
  const error = text(metric['error']);
  if (error !== null || others.length === 0) {
    const details = [text(baseline) ?? 'control', 'Value', verdictLabel(method)].map((label) => ({ label, text: '' }));
    return [{ name: '', metric: about, details, change: null, unknown: error ?? 'Nothing to compare' }];
  }
  return others.map((variant) => {
    const change = changeOf(fields(variant['comparison']), maybeNumber(base['value']), method);
    return {
      name: text(variant['key']) ?? '',
      metric: about,
      details: [
        valueText(text(baseline) ?? 'control', base),
        valueText('Value', variant),
        verdictOf(fields(variant['comparison']), method),
      ],
      change,
      ...(change ? {} : { unknown: unknownOf(variant, base) }),
    };
  });
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

interface Metric {
  type: string | null;
  method: unknown;
  /** Expected number of persons by variant; empty: the split is as planned. */
  expected: Fields;
}

function variantOf(variant: Fields, base: Fields, metric: Metric): Variant {
  const name = text(variant['key']) ?? '';
  const details = detailsOf(variant, metric);
  if (variant === base) return { name, details, change: null };
  const change = changeOf(fields(variant['comparison']), maybeNumber(base['value']), metric.method);
  return { name, details, change, ...(change ? {} : { unknown: unknownOf(variant, base) }) };
}

function detailsOf(variant: Fields, { type, method, expected }: Metric): VariantDetail[] {
  const comparison = fields(variant['comparison']);
  const due = maybeNumber(expected[text(variant['key']) ?? '']);
  const hasExpected = Object.keys(expected).length > 0;
  return [
    count('People', number(variant['exposures'])),
    ...(hasExpected ? [due === null ? { label: 'Expected', text: '' } : count('Expected', Math.round(due))] : []),
    ...(type === 'funnel' ? [count('Completed', number(variant['samples']))] : []),
    valueDetail(variant['value'], type),
    verdictOf(comparison, method),
  ];
}

/** The value of a variant by the type of its metric. */
function valueDetail(given: unknown, type: string | null): VariantDetail {
  const value = maybeNumber(given);
  return {
    label: type === 'funnel' ? 'Rate' : type === 'ratio' ? 'Ratio' : 'Mean',
    text: value === null ? '' : type === 'funnel' ? percent(value) : written(value),
    ...(value === null ? {} : { value }),
  };
}

const count = (label: string, value: number): VariantDetail => ({ label, text: written(value), value });

const verdictLabel = (method: unknown): string => (method === 'frequentist' ? 'p-value' : 'Chance to win');

/** How likely the variant is better, or the difference by chance. */
function verdictOf(comparison: Fields, method: unknown): VariantDetail {
  const isByP = method === 'frequentist';
  const value = maybeNumber(comparison[isByP ? 'p_value' : 'chance_to_win']);
  const label = verdictLabel(method);
  if (value === null || comparison['enough_data'] !== true) return { label, text: '' };
  const shown = isByP ? (value < 0.001 ? '<0.001' : value.toFixed(3)) : percent(value);
  return { label, text: shown, value, isVerdict: true };
}

/**
 * The change in percent of the baseline. Frequentist intervals are of the difference, and are divided by the value of the baseline, so that
 * they cross zero exactly where the p-value says so.
 */
function changeOf(comparison: Fields, base: number | null, method: unknown): Variant['change'] {
  const value = maybeNumber(comparison['delta']);
  if (comparison['enough_data'] !== true || value === null || !base) return null;
  const isByP = method === 'frequentist';
  const bounds = listOf(comparison[isByP ? 'difference_interval' : 'delta_interval']).map(maybeNumber);
  const ends = bounds.flatMap((bound) => (bound === null ? [] : [isByP ? bound / base : bound]));
  return ends.length === 2 ? { value, low: Math.min(...ends), high: Math.max(...ends) } : null;
}

function unknownOf(variant: Fields, base: Fields): string {
  const people = Math.min(number(variant['exposures']), number(base['exposures']));
  if (people < LEAST) return `Not enough data: ${LEAST} people needed`;
  if (fields(variant['comparison'])['enough_data'] !== true) return 'Not enough data: 5 yes and 5 no needed';
  return 'The base is 0: no change in percent';
}
