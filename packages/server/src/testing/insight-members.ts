import type { JsonObject } from '../kernel/json.js';
import type { MemberTable } from './every-member.js';

/** That a person is on the free plan. */
export const PLAN_IS_FREE = { key: 'plan', type: 'person', operator: 'exact', value: ['free'] };

/** The members that every insight about a range of days has. */
export const INSIGHT_MEMBERS: MemberTable = {
  dateRange: { to: { dateRange: { date_from: '2024-04-01' } } },
  'dateRange.date_from': { to: { dateRange: { date_from: '2024-04-01' } } },
  'dateRange.date_to': { to: { dateRange: { date_to: '2024-03-25' } } },
  'dateRange.explicitDate': {
    from: { dateRange: { date_from: '2024-03-20', date_to: '2024-03-28' } },
    to: { dateRange: { explicitDate: true } },
  },
  filterTestAccounts: { to: { filterTestAccounts: true } },
  properties: { to: { properties: [PLAN_IS_FREE] } },
  samplingFactor: { to: { samplingFactor: 0.3 } },
  aggregation_group_type_index: { to: { aggregation_group_type_index: 0 } },
};

/** The members of a breakdown. `rest`: what the query needs beside it. */
export function ofBreakdown(rest: JsonObject): MemberTable {
  const by = (breakdownFilter: JsonObject): JsonObject => ({ ...rest, breakdownFilter });
  return {
    breakdownFilter: { to: by({ breakdown: '$browser' }) },
    'breakdownFilter.breakdown': { from: by({ breakdown: '$browser' }), to: by({ breakdown: '$current_url' }) },
    'breakdownFilter.breakdown_type': { from: by({ breakdown: 'plan' }), to: by({ breakdown_type: 'person' }) },
    'breakdownFilter.breakdown_group_type_index': {
      from: by({ breakdown: 'tier', breakdown_type: 'group', breakdown_group_type_index: 0 }),
      to: by({ breakdown_group_type_index: 1 }),
    },
    'breakdownFilter.breakdown_normalize_url': {
      from: by({ breakdown: '$current_url' }),
      to: by({ breakdown_normalize_url: true }),
    },
    'breakdownFilter.breakdown_limit': { from: by({ breakdown: '$browser' }), to: by({ breakdown_limit: 1 }) },
    'breakdownFilter.breakdown_hide_other_aggregation': {
      from: by({ breakdown: '$browser', breakdown_limit: 1 }),
      to: by({ breakdown_hide_other_aggregation: true }),
    },
    'breakdownFilter.breakdown_path_cleaning': {
      to: by({ breakdown: '$browser', breakdown_path_cleaning: true }),
      refusedAt: 'breakdownFilter__breakdown_path_cleaning',
    },
    'breakdownFilter.breakdowns': { to: by({ breakdowns: [{ property: '$browser' }] }) },
    'breakdownFilter.breakdowns[].property': {
      from: by({ breakdowns: [{ property: '$browser' }] }),
      to: by({ breakdowns: [{ property: '$current_url' }] }),
    },
    'breakdownFilter.breakdowns[].type': {
      from: by({ breakdowns: [{ property: 'plan' }] }),
      to: by({ breakdowns: [{ property: 'plan', type: 'person' }] }),
    },
    'breakdownFilter.breakdowns[].group_type_index': {
      from: by({ breakdowns: [{ property: 'tier', type: 'group', group_type_index: 0 }] }),
      to: by({ breakdowns: [{ property: 'tier', type: 'group', group_type_index: 1 }] }),
    },
    'breakdownFilter.breakdowns[].normalize_url': {
      from: by({ breakdowns: [{ property: '$current_url' }] }),
      to: by({ breakdowns: [{ property: '$current_url', normalize_url: true }] }),
    },
    'breakdownFilter.breakdown_histogram_bin_count': {
      from: by({ breakdown: 'amount' }),
      to: by({ breakdown_histogram_bin_count: 2 }),
    },
    'breakdownFilter.breakdowns[].histogram_bin_count': {
      from: by({ breakdowns: [{ property: 'amount' }] }),
      to: by({ breakdowns: [{ property: 'amount', histogram_bin_count: 2 }] }),
    },
  };
}
