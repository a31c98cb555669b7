import type { Series } from '../insight.js';
import type { NumberStyle } from '../text/number-style.js';
import { breakdownOf, type Fields, fields, maybeNumber, number, text, texts } from './read-fields.js';
import { mathText } from './readable-names.js';

/** Reads a line of a trend, of stickiness or of a lifecycle. */
export function seriesOf(result: Fields, style: NumberStyle | undefined): Series {
  const action = fields(result['action']);
  const name = text(action['name']) ?? text(result['label']) ?? '';
  const customName = text(action['custom_name']);
  const breakdown = breakdownOf(result);
  const status = text(result['status']);
  const compare = text(result['compare_label']);
  const math = text(action['math']);
  const data = numbersOf(result['data']);
  const sparkline = courseOf(result['sparkline']);
  const whole = fields(result['whole']);
  const total = maybeNumber(whole['aggregated_value']);
  const called = customName ?? name;
  const base = status ?? (breakdown === null ? (text(result['label']) ?? called) : `${called} · ${breakdown}`);
  return {
    label: compare && !base.endsWith(compare) ? `${base} (${compare})` : base,
    name,
    customName,
    breakdown,
    status,
    ...(math === null ? {} : { math: mathText(math, text(action['math_property'])) }),
    isPrevious: compare === 'previous',
    data,
    total: maybeNumber(result['aggregated_value']) ?? number(result['count']),
    ...(isAdditive(result['action']) ? { isAdditive: true } : {}),
    ...(isAdditive(result['action']) && math !== 'sum' ? { isCount: true } : {}),
    ...(style ? { style } : {}),
    ...sparkline,
    ...(total === null ? {} : { whole: { total, ...courseOf(whole['sparkline']) } }),
  };
}

const numbersOf = (list: unknown): number[] => (Array.isArray(list) ? list.map(number) : []);

/** Whether values of a breakdown add up to a whole: not those of averages, and not those of formulas, which have no action. */
const isAdditive = (action: unknown): boolean => {
  const { math, name } = fields(action);
  return name !== undefined && ADDITIVE.has(text(math) ?? 'total');
};

const ADDITIVE = new Set(['total', 'dau', 'sum', 'weekly_active', 'monthly_active', 'unique_session', 'unique_group']);

/** A sparkline of at least two points. */
function courseOf(value: unknown): Pick<Series, 'sparkline'> {
  const { days, data } = fields(value);
  const points = numbersOf(data);
  return points.length > 1 ? { sparkline: { days: texts(days), data: points } } : {};
}

/**
 * Whether a rise of a line is bad: as its series or formula says, else as the display settings do. Loading times are the numbers that people
 * count in milliseconds.
 */
export function lessIsBetter(source: Fields, filter: Fields, style: NumberStyle | undefined): (result: Fields) => boolean {
  const settings = { ofSeries: listOf(source['series']), ofFormulas: listOf(filter['formulaNodes']) };
  const fallback = filter['isIncreaseBad'] ?? style?.unit === 'milliseconds';
  return ({ action, order }) => {
    const own = isObject(action)
      ? settings.ofSeries[number(fields(action)['order'])]
      : settings.ofFormulas.filter(({ formula }) => (text(formula) ?? '').trim() !== '')[number(order)];
    return (own?.['isIncreaseBad'] ?? fallback) === true;
  };
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fields) : []);
