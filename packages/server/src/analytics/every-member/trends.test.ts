import { everyMember } from '../../testing/every-member.js';
import { INSIGHT_MEMBERS, ofBreakdown, PLAN_IS_FREE } from '../../testing/insight-members.js';
import { trendsSchema } from '../kinds/trends/trends-schema.js';

const node = (event: string, rest: object = {}) => ({ kind: 'EventsNode', event, ...rest });
const BASE = { kind: 'TrendsQuery', series: [node('$pageview')], dateRange: { date_from: '2024-03-18', date_to: '2024-03-26' } };
const series = (rest: object) => ({ series: [node('$pageview', rest)] });
const filter = (trendsFilter: object) => ({ trendsFilter: { ...trendsFilter } });
const compared = (rest: object = {}) => ({ compareFilter: { compare: true, ...rest } });
const nodes = (rest: object) => filter({ formulaNodes: [{ formula: 'A * 2', ...rest }] });
const { aggregation_group_type_index: _, ...members } = INSIGHT_MEMBERS;

everyMember(trendsSchema, BASE, {
  ...members,
  ...ofBreakdown({}),
  kind: { to: { kind: 'Trends' }, refusedAt: 'kind' },
  interval: { to: { interval: 'week' } },
  series: { to: { series: [node('bought')] } },
  'series[].kind': { to: series({ kind: 'ActionsNode' }), refusedAt: 'series__0__event' },
  'series[].id': { to: series({ kind: 'ActionsNode', event: null, id: 'x' }), refusedAt: 'series__0__id' },
  'series[].event': { to: series({ event: 'bought' }) },
  'series[].name': { to: series({ name: 'Visited' }) },
  'series[].custom_name': { to: series({ custom_name: 'Visited' }) },
  'series[].math': { to: series({ math: 'dau' }) },
  'series[].math_property': {
    from: series({ math: 'sum', math_property: 'amount' }),
    to: series({ math: 'sum', math_property: '$session_duration' }),
  },
  'series[].math_property_type': {
    from: series({ math: 'sum', math_property: 'age' }),
    to: series({ math: 'sum', math_property: 'age', math_property_type: 'person_properties' }),
  },
  'series[].math_hogql': {
    from: series({ math: 'hogql', math_hogql: 'count()' }),
    to: series({ math: 'hogql', math_hogql: 'count() * 2' }),
  },
  'series[].math_group_type_index': {
    from: series({ math: 'unique_group', math_group_type_index: 0 }),
    to: series({ math: 'unique_group', math_group_type_index: 1 }),
  },
  'series[].math_multiplier': { to: series({ math_multiplier: 2 }), refusedAt: 'series__0__math_multiplier' },
  'series[].math_property_revenue_currency': {
    to: series({ math_property_revenue_currency: { static: 'EUR' } }),
    refusedAt: 'series__0__math_property_revenue_currency',
  },
  'series[].properties': { to: series({ properties: [PLAN_IS_FREE] }) },
  'series[].fixedProperties': { to: series({ fixedProperties: [PLAN_IS_FREE] }) },
  // says something of the steps of funnels alone; clients keep it with the series when they change the kind
  'series[].optionalInFunnel': 'a name',
  'series[].isIncreaseBad': 'of display',
  conversionGoal: { to: { conversionGoal: { actionId: 1 } }, refusedAt: 'conversionGoal' },
  compareFilter: { to: compared() },
  'compareFilter.compare': { to: compared() },
  'compareFilter.compare_to': { from: compared(), to: compared({ compare_to: '-2w' }) },
  trendsFilter: { to: filter({ formula: 'A * 2' }) },
  'trendsFilter.formula': { to: filter({ formula: 'A * 2' }) },
  'trendsFilter.formulas': { to: filter({ formulas: ['A * 2', 'A'] }) },
  'trendsFilter.formulaNodes': { to: nodes({}) },
  'trendsFilter.formulaNodes[].formula': { from: nodes({}), to: nodes({ formula: 'A * 3' }) },
  'trendsFilter.formulaNodes[].custom_name': { from: nodes({}), to: nodes({ custom_name: 'Twice' }) },
  'trendsFilter.formulaNodes[].isIncreaseBad': 'of display',
  'trendsFilter.smoothingIntervals': { to: filter({ smoothingIntervals: 3 }) },
  'trendsFilter.display': { to: filter({ display: 'BoldNumber' }) },
  'trendsFilter.isIncreaseBad': 'of display',
  'trendsFilter.hideWeekends': { to: filter({ hideWeekends: true }), refusedAt: 'trendsFilter__hideWeekends' },
  'trendsFilter.excludeIncompletePeriods': {
    to: filter({ excludeIncompletePeriods: true }),
    refusedAt: 'trendsFilter__excludeIncompletePeriods',
  },
});
