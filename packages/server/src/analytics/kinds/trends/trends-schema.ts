import { z } from 'zod';
import { type Breakdown, breakdownField } from '../../breakdown.js';
import type { Interval } from '../../buckets.js';
import { absent, count, exactText, refusal, unsupported } from '../../fields.js';
import {
  type Comparison,
  compareFields,
  type InsightScope,
  insightFields,
  intervalField,
  readCompare,
  readScope,
} from '../../insight-schema.js';
import { type EventsNode, seriesList } from '../../series-schema.js';
import { type Formula, parseFormula } from './formula.js';

/** Display options of trends that change the numbers. */
export interface TrendsFilter {
  /** Empty: the result has the series themselves. */
  formulas: Formula[];
  /** Running totals. */
  cumulative: boolean;
  /** One number for the whole range instead of one for each interval. */
  isTotal: boolean;
  /** Shown as a single number: its line has points for a sparkline beside its total, and with a breakdown the numbers of all events. */
  isNumber: boolean;
  /** Intervals of the moving average; 1: none. */
  smoothing: number;
}

/** Counts events over time. */
export interface TrendsQuery extends InsightScope {
  kind: 'TrendsQuery';
  series: EventsNode[];
  interval: Interval;
  breakdown: Breakdown | null;
  /** Comparison range: the range just before, or the same range shifted back (`-1m`); null: no comparison. */
  compare: Comparison;
  trends: TrendsFilter;
}

const MAX_SMOOTHING = 365;
const MAX_FORMULAS = 20;

/** Ways to show a trend by one number a line. */
const TOTAL_DISPLAYS: ReadonlySet<string> = new Set([
  'BoldNumber',
  'ActionsPie',
  'ActionsBarValue',
  'ActionsTable',
  'WorldMap',
  'CalendarHeatmap',
]);

const formulaText = exactText(1000);

const trendsFilter = z.object({
  formula: absent(formulaText).describe('A line made of the series by arithmetic, the first called A: `A / B * 100`.'),
  formulas: absent(
    z.array(formulaText, 'Expected a list of formulas.').max(MAX_FORMULAS, `There may be ${MAX_FORMULAS} formulas.`),
  ).describe('Several such lines.'),
  formulaNodes: absent(
    z
      .array(
        z.object({
          formula: formulaText.describe('The formula.'),
          custom_name: absent(exactText()).describe('What to call its line.'),
          isIncreaseBad: absent(z.boolean('Expected true or false.')).describe('As that of `trendsFilter`, of this line.'),
        }),
        'Expected a list of formulas.',
      )
      .max(MAX_FORMULAS, `There may be ${MAX_FORMULAS} formulas.`),
  ).describe('As `formulas`, with names.'),
  smoothingIntervals: absent(count(1, MAX_SMOOTHING))
    .describe('Each number is the mean of so many intervals.')
    .meta({ default: 1 }),
  hideWeekends: unsupported('Weekends are always part of a trend.'),
  excludeIncompletePeriods: unsupported('Periods that have not ended are always part of a trend: end the range before them.'),
  display: absent(exactText()).describe(
    'How it is shown. `ActionsLineGraphCumulative` adds up; `BoldNumber`, `ActionsPie`, `ActionsBarValue`, `ActionsTable` and `WorldMap` ask for one `aggregated_value` a line. `BoldNumber` has `sparkline` beside it: the numbers of hours, days, weeks or months, by the length of the range. With a breakdown its first line has both in `whole`, without the breakdown.',
  ),
  isIncreaseBad: absent(z.boolean('Expected true or false.')).describe(
    'Whether a higher number is worse: a rise is then shown in the color of what is bad. Series and formulas may have their own `isIncreaseBad`, which goes first. Default: only for `aggregationAxisFormat` `duration_ms`.',
  ),
});

type TrendsFields = z.output<typeof trendsFilter>;

/** More than there are countries. */
const MAP_LIMIT = 250;

const ofCountries = (breakdown: Breakdown | null): Breakdown | null =>
  breakdown && !breakdown.hasOwnLimit ? { ...breakdown, limit: MAP_LIMIT } : breakdown;

export const trendsSchema = z
  .object({
    kind: z.literal('TrendsQuery').describe('Counts events over time.'),
    series: seriesList().describe('One line each.'),
    interval: intervalField,
    ...insightFields,
    breakdownFilter: breakdownField,
    conversionGoal: unsupported('Trends have no goal.'),
    compareFilter: absent(z.object(compareFields)).describe('What to compare with.'),
    trendsFilter: absent(trendsFilter).describe('What is made of the series.'),
  })
  .transform((raw, ctx): TrendsQuery => {
    const fields = raw.trendsFilter ?? undefined;
    const display = fields?.display ?? '';
    const formulas: Formula[] = [];
    for (const { path, text, name } of formulaTexts(fields)) {
      const expression = parseFormula(text, raw.series.length);
      if (typeof expression === 'string') {
        ctx.addIssue(refusal(expression, 'invalid_input', ['trendsFilter', ...path]));
        return z.NEVER;
      }
      formulas.push({ text, customName: name, expression });
    }
    return {
      kind: 'TrendsQuery',
      series: raw.series,
      interval: raw.interval ?? 'day',
      ...readScope(raw),
      breakdown: display === 'WorldMap' ? ofCountries(raw.breakdownFilter) : raw.breakdownFilter,
      compare: readCompare(raw.compareFilter, ctx),
      trends: {
        formulas,
        cumulative: display === 'ActionsLineGraphCumulative',
        isTotal: TOTAL_DISPLAYS.has(display),
        isNumber: display === 'BoldNumber',
        smoothing: fields?.smoothingIntervals ?? 1,
      },
    };
  })
  .meta({ id: 'TrendsQuery', description: 'Counts events over time, a number for every interval.' });

interface FormulaText {
  path: string[];
  text: string;
  name: string | null;
}

function formulaTexts(fields: TrendsFields | undefined): FormulaText[] {
  const nodes = (fields?.formulaNodes ?? []).map(({ formula, custom_name }, index) => ({
    path: ['formulaNodes', String(index), 'formula'],
    text: formula,
    name: custom_name || null,
  }));
  const several = (fields?.formulas ?? []).map((text, index) => ({ path: ['formulas', String(index)], text, name: null }));
  const single = fields?.formula ? [{ path: ['formula'], text: fields.formula, name: null }] : [];
  // the newest form that is there leads: clients keep the older ones beside it
  const found = [nodes, several, single].find((list) => list.some(({ text }) => text.trim() !== '')) ?? [];
  return found.filter(({ text }) => text.trim() !== '');
}
