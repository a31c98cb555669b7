import { everyMember } from '../../testing/every-member.js';
import { INSIGHT_MEMBERS } from '../../testing/insight-members.js';
import { stickinessSchema } from '../kinds/stickiness/stickiness-schema.js';

const node = (event: string) => ({ kind: 'EventsNode', event });
const BASE = {
  kind: 'StickinessQuery',
  series: [node('$pageview')],
  dateRange: { date_from: '2024-03-18', date_to: '2024-03-26' },
};
const filter = (stickinessFilter: object) => ({ stickinessFilter: { ...stickinessFilter } });
const criteria = (operator: string, value: number) => filter({ stickinessCriteria: { operator, value } });
const compared = (rest: object = {}) => ({ compareFilter: { compare: true, ...rest } });
const { aggregation_group_type_index: _, ...members } = INSIGHT_MEMBERS;

// the members of a series are those of trends
everyMember(
  stickinessSchema,
  BASE,
  {
    ...members,
    kind: { to: { kind: 'Stickiness' }, refusedAt: 'kind' },
    interval: { to: { interval: 'week' } },
    intervalCount: { to: { intervalCount: 3 } },
    series: { to: { series: [node('bought')] } },
    compareFilter: { to: compared() },
    'compareFilter.compare': { to: compared() },
    'compareFilter.compare_to': { from: compared(), to: compared({ compare_to: '-2w' }) },
    stickinessFilter: { to: filter({ computedAs: 'cumulative' }) },
    'stickinessFilter.computedAs': { to: filter({ computedAs: 'cumulative' }) },
    'stickinessFilter.stickinessCriteria': { to: criteria('gte', 2) },
    'stickinessFilter.stickinessCriteria.operator': { from: criteria('gte', 2), to: criteria('exact', 2) },
    'stickinessFilter.stickinessCriteria.value': { from: criteria('gte', 2), to: criteria('gte', 3) },
  },
  ['series'],
);
