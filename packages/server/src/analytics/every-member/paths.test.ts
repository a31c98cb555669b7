import { everyMember } from '../../testing/every-member.js';
import { INSIGHT_MEMBERS } from '../../testing/insight-members.js';
import { pathsSchema } from '../kinds/paths/paths-schema.js';

const FUNNEL = { kind: 'FunnelsQuery', series: [{ kind: 'EventsNode' }, { kind: 'EventsNode' }] };
/** Paths need events that follow each other within half an hour: those of all people of a group. */
const BASE = {
  kind: 'PathsQuery',
  dateRange: { date_from: '2024-03-15', date_to: '2024-04-05' },
  aggregation_group_type_index: 0,
};
const filter = (pathsFilter: object) => ({ pathsFilter: { ...pathsFilter } });
const cleaning = (rest: object) => filter({ localPathCleaningFilters: [{ regex: 'a', alias: 'x', ...rest }] });

everyMember(pathsSchema, BASE, {
  ...INSIGHT_MEMBERS,
  aggregation_group_type_index: { to: { aggregation_group_type_index: null } },
  kind: { to: { kind: 'Paths' }, refusedAt: 'kind' },
  funnelPathsFilter: { to: { funnelPathsFilter: { funnelSource: FUNNEL } }, refusedAt: 'funnelPathsFilter' },
  pathsFilter: { to: filter({ stepLimit: 2 }) },
  'pathsFilter.includeEventTypes': { to: filter({ includeEventTypes: ['$pageview'] }) },
  'pathsFilter.startPoint': { to: filter({ startPoint: 'bought' }) },
  'pathsFilter.endPoint': { to: filter({ endPoint: 'bought' }) },
  'pathsFilter.excludeEvents': { to: filter({ excludeEvents: ['bought'] }) },
  'pathsFilter.pathGroupings': { to: filter({ pathGroupings: ['a.test'] }) },
  'pathsFilter.localPathCleaningFilters': { to: cleaning({}) },
  'pathsFilter.localPathCleaningFilters[].regex': { from: cleaning({}), to: cleaning({ regex: 'b' }) },
  'pathsFilter.localPathCleaningFilters[].alias': { from: cleaning({}), to: cleaning({ alias: 'y' }) },
  'pathsFilter.stepLimit': { to: filter({ stepLimit: 2 }) },
  'pathsFilter.edgeLimit': { to: filter({ edgeLimit: 3 }) },
  'pathsFilter.minEdgeWeight': { to: filter({ minEdgeWeight: 3 }) },
  'pathsFilter.maxEdgeWeight': { to: filter({ maxEdgeWeight: 1 }) },
  'pathsFilter.pathsHogQLExpression': {
    from: filter({ includeEventTypes: ['hogql'], pathsHogQLExpression: 'event' }),
    to: filter({ includeEventTypes: ['hogql'], pathsHogQLExpression: 'upper(event)' }),
  },
  'pathsFilter.pathReplacements': { to: filter({ pathReplacements: true }), refusedAt: 'pathsFilter__pathReplacements' },
  'pathsFilter.funnelPaths': {
    to: filter({ funnelPaths: 'funnel_path_after_step' }),
    refusedAt: 'pathsFilter__funnelPaths',
  },
  'pathsFilter.funnelFilter': { to: filter({ funnelFilter: FUNNEL }), refusedAt: 'pathsFilter__funnelFilter' },
  // see actors.test.ts of the kind
  'pathsFilter.pathStartKey': 'of people',
  'pathsFilter.pathEndKey': 'of people',
  'pathsFilter.pathDropoffKey': 'of people',
});
