import { everyMember } from '../../testing/every-member.js';
import { INSIGHT_MEMBERS, ofBreakdown, PLAN_IS_FREE } from '../../testing/insight-members.js';
import { retentionSchema } from '../kinds/retention/retention-schema.js';

const BASE = {
  kind: 'RetentionQuery',
  dateRange: { date_from: '2024-03-18', date_to: '2024-03-26' },
  retentionFilter: { totalIntervals: 4 },
};
const filter = (retentionFilter: object) => ({ retentionFilter: { ...retentionFilter } });
const bought = (rest: object = {}) => ({ id: 'bought', type: 'events', ...rest });
const target = (rest: object) => filter({ targetEntity: bought(rest) });
const returning = (rest: object) => filter({ returningEntity: bought(rest) });

everyMember(retentionSchema, BASE, {
  ...INSIGHT_MEMBERS,
  ...ofBreakdown({}),
  kind: { to: { kind: 'Retention' }, refusedAt: 'kind' },
  retentionFilter: { to: filter({ totalIntervals: 5 }) },
  'retentionFilter.targetEntity': { to: target({}) },
  'retentionFilter.targetEntity.id': { from: target({}), to: target({ id: 'signed up' }) },
  'retentionFilter.targetEntity.type': { to: target({ type: 'actions' }), refusedAt: 'retentionFilter__targetEntity__id' },
  'retentionFilter.targetEntity.kind': {
    from: target({ type: null }),
    to: target({ type: null, kind: 'ActionsNode' }),
    refusedAt: 'retentionFilter__targetEntity__id',
  },
  'retentionFilter.targetEntity.name': 'a name',
  'retentionFilter.targetEntity.custom_name': 'a name',
  'retentionFilter.targetEntity.properties': { from: target({}), to: target({ properties: [PLAN_IS_FREE] }) },
  'retentionFilter.returningEntity': { to: returning({}) },
  'retentionFilter.returningEntity.id': { from: returning({}), to: returning({ id: 'signed up' }) },
  'retentionFilter.returningEntity.type': {
    to: returning({ type: 'actions' }),
    refusedAt: 'retentionFilter__returningEntity__id',
  },
  'retentionFilter.returningEntity.kind': {
    from: returning({ type: null }),
    to: returning({ type: null, kind: 'ActionsNode' }),
    refusedAt: 'retentionFilter__returningEntity__id',
  },
  'retentionFilter.returningEntity.name': 'a name',
  'retentionFilter.returningEntity.custom_name': 'a name',
  'retentionFilter.returningEntity.properties': { from: returning({}), to: returning({ properties: [PLAN_IS_FREE] }) },
  'retentionFilter.retentionType': { to: filter({ retentionType: 'retention_first_time' }) },
  'retentionFilter.period': { to: filter({ period: 'Week' }) },
  'retentionFilter.totalIntervals': { to: filter({ totalIntervals: 3 }) },
  'retentionFilter.retentionCustomBrackets': { to: filter({ retentionCustomBrackets: [1, 2] }) },
  'retentionFilter.cumulative': { to: filter({ cumulative: true }) },
  'retentionFilter.minimumOccurrences': { to: filter({ minimumOccurrences: 2 }) },
  'retentionFilter.timeWindowMode': { to: filter({ timeWindowMode: '24_hour_windows' }) },
  'retentionFilter.aggregationType': {
    to: filter({ aggregationType: 'sum' }),
    refusedAt: 'retentionFilter__aggregationType',
  },
  'retentionFilter.aggregationProperty': {
    to: filter({ aggregationProperty: 'amount' }),
    refusedAt: 'retentionFilter__aggregationProperty',
  },
});
