import { isObject, type Json, type JsonObject } from '../kernel/json.js';

type Part = JsonObject;

const parts = (results: unknown): Part[] => (Array.isArray(results) ? results.filter((one) => isObject(one)) : []);
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** The value of a breakdown in front of a line; nothing where there is none. */
const valueText = ({ breakdown_value: value }: Part): string =>
  value === undefined
    ? ''
    : `${(Array.isArray(value) ? value : [value]).map((one) => (one === '' ? '(none)' : one)).join(' / ')}:  `;

const seconds = (value: Json | undefined): string => (typeof value === 'number' ? `  ${value} s` : '');

const stepText = (step: Part): string => {
  const [average, median] = [step['average_conversion_time'], step['median_conversion_time']];
  const isEven = average === median;
  return `${valueText(step)}${step['name']}  ${step['count']}${seconds(average)}${isEven ? '' : `  median${seconds(median)}`}`;
};

function conversionText(line: Part): string[] {
  return list(line['days']).flatMap((day, index) => {
    const began = list(line['reached_from_step_count'])[index];
    if (began === 0) return [];
    const converted = list(line['reached_to_step_count'])[index];
    return [`${valueText(line)}${day}  ${converted} of ${began}  ${list(line['data'])[index]} %`];
  });
}

const barsText = (results: Part): string[] => [
  ...list(results['bins']).map((bin) => `${list(bin)[0]} s  ${list(bin)[1]}`),
  `average${seconds(results['average_conversion_time'])}`,
];

const retentionText = (row: Part): string => {
  const date = String(row['date']);
  const when = row['label']?.toString().startsWith('Hour') ? date.slice(0, 13) : date.slice(0, 10);
  return `${valueText(row)}${when}  ${list(row['values'])
    .map((value) => (isObject(value) ? value['count'] : ''))
    .join('  ')}`;
};

const pathText = ({ source, target, value, average_conversion_time: time }: Part): string =>
  `${source} > ${target}  ${value}  ${Number(time) / 1000} s`;

/** A line of a series: its label or status, and its numbers; of a total its one number. */
const seriesText = (line: Part): string => {
  const period = typeof line['compare_label'] === 'string' ? `${line['compare_label']}:  ` : '';
  const numbers = 'aggregated_value' in line ? [line['aggregated_value']] : list(line['data']);
  return `${period}${line['status'] ?? line['label']}  ${numbers.join('  ')}`;
};

/**
 * An answer as a table in text, its columns two spaces apart:
 * a funnel `visited  3` and `signed up  2  180 s` (with a breakdown the value first: `free:  visited  2`), conversion over time
 * `2024-05-01  1 of 2  50 %` for each interval in which anybody began, a histogram `120 s  1` and `average  180 s`,
 * retention `2024-05-01  2  1  2`, paths `1_home > 2_pricing  1  60 s`, and series `label  1  0  2`.
 */
export function answerText(query: JsonObject, results: unknown): string {
  return linesOf(query, results).join('\n');
}

function linesOf({ kind, funnelsFilter }: JsonObject, results: unknown): string[] {
  if (kind === 'PathsQuery') return parts(results).map(pathText);
  if (kind === 'RetentionQuery') return parts(results).map(retentionText);
  if (kind !== 'FunnelsQuery') return parts(results).map(seriesText);
  const view = funnelsFilter !== undefined && isObject(funnelsFilter) ? funnelsFilter['funnelVizType'] : undefined;
  if (view === 'time_to_convert') return barsText(results as Part);
  return view === 'trends' ? parts(results).flatMap(conversionText) : parts([results].flat(2)).map(stepText);
}
