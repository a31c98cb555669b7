import { readableName } from '@tidemark/charts';
import { dayText } from './day-text.js';
import type { Question } from './question.js';

/** People behind a number of an answer. */
export interface PeopleChoice {
  /** Its name in the address: that of a mark of the chart (`PointName`), or of a time and its series (`12.0`). */
  point: string;
  label: string;
  /** The number in the answer; null: the answer has none. */
  value: number | null;
  /** The `source` of the API's `ActorsQuery`. */
  source: Record<string, unknown>;
}

/** What stands at a point of a chart. */
export interface PeopleBehind {
  title: string;
  /** Never empty. */
  choices: PeopleChoice[];
  /** Index of the choice that the point names. */
  selected: number;
}

/** Kinds of question with people behind their numbers. */
export const hasPeople = ({ kind, funnelsFilter }: Question): boolean =>
  kind !== 'HogQLQuery' && !(kind === 'FunnelsQuery' && funnelsFilter?.['funnelVizType'] === 'time_to_convert');

/** The people behind a point of the answer to a question; null: the answer has no such point. */
export function peopleBehind(question: Question, results: unknown, point: string): PeopleBehind | null {
  const [head = '', ...rest] = point.split('.');
  const parts = Array.isArray(results) ? (results as Part[] | Part[][]) : [];
  const found = /^\d+$/.test(head)
    ? atTime(question, parts.flat(), Number(head))
    : head === 'total'
      ? ofTotal(question, parts.flat(), Number(rest[0]))
      : head === 'cohort'
        ? ofCohort(question, parts.flat(), Number(rest[0]), Number(rest[1]))
        : head === 'step' || head === 'lost'
          ? ofStep(question, parts, Number(rest[0]))
          : ofPath(question, parts.flat(), head, rest.join('.'));
  if (!found || found.choices.length === 0) return null;
  const named = found.choices.findIndex((choice) => choice.point === point);
  // a time without a series: the one with the largest number
  const largest = Math.max(...found.choices.map(({ value }) => value ?? 0));
  const selected = named >= 0 ? named : found.choices.findIndex(({ value }) => (value ?? 0) === largest);
  return { ...found, selected: Math.max(0, selected) };
}

type Value = string | number | (string | number)[];
type Found = Omit<PeopleBehind, 'selected'>;

/** A part of an answer; each kind has some of these fields. */
interface Part {
  action?: { order?: number; name?: string | null; custom_name?: string | null } | null;
  label?: string;
  name?: string;
  custom_name?: string | null;
  status?: string;
  date?: string;
  days?: (string | number)[];
  labels?: string[];
  data?: number[];
  count?: number;
  aggregated_value?: number;
  breakdown_value?: Value;
  breakdown_name?: string;
  compare_label?: string;
  reached_from_step_count?: number[];
  reached_to_step_count?: number[];
  values?: { count?: number }[];
  source?: string;
  target?: string;
  value?: number;
}

const SOURCES: Partial<Record<Question['kind'], string>> = {
  FunnelsQuery: 'FunnelsActorsQuery',
  StickinessQuery: 'StickinessActorsQuery',
};

const sourceOf = (question: Question, fields: Record<string, unknown>): Record<string, unknown> => ({
  kind: SOURCES[question.kind] ?? 'InsightActorsQuery',
  source: question,
  ...fields,
});

function atTime(question: Question, parts: readonly Part[], index: number): Found | null {
  const [first] = parts;
  const day = first?.days?.[index];
  if (day === undefined) return null;
  const title = question.kind === 'StickinessQuery' ? `Active for ${first?.labels?.[index] ?? day}` : dayText(String(day));
  const choice = (i: number, label: string, value: number | null, fields: Record<string, unknown>): PeopleChoice => ({
    point: `${index}.${i}`,
    label,
    value,
    source: sourceOf(question, fields),
  });
  if (question.kind === 'LifecycleQuery') {
    const choices = parts.map(({ status = '', data }, i) =>
      choice(i, capitalized(status), Math.abs(data?.[index] ?? 0), { day: String(day), status }),
    );
    return { title, choices };
  }
  if (question.kind === 'FunnelsQuery') {
    const choices = parts.flatMap((part, i) => {
      const [from, to] = [part.reached_from_step_count?.[index] ?? 0, part.reached_to_step_count?.[index] ?? 0];
      const of = part.breakdown_value === undefined ? '' : `, ${valueText(part)}`;
      const fields = { funnelTrendsEntrancePeriodStart: String(day), ...ofBreakdown(part, 'funnelStepBreakdown') };
      return [
        choice(i, `Converted${of}`, to, fields),
        choice(parts.length + i, `Dropped off${of}`, from - to, { ...fields, funnelTrendsDropOff: true }),
      ];
    });
    return { title, choices };
  }
  const choices = withSeries(question, parts).map(({ part, i, series, label }) =>
    choice(i, label, part.data?.[index] ?? null, {
      series,
      day: String(part.days?.[index] ?? day),
      ...ofBreakdown(part, 'breakdown'),
      ...(part.compare_label === 'previous' && { compare: 'previous' }),
    }),
  );
  return { title, choices };
}

function ofTotal(question: Question, parts: readonly Part[], index: number): Found | null {
  if (!parts[index]) return null;
  const choices = withSeries(question, parts).map(({ part, i, series, label }) => ({
    point: `total.${i}`,
    label,
    value: part.aggregated_value ?? part.count ?? null,
    source: sourceOf(question, {
      series,
      ...ofBreakdown(part, 'breakdown'),
      ...(part.compare_label === 'previous' && { compare: 'previous' }),
    }),
  }));
  return { title: 'Whole time', choices };
}

/** The series of an answer, each with its number in the question. A formula has the series that it is made of. */
function withSeries(question: Question, parts: readonly Part[]) {
  const series = question.series ?? [];
  const isFormula = parts.length > 0 && parts.every(({ action }) => action === null);
  if (isFormula)
    return series.map((one, i) => ({
      part: { days: parts[0]?.days ?? [] } as Part,
      i,
      series: i,
      label: readableName(one.custom_name ?? one.name ?? one.event ?? 'All events'),
    }));
  const names = new Set(parts.map(nameOf));
  return parts.flatMap((part, i) => {
    const order = part.action?.order ?? (series.length === 1 ? 0 : null);
    if (order === null) return [];
    const value = part.breakdown_value === undefined ? null : valueText(part);
    const label = value === null ? nameOf(part) : names.size > 1 ? `${nameOf(part)} · ${value}` : value;
    return [{ part, i, series: order, label: part.compare_label === 'previous' ? `${label}, the period before` : label }];
  });
}

const nameOf = ({ action, label, custom_name, name }: Part): string =>
  readableName(action?.custom_name ?? action?.name ?? custom_name ?? name ?? label ?? 'All events');

function ofCohort(question: Question, parts: readonly Part[], row: number, column: number): Found | null {
  const cohort = parts[row];
  const count = (later: number) => cohort?.values?.[later]?.count ?? null;
  if (!cohort || count(column) === null) return null;
  const period = String(question.retentionFilter?.['period'] ?? 'Day').toLowerCase();
  const choice = (later: number, label: string): PeopleChoice => ({
    point: `cohort.${row}.${later}`,
    label,
    value: count(later),
    source: sourceOf(question, { interval: row, later, ...ofBreakdown(cohort, 'breakdown') }),
  });
  const began = choice(0, 'Began');
  const choices = column === 0 ? [began] : [choice(column, `Came back in ${period} ${column}`), began];
  return { title: cohort.date ? `Began ${dayText(cohort.date)}` : (cohort.label ?? 'Cohort'), choices };
}

function ofStep(question: Question, parts: Part[] | Part[][], step: number): Found | null {
  const groups = parts.length > 0 && parts.every((part) => Array.isArray(part)) ? (parts as Part[][]) : [parts as Part[]];
  const name = groups[0]?.[step - 1];
  if (!name) return null;
  const optional = (question.series ?? []).map((one) => one['optionalInFunnel'] === true);
  const before = Math.max(
    0,
    optional.findLastIndex((isOptional, i) => i < step - 1 && !isOptional),
  );
  const choices = groups.flatMap((group, g): PeopleChoice[] => {
    const part = group[step - 1];
    if (!part) return [];
    const of = part.breakdown_value === undefined ? '' : `, ${valueText(part)}`;
    const value = part.count ?? 0;
    const fields = ofBreakdown(part, 'funnelStepBreakdown');
    const reached = {
      point: `step.${step}.${g}`,
      label: `Took step ${step}${of}`,
      value,
      source: sourceOf(question, { funnelStep: step, ...fields }),
    };
    if (step === 1) return [reached];
    const lost = {
      point: `lost.${step}.${g}`,
      label: `Took step ${before + 1} and not step ${step}${of}`,
      value: (group[before]?.count ?? 0) - value,
      source: sourceOf(question, { funnelStep: -step, ...fields }),
    };
    return [reached, lost];
  });
  return { title: `Step ${step}: ${nameOf(name)}`, choices };
}

function ofPath(question: Question, parts: readonly Part[], head: string, key: string): Found | null {
  const choice = (point: string, label: string, value: number | null, keys: Record<string, string>): PeopleChoice => ({
    point,
    label,
    value,
    source: sourceOf({ ...question, pathsFilter: { ...question.pathsFilter, ...keys } }, {}),
  });
  const pathsOf = (isOne: (part: Part) => boolean): number => parts.filter(isOne).reduce((sum, { value = 0 }) => sum + value, 0);
  if (head === 'edge') {
    const [from, to] = edgeOf(key);
    const edge = parts.find(({ source, target }) => source === from && target === to);
    if (!edge || from === undefined || to === undefined) return null;
    const keys = { pathStartKey: from, pathEndKey: to };
    return {
      title: `${stepName(from)} to ${stepName(to)}`,
      choices: [choice(`edge.${key}`, 'Paths with this step', edge.value ?? 0, keys)],
    };
  }
  const [into, out] = [pathsOf(({ target }) => target === key), pathsOf(({ source }) => source === key)];
  if (into + out === 0) return null;
  const choices = [
    ...(into > 0 ? [choice(`to.${key}`, 'Paths that came here', into, { pathEndKey: key })] : []),
    ...(out > 0 ? [choice(`from.${key}`, 'Paths that went on', out, { pathStartKey: key })] : []),
    choice(`end.${key}`, 'Paths that ended here', null, { pathDropoffKey: key }),
  ];
  return { title: stepName(key), choices };
}

function edgeOf(key: string): (string | undefined)[] {
  try {
    const read: unknown = JSON.parse(key);
    return Array.isArray(read) ? read.map(String) : [];
  } catch {
    return [];
  }
}

/** `2_https://example.com/pricing` without the number of its step. */
const stepName = (key: string): string => readableName(key.replace(/^\d+_/, ''));

const ofBreakdown = ({ breakdown_value: value }: Part, field: string): Record<string, unknown> =>
  value === undefined || value === null ? {} : { [field]: value };

const VALUES: Record<string, string> = {
  $$_posthog_breakdown_other_$$: 'Other',
  $$_posthog_breakdown_null_$$: '(none)',
  '': '(none)',
};

const valueText = ({ breakdown_name: name, breakdown_value: value }: Part): string =>
  name ??
  [value ?? '']
    .flat()
    .map((one) => VALUES[String(one)] ?? String(one))
    .join(' · ');

const capitalized = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase());
