import { everyMember } from '../../testing/every-member.js';
import { INSIGHT_MEMBERS, ofBreakdown, PLAN_IS_FREE } from '../../testing/insight-members.js';
import { funnelsSchema } from '../kinds/funnels/funnels-schema.js';

const step = (event: string, rest: object = {}) => ({ kind: 'EventsNode', event, ...rest });
const BASE = {
  kind: 'FunnelsQuery',
  series: [step('$pageview'), step('signed up')],
  dateRange: { date_from: '2024-03-15', date_to: '2024-04-05' },
};
const first = (rest: object) => ({ series: [step('$pageview', rest), step('signed up')] });
const three = { series: [step('$pageview'), step('signed up'), step('bought')] };
const filter = (funnelsFilter: object) => ({ funnelsFilter: { ...funnelsFilter } });
const excluding = (rest: object) => ({
  funnelsFilter: { funnelWindowInterval: 2, exclusions: [{ ...step('bought'), funnelFromStep: 0, funnelToStep: 1, ...rest }] },
});
const BY_BROWSER = { breakdownFilter: { breakdown: '$browser' } };
const trends = (rest: object = {}) => filter({ funnelVizType: 'trends', ...rest });

everyMember(funnelsSchema, BASE, {
  ...INSIGHT_MEMBERS,
  ...ofBreakdown({}),
  'breakdownFilter.breakdown_histogram_bin_count': {
    to: { breakdownFilter: { breakdown: 'amount', breakdown_histogram_bin_count: 3 } },
    refusedAt: 'breakdownFilter',
  },
  'breakdownFilter.breakdowns[].histogram_bin_count': {
    to: { breakdownFilter: { breakdowns: [{ property: 'amount', histogram_bin_count: 3 }] } },
    refusedAt: 'breakdownFilter',
  },
  kind: { to: { kind: 'FunnelQuery' }, refusedAt: 'kind' },
  interval: { from: trends(), to: { interval: 'week' } },
  series: { to: three },
  'series[].kind': { to: first({ kind: 'ActionsNode' }), refusedAt: 'series__0__event' },
  'series[].id': { to: first({ kind: 'ActionsNode', event: null, id: 'x' }), refusedAt: 'series__0__id' },
  'series[].event': { to: first({ event: 'bought' }) },
  'series[].name': { to: first({ name: 'Visited' }) },
  'series[].custom_name': { to: first({ custom_name: 'Visited' }) },
  'series[].math': { to: first({ math: 'first_time_for_user' }) },
  'series[].math_property': { to: first({ math: 'sum', math_property: 'amount' }), refusedAt: 'series__0__math' },
  'series[].math_property_type': {
    to: first({ math: 'sum', math_property: 'age', math_property_type: 'person_properties' }),
    refusedAt: 'series__0__math',
  },
  'series[].math_hogql': { to: first({ math: 'hogql', math_hogql: 'count()' }), refusedAt: 'series__0__math' },
  'series[].math_group_type_index': {
    to: first({ math: 'unique_group', math_group_type_index: 0 }),
    refusedAt: 'series__0__math',
  },
  'series[].math_multiplier': { to: first({ math_multiplier: 2 }), refusedAt: 'series__0__math_multiplier' },
  'series[].math_property_revenue_currency': {
    to: first({ math_property_revenue_currency: { static: 'EUR' } }),
    refusedAt: 'series__0__math_property_revenue_currency',
  },
  'series[].properties': { to: first({ properties: [PLAN_IS_FREE] }) },
  'series[].fixedProperties': { to: first({ fixedProperties: [PLAN_IS_FREE] }) },
  // says something of the lines of trends alone; clients keep it with the series when they change the kind
  'series[].isIncreaseBad': 'of display',
  'series[].optionalInFunnel': {
    from: three,
    to: { series: [step('$pageview'), step('signed up', { optionalInFunnel: true }), step('bought')] },
  },
  funnelsFilter: { to: filter({ funnelOrderType: 'strict' }) },
  'funnelsFilter.funnelOrderType': { to: filter({ funnelOrderType: 'unordered' }) },
  'funnelsFilter.funnelWindowInterval': { to: filter({ funnelWindowInterval: 1 }) },
  'funnelsFilter.funnelWindowIntervalUnit': { to: filter({ funnelWindowIntervalUnit: 'hour' }) },
  'funnelsFilter.funnelVizType': { to: trends() },
  'funnelsFilter.funnelFromStep': { from: { ...three, ...trends() }, to: trends({ funnelFromStep: 1 }) },
  'funnelsFilter.funnelToStep': { from: { ...three, ...trends() }, to: trends({ funnelToStep: 1 }) },
  'funnelsFilter.binCount': {
    from: filter({ funnelVizType: 'time_to_convert', binCount: 2 }),
    to: filter({ binCount: 3 }),
  },
  'funnelsFilter.breakdownAttributionType': {
    from: { ...BY_BROWSER, ...filter({ breakdownAttributionType: 'first_touch' }) },
    to: filter({ breakdownAttributionType: 'last_touch' }),
  },
  'funnelsFilter.breakdownAttributionValue': {
    from: { ...BY_BROWSER, ...filter({ breakdownAttributionType: 'step' }) },
    to: filter({ breakdownAttributionValue: 1 }),
  },
  'funnelsFilter.funnelAggregateByHogQL': {
    to: filter({ funnelAggregateByHogQL: 'properties.$session_id' }),
  },
  'funnelsFilter.exclusions': { to: excluding({}) },
  'funnelsFilter.exclusions[].kind': {
    to: excluding({ kind: 'ActionsNode' }),
    refusedAt: 'funnelsFilter__exclusions__0__event',
  },
  'funnelsFilter.exclusions[].id': {
    to: excluding({ kind: 'ActionsNode', event: null, id: 'x' }),
    refusedAt: 'funnelsFilter__exclusions__0__id',
  },
  'funnelsFilter.exclusions[].event': { from: excluding({}), to: excluding({ event: '$autocapture' }) },
  'funnelsFilter.exclusions[].name': 'a name',
  'funnelsFilter.exclusions[].custom_name': 'a name',
  'funnelsFilter.exclusions[].math': {
    to: excluding({ math: 'first_time_for_user' }),
    refusedAt: 'funnelsFilter__exclusions__0__math',
  },
  'funnelsFilter.exclusions[].math_property': {
    to: excluding({ math: 'sum', math_property: 'amount' }),
    refusedAt: 'funnelsFilter__exclusions__0__math',
  },
  'funnelsFilter.exclusions[].math_property_type': {
    to: excluding({ math: 'sum', math_property: 'age', math_property_type: 'person_properties' }),
    refusedAt: 'funnelsFilter__exclusions__0__math',
  },
  'funnelsFilter.exclusions[].math_hogql': {
    to: excluding({ math: 'hogql', math_hogql: 'count()' }),
    refusedAt: 'funnelsFilter__exclusions__0__math',
  },
  'funnelsFilter.exclusions[].math_group_type_index': {
    to: excluding({ math: 'unique_group', math_group_type_index: 0 }),
    refusedAt: 'funnelsFilter__exclusions__0__math',
  },
  'funnelsFilter.exclusions[].math_multiplier': {
    to: excluding({ math_multiplier: 2 }),
    refusedAt: 'funnelsFilter__exclusions__0__math_multiplier',
  },
  'funnelsFilter.exclusions[].math_property_revenue_currency': {
    to: excluding({ math_property_revenue_currency: { static: 'EUR' } }),
    refusedAt: 'funnelsFilter__exclusions__0__math_property_revenue_currency',
  },
  'funnelsFilter.exclusions[].isIncreaseBad': 'of display',
  'funnelsFilter.exclusions[].optionalInFunnel': {
    to: excluding({ optionalInFunnel: true }),
    refusedAt: 'funnelsFilter__exclusions__0__optionalInFunnel',
  },
  'funnelsFilter.exclusions[].properties': { from: excluding({}), to: excluding({ properties: [PLAN_IS_FREE] }) },
  'funnelsFilter.exclusions[].fixedProperties': { from: excluding({}), to: excluding({ fixedProperties: [PLAN_IS_FREE] }) },
  'funnelsFilter.exclusions[].funnelFromStep': {
    from: { ...three, ...excluding({ event: '$autocapture', funnelToStep: 2 }) },
    to: excluding({ event: '$autocapture', funnelToStep: 2, funnelFromStep: 1 }),
  },
  'funnelsFilter.exclusions[].funnelToStep': {
    from: { ...three, ...excluding({ event: '$autocapture' }) },
    to: excluding({ event: '$autocapture', funnelToStep: 2 }),
  },
});
